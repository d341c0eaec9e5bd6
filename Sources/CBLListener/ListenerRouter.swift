import CBLBLIP
import CBLBase
import CBLFleece
import CBLReplication
import CBLStore
import CBLTransport
import Synchronization

/// Maps a request to an answer. Nobody learns anything, not even which databases there are, before they are let in.
///
/// What is at a path is decided in `answer(to:for:)`: whatever else this server is to speak begins there.
final class ListenerRouter: @unchecked Sendable {
    // Sendable: the loop's thread alone touches what changes, but for the counts, which have a mutex.

    /// What the rest of a request is answered with: who was let in.
    private struct Visitor {
        let user: String?
        let certificate: String?
        var rights = UserRights()
    }

    let peers: [String: PassivePeer]
    let traffic = Mutex(ListenerTraffic())
    /// The numbers of the clients whose connections have something to do.
    let busyConnections = Mutex<Set<Int>>([])
    private let shares: [String: Share]
    private let settings: ListenerSettings
    private let loop: EventLoop
    private let observer: @Sendable (ListenerEvent) -> Void
    private let place: HostPolicy.Place
    private var attempts = Attempts()
    private var lastNumber = 0

    init(
        _ shares: [Share], _ settings: ListenerSettings, on loop: EventLoop, observer: @escaping @Sendable (ListenerEvent) -> Void
    ) throws {
        self.settings = settings
        self.loop = loop
        self.observer = observer
        var named: [String: Share] = [:]
        var peers: [String: PassivePeer] = [:]
        let memory = SharedMemory(limit: settings.memory, on: loop)
        for share in shares {
            named[share.name] = share
            var configuration = PassiveSession.Configuration(collections: share.collections)
            configuration.allowsPull = share.access.allowsPull
            configuration.allowsPush = share.access.allowsPush
            configuration.allowsDeltas = share.allowsDeltas
            peers[share.name] = try PassivePeer(
                share.database, configuration, patience: settings.firstMessageTimeout, limits: ListenerRouter.limits, memory: memory,
                on: loop)
        }
        var names = NetworkAddresses.namesOfThisMachine()
        if let named = settings.address.flatMap({ RequestHost($0) }) { names.insert(named.name) }
        place = HostPolicy.Place(
            names: names, certificate: settings.identity?.certificates.first,
            isLocal: settings.address.map { NetworkAddresses.isLoopback($0) } ?? false)
        self.shares = named
        self.peers = peers
    }

    /// Less than a replicator bears of the server that it has chosen itself: here anybody may come, and many.
    private static var limits: CBLBLIP.Limits {
        var limits = CBLBLIP.Limits()
        limits.message = 32 << 20
        limits.incompleteMessages = 64 << 20
        limits.unsentAnswers = 16 << 20
        limits.hasSmallCompressor = true
        return limits
    }

    func answer(_ request: PeerRequest) -> HTTPServer.Answer {
        let visitor: Visitor
        do throws(HTTPAnswer) {
            if let objection = settings.hosts.objection(to: request, at: place) { throw objection }
            if settings.users == nil, let check = settings.passwordCheck { return try ask(check, about: request) }
            visitor = try admit(request)
        } catch {
            return refuse(request, error)
        }
        return answer(to: request, for: visitor)
    }

    private func refuse(_ request: PeerRequest, _ answer: HTTPAnswer) -> HTTPServer.Answer {
        observer(.refused(address: request.http.address, reason: answer.reason))
        return .refuse(answer)
    }

    private func ask(
        _ check: @escaping @Sendable (Credentials, @escaping @Sendable (Bool) -> Void) -> Void, about request: PeerRequest
    ) throws(HTTPAnswer) -> HTTPServer.Answer {
        let credentials = try credentials(of: request)
        return .ask({ check(credentials, $0) }) { [self] isAdmitted in
            guard isAdmitted else { return refuse(request, wrong(credentials, from: request.http.address)) }
            return answer(to: request, for: Visitor(user: credentials.user, certificate: request.certificates.first?.subject))
        }
    }

    /// Throws if there are none, or too many were wrong of late.
    private func credentials(of request: PeerRequest) throws(HTTPAnswer) -> Credentials {
        guard let credentials = request.credentials else { throw .unauthorized(realm: "cblite") }
        guard !attempts.mustWait(credentials.user, from: request.http.address, at: loop.now) else {
            let seconds = "\(Attempts.pause.components.seconds)"
            throw HTTPAnswer(429, "too many wrong passwords; try again later", headers: ["Retry-After": seconds])
        }
        return credentials
    }

