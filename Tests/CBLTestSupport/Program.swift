import FoundationEssentials
import Glibc
import Synchronization

/// The built `cblite`, run as a user runs it.
///
///     let result = try Program.run(["ls", path])
///     #expect(result.output == "doc1\n")
///     #expect(result.exitCode == 0)
package enum Program {
    package struct Result: Sendable {
        package let outputBytes: [UInt8]
        package let errorBytes: [UInt8]
        /// As a shell counts: 128 + the signal, if one ended the program.
        package let exitCode: Int32
        /// The program did not end in time and was killed.
        package let timedOut: Bool

        package var output: String { String(decoding: outputBytes, as: UTF8.self) }
        /// What the program said on standard error.
        package var errors: String { String(decoding: errorBytes, as: UTF8.self) }
        package var lines: [String] { output.split(separator: "\n").map(String.init) }
    }

    package struct NotStarted: Error {
        package let path: String
        package let code: Int32
    }

    /// The program beside the running tests: the same build, debug or release.
    package static let path: String = {
        let maps = (try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8)) ?? ""
        let bundle = maps.split(separator: "\n").first { $0.hasSuffix(".xctest") }.flatMap { line in
            line.firstIndex(of: "/").map { String(line[$0...]) }
        }
        let directory = bundle.map { URL(filePath: $0).deletingLastPathComponent().path } ?? Fixtures.package + "/.build/debug"
        return directory + "/cblite"
    }()

    /// Runs the program to its end. The environment is the test's own without colours, plus `environment`.
    package static func run(
        _ arguments: [String], input: String = "", environment: [String: String] = [:], directory: String? = nil,
        timeout: Double = Patience.seconds
    ) throws -> Result {
        try run(arguments, inputBytes: Array(input.utf8), environment: environment, directory: directory, timeout: timeout)
    }

    package static func run(
        _ arguments: [String], inputBytes: [UInt8], environment: [String: String] = [:], directory: String? = nil,
        timeout: Double = Patience.seconds
    ) throws -> Result {
        let process = try RunningProgram(arguments, environment: environment, directory: directory)
        return process.finish(input: inputBytes, timeout: timeout)
    }
}

extension Program {
    /// The key of the databases that a test works on: those that it makes have it, and it is in the environment of all that it runs.
    package struct DatabaseKey: Sendable {
        package let digits: String
        package let file: String

        package init(in directory: String) throws {
            digits = String(repeating: "5a3c", count: 16)
            file = directory + "/database.key"
            try Data(digits.utf8).write(to: URL(filePath: file))
            chmod(file, 0o600)
        }
    }

    @TaskLocal package static var databaseKey: DatabaseKey?

    /// Runs another program, a shell for example. Nil if it is not installed.
    package static func run(tool name: String, _ arguments: [String], input: String = "", timeout: Double = Patience.seconds) throws
        -> Result?
    {
        guard let path = place(of: name) else { return nil }
        return try RunningProgram(arguments, program: path).finish(input: Array(input.utf8), timeout: timeout)
    }
}

extension Program {
    /// Root may write whatever the permissions of a file say, unless it goes without that privilege.
    package static let canHeedPermissions = geteuid() != 0 || isInstalled("setpriv")
    package static let privilege = "root may write everywhere, and there is no setpriv to take that from it"

    /// Runs the program as one that the permissions of files hold for, whoever runs the tests.
    package static func run(heedingPermissions arguments: [String]) throws -> Result {
        guard geteuid() == 0 else { return try run(arguments) }
        guard let result = try run(tool: "setpriv", ["--bounding-set=-dac_override", "--", path] + arguments) else {
            throw NotStarted(path: "setpriv", code: ENOENT)
        }
        return result
    }

    package static func isInstalled(_ tool: String) -> Bool { place(of: tool) != nil }

    private static func place(of tool: String) -> String? {
        ["/usr/bin/", "/bin/", "/usr/local/bin/"].map { $0 + tool }.first { access($0, X_OK) == 0 }
    }
}

