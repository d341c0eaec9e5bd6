import CBLTestSupport
import FoundationEssentials
import Testing

/// Map/reduce views at the prompt.
@Suite struct ViewTests {
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch([
            "a": #"{"city":"Paris","n":1,"country":"FR"}"#, "b": #"{"city":"Lyon","n":2,"country":"FR"}"#,
            "c": #"{"city":"Bern","n":4,"country":"CH"}"#,
        ])
        try write("by_city.js", "function map(doc, meta) { emit([doc.country, doc.city], doc.n); }\nreduce = '_sum';")
    }

    private func write(_ name: String, _ text: String) throws { try Data(text.utf8).write(to: URL(filePath: file(name))) }
    private func file(_ name: String) -> String { scratch.directory.path + "/" + name }

    private func view(_ words: String...) throws -> Program.Result {
        try Program.run(["view", words[0], scratch.path] + words.dropFirst())
    }

    @Test func aViewIsDefinedAskedShownAndRemoved() throws {
        #expect(try view("ls").errors == "(No views)\n")
        #expect(try view("define", "by_city", file("by_city.js")).exitCode == 0)
        #expect(try view("ls").lines.last == "by_city  _default    _sum    not indexed")
        #expect(try view("query", "by_city", "--format", "csv").lines == ["key,value", "null,7"])
        #expect(
            try view("query", "by_city", "--group-level", "1", "--format", "jsonl").lines == [
                #"{"key":["CH"],"value":4}"#, #"{"key":["FR"],"value":3}"#,
            ])
        #expect(try view("ls").lines.last == "by_city  _default    _sum       3")

        let france = try view(
            "query", "by_city", "--no-reduce", "--start", #"["FR"]"#, "--end", #"["FR"]"#, "--prefix", "1", "--format", "csv")
        #expect(france.lines == ["id,key,value", #"b,"[""FR"",""Lyon""]",2"#, #"a,"[""FR"",""Paris""]",1"#])
        // What changed since is there.
        #expect(try Program.run(["put", scratch.path, "d", #"{"city":"Genf","n":8,"country":"CH"}"#]).exitCode == 0)
        #expect(try view("query", "by_city", "--format", "csv").lines == ["key,value", "null,15"])
        #expect(try view("query", "by_city", "--stale", "ok", "--format", "csv").lines == ["key,value", "null,15"])
        #expect(
            try view("show", "by_city").output
                == "map = function map(doc, meta) { emit([doc.country, doc.city], doc.n); };\nreduce = \"_sum\";\n")
        #expect(FileManager.default.fileExists(atPath: scratch.directory.path + "/scratch.cblviews"))
        #expect(try view("rm", "by_city").exitCode == 0)
        #expect(try view("query", "by_city").exitCode == 1)
        #expect(try Program.run(["check", scratch.path]).exitCode == 0)
    }

    @Test func aFileIsAViewForOnce() throws {
        let result = try view("query", file("by_city.js"), "--no-reduce", "--docs", "--key", #"["CH","Bern"]"#, "--format", "jsonl")
        #expect(result.lines.count == 1 && result.output.contains(#""id":"c""#) && result.output.contains(#""city":"Bern""#))
        #expect(!FileManager.default.fileExists(atPath: scratch.directory.path + "/scratch.cblviews"))
        try write("plain.js", "function (doc) { emit(doc.city); }")
        #expect(try view("query", file("plain.js"), "--key", "Bern", "--format", "csv").lines == ["id,key,value", "c,Bern,"])
    }

    @Test func failuresOfDocumentsAndFunctionsAreTold() throws {
        try write("bad.js", "function (doc) { if (doc.n == 2) nope(); emit(doc.n); log('seen ' + doc.n); }")
        let result = try view("query", file("bad.js"), "--format", "csv")
        #expect(result.exitCode == 0 && result.lines == ["id,key,value", "a,1,", "c,4,"])
        #expect(
            result.errors.contains(#"document "b" is left out"#) && result.errors.contains("nope") && result.errors.contains("log: seen 1"))
        try write("syntax.js", "function (doc) {\n  emit(doc.;\n}")
        let syntax = try view("query", file("syntax.js"))
        #expect(syntax.exitCode == 1 && syntax.errors.contains("line 2"))
        #expect(try view("define", "x", file("syntax.js")).exitCode == 1)
        #expect(try view("query", "none").errors.contains("there is no view"))
        #expect(try view("query", file("by_city.js"), "--group", "--no-reduce").exitCode == 1)
        #expect(try view("query", file("by_city.js"), "--box", "1,2").exitCode == 2)
    }

    @Test func allDocumentsAreAViewToo() throws {
        #expect(try Program.run(["rm", scratch.path, "b"]).exitCode == 0)
        let all = try view("query", "_all_docs", "--format", "jsonl")
        #expect(all.lines.count == 2 && all.lines[0].hasPrefix(#"{"id":"a","value":{"rev":"1-"#))
        #expect(try view("query", "_all_docs", "--deleted", "--format", "jsonl").output.contains(#""deleted":true"#))
        #expect(try view("query", "_all_docs", "--start", "b", "--format", "csv").lines.count == 2)
        #expect(try view("query", "_all_docs", "--key", "zzz", "--format", "csv").lines == ["id,value", "zzz,"])
        #expect(try view("query", "_all_docs", "--group").exitCode == 2)
    }

    @Test func viewsOf1xAreAskedByTheirNames() throws {
        let old = try Version1File(at: file("old.cblite2"))
        let root = try old.add("x", "1-aa", #"{"n":1}"#, isCurrent: false)
        try old.add("x", "2-bb", #"{"n":2}"#, after: root)
        try old.add("x", "2-cc", #"{"n":3}"#, after: root)
        try old.add("_design/things", "1-dd", #"{"views":{"byN":{"map":"function (doc) { emit(doc.n, doc._conflicts); }"}}}"#)
        let result = try Program.run(["view", "query", old.path, "things/byN", "--format", "jsonl"])
        #expect(result.output == #"{"id":"x","key":3,"value":["2-bb"]}"# + "\n", "\(result.errors)")
        #expect(!FileManager.default.fileExists(atPath: file("old.cblviews")))
        #expect(try Program.run(["view", "ls", old.path]).output.contains("things/byN"))
    }

    @Test func namesOfViewsAreCompleted() throws {
        for name in ["by_city", "by_name", "geo/place"] { #expect(try view("define", name, file("by_city.js")).exitCode == 0) }
        let names = [
            ("", ["geo/place", "by_city", "by_name"]), ("by_n", ["by_name"]), ("g", ["geo/place"]), ("views/by_c", ["views/by_city"]),
            ("x", []),
        ]
        for (prefix, expected) in names { #expect(try Program.run(["complete", "view", scratch.path, prefix]).lines == expected) }

        let terminal = try PseudoTerminal([scratch.path])
        try terminal.waitForLine("scratch>")
        for (typed, line) in [
            ("view show by_c", "view show by_city"), ("view query g", "view query geo/place"), ("view rm by_n", "view rm by_name"),
            ("view update views/by_n", "view update views/by_name"), ("view query \(file("by_"))", "view query \(file("by_city.js"))"),
        ] {
            terminal.type(typed + "\t")
            try terminal.wait(for: line) { $0.lines.joined().contains(line) }
            terminal.type("\u{3}")
            try terminal.waitForLine("scratch>")
        }
        terminal.type("quit\r")
        #expect(try terminal.finish() == 0)
    }

    @Test(.enabled(if: Program.isInstalled("bash"), "there is no bash")) func bashCompletesNamesOfViews() throws {
        #expect(try view("define", "by_city", file("by_city.js")).exitCode == 0)
        let script = """
            source "\(Fixtures.package)/completions/cblite.bash"
            compopt() { :; }
            COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
            _cblite
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        try write("complete", script)
        for (words, expected) in [
            (["view", "show", scratch.path, "by"], "by_city"), (["view", "query", scratch.path, "b"], "by_city"),
            (["view", "query", scratch.path, file("by_")], file("by_city.js")),
        ] {
            let result = try #require(try Program.run(tool: "bash", [file("complete"), Program.path] + words))
            #expect(result.lines == [expected], "\(result.errors)")
        }
    }
}
