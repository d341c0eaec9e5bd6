import CBLLanguage
import Testing

struct ReportTests {
    @Test func theMarkStandsBelowTheWord() {
        let error = QueryError(.syntax, "no", range: SourceRange(12, 16))
        #expect(
            error.report(in: "SELECT name FORM airline") == """
                SQL++ syntax error at column 13: no
                    SELECT name FORM airline
                                ^~~~
                """)
    }

    @Test func tabsAndWideCharactersKeepTheMarkInPlace() {
        let text = "SELECT '日本', é,\n\t'👨‍👩‍👧' x y"
        let error = QueryError(.meaning, "no", range: SourceRange(text.utf8.count - 1, text.utf8.count))
        // Columns count characters of Unicode, of which the emoji is five.
        #expect(
            error.report(in: text) == """
                SQL++ error at line 2, column 12: no
                     '👨‍👩‍👧' x y
                            ^
                """)
    }

    @Test func ofALongLineTheNeighbourhoodIsShown() {
        let text = "SELECT " + String(repeating: "a, ", count: 1000) + "b c d, " + String(repeating: "e, ", count: 1000)
        let report = QueryError(.syntax, "no", range: SourceRange(3011, 3012)).report(in: text)
        let lines = report.split(separator: "\n")
        #expect(lines.count == 3 && lines[0] == "SQL++ syntax error at column 3012: no")
        #expect(lines[1].count < 80 && lines[1].hasPrefix("    …") && lines[1].hasSuffix("…"))
        let mark = lines[2].count - 1
        #expect(Array(lines[1])[mark] == "d")
    }

    @Test func aPlaceOutsideOfTheTextIsItsEnd() {
        let error = QueryError(.syntax, "no", range: SourceRange(90, 95))
        #expect(error.report(in: "ab") == "SQL++ syntax error at column 3: no\n    ab\n      ^")
        #expect(error.report(in: "") == "SQL++ syntax error at column 1: no")
        #expect(QueryError(.meaning, "no").report(in: "ab") == "SQL++ error: no")
        #expect(QueryError(.meaning, [.init("no", hint: "Yes?")]).report(in: "ab") == "SQL++ error: no. Yes?")
    }

    @Test func everyMistakeIsShown() {
        let error = QueryError(.meaning, [.init("one", range: SourceRange(0, 1)), .init("two", range: SourceRange(1, 2))])
        #expect(
            error.report(in: "ab") == """
                SQL++ error at column 1: one
                    ab
                    ^
                SQL++ error at column 2: two
                    ab
                     ^
                """)
    }

    @Test func nothingInAQueryCanDriveTheTerminal() {
        let error = QueryError(.syntax, "no", range: SourceRange(4, 5))
        #expect(!error.report(in: "a\u{1B}[2Jb").contains("\u{1B}"))
    }
}
