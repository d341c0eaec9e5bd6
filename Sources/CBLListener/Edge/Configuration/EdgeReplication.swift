import CBLBase
import CBLFleece
import CBLReplication
import CBLStore
import CBLTransport

/// A replication with another server, as an Edge Server's configuration or a request to `_replicate` describes it. Both say the same but for
/// certificates, which the one has in files, and the other sends along.
package struct EdgeReplication: Sendable {
    package struct Collection: Sendable {
        package var name: CollectionName
        package var channels: [String] = []
        package var documentIDs: [String] = []
    }

    /// What the other side is shown.
    package enum Login: Hashable, Sendable {
        case password(Credentials)
        case session(String)
        case token(String)
        /// What it says is read whenever the replication begins, and if `isWatched` whenever it changes.
        case tokenFile(String, isWatched: Bool)
        case certificate(String, key: String)
    }

    package let source: String
    package let target: String
    /// The name of the database of this server, and where the other one is.
    package let local: String
    package let remote: PeerURL
    package let isPush: Bool
    package let isBidirectional: Bool
    package let isContinuous: Bool
    /// Nil is the default collection alone, in the protocol of before there were others.
    package let collections: [Collection]?
    package let channels: [String]
    package let documentIDs: [String]
    package let headers: [(name: String, value: String)]
    package let pinnedCertificate: String?
    package let trustedRoots: String?
    package let login: Login?
    package let proxy: Proxy?

    private static let names = [
        "source", "target", "bidirectional", "continuous", "collections", "channels", "doc_ids", "headers", "pinned_cert",
        "trusted_root_certs", "auth", "proxy",
    ]
    private static let loginNames = [
        "user", "password", "session_cookie", "openid_token", "reconnect_on_token_change", "tls_client_cert", "tls_client_cert_key",
    ]

    /// One that a configuration has.
    init(_ value: Value, at place: String) throws(ConfigurationError) {
        try self.init(try ConfigurationObject(value, at: place, knows: EdgeReplication.names), mayNameFiles: true)
    }

    /// One that a client asks for. It may say outside of `auth` who it is, too.
    init(request value: Value) throws(ConfigurationError) {
        let names = EdgeReplication.names + EdgeReplication.loginNames
        try self.init(try ConfigurationObject(value, at: "", knows: names), mayNameFiles: false)
    }

    private init(_ object: ConfigurationObject, mayNameFiles: Bool) throws(ConfigurationError) {
        source = try object.neededText("source")
        target = try object.neededText("target")
        let ends = (EdgeReplication.isURL(source), EdgeReplication.isURL(target))
        guard ends.0 != ends.1 else {
            throw ConfigurationError(object.place, "one of source and target has to be the name of a database here, the other a URL")
        }
        isPush = ends.1
        local = isPush ? source : target
        remote = try EdgeReplication.url(isPush ? target : source, object.path(of: isPush ? "target" : "source"))
        isBidirectional = try object.flag("bidirectional") ?? false
        isContinuous = try object.flag("continuous") ?? false
        channels = try object.strings("channels") ?? []
        documentIDs = try object.strings("doc_ids") ?? []
        var collections: [Collection]?
        for (name, settings) in try EdgeDatabase.collections(object, knows: ["channels", "doc_ids"]) ?? [] {
            let collection = Collection(
                name: name, channels: try settings?.strings("channels") ?? [], documentIDs: try settings?.strings("doc_ids") ?? [])
            collections = (collections ?? []) + [collection]
        }
        self.collections = collections
        guard collections == nil || channels.isEmpty && documentIDs.isEmpty else {
            throw ConfigurationError(object.place, "with collections, channels and doc_ids are said for each of them")
        }
        headers = try EdgeReplication.headers(object)
        pinnedCertificate = try object.text("pinned_cert")
        trustedRoots = try object.text("trusted_root_certs")
        guard pinnedCertificate == nil || trustedRoots == nil else {
            throw ConfigurationError(object.place, "pinned_cert and trusted_root_certs exclude each other")
        }
        let login = try object.object("auth", knows: EdgeReplication.loginNames) ?? object
        self.login = try EdgeReplication.login(login, mayNameFiles: mayNameFiles)
        proxy = try EdgeReplication.proxy(object)
    }

    private static func isURL(_ text: String) -> Bool { text.contains("://") }

    private static func url(_ text: String, _ place: String) throws(ConfigurationError) -> PeerURL {
        let url: PeerURL
        do { url = try PeerURL(text) } catch { throw ConfigurationError(place, error.message) }
        guard text.hasPrefix("ws://") || text.hasPrefix("wss://") else {
            throw ConfigurationError(place, "it has to begin with ws:// or wss://")
        }
        guard url.query == nil, url.path.contains(where: { $0 != "/" }) else {
            throw ConfigurationError(place, "it has to end with the name of a database")
        }
        return url
    }

    private static func headers(_ object: ConfigurationObject) throws(ConfigurationError) -> [(name: String, value: String)] {
        guard let list = try object.object("headers", knows: nil) else { return [] }
        var headers: [(name: String, value: String)] = []
        for (name, value) in list.all {
            guard let text = value.string, HTTPHeaders.isWritable(name: name, value: text) else {
                throw ConfigurationError(list.path(of: name), "it is no header")
            }
            headers.append((name, text))
        }
        return headers
    }

    private static func login(_ object: ConfigurationObject, mayNameFiles: Bool) throws(ConfigurationError) -> Login? {
        var found: [Login] = []
        if let user = try object.text("user") {
            guard let password = object["password"]?.string else { throw ConfigurationError(object.path(of: "password"), "it is missing") }
            found.append(.password(Credentials(user: user, password: password)))
        }
        if let cookie = try object.text("session_cookie") {
            let prefix = "SyncGatewaySession="
            let session = cookie.hasPrefix(prefix) ? String(cookie.dropFirst(prefix.count)) : cookie
            guard isHeaderText(session), !session.utf8.contains(UInt8(ascii: ";")) else {
                throw ConfigurationError(object.path(of: "session_cookie"), "it does not fit into a header")
            }
            found.append(.session(session))
        }
        let isWatched = mayNameFiles ? try object.flag("reconnect_on_token_change") ?? false : false
        if let token = object["openid_token"] {
            let place = object.path(of: "openid_token")
            if let text = token.string {
                guard isHeaderText(text) else { throw ConfigurationError(place, "it does not fit into a header") }
                found.append(.token(text))
            } else {
                guard mayNameFiles else { throw ConfigurationError(place, "it has to be a text") }
                let file = try ConfigurationObject(token, at: place, knows: ["path"])
                found.append(.tokenFile(try file.neededText("path"), isWatched: isWatched))
            }
        }
        if let certificate = try object.text("tls_client_cert") {
            found.append(.certificate(certificate, key: try object.neededText("tls_client_cert_key")))
        }
        guard found.count <= 1 else { throw ConfigurationError(object.place, "there are several ways to authenticate: choose one") }
        return found.first
    }

    private static func isHeaderText(_ text: String) -> Bool { !text.isEmpty && HTTPHeaders.isWritable(name: "Cookie", value: text) }

    private static func proxy(_ object: ConfigurationObject) throws(ConfigurationError) -> Proxy? {
        guard let entry = try object.object("proxy", knows: ["type", "host", "port", "auth"]) else { return nil }
        let isSecure: Bool
        switch try entry.neededText("type") {
        case "HTTP": isSecure = false
        case "HTTPS": isSecure = true
        default: throw ConfigurationError(entry.path(of: "type"), "it has to be \"HTTP\" or \"HTTPS\"")
        }
        guard let port = try entry.number("port", in: 1...65535) else { throw ConfigurationError(entry.path(of: "port"), "it is missing") }
        var proxy = Proxy(isSecure: isSecure, host: try entry.neededText("host"), port: UInt16(port))
        if let auth = try entry.object("auth", knows: ["user", "password"]) {
            proxy.credentials = Credentials(user: try auth.neededText("user"), password: try auth.neededText("password"))
        }
        return proxy
    }
}
