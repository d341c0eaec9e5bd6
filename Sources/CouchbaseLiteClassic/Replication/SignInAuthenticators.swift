import CouchbaseLiteSwift
import Foundation
import Synchronization

/// Signs each request, as OAuth 1.0a has it. CouchDB took that until its version 3; a `URLEndpoint` does not.
public struct OAuth1Authenticator: Authenticator, SigningIn {
    /// How requests are signed.
    public enum SignatureMethod: Sendable {
        /// With HMAC and SHA-1.
        case hmacSHA1
        /// With the secrets themselves: over TLS only.
        case plaintext
    }

    package let signIn: ServerSignIn

    /// The keys are those of the app and of its user, as the service gave them.
    public init(
        consumerKey: String, consumerSecret: String, token: String, tokenSecret: String, signatureMethod: SignatureMethod = .hmacSHA1
    ) {
        signIn = .oauth(
            consumerKey: consumerKey, consumerSecret: consumerSecret, token: token, tokenSecret: tokenSecret,
            isPlain: signatureMethod == .plaintext)
    }
}

/// Sends a token of another service once, for a cookie with which one is known afterwards.
public struct TokenAuthenticator: Authenticator, SigningIn {
    package let signIn: ServerSignIn

    /// `POST path`, behind the URL of the database, with these members in a JSON object.
    public init(path: String, parameters: [String: String]) {
        signIn = .token(path: path, members: parameters, user: nil)
    }

    /// What Facebook gave the app for its user.
    public static func facebook(token: String) -> TokenAuthenticator {
        TokenAuthenticator(path: "_facebook", parameters: ["access_token": token])
    }

    /// What Google gave the app for its user.
    public static func google(idToken: String) -> TokenAuthenticator {
        TokenAuthenticator(path: "_google", parameters: ["id_token": idToken])
    }

    /// What a server of Persona gave for its user. Mozilla's is gone since 2016.
    public static func persona(assertion: String) -> TokenAuthenticator {
        TokenAuthenticator(path: "_persona", parameters: ["assertion": assertion])
    }
}

/// Signs in with OpenID Connect at a Sync Gateway, which sends the user to its provider of identities.
///
///     config.authenticator = OpenIDConnectAuthenticator(storage: storage) { page, redirect in
///         // Shows `page` in a browser, until it is about to go to a URL that begins with `redirect`.
///         try await browser.follow(page, until: redirect)
///     }
///
/// Nobody is asked while the tokens of the last time are good, or can be renewed.
public struct OpenIDConnectAuthenticator: Authenticator, SigningIn {
    /// What the gateway gave, to be kept where only the user gets at it.
    public struct Tokens: Sendable, Hashable, Codable {
        /// What the provider says of the user.
        public var idToken: String
        /// With which there is a new one when that is over.
        public var refreshToken: String?
        /// Of the user at the gateway.
        public var name: String?

        /// Tokens that the app has from elsewhere.
        public init(idToken: String, refreshToken: String? = nil, name: String? = nil) {
            self.idToken = idToken
            self.refreshToken = refreshToken
            self.name = name
        }
    }

    /// Where tokens are kept. Without one they end with the authenticator.
    public protocol Storage: Sendable {
        /// Nil if there are none.
        func load() throws -> Tokens?
        /// Nil forgets them.
        func save(_ tokens: Tokens?) throws
    }

    package let signIn: ServerSignIn

    /// `login` shows a page, and gives the URL to which it leads at last; it is called when the user has to sign in, on no particular thread.
    public init(
        provider: String? = nil, storage: any Storage = OpenIDConnectMemory(),
        login: @escaping @Sendable (_ page: URL, _ redirect: String) async throws -> URL
    ) {
        signIn = .openID(
            OpenIDSignIn(
                provider: provider,
                load: { try storage.load().map { .init(idToken: $0.idToken, refreshToken: $0.refreshToken, user: $0.name) } },
                save: { tokens in
                    try storage.save(tokens.map { Tokens(idToken: $0.idToken, refreshToken: $0.refreshToken, name: $0.user) })
                },
                open: { page, redirect, isGivenUp in try waiting(unless: isGivenUp) { try await login(page, redirect) } }))
    }

    /// A token that the app got from the provider itself. When it is over, the replicator ends with an error.
    public init(idToken: String) {
        let tokens = Tokens(idToken: idToken)
        self.init(storage: OpenIDConnectMemory(tokens)) { _, _ in throw SignInIsOver() }
    }
}

/// Keeps tokens of OpenID Connect in memory.
public final class OpenIDConnectMemory: OpenIDConnectAuthenticator.Storage {
    private let tokens: Mutex<OpenIDConnectAuthenticator.Tokens?>

    /// With those that are known already.
    public init(_ tokens: OpenIDConnectAuthenticator.Tokens? = nil) { self.tokens = Mutex(tokens) }

    /// Those of last time.
    public func load() -> OpenIDConnectAuthenticator.Tokens? { tokens.withLock { $0 } }

    /// Until the program ends.
    public func save(_ tokens: OpenIDConnectAuthenticator.Tokens?) { self.tokens.withLock { $0 = tokens } }
}

private struct SignInIsOver: Error, CustomStringConvertible {
    var description: String { "the token is over" }
}

/// Has a thread wait that may, until the work is done or nobody wants it any more.
private func waiting<Value: Sendable>(
    unless isGivenUp: @Sendable () -> Bool, _ work: @escaping @Sendable () async throws -> Value
) throws -> Value {
    let result = Outcome<Value>()
    let done = DispatchSemaphore(value: 0)
    let task = Task {
        let outcome: Swift.Result<Value, any Error>
        do { outcome = .success(try await work()) } catch { outcome = .failure(error) }
        result.value.withLock { $0 = outcome }
        done.signal()
    }
    while done.wait(timeout: .now() + .milliseconds(100)) == .timedOut {
        if isGivenUp() {
            task.cancel()
            throw CancellationError()
        }
    }
    guard let outcome = result.value.withLock({ $0 }) else { throw CancellationError() }
    return try outcome.get()
}

private final class Outcome<Value: Sendable>: Sendable {
    let value = Mutex<Swift.Result<Value, any Error>?>(nil)
}
