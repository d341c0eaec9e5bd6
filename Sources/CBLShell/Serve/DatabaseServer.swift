import CBLBase
import CBLListener
import CBLReplication
import CBLSQLite
import CBLTransport
import Glibc
import Synchronization

/// `serve`: runs a listener until Ctrl-C, and tells what happens.
struct DatabaseServer {
    private enum Letter: Sendable {
        case event(ListenerEvent)
        /// About replications that the server has itself begun.
        case log(MessageLevel, String)
        /// About what is on the local network, and the replications with it.
        case peers(PeerDirectoryEvent)
        case mesh(PeerMesh.Event)
        case stopped
    }

    /// Lines that may wait to be printed: an output that nobody reads does not fill the memory.
    private static let mostLetters = 10_000

    let invocation: Invocation
    private var session: Session { invocation.session }

    init(_ invocation: Invocation) { self.invocation = invocation }

    func run() throws -> ExitCode {
        do { return try serve() } catch let error as TransportError { throw explained(error) }
    }

    private func serve() throws -> ExitCode {
        guard let plan = try plan() else { return .success }
        let databases = plan.databases
        var settings = plan.settings
        OpenFiles.permitMany()
        for share in databases.shares { try share.database.keepExpirations() }

        // A transaction of another database in the shell wants these signals for itself.
        let mayDelay = !(session.shell?.databases.entries.contains(where: \.isInTransaction) ?? false)
        if mayDelay { Termination.delay() }
        defer { if mayDelay { Termination.permit() } }

        let loop = EventLoop()
        defer { loop.stop() }
        let mailbox = try Mailbox<Letter>()
        let omitted = Mutex(0)
        if plan.log != nil {
            settings.rest?.log = { level, message in
                if level < .warning, mailbox.count >= DatabaseServer.mostLetters { return omitted.withLock { $0 += 1 } }
                mailbox.put(.log(level, message))
            }
        }
        let listener: SyncListener
        do {
            listener = try SyncListener(databases, settings, on: loop) { event in
                if event.isOneOfMany, mailbox.count >= DatabaseServer.mostLetters { return omitted.withLock { $0 += 1 } }
                mailbox.put(.event(event))
            }
        } catch let error as TransportError {
            guard case .posix(EACCES) = error.code, settings.port < 1024 else { throw error }
            throw CommandError.failed(error.message, hint: "Ports below 1024 are for the administrator: choose another with --port.")
        }
        let report = ServeReport(invocation, listener)
        report.ownID = plan.peers?.announcement.id
        let mesh = try plan.peers.flatMap { peers in
            try peers.mesh(databases.shares, on: loop) { event in
                if event.isOneOfMany, mailbox.count >= DatabaseServer.mostLetters { return omitted.withLock { $0 += 1 } }
                mailbox.put(.mesh(event))
            }
        }
        let directory: (any PeerDirectory)?
        do {
            directory = try plan.peers?.directory(port: listener.port) { event in
                mesh?.take(event)
                // Somebody may fill the network with names.
                if mailbox.count < DatabaseServer.mostLetters { mailbox.put(.peers(event)) }
            }
        } catch { throw PeerSearch.commandError(error) }
        defer { directory?.stop() }
        do { try listener.start(plan.replications) } catch let error as ConfigurationError { throw CommandError.failed("\(error)") }
        settings.audit?.tell(.serverStarted)
        try report.began()
        defer { plan.log?.close() }
        try Interrupts.deferred { try work(listener, mailbox, report, plan.log, directory, mesh) }
        settings.audit?.tell(.serverStopped)
        let skipped = omitted.withLock { $0 }
        if skipped > 0 {
            session.warn("\(ProgressLine.grouped(skipped)) events were not told of: the output is not read quickly enough")
        }
        try report.stopped()
        Interruption.clear()
        return .success
    }

    private func log() throws -> ProgramLog? {
        try LogFlags.logging(invocation).map { try ProgramLog($0, session, isSilent: true, makesDirectory: true) }
    }

    /// Nil if something was to be done that is done now, and nothing is to be served.
    private func plan() throws -> ServePlan? {
        let flags = ServeFlags(invocation: invocation)
        guard let path = invocation.string("config") else {
            var flags = flags
            for flag in ["add-user", "role"] where invocation.flag(flag) { throw invocation.usageError("--\(flag) is for --config") }
            // Mistakes in the flags are told before databases are made or opened.
            let settings = try flags.settings()
            let peers = try ServePeers(invocation, settings, as: flags.firstUser)
            var plan = ServePlan(settings: settings, databases: try flags.databases(for: settings.users), peers: peers)
            try plan.peers?.announce(plan.databases)
            plan.log = try log()
            for share in plan.databases.shares { plan.log?.tellOpened(share.database.path) }
            return plan
        }
        if invocation.flag("log-dir") { throw invocation.usageError("with --config, the file says where logs go") }
        let edge = try EdgeServe(invocation, path: path)
        guard let user = invocation.string("add-user") else {
            var plan = try edge.plan()
            plan.peers = try ServePeers(invocation, plan.settings, as: nil)
            try plan.peers?.announce(plan.databases)
            return plan
        }
        try edge.addUser(user, role: invocation.string("role"))
        return nil
    }

    private func work(
        _ listener: SyncListener, _ mailbox: Mailbox<Letter>, _ report: ServeReport, _ log: ProgramLog?, _ directory: (any PeerDirectory)?,
        _ mesh: PeerMesh?
    ) throws {
        let progress = session.progress("Serving", unit: "documents")
        defer { progress.finish() }
        var isStopping = false
        var failure: (any Error)?
        func stop() {
            guard !isStopping else { return }
            isStopping = true
            // Nobody is to come any more. Then the own connections end, which write to the databases as well.
            directory?.stop()
            let end: @Sendable () -> Void = { listener.stop { mailbox.put(.stopped) } }
            if let mesh { mesh.stop(then: end) } else { end() }
        }
        // Nobody reads what is printed: the clients are to be told of the end all the same.
        func tell(_ body: () throws -> Void) {
            do { if failure == nil { try body() } } catch {
                failure = error
                stop()
            }
        }
        while true {
            // Without a line on the screen there is nothing to do but to answer.
            let pause: Int32 = progress.isShown ? 200 : -1
            for letter in isStopping ? mailbox.take(milliseconds: pause) : mailbox.takeUntilInterrupted(milliseconds: pause) {
                switch letter {
                case .stopped:
                    if let failure { throw failure }
                    return
                case .log(let level, let message): log?.tell(level, "Sync", message)
                case .event(let event):
                    log?.tell(event)
                    tell { try report.tell(event) }
                case .peers(let event): tell { try report.tell(event) }
                case .mesh(let event):
                    log?.tell(event)
                    tell { try report.tell(event) }
                }
            }
            if Interruption.isRequested { stop() }
            progress.show { _ in report.status() }
        }
    }

    private func explained(_ error: TransportError) -> CommandError { .failed(error.message, hint: error.advice.map { $0 + "." }) }
}

/// How many files the process may have open.
enum OpenFiles {
    /// As many as the system lets it: each connection is one, and a shell gives a program few.
    static func permitMany() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = min(limit.rlim_max, 65536)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
