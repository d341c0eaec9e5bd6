import CBLListener
import CBLReplication
import CBLStore
import CBLTransport
import Synchronization

/// One line of the table: what is replicated, and which way.
struct Workload {
    struct Size {
        var documents = 50_000
        var blobs = 64
        var blobBytes = 8 << 20
    }

    enum Content { case documents, blobs }
    /// By WebSocket, in memory, or in the protocol of CouchDB.
    enum Way { case socket, memory, http }

    let name: String
    let content: Content
    let isPush: Bool
    let way: Way

    static let all = [
        Workload(name: "push", content: .documents, isPush: true, way: .socket),
        Workload(name: "pull", content: .documents, isPush: false, way: .socket),
        Workload(name: "push in memory", content: .documents, isPush: true, way: .memory),
        Workload(name: "pull in memory", content: .documents, isPush: false, way: .memory),
        Workload(name: "push blobs", content: .blobs, isPush: true, way: .socket),
        Workload(name: "pull blobs", content: .blobs, isPush: false, way: .socket),
        Workload(name: "push http", content: .documents, isPush: true, way: .http),
        Workload(name: "pull http", content: .documents, isPush: false, way: .http),
        Workload(name: "push blobs http", content: .blobs, isPush: true, way: .http),
        Workload(name: "pull blobs http", content: .blobs, isPush: false, way: .http),
    ]

    func documents(_ size: Size) -> Int { content == .documents ? size.documents : size.blobs }

    /// Of JSON, or of blobs.
    func bytes(_ size: Size) -> Int {
        content == .documents ? (0..<size.documents).reduce(0) { $0 + Corpus.json($1).utf8.count } : size.blobs * size.blobBytes
    }

    func run(in folder: String, _ size: Size) async throws -> Measurement {
        let source: Database
        switch content {
        case .documents: source = try Corpus.documents(size.documents, in: folder + "/source.cblite2")
        case .blobs: source = try Corpus.blobs(size.blobs, bytes: size.blobBytes, in: folder + "/source.cblite2")
        }
        let target = try Corpus.empty(folder + "/target.cblite2")
        let (active, passive) = isPush ? (source, target) : (target, source)
        let loop = EventLoop()
        let host = try way == .memory ? nil : Host(passive)
        let collection = ReplicatorSettings.Collection(push: isPush ? .once : .off, pull: isPush ? .off : .once)
        let peer: ReplicatorSettings.Peer =
            switch (host, way) {
            case (let host?, .http): .couch(try CouchPeer(WebServerSettings(try host.url)))
            case (let host?, _): .server(ReplicatorSettings.server(try host.url))
            case (nil, _): .database(passive)
            }
        let settings = ReplicatorSettings(peer, collections: [collection])
        let measured = try await Measurement { try await Workload.replicate(active, settings, on: loop) }
        host?.stop()
        loop.stop()
        let count = try target.read { try $0.lastSequence(of: .default) }
        guard count == UInt64(documents(size)) else { throw Failure(text: "\(name): \(count) documents arrived") }
        return measured
    }

    private static func replicate(_ database: Database, _ settings: ReplicatorSettings, on loop: EventLoop) async throws {
        let failure: SyncFailure? = await withCheckedContinuation { continuation in
            let ending = Mutex<CheckedContinuation<SyncFailure?, Never>?>(continuation)
            let replicator = Replicator(database, settings, on: loop) { event in
                guard case .ended(let failure) = event else { return }
                ending.withLock { ending in
                    ending?.resume(returning: failure)
                    ending = nil
                }
            }
            replicator.start()
        }
        if let failure { throw failure }
    }
}

/// A database that is listened for at a port of this machine.
struct Host {
    private let listener: SyncListener
    private let loop = EventLoop()

    init(_ database: Database) throws {
        var settings = ListenerSettings()
        settings.rest = RESTService.Settings()
        listener = try SyncListener(ServedDatabases([Share("db", database, collections: [.default])]), settings, on: loop) { _ in }
    }

    var url: PeerURL { get throws { try PeerURL("ws://127.0.0.1:\(listener.port)/db") } }

    func stop() { listener.stop { [loop] in loop.stop() } }
}

struct Failure: Error, CustomStringConvertible {
    let text: String
    var description: String { text }
}
