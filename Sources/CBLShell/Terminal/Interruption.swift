import CBLBase
import CBLSQLite
import Glibc
import Synchronization

/// Ctrl-C: the handler sets a flag, and long loops look at it, and so do connections that read, while they run a statement.
///
///     while try cursor.next() {
///         try Interruption.check()
enum Interruption {
    private static let requested = Atomic<Int32>(0)
    /// How often Ctrl-C may come without that anybody looks at it, before the process ends.
    private static let patience = Atomic<Int32>(1)

    /// Rings as long as the request stands, for those who wait; nil if there were no descriptors left.
    private static let bell: Bell? = try? Bell()

    /// The pipe to a program that shows what the work finds; -1 if there is none.
    private static let pipe = Atomic<Int32>(-1)
    private static let looks = Atomic<UInt32>(0)

    static var isRequested: Bool { requested.load(ordering: .relaxed) != 0 || hasReaderToLookAfter && isForNobody }

    /// From now on the work is for somebody who reads this pipe; -1 for whoever sees the screen.
    static func workIsForReader(of pipe: Int32) { self.pipe.store(pipe, ordering: .relaxed) }

    /// Whether the reader has gone: then the work can end, even if it finds nothing to write.
    static var isForNobody: Bool {
        var reader = pollfd(fd: pipe.load(ordering: .relaxed), events: 0, revents: 0)
        return reader.fd >= 0 && poll(&reader, 1, 0) > 0 && reader.revents & Int16(POLLERR) != 0
    }

    // Asking the system is too slow to do it each time.
    private static var hasReaderToLookAfter: Bool {
        pipe.load(ordering: .relaxed) >= 0 && looks.add(1, ordering: .relaxed).oldValue & 0x3F == 0
    }

    /// The programs that an answer is awaited of, as a group of processes; 0 for none. They are not to outlive this one.
    private static let asked = Atomic<Int32>(0)

    static func asks(group: Int32) { asked.store(group, ordering: .relaxed) }

    /// Throws if the person pressed Ctrl-C.
    static func check() throws(CommandError) {
        if isRequested { throw .interrupted }
    }

    /// The request has been answered: the interactive shell goes on.
    static func clear() {
        bell?.reset()
        requested.store(0, ordering: .relaxed)
    }

    /// Sets the flag as Ctrl-C does.
    static func request() {
        requested.store(1, ordering: .relaxed)
        bell?.ring()
    }

    /// What can be read as long as the request stands, for those who wait for more than `wait` does; -1 if there is none.
    static var descriptor: Int32 { bell?.descriptor ?? -1 }

    /// Waits until a descriptor can be read, or there is reason to end, whenever it came; or until that time is over, unless it is below zero.
    static func wait(for descriptor: Int32, milliseconds: Int32 = -1) {
        var awaited = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: bell?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
            // Tells only that nobody reads any more.
            pollfd(fd: pipe.load(ordering: .relaxed), events: 0, revents: 0),
        ]
        let isDeaf = bell == nil && !(0..<100).contains(milliseconds)
        poll(&awaited, 3, isDeaf ? 100 : milliseconds)
    }

    /// In the interactive shell an impatient finger should not end the session.
    static func bePatient() { patience.store(5, ordering: .relaxed) }

    /// Takes over SIGINT, and ignores SIGPIPE so that a closed pipe is an error of `write`.
    static func install() {
        // Touched here so that the handler never initialises it.
        clear()
        _ = patience.load(ordering: .relaxed)
        asks(group: 0)
        workIsForReader(of: -1)
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in
            // Another Ctrl-C means that nobody looked at the flag: leave at once. What was committed is safe.
            let before = Interruption.requested.add(1, ordering: .relaxed).oldValue
            if before >= Interruption.patience.load(ordering: .relaxed) {
                let asked = Interruption.asked.load(ordering: .relaxed)
                if asked > 0 { kill(-asked, SIGKILL) }
                _exit(ExitCode.interrupted.rawValue)
            }
            Interruption.bell?.ring()
        }
        sigaction(SIGINT, &action, nil)
        Interrupts.ask { Interruption.isRequested }
        signal(SIGPIPE, SIG_IGN)
    }
}

extension Mailbox {
    /// All that has come; waits for something as long as it takes, or until Ctrl-C.
    func take() -> [Letter] { takeUntilInterrupted(milliseconds: -1) }

    /// The same, or until that time is over, unless it is below zero.
    func takeUntilInterrupted(milliseconds: Int32) -> [Letter] {
        Interruption.wait(for: descriptor, milliseconds: milliseconds)
        return takeAll()
    }
}
