import CBLReplication
import CBLStore
import CBLTestSupport
import CBLTransport
import Testing

/// A database that is listened for at a port of this machine, in the tests' own process, with whatever a client may have to show.
final class SyncServer {
    let path: String
    let database: Database
    private let peer: PassivePeer
    private let server: HTTPServer
    private let loop = EventLoop()
    /// What clients have to be told of the server, to trust it.
    let identity: TLSIdentity?

    /// `name` and `password` are asked for if they are given.
    init(
        _ scratch: Scratch, user: String? = nil, password: String = "", isSecure: Bool = false, collections: [CollectionName] = [.default],
        clients: HTTPServer.ClientCertificates = .notAsked
    ) throws {
        path = scratch.directory.path + "/server.cblite2"
        database = try Database(path: path, options: .init(access: .create))
        try database.write { for name in collections { try $0.createCollection(name) } }
        peer = try PassivePeer(database, .init(collections: collections), on: loop)
        identity = isSecure ? try TLSIdentity.make(.server, hosts: ["localhost", "127.0.0.1"], from: 0, to: 4_000_000_000) : nil
        var settings = HTTPServer.Settings()
        settings.address = "127.0.0.1"
        settings.identity = identity
        settings.clientCertificates = clients
        if let user { settings.authenticate = { $0.matches(Credentials(user: user, password: password)) } }
        server = try HTTPServer(settings, on: loop) { [peer] request in
            guard request.http.path == ["db", "_blipsync"] else { return .refuse(.notFound) }
            return .webSocket(protocols: peer.protocols) { _, _ in peer.accept() }
        }
    }

    var port: UInt16 { server.port }
    var url: String { url() }
    func url(_ user: String = "") -> String { "\(identity == nil ? "ws" : "wss")://\(user)127.0.0.1:\(server.port)/db" }

    /// How many clients are connected.
    var connections: Int { server.connectionCount }

    func put(_ id: String, _ json: String, in collection: CollectionName = .default) throws {
        try database.write { try $0.save(id, in: collection, body: $0.encode(json: json)) }
    }

    /// The IDs of the live documents, and what they say.
    func documents(in collection: CollectionName = .default) throws -> [String: String] {
        try database.read { snapshot in
            let cursor = try snapshot.scan(collection, ScanOptions(content: .everything))
            var found: [String: String] = [:]
            while let document = try cursor.next(reading: { $0 }) {
                found[document.id] = document.body.withRoot { $0.json(keys: snapshot.sharedKeys, style: .canonical) }
            }
            return found
        }
    }

    deinit {
        peer.stop()
        server.stop()
        loop.stop()
    }
}

extension Scratch {
    /// Runs a command that fails before anything is sent. Cheaper than to look whether all documents are as they were.
    func expectRefusal(_ words: [String], exitCode: Int32 = 1, _ message: String, sourceLocation: SourceLocation = #_sourceLocation) throws
    {
        let result = try run(words)
        #expect(result.exitCode == exitCode, "\(words): \(result.errors)", sourceLocation: sourceLocation)
        #expect(result.errors.contains(message), "\(words)", sourceLocation: sourceLocation)
    }
}
