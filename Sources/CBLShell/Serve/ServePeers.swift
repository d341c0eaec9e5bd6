import CBLBase
import CBLListener
import CBLReplication
import CBLStore
import CBLTransport
import Glibc

/// What the flags of `serve` say about the local network: how others are told of this server, and whom it connects to itself.
struct ServePeers {
    /// How peers are reached, and believed.
    private struct Access {
        var trust = TLSTrust.system
        var identity: TLSIdentity?
        var credentials: Credentials?
        var heartbeat: Duration?
    }

    private let name: String
    private let interface: String?
    private let access: Access?
    private(set) var announcement: PeerAnnouncement

    /// Nil if it is not to be told of. `user` is who may do everything here, and is let in by peers as well.
    init?(_ invocation: Invocation, _ settings: ListenerSettings, as user: Credentials?) throws {
        let isMesh = invocation.flag("mesh")
        guard isMesh || invocation.flag("advertise") else {
            if invocation.flag("cacert") { throw invocation.usageError("--cacert is for --mesh") }
            return nil
        }
        let flag = isMesh ? "--mesh" : "--advertise"
        if let address = settings.address, NetworkAddresses.isLoopback(address) {
            throw invocation.usageError(
                "\(flag): only programs of this machine can connect; --tls with --user opens it to others, and so does --address 0.0.0.0")
        }
        name = invocation.string("advertise") ?? ServePeers.usualName
        guard !name.isEmpty, name.utf8.count <= 63, !name.unicodeScalars.contains(where: TerminalText.isHarmful) else {
            throw invocation.usageError("--advertise: a name has 1 to 63 bytes, and no control characters")
        }
        interface = settings.address.flatMap { if_nametoindex($0) == 0 ? nil : $0 }
        access = isMesh ? try ServePeers.access(invocation, settings, user) : nil
        announcement = PeerAnnouncement(databases: [], isSecure: settings.identity != nil, isInMesh: isMesh)
    }

    /// What this machine is called, without its domain.
    private static var usualName: String {
        let name = NetworkAddresses.hostName.map { String($0.prefix { $0 != "." }) } ?? ""
        return name.isEmpty ? "cblite" : AvahiDirectory.shortened(name)
    }

    private static func access(_ invocation: Invocation, _ settings: ListenerSettings, _ user: Credentials?) throws -> Access {
        for flag in ["dir", "read-only", "push-only"] where invocation.flag(flag) {
            throw invocation.usageError(
                flag == "dir"
                    ? "--mesh is for databases that are named, not for a directory" : "--mesh goes both ways, and --\(flag) does not")
        }
        var access = Access()
        access.heartbeat = settings.heartbeat
        guard user != nil || settings.users == nil else {
            throw invocation.usageError("--mesh connects as the first --user, whom all peers know: there is none")
        }
        guard user != nil || settings.clientCertificates != nil else {
            throw invocation.usageError(
                "--mesh needs --user NAME, who is the same at all peers, or --client-ca: otherwise everybody on the network could change what is here"
            )
        }
        access.credentials = user
        guard let identity = settings.identity else {
            if invocation.flag("cacert") { throw invocation.usageError("--cacert needs TLS: --cert, --identity or --tls") }
            invocation.session.warn(
                "whoever on the network announces such a database is sent the password of \(user?.user ?? ""): only TLS tells who is a peer"
            )
            return access
        }
        access.identity = identity
        if let file = invocation.string("cacert") {
            access.trust = .members(try Certificate.read(SecretFile.read(file), name: file))
        } else if let authorities = settings.clientCertificates {
            access.trust = .members(authorities)
        } else if invocation.flag("identity") || invocation.flag("cert") {
            // All peers have the same one.
            access.trust = .members(Array(identity.certificates.prefix(1)))
        } else {
            throw invocation.usageError(
                "--mesh with --tls needs --cacert FILE, or one --identity FILE that all peers have: nobody can know a certificate that is made just now"
            )
        }
        return access
    }

    /// What is served is what others are told of.
    mutating func announce(_ databases: ServedDatabases) throws {
        if access != nil, databases.directory != nil {
            throw CommandError.usage("--mesh is for databases that are named, not for a directory")
        }
        announcement.databases = try databases.names().map { name in
            let share = databases.shares.first { $0.name == name }
            let uuid = try share?.database.read { $0.publicUUID }?.hexadecimal
            return .init(name: name, uuid: uuid ?? "")
        }
    }

    /// Begins to tell of this server, and to look for others if it connects to them.
    func directory(port: UInt16, _ observer: @escaping @Sendable (PeerDirectoryEvent) -> Void) throws(DiscoveryError) -> any PeerDirectory {
        let advertisement = PeerWishes.Advertisement(name: name, port: port, announcement: announcement, interface: interface)
        return try AvahiDirectory(PeerWishes(advertisement, browses: access != nil), observer: observer)
    }

    /// Nil if it connects to nobody.
    func mesh(_ shares: [Share], on loop: EventLoop, _ observer: @escaping @Sendable (PeerMesh.Event) -> Void) throws -> PeerMesh? {
        guard let access else { return nil }
        let databases = Dictionary(shares.map { ($0.name, $0.database) }, uniquingKeysWith: { first, _ in first })
        return try PeerMesh(
            announcement, databases, on: loop,
            settings: { name, url in
                var server = ReplicatorSettings.server(url)
                server.trust = access.trust
                server.identity = access.identity
                server.handshake.credentials = access.credentials
                server.limits.heartbeat = access.heartbeat
                let share = shares.first { $0.name == name }
                let names = try share?.collections ?? share?.database.read { $0.collections() } ?? [.default]
                return ReplicatorSettings(.server(server), collections: names.map { .init($0, push: .continuous, pull: .continuous) })
            }, observer: observer)
    }
}
