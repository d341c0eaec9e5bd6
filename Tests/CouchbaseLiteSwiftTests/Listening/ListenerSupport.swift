import CBLBase
import Glibc
import Testing

@testable import CouchbaseLiteSwift

extension TemporaryDatabase {
    /// A listener for the default collection that has begun, at any port of this machine alone.
    func listen(_ change: (inout URLEndpointListenerConfiguration) -> Void = { _ in }) throws -> URLEndpointListener {
        // Where its identity is kept.
        _ = TestIdentities.directory
        var config = URLEndpointListenerConfiguration(collections: [collection])
        config.networkInterface = "127.0.0.1"
        change(&config)
        let listener = URLEndpointListener(config: config)
        try listener.start()
        return listener
    }

    func configuration(
        _ listener: URLEndpointListener, _ type: ReplicatorType = .pushAndPull, _ change: (inout ReplicatorConfiguration) -> Void = { _ in }
    ) throws -> ReplicatorConfiguration {
        let url = try #require(listener.urls?.first)
        var config = ReplicatorConfiguration(collections: [CollectionConfiguration(collection: collection)], target: URLEndpoint(url: url))
        config.replicatorType = type
        config.pinnedServerCertificate = listener.tlsIdentity?.certs.first
        config.maxAttempts = 1
        change(&config)
        return config
    }

    /// Replicates once, to the end, and gives what it ended with.
    func replicate(
        with listener: URLEndpointListener, _ type: ReplicatorType = .pushAndPull,
        _ change: (inout ReplicatorConfiguration) -> Void = { _ in }
    ) throws -> NSError? {
        let run = Run(try configuration(listener, type, change))
        run.replicator.start()
        return try run.end()
    }

    /// The code that a replication ends with; 0 if there is no error.
    func outcome(
        with listener: URLEndpointListener, _ type: ReplicatorType = .pushAndPull,
        _ change: (inout ReplicatorConfiguration) -> Void = { _ in }
    ) throws -> Int {
        try replicate(with: listener, type, change)?.code ?? 0
    }
}

/// A replicator and what it has told.
final class Run: Sendable {
    let replicator: Replicator
    let statuses = Told<Replicator.Status>()
    private let token: ListenerToken

    init(_ config: ReplicatorConfiguration) {
        let replicator = Replicator(config: config)
        let statuses = statuses
        self.replicator = replicator
        token = replicator.addChangeListener(withQueue: statuses.queue) { statuses.add($0.status) }
    }

    func isReached(_ activity: Replicator.ActivityLevel) -> Bool { statuses.wait { $0.contains { $0.activity == activity } } }

    func end() throws -> NSError? {
        try #require(isReached(.stopped), "it does not end")
        token.remove()
        return statuses.all.last?.error.map { $0 as NSError }
    }
}

/// A connection to a port of this machine for which there are no rules.
final class RawConnection {
    private let descriptor: Int32

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let connected = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
        }
        try #require(connected == 0)
    }

    deinit { close(descriptor) }

    func send(_ bytes: [UInt8]) { _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }

    /// What comes next.
    func receive() -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return Array(buffer.prefix(max(0, count)))
    }

    /// Everything that comes before the other side hangs up, or nothing comes any more.
    func answer() -> [UInt8] {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return all }
            all += buffer.prefix(count)
        }
    }
}
