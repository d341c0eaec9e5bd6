import CBLTestSupport
import FoundationEssentials
import Glibc
import Testing

/// `query` and `select` as people and scripts use them.
@Suite struct QueryTests {
    private static func people() throws -> Scratch {
        try Scratch([
            "a": #"{"name":"Ada \"L\"","age":36,"x":{"b":[1,2.5],"a":null}}"#, "b": #"{"name":"Bob","x":null}"#,
            "c": #"{"age":7.5,"flag":true,"name":"Zoë"}"#,
        ])
    }

    private static let query = "SELECT name, age, x FROM _ ORDER BY name"
    private static let raw = #"""
        [{"name": "Ada \"L\"", "age": 36, "x": {"a":null,"b":[1,2.5]}},
         {"name": "Bob", "x": null},
         {"name": "Zoë", "age": 7.5}]

        """#

    // Forms

    @Test func rawRowsAreAsTheVendorsProgramPrintsThem() throws {
        let scratch = try QueryTests.people()
        try scratch.expect(["query", QueryTests.query], QueryTests.raw, flags: ["--raw"])
        try scratch.expect(["query", QueryTests.query], QueryTests.raw, flags: ["--format", "json"])
        try scratch.expect(["select", "name, age, x FROM _ ORDER BY name"], QueryTests.raw, flags: ["--raw"])
        try scratch.expect(["SELECT", "name,", "age,", "x", "FROM", "_", "ORDER", "BY", "name"], QueryTests.raw, flags: ["--raw"])
        try scratch.expect(
            ["query", QueryTests.query], "[{name: \"Bob\", x: null}]\n", flags: ["--raw", "--json5", "--offset=1", "--limit=1"])
        try scratch.expect(["query", "SELECT name FROM _ WHERE age > 99"], "[]\n", flags: ["--raw"])
        try scratch.expect(["query", "SELECT name AS `a\"b` FROM _ LIMIT 1"], "[{\"a\\\"b\": \"Ada \\\"L\\\"\"}]\n", flags: ["--raw"])
    }

    @Test(arguments: [
        (["--json"], "{\"name\":\"Bob\",\"x\":null}"), (["--format=jsonl"], "{\"name\":\"Bob\",\"x\":null}"), (["-F", "csv"], "Bob,,null"),
        (["-F", "tsv"], "Bob\t\tnull"), (["-F", "markdown"], "| Bob |  | null |"),
        (["-F", "html"], "<tr><td>Bob</td><td></td><td>null</td></tr>"),
        (["-F", "line"], "name = Bob\n   x = null"), (["-F", "table"], "Bob            null"), ([], "Bob            null"),
    ])
    func everyFormatShowsTheRows(flags: [String], expected: String) throws {
        let scratch = try QueryTests.people()
        let result = try scratch.expect(["query", QueryTests.query], flags: flags)
        #expect(result.output.contains(expected + "\n"))
        #expect(result.errors.isEmpty)
    }

    // What is more than the vendor's dialect

    @Test func commentsAreNoPartOfAQuery() throws {
        let scratch = try QueryTests.people()
        try scratch.expect(["query", "SELECT name -- ; who?\nFROM _ /* all; 'of */ WHERE name = 'Bob' -- them"], "Bob\n")
        try scratch.expect(["query", "SELECT '-- /* no comment' || name FROM _ WHERE name = 'Bob'"], "-- /* no commentBob\n")
        try scratch.expect(["query", "-f", "-"], "5\n6\n", input: "/* one;\ntwo */ SELECT 5; -- three; four\nSELECT 5--1;\n")
        let wrong = try scratch.run(["query", "SELECT /* é */ name FORM _"])
        #expect(wrong.errors.contains("column 21"))
        #expect(wrong.errors.contains("    SELECT /* é */ name FORM _\n"))
        try scratch.expectFailure(["query", "SELECT 1 /* é, and so on"], "column 10: nothing closes this comment")
        try scratch.expectFailure(["query", "-f", "-"], "nothing closes this comment", input: "SELECT 1;\nSELECT 2; /* three;\n")
        let script = try Program.run(
            [scratch.path], input: "SELECT name -- a; b\n-- c\nFROM _ WHERE name = 'Bob';\n/* d\n*/ SELECT 1 /* e\n*/;\n")
        #expect(script.output == "Bob\n1\n")
    }

    @Test func commentsAreNoPartOfAQueryThatAnIndexIsSuggestedFor() throws {
        let scratch = try QueryTests.people()
        let result = try scratch.expect(["mkindex", "--suggest", "SELECT age FROM _ WHERE name = 'Bob' -- him"])
        #expect(result.output.contains("byName name"))
    }

    @Test func anExpressionIsCalculatedWithoutDocuments() throws {
        let scratch = try Scratch([:])
        try scratch.expect(["query", "SELECT 1+1"], "2\n")
        try scratch.expect(
            ["query", "SELECT upper('x') AS u, [1,2], 'text', $p"], "{\"u\":\"X\",\"$1\":[1,2],\"$2\":\"text\",\"$3\":7}\n",
            flags: ["--json", "-p", "p=7"])
        for query in ["SELECT count(*)", "SELECT name", "SELECT meta().id", "SELECT max(1)", "SELECT 1 LIMIT 1"] {
            #expect(try scratch.run(["query", query]).errors.contains("the FROM clause is missing"), "\(query)")
        }
    }

    @Test func starsAndCountsOfRowsGoWithJoins() throws {
        let scratch = try QueryTests.people()
        try scratch.expect(["query", "SELECT count(*) FROM _ a JOIN _ b ON a.name = b.name"], "3\n")
        try scratch.expect(
            ["query", "SELECT * FROM _ a JOIN _ AS b ON a.name = b.name WHERE a.name = 'Bob'"],
            "{\"a\":{\"name\":\"Bob\",\"x\":null},\"b\":{\"name\":\"Bob\",\"x\":null}}\n", flags: ["--json"])
        let unnested = try scratch.expect(["query", "SELECT * FROM _ a UNNEST a.x.b AS item WHERE item = 1"], flags: ["--json"])
        #expect(unnested.output.hasSuffix("\"item\":1}\n"))
    }

    @Test func aLimitIsNoComparison() throws {
        let scratch = try QueryTests.people()
        try scratch.expectFailure(["query", "SELECT name FROM _ LIMIT 2 > file"], "LIMIT cannot depend on a document")
        let script = try Program.run([scratch.path], input: "SELECT name FROM _ LIMIT 2 > file\n")
        #expect(script.errors.contains("\";\" ends the query: with \"; > file\" behind it, its rows go to that file."))
        #expect(try Program.run([scratch.path], input: "SELECT name FROM _ > /tmp/x\n").errors.contains("; > /tmp/x"))
        #expect(try !Program.run([scratch.path], input: "SELECT nme FROM _ WHERE age > 5 FOO\n").errors.contains("ends the query"))
    }

    @Test func theNameOfAFileTellsTheForm() throws {
        let scratch = try QueryTests.people()
        let file = scratch.directory.path + "/rows"
        for (ending, text) in [
            ("csv", "name,age\nBob,\n"), ("jsonl", "{\"name\":\"Bob\"}\n"), ("txt", "name  age\n----  ---\nBob      \n"),
        ] {
            try scratch.expect(["query", "SELECT name, age FROM _ WHERE name = 'Bob'"], "", flags: ["-o", "\(file).\(ending)"])
            #expect(try String(contentsOfFile: "\(file).\(ending)", encoding: .utf8).hasPrefix(text.prefix(9)), "\(ending)")
            let script = try Program.run([scratch.path], input: "SELECT name, age FROM _ WHERE name = 'Bob'; > \(file)-2.\(ending)\n")
            #expect(script.exitCode == 0)
            #expect(try String(contentsOfFile: "\(file)-2.\(ending)", encoding: .utf8).hasPrefix(text.prefix(9)), "\(ending)")
        }
    }

    @Test func sqlFollowsTheMode() throws {
        let scratch = try QueryTests.people()
        let statement = "sql SELECT key, key, x'00ff' AS blob FROM kv_default LIMIT 1"
        #expect(try Program.run([scratch.path], input: "\(statement)\n").output == "[[\"a\",\"a\",\"x'00ff'\"]]\n")
        #expect(try Program.run([scratch.path], input: ".mode csv\n\(statement)\n").output == "key,key #2,blob\na,a,x'00ff'\n")
        let terminal = try PseudoTerminal(
            ["sql", scratch.path, "SELECT key, sequence FROM kv_default LIMIT 1"], environment: [:], columns: 80)
        _ = try terminal.finish()
        #expect(terminal.screen.lines.prefix(2) == ["key  sequence", "a           1"])
    }

    // From where one is

    @Test func namesAreLookedForWhereOneIs() throws {
        let scratch = try Scratch(["d": #"{"n":0}"#])
        try scratch.expect(["mkcoll", "inventory.hotel", "inventory.airline", "hotel", "things"])
        for (collection, id) in [("inventory.hotel", "h"), ("inventory.airline", "a"), ("hotel", "o"), ("things", "t")] {
            try scratch.expect(["put", id, #"{"n":1}"#], flags: ["-C", collection])
        }
        let result = try Program.run(
            ["--writeable", scratch.path],
            input: """
                cd inventory.airline
                SELECT meta().id FROM _
                SELECT meta().id FROM hotel
                SELECT hotel.n + meta(hotel).sequence FROM hotel
                SELECT meta().id FROM things
                SELECT meta().id FROM _default
                SELECT meta().id FROM _default.hotel
                ls -C hotel
                ls -C _
                cd hotel
                SELECT meta(_).id FROM _
                UPDATE airline SET n = 2 WHERE airline.n = 1
                put -C things t2 {}
                ls -C things
                mv a hotel -C airline
                ls
                DELETE FROM hotel WHERE hotel.n = 2
                ls
                CREATE INDEX byN ON airline (n)
                mkindex -C airline byM m
                info indexes
                SELECT count(*) FROM airline a JOIN things t ON a.n = t.n
                cd things
                SELECT meta().id FROM hotel
                cd inventory

