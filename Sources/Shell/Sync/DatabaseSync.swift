import DocumentStore
import Replication
import Transport

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
    private var session: Session { invocation.session }

    init(_ invocation: Invocation) { self.invocation = invocation }

    /// Runs `push`, `pull` or `sync`: the database and the peer may stand in either order, and the open one may be left out.
    func run(_ direction: Direction) throws -> ExitCode {
        let peer = invocation.argument("PEER")
        guard let path = invocation.argumentIfGiven("DATABASE") else {
            guard let open = session.openDatabase else { throw invocation.usageError("no database is open") }
            if open.isReadOnly { throw session.readOnlyError(open) }
            return try run(open, with: endpoint(peer), direction)
        }
        // `pull URL DATABASE`
        let isSwapped = if case .remote = try endpoint(path) { true } else { false }
        let (own, other) = isSwapped ? (peer, path) : (path, peer)
        if direction != .push, !invocation.flag("existing") { session.options.creates = true }
        return try run(session.open(own, writes: true), with: endpoint(other), direction)
    }

    private func endpoint(_ path: String) throws -> Endpoint {
        switch Endpoint(path) {
        case .remote(let url)?: .remote(url)
        case .database(let path)?: .database(path)
        default: throw invocation.usageError("\(path): a peer is ws://HOST:PORT/DATABASE, wss://… or a name that ends in .cblite2")
        }
    }

    /// Replicates, and tells how much.
    func run(_ database: Database, with peer: Endpoint, _ direction: Direction) throws -> ExitCode {
        try session.refuseInTransaction("what is not committed cannot be replicated", at: database.path)
        let names = try collectionNames()
        let mode: ActiveSession.Mode = invocation.flag("continuous") ? .continuous : .once
        if direction == .push {
            try database.read { snapshot in for name in names { _ = try invocation.existing(name, in: snapshot) } }
        } else {
            try DatabaseSync.create(names, in: database)
        }
        let collections = names.map { name in
            var collection = ReplicatorSettings.Collection(
                name, push: direction == .pull ? .off : mode, pull: direction == .push ? .off : mode)
            collection.channels = invocation.strings("channel").flatMap { $0.split(separator: ",").map(String.init) }
            collection.documentIDs = invocation.strings("doc-id")
            return collection
        }
        var settings = ReplicatorSettings(try self.peer(peer, names), collections: collections)
        settings.isReset = invocation.flag("reset-checkpoint")
        return try follow(database, settings, direction)
    }

    private func peer(_ endpoint: Endpoint, _ names: [CollectionName]) throws -> ReplicatorSettings.Peer {
        switch endpoint {
        case .remote(let url):
            do { return .server(try server(url)) } catch let error as TransportError { throw DatabaseSync.error(error) }
        case .database(let path):
            if !invocation.flag("existing") { session.options.creates = true }
            let other = try session.open(path, writes: true)
            try DatabaseSync.create(names, in: other)
            return .database(other)
        default: throw invocation.usageError("one can replicate with a server or a database only")
        }
    }

    private static func create(_ names: [CollectionName], in database: Database) throws {
        let missing = try database.read { snapshot in names.filter { !snapshot.hasCollection($0) } }
        if !missing.isEmpty { try database.write { for name in missing { try $0.createCollection(name) } } }
    }

    private static func error(_ error: TransportError) -> CommandError {
        let hint = [error.advice.map { $0 + "." }, error.certificate?.description].compactMap { $0 }.joined(separator: "\n")
        return .failed(error.message, hint: hint.isEmpty ? nil : hint)
    }

    private struct Tally {
        var pushed = 0
        var pulled = 0
        var failed = 0
        var hasConnected = false
    }

    private func follow(_ database: Database, _ settings: ReplicatorSettings, _ direction: Direction) throws -> ExitCode {
        let isContinuous = invocation.flag("continuous")
        let mailbox = try Mailbox<ReplicatorEvent>()
        let replicator = Replicator(database, settings) { mailbox.put($0) }
        let clock = Stopwatch()
        let progress = session.progress(direction.title, unit: "documents")
        defer { progress.finish() }
        var tally = Tally()
        var isStopping = false
        var failure: SyncFailure?
        func stop() {
            if !isStopping { replicator.stop() }
            isStopping = true
        }
        replicator.start()
        following: while true {
            for event in mailbox.take(milliseconds: 100) {
                switch event {
                case .status: break
                case .connected: tally.hasConnected = true
                case .document(let event, let collection):
                    try tell(event, collection, &tally)
                    if event.error == nil { progress.advance() }
                case .waiting(let reason, let seconds):
                    // What was never there is more likely misspelt than away.
                    if tally.hasConnected || isContinuous {
                        session.notice("\(reason.error.message); trying again in \(seconds) s")
                    } else {
                        failure = reason
                        stop()
                    }
                case .ended(let reason):
                    failure = failure ?? reason
                    break following
                }
            }
            if Interruption.isRequested { stop() }
        }
        progress.finish()
        if failure == nil || tally.pushed + tally.pulled > 0 { try report(tally, clock) }
        if let failure { throw failure.cause.map(DatabaseSync.error) ?? .failed(failure.error.message) }
        if isContinuous { Interruption.clear() }
        try Interruption.check()
        return tally.failed == 0 ? .success : .failure
    }

    private func tell(_ event: DocumentEvent, _ collection: CollectionName, _ tally: inout Tally) throws {
        let name = collection.isDefault ? event.documentID : "\(collection)/\(event.documentID)"
        if let error = event.error {
            tally.failed += 1
            return session.warn("\(name): \(error.message)")
        }
        if event.direction == .push { tally.pushed += 1 } else { tally.pulled += 1 }
        if invocation.flag("verbose") { session.remark("\(event.direction == .push ? "Pushed" : "Pulled") \(name)") }
    }

    private func report(_ tally: Tally, _ clock: Stopwatch) throws {
        guard invocation.wantsJSON else {
            let failed = tally.failed > 0 ? "; \(tally.failed) failed" : ""
            return session.notice(clock.summary(tally.pushed + tally.pulled) + failed)
        }
        try invocation.tell {
            try session.writeFacts { line in
                line.add("pushed", tally.pushed)
                line.add("pulled", tally.pulled)
                line.add("failed", tally.failed)
            }
        }
    }
}
