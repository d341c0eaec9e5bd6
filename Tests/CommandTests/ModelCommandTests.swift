import CBLTestSupport
import FoundationEssentials
import Glibc
import Testing

/// `--model NAME=PROGRAM`: programs of all kinds, good and bad.
@Suite struct ModelCommandTests {
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch(["a": #"{"n":2}"#, "b": #"{"n":3}"#, "c": #"{"x":1}"#])
    }

    /// A program that doubles numbers and notes what it was asked.
    private func doubling() throws -> String {
        let path = scratch.directory.path + "/double.sh"
        let program = """
            while read -r line; do
                printf '%s\\n' "$line" >> "\(scratch.directory.path)/asked"
                case "$line" in
                    '{"n":'*) n="${line#*:}"; n="${n%\\}}"; printf '{"double":%d}\\n' "$((n * 2))" ;;
                    *) echo null ;;
                esac
            done
            echo ended >> "\(scratch.directory.path)/asked"

            """
        try Data(program.utf8).write(to: URL(filePath: path))
        return "sh '\(path)'"
    }

    /// What the program was asked since the last time, and whether it has ended.
    private func asked() throws -> [String] {
        let path = scratch.directory.path + "/asked"
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return [] }
        unlink(path)
        return text.split(separator: "\n").map(String.init)
    }

    private let query = "SELECT META().id, PREDICTION(m, {'n': n}).double AS d FROM _ ORDER BY META().id"

    @Test func aProgramAnswersForEachRowAndIsEnded() throws {
        let program = try doubling()
        let rows = try scratch.expect(["query", "--json", query], flags: ["--model", "m=\(program)"]).lines
        #expect(rows == [#"{"id":"a","d":4}"#, #"{"id":"b","d":6}"#, #"{"id":"c"}"#])
        #expect(try asked() == [#"{"n":2}"#, #"{"n":3}"#, "{}", "ended"])
        // The flag may stand in front, too; who is not asked is not started.
        let all = try Program.run(["--model", "m=\(program)", "query", scratch.path, "SELECT n FROM _"])
        #expect(all.exitCode == 0)
        #expect(try asked() == [])
    }

    @Test func severalModelsAndAnInputWithText() throws {
        let first = #"a=sed -u 's/.*/{"k":"first"}/'"#
        let second = #"b=sed -u 's/.*/{"k":"second"}/'"#
        try scratch.expect(
            ["query", "--json", "SELECT PREDICTION(a, {'t': 'ä\"'}).k AS a, PREDICTION(b, {}).k AS b FROM _ LIMIT 1"],
            "{\"a\":\"first\",\"b\":\"second\"}\n", flags: ["--model", first, "--model", second])
        // The last of a name counts.
        try scratch.expect(
            ["query", "--json", "SELECT PREDICTION(a, {}).k AS a FROM _ LIMIT 1"], "{\"a\":\"second\"}\n",
            flags: ["--model", first, "--model", "a" + second.dropFirst()])
    }

    @Test func blobsArriveWithTheirContent() throws {
        let file = scratch.directory.path + "/picture.txt"
        try Data("socks on Knox".utf8).write(to: URL(filePath: file))
        try scratch.expect(["blob", "put", "a", "picture", file])
        // It gives back what it got.
        let result = try scratch.expect(
            ["query", "--json", "SELECT PREDICTION(echo, {'p': picture}) AS e FROM _ WHERE META().id = 'a'"],
            flags: ["--model", "echo=cat"])
        #expect(result.output.contains(#""data":"c29ja3Mgb24gS25veA==""#) && result.output.contains(#""@type":"blob""#))
    }

    // Predictive indexes

