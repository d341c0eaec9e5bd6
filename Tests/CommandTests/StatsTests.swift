import CBLTestSupport
import FoundationEssentials
import Testing

@Suite struct StatsTests {
    private struct Answer: Decodable {
        struct Numbers: Decodable {
            struct Percentile: Decodable { let percent: Int, value: Double }
            struct Bin: Decodable { let from: Double, to: Double, count: Int }
            let count: Int, minimum: Double, maximum: Double, mean: Double, deviation: Double, exact: Bool, percentiles: [Percentile],
                bins: [Bin]
        }
        struct Texts: Decodable {
            struct Entry: Decodable { let value: String, count: Int }
            let count: Int, distinct: Int, exact: Bool, top: [Entry]
        }
        struct Dates: Decodable {
            struct Bin: Decodable { let date: String, count: Int }
            let count: Int, first: String, last: String, bins: [Bin]
        }
        struct Arrays: Decodable { let lengths: Numbers, items: Texts }
        let count: Int, types: [String: Int], numbers: Numbers?, strings: Texts?, dates: Dates?, arrays: Arrays?
    }

    private func scratch() throws -> Scratch {
        let scratch = try Scratch()
        let lines = (0..<100).map { number -> String in
            let mixed = ["\(number)", "\"text\"", "null", "[\"a\", \"b\"]", ""][number % 5]
            let member = mixed.isEmpty ? "" : #", "mixed": \#(mixed)"#
            let day = number % 28 + 1
            return
                #"{"n": \#(number), "city": "\#(number % 3 == 0 ? "Oslo" : "Rome")", "since": "2024-0\#(number % 6 + 1)-\#(day < 10 ? "0" : "")\#(day)"\#(member)}"#
        }
        let result = try Program.run(["import", scratch.path, "-"], input: lines.joined(separator: "\n"))
        try #require(result.exitCode == 0, "\(result.errors)")
        return scratch
    }

    private func answer(_ scratch: Scratch, _ path: String, _ flags: [String] = []) throws -> Answer {
        let result = try scratch.expect(["stats", path], flags: ["--json"] + flags)
        return try JSONDecoder().decode(Answer.self, from: Data(result.output.utf8))
    }

