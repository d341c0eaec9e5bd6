import CBLTestSupport
import FoundationEssentials
import Testing

@testable import CBLShell

@Suite struct GeneratorTests {
    private static let database = Fixtures.path("v4.x/revtrees_4.1.cblite2")

    @Test(arguments: [
        ("man", "man/cblite.1"), ("bash", "completions/cblite.bash"), ("zsh", "completions/cblite.zsh"),
        ("fish", "completions/cblite.fish"), ("functions", "docs/sqlpp-functions.md"),
    ])
    func generatedFilesAreUpToDate(what: String, file: String) throws {
        let found = try? String(contentsOfFile: Fixtures.package + "/" + file, encoding: .utf8)
        #expect(found == GenerateCommand.text(what), "\(file) is out of date: run make docs")
    }

    // One for each shell, so that one that is not installed is seen to be skipped.

    @Test(.enabled(if: Program.isInstalled("bash"), "there is no bash")) func theScriptForBashIsValid() throws {
        try expectValid("bash", BashCompletion.script)
    }

    @Test(.enabled(if: Program.isInstalled("zsh"), "there is no zsh")) func theScriptForZshIsValid() throws {
        try expectValid("zsh", ZshCompletion.script)
    }

    @Test(.enabled(if: Program.isInstalled("fish"), "there is no fish")) func theScriptForFishIsValid() throws {
        try expectValid("fish", FishCompletion.script)
    }

    private func expectValid(_ shell: String, _ script: ([CommandDeclaration]) -> String) throws {
        for commands in [Commands.all, sampleCommands] {
            let directory = try TemporaryDirectory()
            let path = directory.path + "/script"
            try script(commands).write(toFile: path, atomically: false, encoding: .utf8)
            let result = try #require(try Program.run(tool: shell, ["-n", path]))
            #expect(result.errors.isEmpty)
            #expect(result.exitCode == 0)
        }
    }

    @Test(.enabled(if: Program.isInstalled("groff"), "there is no groff")) func theManualPageIsValid() throws {
        for commands in [Commands.all, sampleCommands] {
            let result = try #require(try Program.run(tool: "groff", ["-ww", "-man", "-Tutf8"], input: ManualPage.text(commands)))
            #expect(result.errors.isEmpty)
            #expect(result.output.contains("Interrupted with"))
        }
    }

    @Test func theManualPageKeepsTextAsItIs() throws {
        #expect(ManualPage.escaped(".a-b\\'…") == "\\&.a\\-b\\(rs\\(aq\\[u2026]")
    }

    private static let offers = [
        ("l", ["ls", "list"]), ("ls --li", ["--limit"]), ("put --mode s", ["safe"]), ("put --mode = f", ["fast"]),
        ("--color = n", ["never"]), ("info ind", ["indexes", "index"]), ("info db.cblite2 indexe", ["indexes"]),
        ("ls --limit 5 DB al", ["alice"]),
        ("list -C CRM.People DB D", ["Doc-A"]), ("ls DB -C th", ["things"]), ("mv DB alice bo", ["bob"]), ("DB mv alice bo", ["bob"]),
        ("ls -k", ["-k"]), ("ls --key x --des", ["--desc"]),
    ].filter { Fixtures.arePresent || !$0.0.contains("DB") }

    @Test(.enabled(if: Program.isInstalled("bash"), "there is no bash"), arguments: offers)
    func bashOffersWhatFits(line: String, expected: [String]) throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/script"
        let words = line.split(separator: " ").map { $0 == "DB" ? GeneratorTests.database : String($0) }
        let script =
            BashCompletion.script(sampleCommands) + """
                compopt() { :; }
                COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
                _cblite
                printf '%s\\n' "${COMPREPLY[@]}"
                """
        try script.write(toFile: path, atomically: false, encoding: .utf8)
        let result = try #require(try Program.run(tool: "bash", [path, Program.path] + words))
        #expect(result.errors.isEmpty)
        #expect(result.lines == expected)
    }

    @Test func helpShowsEverythingThatIsDeclared() {
        let overview = HelpText.overview(sampleCommands)
        for text in ["Looking\n", "  ls, list ", "List documents", "-C, --collection [SCOPE.]NAME", "-v, --version"] {
            #expect(overview.contains(text), "\(text)")
        }
        #expect(
            HelpText.page(sampleCommands[0]) == """
                ls: List documents

                usage: cblite ls [FLAGS] DATABASE [PATTERN]
                also: list

                First paragraph with a \\ backslash, 'quotes', [brackets]: and a colon.

                .Second paragraph…

                Arguments
                  DATABASE    The .cblite2 bundle
                  PATTERN     Only documents whose ID matches; it's a pattern

                Flags
                  -l, --long      Show more
                  -v, --verbose   Say more
                  --limit N       Stop after N
                  -n, --number N  A number
                  -k, --key K     A key
                  --cacert FILE   A file
                  --desc          Backwards

                Examples
                  cblite ls db.cblite2 'a*' -l
                      All that begin with a.

                'cblite help' lists the flags of every command.

                """)
    }

    @Test func longTextIsWrapped() {
        let page = HelpText.overview(Commands.all)
        for line in page.split(separator: "\n") { #expect(line.count <= 100, "\(line)") }
    }
}
