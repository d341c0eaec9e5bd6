import CBLBase
import CBLListener
import CBLSQLite
import CBLTransport
import Glibc
import Synchronization

/// `serve`: runs a listener until Ctrl-C, and tells what happens.
struct DatabaseServer {
    private enum Letter: Sendable {
        case event(ListenerEvent)
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
        let flags = ServeFlags(invocation: invocation)
        // Mistakes in the flags are told before databases are made or opened.
        let settings = try flags.settings()
        let databases = try flags.databases(for: settings.users)
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
        try report.began()
        try Interrupts.deferred { try work(listener, mailbox, report) }
        let skipped = omitted.withLock { $0 }
        if skipped > 0 {
            session.warn("\(ProgressLine.grouped(skipped)) events were not told of: the output is not read quickly enough")
        }
        try report.stopped()
        Interruption.clear()
        return .success
    }

    private func work(_ listener: SyncListener, _ mailbox: Mailbox<Letter>, _ report: ServeReport) throws {
        let progress = session.progress("Serving", unit: "documents")
        defer { progress.finish() }
        var isStopping = false
        var failure: (any Error)?
        func stop() {
            guard !isStopping else { return }
            isStopping = true
            listener.stop { mailbox.put(.stopped) }
        }
        while true {
            // Without a line on the screen there is nothing to do but to answer.
            let pause: Int32 = progress.isShown ? 200 : -1
            for letter in isStopping ? mailbox.take(milliseconds: pause) : mailbox.takeUntilInterrupted(milliseconds: pause) {
                switch letter {
                case .stopped:
                    if let failure { throw failure }
                    return
                case .event(let event):
                    // Nobody reads what is printed: the clients are to be told of the end all the same.
                    do { if failure == nil { try report.tell(event) } } catch {
                        failure = error
                        stop()
                    }
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
