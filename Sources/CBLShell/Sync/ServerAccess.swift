import CBLReplication
import CBLTransport

/// How to reach a server and be let in, as the flags, the environment, `~/.netrc` and the keyring say.
struct ServerAccess {
    let invocation: Invocation
    private var session: Session { invocation.session }

    /// The flags that say something of a server, and nothing of another database.
    static let names = DatabaseSync.serverFlags.map(\.name)

    /// A server that is spoken to over WebSocket, and what is done before that to be let in.
    struct Gateway {
        var settings: WebSocketClientSettings
        var login = ServerLogin.nobody
    }

    func gateway(for text: String) throws -> Gateway {
        let (server, login) = try server(for: text)
        if case .signatures = login { throw invocation.usageError("--oauth is for servers at http:// and https://") }
        var gateway = Gateway(settings: server)
        if login.isBeforehand {
            gateway.settings.handshake.credentials = nil
            gateway.login = login
            // The sign-in and what follows it have the same cookies.
            gateway.settings.cookies = server.cookies ?? CookieJar()
            try signIn(WebServerSettings(beside: gateway.settings, login))
        }
        return gateway
    }

    /// The same for a server that speaks CouchDB's protocol.
    func couchSettings(for text: String) throws -> WebServerSettings {
        let (server, login) = try server(for: text)
        var url = try PeerURL(text)
        url.credentials = nil
        while url.path.hasSuffix("/") { url.path.removeLast() }
        var settings = WebServerSettings(url)
        settings.login = login
        settings.headers = server.handshake.headers
        settings.client.trust = server.trust
        settings.client.identity = server.identity
        settings.client.proxy = server.proxy
        settings.client.networkInterface = server.networkInterface
        if let cookies = server.cookies { settings.client.cookies = cookies }
        try signIn(settings)
        return settings
    }

    /// While there is somebody at the prompt who can be asked.
    private func signIn(_ settings: WebServerSettings) throws {
        guard case .openID = settings.login else { return }
        do { try settings.signIn() } catch let error as SyncError { throw SyncAdvice.commandError(SyncFailure(error), SyncAdvice.Needs()) }
    }

    private func server(for text: String) throws -> (WebSocketClientSettings, ServerLogin) {
        var url = try PeerURL(text)
        let typed = url.credentials
        url.credentials = nil
        guard !url.path.drop(while: { $0 == "/" }).isEmpty else {
            throw invocation.usageError("\(url): the name of the database is missing: \(url)/DATABASE")
        }
        var server = ReplicatorSettings.server(url)
        for field in try ServerAccess.headers(invocation).fields { server.handshake.headers.add(field.name, field.value) }
        server.trust = try trust()
        server.identity = try identity()
        server.proxy = try proxy()
        server.networkInterface = invocation.string("interface")
        if let seconds = invocation.int("heartbeat") { server.limits.heartbeat = .seconds(seconds) }
        let remembered = try invocation.string("remember").map { try RememberedSignIn($0, warningIn: session) }
        server.cookies = remembered?.jar()
        let login = try SignInFlags(invocation: invocation).login(at: url, remembered)
        if login == nil { try logIn(&server, to: url, typed: typed) }
        return (server, try login ?? usualLogin(server, url, remembers: remembered != nil))
    }

    /// What was said with `--header`.
    static func headers(_ invocation: Invocation) throws(CommandError) -> HTTPHeaders {
        var headers = HTTPHeaders()
        for header in invocation.strings("header") {
            let parts = header.unicodeScalars.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count == 2 ? String(parts[1].drop { $0 == " " }) : ""
            guard parts.count == 2, HTTPHeaders.isWritable(name: String(parts[0]), value: value) else {
                throw invocation.usageError("--header needs a name, a colon and a value")
            }
            headers.add(String(parts[0]), value)
        }
        return headers
    }

    /// What `--user` and the like come to.
    private func usualLogin(_ server: WebSocketClientSettings, _ url: PeerURL, remembers: Bool) throws -> ServerLogin {
        guard let credentials = server.handshake.credentials else {
            if invocation.flag("login") { throw invocation.usageError("--login needs --user") }
            return .nobody
        }
        if invocation.flag("login") { return .session(.password(credentials)) }
        return .password(credentials, waitsForChallenge: server.handshake.waitsForChallenge)
    }

    // Who one is

