import CBLTestSupport
import FoundationEssentials
import Glibc
import Testing

/// Every command that changes something, where it cannot.
@Suite struct BadCircumstancesTests {
    /// The words before and behind the path of the database.
    static let commands: [([String], [String])] = [
        (["put"], ["doc", "{}"]), (["put", "--delete"], ["doc"]), (["rm"], ["doc"]), (["purge"], ["doc"]),
        (["edit", "--with=true"], ["doc"]),
        (["mkcoll"], ["a"]), (["rmcoll", "--yes"], ["a"]), (["mv"], ["doc", "a"]), (["undelete"], ["doc"]), (["revert"], ["doc", "1-aa"]),
        (["expire"], ["doc", "1d"]), (["expire"], ["doc"]), (["resolve", "--keep=local"], ["doc"]),
        (["blob", "put"], ["doc", "a", "/etc/passwd"]),
    ]

    @Test(arguments: commands, ["/nonexistent/x.cblite2", "/usr", "/etc/passwd", ""])
    func whatIsNoDatabaseIsExitCodeThree(command: ([String], [String]), path: String) throws {
        let result = try Program.run(command.0 + [path] + command.1)
        #expect(result.exitCode == 3)
        #expect(result.errors.hasPrefix("cblite: "))
        #expect(result.output.isEmpty)
    }

    @Test(arguments: commands)
    func aDamagedFileIsExitCodeThree(command: ([String], [String])) throws {
        let scratch = try Scratch()
        try "This is not SQLite at all, whatever its name says.".write(
            toFile: scratch.path + "/db.sqlite3", atomically: false, encoding: .utf8)
        #expect(try Program.run(command.0 + [scratch.path] + command.1).exitCode == 3)
    }

    @Test(
        arguments: commands.filter {
            $0.0 != ["mkcoll"] && $0.0 != ["rmcoll", "--yes"] && $0.0 != ["put"] && $0.0 != ["edit", "--with=true"]
        })
    func unknownCollectionsAreNamed(command: ([String], [String])) throws {
        let scratch = try Scratch()
        try scratch.expect(["mkcoll", "inventory.hotel", "a"])
        let result = try Program.run(command.0 + [scratch.path] + command.1 + ["-C", "inventory.hotell"])
        #expect(result.exitCode == 1)
        #expect(result.errors.contains("no collection \"inventory.hotell\". Did you mean \"inventory.hotel\"?"))
        let invalid = try Program.run(command.0 + [scratch.path] + command.1 + ["-C", "a b"])
        #expect([1, 2].contains(invalid.exitCode))
    }

    @Test(.enabled(if: Program.canHeedPermissions, "\(Program.privilege)"), arguments: commands)
    func whatMayNotBeWrittenIsNotWritten(command: ([String], [String])) throws {
        let scratch = try Scratch(["doc": "{}"])
        let before = try scratch.documents()
        #expect(chmod(scratch.path + "/db.sqlite3", 0o444) == 0 && chmod(scratch.path, 0o555) == 0)
        defer { chmod(scratch.path, 0o755) }
        let result = try Program.run(heedingPermissions: command.0 + [scratch.path] + command.1)
        // To show when a document expires is to write nothing.
        let isQuestion = command.0 == ["expire"] && command.1.count == 1
        #expect(result.exitCode == (isQuestion ? 0 : 3), "\(result.errors)")
        #expect(chmod(scratch.path, 0o755) == 0)
        #expect(try scratch.documents() == before)
    }

    @Test(arguments: [
        (#"exec "$0" put "$1" "$(printf 'a\377')" '{}'"#, "argument 3, \"a\u{FFFD}\", is not valid UTF-8"),
        (#"exec "$0" put "$1" a "$(printf '{a:"\303("}')""#, "is not valid UTF-8"),
        (#"exec "$0" put "$1" a - <&-"#, "cannot read"),
        (#"exec "$0" blob put "$1" doc att - <&-"#, "cannot read"),
    ])
    func brokenInputChangesNothing(script: String, message: String) throws {
        let scratch = try Scratch(["doc": "{}"])
        let before = try scratch.documents()
        let result = try #require(try Program.run(tool: "sh", ["-c", script, Program.path, scratch.path]))
        #expect(result.exitCode != 0)
        #expect(result.errors.contains(message) || result.errors.contains("Bad file descriptor"), "\(result.errors)")
        #expect(try scratch.documents() == before)
    }

    @Test(arguments: [">&-", "> /dev/full"])
    func aChangeStaysThoughItCannotBeTold(redirection: String) throws {
        let scratch = try Scratch()
        let script = #"exec "$0" put "$1" doc '{"x":1}' "# + redirection
        let result = try #require(try Program.run(tool: "sh", ["-c", script, Program.path, scratch.path]))
        #expect(result.exitCode == 1)
        #expect(result.errors.contains("it was done, but cannot be told"), "\(result.errors)")
        #expect(try scratch.cat("doc") == #"{"_id":"doc", "x":1}"#)
    }

    @Test func whatIsSaidNeverGoesIntoTheDatabase() throws {
        let scratch = try Scratch()
        let script =
            #""$0" put "$1" doc '{"x":1}' <&- >&- 2>&-; "$0" put "$1" doc '{"x":' <&- >&- 2>&-; "$0" blob put "$1" doc a "$0" <&- >&- 2>&-"#
        _ = try #require(try Program.run(tool: "sh", ["-c", script, Program.path, scratch.path]))
        #expect(try scratch.documents().count == 1)
        try scratch.expect(["put", "doc", "{}"])
    }

    @Test func aReaderThatWentAwayIsNoErrorOfAChange() throws {
        let scratch = try Scratch()
        let program = try RunningProgram(["put", scratch.path, "doc", "{}"])
        program.closeOutput()
        let result = program.finish()
        #expect(result.exitCode == 0)
        #expect(try scratch.documents().count == 1)
    }

    @Test(.enabled(if: SmallDisk.isAllowed, "\(SmallDisk.absence)"))
    func aFullDiskLosesNothing() throws {
        let disk = try SmallDisk(kilobytes: 512)
        let path = disk.path + "/x.cblite2"
        #expect(try Program.run(["--create", "put", path, "small", "{}"]).exitCode == 0)
        let large = "{\"text\":\"" + String(repeating: "0123456789", count: 100_000) + "\"}"
        for words in [["put", path, "large", "-"], ["blob", "put", path, "small", "att", "-"], ["put", path, "small", "-"]] {
            let result = try Program.run(words, input: large)
            #expect(result.exitCode == 1)
            #expect(result.errors.contains("full") || result.errors.contains("No space left"), "\(result.errors)")
        }
        #expect(try Program.run(["cat", "--raw", path, "*"]).output == "{\"_id\":\"small\"}\n")
        #expect(try Program.run(["put", path, "small", "{a:1}"]).exitCode == 0)
    }
}
