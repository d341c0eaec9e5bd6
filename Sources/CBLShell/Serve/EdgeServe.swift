import CBLBase
import CBLListener
import CBLStore
import CBLTransport
import Glibc

/// `serve --config`: what a file for Couchbase Edge Server says.
struct EdgeServe {
    let invocation: Invocation
    private var session: Session { invocation.session }
    private let path: String
    private let configuration: EdgeConfiguration

    /// Flags that say something else about what the file says everything of.
    private static let foreign = [
        "rest", "dir", "manage", "user", "reader", "auth", "users", "tls", "identity", "cert", "key", "client-ca", "allow-origin", "cors",
        "read-only", "push-only", "collection", "mesh", "cacert", "keep-bodies",
    ]

    init(_ invocation: Invocation, path: String) throws {
        self.invocation = invocation
        self.path = path
        if let flag = EdgeServe.foreign.first(where: { invocation.flag($0) }) {
            throw invocation.usageError("--\(flag) says what the file of --config has to say")
        }
        guard invocation.arguments("DATABASE").isEmpty || invocation.session.openDatabase != nil else {
            throw invocation.usageError("which databases are served, the file of --config says")
        }
        let text = String(decoding: try SecretFile.read(path), as: UTF8.self)
        configuration = try EdgeServe.explaining(path) { try EdgeConfiguration(json5: text) }
    }