                """)
        #expect(
            result.lines == [
                "a", "h", "2", "t", "d", "o", "h", "a", "h", "1 document updated", "Created `t2`, new revision 1-a5bb2524 (sequence 2)",
                "t", "t2", "Moved `a` to inventory.hotel (sequence 2)", "a", "h", "1 document deleted", "h",
                "Created index \"byN\"", "Created index \"byM\"", "Index                  Kind   Of", "---------------------  -----  --",
                "inventory.airline.byM  value  m", "inventory.airline.byN  value  n", "0", "o",
            ])
        #expect(result.errors.contains("\"inventory\" is a scope, with the collections inventory.airline, inventory.hotel"))
    }

    @Test func theCollectionOfAFlagIsTheOneThatIsMeant() throws {
        let scratch = try Scratch(["d": "{}"])
        try scratch.expect(["mkcoll", "inventory.hotel"])
        try scratch.expect(["put", "h", "{}"], flags: ["-C", "inventory.hotel"])
        try scratch.expect(["query", "SELECT meta().id FROM _"], "h\n", flags: ["-C", "inventory.hotel"])
        try scratch.expect(["query", "SELECT meta().id FROM _default"], "d\n", flags: ["-C", "inventory.hotel"])
        try scratch.expect(["query", #"{"WHAT": [["._id"]], "FROM": [{"COLLECTION": "_"}]}"#], "h\n", flags: ["-C", "inventory.hotel"])
    }

    @Test func aResultWithoutRowsSaysSoToThePersonOnly() throws {
        let scratch = try Scratch()
        let result = try scratch.expect(["query", "SELECT name, age FROM _"], "")
        #expect(result.errors == "(No results)\n")
        #expect(try scratch.run(["query", "SELECT name FROM _"], flags: ["--quiet"]).errors.isEmpty)
    }

    @Test func queriesInJSONAreUnderstood() throws {
        let scratch = try QueryTests.people()
        try scratch.expect(
            ["query", #"{WHAT: [[".name"]], WHERE: ["=", [".age"], 36]}"#], "[{\"name\": \"Ada \\\"L\\\"\"}]\n", flags: ["--raw"])
        try scratch.expect(["query", #"["=", [".flag"], true]"#], "[{\"_id\": \"c\", \"_sequence\": 3}]\n", flags: ["--raw"])
    }

    @Test func limitsAreAddedToTheQueryOrCountItsRows() throws {
        let scratch = try QueryTests.people()
        for (query, flags, names) in [
            ("SELECT META().id FROM _ ORDER BY name DESC", ["--limit", "2"], ["c", "b"]),
            ("SELECT META().id FROM _ ORDER BY name DESC", ["--offset", "2"], ["a"]),
            ("SELECT META().id FROM _ ORDER BY name LIMIT 2", ["--offset", "1", "--limit", "5"], ["b"]),
            ("SELECT META().id FROM _ ORDER BY name OFFSET 1", ["--limit", "1"], ["b"]), ("SELECT META().id FROM _", ["--limit", "0"], []),
        ] {
            #expect(try scratch.expect(["query", query], flags: flags).lines == names, "\(query) \(flags)")
        }
    }

    @Test func anotherCollectionIsChosenByNameOrFlag() throws {
        let scratch = try Scratch()
        try scratch.expect(["mkcoll", "inventory.hotel"])
        try scratch.expect(["put", "h", #"{"name":"Ritz"}"#], flags: ["-C", "inventory.hotel"])
        try scratch.expect(["query", "SELECT name FROM inventory.hotel"], "Ritz\n")
        try scratch.expect(["query", "SELECT name"], "Ritz\n", flags: ["-C", "inventory.hotel"])
        try scratch.expectFailure(["query", "SELECT name FROM inventory.hotell"], "Did you mean")
        try scratch.expectFailure(["query", "SELECT name"], "FROM")
    }

    @Test func resultsGoToAFileThatAppearsWhenItIsComplete() throws {
        let scratch = try QueryTests.people()
        let file = scratch.directory.path + "/out.json"
        try "before".write(toFile: file, atomically: false, encoding: .utf8)
        try scratch.expect(["query", QueryTests.query], "", flags: ["--raw", "-o", file])
        #expect(try String(contentsOfFile: file, encoding: .utf8) == QueryTests.raw)
        try scratch.expect(["query", QueryTests.query], QueryTests.raw, flags: ["--raw", "-o", "-"])
        try scratch.expectFailure(["query", "SELECT power('x', power(name)) FROM _"], "", flags: ["-o", file])
        #expect(try String(contentsOfFile: file, encoding: .utf8) == QueryTests.raw)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.directory.path).sorted() == ["out.json", "scratch.cblite2"])
    }

    // Parameters

    @Test func parametersAreBound() throws {
        let scratch = try QueryTests.people()
        let query = "SELECT META().id FROM _ WHERE name = $name OR age = $age ORDER BY META().id"
        try scratch.expect(["query", query], "a\nb\n", flags: ["-p", "name=Bob", "--param", "age=36"])
        try scratch.expect(["query", query], "b\nc\n", flags: ["--params", #"{name: "Bob", age: 7.5}"#])
        try scratch.expect(["query", query], "b\n", flags: ["--params", "-", "-p", "age=-1"], input: #"{"name": "Bob", "age": 36}"#)
        let file = scratch.directory.path + "/params.json"
        try #"{"name": "Zoë", "age": null}"#.write(toFile: file, atomically: false, encoding: .utf8)
        try scratch.expect(["query", query], "c\n", flags: ["--params", file])
        let unbound = try scratch.expect(["query", query], "b\n", flags: ["-p", "name=Bob"])
        #expect(unbound.errors == "$age has no value, and is MISSING; --param gives one.\n")
        try scratch.expectFailure(["query", query], exitCode: 2, "--param age: \"36x\" is not JSON", flags: ["-p", "age=36x"])
        try scratch.expectFailure(["query", query], "--params must be an object", flags: ["--params", "/dev/stdin"], input: "[1]")
        try scratch.expectFailure(["query", query], "nmae", flags: ["-p", "nmae=Bob"])
    }

    // Mistakes

    @Test func mistakesAreShownWithTheirPlace() throws {
        let scratch = try QueryTests.people()
        let syntax = try scratch.run(["query", "SELECT name FROM _ WHERE"])
        #expect(syntax.exitCode == 1 && syntax.output.isEmpty)
        #expect(syntax.errors.contains("at column 25"))
        #expect(syntax.errors.contains("\n    SELECT name FROM _ WHERE\n                            ^"))
        let json = try scratch.run(["query", "SELECT name FROM _ WHERE"], flags: ["--json"])
        #expect(json.errors.hasPrefix(#"{"error":{"code":"failed","exit":1,"message":"SQL++ syntax error"#))
        try scratch.expectFailure(["query", "SELECT nofunction(x) FROM _"], "nofunction")
        try scratch.expectFailure(["query"], exitCode: 2, "there is no statement")
        try scratch.expectFailure(["query", "SELECT 1 FROM _"], exitCode: 2, "exclude each other", flags: ["--explain", "--watch"])
        try scratch.expectFailure(["query", "SELECT 1 FROM _"], exitCode: 2, "--time-limit", flags: ["-t", "soon"])
        #expect(try Program.run(["query", "/nonexistent.cblite2", "SELECT 1 FROM _"]).exitCode == 3)
    }

    @Test func aFailureWhileRunningKeepsTheRowsBefore() throws {
        let scratch = try QueryTests.people()
        let query = "SELECT a.name, b.name, c.name FROM _ a JOIN _ b ON a.name < 'x' JOIN _ c ON true"
        try scratch.expect(["query", query], flags: ["-t", "10"])
    }

    // Explanations

    @Test func plansAreExplained() throws {
        let scratch = try QueryTests.people()
        let text = try scratch.expect(["query", "SELECT name FROM _"], flags: ["--explain"]).output
        #expect(
            text.hasPrefix(
                """
                SELECT fl_result(fl_value(_.body, 'name')) FROM kv_default AS _ WHERE (_.flags & 1 = 0)

