internal import CBLReplication
internal import CBLTransport
import Foundation

extension ServerSignIn {
    /// The same for the core.
    func login() throws(SyncError) -> ServerLogin {
        switch self {
        case .oauth(let consumerKey, let consumerSecret, let token, let tokenSecret, let isPlain):
            return .signatures(
                OAuthKeys(
                    consumerKey: consumerKey, consumerSecret: consumerSecret, token: token, tokenSecret: tokenSecret,
                    method: isPlain ? .plain : .hmac))
        case .token("_persona", let members, _):
            guard let assertion = members["assertion"].flatMap({ PersonaAssertion($0) }) else {
                throw SyncError.http(401, "what was given is no assertion of Persona")
            }
            return .session(.persona(assertion))
        case .token(let path, let members, let user):
            let sorted = members.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
            return .session(SessionLogin(path: path, members: sorted, user: user, title: user ?? "the owner of the token"))
        case .openID(let signIn):
            return .openID(
                OpenIDLogin(provider: signIn.provider, store: OpenIDStore(signIn: signIn)) { page in
                    guard let url = URL(string: page.url) else { throw SyncError.http(502, "the server names a page that is none") }
                    return try signIn.open(url, page.redirect, page.isGivenUp).absoluteString
                })
        }
    }
}

private struct OpenIDStore: OpenIDTokenStore {
    let signIn: OpenIDSignIn

    func load() throws -> OpenIDTokens? {
        try signIn.load().map { OpenIDTokens(idToken: $0.idToken, refreshToken: $0.refreshToken, user: $0.user) }
    }

    func save(_ tokens: OpenIDTokens?) throws {
        try signIn.save(
            tokens.map { OpenIDSignIn.Tokens(idToken: $0.idToken, refreshToken: $0.refreshToken, user: $0.user) })
    }
}
