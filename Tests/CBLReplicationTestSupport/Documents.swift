import CBLFleece
import CBLStore

/// ID, revision, deletion and properties of all documents.
package func documents(of database: Database, in collection: CollectionName = .default) throws -> [String: String] {
    try database.read { snapshot in
        var options = ScanOptions(content: .everything)
        options.includesDeleted = true
        let cursor = try snapshot.scan(collection, options)
        var content: [String: String] = [:]
        while let document = try cursor.next(reading: { $0 }) {
            let json = document.body.withRoot { $0.json(keys: snapshot.sharedKeys, style: .canonical) }
            content[document.id] = "\(snapshot.global(document.revision)) \(document.isDeleted) \(json)"
        }
        return content
    }
}
