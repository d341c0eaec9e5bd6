/// Documents that are never replicated: `_local/…` of 1.x. Its successors have no name for them; here they are a key store of the file, which the
/// vendor's programs leave alone. The keys are without `_local/`, the bodies JSON texts, and `meta` is the revision as text, `3-local`.
package enum LocalDocuments {
    package static let keyStore = "_local"
    package static let prefix = "_local/"
}

/// Documents that define views, filters and validations: `_design/…` of 1.x. Its successors take no document of such an ID; here they are a key
/// store as local documents are, with keys without `_design/`. In a 1.x file they are documents like others.
package enum DesignDocuments {
    package static let keyStore = "_design"
    package static let prefix = "_design/"
}

extension Snapshot {
    /// The IDs of documents that are kept beside the collections, `_local/…` and `_design/…`, that match a pattern as those of others do.
    package func besideDocumentIDs(matching pattern: String) throws -> [String] {
        var ids: [String] = []
        for (prefix, store) in Snapshot.besides where catalog.stores[store] != nil {
            let table = catalog.stores[store]?.quotedName ?? ""
            try connection.withStatement("SELECT ?1 || key FROM \(table) WHERE ?1 || key GLOB ?2 ORDER BY key") { row in
                try row.bind(prefix, 1)
                try row.bind(ScanOptions.glob(pattern), 2)
                while try row.step() { if let id = row.string(0) { ids.append(id) } }
            }
        }
        return ids
    }

    /// Such a document: its body is JSON.
    package func besideDocument(_ id: String) throws -> RawDocument? {
        guard let (prefix, store) = Snapshot.besides.first(where: { id.hasPrefix($0.prefix) }) else { return nil }
        return try rawDocument(String(id.dropFirst(prefix.count)), in: store)
    }

    private static let besides = [
        (prefix: LocalDocuments.prefix, store: LocalDocuments.keyStore), (prefix: DesignDocuments.prefix, store: DesignDocuments.keyStore),
    ]

    /// The names of the design documents, sorted.
    package func designDocumentNames() throws -> [String] {
        guard generation.isVersion1 else { return try rawDocumentKeys(in: DesignDocuments.keyStore) }
        var options = ScanOptions(content: .id)
        options.idPrefix = DesignDocuments.prefix
        let cursor = try scan(.default, options)
        var names: [String] = []
        while try cursor.next() { names.append(String(cursor.id.dropFirst(DesignDocuments.prefix.count))) }
        return names
    }

    /// What a design document says, as JSON; nil if there is none.
    package func designDocument(_ name: String) throws -> [UInt8]? {
        guard generation.isVersion1 else { return try rawDocument(name, in: DesignDocuments.keyStore)?.body }
        guard let document = try document(DesignDocuments.prefix + name), !document.isDeleted else { return nil }
        return Array(document.body.withRoot { $0.json(keys: sharedKeys) }.utf8)
    }
}

extension Transaction {
    /// Writes a local document, whose ID is without `_local/`. `replacing` is the revision that is to be there, nil for none. Gives the new one.
    package func putLocal(_ id: String, json: [UInt8], replacing: String?) throws -> String {
        let current = try localRevision(id)
        guard current == replacing else { throw Transaction.localConflict(id, current) }
        let generation = current.flatMap { UInt64($0.prefix { $0 != "-" }) } ?? 0
        let revision = "\(generation.addingReportingOverflow(1).partialValue)-local"
        try putRaw(RawDocument(key: id, meta: Array(revision.utf8), body: json), in: LocalDocuments.keyStore)
        return revision
    }

    /// Removes a local document.
    package func deleteLocal(_ id: String, revision: String) throws {
        guard let current = try localRevision(id) else {
            throw StoreError(.notFound, "no local document \"\(id)\"")
        }
        guard current == revision else { throw Transaction.localConflict(id, current) }
        try deleteRaw(id, in: LocalDocuments.keyStore)
    }

    /// Writes a design document, whose ID is without `_design/`, where these are kept beside the others. `replacing` is the revision that is to be
    /// there, nil for none. Gives the new one, which is named as 1.x names those of documents.
    package func putDesign(_ id: String, json: [UInt8], replacing: String?) throws -> String {
        let current = try designRevision(id)
        guard current == replacing else { throw Transaction.designConflict(id, current) }
        let parent = current.flatMap { try? RevisionID(parsing: $0) }
        let named = json.withUnsafeBytes { RevisionID.nextOfVersion1(after: parent, isDeleted: false, canonicalJSON: $0) }
        // Programs that only count changes name them otherwise; the count goes on.
        let generation = current.flatMap { UInt32($0.prefix { $0 != "-" }) } ?? 0
        let digest = named?.text.drop { $0 != "-" } ?? "-00"
        let revision = "\(generation.addingReportingOverflow(1).partialValue)\(digest)"
        try putRaw(RawDocument(key: id, meta: Array(revision.utf8), body: json), in: DesignDocuments.keyStore)
        return revision
    }

    /// Removes a design document.
    package func deleteDesign(_ id: String, revision: String) throws {
        guard let current = try designRevision(id) else { throw StoreError(.notFound, "no design document \"\(id)\"") }
        guard current == revision else { throw Transaction.designConflict(id, current) }
        try deleteRaw(id, in: DesignDocuments.keyStore)
    }

    private func designRevision(_ id: String) throws -> String? {
        try rawDocument(id, in: DesignDocuments.keyStore).map { String(decoding: $0.meta ?? [], as: UTF8.self) }
    }

    private static func designConflict(_ id: String, _ current: String?) -> StoreError {
        StoreError(.conflict, "design document \"\(id)\" \(current.map { "is at revision \($0)" } ?? "is not there")")
    }

    private func localRevision(_ id: String) throws -> String? {
        try rawDocument(id, in: LocalDocuments.keyStore).map { String(decoding: $0.meta ?? [], as: UTF8.self) }
    }

    private static func localConflict(_ id: String, _ current: String?) -> StoreError {
        StoreError(.conflict, "local document \"\(id)\" \(current.map { "is at revision \($0)" } ?? "is not there")")
    }
}
