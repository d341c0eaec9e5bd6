import CBLBase
import CBLFleece
import CBLReplication
import CBLReplicationTestSupport
import CBLStore
import CBLTestSupport
import CBLTransport
import Synchronization
import Testing

@testable import CBLListener

/// Our own REST API as a replicator's server, without a network in between.
final class ServedRemote: RemoteServer {
    let mostRequests: Int
    private let service: RESTService
    private let state = Mutex((requests: [String](), interruptions: 0))
    private let bell = WaitCondition()
    /// Asked before each request: an answer in the place of the service's, or an error in the place of any.
    private let fault: @Sendable (RemoteRequest) throws -> RemoteAnswer?

    init(_ service: RESTService, mostRequests: Int = 1, fault: @escaping @Sendable (RemoteRequest) throws -> RemoteAnswer? = { _ in nil }) {
        self.service = service
        self.mostRequests = mostRequests
        self.fault = fault
    }

    var requests: [String] { state.withLock { $0.requests } }

    func interrupt() {
        state.withLock { $0.interruptions += 1 }
        bell.locked { bell.signal() }
    }

    func send(_ request: RemoteRequest) throws -> RemoteAnswer {
        let begun = state.withLock { state in
            state.requests.append("\(request.method) \(request.path.dropFirst().joined(separator: "/"))")
            return state.interruptions
        }
        if let answer = try fault(request) { return answer }
        let local = HTTPRequest(request.method, path: request.path, query: request.query, headers: request.allHeaders)
        let exchange = LocalExchange(local, body: try ServedRemote.body(request.body))
        if let feed = service.respond(to: exchange) {
            defer { feed.stop() }
            try follow(feed, exchange, begun)
        }
        return RemoteAnswer(exchange.answer)
    }

    private static func body(_ body: RemoteRequest.Body) throws -> [UInt8] {
        switch body {
        case .none: return []
        case .json(let bytes): return bytes
        case .product(let product, _):
            var bytes: [UInt8] = []
            var space = [UInt8](repeating: 0, count: 1000)
            while case let count = try space.withUnsafeMutableBytes({ try product.next($0) }), count > 0 { bytes += space[..<count] }
            #expect(product.length == nil || product.length == bytes.count)
            return bytes
        }
    }

    private func follow(_ feed: any HTTPFeed, _ exchange: LocalExchange, _ begun: Int) throws {
        feed.start { [bell] in bell.locked { bell.signal() } }
        while case .waiting = try feed.proceed(exchange) {
            // Looked at anew now and then, so that nothing depends on when it was woken.
            let end = Deadline(after: .milliseconds(20))
            bell.locked { _ = bell.wait(until: end) }
            guard state.withLock({ $0.interruptions }) == begun else { throw TransportError(.posix(103), "interrupted") }
        }
    }
}

extension RemoteAnswer {
    convenience init(_ answer: LocalExchange.Answer) { self.init(answer.status, answer.headers, answer.body) }

    convenience init(_ status: Int, _ headers: HTTPHeaders = [:], _ body: [UInt8]) {
        var position = 0
        self.init(status, headers) { space in
            let count = min(space.count, body.count - position)
            body.withUnsafeBytes { space.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[position..<position + count])) }
            position += count
            return count
        }
    }
}

/// A database of its own beside a server of the REST API, and replications between the two.
final class CouchPair {
    let server: RESTServer
    let database: Database
    private let directory: TemporaryDirectory
    let remote: ServedRemote

    init(
        _ server: RESTServer? = nil, upgrade: Database.Options.Upgrade = .none,
        fault: @escaping @Sendable (RemoteRequest) throws -> RemoteAnswer? = { _ in nil }
    ) throws {
        self.server = try server ?? RESTServer.withDatabase()
        directory = try TemporaryDirectory(inMemory: true)
        database = try Database(path: directory.path + "/own.cblite2", options: .init(access: .create, upgrade: upgrade))
        remote = ServedRemote(self.server.service, mostRequests: 4, fault: fault)
    }

    deinit { database.close() }

    var peer: CouchPeer { CouchPeer(id: "http://server.test/db", database: "db") { [remote] _, _ in remote } }

    /// Replicates once, to the end.
    @discardableResult
    func replicate(
        push: Bool = false, pull: Bool = false, _ change: (inout ReplicatorSettings) -> Void = { _ in }
    ) async throws -> SyncOutcome {
        var collection = ReplicatorSettings.Collection(push: push ? .once : .off, pull: pull ? .once : .off)
        collection.keepsConflicts = true
        var settings = ReplicatorSettings(.couch(peer), collections: [collection])
        settings.retry = RetryPolicy(maxRetries: 0)
        change(&settings)
        return await synchronize(database, settings)
    }

    /// What the REST API of the own database says of a document, as if it were a server's.
    func own(_ target: String) throws -> RESTAnswer {
        let service = RESTService(ServedDatabases([Share("own", database, access: .readWrite)]))
        let exchange = LocalExchange(try #require(HTTPRequest("GET", target: "/own" + target)))
        _ = service.respond(to: exchange)
        return RESTAnswer(exchange.answer)
    }
}

extension Transaction {
    func save(_ id: String, in collection: CollectionName = .default, json: String) throws {
        encoder.reset()
        try JSONParser.parse(json, into: encoder)
        try save(id, in: collection, body: encoder.finish())
    }
}
