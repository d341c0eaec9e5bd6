import CBLBase
import CBLTestSupport
import FoundationEssentials
import Glibc
import Testing

/// `logcat`
@Suite struct LogcatTests {
    private let directory: TemporaryDirectory
    private var folder: String { directory.path + "/logs" }

    init() throws {
        directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        try write(
            "cbl_info_1700000000000.cbllog", binary([(100, "DB", "Opened database /tmp/a.cblite2"), (300, "Sync", "Started")], .info))
        try write(
            "cbl_warning_1700000000000.cbllog",
            Array(
                """
                2023-11-14T22:13:20.000200Z Sync WARNING Obj=/Repl#1/ no answer for 3 s, "x"
                2023-11-14T22:13:20.000400Z Sync WARNING Obj=/Repl#1/ no answer for 7 s, "y"
                  and more

                """.utf8))
        try write("cbl_error_1700000000000.cbllog", binary([(500, "WS", "gone \u{1B}[31mred")], .error))
    }

    private func write(_ name: String, _ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(filePath: folder + "/" + name)) }

    private func binary(_ messages: [(UInt64, String, String)], _ level: MessageLevel) -> [UInt8] {
        let start: UInt64 = 1_700_000_000_000_000_000
        var encoder = LogEncoder(at: LogTime(nanoseconds: start))
        var bytes = encoder.header
        for (time, domain, text) in messages {
            bytes += encoder.message("%s", text, level, domain: domain, at: LogTime(nanoseconds: start + time * 1000))
        }
        return bytes
    }

    @Test func filesOfBothFormsAreMergedByTime() throws {
        let result = try Program.run(["logcat", folder])
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(
            result.output == """
                2023-11-14T22:13:20.000100Z I DB     Opened database /tmp/a.cblite2
                2023-11-14T22:13:20.000200Z W Sync   /Repl#1/ no answer for 3 s, "x"
                2023-11-14T22:13:20.000300Z I Sync   Started
                2023-11-14T22:13:20.000400Z W Sync   /Repl#1/ no answer for 7 s, "y"
                      and more
                2023-11-14T22:13:20.000500Z E WS     gone \u{1B}[31mred

                """)
    }

    @Test(arguments: [
        (["--level", "warn"], 3), (["--level", "error"], 1), (["--level", "error,Sync:info"], 4), (["--domain", "sync"], 3),
        (["--object", "Repl"], 2), (["--grep", "NO ANSWER"], 2), (["--grep", "/[0-9] s/"], 2), (["--since", "2023-11-15"], 0),
        (["--until", "2023-11-13"], 0), (["-n", "2"], 2), (["--domain", "DB,WS"], 2),
    ])
    func messagesAreChosen(flags: [String], count: Int) throws {
        let result = try Program.run(["logcat", "--json"] + flags + [folder])
        #expect(result.exitCode == 0 && result.lines.count == count, "\(result.output)\(result.errors)")
    }

    @Test func tablesAndObjectsAreForPrograms() throws {
        let csv = try Program.run(["logcat", "--csv", "--level", "warn", folder]).output
        #expect(
            csv == "Time,Level,Domain,Object,Message\r\n"
                + "2023-11-14T22:13:20.000200Z,warning,Sync,/Repl#1/,\"no answer for 3 s, \"\"x\"\"\"\r\n"
                + "2023-11-14T22:13:20.000400Z,warning,Sync,/Repl#1/,\"no answer for 7 s, \"\"y\"\"\n  and more\"\r\n"
                + "2023-11-14T22:13:20.000500Z,error,WS,,\"gone \u{1B}[31mred\"\r\n")
        let json = try Program.run(["logcat", "--json", "-n", "1", folder]).output
        #expect(
            json == #"{"time":"2023-11-14T22:13:20.000100Z","level":"info","domain":"DB","message":"Opened database /tmp/a.cblite2"}"#
                + "\n")
    }

    @Test func aReportSaysWhatHappened() throws {
        let report = try Program.run(["logcat", "--report", folder]).output
        for text in ["Messages:   5", "Sync: 2 warning, 1 info", "Opened database /tmp/a.cblite2", "2 times until", "error"] {
            #expect(report.contains(text), "\(text): \(report)")
        }
        let facts = try Program.run(["logcat", "--report", "--json", folder]).lines
        #expect(facts.count == 5 && facts[0].contains(#""messages":5"#) && facts[3].contains(#""level":"error""#))
        #expect(facts[1].contains(#""database":"Opened database /tmp/a.cblite2""#) && facts[2].contains(#""replication":"Repl#1""#))
    }

    /// What the vendor's library writes of queries and replications, and what it leaves of a crash.
    @Test func aReportTellsOfQueriesReplicationsAndCrashes() throws {
        let other = directory.path + "/app"
        try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: false)
        let lines = """
            Query Info Obj=/DB#1/Query#3/ Compiling N1QL query: SELECT name
            FROM _ WHERE \u{1B}[31mcity = 'Porto'
            Query Info Obj=/DB#1/QueryEnum#4/ Created on {Query#3} with 1234 rows (5678 bytes) in 812.345ms
            Query Info Obj=/DB#1/QueryEnum#5/ Created on {Query#3} with 1 rows (20 bytes) in 3.100ms
            Query Info Obj=/DB#1/QueryEnum#6/ Created on {Query#9} with 7 rows (20 bytes) in 9999999999999999999999.1ms
            Sync Info Obj=/C4Repl#7/ Starting Replicator a with config: {{}} and endpoint: wss://sync.example.com/travel
            Sync Info Obj=/C4Repl#7/Repl#8/ Connected!
            SyncBusy Info Obj=/C4Repl#7/Repl#8/ pushStatus=busy, pullStatus=busy, progress=10/20/120
            Sync Info Obj=/C4Repl#7/Repl#8/ documentEnded (push) doc-1 2-ab flags=00 (6/403)
            Sync Info Obj=/C4Repl#7/Repl#8/ documentEnded (pull) doc-2 2-ab flags=00 (0/0)
            Sync ERROR Obj=/C4Repl#7/Repl#8/ Stopping due to fatal error: WebSocket error 403, "forbidden"
            Sync Info Obj=/C4Repl#7/Repl#8/ Connection closed with WebSocket/HTTP status 403: "forbidden" (state=2->0)
            Sync Info Obj=/C4Repl#7/ State: stopped, progress=100.00%
            Sync Info Obj=/C4Repl#7/ Starting Replicator a with config: {{}} and endpoint: wss://sync.example.com/travel
            Sync Info Obj=/C4Repl#7/Repl#9/ Connection closed with WebSocket/HTTP status 1000: "" (state=2->0)
            """
        let text = lines.split(separator: "\n").enumerated().map { index, line in
            line.hasPrefix("FROM") ? "  " + line : "2023-11-14T22:13:20.\(100_000 + index)Z \(line)"
        }
        try Data((text.joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: other + "/cbl_info_1700000000000.cbllog"))
        try Data("App crashed: bad access\u{1B}c\nframe 1\nframe 2\n".utf8).write(to: URL(filePath: other + "/cbl_crash.log"))
        let report = try Program.run(["logcat", "--report", other])
        for text in [
            "Queries:    2, the slowest:", "812.3 ms  1,234 rows  SELECT name FROM _ WHERE", "3.1 ms  1 row",
            "wss://sync.example.com/travel: 120 documents, 1 failed, ended", "    WebSocket error 403, \"forbidden\"",
            "wss://sync.example.com/travel: 0 documents, last heard of", "Crash:      \(other)/cbl_crash.log", "  frame 2",
        ] { #expect(report.output.contains(text), "\(text): \(report.output)") }
        #expect(!report.output.contains("status 1000"))
        let facts = try Program.run(["logcat", "--report", "--json", other]).lines
        #expect(facts.contains { $0.contains(#""rows":1234"#) && $0.contains(#""microseconds":812345"#) })
        #expect(facts.contains { $0.contains(#""documents":120,"failed":1,"connections":1,"ended":true"#) })
        #expect(facts.contains { $0.contains(#""crash":"#) })
        // Nothing in it is a message for the terminal.
        let terminal = try PseudoTerminal(["logcat", "--report", other], columns: 200)
        try terminal.waitForText("Crash:")
        _ = try terminal.finish()
        #expect(!terminal.text.contains("\u{1B}c") && !terminal.text.contains("\u{1B}[31mcity"))
    }

    @Test func damageIsSaidBehindWhatCouldBeRead() throws {
        let file = folder + "/cbl_info_1700000000000.cbllog"
        let whole = try Data(contentsOf: URL(filePath: file))
        try whole.dropLast(3).write(to: URL(filePath: file))
        let cut = try Program.run(["logcat", file])
        #expect(cut.exitCode == 1 && cut.lines.count == 1 && cut.errors.contains("ends inside a message"))
        try Data("hello, this is no log of anything at all".utf8).write(to: URL(filePath: file))
        let other = try Program.run(["logcat", file])
        #expect(other.exitCode == 1 && other.output.isEmpty && other.errors.contains("no log of Couchbase Lite"))
        let empty = try Program.run(["logcat", directory.path])
        #expect(empty.exitCode == 1 && empty.errors.contains(".cbllog"))
        #expect(try Program.run(["logcat", folder + "/none"]).exitCode == 1)
        for flags in [["--level", "loud"], ["--since", "soon"], ["--grep", "/(/"], ["--report", "-f"], ["--csv", "--json"]] {
            #expect(try Program.run(["logcat"] + flags + [folder]).exitCode == 2, "\(flags)")
        }
    }

    @Test func whatIsWrittenIsFollowed() throws {
        let program = try RunningProgram(["logcat", "-f", folder])
        for _ in 0..<Int(10 * Patience.seconds) where !program.outputSoFar.contains("red") {
            program.readOutput(atLeast: .max, timeout: 0.1)
        }
        // More in a file that is there, and a new file.
        let file = folder + "/cbl_info_1700000000000.cbllog"
        let more = binary([(100, "DB", "Opened database /tmp/a.cblite2"), (300, "Sync", "Started"), (700, "DB", "later")], .info)
        let before = try Data(contentsOf: URL(filePath: file)).count
        let handle = try #require(fopen(file, "ab"))
        _ = more[before...].withUnsafeBytes { fwrite($0.baseAddress, 1, $0.count, handle) }
        fclose(handle)
        try write("cbl_debug_1700000000000.cbllog", binary([(900, "Query", "newest")], .debug))
        for _ in 0..<Int(10 * Patience.seconds) where !(program.outputSoFar.contains("later") && program.outputSoFar.contains("newest")) {
            program.readOutput(atLeast: .max, timeout: 0.1)
        }
        program.send(signal: SIGINT)
        let result = program.finish()
        #expect(result.output.contains("DB     later") && result.output.contains("d Query  newest") && result.exitCode == 130)
    }

    /// Text of a stranger's log does nothing to the screen.
    @Test func nothingReachesTheTerminalAsItIs() throws {
        let terminal = try PseudoTerminal(["logcat", folder], columns: 120)
        try terminal.waitForText("gone")
        _ = try terminal.finish()
        #expect(terminal.text.contains("[31mred") && terminal.text.contains("gone "))
    }
}
