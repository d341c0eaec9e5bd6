import Glibc
import Synchronization

/// Ctrl-C: the handler sets a flag, and long loops look at it.
///
///     while try cursor.next() {
///         try Interruption.check()
enum Interruption {
    private static let requested = Atomic<Int32>(0)
    /// How often Ctrl-C may come without that anybody looks at it, before the process ends.
    private static let patience = Atomic<Int32>(1)

    static var isRequested: Bool { requested.load(ordering: .relaxed) != 0 }

    /// Throws if the person pressed Ctrl-C.
    static func check() throws(CommandError) {
        if isRequested { throw .interrupted }
    }

    /// The request has been answered: the interactive shell goes on.
    static func clear() { requested.store(0, ordering: .relaxed) }

    /// Sets the flag as Ctrl-C does.
    static func request() { requested.store(1, ordering: .relaxed) }

    /// In the interactive shell an impatient finger should not end the session.
    static func bePatient() { patience.store(5, ordering: .relaxed) }

    /// Takes over SIGINT, and ignores SIGPIPE so that a closed pipe is an error of `write`.
    static func install() {
        // Touched here so that the handler never initialises it.
        clear()
        _ = patience.load(ordering: .relaxed)
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in
            // Another Ctrl-C means that nobody looked at the flag: leave at once. What was committed is safe.
            let before = Interruption.requested.add(1, ordering: .relaxed).oldValue
            if before >= Interruption.patience.load(ordering: .relaxed) { _exit(ExitCode.interrupted.rawValue) }
        }
        sigaction(SIGINT, &action, nil)
        signal(SIGPIPE, SIG_IGN)
    }
}
