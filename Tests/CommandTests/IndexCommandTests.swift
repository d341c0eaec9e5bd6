import CBLTestSupport
import FoundationEssentials
import Glibc
import Testing

@Suite struct IndexCommandTests {
    private func hotels() throws -> Scratch {
        try Scratch([
            "a": #"{"type":"hotel","city":"Berlin","stars":4,"about":"A quiet house by the river","tags":["spa","bar"]}"#,
            "b": #"{"type":"hotel","city":"Paris","stars":3,"about":"Rivers run, and so do we: running at the river","tags":[]}"#,
            "c": #"{"type":"city","city":"Oslo","contacts":[{"phones":[{"kind":"x"},{"kind":"y"}]}]}"#,
        ])
    }

    private func schema(_ scratch: Scratch) throws -> [String] {
        try scratch.run(["sql", "SELECT name, sql FROM sqlite_master WHERE sql NOT NULL AND name NOT LIKE 'sqlite_stat%' ORDER BY name"])
            .lines
    }

    @Test func anIndexIsMadeOnceReplacedAndRemoved() throws {
        let scratch = try hotels()
        try scratch.expect(["mkindex", "byCity", "city, stars"], "Created index \"byCity\"\n")
        let made = try schema(scratch)
        let again = try scratch.expect(["mkindex", "byCity", "city, stars"], "")
        #expect(again.errors == "Index \"byCity\" exists already.\n")
        #expect(try schema(scratch) == made)
        try scratch.expect(["info", "index", "byCity"], "[\"Berlin\",4]  \"a\"\n[\"Oslo\",MISSING]  \"c\"\n[\"Paris\",3]  \"b\"\n")
        try scratch.expect(["mkindex", "byCity", "city", "WHERE", "type", "=", "'hotel'"], "Replaced index \"byCity\"\n")
        try scratch.expect(["info", "index", "byCity"], "[\"Berlin\"]  \"a\"\n[\"Paris\"]  \"b\"\n")
        try scratch.expect(["mkindex", "byCity", "city", "--where", "type = 'hotel'"], "")
        try scratch.expect(["rmindex", "byCity"], "Removed index \"byCity\"\n")
        try scratch.expectFailure(["rmindex", "byCity"], "no index \"byCity\"")
        try scratch.expect(["info", "indexes"], "")
    }

    @Test func aNameTakenInAnotherCollectionIsSaidToBeGone() throws {
        let scratch = try hotels()
        try scratch.expect(["mkcoll", "things"])
        try scratch.expect(["mkindex", "i", "city"])
        let result = try scratch.expect(["mkindex", "i", "size"], "Replaced index \"i\"\n", flags: ["--collection", "things"])
        #expect(result.errors.contains("of collection \"_default\" is gone"))
        try scratch.expect(["info", "indexes", "--json"], flags: ["--collection", "_default"])
        try scratch.expectFailure(["mkindex", "j", "size"], "no collection \"thing\". Did you mean \"things\"?", flags: ["-C", "thing"])
    }

