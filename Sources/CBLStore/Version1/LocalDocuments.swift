/// Documents that are never replicated: `_local/…` of 1.x. Its successors have no name for them; here they are a key store of the file, which the
/// vendor's programs leave alone. The keys are without `_local/`, the bodies JSON texts, and `meta` is the revision as text, `3-local`.
package enum LocalDocuments {
    package static let keyStore = "_local"
}

/// Documents that define views, filters and validations: `_design/…` of 1.x. Its successors take no document of such an ID; here they are a key
/// store as local documents are, with keys without `_design/`.
package enum DesignDocuments {
    package static let keyStore = "_design"
    package static let prefix = "_design/"
}

extension Snapshot {
    /// The names of the design documents, sorted; in a 1.x file they are documents like others.
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
