import CouchbaseLiteClassic
import Testing

/// A folder for databases that goes away with this object.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "cblite-classic-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func open(_ name: String = "db", keepingFormat: Bool = false) throws -> Database {
        try Database(name: name, config: configuration, keepingFormat: keepingFormat)
    }

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

    init(keepingFormat: Bool = false) throws {
        folder = try TemporaryFolder()
        database = try folder.open(keepingFormat: keepingFormat)
        collection = try database.defaultCollection()
    }

    deinit { try? database.close() }

    @discardableResult
    func save(_ id: String, _ properties: [String: Any] = [:]) throws -> String {
        let document = try collection.document(id: id)?.toMutable() ?? MutableDocument(id: id)
        try collection.save(document: document.setData(properties))
        return try #require(document.revisionID)
    }

    func document(_ id: String) throws -> Document { try #require(try collection.document(id: id)) }
}

/// What closures were told, for a test to wait for.
final class Told<Value>: @unchecked Sendable {
    // Sendable: the lock guards what it holds, which nobody changes.
    private let lock = NSLock()
    private var values: [Value] = []
    let queue = DispatchQueue(label: "told")

    func add(_ value: Value) { lock.withLock { values.append(value) } }

    var all: [Value] { lock.withLock { values } }

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

/// Replicates once between two databases of this process. Gives the documents that the replicator has told of.
@discardableResult
func replicate(_ configuration: CollectionConfiguration, with other: Database, _ type: ReplicatorType) throws -> [ReplicatedDocument] {
    var config = ReplicatorConfiguration(collections: [configuration], target: DatabaseEndpoint(database: other))
    config.replicatorType = type
    let replicator = Replicator(config: config)
    let documents = Told<[ReplicatedDocument]>()
    let isOver = Told<Bool>()
    let tokens = [
        replicator.addDocumentReplicationListener(withQueue: documents.queue) { documents.add($0.documents) },
        replicator.addChangeListener(withQueue: documents.queue) { change in
            guard change.status.activity == .stopped else { return }
            #expect(change.status.error == nil)
            isOver.add(true)
        },
    ]
    replicator.start()
    #expect(isOver.wait { !$0.isEmpty })
    for token in tokens { token.remove() }
    return documents.all.flatMap { $0 }
}