    /// What is wrong in a file names the file.
    private static func explaining<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as ConfigurationError { throw CommandError.failed("\(path): \(error)") }
    }

    func plan() throws -> ServePlan {
        let users = try users()
        var settings = ListenerSettings()
        settings.version = Shell.version
        settings.users = users?.list ?? UserList()
        let nothing = UserRights(role: .user, rules: AccessRules())
        if configuration.admitsAnonymous { settings.anonymous = nothing }
        if let https = configuration.https {
            settings.identity = try identity(https)
            if let authorities = https.clientAuthoritiesPath {
                settings.clientCertificates = try Certificate.read(SecretFile.read(authorities), name: authorities)
                settings.certificateHolders = nothing
            }
        }
        settings.address = invocation.string("address") ?? (configuration.address == "0.0.0.0" ? nil : configuration.address)
        settings.port = UInt16(invocation.int("port") ?? Int(configuration.port))
        settings.hosts = try hosts()
        settings.maximumConnections = invocation.int("max-connections") ?? 1000
        settings.maximumConnectionsPerAddress = invocation.int("max-per-address")
        if let seconds = invocation.int("heartbeat") { settings.heartbeat = .seconds(seconds) }
        settings.reportsDocuments = ServeReport.showsDocuments(invocation)
        settings.reportsRequests = true
        if let audit = configuration.logging.auditPath {
            settings.audit = try EdgeServe.explaining(path) {
                try AuditLog(path: audit, configuration.logging.audited, describes: configuration.logging.describesEvents)
            }
        }
        var rest = RESTService.Settings()
        rest.edge = EdgeSettings(configuration, loader: EdgeReplicationLoader { try SecretFile.read($0) })
        settings.rest = rest
        for warning in users?.warnings ?? [] { session.warn(warning) }
        let shares = try configuration.databases.sorted { $0.key < $1.key }.map { try share($0.key, $0.value) }
        return ServePlan(
            settings: settings, databases: ServedDatabases(shares), replications: configuration.replications,
            log: try ProgramLog(configuration.logging, session, isSilent: invocation.wantsJSON))
    }

    // Users

    private func users() throws -> EdgeUsers? {
        guard let path = configuration.usersPath else { return nil }
        let text = String(decoding: try SecretFile.read(path, warningIn: session), as: UTF8.self)
        try EdgeServe.explaining(path) { try PasswordHash.check() }
        return try EdgeServe.explaining(path) { try EdgeUsers(json5: text, for: configuration) }
    }

    /// Puts somebody into the file with the users, or gives them another password.
    func addUser(_ text: String, role: String?) throws {
        guard let path = configuration.usersPath else {
            throw CommandError.failed("\(self.path): it names no file with users", hint: "\"users\": \"users.json\" would.")
        }
        let (name, password) = try ServeFlags(invocation: invocation).user(text, "add-user")
        guard !name.isEmpty, name != "$schema" else { throw invocation.usageError("--add-user needs a name") }
        guard !password.isEmpty else { throw invocation.usageError("the password of \(name) is empty") }
        let former = Endpoint.exists(path) ? String(decoding: try SecretFile.read(path), as: UTF8.self) : nil
        let new = try EdgeServe.explaining(path) {
            try EdgeUsers.adding(name, PasswordHash(password: password), role: role, to: former)
        }
        // Nobody else's to read.
        try PartialFile.keep(Array(new.utf8), at: path, mode: 0o600)
        session.notice("\(name) is in \(path) now; a server that runs reads it when it is started again.")
    }

    // Who is let in, and how

    private func identity(_ https: EdgeConfiguration.HTTPS) throws -> TLSIdentity {
        let session = session
        return try TLSIdentity(
            certificates: SecretFile.read(https.certificatePath), certificateName: https.certificatePath,
            key: SecretFile.read(https.keyPath, warningIn: session), keyName: https.keyPath
        ) { () throws(TransportError) in
            try? session.askSecret("Passphrase of \(https.keyPath): ", orSay: "a terminal, or a key without one")
        }
    }

    private func hosts() throws -> HostPolicy {
        var hosts = HostPolicy()
        // Without a password a page that passes for one of this server's would be one; with one it gets nothing by that.
        if !configuration.admitsAnonymous { _ = hosts.allow(host: "*") }
        for name in invocation.strings("allow-host") where !hosts.allow(host: name) {
            throw invocation.usageError("--allow-host \(name): it must be the name of a host, without a port")
        }
        guard let pages = configuration.pages else { return hosts }
        for origin in pages.origins where !hosts.allow(origin: origin) {
            throw CommandError.failed("\(path): cors.origin: \"\(origin)\" is not https://HOST or http://HOST:PORT")
        }
        hosts.sendable = pages.headers
        if let seconds = pages.seconds { hosts.seconds = seconds }
        return hosts
    }

    // Databases

    private func share(_ name: String, _ settings: EdgeDatabase) throws -> Share {
        let database = try open(name, settings)
        if let placeholder = settings.placeholderUUID, try database.replaceIdentity(placeholder) {
            session.remark("\(settings.path) has an identity of its own now.")
        }
        if let collections = settings.collections {
            let missing = try database.read { snapshot in collections.filter { !snapshot.hasCollection($0) } }
            if let first = missing.first, !settings.creates {
                throw CommandError.failed(
                    "\(path): databases.\(name).collections: \(settings.path) has no collection \"\(first)\"",
                    hint: "\"create\": true makes it.")
            }
            if !missing.isEmpty { try database.write { try $0.createCollections(missing) } }
        }
        var share = Share(name, database, collections: settings.collections, access: settings.allowsWrites ? .readWrite : .readOnly)
        share.sync = settings.sync
        share.controlsAccess = configuration.controlsAccess(to: name)
        return share
    }

    private func open(_ name: String, _ settings: EdgeDatabase) throws -> Database {
        let exists = Endpoint.exists(settings.path)
        guard exists || settings.creates else {
            throw CommandError.failed(
                "\(path): databases.\(name).path: there is no database \(settings.path)", hint: "\"create\": true makes it.")
        }
        if exists {
            if let key = settings.key { session.knownKeys[settings.path] = key }
            let database = try session.open(settings.path, writes: true)
            guard settings.key == nil || database.isEncrypted else {
                throw CommandError.failed(
                    "\(path): databases.\(name).password: the database \(settings.path) is not encrypted", hint: "encrypt encrypts it.")
            }
            return database
        }
        var options = Database.Options.create
        options.key = settings.key
        do { return try Database(path: settings.path, options: options) } catch { throw Session.commandError(error) }
    }
}

/// What `serve` is about to do.
struct ServePlan {
    var settings: ListenerSettings
    var databases: ServedDatabases
    /// What the server does by itself.
    var replications: [EdgeReplication] = []
    var log: ProgramLog?
    /// How others are told of it, and whom it connects to.
    var peers: ServePeers?
}