    @Test func aPredictiveIndexIsMadeAndReadWithoutTheModel() throws {
        let model = ["--model", "m=\(try doubling())"]
        try scratch.expect(
            ["mkindex", "doubles", "{'n': n}"], "Created index \"doubles\"\n", flags: model + ["--predict", "m", "--outputs", "double"])
        #expect(try asked() == [#"{"n":2}"#, #"{"n":3}"#, "{}", "ended"])
        let again = try scratch.expect(["mkindex", "doubles", #"{"n":[".n"]}"#], "", flags: ["--predict", "m", "--outputs", "double"])
        #expect(again.errors == "Index \"doubles\" exists already.\n")
        try scratch.expect(["query", "--json", query], "{\"id\":\"a\",\"d\":4}\n{\"id\":\"b\",\"d\":6}\n")
        try scratch.expect(["info", "index", "doubles"], "[4]  \"a\"\n[6]  \"b\"\n")
        let listed = try scratch.expect(["info", "indexes", "--json"]).output
        #expect(listed.contains(#""kind":"predictive""#) && listed.contains(#"\"PREDICTION()\",\"m\""#))
        #expect(try scratch.expect(["info", "indexes"]).output.contains("PREDICTION(m, {\"n\":[\".n\"]}): double\n"))
        try scratch.expect(["query", "--explain", query])
        try scratch.expect(["check"])
        // A change needs the model.
        try scratch.expectFailure(["put", "d", #"{"n":7}"#], "Unknown ML model name 'm'")
        #expect(try scratch.run(["put", "d", #"{"n":7}"#]).errors.contains("--model m=PROGRAM"))
        let statement = try scratch.run(["query", "UPDATE _ SET n = 8 WHERE n = 3"], flags: ["--writeable"])
        #expect(statement.exitCode == 1 && statement.errors.contains("--model m=PROGRAM"))
        try scratch.expect(["put", "d", #"{"n":7}"#], flags: model)
        #expect(try asked() == [#"{"n":7}"#, "ended"])
        try scratch.expect(["info", "index", "doubles"], "[4]  \"a\"\n[6]  \"b\"\n[14]  \"d\"\n")
        try scratch.expect(["rm", "d"])
        let dying = try scratch.run(["put", "e", #"{"n":7}"#], flags: ["--model", "m=exit 5"])
        #expect(
            dying.errors
                == "cblite: \(scratch.path): the model \"m\" gave no answer: \"exit 5\" ended with exit status 5\n")
        let copy = scratch.directory.path + "/copy.cblite2"
        #expect(try Program.run(["cp", scratch.path, copy]).exitCode == 0)
        #expect(try Program.run(["info", "index", copy, "doubles"]).output == "[4]  \"a\"\n[6]  \"b\"\n")
        try scratch.expect(["rmindex", "doubles"])
        try scratch.expect(["put", "d", #"{"n":7}"#])
    }

    @Test func anArchiveBringsTheIndexBackWithTheModel() throws {
        let model = ["--model", "m=\(try doubling())"]
        try scratch.expect(["mkindex", "all", "{'n': n}"], flags: model + ["--predict", "m"])
        let archive = scratch.directory.path + "/archive.cbdump"
        #expect(try Program.run(["dump", scratch.path, archive]).exitCode == 0)
        let (with, without) = (scratch.directory.path + "/with.cblite2", scratch.directory.path + "/without.cblite2")
        let restored = try Program.run(["restore", with, archive] + model)
        #expect(restored.exitCode == 0, "\(restored.errors)")
        #expect(try Program.run(["info", "index", with, "all"]).output == "[{\"double\":4}]  \"a\"\n[{\"double\":6}]  \"b\"\n")
        let left = try Program.run(["restore", without, archive])
        #expect(left.errors.contains("index \"all\" was left out") && left.errors.contains("Unknown ML model name 'm'"))
        #expect(try Program.run(["info", "indexes", without]).output == "")
    }

    static let mistakes: [([String], Int32, String)] = [
        (["mkindex", "i", "{'n': n}", "--predict", "m"], 1, "Unknown ML model name 'm'"),
        (["mkindex", "i", "--predict", "m"], 2, "EXPRESSIONS are missing"),
        (["mkindex", "i", "n", "--outputs", "x"], 2, "--predict MODEL"),
        (["mkindex", "i", "n", "--predict", "m", "--fts"], 2, "exclude each other"),
        (["mkindex", "i", "n, x", "--predict", "m"], 1, "a model gets one object"),
        (["mkindex", "i", "{'n': n", "--predict", "m"], 1, "mkindex"),
        (["mkindex", "i", "{'n': n}", "--predict", "m", "--outputs", "a["], 1, "\"a[\" is not the path of a property"),
        (["query", "SELECT 1 FROM _", "--model", "m"], 2, "--model needs a name and a program"),
        (["query", "SELECT 1 FROM _", "--model", "=cat"], 2, "--model needs a name and a program"),
        (["query", "SELECT 1 FROM _", "--model", "m= "], 2, "--model needs a name and a program"),
        (["query", "SELECT PREDICTION(m, {}) FROM _"], 1, "--model m=PROGRAM says which program answers for it."),
    ]

    @Test(arguments: mistakes) func mistakesAreExplained(words: [String], exitCode: Int32, message: String) throws {
        try scratch.expectFailure(words, exitCode: exitCode, message == "mkindex" ? "" : message)
    }

    // Programs that are no good

    static let bad: [(program: String, message: String)] = [
        ("no-such-program-anywhere", "ended with exit status 127"), ("exit 3", "ended with exit status 3"),
        ("read l; exit 0", "exit status 0"),
        ("kill -9 $$", "was ended by signal 9"), ("exec >&-; cat >/dev/null", "closed its output"),
        ("while read l; do echo hello; done", "gave no line of JSON"), ("while read l; do echo; done", "the line is empty"),
        ("while read l; do echo '[1]'; done", "answered with an array"), ("while read l; do echo '{}{}'; done", "gave no line of JSON"),
        ("while read l; do echo '{\"a\":}'; done", "gave no line of JSON"), ("while read l; do echo 7; done", "answered with a number"),
        ("while read l; do printf '{}\\n{}\\n'; done", "answered more than it was asked"), ("yes '{}'", "answered more than it was asked"),
        ("read l; yes '{}' | head -c 9000000 | tr -d '\\n'; echo; cat", "no line of JSON"),
        ("while read l; do printf '\\377\\376\\n'; done", "gave no line of JSON"),
        ("while read l; do echo '{\"error\":\"out of paper\"}'; done", "the model \"m\": out of paper"),
        ("read l; printf '{\"a\":1'; exit 4", "exit status 4"),
    ]

    @Test(arguments: bad) func aBadProgramFailsTheQuery(program: String, message: String) throws {
        let result = try scratch.run(["query", query], flags: ["--model", "m=\(program)"])
        #expect(result.exitCode == 1 && result.errors.contains("m\""), "\(result.errors)")
        #expect(result.errors.contains(message), "\(result.errors)")
        #expect(!result.timedOut)
    }

    @Test func programsThatSayAnythingBringNothingDown() throws {
        let file = scratch.directory.path + "/said"
        var random = SeededRandom(7)
        for round in 0..<12 {
            let alphabet = round % 2 == 0 ? Array(0...UInt8.max) : Array("{}[]\":,null1e\n ".utf8)
            let bytes = (0..<Int.random(in: 1...4000, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? 0 }
            // Without an end of the line we would wait for it.
            try Data(bytes + [0x0A]).write(to: URL(filePath: file))
            let result = try scratch.run(["query", query], flags: ["--model", "m=while read l; do cat '\(file)'; done"])
            #expect(!result.timedOut && (result.exitCode == 0 || result.exitCode == 1), "\(round)")
            #expect(result.exitCode == 0 || result.errors.contains("the model \"m\""), "\(round): \(result.errors)")
            // Nothing of it reaches the terminal as it is.
            #expect(result.errorBytes.allSatisfy { $0 >= 0x20 || $0 == 0x0A }, "\(round)")
        }
    }

    @Test func anAnswerWithoutEndIsCutOff() throws {
        let result = try scratch.run(["query", query], flags: ["--model", "m=read l; tr '\\0' x < /dev/zero"])
        #expect(result.exitCode == 1 && result.errors.contains("answered with a line of more than 64 MiB"), "\(result.errors)")
    }

    @Test func largeQuestionsAndAnswersPassAtOnce() throws {
        let text = String(repeating: "x", count: 700_000)
        try scratch.expect(["put", "large", "-"], input: "{\"t\":\"\(text)\"}")
        let result = try scratch.expect(
            ["query", "--json", "SELECT length(PREDICTION(echo, {'t': t}).t) AS l FROM _ WHERE META().id = 'large'"],
            flags: ["--model", "echo=cat"])
        #expect(result.output == "{\"l\":700000}\n")
    }

    @Test(arguments: [(SIGINT, Int32(130)), (SIGTERM, 128 + SIGTERM)])
    func aProgramThatHangsIsEndedWithUs(signal: Int32, exitCode: Int32) throws {
        let sign = scratch.directory.path + "/hangs"
        let program = try RunningProgram(["query", scratch.path, query, "--model", "m=echo $$ > '\(sign)'; exec sleep 1000"])
        let deadline = ContinuousClock.now + .seconds(Patience.seconds)
        var processID: pid_t?
        while processID == nil, ContinuousClock.now < deadline {
            let text = (try? String(contentsOfFile: sign, encoding: .utf8)) ?? ""
            processID = text.hasSuffix("\n") ? pid_t(text.dropLast()) : nil
            usleep(10_000)
        }
        let sleeping = try #require(processID)
        kill(program.processID, signal)
        let result = program.finish()
        #expect(result.exitCode == exitCode && !result.timedOut)
        #expect(result.errors.contains("the model \"m\" had not answered when it was interrupted"))
        #expect(kill(sleeping, 0) != 0 && errno == ESRCH)
    }

    // Scripts and shells

    @Test func aScriptCannotNameAProgram() throws {
        let proof = scratch.directory.path + "/proof"
        let statement = "query --model 'm=touch \(proof); cat' 'SELECT PREDICTION(m, {}) FROM _'\n"
        let result = try Program.run([scratch.path], input: statement)
        #expect(result.exitCode == 2 && result.errors.contains("line 1: a script cannot name the program of a model"))
        #expect(access(proof, F_OK) != 0)
    }

    @Test func aShellKeepsItsModelsFromOneStatementToTheNext() throws {
        let program = try doubling()
        let result = try Program.run(["--json", "--model", "m=\(program)", scratch.path], input: "\(query);\n\(query);\n")
        #expect(result.exitCode == 0 && result.lines.count == 6)
        #expect(try asked() == [#"{"n":2}"#, #"{"n":3}"#, "{}", #"{"n":2}"#, #"{"n":3}"#, "{}", "ended"])
    }
}
