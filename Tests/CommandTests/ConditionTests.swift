import CBLTestSupport
import FoundationEssentials
import Glibc
import Testing

/// `--where` of the commands that work on documents.
@Suite struct ConditionTests {
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch(["a1": #"{"n": 1}"#, "a2": #"{"n": 2}"#, "b3": #"{"n": 3}"#, "gone": #"{"n": 3}"#])
        try scratch.expect(["rm", "gone"])
        try scratch.expect(["mkcoll", "other"])
    }

    @Test func documentsThatMeetItArePrinted() throws {
        let all = try scratch.expect(["cat", "--raw", "--where", "n > 1"])
        #expect(all.lines == [#"{"_id":"a2", "n":2}"#, #"{"_id":"b3", "n":3}"#])
        #expect(try scratch.expect(["cat", "--raw", "--where", "n > 1", "a*"]).lines == [#"{"_id":"a2", "n":2}"#])
        #expect(try scratch.expect(["cat", "--raw", "--where", "n > 1", "a1", "b3"]).lines == [#"{"_id":"b3", "n":3}"#])
        let none = try scratch.expect(["cat", "--where", "n > 9"])
        #expect(none.output.isEmpty && none.errors == "(No document meets the condition)\n")
        try scratch.expectFailure(["cat", "--where", "n > 1", "x*"], "no document's ID matches")
    }

    @Test func thoseThatMeetItAreDeleted() throws {
        let trial = try scratch.expect(["rm", "--where", "n > 1", "--dry-run"])
        #expect(trial.lines.count == 2 && trial.lines[0].hasPrefix("Would have deleted `a2`"))
        #expect(trial.errors == "(2 documents would be deleted)\n")
        #expect(try scratch.ids() == ["a1", "a2", "b3"])
        let narrowed = try scratch.expect(["rm", "a*", "--where", "n > 1"])
        #expect(narrowed.lines.count == 1 && narrowed.errors == "(1 document deleted)\n")
        // A condition that looks at deletion finds deleted documents, which are not deleted again.
        #expect(try scratch.expect(["rm", "--where", "n = 3 OR META().deleted"]).lines.count == 1)
        #expect(try scratch.ids() == ["a1"])
        #expect(try scratch.expect(["rm", "--where", "n > 1"]).errors == "(No document meets the condition)\n")
    }

    @Test func purgingMayMeanDeletedOnes() throws {
        #expect(try scratch.expect(["purge", "--where", "n = 1"]).output == "Purged `a1`\n")
        #expect(try scratch.expect(["purge", "--where", "META().deleted"]).output == "Purged `gone`\n")
        #expect(try scratch.documents().count == 2)
        #expect(try scratch.expect(["rm", "--purge", "--where", "n > 0", "b3"]).errors == "(1 document purged)\n")
    }

    @Test func thoseThatMeetItAreMoved() throws {
        let trial = try scratch.expect(["mv", "--where", "n < 3", "other", "--dry-run"])
        #expect(trial.lines.count == 2 && trial.errors == "(2 documents would be moved)\n")
        #expect(try scratch.expect(["mv", "--where", "n < 3", "other"]).errors == "(2 documents moved)\n")
        #expect(try scratch.ids(in: "other") == ["a1", "a2"])
        try scratch.expectFailure(["mv", "other"], exitCode: 2, "DOCID is missing")
        try scratch.expect(["mv", "b3", "other"])
        try scratch.expectFailure(["mv", "-C", "other", "*", "_default", "x", "--where", "n > 0"], exitCode: 2, "3 match")
        try scratch.expect(["mv", "-C", "other", "*", "_default", "x", "--where", "n = 3"])
        #expect(try scratch.ids() == ["x"])
    }

    @Test func thoseThatMeetItExpire() throws {
        #expect(try scratch.expect(["expire", "--where", "n > 1", "30d", "--dry-run"]).errors == "(2 documents would be changed)\n")
        #expect(try scratch.expect(["expire", "--where", "n > 1"]).lines == ["`a2` never expires", "`b3` never expires"])
        #expect(try scratch.expect(["expire", "--where", "n > 1", "2090-01-01T00:00:00Z"]).errors == "(2 documents changed)\n")
        #expect(try scratch.expect(["expire", "--where", "n > 1", "a*", "never"]).lines == ["`a2` never expires"])
        #expect(try scratch.expect(["expire", "b3"]).output.hasPrefix("`b3` expires 2090"))
        try scratch.expectFailure(["expire", "--where", "n > 1", "soon"], exitCode: 2, "neither a time")
    }

    @Test(arguments: [["cat"], ["rm"], ["purge"], ["expire"], ["mv", "other"], ["export", "-"]]) func aMistakeIsShownInItsPlace(
        words: [String]
    ) throws {
        try scratch.expectFailure(words + ["--where", "n = 1 >> 1"], "at column 5: ")
        try scratch.expectFailure(words + ["--where", "n = 1 >> 1"], "    n = 1 >> 1\n        ^")
        try scratch.expectFailure(words + ["--where", "true LIMIT 1"], "SQL++")
        try scratch.expectFailure(words + ["--where", "n, n"], "one condition is expected here")
        try scratch.expectFailure(words + ["--where", "DELETE FROM _"], "SQL++")
    }

    @Test(arguments: [["rm"], ["purge"], ["cat"], ["expire"]]) func somethingMustBeNamed(words: [String]) throws {
        try scratch.expectFailure(words, exitCode: 2, "DOCID is missing")
        try scratch.expectFailure(["rm", "--where", "n = 1", "--if-rev", "1-aa"], exitCode: 2, "--if-rev is for one document")
    }

    @Test func allOrNothing() throws {
        try scratch.expect(["put", "a2", "{}"], flags: ["-C", "other"])
        try scratch.expectFailure(["mv", "--where", "n > 0", "other"], exitCode: 4, "a2")
        #expect(try scratch.ids(in: "other") == ["a2"])
    }

    @Test func anOpenTransactionIsSeen() throws {
        let script = """
            begin
            put new {n: 9}
            rm --where "n > 2"
            rm --where "n = 1" --dry-run
            ls
            rollback
            begin
            mv --where "n > 2" other
            commit
            """
        let result = try Program.run(["--writeable", scratch.path], input: script)
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(result.errors.contains("(2 documents deleted)") && result.output.contains("\na1\na2\n"))
        #expect(try scratch.ids() == ["a1", "a2"])
        #expect(try scratch.ids(in: "other") == ["b3"])
    }

    @Test func whatIsOpenForReadingStaysAsItIs() throws {
        let result = try Program.run([scratch.path], input: "rm --where \"n > 0\"\n")
        #expect(result.exitCode == 1 && result.errors.contains("opened for reading only"))
        #expect(try scratch.ids().count == 3)
    }

    /// Two IDs that look the same are two documents.
    @Test func idsAreComparedByteByByte() throws {
        let scratch = try Scratch(["\u{E9}": #"{"n": 1}"#, "e\u{301}": #"{"n": 2}"#])
        try scratch.expect(["rm", "*", "--where", "n = 1"])
        #expect(try scratch.expect(["query", "SELECT n FROM _"], flags: ["--raw"]).output.contains("2"))
        #expect(try scratch.ids().map { Array($0.utf8) } == [Array("e\u{301}".utf8)])
    }

    @Test func interruptingChangesNothing() throws {
        let lines = (0..<30_000).map { "{\"_id\":\"d\($0)\",\"n\":7}" }.joined(separator: "\n")
        let made = try Program.run(["import", scratch.path, "-"], input: lines)
        try #require(made.exitCode == 0)
        let terminal = try PseudoTerminal(["--writeable", scratch.path], environment: ["HOME": scratch.directory.path])
        try terminal.waitForLine("scratch>")
        // What was not read yet goes with Ctrl-C, and no second prompt would come.
        terminal.type("rm --where \"n = 7\"")
        try terminal.waitForLine("scratch> rm --where \"n = 7\"")
        terminal.type("\n\u{3}")
        try terminal.wait(for: "the next prompt") { screen in
            screen.currentLine == "scratch>" && screen.lines.count { $0.hasPrefix("scratch>") } >= 2
        }
        terminal.type("\u{4}")
        #expect(try terminal.finish() == 0)
        let left = try scratch.ids().count
        // Whichever came first.
        #expect(left == 30_003 || left == 3)
    }

    @Test func thousandsOfLinesAreForNobody() throws {
        let scratch = try Scratch([:])
        let lines = (0..<60).map { #"{"_id":"doc-\#($0)","n":1}"# }.joined(separator: "\n")
        #expect(try scratch.run(["import", "-"], input: lines).exitCode == 0)
        #expect(try scratch.run(["rm", "--where", "n = 1", "--dry-run"]).lines.count == 60)
        let terminal = try PseudoTerminal(["rm", scratch.path, "--where", "n = 1"], columns: 100)
        try terminal.waitForText("(60 documents deleted)")
        _ = try terminal.finish()
        #expect(terminal.text.contains("… and 40 more.") && terminal.text.contains("Deleted `doc-0`"))
        #expect(try scratch.run(["mv", "x", "nowhere"]).errors.contains("\"mkcoll nowhere\" makes it"))
    }
}
