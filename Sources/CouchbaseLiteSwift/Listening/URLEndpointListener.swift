internal import CBLListener
internal import CBLReplication
internal import CBLTransport
import Foundation
import Synchronization

/// Lets others replicate with collections of a database, over WebSocket.
///
///     let listener = URLEndpointListener(config: URLEndpointListenerConfiguration(collections: [collection]))
///     try listener.start()
///     print(listener.urls ?? [])
///
/// While it runs, the database keeps it alive, and stops it when it is closed. It can be started again.
public class URLEndpointListener: @unchecked Sendable {
    // Sendable: what changes is guarded by the locks.

    /// Who is connected at one moment.
    public struct ConnectionStatus: Sendable {
        /// How many replicators are connected.
        public let connectionCount: UInt64
        /// How many of them have something to do.
        public let activeConnectionCount: UInt64
    }

    private struct Running: Sendable {
        let listener: SyncListener
        let identity: TLSIdentity?
        let loop: EventLoop

        /// How long clients may say nothing that are to say farewell.
        private static let patience = Duration.milliseconds(500)

        func end() {
            let done = DispatchSemaphore(value: 0)
            listener.stop(droppingSilentAfter: Running.patience) { done.signal() }
            done.wait()
            loop.stop()
        }
    }

    /// As it was given; later changes of the caller's copy do not reach it.
    public let config: URLEndpointListenerConfiguration
    private let running = Mutex<Running?>(nil)
    /// One starts or stops at a time.
    private let control = NSLock()

    /// Nothing is opened yet: what is wrong with the configuration is told by `start()`.
    public init(config: URLEndpointListenerConfiguration) { self.config = config }

    // MARK: What it is

    private var current: Running? { running.withLock { $0 } }

    /// At which port it listens; nil if it does not.
    public var port: UInt16? { current?.listener.port }

    /// What it shows to clients; nil if it does not listen, or without TLS.
    public var tlsIdentity: TLSIdentity? { current?.identity }

    /// Where others on the network find the database: one URL for each address of this machine, or for the one that is listened at. Nil if it does
    /// not listen.
    public var urls: [URL]? {
        guard let port else { return nil }
        let hosts = config.networkInterface.map { [NetworkAddresses.address(ofInterface: $0) ?? $0] } ?? URLEndpointListener.hosts
        return hosts.compactMap { host in
            let bracketed = host.contains(":") ? "[\(host)]" : host
            return URL(string: "\(config.disableTLS ? "ws" : "wss")://\(bracketed):\(port)\(share.path)")
        }
    }

    private static var hosts: [String] {
        let addresses = NetworkAddresses.ofThisMachine()
        return addresses.isEmpty ? ["127.0.0.1"] : addresses
    }

    /// Who is connected; nobody if it does not listen.
    public var status: ConnectionStatus {
        let listener = current?.listener
        return ConnectionStatus(
            connectionCount: UInt64(listener?.connectionCount ?? 0), activeConnectionCount: UInt64(listener?.busyConnectionCount ?? 0))
    }

    // MARK: Start and stop

    /// Begins to listen; when it returns, others can connect. If it listens already, nothing happens. A port that another program has is an error of
    /// the system (`EADDRINUSE`).
    public func start() throws {
        try control.withLock {
            guard current == nil else { return }
            let database = config.database
            _ = try database.openCore()
            for collection in config.collections { _ = try collection.read { _ in } }
            let started = try makeListener()
            running.withLock { $0 = started }
            guard database.services.add(self) else {
                running.withLock { $0 = nil }
                started.end()
                throw libraryError(CBLError.notOpen, "The database \"\(database.name)\" is being closed.")
            }
            CouchbaseLiteSwift.log(.listener, .info, "Listening for replicators of \"\(database.name)\" at port \(started.listener.port)")
        }
    }

    private func makeListener() throws -> Running {
        let identity = config.disableTLS ? nil : try config.tlsIdentity ?? AnonymousIdentity.find()
        let settings = try settings(identity)
        // One of its own: what the program decides for one client must not keep replicators of this program waiting.
        let loop = EventLoop()
        do {
            let listener = try SyncListener([share], settings, on: loop) { URLEndpointListener.log($0) }
            return Running(listener: listener, identity: identity, loop: loop)
        } catch {
            loop.stop()
            throw (error as? TransportError).map { SyncError($0).libraryError } ?? translated(error)
        }
    }

    /// Says farewell to those who are connected, and waits until they are gone. If it does not listen, nothing happens.
    public func stop() {
        control.withLock {
            let ended = running.withLock { running in
                defer { running = nil }
                return running
            }
            guard let ended else { return }
            ended.end()
            config.database.services.remove(self)
            CouchbaseLiteSwift.log(.listener, .info, "No more listening for replicators of \"\(config.database.name)\"")
        }
    }

    /// Deletes the identity that is made for listeners without one.
    static func deleteAnonymousIdentities() throws { try AnonymousIdentity.delete() }

    private static func log(_ event: ListenerEvent) {
        switch event {
        case .connected(let client): CouchbaseLiteSwift.log(.listener, .info, "\(client.description) has connected")
        case .ended(let client, _, let failure):
            let reason = failure.map { ": \($0.error)" } ?? ""
            CouchbaseLiteSwift.log(.listener, .info, "\(client.description) has left\(reason)")
        case .document, .answered: break
        case .refused(let address, let reason): CouchbaseLiteSwift.log(.listener, .warning, "\(address) was not let in: \(reason)")
        }
    }
}

extension URLEndpointListener: DatabaseService {
    package func stopForClosing() { stop() }
}

// What the core needs to know.
extension URLEndpointListener {
    private var share: Share {
        let database = config.database
        var share = Share(
            database.name, database.core, collections: config.collections.map(\.coreName), access: config.readOnly ? .readOnly : .readWrite)
        share.allowsDeltas = config.enableDeltaSync
        return share
    }

    private func settings(_ identity: TLSIdentity?) throws -> ListenerSettings {
        var settings = ListenerSettings()
        settings.address = config.networkInterface
        settings.port = config.port ?? URLEndpointListenerConfiguration.defaultPort
        settings.identity = identity?.core
        switch config.authenticator {
        case nil: break
        case let password as ListenerPasswordAuthenticator:
            let isRight = password.isRight
            settings.passwordCheck = { credentials, answer in
                URLEndpointListener.callbacks.async { answer(isRight.value(credentials.user, credentials.password)) }
            }
        case let certificate as ListenerCertificateAuthenticator:
            guard identity != nil else {
                throw libraryError(CBLError.invalidParameter, "Without TLS there are no certificates that a listener could ask for.")
            }
            switch certificate.judge {
            case .roots(let roots): settings.clientCertificates = roots.map(\.core)
            case .program(let isRight):
                settings.certificateCheck = { chain, answer in
                    URLEndpointListener.callbacks.async { answer(isRight.value(chain.map { SecCertificate($0) })) }
                }
            }
        case let other?: programmerError(.invalidArgument, "\(type(of: other)) is no authenticator of this library.")
        }
        return settings
    }

    private static let callbacks = DispatchQueue(label: "CouchbaseLiteSwift.URLEndpointListener", attributes: .concurrent)
}
