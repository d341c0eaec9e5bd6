import CBLFleece
import CBLStore

/// What is asked of all documents of a collection, as if there were a view with their IDs as keys and `{"rev": …}` as values.
package struct AllDocumentsQuery: Sendable {
    package enum Mode: Sendable {
        case all
        case includeDeleted
        /// Values of documents in conflict have `_conflicts`.
        case showConflicts
        case onlyConflicts
        /// In the order of sequences.
        case bySequence
    }

    package var mode = Mode.all
    package var startKey: String?
    package var endKey: String?
    package var inclusiveStart = true
    package var inclusiveEnd = true
    /// Only documents with these IDs, in this order, and a row for each that there is not.
    package var keys: [String]?
    /// Puts the upper end behind all IDs that begin as it does.
    package var matchesPrefix = false
    package var descending = false
    package var skip = 0
    package var limit: Int?
    package var cancellation: ViewCancellation?

    package init(mode: Mode = .all, keys: [String]? = nil) {
        self.mode = mode
        self.keys = keys
    }

    func check() throws {
        guard skip >= 0, limit ?? 0 >= 0 else { throw ViewError.badRequest("skip and limit cannot be negative") }
        if keys != nil, startKey != nil || endKey != nil { throw ViewError.badRequest("a query has keys, or a range of them") }
        if mode == .bySequence, keys != nil || startKey != nil || endKey != nil {
            throw ViewError.badRequest("documents by sequence have no keys")
        }
    }
}

/// A document of the result, or an ID that was asked for and is none.
package struct DocumentRow: Sendable, Equatable {
    package let id: String
    /// Nil where there is no such document.
    package let revision: RevisionID?
    package let sequence: UInt64
    package let isDeleted: Bool
    /// Other revisions that are leaves and no deletions, if the mode shows them.
    package let conflicts: [RevisionID]

    /// What 1.x shows as the value.
    package func writeValue(to encoder: FleeceEncoder) {
        encoder.beginDictionary()
        if let revision {
            encoder.writeKey("rev")
            encoder.write(revision.description)
        }
        if isDeleted {
            encoder.writeKey("deleted")
            encoder.write(true)
        }
        if !conflicts.isEmpty {
            encoder.writeKey("_conflicts")
            encoder.beginArray()
            for id in conflicts { encoder.write(id.description) }
            encoder.endArray()
        }
        encoder.endDictionary()
    }
}

extension Snapshot {
    /// Lends the rows of a query one after another, until `body` says false.
    package func forEachDocument(
        _ query: AllDocumentsQuery, in collection: CollectionName = .default, _ body: (DocumentRow) throws -> Bool
    ) throws {
        try query.check()
        if let keys = query.keys { return try forEach(of: query.descending ? keys.reversed() : keys, query, collection, body) }
        var options = ScanOptions(order: query.mode == .bySequence ? .sequence : .id, content: .metadata)
        options.isDescending = query.descending
        options.includesDeleted = query.mode == .includeDeleted
        options.onlyConflicts = query.mode == .onlyConflicts
        let showsConflicts = query.mode == .showConflicts || query.mode == .onlyConflicts
        let range = IDRange(query)
        var (skip, rest) = (query.skip, query.limit ?? .max)
        if let prefix = range.prefix { options.idPrefix = prefix }
        let cursor = try scan(collection, options)
        var count = 0
        while rest > 0, try cursor.next() {
            count += 1
            if count & 255 == 0, query.cancellation?.isCancelled == true { throw ViewError.cancelled }
            switch range.place(of: cursor.idBytes) {
            case .before: if query.descending { return } else { continue }
            case .behind: if query.descending { continue } else { return }
            case .inside: break
            }
            var conflicts: [RevisionID] = []
            if showsConflicts, cursor.flags.contains(.conflicted) {
                conflicts = try document(cursor.id, in: collection)?.liveConflicts ?? []
            }
            if query.mode == .onlyConflicts, conflicts.isEmpty { continue }
            if skip > 0 {
                skip -= 1
                continue
            }
            rest -= 1
            let row = DocumentRow(
                id: cursor.id, revision: try cursor.revision(), sequence: cursor.sequence, isDeleted: cursor.isDeleted, conflicts: conflicts
            )
            guard try body(row) else { return }
        }
    }

    private func forEach(
        of keys: [String], _ query: AllDocumentsQuery, _ collection: CollectionName, _ body: (DocumentRow) throws -> Bool
    ) throws {
        for id in keys.dropFirst(query.skip).prefix(query.limit ?? .max) {
            if query.cancellation?.isCancelled == true { throw ViewError.cancelled }
            let document = try document(id, in: collection)
            let conflicts = query.mode == .showConflicts || query.mode == .onlyConflicts ? document?.liveConflicts ?? [] : []
            let row = DocumentRow(
                id: id, revision: document?.revision, sequence: document?.sequence ?? 0, isDeleted: document?.isDeleted ?? false,
                conflicts: conflicts)
            guard try body(row) else { return }
        }
    }
}

/// A range of document IDs, as bytes.
private struct IDRange {
    enum Place { case before, inside, behind }

    private let least: [UInt8]?
    private let greatest: [UInt8]?
    private let includesLeast: Bool
    private let includesGreatest: Bool
    private let matchesPrefix: Bool
    /// What all IDs of the range begin with.
    private(set) var prefix: String?

    init(_ query: AllDocumentsQuery) {
        least = (query.descending ? query.endKey : query.startKey).map { Array($0.utf8) }
        greatest = (query.descending ? query.startKey : query.endKey).map { Array($0.utf8) }
        includesLeast = query.descending ? query.inclusiveEnd : query.inclusiveStart
        includesGreatest = query.descending ? query.inclusiveStart : query.inclusiveEnd
        matchesPrefix = query.matchesPrefix
        if query.matchesPrefix, let start = query.startKey, start == query.endKey { prefix = start }
    }

    func place(of id: UnsafeRawBufferPointer) -> Place {
        if let least {
            let order = least.withUnsafeBytes { MappedRows.compare(id, $0) }
            if order < 0 || order == 0 && !includesLeast { return .before }
        }
        if let greatest {
            if matchesPrefix, id.starts(with: greatest) { return .inside }
            let order = greatest.withUnsafeBytes { MappedRows.compare(id, $0) }
            if order > 0 || order == 0 && !includesGreatest { return .behind }
        }
        return .inside
    }
}
