import Foundation

/// A database of a server that speaks CouchDB's protocol: what the module for 1.x makes an endpoint of.
package struct RESTTarget: Sendable {
    package var url: URL
    /// A filter of the server, for what is pulled.
    package var filter: String?
    package var filterParameters: [String: String]
    package var createsDatabase: Bool
    /// Whether a name and a password are sent once, for a cookie.
    package var signsIn: Bool

    package init(url: URL, filter: String?, filterParameters: [String: String], createsDatabase: Bool, signsIn: Bool) {
        self.url = url
        self.filter = filter
        self.filterParameters = filterParameters
        self.createsDatabase = createsDatabase
        self.signsIn = signsIn
    }
}

package protocol RESTTargeting: Endpoint {
    var restTarget: RESTTarget { get }
}

/// How the authenticators of the module for 1.x have a replicator let in.
package enum ServerSignIn: Sendable {
    case oauth(consumerKey: String, consumerSecret: String, token: String, tokenSecret: String, isPlain: Bool)
    /// `POST path` with these members, for a cookie.
    case token(path: String, members: [String: String], user: String?)
    case openID(OpenIDSignIn)
}

/// A sign-in with OpenID Connect, in types of everybody.
package struct OpenIDSignIn: Sendable {
    package struct Tokens: Sendable, Hashable {
        package var idToken: String
        package var refreshToken: String?
        package var user: String?

        package init(idToken: String, refreshToken: String?, user: String?) {
            self.idToken = idToken
            self.refreshToken = refreshToken
            self.user = user
        }
    }

    package var provider: String?
    package var load: @Sendable () throws -> Tokens?
    package var save: @Sendable (Tokens?) throws -> Void
    /// From the provider's page, and how the URL begins to which it leads at last, to that URL.
    package var open: @Sendable (_ page: URL, _ redirect: String, _ isGivenUp: @escaping @Sendable () -> Bool) throws -> URL

    package init(
        provider: String?, load: @escaping @Sendable () throws -> Tokens?, save: @escaping @Sendable (Tokens?) throws -> Void,
        open: @escaping @Sendable (URL, String, @escaping @Sendable () -> Bool) throws -> URL
    ) {
        self.provider = provider
        self.load = load
        self.save = save
        self.open = open
    }
}

package protocol SigningIn: Authenticator {
    var signIn: ServerSignIn { get }
}
