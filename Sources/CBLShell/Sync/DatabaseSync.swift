import CBLBase
import CBLReplication
import CBLSQLite
import CBLStore
import CBLTransport

/// A replication as a command: with a server, or with another database of this machine.
struct DatabaseSync {
    enum Direction {
        case push, pull, both

        var title: String {
            switch self {
            case .push: "Pushing"
            case .pull: "Pulling"
            case .both: "Syncing"
            }
        }
    }

    let invocation: Invocation
    var session: Session { invocation.session }

    init(_ invocation: Invocation) { self.invocation = invocation }

    /// Peers by name are looked for once.
    private final class KnownPlaces {
        var places: [String: PeerName.Place] = [:]

        /// By what the database at a URL is known, if a peer has said so.
        func id(of endpoint: Endpoint) -> String? {
            guard case .remote(let url) = endpoint else { return nil }
            return places.values.first { $0.url == url }?.id.map(FoundPeer.peerID(ofUUID:))
        }
    }

    private let known = KnownPlaces()

    /// Runs `push`, `pull` or `sync`: the database and the peer may stand in either order, and the open one may be left out.
    func run(_ direction: Direction) throws -> ExitCode {
        let peer = invocation.argumentIfGiven("PEER")
        guard let path = invocation.argumentIfGiven("DATABASE") else {
            guard let open = session.openDatabase else { throw invocation.usageError("no database is open") }
            let other = try endpoint(peer ?? knownPeer(of: open, direction), beside: open.path)
            guard open.isReadOnly else { return try run(open, with: other, direction) }
            // A copy that is only looked at can still be renewed.
            guard direction == .pull, let shell = session.shell, session.remoteCopies.contains(where: { $0.copy.path == open.path }) else {
                throw session.readOnlyError(open)
            }
            return try shell.changing(open) { try run($0, with: other, direction) }
        }
        // `pull URL DATABASE`
        let isSwapped = if case .remote = try endpoint(path, beside: peer) { true } else { false }
        guard !isSwapped || peer != nil else {
            throw invocation.usageError("\(SyncPeers.shown(path)): the database to replicate with it is missing")
        }
        let (own, other) = isSwapped ? (peer ?? path, path) : (path, peer)
        // Nothing is made for what there is nothing to be had from.
        if direction != .push, let other, case .database(let path) = try endpoint(other, beside: own) {
            if direction == .pull { try DatabaseSync.checkExistence(path) }
            if FileIdentity(bundle: own) == nil { try checkCollections(in: path) }
        }
        if direction != .push, peer != nil { invocation.allowCreation() }
        let database = try session.open(own, writes: true)
        return try run(database, with: endpoint(other ?? knownPeer(of: database, direction), beside: own), direction)
    }

    /// Whether a flag is there that not all of the commands have which replicate.
    private func has(_ flag: String) -> Bool { invocation.parsed.declares(flag) && invocation.flag(flag) }
    // A copy that is opened goes on behind the prompt.
    private var isContinuous: Bool { invocation.parsed.command.name != OpenRemoteCommand.declaration.name && has("continuous") }

    /// `own` is the path of the database that is to be replicated with it.
    private func endpoint(_ path: String, beside own: String?) throws -> Endpoint {
        if let place = known.places[path] { return .remote(place.url) }
        if let name = PeerName(path) {
            let peers = try PeerSearch.peers()
            let place = try name.place(among: peers, beside: own.map(ServeFlags.name(ofPath:)))
            known.places[path] = place
            return .remote(place.url)
        }
        switch Endpoint(path) {
        case .remote(let url)?: return .remote(url)
        case .database(let path)?: return .database(path)
        default:
            throw invocation.usageError(
                "\(path): a peer is ws://HOST:PORT/DATABASE, wss://…, http://…, https://…, peer:NAME or a name that ends in .cblite2")
        }
    }

    /// Replicates, and tells how much.
    func run(_ database: Database, with endpoint: Endpoint, _ direction: Direction) throws -> ExitCode {
        try Interrupts.deferred { try follow(database, settings(database, with: endpoint, direction), direction) }
    }

