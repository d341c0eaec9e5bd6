import Foundation

/// How a replicator proves to a server who it is. Types of the program cannot be authenticators.
public protocol Authenticator {
}

/// A name and a password. They are readable by all on the way unless the URL begins with `wss://`.
public struct BasicAuthenticator: Authenticator {
    /// Who it is.
    public let username: String
    /// As it is: it is never logged.
    public let password: String

    /// Nothing is checked here: what is wrong comes as `httpAuthRequired` when the replicator connects.
    public init(username: String, password: String) {
        self.username = username
        self.password = password
    }
}

/// A session that was begun with Sync Gateway before.
public struct SessionAuthenticator: Authenticator {
    static let defaultCookieName = "SyncGatewaySession"

    /// What the server has given out for the session.
    public let sessionID: String
    /// The cookie in which the session is sent.
    public let cookieName: String

    /// In the cookie that Sync Gateway has by default.
    public init(sessionID: String) { self.init(sessionID: sessionID, cookieName: nil) }

    /// Without a name the cookie is `SyncGatewaySession`.
    public init(sessionID: String, cookieName: String?) {
        self.sessionID = sessionID
        self.cookieName = cookieName ?? SessionAuthenticator.defaultCookieName
    }
}
