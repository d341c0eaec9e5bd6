internal import CBLReplication
import Foundation

/// What a replicator connects to: a `URLEndpoint`, a `DatabaseEndpoint` or a `MessageEndpoint`. Types of the program cannot be endpoints.
public protocol Endpoint {
}

/// A database of a server, such as Sync Gateway or a `URLEndpointListener`.
public struct URLEndpoint: Endpoint {
    /// `wss://host:4984/database`, or `ws://` without TLS.
    public let url: URL

    /// The URL must begin with `ws://` or `wss://`, and have neither user nor password: those belong in an authenticator.
    public init(url: URL) {
        programmerErrorUnless(
            ["ws", "wss"].contains(url.scheme?.lowercased()), .invalidArgument,
            "The URL of an endpoint begins with ws:// or wss://, and this one with \"\(url.scheme ?? "")\".")
        programmerErrorUnless(
            url.user == nil && url.password == nil, .invalidArgument,
            "The URL of an endpoint has no user and no password: give a BasicAuthenticator.")
        self.url = url
    }
}

/// Another database that is open in this process.
public struct DatabaseEndpoint: Endpoint {
    /// The other side. It must stay open while the replicator runs.
    public let database: Database

    /// Collections of both sides belong together if their scopes and names are equal.
    public init(database: Database) { self.database = database }
}

/// An endpoint that is reached over something that the program provides.
protocol TransportEndpoint: Endpoint {
    /// By what the peer is known in checkpoints: the same each time.
    var peerID: String { get }
    func makeTransport() -> any PeerTransport
}
