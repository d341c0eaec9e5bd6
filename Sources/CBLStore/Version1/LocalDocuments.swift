/// Documents that are never replicated: `_local/…` of 1.x. Its successors have no name for them; here they are a key store of the file, which the
/// vendor's programs leave alone. The keys are without `_local/`, the bodies JSON texts, and `meta` is the revision as text, `3-local`.
package enum LocalDocuments {
    package static let keyStore = "_local"
    package static let prefix = "_local/"
}

extension Snapshot {
    /// The IDs of documents that are kept beside the collections, `_local/…` and `_design/…`, that match a pattern as those of others do.
    package func besideDocumentIDs(matching pattern: String) throws -> [String] {
        var ids: [String] = []
        for (prefix, store) in Snapshot.besides where catalog.stores[store] != nil {
            let table = catalog.stores[store]?.quotedName ?? ""
            let live = store == DesignDocuments.keyStore ? " AND \(DesignDocuments.isLive)" : ""
            try connection.withStatement("SELECT ?1 || key FROM \(table) WHERE ?1 || key GLOB ?2\(live) ORDER BY key") { row in
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
        let name = String(id.dropFirst(prefix.count))
        guard store == DesignDocuments.keyStore else { return try rawDocument(name, in: store) }
        guard let design = try design(name), !design.isDeleted else { return nil }
        return design.document
    }

    private static let besides = [
        (prefix: LocalDocuments.prefix, store: LocalDocuments.keyStore), (prefix: DesignDocuments.prefix, store: DesignDocuments.keyStore),
    ]
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

    private func localRevision(_ id: String) throws -> String? {
        try rawDocument(id, in: LocalDocuments.keyStore).map { String(decoding: $0.meta ?? [], as: UTF8.self) }
    }

    private static func localConflict(_ id: String, _ current: String?) -> StoreError {
        StoreError(.conflict, "local document \"\(id)\" \(current.map { "is at revision \($0)" } ?? "is not there")")
    }
}
