import Glibc
import Synchronization

/// Ctrl-C: the handler sets a flag, and long loops look at it.
///
///     while try cursor.next() {
///         try Interruption.check()
enum Interruption {
    private static let requested = Atomic<Int32>(0)

    static var isRequested: Bool { requested.load(ordering: .relaxed) != 0 }

    /// Throws if the person pressed Ctrl-C.
    static func check() throws(CommandError) {
        if isRequested { throw .interrupted }
    }

    /// The request has been answered: the interactive shell goes on.
    static func clear() { requested.store(0, ordering: .relaxed) }

    /// Sets the flag as Ctrl-C does.
    static func request() { requested.store(1, ordering: .relaxed) }

    /// Takes over SIGINT, and ignores SIGPIPE so that a closed pipe is an error of `write`.
    static func install() {
        // Touched here so that the handler never initialises it.
        clear()
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in
            // A second Ctrl-C means that nobody looked at the flag: leave at once. What was committed is safe.
            if Interruption.requested.exchange(1, ordering: .relaxed) != 0 { _exit(ExitCode.interrupted.rawValue) }
        }
        sigaction(SIGINT, &action, nil)
        signal(SIGPIPE, SIG_IGN)
    }
}
