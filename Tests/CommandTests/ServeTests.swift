import CBLTestSupport
import FoundationEssentials
import Glibc
import Testing

/// `serve`, and other runs of the program that connect to it.
@Suite(.timeLimit(.minutes(10))) struct ServeTests {
    private let scratch: Scratch
    private var directory: String { scratch.directory.path }

    init() throws { scratch = try Scratch(["a": #"{"n":1}"#, "b": #"{"n":2}"#]) }

    /// A server that has told where it is.
    private struct Server {
        let program: RunningProgram
        let url: String

        init(_ words: [String]) throws {
            program = try RunningProgram(["serve", "--port", "0"] + words)
            program.readOutput(atLeast: 20)
            // The first line is there, perhaps with more.
            while !program.outputSoFar.contains("\n") { program.readOutput(atLeast: program.outputSoFar.utf8.count + 1) }
            url = String(program.outputSoFar.prefix { $0 != "\n" })
        }

        func stop(_ signal: Int32 = SIGINT) -> Program.Result {
            program.send(signal: signal)
            return program.finish()
        }
    }

    private func run(_ words: [String]) throws -> Program.Result { try Program.run(words) }

    @Test(arguments: [SIGINT, SIGTERM]) func whatIsServedCanBePulledAndPushedTo(_ signal: Int32) throws {
        let server = try Server([scratch.path, "-vv"])
        #expect(server.url.hasPrefix("ws://localhost:") && server.url.hasSuffix("/scratch"))
        let other = directory + "/other.cblite2"
        #expect(try run(["pull", server.url, other]).errors.hasPrefix("Completed 2 docs"))
        #expect(try run(["put", other, "c", "{}"]).exitCode == 0)
        #expect(try run(["push", other, server.url]).errors.hasPrefix("Completed 1 doc "))
        let result = server.stop(signal)
        #expect(result.exitCode == 0, "\(result.errors)")
        for line in [
            "For everybody on this machine, ", "connected to scratch (cblite)", "sent a", "received c",
            "Stopped; 1 document received, 2 sent.",
        ] {
            #expect(result.errors.contains(line), "\(result.errors)")
        }
        #expect(try run(["diff", scratch.path, other]).output == "")
        #expect(try run(["check", scratch.path]).exitCode == 0)
    }

    /// Each connection is a replication of its own, with its documents and whatever went wrong.
    @Test(arguments: [[], ["--log-text"]]) func whatClientsDoIsLogged(flags: [String]) throws {
        let log = directory + "/log"
        let server = try Server([scratch.path, "--log-dir", log, "--log-level", "verbose", "--user", "ada:secret"] + flags)
        let other = directory + "/other.cblite2"
        #expect(try run(["pull", server.url, other, "--user", "ada:secret"]).exitCode == 0)
        #expect(try run(["pull", server.url, other, "--user", "ada:wrong"]).exitCode == 1)
        let stopped = server.stop()
        // They are told to the log alone.
        #expect(!stopped.errors.contains("sent a"))
        let report = try run(["logcat", "--report", log]).output
        #expect(report.contains("ada at 127.0.0.1: 2 documents, ended "), "\(report)")
        #expect(report.contains("127.0.0.1 was refused") && !report.contains("----"))
        let lines = try run(["logcat", log]).lines
        #expect(lines.contains { $0.contains("Repl#1") && $0.contains("documentEnded (push) a 1-") }, "\(lines)")
        #expect(
            lines.contains { $0.contains("Starting Replicator of scratch with config: {Push=passive, Pull=passive} and endpoint: ada") })
    }

    @Test func theInteractiveShellServesTheOpenDatabaseUntilCtrlC() throws {
        let terminal = try PseudoTerminal(["--writeable", scratch.path])
        try terminal.waitForLine("scratch>")
        terminal.type("serve --port 0\n")
        try terminal.waitForText("Ctrl-C ends it.")
        let url = try #require(terminal.screen.lines.first { $0.hasPrefix("ws://localhost:") && $0.hasSuffix("/scratch") })
        let other = directory + "/other.cblite2"
        #expect(try run(["pull", url, other]).errors.hasPrefix("Completed 2 docs"))
        terminal.type("\u{3}")
        try terminal.waitForText("Stopped; 0 documents received, 2 sent.")
        // The prompt is back, and the database is as open as it was.
        try terminal.waitForLine("scratch>")
        #expect(try terminal.run("put c {}", prompt: "scratch>").joined().contains("Created"))
        terminal.type("\u{4}")
        #expect(try terminal.finish() == 0)
    }

    @Test func eventsAreLinesForPrograms() throws {
        let server = try Server([scratch.path, "--json", "-vv"])
        struct Line: Decodable {
            let event: String
            let urls: [String]?
            let received: Int?
            let id: String?
            let protocolName: String?
            enum CodingKeys: String, CodingKey {
                case event, urls, received, id
                case protocolName = "protocol"
            }
        }
        func lines(_ text: String) throws -> [Line] {
            try text.split(separator: "\n").map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
        }
        let url = try #require(try lines(server.program.outputSoFar).first?.urls?.first)
        #expect(try run(["pull", url, directory + "/other.cblite2"]).exitCode == 0)
        let events = try lines(server.stop().output)
        #expect(events.map(\.event) == ["listening", "connected", "sent", "sent", "ended", "stopped"])
        #expect(events[1].protocolName == "BLIP_3+CBMobile_3" && events[2].id == "a" && events[5].received == 0)
    }

    @Test func aCertificateOfItsOwnIsKept() throws {
        let identity = directory + "/server.pem"
        let password = directory + "/password"
        try Data("open sesame\n".utf8).write(to: URL(filePath: password))
        chmod(password, 0o600)
        let words = [scratch.path, "--address", "127.0.0.1", "--identity", identity, "--user", "ada:@\(password)"]
        var fingerprints: [String] = []
        for _ in 0..<2 {
            let server = try Server(words)
            #expect(server.url.hasPrefix("wss://"))
            let pull = ["pull", server.url, directory + "/other.cblite2", "--cacert", directory + "/server.crt", "--user"]
            #expect(try run(pull + ["ada:wrong"]).errors.contains("wrong user name or password"))
            let pulled = try run(pull + ["ada:open sesame"])
            #expect(pulled.exitCode == 0, "\(pulled.errors)")
            let errors = server.stop().errors
            #expect(!errors.contains("sesame") && !errors.contains("can read"))
            fingerprints += errors.split(separator: "\n").filter { $0.hasPrefix("SHA-256 of the certificate: ") }.map(String.init)
        }
        #expect(fingerprints.count == 2 && fingerprints[0] == fingerprints[1])
        var facts = stat()
        #expect(stat(identity, &facts) == 0 && facts.st_mode & 0o777 == 0o600)
        #expect(try !String(contentsOfFile: directory + "/server.crt", encoding: .utf8).contains("PRIVATE"))
    }

    @Test func somebodyMayPullOnly() throws {
        let users = directory + "/users"
        try Data("[push-only scratch]\nsensor:x\n".utf8).write(to: URL(filePath: users))
        chmod(users, 0o600)
        let words = [scratch.path, "--address", "127.0.0.1", "--user", "ada:x", "--reader", "bob:x", "--users", users]
        let server = try Server(words)
        let other = directory + "/other.cblite2"
        #expect(try run(["pull", server.url, other, "--user", "bob:x"]).exitCode == 0)
        #expect(try run(["put", other, "c", "{}"]).exitCode == 0)
        let refused = try run(["push", other, server.url, "--user", "bob:x"])
        #expect(refused.exitCode == 1 && refused.errors.contains("pull-only"), "\(refused.errors)")
        #expect(try run(["pull", server.url, directory + "/x.cblite2", "--user", "sensor:x"]).exitCode == 1)
        #expect(try run(["push", other, server.url, "--user", "sensor:x"]).exitCode == 0)
        let result = server.stop()
        #expect(result.errors.contains("For ada, bob (to pull only), sensor (to push only)"), "\(result.errors)")
        try Data("[read-only scratsch]\nsensor:x\n".utf8).write(to: URL(filePath: users))
        let unknown = try run(["serve"] + words)
        #expect(unknown.exitCode == 1 && unknown.errors.contains("no database \"scratsch\" is served. Did you mean"), "\(unknown.errors)")
    }

    @Test func severalDatabasesHaveNames() throws {
        let other = directory + "/other.cblite2"
        let server = try Server(["--create", scratch.path, "second=\(other)", "-C", "_default", "--collection", "second:garden.flowers"])
        let base = server.url.dropLast("scratch".count)
        #expect(try run(["pull", server.url, directory + "/x.cblite2"]).exitCode == 0)
        #expect(try run(["--create", "mkcoll", directory + "/y.cblite2", "garden.flowers"]).exitCode == 0)
        #expect(try run(["put", "-C", "garden.flowers", directory + "/y.cblite2", "rose", "{}"]).exitCode == 0)
        let pushed = try run(["push", "-C", "garden.flowers", directory + "/y.cblite2", base + "second"])
        #expect(pushed.exitCode == 0, "\(pushed.errors)")
        #expect(try run(["push", "-C", "garden.flowers", directory + "/y.cblite2", server.url]).exitCode == 1)
        #expect(server.stop().exitCode == 0)
        #expect(try run(["ls", "-C", "garden.flowers", other]).output == "rose\n")
    }

    @Test func whoOpensADatabaseToTheNetworkIsWarned() throws {
        for (words, warning) in [
            (["--address", "0.0.0.0"], "everybody who can reach this machine can read and change"),
            (["--address", "0.0.0.0", "--read-only"], "everybody who can reach this machine can read what"),
            (["--user", "ada:x", "--address", "0.0.0.0"], "go over the network as they are"),
            // Without TLS only this machine can, unless somebody says otherwise.
            (["--user", "ada:x"], "For ada on this machine, "), (["--user", "ada:x"], "Others cannot connect: "),
        ] {
            let result = try Server([scratch.path] + words).stop()
            #expect(result.exitCode == 0 && result.errors.contains(warning), "\(words): \(result.errors)")
        }
        let quiet = try Server([scratch.path]).stop()
        #expect(!quiet.errors.contains("cblite: "))
    }

    @Test(
        arguments: [
            (["--user", "ada"], 2, "the password is missing"), (["--user", "ada:"], 2, "the password of ada is empty"),
            (["--user", ":x"], 2, "--user needs a name"), (["--reader", ":x"], 2, "--reader needs a name"),
            (["--user", "ada:@/nonexistent"], 1, "/nonexistent: "),
            (["--users", "/nonexistent"], 1, "/nonexistent: "), (["--users", "/dev/null"], 1, "there is no user in it"),
            (["--cert", "/nonexistent"], 2, "--cert needs a --key"), (["--key", "/nonexistent"], 2, "--key needs a --cert"),
            (["--cert", "/nonexistent", "--key", "/nonexistent"], 1, "/nonexistent: "),
            (["--client-ca", "/dev/null"], 1, "no certificate in it"),
            (["--identity", "/dev/null"], 1, "/dev/null: "), (["--address", "nowhere.invalid"], 1, "no network interface or address"),
            (["--allow-host", "a b"], 2, "it must be the name of a host"), (["--allow-host", "a:80"], 2, "without a port"),
            (["--allow-origin", "null"], 2, "an origin is https://HOST"), (["--allow-origin", "https://a/b"], 2, "has no path"),
            (["--read-only", "--push-only"], 2, "nothing to be done"), (["-C", "flowers"], 1, "no collection \"flowers\""),
            (["-C", "other:flowers"], 2, "no database \"other\" is served"), (["--port", "70000"], 2, "70000"),
            (["a/../nowhere.cblite2"], 3, "no such database"),
        ] as [([String], Int32, String)])
    func mistakesAreExplained(words: [String], exitCode: Int32, message: String) throws {
        let result = try Program.run(["serve", "--port", "0", scratch.path] + words)
        #expect(result.exitCode == exitCode && result.errors.contains(message), "\(result.exitCode): \(result.errors)")
        #expect(result.output.isEmpty)
    }

    @Test func aPortThatIsInUseIsSaid() throws {
        let server = try Server([scratch.path])
        let port = try #require(server.url.split(separator: ":").last?.split(separator: "/").first)
        let second = try run(["serve", scratch.path, "--port", String(port)])
        #expect(second.exitCode == 1 && second.errors.contains("another program uses the port already"))
        #expect(
            try run(["serve", scratch.path, "x=\(scratch.path)", scratch.path]).errors.contains("two databases are called \"scratch\""))
        _ = server.stop()
    }

    /// Killed in the middle of a push, whatever was written is whole, and the push goes on with the next server.
    @Test func aServerThatIsKilledLosesNothingThatItHasAcknowledged() throws {
        let source = directory + "/source.cblite2"
        let lines = (0..<20_000).map { #"{"_id":"d\#($0)","text":"\#(String(repeating: "x", count: $0 % 300))"}"# }.joined(separator: "\n")
        #expect(try Program.run(["--create", "import", "--jsonid", "_id", source, "-"], input: lines).exitCode == 0)
        let target = directory + "/target.cblite2"
        for round in 0..<3 {
            let server = try Server(["--create", target, "--json", "-vv"])
            let url = try #require(server.program.outputSoFar.split(separator: "\"").first { $0.hasPrefix("ws://") })
            let push = try RunningProgram(["push", source, String(url)])
            // Some documents have come.
            server.program.readOutput(atLeast: 4000 * (round + 1))
            server.program.send(signal: SIGKILL)
            push.send(signal: SIGINT)
            _ = push.finish()
            _ = server.program.finish()
            let check = try run(["check", target])
            #expect(check.exitCode == 0, "round \(round): \(check.output)\(check.errors)")
        }
        let server = try Server([target])
        let pushed = try run(["push", source, server.url])
        #expect(pushed.exitCode == 0, "\(pushed.errors)")
        #expect(server.stop().exitCode == 0)
        #expect(try run(["diff", source, target]).output == "")
    }
}