/// A program that has been started: it can be fed, signalled and waited for.
package final class RunningProgram {
    package let processID: pid_t
    private var input: Int32
    private var output: Int32
    private var errors: Int32
    private var outputBytes: [UInt8] = []
    private var errorBytes: [UInt8] = []
    private var isReaped = false

    package init(
        _ arguments: [String], program: String = Program.path, environment: [String: String] = [:], directory: String? = nil
    ) throws {
        // A test that writes to a program that has ended gets an error, not a signal.
        signal(SIGPIPE, SIG_IGN)
        var variables = ProcessInfo.processInfo.environment
        for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS"] { variables[name] = nil }
        // Nobody's own keyring is asked.
        variables["DBUS_SESSION_BUS_ADDRESS"] = "none:"
        if let key = Program.databaseKey { variables["CBLITE_DATABASE_KEY"] = key.digits }
        variables.merge(environment) { _, new in new }
        let creates = arguments.contains("--create") && Program.databaseKey != nil
        var words = [program] + (creates ? ["--key=:@" + (Program.databaseKey?.file ?? "")] : []) + arguments
        // A child that changes its own directory needs a shell in between, which the program then replaces.
        if let directory { words = ["/bin/sh", "-c", #"cd "$0" && exec "$@""#, directory] + words }
        let started = RunningProgram.starting.withLock { _ in RunningProgram.start(words, variables.map { "\($0)=\($1)" }) }
        processID = started.processID
        (input, output, errors) = (started.input, started.output, started.errors)
        guard started.code == 0 else {
            isReaped = true
            throw Program.NotStarted(path: program, code: started.code)
        }
        for descriptor in [input, output, errors] { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
    }

    // Tests start programs at the same time, and one must not inherit the pipes of the other.
    static let starting = Mutex<Void>(())

    private static func start(
        _ words: [String], _ variables: [String]
    ) -> (code: Int32, processID: pid_t, input: Int32, output: Int32, errors: Int32) {
        let standardInput = RunningProgram.pipe()
        let standardOutput = RunningProgram.pipe()
        let standardError = RunningProgram.pipe()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, standardInput.read, 0)
        posix_spawn_file_actions_adddup2(&actions, standardOutput.write, 1)
        posix_spawn_file_actions_adddup2(&actions, standardError.write, 2)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var defaults = sigset_t()
        sigfillset(&defaults)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        // Threads that run tests may block signals, and the program would inherit that.
        var blocked = sigset_t()
        sigemptyset(&blocked)
        posix_spawnattr_setsigmask(&attributes, &blocked)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        var processID: pid_t = 0
        let path = words[0]
        let code = withStrings(words) { words in
            withStrings(variables) { posix_spawn(&processID, path, &actions, &attributes, words, $0) }
        }
        for descriptor in [standardInput.read, standardOutput.write, standardError.write] { close(descriptor) }
        return (code, processID, standardInput.write, standardOutput.read, standardError.read)
    }

    deinit {
        for descriptor in [input, output, errors] where descriptor >= 0 { close(descriptor) }
        if !isReaped {
            kill(processID, SIGKILL)
            waitpid(processID, nil, 0)
        }
    }

    package func send(signal: Int32) { kill(processID, signal) }

    /// Stops reading the program's output, as `| head` does.
    package func closeOutput() {
        if output >= 0 { close(output) }
        output = -1
    }

    /// Reads until the program has printed a number of bytes, or the time is up. True if it has.
    @discardableResult
    package func readOutput(atLeast count: Int, timeout: Double = Patience.seconds) -> Bool {
        let end = RunningProgram.now() + timeout
        while outputBytes.count < count, output >= 0, RunningProgram.now() < end {
            var none: ArraySlice<UInt8> = []
            exchange(&none, until: end, closesInput: false)
        }
        return outputBytes.count >= count
    }

    /// Writes input as far as the program takes it, and leaves its input open. It returns when all is written, the program has ended, or the
    /// time is up.
    package func feed(_ bytes: [UInt8], timeout: Double = Patience.seconds) {
        let end = RunningProgram.now() + timeout
        var rest = bytes[...]
        while !rest.isEmpty, output >= 0 || errors >= 0, RunningProgram.now() < end {
            exchange(&rest, until: end, closesInput: false)
        }
    }

    /// What the program has printed so far.
    package var outputSoFar: String { String(decoding: outputBytes, as: UTF8.self) }

    /// Feeds the rest of the input, reads everything, and waits for the end.
    package func finish(input bytes: [UInt8] = [], timeout: Double = Patience.seconds) -> Program.Result {
        let end = RunningProgram.now() + timeout
        var rest = bytes[...]
        var timedOut = false
        while output >= 0 || errors >= 0 {
            if RunningProgram.now() >= end {
                timedOut = true
                break
            }
            exchange(&rest, until: end, closesInput: true)
        }
        var status: Int32 = 0
        while !timedOut, waitpid(processID, &status, WNOHANG) == 0 {
            if RunningProgram.now() >= end { timedOut = true } else { usleep(1000) }
        }
        if timedOut {
            errorBytes += Array("\n[timed out: \(whatItsThreadsDo)]".utf8)
            kill(processID, SIGKILL)
            waitpid(processID, &status, 0)
        }
        isReaped = true
        let signal = status & 0x7F
        return Program.Result(
            outputBytes: outputBytes, errorBytes: errorBytes, exitCode: signal == 0 ? (status >> 8) & 0xFF : 128 + signal,
            timedOut: timedOut)
    }

    /// For whoever looks for the reason of a wait without an end: the state of each thread, the function of the kernel that it waits in, and the call.
    private var whatItsThreadsDo: String {
        let tasks = "/proc/\(processID)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
        let facts = threads.sorted().map { thread in
            ["stat", "wchan", "syscall"].map { name in
                let text = (try? String(contentsOfFile: "\(tasks)/\(thread)/\(name)", encoding: .utf8)) ?? ""
                return String(text.prefix(name == "stat" ? 30 : 100)).filter { $0 != "\n" }
            }.joined(separator: " ")
        }
        return facts.joined(separator: "; ")
    }

    private func exchange(_ rest: inout ArraySlice<UInt8>, until end: Double, closesInput: Bool) {
        if rest.isEmpty, closesInput, input >= 0 {
            close(input)
            input = -1
        }
        var polls = [
            pollfd(fd: rest.isEmpty ? -1 : input, events: Int16(POLLOUT), revents: 0),
            pollfd(fd: output, events: Int16(POLLIN), revents: 0),
            pollfd(fd: errors, events: Int16(POLLIN), revents: 0),
        ]
        let wait = min(max(0, end - RunningProgram.now()), 1)
        guard poll(&polls, 3, Int32(wait * 1000) + 1) > 0 else { return }
        if polls[0].revents != 0 {
            let written = rest.withUnsafeBytes { write(input, $0.baseAddress, min($0.count, 65536)) }
            if written > 0 { rest = rest.dropFirst(written) } else if written < 0, errno != EAGAIN { rest = [] }
        }
        if polls[1].revents != 0 { RunningProgram.read(&output, &outputBytes) }
        if polls[2].revents != 0 { RunningProgram.read(&errors, &errorBytes) }
    }

    private static func read(_ descriptor: inout Int32, _ bytes: inout [UInt8]) {
        var wouldBlock = false
        let chunk = [UInt8](unsafeUninitializedCapacity: 65536) { buffer, count in
            let result = Glibc.read(descriptor, buffer.baseAddress, 65536)
            wouldBlock = result < 0 && (errno == EAGAIN || errno == EINTR)
            count = max(0, result)
        }
        bytes += chunk
        if chunk.isEmpty, !wouldBlock {
            close(descriptor)
            descriptor = -1
        }
    }

    private static func pipe() -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        _ = Glibc.pipe(&ends)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    private static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func withStrings<Result>(_ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result) -> Result {
        let copies = strings.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }
}
