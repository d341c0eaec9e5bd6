import FoundationEssentials
import Glibc

/// The built program at a terminal of its own, with somebody who types and reads the screen.
///
///     let terminal = try PseudoTerminal(["travel.cblite2"])
///     try terminal.waitForLine("travel>")
///     terminal.type("ls\n")
///
/// Nothing sleeps: every wait ends as soon as the screen shows what is waited for, and throws what it shows if that takes too long.
package final class PseudoTerminal {
    package struct TimedOut: Error, CustomStringConvertible {
        package let description: String
    }

    package private(set) var screen: Screen
    /// Everything that the program has sent, control sequences included.
    package private(set) var transcript: [UInt8] = []
    package let processID: pid_t
    private let terminal: Int32
    private var status: Int32?

    package init(
        _ arguments: [String], program: String = Program.path, environment: [String: String] = [:], directory: String? = nil,
        columns: Int = 80, rows: Int = 24
    ) throws {
        screen = Screen(columns: columns)
        guard let (terminal, name) = PseudoTerminal.open(columns, rows) else {
            throw Program.NotStarted(path: "a pseudo-terminal", code: errno)
        }
        self.terminal = terminal
        var variables = ProcessInfo.processInfo.environment
        for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "EDITRC", "XDG_CONFIG_HOME"] { variables[name] = nil }
        // Without pages: who tests them asks for a program.
        variables.merge(["TERM": "xterm", "LC_ALL": "C.UTF-8", "PAGER": "cat"]) { _, new in new }
        // What is typed in a test does not belong into the history of whoever runs it.
        if environment["HOME"] == nil { for name in ["XDG_STATE_HOME", "XDG_CONFIG_HOME"] { variables[name] = "/dev/null" } }
        variables.merge(environment) { _, new in new }
        var words = [program] + arguments
        if let directory { words = ["/bin/sh", "-c", #"cd "$0" && exec "$@""#, directory] + words }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // The first terminal that the leader of a session opens is the one that controls it.
        posix_spawn_file_actions_addopen(&actions, 0, name, O_RDWR, 0)
        posix_spawn_file_actions_adddup2(&actions, 0, 1)
        posix_spawn_file_actions_adddup2(&actions, 0, 2)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (defaults, blocked) = (sigset_t(), sigset_t())
        sigfillset(&defaults)
        sigemptyset(&blocked)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setsigmask(&attributes, &blocked)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK) | 0x80)
        let (arguments, environment) = (words.map { strdup($0) }, variables.map { strdup("\($0)=\($1)") })
        defer { for text in arguments + environment { free(text) } }
        var processID: pid_t = 0
        let code = posix_spawn(&processID, words[0], &actions, &attributes, arguments + [nil], environment + [nil])
        guard code == 0 else { throw Program.NotStarted(path: words[0], code: code) }
        self.processID = processID
        _ = fcntl(terminal, F_SETFL, O_NONBLOCK)
    }

    deinit {
        if status == nil {
            kill(processID, SIGKILL)
            waitpid(processID, nil, 0)
        }
        close(terminal)
    }

    private static func open(_ columns: Int, _ rows: Int) -> (terminal: Int32, name: String)? {
        var (terminal, end): (Int32, Int32) = (-1, -1)
        var name = [CChar](repeating: 0, count: 128)
        // Programs that other tests start must not inherit either end.
        let code = RunningProgram.starting.withLock { _ in
            let code = openpty(&terminal, &end, &name, nil, nil)
            for descriptor in [terminal, end] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
            return code
        }
        guard code == 0 else { return nil }
        close(end)
        setSize(terminal, columns, rows)
        return (terminal, String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
    }

    private static func setSize(_ terminal: Int32, _ columns: Int, _ rows: Int) {
        var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(terminal, UInt(TIOCSWINSZ), &size)
    }

    package func resize(columns: Int, rows: Int = 24) {
        screen.resize(columns: columns)
        PseudoTerminal.setSize(terminal, columns, rows)
    }

    /// Presses keys: `\n` is Return, `\u{3}` Ctrl-C, `\t` Tab.
    package func type(_ text: String) {
        var rest = Array(text.utf8)[...]
        let end = PseudoTerminal.now() + 30
        while !rest.isEmpty, !isAtEnd, PseudoTerminal.now() < end {
            let written = rest.withUnsafeBytes { write(terminal, $0.baseAddress, $0.count) }
            if written > 0 {
                rest = rest.dropFirst(written)
                continue
            }
            // A terminal holds a few thousand bytes. The program may have something to say before it reads them.
            var poll = pollfd(fd: terminal, events: Int16(POLLOUT) | Int16(POLLIN), revents: 0)
            if Glibc.poll(&poll, 1, 1000) > 0, poll.revents & Int16(POLLIN) != 0 { _ = receive(within: 0) }
        }
    }

    /// Whether the program has left the terminal as it found it: it does not read single keys now.
    package var isReadingPlainly: Bool {
        var state = termios()
        return tcgetattr(terminal, &state) == 0 && state.c_lflag & tcflag_t(ICANON) != 0
    }

    package func send(signal: Int32) { kill(processID, signal) }

    /// To one of the program's threads. Swift does not see the function.
    package func send(signal: Int32, thread: Int32) {
        let tgkill = unsafeBitCast(dlsym(nil, "tgkill"), to: (@convention(c) (pid_t, pid_t, Int32) -> Int32).self)
        _ = tgkill(processID, thread, signal)
    }

    /// Waits until the screen is as it should be.
    package func wait(for what: String, timeout: Double = Patience.seconds, _ isReached: (Screen) -> Bool) throws {
        let end = PseudoTerminal.now() + timeout
        while !isReached(screen) {
            guard PseudoTerminal.now() < end else { throw TimedOut(description: "waited for \(what); the screen shows:\n\(text)") }
            if !receive(within: 100), isAtEnd { throw TimedOut(description: "ended before \(what); the screen shows:\n\(text)") }
        }
    }

    /// Waits until the cursor stands on a line of this text.
    package func waitForLine(_ text: String, timeout: Double = Patience.seconds) throws {
        try wait(for: "the line \"\(text)\"", timeout: timeout) { $0.currentLine == text }
    }

    /// Waits until the screen contains a text.
    package func waitForText(_ text: String, timeout: Double = Patience.seconds) throws {
        try wait(for: "\"\(text)\"", timeout: timeout) { screen in screen.lines.contains { $0.contains(text) } }
    }

    /// Types a line, and waits for the prompt to come back. Gives the lines between the two.
    @discardableResult
    package func run(_ line: String, prompt: String) throws -> [String] {
        let before = screen.lines.count
        type(line + "\n")
        try wait(for: "the prompt after \"\(line)\"") { $0.lines.count > before && $0.currentLine == prompt }
        return Array(screen.lines[before...].dropLast())
    }

    /// Waits until nothing has come for a while. Only for recording what a screen shows: a test waits for what it knows.
    package func settle(milliseconds: Int32 = 400) {
        while receive(within: milliseconds) {}
    }

    /// All lines, for a look at what is wrong.
    package var text: String { screen.lines.joined(separator: "\n") }

    private var isAtEnd = false

    /// Reads what the program sends. False if nothing came in time.
    private func receive(within milliseconds: Int32) -> Bool {
        var poll = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
        guard Glibc.poll(&poll, 1, milliseconds) > 0 else { return false }
        let bytes = [UInt8](unsafeUninitializedCapacity: 65536) { buffer, count in
            count = max(0, read(terminal, buffer.baseAddress, 65536))
        }
        // The terminal hangs up when the program has ended.
        if bytes.isEmpty { isAtEnd = true }
        transcript += bytes
        screen.receive(bytes)
        return !bytes.isEmpty
    }

    /// Waits for the end of the program: its exit code, or 128 and the signal.
    package func finish(timeout: Double = Patience.seconds) throws -> Int32 {
        let end = PseudoTerminal.now() + timeout
        while !isAtEnd {
            guard PseudoTerminal.now() < end else { throw TimedOut(description: "waited for the end; the screen shows:\n\(text)") }
            _ = receive(within: 100)
        }
        var code: Int32 = 0
        waitpid(processID, &code, 0)
        status = code
        return code & 0x7F == 0 ? (code >> 8) & 0xFF : 128 + code & 0x7F
    }

    private static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
