import CBLBLIP
import CBLFleece
import CBLReplication
import CBLReplicationTestSupport
import CBLStore
import CBLTestSupport
import CBLTransport
import Glibc
import Synchronization
import Testing

@testable import CBLListener

/// Databases of a test's own.
struct Databases {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    func create(_ name: String, vectors: Bool = false, _ count: Int = 0) throws -> Database {
        let database = try Database(
            path: "\(directory.path)/\(name).cblite2", options: .init(access: .create, upgrade: vectors ? .versionVectors : .none))
        try database.fill(count)
        return database
    }
}

extension Database {
    func fill(_ count: Int, in collection: CollectionName = .default, prefix: String = "doc") throws {
        try write { transaction in
            try transaction.createCollection(collection)
            for number in 0..<count {
                try transaction.save("\(prefix)-\(number)", in: collection, body: transaction.encode(json: #"{"n":\#(number)}"#))
            }
        }
    }

    @discardableResult
    func saveBlob(_ bytes: [UInt8], as id: String, in collection: CollectionName = .default) throws -> BlobDigest {
        let blob = try bytes.withUnsafeBytes { try blobs.write($0) }
        let json = #"{"file":{"@type":"blob","digest":"\#(blob.digest)","length":\#(blob.length),"content_type":"image/png"}}"#
        try write { try $0.save(id, in: collection, body: $0.encode(json: json)) }
        return blob.digest
    }
}

/// A listener and what it has told.
final class TestListener: Sendable {
    private final class Notes: Sendable { let events = Mutex<[ListenerEvent]>([]) }

    let listener: SyncListener
    private let notes: Notes

    convenience init(
        _ shares: [Share], on loop: EventLoop = EngineLoops.server, _ change: (inout ListenerSettings) -> Void = { _ in }
    ) throws { try self.init(ServedDatabases(shares), on: loop, change) }

    init(
        _ databases: ServedDatabases, on loop: EventLoop = EngineLoops.server, _ change: (inout ListenerSettings) -> Void = { _ in }
    ) throws {
        var settings = ListenerSettings()
        // How soon a test says something depends on what else the machine does. Tests of these limits have a clock of their own.
        settings.requestTimeout = Patience.duration
        settings.firstMessageTimeout = Patience.duration
        change(&settings)
        let notes = Notes()
        self.notes = notes
        listener = try SyncListener(databases, settings, on: loop) { event in notes.events.withLock { $0.append(event) } }
    }

    convenience init(
        _ database: Database, on loop: EventLoop = EngineLoops.server, _ change: (inout ListenerSettings) -> Void = { _ in }
    ) throws {
        try self.init([Share("db", database, collections: database.read { $0.collections() })], on: loop, change)
    }

    var events: [ListenerEvent] { notes.events.withLock { $0 } }
    var scheme: String { listener.settings.identity == nil ? "ws" : "wss" }
    func url(_ name: String = "db") throws -> PeerURL { try PeerURL("\(scheme)://127.0.0.1:\(listener.port)/\(name)") }

    func stop() async { await withCheckedContinuation { done in listener.stop { done.resume() } } }

    deinit { listener.stop {} }
}

/// Replicates with a listener, to the end. `onEvent` sees each event on the loop, and may stop it.
func sync(
    _ database: Database, _ url: PeerURL, push: ActiveSession.Mode = .once, pull: ActiveSession.Mode = .once,
    collections: [CollectionName] = [.default], _ change: (inout WebSocketClientSettings) -> Void = { _ in },
    onEvent: @escaping @Sendable (Replicator, ReplicatorEvent) -> Void = { _, _ in }
) async -> SyncOutcome {
    var server = ReplicatorSettings.server(url)
    server.connectTimeout = Patience.duration
    change(&server)
    var settings = ReplicatorSettings(.server(server), collections: collections.map { .init($0, push: push, pull: pull) })
    // A test wants to know at once.
    settings.retry = RetryPolicy(maxRetries: 0)
    return await synchronize(database, settings, onEvent: onEvent)
}
