import CBLTestSupport
import FoundationEssentials
import Glibc
import Testing

/// `begin`, `commit` and `rollback` in scripts and at the prompt.
struct TransactionTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch(["a": #"{"n":1}"#, "b": #"{"n":2}"#]) }

    private func run(_ script: String, _ flags: [String] = ["--writeable"]) throws -> Program.Result {
        try Program.run(flags + [scratch.path], input: script, directory: scratch.directory.path)
    }

    @Test(arguments: ["begin\n…\ncommit\n", "BEGIN;\n…\nCOMMIT;\n", "begin transaction; …\ncommit work", "Begin Transaction;\n…\ncommit;"])
    func keepsWhatWasCommitted(script: String) throws {
        let result = try run(script.replacing("…", with: "put c {\"n\": 3}\nrm a"))
        #expect(result.exitCode == 0)
        #expect(result.errors == "")
        #expect(try scratch.ids() == ["b", "c"])
    }

    @Test func forgetsWhatWasRolledBack() throws {
        let result = try run(
            """
            begin
            put c {"n": 3}
            mkcoll things
            put -C things t {}
            mkindex byN n
            UPDATE _ SET n = n + 10;
            SELECT sum(n) AS n FROM _;
            ls; lscoll --json
            rollback
            SELECT sum(n) AS n FROM _;
            ls; lscoll --json
            put d {}

            """)
        #expect(result.exitCode == 0, "\(result.errors)")
        let lines = result.lines.filter { !$0.contains("Created") && !$0.contains("updated") }
        #expect(
            lines == [
                "36", "a", "b", "c",
                #"{"collection":"_default","documents":3,"deleted":0,"expiring":0}"#,
                #"{"collection":"things","documents":1,"deleted":0,"expiring":0}"#, "3", "a", "b",
                #"{"collection":"_default","documents":2,"deleted":0,"expiring":0}"#,
            ])
        #expect(result.output.contains("Created `d`, new revision 1-a5bb2524 (sequence 3)"))
        #expect(try Program.run(["check", scratch.path]).exitCode == 0)
    }

    /// Every command that looks sees the state of the transaction; another process sees what was before.
    @Test func everyCommandSeesIt() throws {
        let other = scratch.directory.path + "/other.cblite2"
        try scratch.expect(["cp", other])
        let outside = #"!"\#(Program.path)" ls "\#(scratch.path)""#
        let result = try run(
            """
            begin
            put d {}
            ls
            changes --json --since 2
            export - --format jsonl
            SELECT count(*) AS n FROM _;
            sql SELECT key FROM kv_default ORDER BY key
            diff --json \(other)
            \(outside)
            commit
            \(outside)

            """, ["--writeable", "--keep-going"])
        let lines = result.lines.dropFirst()
        #expect(lines.prefix(3) == ["a", "b", "d"])
        #expect(lines.contains { $0.hasPrefix(#"{"id":"d","sequence":"#) || $0.contains(#""id":"d""#) })
        #expect(lines.contains(#"{"_id":"d"}"#))
        #expect(lines.contains("3"))
        #expect(lines.contains(#" ["d"]]"#))
        #expect(lines.contains { $0.contains("removed") && $0.contains(#""d""#) })
        #expect(lines.suffix(5) == ["a", "b", "a", "b", "d"])
    }

    @Test func whatFailsLeavesTheRest() throws {
        let result = try run(
            "begin\nput c {}\nput d [1]\nrm nobody\nUPDATE nowhere SET n = 1;\nput e {}\ncommit\n", ["--writeable", "--keep-going"])
        #expect(result.exitCode == 1)
        #expect(try scratch.ids() == ["a", "b", "c", "e"])
    }

    @Test func anErrorThatEndsTheScriptRollsBack() throws {
        let result = try run("begin\nput c {}\nrm nobody\ncommit\n")
        #expect(result.exitCode == 1)
        #expect(result.errors.hasSuffix("cblite: scratch: the open transaction was rolled back; \"commit\" would have kept its changes\n"))
        #expect(try scratch.ids() == ["a", "b"])
    }

    @Test(arguments: ["", "quit\n"]) func whatIsNotCommittedIsTold(ending: String) throws {
        let result = try run("begin\nput c {}\n" + ending)
        #expect(result.exitCode == 1)
        #expect(result.errors == "cblite: scratch: the open transaction was rolled back; \"commit\" would have kept its changes\n")
        #expect(try scratch.ids() == ["a", "b"])
    }

    static let mistakes: [(script: String, message: String)] = [
        ("commit\n", "line 1: there is no transaction to commit"), ("rollback\n", "line 1: there is no transaction to roll back"),
        ("begin\nbegin\n", "line 2: a transaction is open already"), ("rollback to x\n", "there are no savepoints"),
        ("begin fast\n", "\"fast\" cannot stand there"),
        ("begin\ncompact\n", "a database cannot be compacted while a transaction is open: commit it or roll it back first"),
        ("begin\nreindex\n", "indexes cannot be built anew while a transaction is open"),
        ("begin\ncp copy.cblite2\n", "what is not committed cannot be copied"),
        ("begin\ncp -C _default copy.cblite2\n", "what is not committed cannot be copied"),
        ("begin\nchanges --follow\n", "nothing to follow while a transaction is open"),
        ("begin\nquery --watch SELECT n FROM _\n", "nothing to watch while a transaction is open"),
        ("begin\nsql COMMIT\n", "SQL: COMMIT cannot stand there"), ("sql /* - */ rollback\n", "SQL: ROLLBACK cannot stand there"),
        ("begin\nclose\n", "scratch: a transaction is open"),
    ]

    @Test(arguments: mistakes) func tellsMistakes(script: String, message: String) throws {
        let result = try run(script)
        #expect(result.exitCode != 0)
        #expect(result.errors.contains(message), "\(result.errors)")
        #expect(try scratch.ids() == ["a", "b"])
    }

    @Test func aReadOnlyDatabaseSaysHowToBegin() throws {
        let result = try run("begin\n", [])
        #expect(result.exitCode == 1)
        #expect(result.errors.contains("opened for reading only\n"))
        #expect(result.errors.contains("use --writeable scratch"))
        #expect(try run("use --writeable scratch\nbegin\nput c {}\ncommit\n", []).exitCode == 0)
        #expect(try scratch.ids() == ["a", "b", "c"])
        #expect(try Program.run(["begin"]).exitCode == 2)
    }

    @Test func importsInIt() throws {
        let file = scratch.directory.path + "/many.jsonl"
        try (0..<3000).map { "{\"_id\":\"d\($0)\",\"key\($0 % 50)\":\($0)}\n" }.joined().write(
            toFile: file, atomically: false, encoding: .utf8)
        let good = try run("begin\nimport many.jsonl\nSELECT count(*) AS n FROM _ WHERE key7 IS NOT MISSING;\ncommit\n")
        #expect(good.exitCode == 0 && good.output == "60\n")
        let undone = try run("begin\nimport -C more many.jsonl\nrm d1\nrollback\nlscoll --json\n")
        #expect(undone.lines.last == #"{"collection":"_default","documents":3002,"deleted":0,"expiring":0}"#)
        #expect(try Program.run(["check", scratch.path]).exitCode == 0)
    }

    @Test(arguments: [SIGTERM, SIGHUP]) func aSignalRollsBackAndSaysSo(signal: Int32) throws {
        let process = try RunningProgram(["--writeable", scratch.path])
        process.feed(Array("begin\nput c {}\n!echo ready\n".utf8))
        process.readOutput(atLeast: "Created `c`, new revision 1-a5bb2524 (sequence 3)\nready\n".utf8.count)
        process.send(signal: signal)
        let result = process.finish()
        #expect(result.exitCode == 128 + signal)
        #expect(result.errors.contains("the open transaction was rolled back"))
        #expect(try scratch.ids() == ["a", "b"])
    }

    @Test func aKillLeavesTheFileAsItWas() throws {
        let before = try scratch.documents()
        let process = try RunningProgram(["--writeable", scratch.path])
        // Enough to fill the cache, so that some of it is in the log already.
        let body = String(repeating: "x", count: 200_000)
        let puts = (0..<100).map { "put big\($0) {\"text\":\"\(body)\"}\n" }.joined()
        process.feed(Array("begin\n.output /dev/null\n\(puts).output\nrm a\n!echo ready\n".utf8))
        while !process.outputSoFar.contains("ready\n"), process.readOutput(atLeast: process.outputSoFar.utf8.count + 1) {}
        process.send(signal: SIGKILL)
        #expect(process.finish().exitCode == 128 + SIGKILL)
        #expect(try scratch.documents() == before)
        #expect(try Program.run(["check", scratch.path]).exitCode == 0)
        try scratch.expect(["put", "c", "{}"])
        #expect(try scratch.ids() == ["a", "b", "c"])
    }
}

