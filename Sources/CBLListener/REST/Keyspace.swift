import CBLReplication
import CBLStore

/// A collection that requests are about: `db`, `db.collection` or `db.scope.collection` in a URL.
struct Keyspace: Sendable {
    let served: ServedDatabases.Served
    let collection: CollectionName

    var database: Database { served.database }
    /// Documents beside the collections are the database's, and seen with the default one.
    var hasDesignDocuments: Bool { collection.isDefault }

    /// The names in a URL's first component; the collection is nil where none is named.
    static func split(_ text: String) throws(RESTError) -> (database: String, collection: CollectionName?) {
        let parts = text.split(separator: ".", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
        guard (2...3).contains(parts.count), parts.allSatisfy({ !$0.isEmpty }) else {
            guard parts.count > 1 else { return (text, nil) }
            throw .badID("a database, and perhaps a scope and a collection, with points in between")
        }
        do {
            let name = try parts.count == 2 ? CollectionName(name: parts[1]) : CollectionName(scope: parts[1], name: parts[2])
            return (parts[0], name)
        } catch { throw .badID(error.message) }
    }
}

extension Keyspace {
    /// How many documents there are, design documents among them.
    func counts(_ snapshot: Snapshot) throws -> Snapshot.Counts {
        var counts = try snapshot.counts(of: collection)
        if hasDesignDocuments, !snapshot.generation.isVersion1 { counts.live += try snapshot.designDocumentNames().count }
        return counts
    }
}

extension ServedDatabases {
    /// The collection that a URL names, which has to be there.
    func keyspace(named text: String) throws -> Keyspace {
        // A name may have points in it.
        if let served = try database(named: text) { return Keyspace(served: served, collection: .default) }
        let (name, collection) = try Keyspace.split(text)
        guard let served = try database(named: name) else {
            throw collection == nil ? ServedDatabases.unknown(name) : RESTError.notFound("no such database")
        }
        let keyspace = Keyspace(served: served, collection: collection ?? .default)
        guard try served.database.read({ $0.hasCollection(keyspace.collection) }) else { throw RESTError.notFound("no such collection") }
        return keyspace
    }
}
