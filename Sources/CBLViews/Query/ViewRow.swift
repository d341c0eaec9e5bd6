import CBLFleece
import CBLStore

/// The row at which a query is: what it gives is valid until the next one.
package final class ViewRow {
    private let feed: RowFeed
    private let documents: DocumentLookup
    @exclusivity(unchecked) private var whole: FleeceData?

    init(_ feed: RowFeed, _ documents: DocumentLookup) {
        self.feed = feed
        self.documents = documents
    }

    func forget() { whole = nil }

    /// Null for a group of all rows.
    package var key: Value { Value(root: feed.key) ?? .undefined }
    var keyBytes: UnsafeRawBufferPointer { feed.key }
    /// The document that has emitted the row; empty for a group.
    package var documentID: String { String(decoding: feed.id, as: UTF8.self) }
    package var idBytes: UnsafeRawBufferPointer { feed.id }
    /// That of the document when it was indexed.
    package var sequence: UInt64 { feed.sequence }

    /// Whether the map function emitted the document itself as the value.
    package var isDocument: Bool { feed.kind == .document }

    /// Lends the value, without shared keys; undefined if there is none. If it is the document itself, that is read from the database.
    package func withValue<Result>(_ body: (Value) throws -> Result) throws -> Result {
        try withValueBytes { try body($0.flatMap { Value(root: $0) } ?? .undefined) }
    }

    func withValueBytes<Result>(_ body: (UnsafeRawBufferPointer?) throws -> Result) throws -> Result {
        switch feed.kind {
        case .none: return try body(nil)
        case .encoded: return try body(feed.value)
        case .document:
            if whole == nil { whole = try documents.whole(documentID) }
            guard let whole else { return try body(nil) }
            return try whole.withBytes { try body($0) }
        }
    }

    package var valueJSON: String? { get throws { try withValue { $0.isUndefined ? nil : $0.json() } } }

    /// The document that goes with the row: the one whose `_id`, and `_rev` if there is one, is in the value, or the one that emitted the row. Nil
    /// for a group, and where there is no such document any more.
    package func document() throws -> RowDocument? {
        guard !feed.id.isEmpty else { return nil }
        let link: (id: String, revision: String?)? =
            feed.kind != .encoded
            ? nil
            : try withValue { value in
                guard let members = value.dictionary, let id = members.value(forKey: "_id", nil)?.string else { return nil }
                return (id, members.value(forKey: "_rev", nil)?.string)
            }
        return try documents.document(link?.id ?? documentID, revision: link?.revision)
    }

    /// What a full-text query has found.
    package var match: FullTextMatch? { feed.match }
    /// The GeoJSON that was emitted, in a query for a box; undefined otherwise.
    package var shape: Value { feed.shape.flatMap { Value(root: $0) } ?? .undefined }
}

/// A document that a row refers to.
package struct RowDocument: Sendable {
    package let id: String
    package let revision: RevisionID
    package let sequence: UInt64
    package let properties: DocumentProperties
}

/// Reads documents for the rows of one query, all in one state of the database, which is begun when the first is asked for.
package final class DocumentLookup {
    private let database: Database
    private let collection: CollectionName
    private var state: OpenSnapshot?

    package init(_ database: Database, _ collection: CollectionName) {
        self.database = database
        self.collection = collection
    }

    deinit { end() }

    package func end() {
        state?.end()
        state = nil
    }

    private func use<Result>(_ work: (Snapshot) throws -> Result) throws -> Result {
        let state = try self.state ?? OpenSnapshot(of: database)
        self.state = state
        return try state.use(work)
    }

    package func document(_ id: String, revision: String? = nil) throws -> RowDocument? {
        try use { snapshot in
            guard let document = try snapshot.document(id, in: collection) else { return nil }
            if let revision, revision != document.revision.description {
                guard case .tree(let tree) = try document.revisions(),
                    let found = tree.revisions.first(where: { $0.id.description == revision }), !found.isDeleted, let body = found.body
                else { return nil }
                return RowDocument(
                    id: id, revision: found.id, sequence: found.sequence, properties: DocumentProperties(body, keys: snapshot.sharedKeys))
            }
            guard !document.isDeleted else { return nil }
            return RowDocument(
                id: id, revision: document.revision, sequence: document.sequence,
                properties: DocumentProperties(document.body, keys: snapshot.sharedKeys))
        }
    }

    /// A document with `_id` and `_rev`, without shared keys; nil if it is gone.
    func whole(_ id: String) throws -> FleeceData? {
        guard let document = try document(id) else { return nil }
        return try document.encodedWhole()
    }
}

extension RowDocument {
    /// The document as 1.x shows it: with `_id` and `_rev`, without shared keys.
    package func encodedWhole() throws -> FleeceData {
        let encoder = FleeceEncoder()
        encoder.beginDictionary()
        encoder.writeKey("_id")
        encoder.write(id)
        encoder.writeKey("_rev")
        encoder.write(revision.description)
        properties.withRoot { root in
            guard let dictionary = root.dictionary else { return }
            for (key, value) in dictionary {
                guard let name = key.keyBytes(properties.keys), !name.elementsEqual("_id".utf8), !name.elementsEqual("_rev".utf8) else {
                    continue
                }
                encoder.writeKey(name)
                encoder.write(value, keys: properties.keys)
            }
        }
        encoder.endDictionary()
        return try encoder.finish()
    }
}

/// The rows of a query, one after another.
///
///     while try rows.next() { print(rows.row.key.json(), rows.row.documentID) }
package final class ViewRows {
    private let feed: RowFeed
    package let row: ViewRow
    private let cancellation: ViewCancellation?
    private let database: Database
    private var count = 0
    /// How many rows the view's index has.
    package let totalCount: Int
    /// The sequence up to which the view is indexed.
    package let lastSequence: UInt64

    init(_ feed: RowFeed, _ row: ViewRow, _ query: ViewQuery, _ database: Database, _ state: ViewState) {
        self.feed = feed
        self.row = row
        self.database = database
        cancellation = query.cancellation
        totalCount = state.count
        lastSequence = state.sequence
    }

    /// Goes to the next row; false when there is none.
    package func next() throws -> Bool {
        row.forget()
        count &+= 1
        if count & 255 == 1 {
            if cancellation?.isCancelled == true { throw ViewError.cancelled }
            if !database.isOpen { throw ViewError.closed }
        }
        return try feed.next()
    }

    /// What is left of them.
    package func list() throws -> ViewRowList {
        var list = ViewRowList()
        while try next() { try list.append(row) }
        return list
    }
}
