import CBLBase
import CBLWorkbench
import Glibc

/// Another program, started by this one, with the terminal in common.
struct ChildProcess: Sendable {
    /// How it ended.
    enum Ending: Equatable, Sendable {
        case exit(Int32)
        case signal(Int32)

        fileprivate init(_ status: Int32) {
            let signal = status & 0x7F
            self = signal == 0 ? .exit((status >> 8) & 0xFF) : .signal(signal)
        }

        /// Ctrl-C leaves its echo in the line: what comes next begins another one.
        func startLine(in session: Session) {
            if case .signal = self, session.terminal.errorIsTerminal { StandardError.write("\n") }
        }
    }

    private let processID: pid_t

    /// Starts `/bin/sh` with these words. Its standard input is `input`, or ours, and so for the output. One that `isAlone` leads a group of its own:
    /// Ctrl-C is none of its business, and what it starts can be ended with it.
    init(shell words: [String], input: Int32? = nil, output: Int32? = nil, isAlone: Bool = false) throws(CommandError) {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var defaults = sigset_t()
        sigemptyset(&defaults)
        for signal in [SIGPIPE, SIGINT, SIGQUIT] { sigaddset(&defaults, signal) }
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setflags(&attributes, Int16(isAlone ? POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP : POSIX_SPAWN_SETSIGDEF))
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let input { posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO) }
        if let output { posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO) }
        let arguments = (["sh"] + words).map { strdup($0) }
        defer { for argument in arguments { free(argument) } }
        var processID: pid_t = 0
        let code = posix_spawn(&processID, "/bin/sh", &actions, &attributes, arguments + [nil], environ)
        guard code == 0 else { throw .failed("cannot start /bin/sh: \(SystemCall.message(code))") }
        self.processID = processID
    }

    /// Runs `work` while Ctrl-C is somebody else's: that of a program which shares the terminal.
    static func leavingInterruptsToOthers<Result, Failure: Error>(_ work: () throws(Failure) -> Result) throws(Failure) -> Result {
        var ignoring = sigaction()
        ignoring.__sigaction_handler.sa_handler = SIG_IGN
        var (interrupt, quit) = (sigaction(), sigaction())
        sigaction(SIGINT, &ignoring, &interrupt)
        sigaction(SIGQUIT, &ignoring, &quit)
        defer {
            sigaction(SIGINT, &interrupt, nil)
            sigaction(SIGQUIT, &quit, nil)
        }
        return try work()
    }

    /// Waits for its end.
    func wait() throws(CommandError) -> Ending {
        var status: Int32 = 0
        guard SystemCall.retrying({ waitpid(processID, &status, 0) }) >= 0 else {
            throw .failed("cannot wait for a program: \(SystemCall.message(errno))")
        }
        return Ending(status)
    }

    /// How it ended, if it does within some time. Who has been told so must not ask again.
    func ending(within milliseconds: Int) -> Ending? {
        let deadline = Instant.now + .milliseconds(milliseconds)
        var status: Int32 = 0
        while true {
            let found = SystemCall.retrying { waitpid(processID, &status, WNOHANG) }
            if found == processID { return Ending(status) }
            guard found == 0, Instant.now < deadline else { return nil }
            usleep(5000)
        }
    }

    /// The group that one leads which is alone.
    var group: Int32 { processID }

    /// Sends a signal to the group.
    func signal(_ signal: Int32) { _ = kill(-processID, signal) }
}