    private func wrong(_ credentials: Credentials, from address: String) -> HTTPAnswer {
        attempts.failed(credentials, from: address, at: loop.now)
        return .unauthorized(realm: "cblite")
    }

    private func admit(_ request: PeerRequest) throws(HTTPAnswer) -> Visitor {
        let certificate = request.certificates.first?.subject
        guard let users = settings.users else { return Visitor(user: nil, certificate: certificate) }
        let credentials = try credentials(of: request)
        guard users.admits(credentials) else { throw wrong(credentials, from: request.http.address) }
        return Visitor(user: credentials.user, certificate: certificate, rights: users.rights(of: credentials.user) ?? UserRights())
    }

    private func answer(to request: PeerRequest, for visitor: Visitor) -> HTTPServer.Answer {
        guard let name = request.http.path.first else { return page(request, serverPage(for: visitor)) }
        // What is not for somebody is not there for them.
        guard var share = shares[name], let peer = peers[name], let access = visitor.rights.access(to: share) else {
            return .refuse(.notFound)
        }
        share.access = access
        switch request.http.path.dropFirst() {
        case []: return page(request, databasePage(share))
        case [SyncEndpoint.name]:
            return .webSocket(protocols: peer.protocols) { [self, share] _, request in accept(request, visitor, share, peer) }
        default: return .refuse(HTTPAnswer(404, "there is nothing of that name"))
        }
    }

    private func accept(_ request: PeerRequest, _ visitor: Visitor, _ share: Share, _ peer: PassivePeer) -> any WebSocketDelegate {
        lastNumber += 1
        let client = ListenerClient(
            number: lastNumber, address: request.http.address, user: visitor.user, certificate: visitor.certificate,
            agent: request.http.headers["User-Agent"].map { ForeignText.line($0, limit: 100) }, database: share.name, access: share.access,
            subprotocol: request.preferredProtocol(of: peer.protocols) ?? "")
        observer(.connected(client))
        let count = Mutex(ListenerTraffic())
        // Without a name it is the address that counts: whoever has none is one of many there.
        let name =
            visitor.user.map { "user \($0)" } ?? visitor.certificate.map { "certificate \($0)" }
            ?? "network \(NetworkAddresses.network(of: request.http.address))"
        let (allowsPush, allowsPull) = (share.access.allowsPush, share.access.allowsPull)
        return peer.accept(allowsPush: allowsPush, allowsPull: allowsPull, by: name, user: visitor.user) { [self] event in
            switch event {
            case .document(let event, let collection):
                count.withLock { $0.add(event) }
                traffic.withLock { $0.add(event) }
                if settings.reportsDocuments { observer(.document(client, event, collection)) }
            case .status(let status): note(client, isBusy: status.activity == .busy)
            case .ended(let failure):
                note(client, isBusy: false)
                observer(.ended(client, count.withLock { $0 }, failure))
            }
        }
    }
}

extension ListenerRouter {
    private func note(_ client: ListenerClient, isBusy: Bool) {
        busyConnections.withLock { busy in
            if isBusy { busy.insert(client.number) } else { busy.remove(client.number) }
        }
    }
}

// What people see who look with a browser.
extension ListenerRouter {
    private func page(_ request: PeerRequest, _ json: @autoclosure () -> [UInt8]) -> HTTPServer.Answer {
        guard request.http.method == "GET" || request.http.method == "HEAD" else {
            return .refuse(HTTPAnswer(405, "this can only be read", headers: ["Allow": "GET, HEAD"]))
        }
        return .answer(HTTPAnswer(200, json: json()))
    }

    private func serverPage(for visitor: Visitor) -> [UInt8] {
        var page = JSONObjectWriter()
        page.begin()
        page.add(
            "vendor",
            object: { vendor in
                vendor.add("name", "cblite")
                if !settings.version.isEmpty { vendor.add("version", settings.version) }
            })
        page.add("databases", list: shares.values.filter { visitor.rights.access(to: $0) != nil }.map(\.name).sorted())
        page.end()
        return page.buffer.withBytes { Array($0) }
    }

    private func databasePage(_ share: Share) -> [UInt8] {
        var page = JSONObjectWriter()
        page.begin()
        page.add("db_name", share.name)
        page.add("access", share.access.rawValue)
        page.add("collections", list: share.collections.map(\.description))
        page.add("protocols", list: peers[share.name]?.protocols ?? [])
        page.add("sync", "\(share.path)/\(SyncEndpoint.name)")
        page.end()
        return page.buffer.withBytes { Array($0) }
    }
}
