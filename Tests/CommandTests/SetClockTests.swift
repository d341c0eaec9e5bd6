import CBLTestSupport
import FoundationEssentials
import Glibc
import Testing

/// The built program while somebody sets the machine's clock, by hours and years, forward and back: what waits, goes on, ends and is told does
/// not depend on the time of day, but for what has a date.
@Suite(.serialized, .timeLimit(.minutes(10)), .enabled(if: PreloadedLibrary.canBeMade, "there is no C compiler"))
struct SetClockTests {
    private let scratch: Scratch
    private let clock: SettableClock
    private var path: String { scratch.path }
    private var directory: String { scratch.directory.path }

    init() throws {
        scratch = try Scratch(["a": #"{"n":1}"#])
        clock = try SettableClock(in: scratch.directory.path)
    }

    private static let year = 365 * 24 * 3600

    private func start(_ words: [String]) throws -> RunningProgram { try RunningProgram(words, environment: clock.environment) }

    private func wait(for text: String, from program: RunningProgram) throws {
        while !program.outputSoFar.contains(text) {
            try #require(program.readOutput(atLeast: program.outputSoFar.utf8.count + 1), "no \(text) in \(program.outputSoFar)")
        }
    }

    private func serve(_ words: [String]) throws -> (program: RunningProgram, url: String) {
        let server = try start(["serve", "--port", "0"] + words)
        try wait(for: "\n", from: server)
        return (server, String(server.outputSoFar.prefix { $0 != "\n" }))
    }

    private func put(_ id: String, in path: String, _ flags: [String] = []) throws {
        let result = try start(["put"] + flags + [path, id, "{}"]).finish()
        #expect(result.exitCode == 0, "\(result.errors)")
    }

    /// The jumps that all programs of a test live through, in seconds.
    static let jumps = [[10 * year, -10 * year], [-20 * year, 20 * year], [7200, -7200, -7200], [-60 * year]]

    @Test(arguments: jumps) func whatGoesOnGoesOn(seconds: [Int]) throws {
        let other = directory + "/other.cblite2"
        let log = directory + "/log"
        let (server, url) = try serve([path, "--log-dir", log])
        let sync = try start(["sync", "--continuous", "--json", "--heartbeat", "2", other, url])
        let follower = try start(["changes", "--follow", "--json", path])
        let watcher = try start(["query", "--watch", "--json", path, "SELECT count(*) AS n FROM _"])
        try wait(for: #""activity":"idle""#, from: sync)
        try wait(for: #""id":"a""#, from: follower)
        try wait(for: #"{"n":1}"#, from: watcher)
        for (number, jump) in seconds.enumerated() {
            clock.jump(seconds: jump)
            try put("here\(number)", in: path)
            try put("there\(number)", in: other)
            for id in ["here\(number)", "there\(number)"] { try wait(for: "\"id\":\"\(id)\"", from: follower) }
            try wait(for: "{\"n\":\(3 + 2 * number)}", from: watcher)
            try wait(for: "\"id\":\"here\(number)\"", from: sync)
        }
        for program in [follower, watcher] {
            program.send(signal: SIGINT)
            #expect(program.finish().exitCode == 130)
        }
        sync.send(signal: SIGINT)
        let synced = sync.finish()
        // Nobody was taken for silent.
        #expect(synced.exitCode == 0 && !synced.output.contains(#""event":"waiting""#), "\(synced.output)")
        server.send(signal: SIGINT)
        #expect(server.finish().exitCode == 0)
        #expect(try Program.run(["diff", path, other]).output == "")
        let report = try Program.run(["logcat", "--report", log])
        #expect(report.exitCode == 0 && report.output.contains("127.0.0.1"), "\(report.output) \(report.errors)")
        for database in [path, other] { #expect(try Program.run(["check", database]).exitCode == 0) }
    }

    /// A clock that goes back lets nothing go too early. That what is over goes within a minute when the clock goes on, is for `ClockJumpTests`:
    /// here it is over when the server comes.
    @Test func whatHasADateKeepsIt() throws {
        for id in ["soon", "late", "now"] { try put(id, in: path) }
        func expire(_ id: String, _ duration: String) throws {
            let result = try start(["expire", path, id, duration]).finish()
            #expect(result.exitCode == 0, "\(result.errors)")
        }
        try expire("soon", "1h")
        try expire("late", "800d")
        func waitUntilGone(_ id: String) throws {
            while try Program.run(["ls", path, id]).output == "\(id)\n" { usleep(10_000) }
        }
        var (server, _) = try serve([path])
        func check(_ left: [String]) throws {
            #expect(try scratch.ids() == left)
            server.send(signal: SIGINT)
            #expect(server.finish().exitCode == 0)
        }
        clock.jump(seconds: -3 * Self.year)
        try expire("now", "1s")
        try waitUntilGone("now")
        try check(["a", "late", "soon"])
        for (gone, jump, left) in [("soon", 3 * Self.year + 7200, ["a", "late"]), ("late", 3 * Self.year, ["a"])] {
            clock.jump(seconds: jump)
            server = try serve([path]).program
            try waitUntilGone(gone)
            try check(left)
        }
    }

    /// A machine that does not know the time when it starts, and learns it.
    @Test func aDocumentCanBeChangedAtAnyTime() throws {
        let vectors = directory + "/vectors.cblite2"
        let made = try start(["--create", "--upgrade=vv", "put", vectors, "doc", #"{"n":0}"#]).finish()
        try #require(made.exitCode == 0, "\(made.errors)")
        for (number, year) in [0, 10, 1, -30, 0, -56, 5].enumerated() {
            clock.set(seconds: year * Self.year)
            for database in [path, vectors] {
                let result = try start(["put", database, "doc", "{\"n\":\(number + 1)}"]).finish()
                #expect(result.exitCode == 0, "\(year): \(result.errors)")
            }
        }
        for database in [path, vectors] {
            #expect(try Program.run(["cat", "--raw", database, "doc"]).output.contains("\"n\":7"))
            #expect(try Program.run(["check", database]).exitCode == 0)
        }
    }
}

/// A clock for other processes: they get this machine's time of day, and so many seconds more, which can be changed while they run. The functions
/// of the C library that tell the time of day are replaced in them; what counts seconds only is not.
final class SettableClock {
    private let library: PreloadedLibrary
    var environment: [String: String] { library.environment }

    private static let source = """
        static int64_t seconds(void) { return shared ? *(volatile int64_t *)shared : 0; }

        int clock_gettime(clockid_t clock, struct timespec *time) {
            static int (*real)(clockid_t, struct timespec *);
            if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
            int result = real(clock, time);
            if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) time->tv_sec += seconds();
            return result;
        }

        int gettimeofday(struct timeval *restrict time, void *restrict zone) {
            struct timespec now;
            clock_gettime(CLOCK_REALTIME, &now);
            time->tv_sec = now.tv_sec;
            time->tv_usec = now.tv_nsec / 1000;
            return 0;
        }

        time_t time(time_t *result) {
            struct timespec now;
            clock_gettime(CLOCK_REALTIME, &now);
            if (result) *result = now.tv_sec;
            return now.tv_sec;
        }

        """

    init(in directory: String) throws { library = try PreloadedLibrary("clock", Self.source, in: directory) }

    func set(seconds: Int) { library.memory.storeBytes(of: Int64(seconds), as: Int64.self) }
    func jump(seconds: Int) { set(seconds: Int(library.memory.load(as: Int64.self)) + seconds) }
}
