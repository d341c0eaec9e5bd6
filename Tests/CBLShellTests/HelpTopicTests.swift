import CBLLanguage
import CBLTestSupport
import Testing

@testable import CBLShell

/// What `help` says about topics is true: their examples are run.
@Suite struct HelpTopicTests {
    @Test func namesAreUnique() {
        let names = HelpTopic.all.flatMap { [$0.name] + $0.aliases }
        #expect(Set(names).count == names.count)
        let operators = OperatorReference.all.flatMap { [$0.name] + $0.aliases }
        #expect(Set(operators).count == operators.count)
        for topic in HelpTopic.all { #expect(!topic.summary.hasSuffix(".") && !topic.examples.isEmpty, "\(topic.name)") }
    }

    @Test(arguments: HelpTopic.all.map(\.name)) func examplesOfATopicWork(name: String) throws {
        let topic = try #require(HelpTopic.named(name))
        let directory = try TemporaryDirectory()
        #expect(try Program.run(["generate", "sample", directory.path + "/travel.cblite2"]).exitCode == 0)
        for example in topic.examples {
            let environment = ["HOME": directory.path, "PATH": "/usr/bin:/bin"]
            let result: Program.Result
            if example.line.contains("cblite ") {
                let script = #"cblite() { "\#(Program.path)" "$@"; }; cd "\#(directory.path)"; "# + example.line
                result = try #require(try Program.run(tool: "sh", ["-c", script]))
            } else {
                // What is for a terminal alone is not for this test.
                guard !["history"].contains(where: example.line.hasPrefix) else { continue }
                result = try Program.run(
                    ["--writeable", "travel.cblite2"], input: example.line + "\n", environment: environment, directory: directory.path)
            }
            #expect(result.exitCode == 0, "\(example.line): \(result.errors)")
            #expect(!result.errors.contains("cblite: ") || example.line.contains("||"), "\(example.line): \(result.errors)")
        }
    }

    /// Words of other shells that lead to a command lead to one that is there.
    @Test(arguments: [
        (#"\d"#, "lscoll"), (".tables", "lscoll"), ("show collections", "lscoll"), (#"\di"#, "info indexes"), (#"\q"#, "quit"),
        (".quit", "quit"), ("exit()", "quit"), ("show welcome", "cat welcome"),
    ])
    func foreignWordsAreUnderstood(typed: String, command: String) throws {
        var reader = StatementReader(commands: Commands.all)
        reader.append(typed)
        let statement = try #require(try reader.next())
        let session = Session()
        session.options.isQuiet = true
        #expect(try ForeignWord.translated(statement, session).action == .command(command.split(separator: " ").map(String.init)))
    }

    @Test(arguments: [
        ("db.hotel.find()", "SELECT * FROM hotel"), ("find lighthouse", "ls '*part*'"), ("find x", "ls '*part*'"), ("count", "count(*)"),
        (#"\x"#, #"\G"#),
    ])
    func otherForeignWordsAreExplained(typed: String, text: String) throws {
        var reader = StatementReader(commands: Commands.all)
        reader.append(typed)
        let statement = try #require(try reader.next())
        let error = try #require(throws: CommandError.self) { try ForeignWord.translated(statement, Session()) }
        #expect(error.exitCode == .usage && error.hint?.contains(text) == true)
    }
}
