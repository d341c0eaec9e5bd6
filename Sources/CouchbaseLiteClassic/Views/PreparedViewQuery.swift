internal import CBLFleece
internal import CBLStore
internal import CBLViews
import CouchbaseLiteSwift

import class CouchbaseLiteSwift.Collection
import class CouchbaseLiteSwift.Document

/// A query with all that it needs, for any thread.
struct PreparedViewQuery: Sendable {
    let view: View
    let store: ViewStore
    let definition: ViewDefinition
    let core: CBLViews.ViewQuery
    let prefetches: Bool

    func run(_ cancellation: ViewCancellation?) throws -> ViewResult {
        var core = core
        core.cancellation = cancellation
        _ = try view.collection.openCore()
        let isSpecial = core.fullText != nil || core.box != nil
        return try translatingViewErrors {
            let result = try store.index.query(definition, core, options: ViewStore.options(cancellation)) { rows in
                var memory = RowMemory(view.collection)
                memory.totalRows = rows.totalCount
                memory.lastSequence = rows.lastSequence
                while try rows.next() { try memory.append(rows.row, withFinds: isSpecial) }
                return memory
            }
            return ViewResult(prefetches ? try result.prefetched() : result)
        }
    }
}

/// Rows that were read, with what belongs to them.
struct RowMemory: Sendable {
    /// What a query for texts or a box found.
    struct Find: Sendable {
        let match: FullTextMatch?
        /// GeoJSON in an array of its own.
        let shape: FleeceData?
        let box: ViewBox?
    }

    let collection: Collection
    private(set) var list: ViewRowList
    private(set) var finds: [Find] = []
    /// Empty if they were not read.
    private(set) var documents: [Document?] = []
    var totalRows = 0
    var lastSequence: UInt64 = 0

    init(_ collection: Collection, _ list: ViewRowList = ViewRowList()) {
        self.collection = collection
        self.list = list
    }

    mutating func append(_ row: CBLViews.ViewRow, withFinds: Bool = true) throws {
        try list.append(row)
        guard withFinds else { return }
        let shape = row.shape
        let isThere = !shape.isUndefined
        finds.append(
            Find(match: row.match, shape: isThere ? try wrapped(shape) : nil, box: GeoJSON.bounds(of: shape, nil).map { ViewBox($0) }))
    }

    func prefetched() throws -> RowMemory {
        var copy = self
        copy.documents = try (0..<list.count).map { try document($0) }
        return copy
    }

    /// The document that goes with a row, as it is now: the one whose `_id`, and `_rev` if there is one, is in the value, or the one that emitted the row.
    func document(_ row: Int) throws -> Document? {
        let emitter = list.documentID(row)
        guard !emitter.isEmpty else { return nil }
        let link = list.withRow(row) { _, value in
            value.dictionary.flatMap { members in
                members.value(forKey: "_id", nil)?.string.map { (id: $0, revision: members.value(forKey: "_rev", nil)?.string) }
            }
        }
        let id = link?.id ?? emitter
        let current = try collection.document(id: id)
        // The row's own document is wanted as it is, whichever revision was emitted.
        guard let revision = link?.revision, id != emitter, revision != current?.revisionID else { return current }
        return try translatingViewErrors {
            let lookup = DocumentLookup(try collection.openCore(), collection.coreName)
            defer { lookup.end() }
            return try lookup.document(id, revision: revision).map { found in
                Document(id: id, found.properties, DocumentPlace(revision: found.revision, in: collection), of: collection)
            }
        }
    }
}

/// A value in an array of its own, which stands for its place; the array is empty if there is no value.
func wrapped(_ value: Value) throws -> FleeceData {
    let encoder = FleeceEncoder()
    encoder.beginArray()
    if !value.isUndefined { encoder.write(value, keys: nil) }
    encoder.endArray()
    return try encoder.finish()
}
