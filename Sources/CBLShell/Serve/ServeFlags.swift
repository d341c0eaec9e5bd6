import CBLBase
import CBLLanguage
import CBLListener
import CBLStore
import CBLTransport
import CBLWorkbench

/// What the flags of `serve` say about a listener.
struct ServeFlags {
    /// Where Sync Gateway listens, so that URLs need not be changed.
    static let usualPort = 4984

    static let all: [Flag] =
        [
            Flag("rest", "Answer the REST API over HTTP too, and people with a browser at /_browse"),
            Flag(
                "dir", value: "DIRECTORY", .directory, "Serve all databases of this directory, with --rest and --manage, as LiteServ does"),
            Flag("config", value: "FILE", .file, "Serve what this file says, as Couchbase Edge Server does, with its API"),
            Flag("add-user", value: "NAME[:PASSWORD]", .text, "With --config: put somebody into the file with the users, and end"),
            Flag("role", value: "ROLE", .choice(["admin", "replicate"]), "With --add-user: what they may besides using data"),
            Flag("manage", "Let those with all rights make and delete databases of the directory, and collections"),
            Flag("keep-bodies", "With --rest: keep what replaced revisions said until _compact, as 1.x and CouchDB do"),
            Flag("port", short: "p", value: "N", .integer(0...65535), "Listen at this port instead of \(usualPort); 0 is any that is free"),
            Flag("address", aliases: ["interface"], value: "ADDRESS", .text, "Listen at this address, or on this network interface"),
            Flag(
                "user", value: "NAME[:PASSWORD]", .text, repeatable: true,
                "Let NAME in; :@FILE has the password in a file, else it is asked for"),
            Flag("reader", value: "NAME[:PASSWORD]", .text, repeatable: true, "Let NAME in to pull, and not to push"),
            Flag("auth", "Let in the user \"cbl\" with a password that is made up, and printed"),
            Flag("users", value: "FILE", .file, "Let in those whom the lines of the file name: NAME:PASSWORD"),
            Flag("tls", aliases: ["ssl"], "Encrypt, with a certificate that is made for it"),
            Flag("identity", value: "FILE", .file, "Encrypt, and keep the certificate and its key in this file"),
            Flag("cert", value: "FILE", .file, "Encrypt with this certificate"),
            Flag("key", value: "FILE", .file, "The private key of the certificate"),
            Flag("client-ca", value: "FILE", .file, "Let in clients that show one of these certificates, or one signed by them"),
            Flag(
                "allow-host", value: "NAME", .text, repeatable: true,
                "Answer to this name too, beside this machine's own and its addresses; * for any"),
            Flag(
                "allow-origin", value: "URL", .text, repeatable: true,
                "Let web pages of this origin, https://HOST, connect; * for those of anywhere"),
            Flag("cors", "Let web pages of anywhere in: --allow-origin '*'"),
            Flag("read-only", aliases: ["readonly"], "Let others pull, and not push"),
            Flag("push-only", "Let others push, and not pull"),
            Flag(
                "collection", short: "C", value: "[DATABASE:]NAME[,…]", .collection, repeatable: true,
                "Only these collections, of all databases or of one"),
            Flag("max-connections", value: "N", .integer(1...100_000), "As many at most instead of 200"),
            Flag("max-per-address", value: "N", .integer(1...100_000), "As many at most from one address"),
            Flag(
                "advertise", aliases: ["bonjour"], optionalValue: "NAME", .text,
                "Let others on the local network find it: \"peers\" and peer:NAME. The usual name is the machine's"),
            Flag("mesh", "Advertise it, and sync continuously with all peers that have a database of the same name"),
            Flag(
                "cacert", aliases: ["rootcerts"], value: "FILE", .file,
                "With --mesh: connect to peers with these certificates, or signed by them, alone"),
            Flag(
                "heartbeat", value: "SECONDS", .integer(1...86400), "Ask silent clients after so long instead of 300 whether they are there"
            ),
            Flag("verbose", short: "v", repeatable: true, "Tell of connections; -vv: of every document"),
        ] + LogFlags.all

    let invocation: Invocation
    private var session: Session { invocation.session }
    /// The first of --user, who may do everything: as whom one connects to peers that let in the same.
    private(set) var firstUser: Credentials?

    init(invocation: Invocation) { self.invocation = invocation }

