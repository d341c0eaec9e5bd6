import CBLStore
import CBLTestSupport
import Testing

/// `--filter` and `--conflict`, with a server.
@Suite struct SyncFilterTests {
    private let scratch: Scratch
    private let server: SyncServer

    init() throws {
        scratch = try Scratch(["a": #"{"n":1,"city":"Rome"}"#, "b": #"{"n":2,"city":"Paris"}"#, "c": #"{"n":3,"city":"Paris"}"#])
        server = try SyncServer(scratch)
    }

    @Test func aPushSendsWhatTheFilterLetsThrough() throws {
        #expect(try scratch.expect(["push", server.url, "--filter", "city = 'Paris'"]).errors.hasPrefix("Completed 2 docs"))
        #expect(try server.documents().keys.sorted() == ["b", "c"])
        // Another filter looks at everything again, and none as well.
        try scratch.expect(["push", server.url, "--push-filter", "META().id = 'a'"])
        #expect(try server.documents().keys.sorted() == ["a", "b", "c"])
    }

    @Test func aDeletionGoesWhereTheDocumentIs() throws {
        let flags = ["push", server.url, "--filter", "city = 'Paris'"]
        try scratch.expect(flags)
        try scratch.expect(["rm", "b"])
        try scratch.expect(["rm", "a"])
        #expect(try scratch.expect(flags).errors.hasPrefix("Completed 1 doc "))
        #expect(try server.documents().keys.sorted() == ["c"])
        // One that asks has its way.
        try scratch.expect(["rm", "c"])
        let asking = try scratch.expect(["push", server.url, "--filter", "city = 'Paris' AND NOT META().deleted"])
        #expect(asking.errors.hasPrefix("Completed 0 docs"))
    }

    @Test func aConflictWithWhatTheFilterLeavesOutIsNotSaidToBeHere() throws {
        try scratch.expect(["push", server.url])
        try server.put("a", #"{"n":9}"#)
        try scratch.expect(["put", "a", #"{"n":8}"#])
        let synced = try scratch.run(["sync", server.url, "--pull-filter", "n > 100"])
        #expect(synced.exitCode == 4 && synced.errors.contains("a: it was changed on the other side too"))
        #expect(synced.errors.contains("did not come") && !synced.errors.contains("resolve"))
        #expect(try scratch.run(["conflicts"]).output.isEmpty)
    }

    @Test func aPullTakesWhatTheFilterLetsThrough() throws {
        try scratch.expect(["push", server.url])
        let copy = scratch.directory.path + "/copy.cblite2"
        let pulled = try Program.run(["pull", copy, server.url, "--filter", "n >= 2", "-vv"])
        #expect(pulled.exitCode == 0 && pulled.errors.contains("Left out a 1-") && pulled.errors.contains("; 1 left out by the filter"))
        #expect(try Program.run(["ls", copy]).output.split(whereSeparator: \.isWhitespace) == ["b", "c"])
        // A deletion arrives here too, but nobody is told of documents that never were here.
        for id in ["a", "b"] { try server.database.write { try $0.delete(id) } }
        #expect(try Program.run(["pull", copy, server.url, "--filter", "n >= 2"]).exitCode == 0)
        #expect(try Program.run(["ls", copy]).output == "c\n")
        #expect(try Program.run(["ls", "--del", copy]).output.split(whereSeparator: \.isWhitespace) == ["b", "c"])
        // Changed so that it passes now.
        try server.put("a", #"{"n":9}"#)
        let json = try Program.run(["pull", "--json", copy, server.url, "--pull-filter", "n >= 2"])
        #expect(
            json.lines.contains { $0.hasPrefix(#"{"event":"document","direction":"pull","collection":"_default","id":"a","revision":"3-"#) }
        )
    }

    @Test func aCollectionHasAFilterOfItsOwn() throws {
        try scratch.expect(["mkcoll", "flowers"])
        for id in ["rose", "tulip"] { try scratch.expect(["put", id, "{}", "-C", "flowers"]) }
        let other = scratch.directory.path + "/other.cblite2"
        try scratch.expect(["push", "-C", "*", other, "--filter", "flowers:META().id LIKE 'r%'", "--filter", "n < 3"])
        #expect(try Program.run(["ls", other, "-C", "flowers"]).output == "rose\n")
        #expect(try Program.run(["ls", other]).output.split(whereSeparator: \.isWhitespace) == ["a", "b"])
    }

    @Test(
        arguments: [
            (["push", "--filter", "city = "], 1, "SQL++ syntax error at column 7"), (["push", "--filter", "nope(1)"], 1, "nope"),
            (["pull", "--filter", "city = $city"], 1, "$city"), (["push", "--filter", "other:n = 1"], 2, "\"other\" is not replicated"),
            (["push", "--filter", "n = 1", "--push-filter", "n = 2"], 2, "join them with AND"),
            (["push", "--pull-filter", "n = 1"], 2, "nothing is"), (["pull", "--push-filter", "n = 1"], 2, "nothing is"),
            (["push", "--conflict", "local"], 2, "a push settles nothing"), (["pull", "--conflict", "local +"], 1, "at column 8"),
        ] as [([String], Int32, String)])
    func mistakesAreToldBeforeAnythingIsSent(words: [String], exitCode: Int32, message: String) throws {
        try scratch.expectRefusal(words + [server.url], exitCode: exitCode, message)
        #expect(try server.documents().isEmpty)
    }

    // Conflicts

    /// Both sides have changed `a` since they agreed on it.
    private func quarrel(_ mine: String? = #"{"n":1,"city":"Milan"}"#, _ theirs: String? = #"{"n":5,"city":"Rome"}"#) throws {
        try scratch.expect(["push", server.url])
        try scratch.expect(mine.map { ["put", "a", $0] } ?? ["rm", "a"])
        if let theirs { try server.put("a", theirs) } else { try server.database.write { try $0.delete("a") } }
    }

    @Test(
        arguments: [
            ("local", #"{"city":"Milan","n":1}"#), ("remote", #"{"city":"Rome","n":5}"#), ("merge", #"{"city":"Milan","n":5}"#),
            ("CASE WHEN local.n > remote.n THEN local ELSE remote END", #"{"city":"Rome","n":5}"#),
            ("{'was': base.city, 'is': local.city, 'n': local.n + remote.n}", #"{"is":"Milan","n":6,"was":"Rome"}"#),
        ])
    func theRuleDecides(rule: String, result: String) throws {
        try quarrel()
        try scratch.expect(["sync", server.url, "--conflict", rule])
        #expect(try server.documents()["a"] == result)
        #expect(try Program.run(["diff", scratch.path, server.path]).output == "")
    }

    @Test func anExpressionCanDeleteAndSeesDeletions() throws {
        try quarrel(nil)
        try scratch.expect(["sync", server.url, "--conflict", "CASE WHEN local IS NULL THEN remote ELSE local END"])
        #expect(try server.documents()["a"] == #"{"city":"Rome","n":5}"#)
        try quarrel()
        try scratch.expect(["sync", server.url, "--conflict", "NULL"])
        #expect(try server.documents()["a"] == nil)
        #expect(try scratch.ids().sorted() == ["b", "c"])
    }

    @Test(arguments: [("locl", "MISSING"), ("1", "a number"), ("local.city", "a text"), ("[local]", "an array")])
    func whatIsNoDocumentLeavesTheConflict(rule: String, what: String) throws {
        try quarrel()
        let result = try scratch.run(["sync", server.url, "--conflict", rule])
        #expect(
            result.exitCode == 4 && result.errors.contains("and gave \(what)") && result.errors.contains("1 in conflict"),
            "\(result.errors)")
        #expect(try scratch.expect(["conflicts"]).output.hasPrefix("a\n"))
        try scratch.expect(["sync", server.url])
        #expect(try Program.run(["diff", scratch.path, server.path]).output == "")
    }

    @Test func aConflictThatIsLeftIsNotForgottenByAPush() throws {
        try quarrel()
        #expect(try scratch.run(["sync", server.url, "--conflict", "1"]).exitCode == 4)
        let push = try scratch.run(["push", server.url])
        #expect(push.exitCode == 4 && push.errors.contains("Completed 0 docs") && push.errors.contains("; 1 in conflict"))
        // It is nobody else's business.
        let other = scratch.directory.path + "/other.cblite2"
        #expect(try scratch.expect(["push", other]).errors.hasPrefix("Completed 3 docs"))
    }

    @Test func aCarefulSyncStopsAtTheFirstProblem() throws {
        try quarrel()
        // More than are proposed at once: those behind the first ones are not sent any more.
        try server.database.write { try $0.delete("a") }
        try server.put("a", #"{"n":7}"#)
        let lines = (0..<5000).map { "{\"_id\":\"doc-\($0)\"}" }.joined(separator: "\n")
        try scratch.expect(["import", "-"], input: lines)
        #expect(try scratch.run(["push", server.url, "--careful"]).exitCode == 4)
        #expect(try server.documents().count < 5003)
        try scratch.expect(["sync", server.url])
        #expect(try server.documents().count >= 5002)
    }

    @Test func aPushSaysWhatIsToBeDoneAboutAConflict() throws {
        try quarrel()
        let result = try scratch.run(["push", server.url])
        #expect(result.exitCode == 4 && result.errors.contains("a: it was changed on the other side too"))
        #expect(result.errors.contains("\"sync\" pulls the other side's first"))
    }
}
