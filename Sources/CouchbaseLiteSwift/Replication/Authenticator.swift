import Foundation

/// How a replicator proves to a server who it is. Types of the program cannot be authenticators.
public protocol Authenticator {
}

/// A name and a password. They are readable by all on the way unless the URL begins with `wss://`.
public struct BasicAuthenticator: Authenticator {
    public let username: String
    public let password: String

    public init(username: String, password: String) {
        self.username = username
        self.password = password
    }
}

/// A session that was begun with Sync Gateway before.
public struct SessionAuthenticator: Authenticator {
    static let defaultCookieName = "SyncGatewaySession"

    public let sessionID: String
    /// The cookie in which the session is sent.
    public let cookieName: String

    public init(sessionID: String) { self.init(sessionID: sessionID, cookieName: nil) }

    /// Without a name the cookie is `SyncGatewaySession`.
    public init(sessionID: String, cookieName: String?) {
        self.sessionID = sessionID
        self.cookieName = cookieName ?? SessionAuthenticator.defaultCookieName
    }
}
