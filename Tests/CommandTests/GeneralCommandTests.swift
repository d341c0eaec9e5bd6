import CBLTestSupport
import Glibc
import Testing

@Suite struct GeneralCommandTests {
    @Test(arguments: [["version"], ["--version"], ["-v"], ["-version"]])
    func versionIsPrinted(arguments: [String]) throws {
        let result = try Program.run(arguments)
        #expect(result.output.hasPrefix("cblite "))
        #expect(result.exitCode == 0)
        #expect(result.errors.isEmpty)
    }

    @Test(arguments: [["help"], ["--help"], ["-h"], ["help", "version"], ["version", "--help"], ["--help", "version"]])
    func helpThatWasAskedForIsAResult(arguments: [String]) throws {
        let result = try Program.run(arguments)
        #expect(result.output.contains("version"))
        #expect(result.exitCode == 0)
        #expect(result.errors.isEmpty)
    }

    @Test(arguments: [
        ([], "usage: cblite"),
        (["versoin"], "cblite: no command \"versoin\". Did you mean \"version\"?\n"),
        (["version", "--bogus"], "cblite: version: unknown flag --bogus."),
        (["version", "extra"], "cblite: version: \"extra\" is one argument too many\nusage: cblite version\n"),
        (["--jsn", "version"], "cblite: unknown flag --jsn. Did you mean --json?\n"),
    ])
    func wrongUsageIsExplainedOnStandardError(arguments: [String], message: String) throws {
        let result = try Program.run(arguments)
        #expect(result.errors.hasPrefix(message))
        #expect(result.exitCode == 2)
        #expect(result.output.isEmpty)
    }

    @Test func errorsAreJSONOnRequest() throws {
        let result = try Program.run(["--json", "nosuch"])
        #expect(result.errors.hasPrefix(#"{"error":{"code":"usage","exit":2,"message":"no command \"nosuch\"."#))
        #expect(result.lines.isEmpty)
    }

    @Test(.enabled(if: access("/dev/full", W_OK) == 0)) func aFullDiskIsReported() throws {
        let script = #"exec "$0" help > /dev/full"#
        let result = try #require(try Program.run(tool: "sh", ["-c", script, Program.path]))
        #expect(result.errors == "cblite: cannot write the output: No space left on device\n")
        #expect(result.exitCode == 1)
    }

    @Test func aReaderThatWentAwayIsNoError() throws {
        let script = #"("$0" help; echo $? >&2) | true"#
        let result = try #require(try Program.run(tool: "sh", ["-c", script, Program.path]))
        #expect(result.errors == "0\n")
    }

    @Test(
        .enabled(if: Fixtures.arePresent, "\(Fixtures.absence)"),
        arguments: [
            ("collection", "", ["_default", "things", "CRM.People"]), ("collection", "C", ["CRM.People"]), ("document", "a", ["alice"]),
            ("document", "nothing", []), ("index", "ftsE", ["ftsEn"]), ("command", "", nil),
        ])
    func namesAreThereForCompletion(kind: String, prefix: String, expected: [String]?) throws {
        let result = try Program.run(["complete", kind, Fixtures.path("v4.x/revtrees_4.1.cblite2"), prefix])
        if let expected { #expect(result.lines == expected) } else { #expect(result.lines.contains("lscoll")) }
        #expect(result.exitCode == 0)
    }
}
