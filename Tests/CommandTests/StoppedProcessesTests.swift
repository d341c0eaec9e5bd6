import CBLTestSupport
import FoundationEssentials
import Glibc
import Testing

/// Processes that are stopped in the middle of something, as by a debugger, a full machine or Ctrl-Z, and go on later: the others wait for so
/// long as they say, and in the end all is as if nobody had been stopped.
@Suite(.timeLimit(.minutes(10))) struct StoppedProcessesTests {
    private let scratch: Scratch
    private var path: String { scratch.path }
    private var directory: String { scratch.directory.path }

    init() throws { scratch = try Scratch(["a": #"{"n":1}"#, "b": #"{"n":2}"#]) }

    /// Waits until the program has printed a text.
    private func wait(for text: String, from program: RunningProgram) throws {
        while !program.outputSoFar.contains(text) {
            try #require(program.readOutput(atLeast: program.outputSoFar.utf8.count + 1), "no \(text) in \(program.outputSoFar)")
        }
    }

    /// It returns when the process has stopped: the signal alone may take a moment.
    private func stop(_ program: RunningProgram) throws {
        program.send(signal: SIGSTOP)
        while true {
            let status = try String(contentsOfFile: "/proc/\(program.processID)/stat", encoding: .utf8)
            if status.split(separator: ")").last?.hasPrefix(" T") ?? false { return }
            usleep(1000)
        }
    }

    private func put(_ id: String, in path: String? = nil) throws {
        let result = try Program.run(["put", path ?? self.path, id, "{}"])
        #expect(result.exitCode == 0, "\(result.errors)")
    }

    private func waitUntilSame(_ other: String) throws {
        for _ in 0..<Int(10 * Patience.seconds) {
            if try Program.run(["diff", path, other]).output.isEmpty { return }
            usleep(100_000)
        }
        Issue.record("the databases do not come to the same")
    }

    /// The ten seconds for which a writer is waited for.
    @Test func aWriterInATransactionIsWaitedForAndToldOf() throws {
        let writer = try RunningProgram(["--writeable", path])
        writer.feed(Array("begin\nput c {}\n".utf8))
        try wait(for: "Created `c`", from: writer)
        try stop(writer)
        #expect(try Program.run(["ls", path]).lines == ["a", "b"])
        let refused = try ["put", "compact"].map { try RunningProgram([$0, path] + ($0 == "put" ? ["d", "{}"] : [])) }.map { $0.finish() }
        for result in refused {
            #expect(result.exitCode == 1 && !result.timedOut)
            #expect(
                result.errors == "cblite: \(path): another program is using the database and did not let go of it in time\n",
                "\(result.errors)")
        }
        let waiting = try RunningProgram(["put", path, "d", "{}"])
        writer.send(signal: SIGCONT)
        let result = writer.finish(input: Array("commit\n".utf8))
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(waiting.finish().exitCode == 0)
        #expect(try scratch.ids() == ["a", "b", "c", "d"])
        try scratch.expect(["check"])
    }

    /// Who reads keeps nobody from writing. It goes on with what it saw, or, if it was alone and has read without locks, says that this is over.
    @Test(arguments: [true, false]) func aReaderThatIsStoppedIsInNobodysWay(isOpenElsewhere: Bool) throws {
        let text = String(repeating: "x", count: 2000)
        try scratch.expect(["import", "-"], input: (100..<400).map { "{\"_id\":\"\($0)\",\"t\":\"\(text)\"}\n" }.joined())
        let other = try RunningProgram(["--writeable", path])
        if isOpenElsewhere {
            other.feed(Array("put b {}\n".utf8))
            try wait(for: "`b`", from: other)
        } else {
            _ = other.finish()
        }
        let reader = try RunningProgram(["cat", "--raw", path, "*"])
        // More than a pipe holds: it stands in the middle.
        #expect(reader.readOutput(atLeast: 2000))
        try stop(reader)
        try put("399a")
        try scratch.expect(["rm", "399"])
        try scratch.expect(["compact"])
        reader.send(signal: SIGCONT)
        let result = reader.finish()
        if isOpenElsewhere {
            #expect(result.exitCode == 0 && result.lines.count == 302, "\(result.lines.count) \(result.errors)")
            #expect(result.output.contains("\"_id\":\"399\"") && !result.output.contains("399a"))
        } else {
            #expect(result.exitCode == 1 && result.errors.hasSuffix("while it was being read; please repeat\n"), "\(result.errors)")
        }
        try scratch.expect(["check"])
    }

    private func serve(_ words: [String]) throws -> (program: RunningProgram, url: String) {
        let server = try RunningProgram(["serve", "--port", "0"] + words)
        try wait(for: "\n", from: server)
        return (server, String(server.outputSoFar.prefix { $0 != "\n" }))
    }

    @Test func aSyncWhoseServerIsStoppedNoticesItAndGoesOn() throws {
        let (server, url) = try serve([path])
        let other = directory + "/other.cblite2"
        let client = try RunningProgram(["sync", "--continuous", "--json", "--heartbeat", "1", other, url])
        try wait(for: #""activity":"idle""#, from: client)
        try stop(server)
        try put("mine", in: other)
        try put("theirs")
        try wait(for: #"{"event":"waiting","#, from: client)
        #expect(client.outputSoFar.contains("it does not answer"), "\(client.outputSoFar)")
        server.send(signal: SIGCONT)
        try waitUntilSame(other)
        #expect(try scratch.ids() == ["a", "b", "mine", "theirs"])
        client.send(signal: SIGINT)
        #expect(client.finish().exitCode == 0)
        server.send(signal: SIGINT)
        #expect(server.finish().exitCode == 0)
    }

    /// And the server can end while a client that it waits for does not answer.
    @Test func aClientThatIsStoppedComesToTheSameLater() throws {
        let (server, url) = try serve([path])
        let other = directory + "/other.cblite2"
        let client = try RunningProgram(["sync", "--continuous", "--json", other, url])
        try wait(for: #""activity":"idle""#, from: client)
        try stop(client)
        try scratch.expect(["import", "-"], input: (0..<500).map { "{\"_id\":\"later\($0)\"}\n" }.joined())
        client.send(signal: SIGCONT)
        try waitUntilSame(other)
        try stop(client)
        server.send(signal: SIGINT)
        #expect(server.finish().exitCode == 0)
        client.send(signal: SIGCONT)
        try wait(for: #"{"event":"waiting","#, from: client)
        client.send(signal: SIGINT)
        #expect(client.finish().exitCode == 0)
    }

    @Test func whoFollowsHearsOfAllThatHappenedMeanwhile() throws {
        let follower = try RunningProgram(["changes", "--follow", "--json", path])
        let watcher = try RunningProgram(["query", "--watch", "--json", path, "SELECT count(*) AS n FROM _"])
        try wait(for: #""b""#, from: follower)
        try wait(for: #"{"n":2}"#, from: watcher)
        for program in [follower, watcher] { try stop(program) }
        for number in 0..<5 { try put("new\(number)") }
        try scratch.expect(["rm", "a"])
        try scratch.expect(["compact"])
        for program in [follower, watcher] { program.send(signal: SIGCONT) }
        try wait(for: #"{"n":6}"#, from: watcher)
        for number in 0..<5 { try wait(for: "\"new\(number)\"", from: follower) }
        for program in [follower, watcher] {
            program.send(signal: SIGINT)
            #expect(program.finish().exitCode == 130)
        }
    }

    /// The limits of a server are tested with a clock that is moved by hand: `TimeoutTests`.
    @Test func aServerAnswersWhatCameWhileItWasStopped() throws {
        let (server, url) = try serve(["--rest", path])
        let port = try #require(url.split(separator: ":").last.flatMap { UInt16($0.prefix { $0.isNumber }) })
        var clients: [RunningProgram] = []
        try stop(server)
        for id in ["a", "b"] {
            let request = #"GET /scratch/%s HTTP/1.0\r\nHost: localhost\r\n\r\n"#
            let script = "exec 3<>/dev/tcp/127.0.0.1/$0; printf '\(request)' $1 >&3; echo sent; cat <&3"
            clients.append(try RunningProgram(["-c", script, "\(port)", id], program: "/bin/bash"))
        }
        for client in clients { try wait(for: "sent", from: client) }
        server.send(signal: SIGCONT)
        for client in clients { #expect(client.finish().output.contains("HTTP/1.1 200 OK")) }
        server.send(signal: SIGINT)
        #expect(server.finish().exitCode == 0)
    }
}
