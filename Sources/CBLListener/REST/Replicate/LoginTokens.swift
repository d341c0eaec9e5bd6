import CBLBase
import CBLReplication
import CBLTransport
import Synchronization

/// What apps have got of others who know their users, for replications that are started later: `_facebook_token` and `_persona_assertion`. It is
/// forgotten with the process.
final class LoginTokens: Sendable {
    enum Token: Sendable {
        case facebook(String)
        case persona(PersonaAssertion)

        fileprivate var kind: Kind {
            switch self {
            case .facebook: .facebook
            case .persona: .persona
            }
        }
    }

    enum Kind: Hashable, Sendable { case facebook, persona }

    private struct Key: Hashable {
        let kind: Kind
        let email: String
        /// Of the server for which it is.
        let host: String
        let port: UInt16
        let isSecure: Bool

        init(_ kind: Kind, _ email: String, _ url: PeerURL) {
            self.kind = kind
            self.email = email
            (host, port, isSecure) = (url.host, url.port, url.isSecure)
        }
    }

    private static let most = 1000
    private let tokens = Mutex<[Key: Token]>([:])

    func register(_ token: Token, of email: String, for url: PeerURL) throws {
        let key = Key(token.kind, email, url)
        try tokens.withLock { tokens in
            guard tokens[key] != nil || tokens.count < LoginTokens.most else {
                throw RESTError(503, "Service Unavailable", "too many tokens are registered already")
            }
            tokens[key] = token
        }
    }

    /// How somebody signs in at a server; nil if nothing was registered for that, or it is over.
    func login(_ kind: Kind, of email: String, for url: PeerURL) -> ServerLogin? {
        switch tokens.withLock({ $0[Key(kind, email, url)] }) {
        case .facebook(let token)?: .session(.facebook(token))
        case .persona(let assertion)? where assertion.isValid(for: url, at: WallClock.milliseconds): .session(.persona(assertion))
        default: nil
        }
    }

    // Requests

    static func postFacebook(_ call: RESTCall) throws {
        try check(call)
        try call.object().withRoot { root in
            func member(_ name: String) -> String? { root.dictionary?.value(forKey: name, nil)?.string }
            guard let email = member("email"), let remote = member("remote_url"), let token = member("access_token"),
                let url = try? PeerURL(remote)
            else { throw RESTError.badRequest("there are email, remote_url and access_token") }
            try call.service.loginTokens.register(.facebook(token), of: email, for: url)
            try answer(call, email)
        }
    }

    static func postPersona(_ call: RESTCall) throws {
        try check(call)
        try call.object().withRoot { root in
            guard let text = root.dictionary?.value(forKey: "assertion", nil)?.string, let assertion = PersonaAssertion(text),
                let url = try? PeerURL(assertion.origin)
            else { throw RESTError.badRequest("invalid assertion") }
            try call.service.loginTokens.register(.persona(assertion), of: assertion.email, for: url)
            try answer(call, assertion.email)
        }
    }

    private static func check(_ call: RESTCall) throws(RESTError) {
        guard call.visitor.mayReplicate else { throw .forbidden("what replications sign in with comes from those who may start some") }
    }

    private static func answer(_ call: RESTCall, _ email: String) throws {
        try call.answer { object in
            object.add("ok", "registered")
            object.add("email", email)
        }
    }
}
