import CBLFleece

/// A document with all that the database remembers of it. A value of its own: it stays valid after the transaction it was read in.
package struct Document: Sendable {
    package let id: String
    package let collection: CollectionName
    /// The current revision.
    package let revision: RevisionID
    package let sequence: UInt64
    /// Counts changes that did not make a revision.
    package let subsequence: Int
    package let flags: DocumentFlags
    /// When it will be gone, in milliseconds since 1970.
    package let expiration: Int64?
    /// The current revision's properties, with the database's shared keys.
    package let body: FleeceData
    /// All revisions, if the document's are a tree.
    package let tree: RevisionTree?
    /// The current revision and those of remotes, if the document is kept as a version-vector database keeps it.
    package let vectors: VectorRevisions?

    package var isDeleted: Bool { flags.contains(.deleted) }
    package var isConflicted: Bool { flags.contains(.conflicted) }
}

extension Document {
    init(_ id: String, in collection: CollectionName, _ record: Record, _ snapshot: Snapshot) throws(StoreError) {
        do {
            revision = try record.version.withUnsafeBytes { try RevisionID(column: $0) }
            vectors = record.holdsVectors ? try Document.vectors(of: record, source: snapshot.sourceID) : nil
            tree = record.holdsVectors ? nil : try Document.tree(of: record)
        } catch {
            throw StoreError(.corrupt, "document \"\(id)\" is damaged: \(error)")
        }
        self.id = id
        self.collection = collection
        sequence = record.sequence
        subsequence = record.subsequence
        flags = record.flags.subtracting(.synced)
        expiration = record.expiration
        body = Document.body(of: record)
    }

    static func body(of record: Record) -> FleeceData {
        guard let column = record.body else { return .emptyDictionary }
        return column.withUnsafeBytes { column in
            let bytes = RecordBody.current(column)
            return bytes.isEmpty ? .emptyDictionary : FleeceData(copying: bytes)
        }
    }

    static func vectors(of record: Record, source: SourceID) throws -> VectorRevisions {
        var vectors = try record.version.withUnsafeBytes { version in
            try (record.body ?? []).withUnsafeBytes { body in
                try (record.extra ?? []).withUnsafeBytes { extra in
                    try VectorRevisions(
                        version: version, body: record.body == nil ? nil : body, extra: record.extra == nil ? nil : extra,
                        sequence: record.sequence, flags: record.flags)
                }
            }
        }
        vectors.source = source
        return vectors
    }

    static func tree(of record: Record) throws -> RevisionTree {
        // An absent `body` beside a tree is an empty document's.
        let body: [UInt8]? = record.body
        return try (record.extra ?? []).withUnsafeBytes { extra in
            try (body ?? []).withUnsafeBytes { column in
                try RevisionTree(
                    body: body == nil ? nil : column, extra: record.extra == nil ? nil : extra, sequence: record.sequence,
                    flags: record.flags)
            }
        }
    }
}
