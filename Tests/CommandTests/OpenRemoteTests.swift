import CBLTestSupport
import FoundationEssentials
import Glibc
import Testing

/// `cblite ws://…`: a copy of a server's database, for as long as one looks at it.
@Suite struct OpenRemoteTests {
    private let scratch: Scratch
    private let server: SyncServer
    /// Where the copies are made.
    private let folder: String

    init() throws {
        scratch = try Scratch()
        server = try SyncServer(scratch, user: "ada", password: "secret")
        for number in 1...3 { try server.put("doc-\(number)", "{\"n\":\(number)}") }
        folder = scratch.directory.path + "/temporary"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    }

    private var environment: [String: String] {
        [
            "TMPDIR": folder, "CBLITE_PASSWORD": "secret", "HOME": scratch.directory.path,
            "XDG_STATE_HOME": scratch.directory.path + "/state",
        ]
    }
    private func copies() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder) }

    private func run(_ words: [String], _ script: String) throws -> Program.Result {
        try Program.run(words + ["--user", "ada"], input: script, environment: environment)
    }

    @Test func statementsRunOnACopyThatIsGoneAfterwards() throws {
        let result = try run([server.url], "SELECT n FROM _ ORDER BY n;\nls\n")
        #expect(result.exitCode == 0 && result.errors.hasPrefix("Completed 3 docs"), "\(result.errors)")
        #expect(result.lines == ["1", "2", "3", "doc-1", "doc-2", "doc-3"])
        let json = try run(["--json", "openremote", server.url, "--filter", "n > 2"], "ls\n")
        #expect(json.lines.count == 1 && json.output.contains(#""id":"doc-3""#))
        #expect(try run([server.url, "--doc-id", "doc-2"], "put x {}\n").errors.contains("opened for reading only"))
        #expect(try copies().isEmpty)
    }

    @Test func aCopyThatIsOnlyLookedAtCanBeRenewed() throws {
        let process = try RunningProgram([server.url, "--user", "ada"], environment: environment)
        process.feed(Array("ls\n".utf8))
        #expect(process.readOutput(atLeast: 5))
        try server.put("late", "{}")
        let result = process.finish(input: Array("pull\nput x {}\n".utf8))
        // It is open for reading again afterwards.
        #expect(result.exitCode == 1 && result.errors.contains("Pulling from \(server.url)."), "\(result.errors)")
        #expect(result.errors.contains("Completed 1 doc ") && result.errors.contains("opened for reading only"), "\(result.errors)")
        #expect(try copies().isEmpty)
    }

    @Test func whatCannotBePulledLeavesNothing() throws {
        #expect(try Program.run([server.url, "--user", "ada:wrong"], environment: environment).exitCode == 1)
        #expect(try run(["openremote", "nowhere"], "").exitCode == 2)
        #expect(try run([server.url, "-C", "nope"], "").errors.contains("the server has no collection \"nope\""))
        #expect(try run([server.url, "ls"], "").exitCode == 2)
        #expect(try copies().isEmpty)
    }

    @Test func changesArePushedWithoutNamingTheServer() throws {
        let result = try run(["--writeable", server.url], "put new {\"n\":4}\npush\n")
        #expect(result.exitCode == 0 && result.errors.contains("Pushing to \(server.url)."), "\(result.errors)")
        #expect(try server.documents().count == 4)
        #expect(try run(["openremote", server.url, "--bidi"], "rm new\n").exitCode == 0)
        #expect(try server.documents().count == 3)
        #expect(try copies().isEmpty)
    }

    @Test func changesThatNobodyPushedAreNotLost() throws {
        let result = try run(["--writeable", server.url], "put new {}\n")
        #expect(result.exitCode == 0 && result.errors.contains("1 document was changed and not pushed"), "\(result.errors)")
        let copy = try #require(try copies().first)
        #expect(try run([server.url], "").exitCode == 0)
        #expect(try copies() == [copy])
        let bundle = folder + "/" + copy + "/db@127.0.0.1.cblite2"
        #expect(try Program.run(["push", bundle, "--user", "ada"], environment: environment).exitCode == 0)
        #expect(try server.documents().keys.contains("new"))
    }

    @Test(arguments: [SIGTERM, SIGHUP, SIGKILL]) func aSignalLeavesNothing(signal: Int32) throws {
        let process = try RunningProgram([server.url, "--user", "ada"], environment: environment)
        process.feed(Array("ls\n".utf8))
        // It is open when it has answered, and waits for the next statement.
        #expect(process.readOutput(atLeast: 1))
        #expect(try copies().count == 1)
        process.send(signal: signal)
        while kill(process.processID, 0) == 0, try !copies().isEmpty, !isGone(process.processID) { usleep(5000) }
        if signal != SIGKILL { #expect(try copies().isEmpty) }
        // What a session could not remove itself is removed by the next one.
        #expect(try run([server.url], "").exitCode == 0)
        #expect(try copies().isEmpty)
    }

    /// Whether a process has ended with all its threads, each of which holds its files, and only its parent has not heard of it.
    private func isGone(_ process: pid_t) -> Bool {
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
        guard threads.count < 2 else { return false }
        let status = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
        return status.isEmpty || status.contains(") Z ")
    }

    @Test func aCopyThatIsInUseIsLeftAlone() throws {
        let process = try RunningProgram([server.url, "--user", "ada"], environment: environment)
        process.feed(Array("ls\n".utf8))
        #expect(process.readOutput(atLeast: 1))
        #expect(try run([server.url], "ls\n").exitCode == 0)
        #expect(try copies().count == 1)
        #expect(process.finish(input: Array("ls\n".utf8)).exitCode == 0)
        #expect(try copies().isEmpty)
    }

    // At a terminal

    @Test func thePromptTellsTheServerAndThePasswordIsAskedFor() throws {
        var variables = environment
        variables["CBLITE_PASSWORD"] = nil
        let terminal = try PseudoTerminal(["--writeable", server.url("ada@")], environment: variables, columns: 100)
        try terminal.waitForLine("Password of ada at 127.0.0.1:")
        terminal.type("secret\n")
        try terminal.waitForLine("db@127.0.0.1>")
        #expect(!terminal.text.contains("secret"))
        #expect(try terminal.run("ls", prompt: "db@127.0.0.1>").first?.contains("doc-1") ?? false)
        try terminal.run("put new {}", prompt: "db@127.0.0.1>")
        terminal.type("quit\n")
        // The server is known, and so is who is asking.
        try terminal.waitForText("Push now? [y/N]")
        terminal.type("y\n")
        #expect(try terminal.finish() == 0)
        #expect(try server.documents().count == 4)
        #expect(try copies().isEmpty)
    }

    @Test(arguments: [false, true]) func whatIsNewComesByItself(_ isWriteable: Bool) throws {
        let words = [server.url, "--user", "ada", "--continuous"] + (isWriteable ? ["--writeable"] : [])
        let terminal = try PseudoTerminal(words, environment: environment, columns: 100)
        let prompt = "db@127.0.0.1>"
        try terminal.waitForLine(prompt)
        try server.put("late", "{}")
        var lines: [String] = []
        for _ in 0..<10_000 where lines.first != "4" { lines = try terminal.run("SELECT count(*) FROM _", prompt: prompt) }
        #expect(lines.first == "4")
        // Others may write at the same time.
        if isWriteable {
            try terminal.run("put new {}", prompt: prompt)
            try terminal.run("push", prompt: prompt)
            #expect(try server.documents().count == 5)
        }
        terminal.type("quit\n")
        #expect(try terminal.finish() == 0)
        #expect(try copies().isEmpty)
    }

    @Test func aScriptMayFollowToo() throws {
        let result = try run([server.url, "--continuous"], "ls\n")
        #expect(result.exitCode == 0 && !result.errors.contains("any more"), "\(result.errors)")
        #expect(result.output.hasPrefix("doc-1"))
        #expect(try copies().isEmpty)
    }

    @Test func ctrlCAtTheQuestionEndsIt() throws {
        var variables = environment
        variables["CBLITE_PASSWORD"] = nil
        let terminal = try PseudoTerminal(["pull", server.url, scratch.path, "--user", "ada"], environment: variables, columns: 100)
        try terminal.waitForLine("Password of ada at 127.0.0.1:")
        terminal.type("\u{3}")
        #expect(try terminal.finish() == 130)
        #expect(terminal.isReadingPlainly)
    }

    @Test func aContinuousPullTellsHowItGoesOnUntilCtrlC() throws {
        let terminal = try PseudoTerminal(
            ["pull", "--continuous", server.url, scratch.path, "--user", "ada"], environment: environment, columns: 100)
        // It is up to date when the checkpoint is saved, a little later.
        try terminal.waitForText(": 3 documents")
        try server.put("late", "{}")
        try terminal.waitForText("Up to date; Ctrl-C ends: 4 documents")
        terminal.type("\u{3}")
        #expect(try terminal.finish() == 0)
        #expect(terminal.text.contains("Completed 4 docs in "))
        #expect(!terminal.text.contains("Up to date"))
        #expect(try scratch.ids().count == 4)
    }
}