    mutating func settings() throws -> ListenerSettings {
        var settings = ListenerSettings()
        settings.version = Shell.version
        settings.users = try users()
        if let file = invocation.string("client-ca") {
            settings.clientCertificates = try Certificate.read(SecretFile.read(file), name: file)
        }
        settings.port = UInt16(invocation.int("port") ?? ServeFlags.usualPort)
        settings.identity = try ServerIdentity(invocation).find(isNeeded: settings.clientCertificates != nil)
        // What is not guarded, or whose guard's passwords everybody on the way can read, is for this machine unless somebody says otherwise.
        let isGuarded = settings.users != nil && settings.identity != nil || settings.clientCertificates != nil
        settings.address = invocation.string("address") ?? (isGuarded ? nil : "localhost")
        settings.hosts = try hosts()
        if let number = invocation.int("max-connections") { settings.maximumConnections = number }
        settings.maximumConnectionsPerAddress = invocation.int("max-per-address")
        if let seconds = invocation.int("heartbeat") { settings.heartbeat = .seconds(seconds) }
        settings.reportsDocuments = ServeReport.showsDocuments(invocation) || invocation.string("log-level") == "verbose"
        if wantsREST {
            settings.rest = RESTService.Settings()
            // Feeds last, and there are many of them.
            if !invocation.flag("max-connections") { settings.maximumConnections = 1000 }
            settings.reportsRequests = invocation.count("verbose") > 0 || invocation.wantsJSON
        }
        return settings
    }

    private var wantsREST: Bool { invocation.flag("rest") || invocation.flag("dir") }

    private func hosts() throws -> HostPolicy {
        var hosts = HostPolicy()
        for name in invocation.strings("allow-host") where !hosts.allow(host: name) {
            throw invocation.usageError("--allow-host \(name): it must be the name of a host, without a port")
        }
        if invocation.flag("cors") { _ = hosts.allow(origin: "*") }
        for origin in invocation.strings("allow-origin") where !hosts.allow(origin: origin) {
            throw invocation.usageError("--allow-origin \(origin): an origin is https://HOST or http://HOST:PORT, and has no path")
        }
        return hosts
    }

    // MARK: Users

    private mutating func users() throws -> UserList? {
        var users = UserList()
        if let file = invocation.string("users") {
            let text = String(decoding: try SecretFile.read(file, warningIn: session), as: UTF8.self)
            if let line = users.read(lines: text) {
                throw CommandError.failed(
                    "\(file): line \(line) is not NAME:PASSWORD",
                    hint: "[read-only], [push-only] or [read-write] on a line says what those below may do, [read-only NAME,…] with which.")
            }
            if users.isEmpty { throw CommandError.failed("\(file): there is no user in it") }
        }
        for (flag, access) in [("user", Share.Access.readWrite), ("reader", .readOnly)] {
            for user in invocation.strings(flag) {
                let (name, password) = try self.user(user, flag)
                guard !name.isEmpty else { throw invocation.usageError("--\(flag) needs a name, not \"\(user)\"") }
                guard !password.isEmpty else { throw invocation.usageError("the password of \(name) is empty") }
                users.set(name, password: password, rights: UserRights(access))
                if flag == "user", firstUser == nil { firstUser = Credentials(user: name, password: password) }
            }
        }
        if invocation.flag("auth") {
            let password = (0..<8).map { _ in UInt8.random(in: .min ... .max) }.withUnsafeBytes { Hex.text(of: $0) }
            users.set("cbl", password: password)
            session.notice("The password of \"cbl\" is \(password).")
        }
        return users.isEmpty ? nil : users
    }

    func user(_ text: String, _ flag: String) throws -> (name: String, password: String) {
        let parts = text.unicodeScalars.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
        let name = parts[0]
        guard parts.count == 2 else {
            return (name, try session.askSecret("Password for \(name): ", orSay: "--\(flag) NAME:@FILE, or --users FILE"))
        }
        guard parts[1].utf8.first == UInt8(ascii: "@") else { return (name, parts[1]) }
        let content = try SecretFile.read(String(parts[1].unicodeScalars.dropFirst()), warningIn: session)
        let line = content.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        return (name, String(decoding: line, as: UTF8.self))
    }

    // MARK: Databases

    /// What is served; whatever databases the rights of users name must be among it.
    func databases(for users: UserList?) throws -> ServedDatabases {
        let access: Share.Access
        switch (invocation.flag("read-only"), invocation.flag("push-only")) {
        case (true, true): throw invocation.usageError("with both --read-only and --push-only there is nothing to be done")
        case (true, false): access = .readOnly
        case (false, true): access = .writeOnly
        case (false, false): access = .readWrite
        }
        if invocation.flag("keep-bodies"), !wantsREST { throw invocation.usageError("--keep-bodies is for the REST API: --rest") }
        let directory = try directory()
        let manages = invocation.flag("manage") || invocation.flag("dir")
        let databases = ServedDatabases(
            try shares(access, hasDirectory: directory != nil), directory: directory, access: access,
            rights: manages && access == .readWrite ? [.create, .delete] : [],
            key: try directory.flatMap { try invocation.session.key(of: invocation.session.options.keys, for: $0) },
            keepsReplacedBodies: invocation.flag("keep-bodies"))
        if let users {
            let names = try databases.names()
            for name in users.databases.sorted() where !names.contains(name) && !manages {
                let suggestion = Suggestion.sentence(for: name, in: names, quoted: true)
                throw CommandError.failed("--users: no database \"\(name)\" is served.\(suggestion)")
            }
        }
        return databases
    }