    @Test func wholeNumbersAreToldToTheLastDigit() throws {
        let scratch = try Scratch(["a": #"{"n":9007199254740993}"#, "b": #"{"n":9223372036854775807}"#])
        #expect(try scratch.expect(["stats", "n"]).output.contains("9007199254740993 to 9223372036854775807\n"))
        #expect(try scratch.expect(["schema"]).output.contains("9007199254740993 to 9223372036854775807"))
        for command in [["stats", "n"], ["schema"]] {
            let facts = try scratch.expect(command, flags: ["--json"]).output
            #expect(facts.contains(#""minimum":9007199254740993,"maximum":9223372036854775807"#))
        }
    }

    @Test func largeNumbersThatLieCloseTogetherAreToldApart() throws {
        let scratch = try Scratch()
        let first = 9_007_199_254_740_993
        let lines = (0..<300).map { #"{"n":\#(first + $0),"s":\#(-first),"u":\#(18_446_744_073_709_551_000 + UInt64($0 % 3))}"# }
        try #require(try Program.run(["import", scratch.path, "-"], input: lines.joined(separator: "\n")).exitCode == 0)
        let numbers = try scratch.expect(["stats", "n"]).lines
        #expect(numbers.contains("Range:       9007199254740993 to 9007199254741292"), "\(numbers)")
        #expect(numbers.contains("Mean:        9007199254741142.5, deviation 86.6021"), "\(numbers)")
        #expect(numbers.contains("Median:      9007199254741142.5"))
        let same = try scratch.expect(["stats", "s"]).output
        #expect(
            same.contains("Range:       -9007199254740993 to -9007199254740993\n")
                && same.contains("Mean:        -9007199254740993, deviation 0\n"))
        #expect(!same.contains("740992"))
        let facts = try scratch.expect(["stats", "n"], flags: ["--json"]).output
        #expect(facts.contains(#""mean":9007199254741142.5"#), "\(facts)")
        // Where no signed number has room.
        #expect(try scratch.expect(["schema"]).output.contains("18446744073709551001"))
    }

    @Test func numbersHaveRangePercentilesAndBars() throws {
        let scratch = try scratch()
        let numbers = try #require(try answer(scratch, "n").numbers)
        #expect(numbers.count == 100 && numbers.minimum == 0 && numbers.maximum == 99 && numbers.mean == 49.5 && numbers.exact)
        #expect(abs(numbers.deviation - 28.866) < 0.001)
        #expect(numbers.percentiles.first { $0.percent == 50 }?.value == 49.5)
        #expect(numbers.bins.map(\.count).reduce(0, +) == 100)
        #expect(numbers.bins.first?.from == 0 && numbers.bins.first?.to == 10 && numbers.bins.count == 10)
        #expect(try answer(scratch, "n", ["--bins", "2"]).numbers?.bins.map(\.count) == [50, 50])
        let lines = try scratch.expect(["stats", "n"], environment: ["LC_ALL": "C"]).lines
        #expect(lines[0] == "n in _default: 100 documents")
        #expect(lines.contains("Range:       0 to 99"))
        #expect(lines.contains("Median:      49.5"))
        #expect(lines.contains { $0.contains(" 0 to 10  ") && $0.hasSuffix("10    10%  " + String(repeating: "#", count: 40)) })
        let unicode = try scratch.expect(["stats", "n"], environment: ["LC_ALL": "C.UTF-8"]).output
        #expect(unicode.contains("████") && !unicode.contains("##"))
    }

    @Test func textsAreListedByHowOftenTheyCome() throws {
        let scratch = try scratch()
        let strings = try #require(try answer(scratch, "city").strings)
        #expect(strings.top.map(\.value) == ["Rome", "Oslo"] && strings.top.map(\.count) == [66, 34] && strings.distinct == 2)
        #expect(try answer(scratch, "city", ["--top", "1"]).strings?.top.count == 1)
        #expect(try scratch.expect(["stats", "city"], flags: ["--top", "1"]).lines.last == "34 others")
        #expect(try answer(scratch, "city", ["--where", "n < 10"]).strings?.top.map(\.count) == [6, 4])
        #expect(try answer(scratch, "length(city) + 1").numbers?.mean == 5)
    }

    @Test func datesAreCountedByAUnitThatSuits() throws {
        let scratch = try scratch()
        let dates = try #require(try answer(scratch, "since").dates)
        #expect(dates.count == 100 && dates.bins.count == 6 && dates.bins.first?.date == "2024-01")
        #expect(dates.bins.map(\.count).reduce(0, +) == 100)
        #expect(dates.first.hasPrefix("2024-01-"))
    }

    @Test func mixturesAreShownByType() throws {
        let scratch = try scratch()
        let mixed = try answer(scratch, "mixed")
        #expect(mixed.types.filter { $0.value > 0 } == ["missing": 20, "null": 20, "number": 20, "string": 20, "array": 20])
        #expect(mixed.arrays?.lengths.mean == 2 && mixed.arrays?.items.top.map(\.count) == [20, 20])
        let output = try scratch.expect(["stats", "mixed"]).output
        for word in ["array 20 (20%)", "missing 20 (20%)", "\"text\"", "Items:"] { #expect(output.contains(word), "\(word)") }
        #expect(try answer(scratch, "nothing").types["missing"] == 100)
    }

    @Test func propertiesAreCompleted() throws {
        let scratch = try Scratch(["a": #"{"contact": {"email": "x", "phone": 1}, "other word": 2}"#])
        func names(_ prefix: String) throws -> [String] { try Program.run(["complete", "property", scratch.path, "--", prefix]).lines }
        #expect(try names("con") == ["contact", "contact.email", "contact.phone"])
        #expect(try names("contact.p") == ["contact.phone"])
        #expect(try names("x").isEmpty)
        let terminal = try PseudoTerminal([scratch.path])
        try terminal.waitForLine("scratch>")
        terminal.type("stats contact.e\t\n")
        try terminal.waitForText("contact.email in _default: 1 document")
        terminal.type("quit\n")
        #expect(try terminal.finish() == 0)
    }

    @Test func itemsOfArraysAreLookedInto() throws {
        let scratch = try Scratch([
            "a": #"{"list": [{"x": 1, "tags": ["p", "q"]}, {"x": 2, "tags": ["p"]}]}"#, "b": #"{"list": [{"x": 6}]}"#, "c": "{}",
        ])
        #expect(try answer(scratch, "list[].x").numbers?.mean == 3)
        #expect(try answer(scratch, "list[].tags[]").strings?.top.map(\.count) == [2, 1])
        #expect(try answer(scratch, "list[]").types["object"] == 3)
        #expect(try scratch.expect(["stats", "list[].x"]).lines[0] == "list[].x in _default: 3 items")
        try scratch.expectFailure(["stats", "list[].x FROM y"], exitCode: 2, "is no path")
        try scratch.expectFailure(["stats", "list[].x"], exitCode: 2, "--where cannot go", flags: ["--where", "x > 1"])
    }

    /// Every line fits the screen, and no name from a document reaches it as it is.
    @Test(arguments: [["schema"], ["stats", "city"], ["stats", "n"], ["info"], ["tree"]]) func pagesFitTheScreen(command: [String]) throws {
        let scratch = try scratch()
        let hostile = #"{"city": "evil \u001b[31m\nname", "bad\u0007name\nwith lines": 1, "\#(String(repeating: "long", count: 40))": 2}"#
        try scratch.expect(["put", "evil", hostile])
        let words = [command[0], scratch.path] + command.dropFirst()
        let terminal = try PseudoTerminal(words, environment: ["NO_COLOR": "1"], columns: 60, rows: 60)
        #expect(try terminal.finish() == 0)
        let text = String(decoding: terminal.transcript, as: UTF8.self)
        #expect(!text.contains("\u{1B}[31m") && !text.contains("\u{7}"))
        let lines = text.split(separator: "\r\n").filter { !$0.hasPrefix("Database:") }
        #expect(lines.count > 3)
        for line in lines { #expect(line.count <= 60 && !line.hasSuffix("\\n"), "\(line)") }
    }

    @Test func mistakesAreShownInTheTextTheyAreIn() throws {
        let scratch = try scratch()
        try scratch.expectFailure(["stats", "lenth(city)"], "Did you mean length()?")
        try scratch.expectFailure(["stats", "n"], "column 4", flags: ["--where", "n <"])
        try scratch.expectFailure(["stats", "n, city"], exitCode: 2, "a property or one expression")
        try scratch.expectFailure(["stats", "SELECT n FROM _"], exitCode: 2, "a property or one expression")
        try scratch.expectFailure(["stats"], exitCode: 2, "PATH")
        try scratch.expect(["mkcoll", "empty"])
        try scratch.expect(["stats", "n"], "n in empty: 0 documents\n", flags: ["-C", "empty"])
    }
}
