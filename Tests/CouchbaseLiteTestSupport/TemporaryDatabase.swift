import CouchbaseLiteSwift
import Testing

/// A folder for databases that goes away with this object.
package final class TemporaryFolder: Sendable {
    package let path: String

    package init() throws {
        path = NSTemporaryDirectory() + "cblite-library-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    package func open(_ name: String = "db") throws -> Database { try Database(name: name, config: configuration) }

    package var configuration: DatabaseConfiguration {
        var configuration = DatabaseConfiguration()
        configuration.directory = path
        return configuration
    }
}

/// A database of a test with its default collection.
package final class TemporaryDatabase: @unchecked Sendable {
    package let folder: TemporaryFolder
    package let database: Database
    package let collection: Collection

    package init(opened open: (TemporaryFolder) throws -> Database = { try $0.open() }) throws {
        folder = try TemporaryFolder()
        database = try open(folder)
        collection = try database.defaultCollection()
    }

    deinit { try? database.close() }

    /// Another one on the same files.
    package func another() throws -> Database { try folder.open() }

    @discardableResult
    package func save(_ id: String, _ properties: [String: Any] = [:]) throws -> MutableDocument {
        let document = MutableDocument(id: id, data: properties)
        try collection.save(document: document)
        return document
    }

    package func document(_ id: String) throws -> Document { try #require(try collection.document(id: id)) }
}
