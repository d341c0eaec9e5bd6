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
    enum Way { case socket, memory }

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
        let host = try way == .socket ? Host(passive) : nil
        let collection = ReplicatorSettings.Collection(push: isPush ? .once : .off, pull: isPush ? .off : .once)
        let peer: ReplicatorSettings.Peer = try host.map { .server(ReplicatorSettings.server(try $0.url)) } ?? .database(passive)
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
private struct Host {
    private let peer: PassivePeer
    private let server: HTTPServer
    private let loop = EventLoop()

    init(_ database: Database) throws {
        let peer = try PassivePeer(database, .init(), on: loop)
        var settings = HTTPServer.Settings()
        settings.address = "127.0.0.1"
        server = try HTTPServer(settings, on: loop) { request in
            request.http.path == ["db", "_blipsync"] ? .webSocket(protocols: peer.protocols) { _, _ in peer.accept() } : .refuse(.notFound)
        }
        self.peer = peer
    }

    var url: PeerURL { get throws { try PeerURL("ws://127.0.0.1:\(server.port)/db") } }

    func stop() {
        peer.stop()
        server.stop()
        loop.stop()
    }
}

struct Failure: Error, CustomStringConvertible {
    let text: String
    var description: String { text }
}
