import CBLTransport

/// A database on a server that speaks CouchDB's protocol.
package struct CouchPeer: Sendable {
    /// What it is called where others have the name of a WebSocket's protocol.
    package static let protocolName = "CouchDB"

    /// By what checkpoints and documents know it: its URL.
    package var id: String
    /// What it is called on the server.
    package var database: String
    /// Whom the server knows one as.
    package var user: String?
    /// How it is reached, if that is over the network.
    package var settings: WebServerSettings?
    /// Whether a push makes the database if it is not there.
    package var createsTarget = false
    /// Makes what asks the server. Requests that wait until something happens have one of their own.
    package var connect: @Sendable (EventLoop, Purpose) throws -> any RemoteServer

    package enum Purpose: Sendable {
        case calls
        case feed
    }

    package init(id: String, database: String, connect: @escaping @Sendable (EventLoop, Purpose) throws -> any RemoteServer) {
        self.id = id
        self.database = database
        self.connect = connect
    }

    /// One that is reached over the network.
    package init(_ settings: WebServerSettings) throws {
        self.init(id: settings.url.webDescription, database: try settings.place().database) { loop, purpose in
            var settings = settings
            // A server that has nothing to say is silent between two heartbeats.
            let silence = Duration.milliseconds(3 * ChangesRequest.heartbeat)
            if purpose == .feed, let patience = settings.client.idleTimeout { settings.client.idleTimeout = max(patience, silence) }
            return try WebServer(settings, on: loop)
        }
        user = settings.login.user
        self.settings = settings
    }
}