                2|0|0| SCAN _

                {"FROM":[{"COLLECTION":"_"}],"WHAT":[[".name"]]}

                """))
        #expect(text.contains("every document"))
        let json = try scratch.expect(["query", "SELECT name FROM _"], flags: ["--explain", "--json"]).output
        #expect(json.hasPrefix(#"{"sql":"SELECT fl_result("#) && json.hasSuffix("}\n"))
        let analysis = try scratch.expect(["query", "SELECT name FROM _ ORDER BY age"], flags: ["--analyze"]).output
        #expect(analysis.contains("rows found"))
        #expect(analysis.contains("sorts"))
    }

    // Scripts

    @Test func scriptsRunStatementByStatement() throws {
        let scratch = try QueryTests.people()
        let script = "SELECT name FROM _ WHERE age = 36;\n\nSELECT ';' AS s FROM _ LIMIT 1;\n"
        try scratch.expect(["query"], "Ada \"L\"\n;\n", input: script)
        try scratch.expect(["query", "-"], "Ada \"L\"\n;\n", input: script)
        try scratch.expect(["query", "SELECT 1 AS n FROM _ LIMIT 1; SELECT 2 AS n FROM _ LIMIT 1;"], "1\n2\n")
        let file = scratch.directory.path + "/script.sqlpp"
        try script.write(toFile: file, atomically: false, encoding: .utf8)
        try scratch.expect(["query", "-f", file], "Ada \"L\"\n;\n")
        try "SELECT name FROM _ LIMIT 1;\nSELECT 1 FROM nowhere;\nSELECT 2 AS n FROM _".write(
            toFile: file, atomically: false, encoding: .utf8)
        let failed = try scratch.run(["query", "-f", file])
        #expect(failed.exitCode == 1, "the second statement names no collection")
        #expect(failed.output == "Ada \"L\"\n")
        #expect(failed.errors.hasPrefix("cblite: \(file):2:"), "\(failed.errors)")
        // A slip in the syntax is noticed before anything is run.
        try "SELECT name FROM _ LIMIT 1;\n  SELECT FROM _ WHERE;\n".write(toFile: file, atomically: false, encoding: .utf8)
        let wrong = try scratch.run(["query", "-f", file])
        #expect(wrong.exitCode == 1 && wrong.output.isEmpty)
        #expect(wrong.errors.hasPrefix("cblite: \(file):2:"), "\(wrong.errors)")
        try scratch.expectFailure(["query", "SELECT 1 FROM _"], exitCode: 2, "not both", flags: ["-f", file])
        try #"INSERT INTO _ (KEY, VALUE) VALUES ("a", {})"#.write(toFile: file, atomically: false, encoding: .utf8)
        try scratch.expectFailure(["query"], exitCode: 4, "\(file):1:1: ", flags: ["--writeable", "-f", file])
    }

    // Changes

    @Test func changesNeedPermission() throws {
        let scratch = try QueryTests.people()
        for statement in [
            "UPDATE _ SET age = 1", "DELETE FROM _", #"INSERT INTO _ (KEY, VALUE) VALUES ("k", {"a":1})"#, "CREATE COLLECTION things",
            "SELECT 1 FROM _; DELETE FROM _",
        ] {
            try scratch.expectFailure(["query", statement], "--writeable allows changes")
        }
        try scratch.expectFailure(["query", "DELETE FROM _"], "only a SELECT", flags: ["--explain", "--writeable"])
    }

    @Test func changesTellHowManyDocumentsTheyTouched() throws {
        let scratch = try QueryTests.people()
        let writes = ["--writeable"]
        try scratch.expect(["query", "UPDATE _ SET age = 40 WHERE age < 40"], "2 documents updated\n", flags: writes)
        try scratch.expect(["query", "SELECT age FROM _ WHERE age = 40"], "40\n40\n")
        try scratch.expect(
            ["query", #"INSERT INTO _ (KEY, VALUE) VALUES ("k", {"a":1})"#], #"{"inserted":1,"updated":0,"deleted":0}"# + "\n",
            flags: writes + ["--json"])
        #expect(try scratch.cat("k") == #"{"_id":"k", "a":1}"#)
        try scratch.expect(["query", "DELETE FROM _ WHERE name = $n"], "1 document deleted\n", flags: writes + ["-p", "n=Bob"])
        try scratch.expect(["query", "DELETE FROM _ WHERE name = 'nobody'"], "No document changed\n", flags: writes)
        try scratch.expect(["query", "CREATE COLLECTION things; DROP COLLECTION things"], flags: writes)
        #expect(try scratch.ids() == ["a", "c", "k"])
    }

    @Test func aTrialNamesWhatWouldChangeAndChangesNothing() throws {
        let scratch = try QueryTests.people()
        let before = try scratch.documents()
        try scratch.expect(
            ["query", "UPDATE _ SET age = 40 WHERE age < 40"],
            "Would have been updated: a\nWould have been updated: c\n2 documents updated (tried, and undone)\n", flags: ["--dry-run"])
        #expect(try scratch.documents() == before)
    }

    @Test func aStatementIsDoneWhollyOrNotAtAll() throws {
        let scratch = try QueryTests.people()
        try scratch.expectFailure(
            ["query", #"INSERT INTO _ (KEY, VALUE) VALUES ("k", {"a":1}), ("a", {"a":2})"#], exitCode: 4, "\"a\"",
            flags: ["--writeable"])
        #expect(try scratch.ids() == ["a", "b", "c"])
    }

    // Watching

    @Test func changesOfOtherProcessesAreShown() throws {
        let scratch = try QueryTests.people()
        let watcher = try RunningProgram(["query", "--watch", scratch.path, "SELECT META().id, age FROM _ WHERE age > 10"])
        let first = "+ {\"id\":\"a\",\"age\":36}\n"
        #expect(watcher.readOutput(atLeast: first.utf8.count))
        #expect(watcher.outputSoFar == first)
        try scratch.expect(["put", "b", #"{"age":50}"#])
        let second = first + "+ {\"id\":\"b\",\"age\":50}\n"
        #expect(watcher.readOutput(atLeast: second.utf8.count))
        #expect(watcher.outputSoFar == second)
        try scratch.expect(["put", "c", #"{"age":1}"#])
        try scratch.expect(["put", "a", #"{"age":37}"#])
        let third = second + "- {\"id\":\"a\",\"age\":36}\n+ {\"id\":\"a\",\"age\":37}\n"
        #expect(watcher.readOutput(atLeast: third.utf8.count))
        #expect(watcher.outputSoFar == third)
        watcher.send(signal: SIGINT)
        #expect(watcher.finish().exitCode == 130)
    }

    /// Who waits is not woken before there is something to be shown, and hears Ctrl-C whenever it comes.
    @Test(arguments: [["query", "--watch", "DB", "SELECT META().id FROM _ WHERE age > 10"], ["changes", "--follow", "DB"]])
    func waitingIsSleeping(command: [String]) throws {
        let scratch = try QueryTests.people()
        let program = try RunningProgram(command.map { $0 == "DB" ? scratch.path : $0 })
        #expect(program.readOutput(atLeast: 10))
        let thread = ProcessThread(program.processID, of: program.processID)
        usleep(300_000)
        let before = try #require(thread.sleeps)
        usleep(700_000)
        #expect(thread.sleeps == before)
        program.send(signal: SIGINT)
        #expect(program.finish().exitCode == 130)
    }

    @Test func waitingEndsWheneverItIsInterrupted() throws {
        let scratch = try QueryTests.people()
        for round in 0..<10 {
            let program = try RunningProgram(["query", "--watch", scratch.path, "SELECT META().id FROM _ WHERE age > 10"])
            #expect(program.readOutput(atLeast: 1))
            usleep(UInt32(round * 300))
            program.send(signal: SIGINT)
            let result = program.finish(timeout: 30)
            #expect(result.exitCode == 130 && !result.timedOut)
        }
    }

    // Bad circumstances

    @Test func aLongQueryCanBeInterruptedAndLimited() throws {
        let scratch = try Scratch()
        let lines = (0..<3000).map { "{\"_id\":\"d\($0)\",\"n\":\($0)}\n" }.joined()
        #expect(try Program.run(["import", scratch.path, "-"], input: lines).exitCode == 0)
        let query = "SELECT a.n, b.n FROM _ a JOIN _ b ON a.n != b.n ORDER BY a.n * b.n"
        let limited = try scratch.run(["query", query], flags: ["--raw", "--time-limit", "0.2"])
        #expect(limited.exitCode == 1)
        #expect(limited.errors.contains("took longer than 200 ms"))
        let program = try RunningProgram(["query", "--raw", scratch.path, query])
        usleep(300_000)
        program.send(signal: SIGINT)
        let result = program.finish()
        #expect(!result.timedOut)
        #expect(result.exitCode == 130)
    }

    @Test func aReaderThatWentAwayIsNoErrorAndAFullDiskIs() throws {
        let scratch = try QueryTests.people()
        let query = "SELECT a.name, b.name, c.x FROM _ a JOIN _ b ON true JOIN _ c ON true"
        let program = try RunningProgram(["query", scratch.path, query])
        program.closeOutput()
        #expect(program.finish().exitCode == 0)
        let full = try #require(
            try Program.run(tool: "sh", ["-c", #"exec "$0" query --raw "$1" "$2" > /dev/full"#, Program.path, scratch.path, query]))
        #expect(full.exitCode == 1)
        #expect(full.errors.contains("cannot write the output"))
        let broken = try #require(
            try Program.run(tool: "sh", ["-c", #"exec "$0" query "$1" "$(printf 'SELECT \377')""#, Program.path, scratch.path]))
        #expect(broken.exitCode == 2)
        #expect(broken.errors.contains("not valid UTF-8"))
    }

    @Test func readingLeavesEveryByteAsItWas() throws {
        let scratch = try QueryTests.people()
        let before = try scratch.files()
        let bytes = try Data(contentsOf: URL(filePath: scratch.path + "/db.sqlite3"))
        for flags in [[], ["--explain"], ["--analyze"]] {
            try scratch.expect(["query", "SELECT META().id, META().deleted FROM _ ORDER BY name"], flags: flags)
        }
        #expect(try scratch.files() == before)
        #expect(try Data(contentsOf: URL(filePath: scratch.path + "/db.sqlite3")) == bytes)
    }
}

@Suite struct TranslateTests {
    @Test func aQueryIsTranslatedWithoutADatabase() throws {
        let query = "SELECT name FROM hotels WHERE stars > 3"
        let json = #"{"FROM":[{"COLLECTION":"hotels"}],"WHAT":[[".name"]],"WHERE":[">",[".stars"],3]}"# + "\n"
        let both = try Program.run(["translate", query])
        #expect(both.exitCode == 0)
        #expect(both.output.hasPrefix(json + "\nSELECT fl_result(fl_value("))
        #expect(try Program.run(["translate", "--json", query]).output == json)
        #expect(try Program.run(["translate", "--sql", query]).output == both.output.dropFirst(json.utf8.count + 1))
        #expect(try Program.run(["translate", "--json", "-"], input: query).output == json)
        #expect(try Program.run(["translate", "--tree", query]).output.hasPrefix("select\n  property .name\n  from \"hotels\"\n"))
        #expect(
            try Program.run(["translate", "--json", #"{"WHAT":[[".name"]],"FROM":[{"COLLECTION":"hotels"}],"WHERE":[">",[".stars"],3]}"#])
                .exitCode == 0)
    }

    @Test func allIndependentMistakesAreReported() throws {
        let result = try Program.run(["translate", "SELECT nofun(a), upper(a, b) FROM _"])
        #expect(result.exitCode == 1)
        #expect(result.output.isEmpty)
        #expect(result.errors.contains("nofun"))
        #expect(result.errors.contains("upper"))
        #expect(try Program.run(["translate", "DELETE FROM _"]).errors.contains("only a SELECT"))
        #expect(try Program.run(["translate"]).exitCode == 2)
    }

    /// Files in a folder of one's own, that any editor changes.
    @Test func queriesAreKeptUnderNames() throws {
        let scratch = try Scratch(["a": #"{"name":"Ada"}"#, "b": #"{"name":"Bob"}"#])
        let environment = ["HOME": scratch.directory.path, "XDG_CONFIG_HOME": ""]
        let folder = scratch.directory.path + "/.config/cblite/queries"
        func cblite(_ words: [String], input: String = "") throws -> Program.Result {
            try Program.run(words, input: input, environment: environment)
        }
        #expect(try cblite(["saved"]).errors.contains("No saved queries"))
        #expect(try cblite(["save", "named", "SELECT name FROM _ WHERE name = $n"]).exitCode == 0)
        let file = try FileManager.default.attributesOfItem(atPath: folder + "/named.sqlpp")
        #expect(file[FileAttributeKey.posixPermissions] as? Int == 0o600)
        #expect(try cblite(["run", scratch.path, "named", "-p", "n=Bob"]).output == "Bob\n")
        #expect(try cblite(["run", scratch.path, "named", "-p", "n=Bob", "--json"]).output == #"{"name":"Bob"}"# + "\n")
        #expect(try cblite(["save", "named", "SELECT 2"]).errors.contains("--force replaces it"))
        #expect(try cblite(["save", "-f", "named", "SELECT 2;\nSELECT 3"]).exitCode == 0)
        #expect(try cblite(["run", scratch.path, "named"]).output == "2\n3\n")
        #expect(try cblite(["saved"]).output == "named  SELECT 2; SELECT 3\n")
        #expect(try cblite(["saved", "named"]).output == "SELECT 2;\nSELECT 3\n")
        #expect(try cblite(["complete", "saved"]).output == "named\n")
        #expect(try cblite(["run", scratch.path, "nmed"]).errors.contains(#"Did you mean "named"?"#))
        for name in ["../x", "a/b", "-x", "", "a b", ".", "é"] {
            #expect(try cblite(["save", "--", name, "SELECT 1"]).exitCode == 2, "\(name)")
            #expect(try cblite(["run", scratch.path, "--", name]).exitCode == 2, "\(name)")
        }
        let slip = try cblite(["save", "slip", "SELEC 1"])
        #expect(slip.exitCode != 0 && !FileManager.default.fileExists(atPath: folder + "/slip.sqlpp"))
        let script = try cblite([scratch.path], input: "SELECT 41 + 1;\nsave answer\nrun answer\nsaved --rm answer\nsave\n")
        #expect(script.output == "42\n42\n" && script.exitCode == 2)
        #expect(try cblite(["saved"]).output.hasPrefix("named") && cblite(["saved", "--rm", "named"]).exitCode == 0)
        #expect(try cblite(["saved", "--json"]).output == "")
    }

    /// In a script each statement takes the parameters that it has.
    @Test func parametersAreForWhoAsksForThem() throws {
        let scratch = try Scratch(["a": #"{"name":"Ada","n":1}"#, "b": #"{"name":"Bob","n":2}"#])
        let script = "SELECT name FROM _ WHERE name = $name;\nSELECT name FROM _ WHERE n = $n; -- $other"
        let both = try scratch.run(["query", "-f", "-", "-p", "name=Ada", "-p", "n=2"], input: script)
        #expect(both.output == "Ada\nBob\n", "\(both.errors)")
        let slip = try scratch.run(["query", "-f", "-", "-p", "nam=Ada", "-p", "n=2"], input: script)
        #expect(slip.exitCode == 1 && slip.errors.contains("no statement has a parameter $nam. Did you mean \"name\"?"), "\(slip.errors)")
        try scratch.expectFailure(["query", "-p", "other=1", "SELECT $n"], "the query has no parameter $other")
    }

    @Test func whatChangesNothingMakesNoRevision() throws {
        let scratch = try Scratch(["a": #"{"n":1}"#, "b": #"{"n":2}"#])
        try scratch.expect(["query", "UPDATE _ SET n = n"], "No document changed\n", flags: ["--writeable"])
        try scratch.expect(["query", "UPDATE _ SET n = 2"], "1 document updated\n", flags: ["--writeable"])
        let revisions = try scratch.run(["ls", "-l", "b"]).output
        #expect(revisions.contains("1-") && !revisions.contains("2-"))
        let terminal = try PseudoTerminal(["query", "--writeable", scratch.path, "UPDATE _ SET n = nn"], columns: 150)
        try terminal.waitForText("No document has \"nn\"")
        _ = try terminal.finish()
    }
}