/// Several databases in one shell.
struct SeveralDatabasesTests {
    private let scratch: Scratch
    private let namesake: String

    init() throws {
        scratch = try Scratch(["a": "{}"])
        let folder = scratch.directory.path + "/sub"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        namesake = folder + "/scratch.cblite2"
        _ = try Program.run(["--create", "put", namesake, "z", "{}"])
        _ = try Program.run(["--create", "put", scratch.directory.path + "/other.cblite2", "o", "{}"])
    }

    private func run(_ script: String, _ flags: [String] = ["--writeable"]) throws -> Program.Result {
        try Program.run(flags + ["scratch.cblite2"], input: script, directory: scratch.directory.path)
    }

    @Test func eachKeepsItsCollectionAndTransaction() throws {
        let result = try run(
            """
            mkcoll things
            cd things
            begin
            put t {}
            use --writeable other.cblite2
            put p {}
            ls
            use scratch
            ls
            put u {}
            commit
            use other
            ls

            """)
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(result.lines.filter { !$0.contains("Created") } == ["o", "p", "t", "o", "p"])
        #expect(try scratch.ids(in: "things") == ["t", "u"])
    }

    @Test func theyAreListedAndToldApart() throws {
        let result = try run(
            """
            use sub/scratch.cblite2
            use ./scratch.cblite2/
            begin
            use other.cblite2
            use scratch-2
            databases --json
            ls
            close other
            close
            databases

            """)
        #expect(result.exitCode == 1, "the transaction is open")
        #expect(
            result.lines.prefix(4) == [
                #"{"name":"scratch","path":"scratch.cblite2","access":"writable","collection":"_default","current":false,"transaction":true}"#,
                #"{"name":"scratch-2","path":"sub/scratch.cblite2","access":"read-only","collection":"_default","current":true,"transaction":false}"#,
                #"{"name":"other","path":"other.cblite2","access":"read-only","collection":"_default","current":false,"transaction":false}"#,
                "z",
            ])
        #expect(result.lines.last == "* scratch  writable  open         _default    scratch.cblite2")
    }

    @Test func mistakesChangeNothing() throws {
        let result = try run(
            "use othe\nuse nothing.cblite2\nclose nobody\nls\nclose\nls\ndatabases\nuse scratch.cblite2\nls\n", ["--keep-going"])
        #expect(result.output == "a\na\n")
        #expect(result.errors.contains("line 3: no database \"nobody\" is open."))
        #expect(result.errors.contains("line 6: ls: no database is open"))
        #expect(result.errors.contains("(No databases)"))
        #expect(result.exitCode == 3)
    }

    @Test func anOpenTransactionIsNotCircumvented() throws {
        let result = try run(
            "begin\nput b {}\nrestore --merge scratch.cblite2\nimport x.json ./scratch.cblite2\ncommit\n", ["--writeable", "--keep-going"])
        #expect(result.exitCode != 0)
        #expect(try scratch.ids() == ["a", "b"])
    }

    @Test func copiesTheOpenOne() throws {
        let result = try run("cp copy.cblite2\ndiff copy.cblite2\ndiff copy.cblite2 other.cblite2\n", [])
        #expect(result.errors.contains("(No differences)"))
        #expect(FileManager.default.fileExists(atPath: scratch.directory.path + "/copy.cblite2/db.sqlite3"))
    }
}
