import CBLSQLite

/// Documents that define views, filters and validations: `_design/…` of 1.x. Its successors take no document of such an ID; here they are a key
/// store as local documents are, with keys without `_design/`. In a 1.x file they are documents like others.
///
/// They are in the feed of the default collection's changes: each has a sequence of that, in the column that other key stores leave empty, and one that
/// was deleted stays as a row that says so, with the flag of tombstones. Programs that count the collection's documents find a gap there.
package enum DesignDocuments {
    package static let keyStore = "_design"
    package static let prefix = "_design/"

    static let isLive = "(flags & 1) = 0"
}

/// A design document as it is stored, or what is left of it.
package struct StoredDesign {
    /// Its key has no `_design/`.
    package let document: RawDocument
    /// In the default collection; nil for one of which nobody has told.
    package let sequence: UInt64?
    package let isDeleted: Bool

    package var id: String { DesignDocuments.prefix + document.key }
    package var revision: String { String(decoding: document.meta ?? [], as: UTF8.self) }
}

extension Snapshot {
    /// The names of the design documents, sorted.
    package func designDocumentNames() throws -> [String] {
        guard generation.isVersion1 else {
            guard let table = catalog.stores[DesignDocuments.keyStore] else { return [] }
            return try connection.strings("SELECT key FROM \(table.quotedName) WHERE \(DesignDocuments.isLive) ORDER BY key")
        }
        var options = ScanOptions(content: .id)
        options.idPrefix = DesignDocuments.prefix
        let cursor = try scan(.default, options)
        var names: [String] = []
        while try cursor.next() { names.append(String(cursor.id.dropFirst(DesignDocuments.prefix.count))) }
        return names
    }

    /// By what it shows that design documents, where they are kept beside the collections, have changed: their names and revisions.
    package func designMarks() throws -> [String] {
        guard !generation.isVersion1, let table = catalog.stores[DesignDocuments.keyStore] else { return [] }
        return try connection.strings(
            "SELECT key || ' ' || coalesce(CAST(version AS TEXT), '') FROM \(table.quotedName) WHERE \(DesignDocuments.isLive) ORDER BY key"
        )
    }

    /// What a design document says, as JSON; nil if there is none.
    package func designDocument(_ name: String) throws -> [UInt8]? {
        guard generation.isVersion1 else {
            guard let design = try design(name), !design.isDeleted else { return nil }
            return design.document.body
        }
        guard let document = try document(DesignDocuments.prefix + name), !document.isDeleted else { return nil }
        return Array(document.body.withRoot { $0.json(keys: sharedKeys) }.utf8)
    }

    /// A design document that is kept beside the collections, deleted or not.
    package func design(_ name: String) throws -> StoredDesign? {
        try designs("WHERE key=?", limit: 1) { try $0.bind(name, 1) }.first
    }

    /// The design documents that were changed after a sequence, in the order of theirs.
    package func designChanges(after sequence: UInt64) throws -> [StoredDesign] {
        try designs("WHERE sequence > ? ORDER BY sequence") { try $0.bind(Int64(clamping: sequence), 1) }
    }

    fileprivate func designs(_ condition: String, limit: Int = .max, _ bind: (Statement) throws -> Void = { _ in }) throws -> [StoredDesign]
    {
        guard !generation.isVersion1, let table = catalog.stores[DesignDocuments.keyStore] else { return [] }
        var found: [StoredDesign] = []
        try connection.withStatement("SELECT key, version, body, sequence, flags & 1 FROM \(table.quotedName) \(condition)") { row in
            try bind(row)
            while found.count < limit, try row.step() {
                guard let key = row.string(0) else { continue }
                let document = RawDocument(key: key, meta: row.blob(1).map(Array.init), body: row.blob(2).map(Array.init) ?? [])
                found.append(
                    StoredDesign(
                        document: document, sequence: UInt64(exactly: row.int64(3)).flatMap { $0 > 0 ? $0 : nil },
                        isDeleted: row.int64(4) != 0))
            }
        }
        return found
    }
}

extension Database {
    /// Has all design documents told of: those that came from elsewhere as they were, out of an archive or a file of 1.x, get a sequence.
    package func prepareDesignFeed() throws {
        guard try read({ try !$0.designs("WHERE sequence IS NULL", limit: 1).isEmpty }) else { return }
        try write { transaction in
            for design in try transaction.designs("WHERE sequence IS NULL") {
                try transaction.store(design.document, isDeleted: design.isDeleted)
            }
        }
    }
}

extension Transaction {
    /// Writes a design document, whose ID is without `_design/`, where these are kept beside the others. `replacing` is the revision that is to be
    /// there, nil for none. Gives the new one, which is named as 1.x names those of documents.
    package func putDesign(_ id: String, json: [UInt8], replacing: String?) throws -> String {
        let stored = try design(id)
        try check(stored, id, replacing)
        let revision = Transaction.revision(after: stored?.revision, json: json, isDeleted: false)
        try store(RawDocument(key: id, meta: Array(revision.utf8), body: json), isDeleted: false)
        return revision
    }

    /// Deletes a design document. Gives the revision that says so.
    @discardableResult
    package func deleteDesign(_ id: String, revision: String) throws -> String {
        guard let stored = try design(id), !stored.isDeleted else { throw StoreError(.notFound, "no design document \"\(id)\"") }
        try check(stored, id, revision)
        let deletion = Transaction.revision(after: revision, json: Array("{}".utf8), isDeleted: true)
        try store(RawDocument(key: id, meta: Array(deletion.utf8), body: []), isDeleted: true)
        return deletion
    }

    /// Stores a design document that was made elsewhere, with its revision.
    package func insertDesign(_ design: RawDocument, isDeleted: Bool = false) throws { try store(design, isDeleted: isDeleted) }

    private func check(_ stored: StoredDesign?, _ id: String, _ expected: String?) throws(StoreError) {
        let current = stored.flatMap { $0.isDeleted ? nil : $0.revision }
        guard current != expected else { return }
        throw StoreError(.conflict, "design document \"\(id)\" \(current.map { "is at revision \($0)" } ?? "is not there")")
    }

    private static func revision(after parent: String?, json: [UInt8], isDeleted: Bool) -> String {
        let id = parent.flatMap { try? RevisionID(parsing: $0) }
        let named = json.withUnsafeBytes { RevisionID.nextOfVersion1(after: id, isDeleted: isDeleted, canonicalJSON: $0) }
        // Programs that only count changes name them otherwise; the count goes on.
        let generation = parent.flatMap { UInt32($0.prefix { $0 != "-" }) } ?? 0
        let digest = named?.text.drop { $0 != "-" } ?? "-00"
        return "\(generation.addingReportingOverflow(1).partialValue)\(digest)"
    }

    fileprivate func store(_ design: RawDocument, isDeleted: Bool) throws {
        let table = try rawTable(DesignDocuments.keyStore)
        let sequence = try nextSequence(tables(.default))
        let sql = "INSERT OR REPLACE INTO \(table.quotedName) (key, version, body, sequence, flags) VALUES (?, ?, ?, ?, ?)"
        try connection.withStatement(sql) { statement in
            try statement.bind(design.key, 1)
            try statement.bind(blob: design.meta, 2)
            try statement.bind(blob: design.body, 3)
            try statement.bind(Int64(clamping: sequence), 4)
            try statement.bind(Int64(isDeleted ? 1 : 0), 5)
            try statement.run()
        }
    }
}