    private func logIn(_ server: inout WebSocketClientSettings, to url: PeerURL, typed: Credentials?) throws {
        session.keyring.taken = nil
        let token = invocation.string("token")
        if let user = invocation.string("user") {
            if token != nil { throw invocation.usageError("--user and --token are two ways to log in: choose one") }
            let parts = user.unicodeScalars.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
            server.handshake.credentials = try credentials(parts[0], parts.count > 1 ? parts[1] : nil, for: url)
        } else if let token = token ?? Terminal.environment("CBLITE_TOKEN"), !token.isEmpty, typed == nil {
            guard HTTPHeaders.isWritable(name: "Cookie", value: token), !token.utf8.contains(UInt8(ascii: ";")) else {
                throw invocation.usageError("the token cannot be one of a server: it has a character that does not fit into a header")
            }
            server.handshake.headers.add("Cookie", "SyncGatewaySession=\(token)")
        } else if let typed {
            server.handshake.credentials = try credentials(typed.user, typed.password.isEmpty ? nil : typed.password, for: url)
        } else if let found = try netrc()?.credentials(for: url.host) ?? session.keptCredentials(for: url) {
            server.handshake.credentials = found
            // Nobody said that this server is to be told: it has to ask.
            server.handshake.waitsForChallenge = true
        }
        session.keyring.toKeep = nil
        if invocation.flag("keep-password") {
            guard let credentials = server.handshake.credentials, !server.handshake.waitsForChallenge else {
                throw invocation.usageError("--keep-password needs --user")
            }
            try session.keep(credentials, for: url)
        }
        if server.handshake.credentials != nil, !server.handshake.waitsForChallenge, !url.isSecure, !ServerAccess.isThisMachine(url.host) {
            session.notice("The password goes to \(url.host) without encryption; wss:// would encrypt it.")
        }
    }

    private func credentials(_ name: String, _ password: String?, for url: PeerURL) throws -> Credentials {
        guard !name.isEmpty else { throw invocation.usageError("--user needs a name") }
        if let password {
            guard password.hasPrefix("@") else { return Credentials(user: name, password: password) }
            return Credentials(user: name, password: try firstLine(of: String(password.dropFirst())))
        }
        if let password = Terminal.environment("CBLITE_PASSWORD") { return Credentials(user: name, password: password) }
        if let found = try netrc()?.credentials(for: url.host, user: name) { return found }
        // What is to be kept may be in place of what is.
        if !invocation.flag("keep-password"), let found = try session.keptCredentials(for: url, user: name) { return found }
        let question = "Password of \(name) at \(url.host): "
        return Credentials(user: name, password: try session.askSecret(question, orSay: "--user NAME:@FILE, $CBLITE_PASSWORD or ~/.netrc"))
    }

    private func firstLine(of path: String) throws -> String {
        let bytes = try SecretFile.read(path, warningIn: session)
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }, as: UTF8.self)
    }

    private func netrc() throws -> Netrc? {
        guard let path = Terminal.environment("NETRC") ?? Terminal.environment("HOME").map({ $0 + "/.netrc" }), Endpoint.exists(path) else {
            return nil
        }
        return Netrc(String(decoding: try SecretFile.read(path, warningIn: session), as: UTF8.self))
    }

    static func isThisMachine(_ host: String) -> Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }

    private func identity() throws -> TLSIdentity? {
        guard let file = invocation.string("cert") else {
            if invocation.flag("key") { throw invocation.usageError("--key is the key of a certificate, which --cert names") }
            return nil
        }
        let keyFile = invocation.string("key") ?? file
        let question = "Passphrase of \(keyFile): "
        var asked: Result<String, any Error> = .success("")
        do {
            return try TLSIdentity(
                certificates: SecretFile.read(file), certificateName: file, key: SecretFile.read(keyFile, warningIn: session),
                keyName: keyFile,
                passphrase: { () throws(TransportError) in
                    asked = Result { try session.askSecret(question, orSay: "a terminal, or a key without one") }
                    return try? asked.get()
                })
        } catch let error as TransportError {
            _ = try asked.get()
            throw error
        }
    }

    // Whom to believe

    private func trust() throws -> TLSTrust {
        let pins = invocation.strings("pin")
        let given = [invocation.flag("cacert"), !pins.isEmpty, invocation.flag("self-signed")].count { $0 }
        if given > 1 { throw invocation.usageError("--cacert, --pin and --self-signed are ways to trust a server: choose one") }
        if let file = invocation.string("cacert") {
            return .pinned(try Certificate.read(SecretFile.read(file), name: file).map { .certificate($0) })
        }
        if invocation.flag("self-signed") { return .selfSigned }
        guard !pins.isEmpty else { return .system }
        return .pinned(
            try pins.flatMap { text -> [CertificatePin] in
                if let pin = CertificatePin(text) { return [pin] }
                guard Endpoint.exists(text) else {
                    throw invocation.usageError("--pin needs 64 hexadecimal digits, or a file with a certificate, not \"\(text)\"")
                }
                return try Certificate.read(SecretFile.read(text), name: text).map { .certificate($0) }
            })
    }

    private func proxy() throws -> ProxyChoice {
        switch invocation.string("proxy") {
        case "none": return .none
        case let text?:
            var proxy = try Proxy(text)
            if let named = proxy.credentials, named.password.isEmpty {
                proxy.credentials?.password = try session.askSecret(
                    "Password of \(named.user) at the proxy \(proxy.host): ", orSay: "http://NAME:PASSWORD@HOST:PORT")
            }
            return .proxy(proxy)
        case nil: return ServerAccess.proxyOfEnvironment
        }
    }

    static var proxyOfEnvironment: ProxyChoice {
        let names = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"]
        let set = names.compactMap { name in Terminal.environment(name).map { (name, $0) } }
        return .environment(Dictionary(set, uniquingKeysWith: { one, _ in one }))
    }
}