    @Test func arraysInArraysLeadToTheirDocuments() throws {
        let scratch = try hotels()
        try scratch.expect(["mkindex", "kinds", "kind"], flags: ["--unnest", "contacts[].phones"])
        try scratch.expect(["info", "index", "kinds"], "[\"x\"]  \"c\" 0\n[\"y\"]  \"c\" 1\n")
        try scratch.expect(["mkindex", "tags"], flags: ["--unnest", "tags"])
        try scratch.expect(["info", "index", "tags"], "[\"bar\"]  \"a\" 1\n[\"spa\"]  \"a\" 0\n")
        try scratch.expect(["put", "c", #"{"contacts":[{"phones":[]},{"phones":[{"kind":"z"}]}]}"#])
        try scratch.expect(["info", "index", "kinds"], "[\"z\"]  \"c\" 0\n")
        try scratch.expect(["rmindex", "kinds", "tags"])
        #expect(try schema(scratch).allSatisfy { !$0.contains("unnest") && !$0.contains("fl_each") })
    }

    @Test func textsAreFoundWithTheirWordsMarked() throws {
        let scratch = try hotels()
        try scratch.expect(["mkindex", "words", "about"], flags: ["--fts", "--language", "en"])
        try scratch.expect(
            ["fts", "words", "river run"],
            "1.667  b\n        [Rivers] [run], and so do we: [running] at the [river]\n")
        try scratch.expect(
            ["fts", "words", "river", "--limit", "1"], "0.667  b\n        [Rivers] run, and so do we: running at the [river]\n")
        let line = try scratch.expect(["fts", "words", "quiet", "--json"]).lines.first
        #expect(line == #"{"id":"a","rank":1.0,"matches":[{"property":"about","term":0,"offset":2,"length":5,"text":"quiet"}]}"#)
        #expect(try scratch.expect(["fts", "words", "nothing"], "").errors == "(No documents match)\n")
        try scratch.expectFailure(["fts", "words", "\"open"], "not a full-text query: \"open")
        try scratch.expect(["mkindex", "byCity", "city"])
        try scratch.expectFailure(["fts", "byCity", "x"], "index \"byCity\" is not a full-text index")
        try scratch.expectFailure(["fts", "word", "x"], "no index \"word\". Did you mean \"words\"?")
        // Two properties are told apart, and deleted documents are not found.
        try scratch.expect(["mkindex", "words", "about, city"], "Replaced index \"words\"\n", flags: ["--fts"])
        try scratch.expect(["fts", "words", "Berlin"], "1.000  a\n        city: [Berlin]\n")
        try scratch.expect(["rm", "a"])
        try scratch.expect(["fts", "words", "berlin"], "")
    }

    static let mistakes: [([String], Int32, String)] = [
        (["mkindex"], 2, "NAME is missing"), (["mkindex", "x"], 2, "EXPRESSIONS are missing"),
        (["mkindex", "x", "a +"], 1, "column"), (["mkindex", "x", "a LIKE 'b%'"], 1, "LIKE cannot be part of an index"),
        (["mkindex", "", "a"], 1, "cannot be empty"), (["mkindex", "a\"b", "a"], 1, "quotation mark"),
        (["mkindex", "x", "a", "--language", "en"], 2, "--language is for full-text indexes"),
        (["mkindex", "x", "a", "--unnest", "b", "--fts"], 2, "no full-text index"),
        (["mkindex", "x", "--unnest", "a[]"], 1, "not with []"),
        (["mkindex", "x", "a", "--unnest", "b", "--where", "c"], 2, "cannot have a condition"),
        (["mkindex", "x", "a", "--vector"], 2, "a vector index needs --dimensions N"),
        (["mkindex", "x", "a", "--vector", "--dim", "1"], 2, "dimensions must be >= 2 and <= 4096."),
        (["mkindex", "x", "a", "--vector", "--dim", "3", "--encoding", "SQ5"], 2, "Scalar Quantizer's bits must be 4, 6 or 8."),
        (["mkindex", "x", "a", "--vector", "--dim", "3", "--encoding", "zip"], 2, "--encoding is none, SQ8"),
        (["mkindex", "x", "a", "--vector", "--dim", "3", "--metric", "far"], 2, "--metric"),
        (["mkindex", "x", "a", "--vector", "--dim", "3", "--fts"], 2, "--vector and --fts exclude each other"),
        (["mkindex", "x", "a, b", "--vector", "--dim", "3"], 1, "Vector index doesn't support multiple properties"),
        (["mkindex", "x", "a", "--metric", "dot"], 2, "--metric is for vector indexes"),
        (["mkindex", "x", "--suggest", "SELECT 1"], 2, "takes no NAME"), (["mkindex", "--suggest", "SELECT FROM"], 1, "column"),
        (["mkindex", "kv_default", "a"], 1, "is taken"),
    ]

    @Test(arguments: mistakes) func mistakesAreExplainedAndChangeNothing(_ mistake: (words: [String], exitCode: Int32, message: String))
        throws
    {
        let scratch = try hotels()
        let before = try schema(scratch)
        try scratch.expectFailure(mistake.words, exitCode: mistake.exitCode, mistake.message)
        #expect(try schema(scratch) == before)
    }

    @Test func suggestionsAreCommandsThatHelp() throws {
        let scratch = try hotels()
        let query = "SELECT about FROM _ WHERE city = 'Oslo' AND stars > 2"
        let before = try schema(scratch)
        let result = try scratch.expect(["mkindex", "--suggest", query])
        #expect(
            result.lines == [
                "Now:", "  SCAN _", "With byCityAndStars:", "  SEARCH _ USING INDEX byCityAndStars (<expr>=? AND <expr>>?)",
                "  cblite mkindex \(scratch.path) byCityAndStars 'city, stars'",
            ])
        #expect(try schema(scratch) == before)
        let shell = try #require(result.lines.last).replacing("  cblite ", with: "exec \"$0\" ")
        #expect(try Program.run(tool: "sh", ["-c", shell, Program.path])?.exitCode == 0)
        #expect(try scratch.expect(["mkindex", "--suggest", query]).errors == "No further index would help this query.\n")
    }

    /// What `query` understands is understood here as well.
    @Test func rowsOfMoreThanOneSourceAreCounted() throws {
        let scratch = try hotels()
        let query = "SELECT a.city, count(*) FROM _ AS a JOIN _ AS b ON a.city = b.city GROUP BY a.city"
        try scratch.expect(["query", query])
        #expect(try scratch.expect(["mkindex", "--suggest", query]).output.contains("cblite mkindex"))
        #expect(try Program.run(["translate", query]).output.contains(#"["count()",1]"#))
    }

    @Test(.enabled(if: Program.canHeedPermissions, "\(Program.privilege)")) func aDatabaseThatIsOnlyReadGetsNoIndex() throws {
        let scratch = try hotels()
        let before = try schema(scratch)
        #expect(chmod(scratch.path + "/db.sqlite3", 0o444) == 0)
        let result = try Program.run(heedingPermissions: ["mkindex", scratch.path, "x", "a"])
        #expect(result.exitCode == 3 && result.output.isEmpty)
        #expect(result.errors.contains("cannot be written"), "\(result.errors)")
        #expect(try schema(scratch) == before)
    }

    /// The process is killed at moments all over the time that building takes: the index is there whole, or the old one is.
    @Test func buildingIsWholeOrNotAtAll() throws {
        let scratch = try Scratch()
        var lines = ""
        for number in 0..<4000 {
            lines +=
                "{\"_id\":\"d\(number)\",\"n\":\(number % 97),\"text\":\"word\(number % 31) and word\(number % 7) again\",\"tags\":[\(number % 5),\"x\"]}\n"
        }
        #expect(try Program.run(["import", scratch.path, "--jsonid", "_id", "-"], input: lines).exitCode == 0)
        try scratch.expect(["mkindex", "i", "n"])
        let old = try schema(scratch)
        let kinds: [[String]] = [["text"], ["--unnest", "tags"], ["n, text"]]
        for (place, words) in kinds.enumerated() {
            let command = ["mkindex", scratch.path, "i"] + words + (place == 0 ? ["--fts"] : [])
            let clock = ContinuousClock()
            let start = clock.now
            #expect(try Program.run(command).exitCode == 0)
            let time = (clock.now - start) / .seconds(1)
            let new = try schema(scratch)
            #expect(new != old)
            try scratch.expect(["mkindex", "i", "n"])
            for moment in 1...4 {
                let program = try RunningProgram(command)
                usleep(UInt32(time * Double(moment) / 5 * 1e6))
                program.send(signal: SIGKILL)
                _ = program.finish()
                let found = try schema(scratch)
                #expect(found == old || found == new)
                let check = try scratch.run(["check"])
                #expect(check.exitCode == 0, "\(check.output)")
                if found != old { try scratch.expect(["mkindex", "i", "n"]) }
            }
        }
    }
}