    /// What the flags say is to be done.
    func settings(_ database: Database, with endpoint: Endpoint, _ direction: Direction) throws -> ReplicatorSettings {
        try session.refuseInTransaction("what is not committed cannot be replicated", at: database.path)
        if direction != .push { session.tellOfNoReturn("What replication brings") }
        if direction == .push, has("conflict") {
            throw invocation.usageError("--conflict is for pull and sync: a push settles nothing")
        }
        let names = try collectionNames(of: database, direction)
        let mode: ActiveSession.Mode = isContinuous ? .continuous : .once
        let filters = try SyncFilters.rules(invocation, direction, names, of: database)
        if direction == .push, has("validate") {
            throw invocation.usageError("--validate is for what is pulled, and nothing is")
        }
        let schema = has("validate") ? try invocation.documentSchema() : nil
        let serverFilter = try serverFilter(direction)
        let resolver = has("conflict") ? try invocation.string("conflict").map(SyncFilters.resolver) : nil
        let other = try otherDatabase(endpoint, than: database, names, direction)
        if direction != .push { try DatabaseSync.create(names, in: database) }
        if let other { try DatabaseSync.create(names, in: other) }
        let collections = names.map { name in
            var collection = ReplicatorSettings.Collection(
                name, push: direction == .pull ? .off : mode, pull: direction == .push ? .off : mode)
            collection.channels = invocation.strings("channel").flatMap { $0.split(separator: ",").map(String.init) }
            collection.documentIDs = invocation.strings("doc-id")
            (collection.filter, collection.filterParameters) = serverFilter
            filters.apply(to: &collection)
            if let schema { collection.pullFilter = schema.filter(after: collection.pullFilter) }
            if let resolver { collection.resolver = resolver }
            collection.keepsConflicts = resolver == nil
            return collection
        }
        var login = ServerLogin.nobody
        var settings = ReplicatorSettings(try other.map { .database($0) } ?? server(endpoint, &login), collections: collections)
        settings.login = login
        if case .server = settings.peer { settings.peerID = known.id(of: endpoint) ?? session.peers.id(of: settings.peer) }
        settings.isReset = has("reset-checkpoint")
        if let seconds = invocation.parsed.declares("timeout") ? invocation.int("timeout") : nil {
            settings.patience = seconds > 0 ? .seconds(seconds) : nil
        }
        return settings
    }

    /// What the server is to filter by.
    private func serverFilter(_ direction: Direction) throws -> (name: String?, parameters: [String: String]) {
        let name = has("server-filter") ? invocation.string("server-filter") : nil
        let texts = has("param") ? invocation.strings("param") : []
        guard name != nil || texts.isEmpty else { throw invocation.usageError("--param is for --server-filter") }
        guard name == nil || direction != .push else {
            throw invocation.usageError("--server-filter is for what is pulled, and nothing is")
        }
        var parameters: [String: String] = [:]
        for text in texts {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, !parts[0].isEmpty else { throw invocation.usageError("--param needs NAME=VALUE, not \"\(text)\"") }
            parameters[parts[0]] = parts[1]
        }
        return (name, parameters)
    }

    private func server(_ endpoint: Endpoint, _ login: inout ServerLogin) throws -> ReplicatorSettings.Peer {
        guard case .remote(let url) = endpoint else { throw invocation.usageError("one can replicate with a server or a database only") }
        do {
            guard SyncPeers.isCouch(url) else {
                if has("create-target") { throw invocation.usageError("--create-target is for servers at http:// and https://") }
                let gateway = try session.peers.gateway(for: url, invocation)
                login = gateway.login
                return .server(gateway.settings)
            }
            var settings = try session.peers.couchSettings(for: url, invocation)
            if invocation.parsed.declares("timeout"), let seconds = invocation.int("timeout") {
                settings.client.idleTimeout = seconds > 0 ? .seconds(seconds) : nil
            }
            var peer = try CouchPeer(settings)
            peer.createsTarget = has("create-target")
            return .couch(peer)
        } catch let error as TransportError {
            throw SyncAdvice.commandError(error)
        }
    }

