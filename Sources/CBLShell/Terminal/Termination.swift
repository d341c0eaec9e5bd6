import Glibc
import Synchronization

/// SIGTERM and SIGHUP while a transaction is open, or a database is being made: the shell is to roll it back and say so, or to remove what is not complete,
/// before it ends as the signal wants.
///
/// The first one stops the running work as Ctrl-C does. The second one ends the process at once, which is as safe, and silent.
enum Termination {
    private static let received = Atomic<Int32>(0)
    private static let isDelayed = Atomic<Bool>(false)

    /// The signal that asked the process to end.
    static var signal: Int32? {
        let signal = received.load(ordering: .relaxed)
        return signal == 0 ? nil : signal
    }

    /// Notes the signals from now on, but those that are ignored, as under `nohup`.
    static func delay() {
        isDelayed.store(true, ordering: .relaxed)
        // Touched here so that the handler never initialises it.
        _ = received.load(ordering: .relaxed)
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { signal in
            if Termination.received.exchange(signal, ordering: .relaxed) != 0 { Termination.die(of: signal) }
            Interruption.request()
        }
        for signal in [SIGTERM, SIGHUP] where !isIgnored(signal) { sigaction(signal, &action, nil) }
    }

    /// Lets the signals have their way again.
    static func permit() {
        isDelayed.store(false, ordering: .relaxed)
        for signal in [SIGTERM, SIGHUP] where !isIgnored(signal) { Glibc.signal(signal, SIG_DFL) }
    }

    /// Has the signals wait for what `work` makes to be complete, or removed.
    static func delayed<Result>(_ work: () throws -> Result) rethrows -> Result {
        let isFirst = !isDelayed.load(ordering: .relaxed)
        if isFirst { delay() }
        defer { if isFirst { permit() } }
        return try work()
    }

    private static func isIgnored(_ signal: Int32) -> Bool {
        var action = sigaction()
        sigaction(signal, nil, &action)
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Ends the process as the signal would have.
    static func die(of signal: Int32) {
        Glibc.signal(signal, SIG_DFL)
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, signal)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        raise(signal)
    }
}