    private func shares(_ access: Share.Access, hasDirectory: Bool) throws -> [Share] {
        var shares: [Share] = []
        for (name, database) in try databases(hasDirectory: hasDirectory) {
            if let problem = Share.problem(withName: name) {
                throw invocation.usageError("\"\(name)\" cannot be a database's name: \(problem); NAME=PATH gives it another one")
            }
            guard !shares.contains(where: { $0.name == name }) else {
                throw invocation.usageError("two databases are called \"\(name)\"; NAME=PATH gives one of them another name")
            }
            shares.append(Share(name, database, access: access))
        }
        let wanted = try collections(shares.map(\.name))
        for index in shares.indices {
            shares[index].collections = try wanted[shares[index].name].map { try existing($0, in: shares[index].database) }
        }
        return shares
    }

    private var arguments: [String] { session.openDatabase == nil ? invocation.arguments("DATABASE") : [] }

    /// The directory whose databases are served; nil if there is none.
    private func directory() throws -> String? {
        let directories = arguments.filter(ServeFlags.isDirectory) + (invocation.string("dir").map { [$0] } ?? [])
        guard let directory = directories.first else {
            if invocation.flag("manage"), !wantsREST { throw invocation.usageError("--manage is for the REST API: --rest") }
            return nil
        }
        guard directories.count == 1 else { throw invocation.usageError("only one directory can be served") }
        guard invocation.strings("collection").isEmpty else {
            throw invocation.usageError("--collection is for databases that are named, not for those of a directory")
        }
        guard ServeFlags.isDirectory(directory) else { throw CommandError.failed("\(directory): there is no such directory") }
        return directory
    }

    /// Whether it is one with databases in it, and none itself.
    private static func isDirectory(_ path: String) -> Bool {
        Endpoint.isDirectory(path) && !Database.isBundle(path)
    }

    private func databases(hasDirectory: Bool) throws -> [(String, Database)] {
        let arguments = arguments.filter { !ServeFlags.isDirectory($0) }
        guard !arguments.isEmpty else {
            if hasDirectory { return [] }
            guard let open = session.openDatabase else { throw invocation.usageError("DATABASE is missing") }
            if open.isReadOnly { throw session.readOnlyError(open) }
            try session.refuseInTransaction("what is not committed cannot be replicated", at: open.path)
            return [(ServeFlags.name(ofPath: open.path), open)]
        }
        return try arguments.map { argument in
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let isNamed = parts.count == 2 && !PathText.hasSlash(String(parts[0])) && !Endpoint.exists(argument)
            let path = isNamed ? String(parts[1]) : argument
            return (isNamed ? String(parts[0]) : ServeFlags.name(ofPath: path), try session.open(path, writes: true))
        }
    }

    /// `/data/travel.cblite2/`: `travel`
    static func name(ofPath path: String) -> String {
        PathText.without(".cblite2", PathText.name(path))
    }

    /// What --collection says of each database; nil where it says nothing.
    private func collections(_ names: [String]) throws -> [String: [CollectionName]] {
        var wanted: [String: [CollectionName]] = [:]
        for text in invocation.strings("collection") {
            let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let list = try ArchiveTransfer.collections([parts[parts.count - 1]], invocation) ?? []
            guard parts.count == 2 else {
                for name in names { wanted[name, default: []] += list }
                continue
            }
            guard names.contains(parts[0]) else {
                let suggestion = Suggestion.sentence(for: parts[0], in: names, quoted: true)
                throw invocation.usageError("--collection \(text): no database \"\(parts[0])\" is served.\(suggestion)")
            }
            wanted[parts[0], default: []] += list
        }
        return wanted
    }

    private func existing(_ wanted: [CollectionName], in database: Database) throws -> [CollectionName] {
        if session.options.creates {
            let missing = try database.read { snapshot in wanted.filter { !snapshot.hasCollection($0) } }
            if !missing.isEmpty { try database.write { try $0.createCollections(missing) } }
        }
        return try database.read { snapshot in try wanted.map { try invocation.existing($0, in: snapshot) } }
    }
}
