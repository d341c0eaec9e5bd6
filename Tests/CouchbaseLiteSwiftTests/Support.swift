import CBLBase
import CouchbaseLiteSwift
import Synchronization
import Testing

/// A folder for databases that goes away with this object.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "cblite-library-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func open(_ name: String = "db") throws -> Database { try Database(name: name, config: configuration) }

    var configuration: DatabaseConfiguration {
        var configuration = DatabaseConfiguration()
        configuration.directory = path
        return configuration
    }
}

/// A database of a test with its default collection.
final class TemporaryDatabase: @unchecked Sendable {
    let folder: TemporaryFolder
    let database: Database
    let collection: Collection

    init() throws {
        folder = try TemporaryFolder()
        database = try folder.open()
        collection = try database.defaultCollection()
    }

    deinit { try? database.close() }

    /// Another one on the same files.
    func another() throws -> Database { try folder.open() }

    @discardableResult
    func save(_ id: String, _ properties: [String: Any] = [:]) throws -> MutableDocument {
        let document = MutableDocument(id: id, data: properties)
        try collection.save(document: document)
        return document
    }

    func document(_ id: String) throws -> Document { try #require(try collection.document(id: id)) }
}

/// What listeners were told, for a test to wait for.
final class Told<Value>: @unchecked Sendable {
    private let values = Mutex<[Box]>([])
    private struct Box: @unchecked Sendable { let value: Value }
    /// Where listeners of tests are called: whether somebody serves the main queue depends on who runs the tests.
    let queue = DispatchQueue(label: "told")

    func add(_ value: Value) {
        let box = Box(value: value)
        values.withLock { $0.append(box) }
    }

    var all: [Value] { values.withLock { $0 }.map(\.value) }

    /// Waits until `condition` holds of what was told so far.
    func wait(seconds: Double = 20, until condition: ([Value]) -> Bool) -> Bool {
        let deadline = Date(timeIntervalSinceNow: seconds)
        while Date() < deadline {
            if condition(all) { return true }
            usleep(1000)
        }
        return condition(all)
    }
}

/// The code of the library's error that `work` throws; nil if it throws none, or another.
func code(_ work: () throws -> Void) -> Int? {
    do { try work() } catch let error as NSError {
        return error.domain == CBLError.domain ? error.code : nil
    }
    return nil
}
