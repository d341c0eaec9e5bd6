import CBLFleece
import CBLReplication
import CBLTransport
import CBLWorkbench
import Synchronization

/// The file of `--remember`: the cookies that a server has set, and the tokens that a sign-in gave, for the next time. Only its owner can read it.
final class RememberedSignIn: Sendable {
    private struct Content {
        var cookies: [Cookie] = []
        /// By the URL of the database: no other server gets them.
        var tokens: [String: OpenIDTokens] = [:]
    }

    private let path: String
    private let content: Mutex<Content>

    init(_ path: String, warningIn session: Session) throws {
        self.path = path
        content = Mutex(Endpoint.exists(path) ? try RememberedSignIn.read(SecretFile.read(path, warningIn: session), path) : Content())
        // Who cannot write it is to know before anything is done.
        try content.withLock { try write($0) }
    }

    /// What servers set comes into the file at once.
    func jar() -> CookieJar {
        CookieJar(
            content.withLock { $0.cookies },
            onChange: { [self] cookies in
                content.withLock { content in
                    content.cookies = cookies
                    do throws(CommandError) { try write(content) } catch {
                        StandardError.write("The cookies of the server could not be kept: \(error.message)\n")
                    }
                }
            })
    }

    /// The tokens of a database at a server.
    func tokens(of url: PeerURL) -> some OpenIDTokenStore {
        var url = url
        (url.credentials, url.query) = (nil, nil)
        return Tokens(file: self, server: url.webDescription)
    }

    private struct Tokens: OpenIDTokenStore {
        let file: RememberedSignIn
        let server: String

        func load() -> OpenIDTokens? { file.content.withLock { $0.tokens[server] } }

        func save(_ tokens: OpenIDTokens?) throws {
            try file.content.withLock { content in
                content.tokens[server] = tokens
                try file.write(content)
            }
        }
    }

    // The file

    private func write(_ content: Content) throws(CommandError) {
        var object = JSONObjectWriter(capacity: 1024)
        object.begin()
        object.add("cookies", objects: content.cookies) { cookie, entry in
            entry.add("name", cookie.name)
            entry.add("value", cookie.value)
            entry.add("domain", cookie.domain)
            entry.add("hostOnly", cookie.isHostOnly)
            entry.add("path", cookie.path)
            if let expires = cookie.expires { entry.add("expires", expires) }
            entry.add("secure", cookie.isSecure)
        }
        object.add("tokens", objects: content.tokens.sorted { $0.key < $1.key }) { tokens, entry in
            entry.add("server", tokens.key)
            entry.add("id_token", tokens.value.idToken)
            if let refresh = tokens.value.refreshToken { entry.add("refresh_token", refresh) }
            if let user = tokens.value.user { entry.add("name", user) }
        }
        object.end()
        try PartialFile.keep(object.buffer.withBytes { Array($0) }, at: path, mode: 0o600)
    }

    private static func read(_ bytes: [UInt8], _ path: String) throws -> Content {
        let encoder = FleeceEncoder()
        // A file that is there already, and has something else in it, is not to be lost.
        guard (try? bytes.withUnsafeBytes({ try JSONParser.parse($0, into: encoder) })) != nil else {
            guard bytes.isEmpty else { throw CommandError.failed("\(path): it is no file of --remember") }
            return Content()
        }
        return try encoder.finish().withRoot { root in
            guard let cookies = root.dictionary?.value(forKey: "cookies", nil)?.array else {
                throw CommandError.failed("\(path): it is no file of --remember")
            }
            var content = Content(cookies: cookies.compactMap { $0.dictionary.flatMap(cookie) })
            root.dictionary?.value(forKey: "tokens", nil)?.array?.forEach { entry in
                if let (server, tokens) = entry.dictionary.flatMap(tokens) { content.tokens[server] = tokens }
            }
            return content
        }
    }

    private static func tokens(_ entry: DictionaryView) -> (server: String, OpenIDTokens)? {
        func text(_ name: String) -> String? { entry.value(forKey: name, nil)?.string }
        guard let server = text("server"), let token = text("id_token"), HTTPHeaders.isWritable(name: "Authorization", value: token) else {
            return nil
        }
        return (server, OpenIDTokens(idToken: token, refreshToken: text("refresh_token"), user: text("name")))
    }

    private static func cookie(_ entry: DictionaryView) -> Cookie? {
        func text(_ name: String) -> String? { entry.value(forKey: name, nil)?.string }
        guard let name = text("name"), let value = text("value"), let domain = text("domain"), !domain.isEmpty,
            HTTPHeaders.isWritable(name: name, value: value)
        else { return nil }
        return Cookie(
            name: name, value: value, domain: domain, isHostOnly: entry.value(forKey: "hostOnly", nil)?.boolean ?? true,
            path: text("path") ?? "/", expires: entry.value(forKey: "expires", nil)?.integer.map { Int64($0) },
            isSecure: entry.value(forKey: "secure", nil)?.boolean ?? true)
    }
}
