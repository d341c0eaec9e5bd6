import BLIP
import DocumentStore
import Fleece
import Glibc
import Replication
import Synchronization
import TestSupport
import Testing
import Transport

@testable import Listener

/// Loops of the tests: their threads are few, however many tests run at the same time.
enum Loops {
    static let client = EventLoop()
    static let server = EventLoop()
}

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

    /// Revision, deletion and properties of all documents.
    func content(of collection: CollectionName = .default) throws -> [String: String] {
        try read { snapshot in
            var options = ScanOptions(content: .everything)
            options.includesDeleted = true
            let cursor = try snapshot.scan(collection, options)
            var content: [String: String] = [:]
            while let document = try cursor.nextDocument() {
                let json = document.body.withRoot { $0.json(keys: snapshot.sharedKeys, style: .canonical) }
                content[document.id] = "\(snapshot.global(document.revision)) \(document.isDeleted) \(json)"
            }
            return content
        }
    }
}

/// A listener and what it has told.
final class TestListener: Sendable {
    private final class Notes: Sendable { let events = Mutex<[ListenerEvent]>([]) }

    let listener: SyncListener
    private let notes: Notes

    init(_ shares: [Share], on loop: EventLoop = Loops.server, _ change: (inout ListenerSettings) -> Void = { _ in }) throws {
        var settings = ListenerSettings()
        change(&settings)
        let notes = Notes()
        self.notes = notes
        listener = try SyncListener(shares, settings, on: loop) { event in notes.events.withLock { $0.append(event) } }
    }

    convenience init(
        _ database: Database, on loop: EventLoop = Loops.server, _ change: (inout ListenerSettings) -> Void = { _ in }
    ) throws {
        try self.init([Share("db", database, collections: database.read { $0.collections() })], on: loop, change)
    }

    var events: [ListenerEvent] { notes.events.withLock { $0 } }
    var scheme: String { listener.settings.identity == nil ? "ws" : "wss" }
    func url(_ name: String = "db") throws -> PeerURL { try PeerURL("\(scheme)://127.0.0.1:\(listener.port)/\(name)") }

    func stop() async { await withCheckedContinuation { done in listener.stop { done.resume() } } }

    deinit { listener.stop {} }
}

/// What came of a replicator.
struct SyncOutcome: Sendable {
    var failure: SyncFailure?
    var pushed: [String] = []
    var pulled: [String] = []
    var errors: [DocumentEvent] = []

    mutating func take(_ event: ReplicatorEvent) {
        switch event {
        case .document(let event, _):
            if event.error != nil {
                errors.append(event)
            } else if event.direction == .push {
                pushed.append(event.documentID)
            } else {
                pulled.append(event.documentID)
            }
        case .ended(let failure): self.failure = failure
        case .status, .connected, .waiting: break
        }
    }

    /// Nothing went wrong, and so many documents went each way.
    func isFine(pushed: Int? = nil, pulled: Int? = nil) -> Bool {
        failure == nil && errors.isEmpty && (pushed ?? self.pushed.count) == self.pushed.count
            && (pulled ?? self.pulled.count) == self.pulled.count
    }
}

/// Replicates with a listener, to the end. `onEvent` sees each event on the loop, and may stop it.
func sync(
    _ database: Database, _ url: PeerURL, push: ActiveSession.Mode = .once, pull: ActiveSession.Mode = .once,
    collections: [CollectionName] = [.default], _ change: (inout WebSocketClientSettings) -> Void = { _ in },
    onEvent: @escaping @Sendable (Replicator, ReplicatorEvent) -> Void = { _, _ in }
) async -> SyncOutcome {
    var server = ReplicatorSettings.server(url)
    change(&server)
    var settings = ReplicatorSettings(.server(server), collections: collections.map { .init($0, push: push, pull: pull) })
    // A test wants to know at once.
    settings.retry = RetryPolicy(maxRetries: 0)
    let (stream, continuation) = AsyncStream<ReplicatorEvent>.makeStream()
    let box = Mutex<Replicator?>(nil)
    let replicator = Replicator(database, settings, on: Loops.client) { event in
        if let replicator = box.withLock({ $0 }) { onEvent(replicator, event) }
        continuation.yield(event)
        if case .ended = event { continuation.finish() }
    }
    box.withLock { $0 = replicator }
    replicator.start()
    var outcome = SyncOutcome()
    for await event in stream { outcome.take(event) }
    box.withLock { $0 = nil }
    return outcome
}
