import CBLTestSupport
import Testing

@testable import CBLShell

/// What the parts of a typed line look like.
struct LineColoringTests {
    private let commands: Set<String> = ["ls", "cat", "query", "put"]

    private func shown(_ line: String, behind earlier: String = "") -> [String] {
        let bytes = Array(line.utf8)
        return LineColoring(of: line, behind: earlier, commands: commands).spans.map { span in
            "\(String(decoding: bytes[span.range], as: UTF8.self)):\(span.style)"
        }
    }

    @Test func queriesAndCommandsAreToldApart() {
        #expect(
            shown("select count(*), $n FROM x WHERE from_ = 'it''s' AND `from` > 1.5 -- why").joined(separator: " ")
                == "select:key count:id $n:literal FROM:key WHERE:key 'it''s':string AND:key 1.5:number -- why:dim")
        #expect(shown("cat from 'a b' 7") == ["cat:key", "'a b':string", "7:number"])
        #expect(shown("caat x") == ["caat:error"] && shown("caat") == [])
        #expect(shown("query SELECT 1 /* a") == ["query:key", "SELECT:key", "1:number", "/* a:dim"])
        #expect(shown("ls; SELECT 1; nope x").map { $0.prefix(6) } == ["ls:key", "SELECT", "1:numb", "nope:e"])
        for line in ["!SELECT 1", ".mode 'x'", "# SELECT", "", "é"] { #expect(shown(line) == [], "\(line)") }
    }

    @Test func earlierLinesSayWhatThisOneIs() {
        #expect(shown("FROM _", behind: "SELECT 1\n") == ["FROM:key"])
        #expect(shown("b' FROM", behind: "SELECT 'a\n") == ["b':string", "FROM:key"])
        #expect(shown("a */ 1", behind: "SELECT /*\n") == ["a */:dim", "1:number"])
        #expect(shown("\"a\": [1,", behind: "put x {\n") == ["\"a\":string", "1:number"])
    }

    @Test func bracketsFindTheirPartners() {
        func pair(_ line: String, _ cursor: Int, behind earlier: String = "") -> [Int] {
            LineColoring(of: line, behind: earlier, commands: commands).brackets(atCursor: cursor)
        }
        #expect(pair("SELECT (a[0])", 13) == [7, 12])
        #expect(pair("SELECT (a[0])", 12) == [9, 11])
        #expect(pair("SELECT (a[0])", 7) == [7, 12])
        #expect(pair("SELECT ')' (", 9) == [] && pair("(]", 2) == [] && pair(")", 1) == [])
        #expect(pair(")", 1, behind: "SELECT (\n") == [])
    }

    /// Whatever is typed, in whatever order: the spans are in the line, one behind another.
    @Test func anyTextCanBeColored() {
        var random = SeededRandom(7)
        let parts =
            ["SELECT ", "'", "\"", "`", "--", "/*", "*/", "(", ")", "[", "]", "{", "}"]
            + ["é", "日", "\n", ";", " ", "1.5", "$x", "\\", "count("]
        for _ in 0..<3000 {
            let line = (0..<random.below(8)).map { _ in random.element(of: parts) }.joined()
            let earlier = (0..<random.below(4)).map { _ in random.element(of: parts) }.joined()
            let coloring = LineColoring(of: line, behind: earlier, commands: commands)
            var end = 0
            for span in coloring.spans {
                #expect(span.range.lowerBound >= end && span.range.upperBound <= line.utf8.count)
                end = span.range.upperBound
            }
            for (place, partner) in coloring.partners {
                #expect((0..<line.utf8.count).contains(place) && coloring.partners[partner] == place)
            }
        }
    }
}
