import CBLTestSupport
import FoundationEssentials
import Glibc
import Testing

@Suite(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)")) struct LookingCommandTests {
    private let trees = Fixtures.path("v4.x/revtrees_4.1.cblite2")
    private let vectors = Fixtures.path("v4.x/vectors_4.1.cblite2")

    // ls

    @Test func identifiersHaveALineEachForOtherPrograms() throws {
        let result = try Program.run(["ls", trees, "s*"])
        #expect(result.output == "synced\nsynced2\nsynced3\n")
    }

    @Test func longListingsShowRevisionFlagsSequenceAndSize() throws {
        let result = try Program.run(["ls", "-l", "--seq", "--desc", "--limit", "2", "--del", trees])
        #expect(
            result.output == """
                Document ID             Rev ID           Flags   Seq     Size
                nosave-same             1-6f9a1fe5df...  ---      95   0.008K
                delconf                 2-f20a8b4163...  dc-      94   0.002K

                """)
        #expect(result.errors == "(Stopping after 2 docs)\n")
        let raw = try Program.run(["ls", "-l", "--raw", trees, "pulled"])
        #expect(raw.lines.last == "pulled                  3-cccc                                        ---      75    0.03K")
    }

    @Test(arguments: [
        (["--offset", "2", "--limit", "1"], "conflicted"), (["--conf"], "conflicted"), (["--desc", "--limit", "1"], "withblob"),
        (["--seq", "--limit", "1"], "empty"), (["--", "?ob"], "bob"), (["--del", "--", "go*"], "gone"), (["--", "GONE"], ""),
        (["--limit", "0"], ""), (["--offset", "99"], ""),
    ]) func listingsAreNarrowedDown(flags: [String], expected: String) throws {
        let result = try Program.run(["ls", trees] + flags)
        #expect(result.output == (expected.isEmpty ? "" : expected + "\n"))
        #expect(result.exitCode == 0)
    }

    @Test func bodiesInAListingLookAsCatPrintsThem() throws {
        #expect(try Program.run(["ls", "--body", trees]).output == Program.run(["cat", trees, "*"]).output)
        let json5 = try Program.run(["ls", "--json5", "--raw", trees, "conflicted"])
        #expect(json5.output == "{_id:\"conflicted\", side:\"local\"}\n")
        #expect(try Program.run(["ls", "-c", trees]).output == Program.run(["lscoll", trees]).output)
    }

    // cat

    @Test func documentsArePrintedWithTheirIDFirst() throws {
        let pretty = try Program.run(["cat", "--rev", "--key", "contacts", "--key", "age", trees, "bob"])
        #expect(
            pretty.output == """
                {
                  "_id": "bob",
                  "_rev": "3-b76ee3b54b180298a97f53119104e21807e4e4f4",
                  "age": 41,
                  "contacts": [
                    {
                      "emails": [
                        "bob@a.com",
                        "b2@a.com"
                      ],
                      "type": "primary"
                    },
                    {
                      "emails": [
                      ],
                      "type": "alt"
                    }
                  ]
                }

                """)
        let raw = try Program.run(["get", "--raw", "--rev", trees, "synced", "empty"])
        #expect(
            raw.lines == [
                #"{"_id":"synced","_rev":"1-66c183b8980c2066b2d6ecd701d3823bc0c1b838", "a":1}"#,
                #"{"_id":"empty","_rev":"1-a5bb2524156f3e56dcc4e5c52c73c46f82c2efb0"}"#,
            ])
    }

    @Test func missingDocumentsAreToldAndTheOthersPrinted() throws {
        let result = try Program.run(["cat", "--raw", trees, "boc", "gone", "zz*", "empty"])
        #expect(result.output == "{\"_id\":\"empty\"}\n")
        #expect(result.errors.hasPrefix("cblite: no document \"boc\". Did you mean \"bob\"?\ncblite: document \"gone\" is deleted\n"))
        #expect(result.errors.hasSuffix("cblite: no document's ID matches \"zz*\"\n"))
        #expect(result.exitCode == 1)
        let elsewhere = try Program.run(["cat", trees, "t1"])
        #expect(elsewhere.errors == "cblite: no document \"t1\". There is one in collection \"things\".\n")
    }

    @Test(arguments: [
        ("2-ffff", #"{"_id":"conflicted","_rev":"2-ffff0000", "side":"remote"}"#),
        (
            "2-996336411d0ad50271b2668ea20fa6f5d02ee085",
            #"{"_id":"conflicted","_rev":"2-996336411d0ad50271b2668ea20fa6f5d02ee085", "side":"local"}"#
        ),
    ]) func otherRevisionsArePrintedByName(revision: String, line: String) throws {
        #expect(try Program.run(["cat", "--raw", "--revision", revision, trees, "conflicted"]).output == line + "\n")
    }

    @Test(arguments: [
        ("2-", "is the beginning of several revisions"), ("7-00", "has no revision"), ("1-0a", "is not kept any more"),
    ]) func revisionsThatCannotBePrintedAreExplained(revision: String, message: String) throws {
        let result = try Program.run(["cat", "--revision", revision, trees, "conflicted"])
        #expect(result.errors.contains(message))
        #expect(result.exitCode == 1 && result.output.isEmpty)
    }

    // revs

    @Test func revisionTreesAreDrawn() throws {
        #expect(
            try Program.run(["revs", "--remotes", trees, "localwins"]).output == """
                Document "localwins"
                 * 1-0a69bba1016825bc3f8a2e0ccaa5ecdc164bbee2       ----- #87
                   * 2-ffff0000                                     ---K- #89, 16 bytes  [REMOTE#1]
                     * 3-49486088aea09a12a8d4a51031e26d095aa57954   X---L #90, 2 bytes
                   * 2-996336411d0ad50271b2668ea20fa6f5d02ee085     ----L #88, 14 bytes  [CURRENT]
                [REMOTE#1] = wss://example.com/db

                """)
        #expect(
            try Program.run(["revs", "--remotes", vectors, "conflicted"]).output == """
                Document "conflicted", Conflicted
                 * [18e9d1d110bf0000@*]
                   ----L #76, 14 bytes  [CURRENT]
                 * [1889a6b0c0de0000@ZegpoldZegpoldZegpoldA]
                   -C--L #76, 16 bytes  [REMOTE#1]
                [REMOTE#1] = wss://example.com/db

                """)
    }

    @Test func conflictsAreListedWithWhatCompetes() throws {
        #expect(
            try Program.run(["conflicts", "--json", trees]).lines.first == """
                {"collection":"_default","id":"conflicted","revisions":[{"revision":"2-996336411d0ad50271b2668ea20fa6f5d02ee085",\
                "sequence":77,"current":true,"deleted":false,"remotes":[]},{"revision":"2-ffff0000","sequence":78,"current":false,\
                "deleted":false,"remotes":["wss://example.com/db"]}]}
                """)
        let result = try Program.run(["conflicts", "--body", vectors])
        #expect(
            result.output == """
                conflicted
                  18e9d1d110bf0000@*                       #76, current, 14 bytes
                    {"side":"local"}
                  1889a6b0c0de0000@ZegpoldZegpoldZegpoldA  #76, 16 bytes, from wss://example.com/db
                    {"side":"remote"}

                """)
    }

    // info

    @Test(
        arguments: [["info", "-v"], ["file", "-vv"], ["info", "--json", "-v", "-v"], ["info", "indexes"], ["info", "keys"]],
        [
            "v2.x/upgrade_2.7", "v2.x/upgrade_2.8_index", "v3.x/db_3_0_0_names_100_with_deleted", "v3.x/upgrade_3.1_peerCheckpoints",
            "v3.x/words_db", "v4.x/revtrees_4.1", "v4.x/types_4.1", "v4.x/upgraded_3.0_by_4.1", "v4.x/upgraded_2.8_index_by_4.1",
        ]) func everyGenerationIsDescribed(command: [String], fixture: String) throws
    {
        let result = try Program.run(command + [Fixtures.path(fixture + ".cblite2")])
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(!result.output.isEmpty || result.errors == "(No indexes)\n")
    }

    @Test(arguments: [("encrypted-ee/upgrade_2.7_encrypted", "encrypted"), ("encrypted-ee/Mac_2.5_AES256", "encrypted")])
    func whatCannotBeOpenedIsDescribedToo(fixture: String, kind: String) throws {
        let path = Fixtures.path(fixture + ".cblite2")
        let result = try Program.run(["info", path])
        #expect(result.output.contains(kind) && result.output.contains("Size:"))
        #expect(result.exitCode == 3)
        #expect(try Program.run(["info", "--json", path]).output.contains(#""openable":false,"kind":"\#(kind)""#))
    }

    @Test(arguments: [
        ("byName", #"["Ng","Alice"]  "alice""#), ("_default.partial", #"[31]  "alice""#), ("arrTags", #"["blue"]  "alice" 1"#),
        ("ftsEn", #"["fox"]  1 1"#), ("MixIdx", #"["x"]  "Doc-A""#), ("by type", #"["person"]  "bob""#),
    ]) func entriesOfIndexesArePrinted(index: String, line: String) throws {
        let before = try Program.run(["info", "index", trees, index])
        #expect(before.lines.contains(line))
        #expect(try Program.run(["info", trees, "index", index]).output == before.output)
    }

    // sql

    @Test func rowsOfSQLAreJSON() throws {
        let query = "SELECT key, sequence, version, body, fl_value(body, 'n'), NULL FROM kv_default WHERE key IN ('empty', 'hist')"
        let result = try Program.run(["sql", trees, query + " ORDER BY key"])
        #expect(
            result.output == """
                [["empty",1,"x'01a5bb2524156f3e56dcc4e5c52c73c46f82c2efb0'",{},null,null],
                 ["hist",73,"x'3d3e080284a22cffb8fa35e1bdfca9729fb7b6b797'",{"n":60},60,null]]

                """)
        #expect(try Program.run(["sql", "--json", trees, "SELECT 1 AS a, 'x' AS b"]).output == "{\"a\":1,\"b\":\"x\"}\n")
        #expect(try Program.run(["sql", trees, "SELECT 1 WHERE 0"]).output == "[]\n")
    }

    @Test func sqlWritesOnlyWhenTold() throws {
        let directory = try TemporaryDirectory()
        let path = try Fixtures.copy("v4.x/revtrees_4.1.cblite2", to: directory)
        let refused = try Program.run(["sql", path, "DELETE FROM kv_default WHERE key='bob'"])
        #expect(refused.exitCode == 1 && refused.errors.contains("--writeable"))
        let done = try Program.run(["sql", "--writeable", path, "DELETE FROM kv_default WHERE key='bob'; SELECT 1"])
        #expect(done.output == "[[1]]\n" && done.errors == "1 row changed\n")
        #expect(try Program.run(["cat", path, "bob"]).exitCode == 1)
        let wrong = try Program.run(["sql", path, "SELECT nonsense FROM kv_default"])
        #expect(wrong.errors == "cblite: SQL: no such column: nonsense\n" && wrong.exitCode == 1)
    }

    // blob

    @Test func blobsAreListedVerifiedAndTakenOut() throws {
        let directory = try TemporaryDirectory()
        let path = try Fixtures.copy("v4.x/revtrees_4.1.cblite2", to: directory)
        let digest = "sha1-c2XTGPrFT86b4bdd8Xo4E/Zpuww="
        let documents = #""documents":[{"collection":"_default","id":"withblob"}]}"#
        #expect(
            try Program.run(["blob", "ls", "--json", path]).output
                == #"{"digest":"\#(digest)","size":10,"type":"text/plain","state":"present",\#(documents)"# + "\n")
        for arguments in [[digest], ["withblob"], ["withblob", "att"]] {
            #expect(try Program.run(["blob", "get", path] + arguments).output == "hello blob")
        }
        let target = directory.path + "/out.txt"
        #expect(try Program.run(["blob", "get", path, "withblob", "att", "-o", target]).exitCode == 0)
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "hello blob")

        let file = path + "/Attachments/c2XTGPrFT86b4bdd8Xo4E_Zpuww=.blob"
        try FileManager.default.removeItem(atPath: file)
        try Data("hellO blob".utf8).write(to: URL(filePath: file))
        let verified = try Program.run(["blob", "ls", "--verify", path])
        #expect(verified.output.contains("damaged") && verified.exitCode == 1)
        #expect(try Program.run(["blob", "get", path, digest, "-o", target]).exitCode == 1)
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "hello blob")
        try FileManager.default.removeItem(atPath: file)
        #expect(try Program.run(["blob", "ls", path]).output.contains("missing"))
        #expect(try Program.run(["blob", "get", path, "withblob"]).errors.contains("no blob"))
    }

    // changes

    @Test func changesOfOtherProcessesAreFollowed() throws {
        let directory = try TemporaryDirectory()
        let path = try Fixtures.copy("v4.x/revtrees_4.1.cblite2", to: directory)
        let follower = try RunningProgram(["changes", "--follow", "--since", "94", "--json", path])
        #expect(follower.readOutput(atLeast: 20))
        #expect(follower.outputSoFar.contains(#""id":"nosave-same""#))
        let length = follower.outputSoFar.utf8.count
        #expect(try Program.run(["put", path, "fresh", #"{"n":1}"#]).exitCode == 0)
        #expect(follower.readOutput(atLeast: length + 20))
        #expect(follower.outputSoFar.contains(#""id":"fresh""#))
        follower.send(signal: SIGINT)
        let result = follower.finish()
        #expect(result.exitCode == 130)
        #expect(result.lines.count == 2)
    }

    @Test func changesOfAllCollectionsAreFollowedFromNowOn() throws {
        let scratch = try Scratch(["old": "{}"])
        let follower = try RunningProgram(["changes", "-f", "--since", "now", "-C", "*", "--json", "--limit", "2", scratch.path])
        // It has begun when it has something to say: until then more is written.
        var number = 0
        while number < 200, !follower.readOutput(atLeast: 250, timeout: 0.02) {
            number += 1
            try scratch.expect(["mkcoll", "c\(number)"])
            try scratch.expect(["put", "new", "{}"], flags: ["-C", "c\(number)"])
        }
        let lines = follower.finish().lines
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { $0.contains(#""id":"new""#) && $0.hasPrefix(#"{"collection":"c"#) })
        let all = try scratch.expect(["changes"], flags: ["-C", "*"])
        #expect(all.lines[1] == "_default:")
        #expect(all.lines.contains("c1:"))
        try scratch.expectFailure(
            ["changes", "--since", "3"], exitCode: 2, "each collection has sequences of its own", flags: ["-C", "*"])
    }

    @Test func changesOfSomeCollectionsStandTogether() throws {
        let scratch = try Scratch(["old": "{}"])
        for name in ["a", "b", "c"] {
            try scratch.expect(["mkcoll", name])
            try scratch.expect(["put", "in \(name)", "{}"], flags: ["-C", name])
        }
        let lines = try scratch.expect(["changes"], flags: ["-C", "c,a"]).lines
        #expect(lines.filter { $0.hasSuffix(":") } == ["c:", "a:"])
        #expect(lines.contains { $0.hasPrefix("in a ") } && !lines.contains { $0.hasPrefix("in b ") || $0.hasPrefix("old ") })
        #expect(try scratch.expect(["changes", "--json"], flags: ["-C", "b,_default"]).lines.count == 2)
        let follower = try RunningProgram(["changes", "-f", "--since", "now", "-C", "b,c", "--json", "--limit", "1", scratch.path])
        var number = 0
        while number < 200, !follower.readOutput(atLeast: 1, timeout: 0.02) {
            number += 1
            for name in ["a", "c"] { try scratch.expect(["put", "new\(number)", "{}"], flags: ["-C", name]) }
        }
        #expect(follower.finish().output.hasPrefix(#"{"collection":"c","id":"new"#))
        try scratch.expectFailure(["changes"], "no collection \"d\"", flags: ["-C", "a,d"])
        try scratch.expectFailure(["changes", "--since", "3"], exitCode: 2, "sequences of its own", flags: ["-C", "a,b"])
    }

    @Test func changesEndAtTheirLimit() throws {
        #expect(try Program.run(["changes", "--follow", "--limit", "2", "--json", trees]).lines.count == 2)
        #expect(try Program.run(["changes", "--since", "95", trees]).errors == "(No changes)\n")
    }

    // diff

    @Test func databasesAreCompared() throws {
        #expect(try Program.run(["diff", trees, trees]).exitCode == 0)
        let result = try Program.run(["diff", trees, vectors])
        #expect(result.output == "_default:\n+ legacy\n- nosave-same\n+ remotewins\n")
        #expect(result.exitCode == 1)
        #expect(try Program.run(["diff", "--revs", "-C", "things", trees, vectors]).output.contains("~ t1  1-4c3ab063"))
        #expect(try Program.run(["diff", trees, "/nonexistent.cblite2"]).exitCode == 3)
    }

    @Test func differencesAreToldByProperty() throws {
        let directory = try TemporaryDirectory()
        let path = try Fixtures.copy("v4.x/revtrees_4.1.cblite2", to: directory)
        let body =
            #"{"age":42,"bio":"Über naïve café dogs","contacts":[],"name":{"first":"Bob"},"tags":["blue","red"],"x.y":null,"type":"person"}"#
        #expect(try Program.run(["put", path, "bob", body]).exitCode == 0)
        let result = try Program.run(["diff", "--body", trees, path])
        #expect(
            result.output == """
                _default:
                ~ bob
                    - age: 41
                    + age: 42
                    - contacts[0]: {"emails":["bob@a.com","b2@a.com"],"type":"primary"}
                    - contacts[1]: {"emails":[],"type":"alt"}
                    - name.last: "Çelik"
                    + tags[0]: "blue"
                    + x\\.y: null

                """)
        let json = try Program.run(["diff", "--body", "--json", trees, path])
        #expect(json.output.contains(#"{"path":"age","before":41,"after":42}"#))
    }

    // All of them

    @Test(arguments: [
        ["ls", "-l"], ["ls"], ["cat", "--", "*"], ["revs", "--", "hist"], ["conflicts"], ["changes"], ["info", "-v"], ["info", "keys"],
        ["sql", "--", "SELECT * FROM kv_default"], ["blob", "ls"],
    ]) func aReaderThatWentAwayIsNoError(command: [String]) throws {
        let words = command.split(separator: "--").map(Array.init)
        let program = try RunningProgram(words[0] + [trees] + (words.count > 1 ? words[1] : []))
        program.closeOutput()
        let result = program.finish()
        #expect(result.exitCode == 0)
        #expect(!result.errors.contains("cblite:"))
    }

    @Test(arguments: [["ls"], ["cat", "x"], ["revs", "x"], ["conflicts"], ["changes"], ["diff"]])
    func unknownCollectionsAreNamed(command: [String]) throws {
        let other = command[0] == "diff" ? [vectors] : []
        let result = try Program.run([command[0], trees] + command.dropFirst() + other + ["-C", "thing"])
        #expect(result.errors.hasSuffix("no collection \"thing\". Did you mean \"things\"?\n"))
        #expect(result.exitCode == 1)
    }

    /// What each change did, while others make them, whoever opens the file first.
    @Test func changesAreFollowedWithWhatTheyDid() throws {
        let scratch = try Scratch(["a": #"{"n":1,"note":"x"}"#, "b": #"{"n":1}"#])
        let program = try RunningProgram(["changes", "-f", "--diff", "--since", "now", "-C", "*", scratch.path])
        func until(_ text: String) {
            for _ in 0..<Int(10 * Patience.seconds) where !program.outputSoFar.contains(text) {
                program.readOutput(atLeast: .max, timeout: 0.1)
            }
        }
        // Nothing is said before the first change: one is repeated until it is seen.
        for n in 2..<600 where !program.outputSoFar.contains("first") {
            _ = try scratch.run(["put", "-C", "first", "f", "{\"n\":\(n)}"])
            program.readOutput(atLeast: .max, timeout: 0.1)
        }
        for words in [["put", "a", #"{"n":2,"tags":[1]}"#], ["put", "c", #"{"new":true}"#], ["rm", "b"], ["put", "b", #"{"n":3}"#]] {
            #expect(try scratch.run(words).exitCode == 0)
            until("  \(words[1])  ")
        }
        until("undeleted")
        program.send(signal: SIGINT)
        let result = program.finish()
        let lines = result.lines.filter { !$0.contains("first") }.map { $0.split(separator: " ", maxSplits: 1)[1] }
        #expect(
            lines.map { $0.drop { $0 == " " } } == [
                "_default  a  n: 1 → 2, -note, +tags: [1]", #"_default  c  created, {"new":true}"#, "_default  b  deleted",
                #"_default  b  undeleted, {"n":3}"#,
            ], "\(result.output)\(result.errors)")
        #expect(try scratch.run(["changes", "--diff"]).exitCode == 2)
    }

    /// On a screen the line ends where there is more than it has room for.
    @Test func aChangeOfManyPropertiesIsOneLine() throws {
        let members = (0..<12).map { #""property_\#($0)":\#($0)"# }.joined(separator: ",")
        let scratch = try Scratch(["hotel": "{\(members)}"])
        for width in [60, 76, 90, 110] {
            let terminal = try PseudoTerminal(["changes", "-f", "--diff", "--since", "now", scratch.path], columns: width, rows: 20)
            for n in 0..<600 where !terminal.text.contains("…") {
                try scratch.expect(["put", "hotel", #"{"a":\#(n),"property_3":3,"z":\#(n)}"#])
                try scratch.expect(["put", "hotel", "{\(members)}"])
                terminal.settle(milliseconds: 50)
            }
            #expect(!terminal.text.contains(", ,"), "\(terminal.text)")
            terminal.send(signal: SIGINT)
            _ = try terminal.finish()
        }
    }
}
