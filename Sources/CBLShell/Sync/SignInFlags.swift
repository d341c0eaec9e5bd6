import CBLFleece
import CBLReplication
import CBLTransport
import Glibc

/// The flags by which one is let in with something else than a name and a password. Secrets are in files: everybody sees a command line.
struct SignInFlags {
    let invocation: Invocation

    static let all: [Flag] = [
        Flag("login", "Send the name and the password once, for a cookie"),
        Flag("oidc", "Sign in with OpenID Connect at the page of the server's provider, in $BROWSER or any other one"),
        Flag("oidc-provider", value: "NAME", .text, "Which provider of the server's; without it the usual one"),
        Flag("id-token", value: ":@FILE", .text, "Log in with this token of a provider of OpenID Connect"),
        Flag(
            "login-token", value: "KIND:@FILE", .text,
            "Log in with a token of another service's: facebook, google or persona"),
        Flag(
            "oauth", value: ":@FILE", .text,
            "Sign each request, as OAuth 1.0a has it; the file has consumer_key, consumer_secret, token and token_secret as JSON"),
        Flag("keep-password", "Have the keyring of this session keep the password of --user, once the server has accepted it"),
        Flag("remember", value: "FILE", .file, "Keep cookies and tokens in this file, for yourself alone, and begin with those in it"),
    ]

    /// Nil if none of them is there.
    func login(at url: PeerURL, _ remembered: RememberedSignIn?) throws -> ServerLogin? {
        let names = ["oidc", "id-token", "login-token", "oauth"].filter { invocation.flag($0) }
        if invocation.flag("oidc-provider"), !invocation.flag("oidc") {
            throw invocation.usageError("--oidc-provider is for --oidc")
        }
        guard let name = names.first else { return nil }
        let others = names.dropFirst() + ["user", "token", "login", "keep-password"].filter { invocation.flag($0) }
        if let other = others.first { throw invocation.usageError("--\(name) and --\(other) are two ways to log in: choose one") }
        switch name {
        case "oidc": return .openID(openID(remembered?.tokens(of: url)))
        case "id-token": return .openID(OpenIDLogin(idToken: try token(invocation.string(name) ?? "", of: name)))
        case "login-token": return try .session(foreign(invocation.string(name) ?? ""))
        default: return try .signatures(keys(invocation.string(name) ?? ""))
        }
    }

    private func openID(_ store: (any OpenIDTokenStore)?) -> OpenIDLogin {
        // Only while the command begins there is somebody to be asked.
        let caller = SessionOfThread(session: invocation.session)
        return OpenIDLogin(provider: invocation.string("oidc-provider"), store: store ?? ForgottenTokens()) { page in
            guard let session = caller.session else {
                throw SyncError.http(401, "the sign-in is over: sign in again, with --oidc")
            }
            return try OpenIDPage(page: page, session: session).place()
        }
    }

    private func secret(_ text: String, of flag: String) throws -> [UInt8] {
        guard text.hasPrefix(":@"), text.utf8.count > 2 else { throw invocation.usageError("--\(flag) needs :@ and the name of a file") }
        return try SecretFile.read(String(text.dropFirst(2)), warningIn: invocation.session)
    }

    private func token(_ text: String, of flag: String) throws -> String {
        let bytes = try secret(text, of: flag)
        let token = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }, as: UTF8.self)
        guard !token.isEmpty, HTTPHeaders.isWritable(name: "Authorization", value: token) else {
            throw invocation.usageError("--\(flag): the first line of the file is no token")
        }
        return token
    }

    private func foreign(_ text: String) throws -> SessionLogin {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else { throw invocation.usageError("--login-token needs KIND:@FILE, with facebook, google or persona") }
        let token = try token(":" + parts[1], of: "login-token")
        switch parts[0] {
        case "facebook": return .facebook(token)
        case "google": return .google(token)
        case "persona":
            guard let assertion = PersonaAssertion(token) else {
                throw invocation.usageError("--login-token: that is no assertion of Persona")
            }
            return .persona(assertion)
        default: throw invocation.usageError("--login-token: \"\(parts[0])\" is none of facebook, google and persona")
        }
    }

    private func keys(_ text: String) throws -> OAuthKeys {
        let encoder = FleeceEncoder()
        let bytes = try secret(text, of: "oauth")
        func wrong(_ reason: String) -> any Error { invocation.usageError("--oauth: \(reason)") }
        do { try bytes.withUnsafeBytes { try JSONParser.parse($0, into: encoder) } } catch { throw wrong("the file is no JSON: \(error)") }
        return try encoder.finish().withRoot { root in
            func member(_ name: String) throws -> String {
                guard let text = root.dictionary?.value(forKey: name, nil)?.string else { throw wrong("the file has no \(name)") }
                return text
            }
            let method = root.dictionary?.value(forKey: "signature_method", nil)?.string ?? OAuthKeys.Method.hmac.rawValue
            guard let method = OAuthKeys.Method(rawValue: method) else { throw wrong("it signs with HMAC-SHA1 or PLAINTEXT") }
            return OAuthKeys(
                consumerKey: try member("consumer_key"), consumerSecret: try member("consumer_secret"), token: try member("token"),
                tokenSecret: try member("token_secret"), method: method)
        }
    }
}

/// Tokens that end with the program.
private struct ForgottenTokens: OpenIDTokenStore {
    func load() -> OpenIDTokens? { nil }
    func save(_ tokens: OpenIDTokens?) {}
}

/// A session that only the thread may use to which it belongs.
private final class SessionOfThread: @unchecked Sendable {
    // Sendable: who is on another thread gets nothing.
    private let owner = pthread_self()
    private let own: Session

    init(session: Session) { own = session }

    var session: Session? { pthread_equal(owner, pthread_self()) != 0 ? own : nil }
}