    /// The database that is to be replicated with; nil if it is a server. Of local collections at least one side has what is named: anything
    /// else is misspelt, and nothing is made for it.
    private func otherDatabase(
        _ endpoint: Endpoint, than database: Database, _ names: [CollectionName], _ direction: Direction
    ) throws -> Database? {
        func check(_ names: [CollectionName], in database: Database) throws {
            try database.read { snapshot in for name in names { _ = try invocation.existing(name, in: snapshot) } }
        }
        guard case .database(let path) = endpoint else {
            if direction == .push { try check(names, in: database) }
            return nil
        }
        if let flag = ServerAccess.names.first(where: { invocation.flag($0) }) {
            throw invocation.usageError("--\(flag) is for servers, and \(path) is a database")
        }
        if let file = FileIdentity(bundle: path), file == FileIdentity(bundle: database.path) {
            throw invocation.usageError("\(path): a database cannot be replicated with itself")
        }
        if direction == .pull { try DatabaseSync.checkExistence(path) }
        if direction == .push || FileIdentity(bundle: path) == nil { try check(names, in: database) }
        invocation.allowCreation()
        let other = try session.open(path, writes: true, ownKeys: KeyFlags(), madeWith: database.encryptionKey)
        let here = try Set(direction == .pull ? [] : database.read { $0.collections() })
        if direction != .push { try check(names.filter { !here.contains($0) }, in: other) }
        return other
    }

    /// What a database that is to be made gets, the other one must have.
    private func checkCollections(in path: String) throws {
        guard let named = session.options.collection, named != "*" else { return }
        let names = try ArchiveTransfer.collections([named], invocation) ?? []
        // One that cannot be read is told of when it is opened as it has to be.
        guard let other = try? Database(path: path) else { return }
        defer { other.close() }
        try other.read { snapshot in for name in names { _ = try invocation.existing(name, in: snapshot) } }
    }

    private static func checkExistence(_ path: String) throws(CommandError) {
        guard FileIdentity(bundle: path) != nil else { throw .cannotOpen("\(path): no such database") }
    }

    private static func create(_ names: [CollectionName], in database: Database) throws {
        let missing = try database.read { snapshot in names.filter { !snapshot.hasCollection($0) } }
        if !missing.isEmpty { try database.write { try $0.createCollections(missing) } }
    }

    @discardableResult
    func follow(_ database: Database, _ settings: ReplicatorSettings, _ direction: Direction) throws -> ExitCode {
        let isContinuous = isContinuous
        let isCareful = has("careful")
        let mailbox = try Mailbox<ReplicatorEvent>()
        let replicator = Replicator(database, settings) { mailbox.put($0) }
        let log = try SyncLog(invocation)
        log?.begin(settings, of: database.path)
        let report = SyncReport(session, direction, peer: settings.peer.name, verbosity: invocation.count("verbose"), log: log)
        defer { report.finish() }
        var hasConnected = false
        var isStopping = false
        var failure: SyncFailure?
        func stop() {
            if !isStopping { replicator.stop() }
            isStopping = true
            report.isEnding()
        }
        replicator.start()
        following: while true {
            // Ctrl-C has been answered once it is stopping; the next one ends the program.
            let pause = report.pause
            for event in isStopping ? mailbox.take(milliseconds: pause) : mailbox.takeUntilInterrupted(milliseconds: pause) {
                switch event {
                case .connected:
                    hasConnected = true
                    session.peers.remember(settings, of: database)
                    try session.keepPassword()
                // What was never there is more likely misspelt than away.
                case .waiting(let reason, _) where !hasConnected && !isContinuous:
                    failure = reason
                    stop()
                    continue
                case .ended(let reason):
                    failure = failure ?? reason
                    break following
                default: break
                }
                try report.take(event)
                if isCareful, report.tally.exitCode != .success { stop() }
            }
            if invocation.wantsJSON { try session.output.flush() }
            if Interruption.isRequested { stop() }
            report.draw()
        }
        if direction == .push, failure == nil {
            let peer = try settings.rememberedPeer()
            try database.read { snapshot in
                for collection in settings.collections {
                    try report.leave(conflicts: snapshot.conflicts(with: peer, in: collection.name), in: collection.name)
                }
            }
        }
        report.absence = try database.read { try SyncAbsence(report.met, settings, $0) }
        try invocation.tell { try report.conclude(failure) }
        if let failure {
            var needs = SyncAdvice.Needs()
            needs.vectors = try database.read { $0.versioning == .vectors }
            needs.collections = settings.collections.contains { !$0.name.isDefault }
            needs.keptUser = session.keyring.taken?.user
            throw SyncAdvice.commandError(failure, needs)
        }
        if isContinuous { Interruption.clear() }
        try Interruption.check()
        return report.tally.exitCode
    }
}
