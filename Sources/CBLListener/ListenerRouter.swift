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

    let databases: ServedDatabases
    let traffic = SharedTraffic()
    /// The numbers of the clients whose connections have something to do.
    let busyConnections = Mutex<Set<Int>>([])
    private(set) var peers: [String: PassivePeer] = [:]
    private let memory: SharedMemory
    private let admission: Admission
    /// Answers whatever no replicator asks for; nil if there are only pages that say what this is.
    let service: RESTService?
    private let opener = SerialQueue(on: WorkerPool(name: "cblite-open", limit: 1))
    /// Where passwords are looked at that take their time.
    private let checkers = WorkerPool(name: "cblite-password", limit: 2)
    private let settings: ListenerSettings
    private let loop: EventLoop
    private let observer: @Sendable (ListenerEvent) -> Void
    private let place: HostPolicy.Place
    private var lastNumber = 0

    init(
        _ databases: ServedDatabases, _ settings: ListenerSettings, on loop: EventLoop,
        observer: @escaping @Sendable (ListenerEvent) -> Void
    ) throws {
        self.databases = databases
        self.settings = settings
        self.loop = loop
        self.observer = observer
        memory = SharedMemory(limit: settings.memory, on: loop)
        var names = NetworkAddresses.namesOfThisMachine()
        if let named = settings.address.flatMap({ RequestHost($0) }) { names.insert(named.name) }
        place = HostPolicy.Place(
            names: names, certificate: settings.identity?.certificates.first,
            isLocal: settings.address.map { NetworkAddresses.isLoopback($0) } ?? false)
        let traffic = traffic
        var policy = Admission.Policy(settings.users)
        policy.anonymous = settings.anonymous
        policy.certificates = settings.certificateHolders
        let admission = Admission(policy, isSecure: settings.identity != nil) { loop.now }
        self.admission = admission
        service = settings.rest.map { ListenerRouter.service(databases, settings, $0, admission, traffic, observer) }
        // What is wrong with a database that was named is told now, and not to the first who comes.
        for share in databases.shares where share.sync != nil { peers[share.name] = try makePeer(share) }
        databases.observe { [weak self] name in
            loop.perform { [weak self] in self?.peers.removeValue(forKey: name)?.stop {} }
        }
    }

    private static func service(
        _ databases: ServedDatabases, _ settings: ListenerSettings, _ rest: RESTService.Settings, _ admission: Admission,
        _ traffic: SharedTraffic, _ observer: @escaping @Sendable (ListenerEvent) -> Void
    ) -> RESTService {
        var rest = rest
        rest.version = settings.version
        rest.scheme = settings.identity == nil ? "http" : "https"
        let reports = settings.reportsRequests
        let audit = settings.audit
        rest.audit = audit
        rest.observer = { request, visitor, status in
            traffic.withLock { $0.requests += 1 }
            audit?.tell(
                .request,
                .init(user: visitor.name, address: request.address, text: "\(request.method) \(request.plainPath)", status: status))
            if reports { observer(.answered(AnsweredRequest(request, visitor, status: status))) }
        }
        return RESTService(databases, rest, admission: admission)
    }

    private func makePeer(_ share: Share) throws -> PassivePeer {
        let collections = try share.collections ?? share.database.read { $0.collections() }
        var configuration = PassiveSession.Configuration(collections: collections)
        configuration.allowsPull = share.sync?.allowsPull ?? false
        configuration.allowsPush = share.sync?.allowsPush ?? false
        configuration.allowsDeltas = share.allowsDeltas
        return try PassivePeer(
            share.database, configuration, patience: settings.firstMessageTimeout, limits: ListenerRouter.limits, memory: memory, on: loop)
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
        if let objection = settings.hosts.objection(to: request, at: place) { return refuse(request, objection) }
        if service != nil, let answer = settings.hosts.permission(for: request) { return .answer(answer) }
        if let answer = answerBySession(request) { return answer }
        guard let slow = admission.slowCredentials(of: request) else { return answerAdmitted(request) }
        return .ask({ [checkers, admission] answer in SerialQueue(on: checkers).perform { answer(admission.admits(slow)) } }) {
            [self] isRight in
            guard isRight else { return refuse(request, admission.wrong(slow, from: request.http.address)) }
            settings.audit?.tell(.authenticated, .init(user: slow.user, address: request.http.address))
            return answerAdmitted(request)
        }
    }

    /// Nil if a replicator does not come with a secret in the place of a password.
    private func answerBySession(_ request: PeerRequest) -> HTTPServer.Answer? {
        let path = request.http.path
        guard path.count == 2, path[1] == SyncEndpoint.name, let sessions = service?.settings.edge?.sessions,
            let token = SyncSessions.token(in: request)
        else { return nil }
        guard let user = sessions.user(of: token, in: path[0], at: loop.now) else {
            return refuse(request, HTTPAnswer(401, "the session is not known, or has ended"))
        }
        let rights = settings.users?.rights(of: user) ?? UserRights(role: .user, rules: AccessRules())
        return synchronize(request, Visitor(user: user, rights: rights, isLocal: false), path[0])
    }

    private func answerAdmitted(_ request: PeerRequest) -> HTTPServer.Answer {
        let visitor: Visitor
        do throws(HTTPAnswer) {
            if settings.users == nil, let check = settings.passwordCheck { return try ask(check, about: request) }
            visitor = try admission.admit(request)
        } catch {
            // Who has no password may ask who they are, and sign in.
            if error.status == 401, request.credentials == nil, service != nil, ListenerRouter.mayBeAskedByStrangers(request.http) {
                return answer(to: request, for: .stranger)
            }
            return refuse(request, error)
        }
        return answer(to: request, for: visitor)
    }

    private static func mayBeAskedByStrangers(_ request: HTTPRequest) -> Bool {
        request.path == ["_session"] || request.path == ["_up"] || request.path == ["_browse"]
    }

    private func refuse(_ request: PeerRequest, _ answer: HTTPAnswer) -> HTTPServer.Answer {
        observer(.refused(address: request.http.address, reason: answer.reason))
        if answer.status == 401 || answer.status == 429 {
            settings.audit?.tell(.authenticationFailed, .init(user: request.credentials?.user, address: request.http.address))
        }
        var answer = answer
        if service != nil { answer.json = RESTError(answer).json }
        for field in settings.hosts.headers(for: request).fields { answer.headers.add(field.name, field.value) }
        return .refuse(answer)
    }

    private func ask(
        _ check: @escaping @Sendable (Credentials, @escaping @Sendable (Bool) -> Void) -> Void, about request: PeerRequest
    ) throws(HTTPAnswer) -> HTTPServer.Answer {
        let credentials = try admission.credentials(of: request)
        return .ask({ check(credentials, $0) }) { [self] isAdmitted in
            guard isAdmitted else { return refuse(request, admission.wrong(credentials, from: request.http.address)) }
            let certificate = request.certificates.first?.subject
            return answer(to: request, for: Visitor(user: credentials.user, certificate: certificate, isLocal: false))
        }
    }

    private func answer(to request: PeerRequest, for visitor: Visitor) -> HTTPServer.Answer {
        let path = request.http.path
        if path.count == 2, path[1] == SyncEndpoint.name { return synchronize(request, visitor, path[0]) }
        if let service {
            let responder = VisitorResponder(service: service, visitor: visitor, headers: settings.hosts.headers(for: request))
            return .respond(responder, maximumBody: BlobFolder.longest)
        }
        guard let name = path.first else { return page(request, serverPage(for: visitor)) }
        // What is not for somebody is not there for them.
        guard var share = share(name), let access = visitor.rights.access(to: share) else { return .refuse(.notFound) }
        share.access = access
        guard path.count == 1 else { return .refuse(HTTPAnswer(404, "there is nothing of that name")) }
        return page(request, databasePage(share))
    }

    private func share(_ name: String) -> Share? { databases.openDatabase(named: name)?.share }

    /// A database of the directory is opened elsewhere: that may take a while.
    private func synchronize(_ request: PeerRequest, _ visitor: Visitor, _ name: String) -> HTTPServer.Answer {
        guard databases.openDatabase(named: name) == nil, databases.directory != nil, visitor.rights.databases?.contains(name) ?? true
        else {
            return connect(request, visitor, name)
        }
        return .ask({ [opener, databases] answer in opener.perform { answer((try? databases.database(named: name)) != nil) } }) {
            [self] _ in
            connect(request, visitor, name)
        }
    }

    private func connect(_ request: PeerRequest, _ visitor: Visitor, _ name: String) -> HTTPServer.Answer {
        let refusal = service?.settings.edge?.refusal(of: name, to: visitor)
        let answer = refusal.map { HTTPAnswer($0.status, $0.reason ?? "") } ?? .notFound
        guard let share = share(name), share.sync != nil,
            let collections = try? share.collections ?? share.database.read({ $0.collections() }),
            let reach = SyncReach(of: visitor, in: share, collections), reach.access.allowsPull || !share.controlsAccess,
            let peer = peer(of: share)
        else { return refuse(request, answer) }
        return .webSocket(protocols: peer.protocols) { [self] _, request in accept(request, visitor, share, reach, peer) }
    }

    /// Nil if its database cannot be replicated with. A collection that was made since the last time is there from now on.
    private func peer(of share: Share) -> PassivePeer? {
        if let peer = peers[share.name] {
            guard share.collections == nil, let all = try? share.database.read({ $0.collections() }) else { return peer }
            try? peer.serve(all)
            return peer
        }
        let peer = try? makePeer(share)
        peers[share.name] = peer
        return peer
    }

    private func accept(
        _ request: PeerRequest, _ visitor: Visitor, _ share: Share, _ reach: SyncReach, _ peer: PassivePeer
    ) -> any WebSocketDelegate {
        lastNumber += 1
        let client = ListenerClient(
            number: lastNumber, address: request.http.address, user: visitor.user, certificate: visitor.certificate,
            agent: request.http.headers["User-Agent"].map { ForeignText.line($0, limit: 100) }, database: share.name, access: reach.access,
            subprotocol: request.preferredProtocol(of: peer.protocols) ?? "")
        observer(.connected(client))
        let count = Mutex(ListenerTraffic())
        // Without a name it is the address that counts: whoever has none is one of many there.
        let name =
            visitor.user.map { "user \($0)" } ?? visitor.certificate.map { "certificate \($0)" }
            ?? "network \(NetworkAddresses.network(of: request.http.address))"
        settings.audit?.tell(.syncConnected, .init(user: visitor.name, address: client.address, database: share.name))
        var permissions = reach.permissions
        permissions.filters[.default] = validation(of: share.name, for: visitor)
        return peer.accept(permissions, by: name, user: visitor.user) { [self] event in
            switch event {
            case .document(let event, let collection):
                count.withLock { $0.add(event) }
                traffic.withLock { $0.add(event) }
                if settings.reportsDocuments { observer(.document(client, event, collection)) }
            case .status(let status): note(client, isBusy: status.activity == .busy)
            case .ended(let failure):
                note(client, isBusy: false)
                settings.audit?.tell(.syncDisconnected, .init(user: visitor.name, address: client.address, database: share.name))
                observer(.ended(client, count.withLock { $0 }, failure))
            }
        }
    }
}

extension ListenerRouter {
    /// What design documents have to say of what a client sends, where these are served; nil if there was nothing when it came.
    private func validation(of name: String, for visitor: Visitor) -> SyncFilter? {
        guard let service, service.settings.edge == nil, let served = databases.openDatabase(named: name) else { return nil }
        guard (try? served.database.read { try served.validation.isNeeded($0) }) ?? true else { return nil }
        return served.validation.filter(of: Keyspace(served: served, collection: .default), visitor)
    }

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
        page.add("databases", list: databases.shares.filter { visitor.rights.access(to: $0) != nil }.map(\.name).sorted())
        page.end()
        return page.buffer.withBytes { Array($0) }
    }

    private func databasePage(_ share: Share) -> [UInt8] {
        var page = JSONObjectWriter()
        page.begin()
        page.add("db_name", share.name)
        page.add("access", share.access.rawValue)
        let collections = (try? share.collections ?? share.database.read { $0.collections() }) ?? []
        page.add("collections", list: collections.map(\.description))
        page.add("protocols", list: peers[share.name]?.protocols ?? [])
        page.add("sync", "\(share.path)/\(SyncEndpoint.name)")
        page.end()
        return page.buffer.withBytes { Array($0) }
    }
}
