import CBLBase
import CBLFleece
import CBLLanguage
import CBLQuery
import CBLTestSupport
import FoundationEssentials
import Glibc
import Testing

@testable import CBLShell

@Suite struct ResultRendererTests {
    /// What a renderer prints for rows given as JSON arrays. The text "MISSING" stands for a missing column.
    private func rendered(
        _ format: ResultFormat, _ titles: [String], _ rows: [String], json5: Bool = false, terminal: Bool = false, color: Bool = false
    ) throws -> String {
        try captured(color: color, terminal: terminal) { session in
            try feed(format.renderer(for: session, json5: json5), titles, rows)
        }
    }

    private func feed(_ renderer: any ResultRenderer, _ titles: [String], _ rows: some Sequence<String>) throws {
        try renderer.begin(titles)
        for row in rows { try add(row, to: renderer) }
        try renderer.finish()
    }

    private func add(_ row: String, to renderer: any ResultRenderer) throws {
        let encoder = FleeceEncoder()
        try JSONParser.parse(row, .json5, into: encoder)
        let data = try encoder.finish()
        try data.withRoot { root in
            let cells = root.array.map { array in array.map { $0.string == "MISSING" ? .missing : QueryValue($0) } } ?? []
            try renderer.add(ResultRow(cells, keys: nil))
        }
    }

    private let titles = ["name", "age", "x"]
    private let rows = [
        #"["Ada", 36, {"b":[1,2.5],"a":null}]"#, #"["Bob", "MISSING", null]"#, #"["MISSING", 7.5, true]"#,
        #"["a\"b\\c,\n|<é>", -1, []]"#,
    ]

    // JSON

    @Test func rawRowsAreAnArrayAsTheVendorPrintsIt() throws {
        #expect(
            try rendered(.json, titles, rows) == """
                [{"name": "Ada", "age": 36, "x": {"a":null,"b":[1,2.5]}},
                 {"name": "Bob", "x": null},
                 {"age": 7.5, "x": true},
                 {"name": "a\\"b\\\\c,\\n|<é>", "age": -1, "x": []}]

                """)
        #expect(try rendered(.json, titles, []) == "[]\n")
        #expect(try rendered(.json, ["a"], [#"["MISSING"]"#]) == "[{}]\n")
        #expect(
            try rendered(.json, ["a", "b-c", "ä"], [#"[{"k":1,"l-m":2}, 2, 3]"#], json5: true)
                == "[{a: {k:1,\"l-m\":2}, \"b-c\": 2, \"ä\": 3}]\n")
    }

    @Test func theLinesOfJSONLinesStandAlone() throws {
        #expect(
            try rendered(.jsonl, titles, rows) == """
                {"name":"Ada","age":36,"x":{"a":null,"b":[1,2.5]}}
                {"name":"Bob","x":null}
                {"age":7.5,"x":true}
                {"name":"a\\"b\\\\c,\\n|<é>","age":-1,"x":[]}

                """)
        #expect(try rendered(.jsonl, titles, []) == "")
    }

    @Test func titlesAreEscaped() throws {
        #expect(try rendered(.json, ["a\"b"], ["[1]"]) == #"[{"a\"b": 1}]"# + "\n")
        #expect(try rendered(.html, ["<b>"], []).contains("<th>&lt;b&gt;</th>"))
        #expect(try rendered(.csv, ["a,b", "c"], []) == "\"a,b\",c\n")
    }

    @Test func jsonOnATerminalHasColoursAndNoControlCharacters() throws {
        let text = try rendered(.json, ["a"], [#"["\u009b2J"]"#], terminal: true, color: true)
        #expect(text == "[{\u{1B}[1;34m\"a\"\u{1B}[0m: \u{1B}[32m\"\\u009b2J\"\u{1B}[0m}]\n")
    }

    // Tables of text

    @Test func commaSeparatedRowsReadBackAsTheyWere() throws {
        #expect(
            try rendered(.csv, titles, rows) == """
                name,age,x
                Ada,36,"{""a"":null,""b"":[1,2.5]}"
                Bob,,null
                ,7.5,true
                "a""b\\c,
                |<é>",-1,"[]"

                """)
        #expect(
            try rendered(.csv, ["a", "b", "c", "d"], [#"["12", "true", "", " x"]"#]) == "a,b,c,d\n\"12\",\"true\",\"\",\" x\"\n")
        #expect(try rendered(.tsv, ["a", "b"], [#"["x,y", "p\tq"]"#]) == "a\tb\nx,y\t\"p\tq\"\n")
    }

    @Test func markdownIsSafeAndNumbersStandOnTheRight() throws {
        #expect(
            try rendered(.markdown, titles, rows) == """
                | name | age | x |
                |---|---:|---|
                | Ada | 36 | {"a":null,"b":\\[1,2.5]} |
                | Bob |  | null |
                |  | 7.5 | true |
                | a"b\\\\c,<br>\\|&lt;é> | -1 | \\[] |

                """)
        #expect(try rendered(.markdown, ["a_b", "_c_"], []) == "| a_b | \\_c\\_ |\n|---|---|\n")
    }

    @Test func markupIsEscaped() throws {
        #expect(
            try rendered(.html, ["n", "t"], [#"[1, "<i>&\"x\""]"#, #"["MISSING", null]"#]) == """
                <table>
                <thead>
                <tr><th>n</th><th>t</th></tr>
                </thead>
                <tbody>
                <tr><td style="text-align:right">1</td><td>&lt;i&gt;&amp;&quot;x&quot;</td></tr>
                <tr><td></td><td>null</td></tr>
                </tbody>
                </table>

                """)
    }

    @Test func linesNameTheirColumns() throws {
        #expect(
            try rendered(.line, ["name", "日"], [#"["Ada\nLovelace", 1]"#, #"["MISSING", null]"#]) == """
                name = Ada\\nLovelace
                  日 = 1

                  日 = null

                """)
    }

    // The table

    @Test func tablesAlign() throws {
        #expect(
            try rendered(.table, titles, rows) == """
                name           age  x
                ------------  ----  ----------------------
                Ada           36    {"a":null,"b":[1,2.5]}
                Bob                 null
                               7.5  true
                a"b\\c,\\n|<é>  -1    []

                """)
        #expect(
            try rendered(.table, ["n", "日本"], [#"["e\u0301日", "x"]"#, #"[12345678, "y"]"#]) == """
                n         日本
                --------  ----
                e\u{301}日       x
                12345678  y

                """)
    }

    @Test func aSingleColumnHasNoHeading() throws {
        #expect(try rendered(.table, ["n"], ["[1]", #"["MISSING"]"#, "[200]", #"["text"]"#]) == "   1\n\n 200\ntext\n")
        #expect(try rendered(.table, ["n"], []) == "")
    }

    /// The columns are as wide as the first rows need, and wider cells later on push the rest aside.
    @Test func wideCellsBehindTheWindowAreWrittenWhole() throws {
        let text = try captured { session in
            try feed(
                ResultFormat.table.renderer(for: session), ["a", "b"], (0..<600).map { $0 == 550 ? #"["wide", 0]"# : "[\"x\", \($0)]" })
        }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 603)
        #expect(lines[0] == "a    b")
        #expect(lines[1] == "-  ---")
        #expect(lines[101] == "x   99")
        #expect(lines[552] == "wide    0")
        #expect(lines[601] == "x  599")
    }

    private func onScreen(_ width: Int, _ titles: [String], _ rows: [String]) throws -> String {
        try captured(terminal: true) { session in
            try feed(TableRenderer(session: session, screenWidth: width), titles, rows)
        }
    }

    @Test func cellsAreCutToFitTheScreenButNumbersAreNot() throws {
        let text = try onScreen(30, ["id", "a", "b"], [#"[123456789, "日本語日本語日本語", "abcdefghijklmnop"]"#, #"[1, "x", "y"]"#])
        #expect(
            text == """
                       id  a         b
                ---------  --------  --------
                123456789  日本語…   abcdefg…
                        1  x         y

                """)
        for line in text.split(separator: "\n") { #expect(DisplayWidth.of(String(line)) <= 30) }
    }

    /// An ID that has another title is one all the same, and where there is no room for it each row is shown as lines.
    @Test func idsStayWhole() throws {
        let id = "booking::2026-01-01::hotel-lighthouse::000000"
        func shown(_ width: Int) throws -> String {
            try captured(terminal: true) { session in
                let renderer = TableRenderer(session: session, screenWidth: width)
                renderer.idTitles.insert("bid")
                let text = String(repeating: "x", count: 60)
                try feed(renderer, ["bid", "text", "n"], [#"["\#(id)", "\#(text)", 1]"#, #"["\#(id.dropLast())1", "\#(text)", 2]"#])
            }
        }
        let table = try shown(80)
        #expect(table.contains(id + "  xxx") && table.contains(id.dropLast() + "1  xxx") && table.contains("…"))
        #expect(table.split(separator: "\n").count == 4)
        let lines = try shown(50)
        #expect(lines.contains(id + "\n") && lines.contains(id.dropLast() + "1\n"))
    }

    /// What is wider than the rows of the beginning is not cut while there is room, and an ID takes it from others.
    @Test func columnsGrowWhileTheScreenHasRoom() throws {
        let text = try captured(terminal: true) { session in
            let renderer = TableRenderer(session: session, screenWidth: 40)
            try renderer.begin(["name", "id"])
            try add(#"["x", "1"]"#, to: renderer)
            try renderer.catchUp()
            for row in [#"["Alyssa", "22"]"#, #"["a text of thirty characters ..", "3"]"#, #"["y", "a-document-with-a-long-id"]"#] {
                try add(row, to: renderer)
            }
            try renderer.finish()
        }
        #expect(
            text == """
                name  id
                ----  --
                x     1
                Alyssa  22
                a text of thirty characters ..  3
                y              a-document-with-a-long-id

                """)
    }

    @Test func idsAreNotCut() throws {
        let row = #"["doc-with-an-id-of-some-length", "a text that is much longer than that, and could be cut", 7]"#
        let text = try onScreen(50, ["id", "text", "n"], [row])
        #expect(text.contains("doc-with-an-id-of-some-length  a text that is …  7"), "\(text)")
        #expect(try onScreen(30, ["id", "text", "n"], [row]).contains("doc-with-an-id-of-some-length\n"))
    }

    /// As the settings of the interactive shell want it.
    private func inLook(_ format: ResultFormat, _ change: (inout ResultLook) throws -> Void) throws -> String {
        var look = ResultLook()
        try change(&look)
        return try captured { session in
            session.look = look
            try feed(format.renderer(for: session), ["name", "n"], [#"["Grace Hopper", 1.25]"#, #"[null, 1000]"#, #"["MISSING", null]"#])
        }
    }

    @Test func nullsAreWrittenAsOneWants() throws {
        #expect(
            try inLook(.table) { $0.null = "∅" } == """
                name                n
                ------------  -------
                Grace Hopper     1.25
                ∅             1000
                                    ∅

                """)
        #expect(try inLook(.csv) { $0.null = "a,b" } == "name,n\nGrace Hopper,1.25\n\"a,b\",1000\n,\"a,b\"\n")
        #expect(try inLook(.csv) { $0.null = "" } == "name,n\nGrace Hopper,1.25\n,1000\n,\n")
        #expect(try inLook(.line) { $0.null = "-" } == "name = Grace Hopper\n   n = 1.25\n\nname = -\n   n = 1000\n\n   n = -\n")
        #expect(try inLook(.markdown) { $0.null = "|" }.hasSuffix("|  | \\| |\n"))
        #expect(try inLook(.jsonl) { $0.null = "x" }.hasSuffix("{\"n\":null}\n"))
    }

    @Test func headingsAreLeftOutIfOneWants() throws {
        #expect(try inLook(.csv) { $0.headers = .off }.hasPrefix("Grace"))
        #expect(try inLook(.tsv) { $0.headers = .off }.hasPrefix("Grace"))
        #expect(try inLook(.html) { $0.headers = .off }.hasPrefix("<table>\n<tbody>\n<tr><td>Grace"))
        #expect(try inLook(.markdown) { $0.headers = .off }.hasPrefix("| Grace"))
        #expect(try inLook(.table) { $0.headers = .off }.hasPrefix("Grace"))
        let single = try captured { session in
            session.look.headers = .on
            try feed(TableRenderer(session: session), ["name"], [])
        }
        #expect(single == "name\n----\n")
    }

    @Test func columnsAreAsWideAsOneWants() throws {
        #expect(
            try inLook(.table) { $0.widths = try ColumnWidths("5 2") } == """
                name         n
                -----  -------
                Grac…     1.25
                null   1000
                          null

                """)
        #expect(try inLook(.table) { $0.widths = try ColumnWidths("0 9") }.hasPrefix("name                n\n"))
    }

    @Test func jsonInCellsIsColoured() throws {
        let text = try captured(color: true, terminal: true) { session in
            try feed(TableRenderer(session: session, screenWidth: 24), ["a", "b"], [#"[{"key": "a long text"}, "x"]"#, #"[null, true]"#])
        }
        #expect(text.contains("\u{1B}[1;34m\"key\"\u{1B}[0m:\u{1B}[32m\"a long"))
        #expect(text.contains("…") && text.contains("\u{1B}[2mnull\u{1B}[0m") && text.contains("\u{1B}[35mtrue\u{1B}[0m"))
    }

    @Test(arguments: [20, 80, 200]) func rowsFitEveryScreen(width: Int) throws {
        var random = SeededRandom(3)
        let words = ["日本語", "שלום", "👩‍👩‍👧", "e\u{301}", "plain text", "{}", "12.5"]
        let rows = (0..<50).map { _ in
            "["
                + (0..<2).map { _ in "\"" + (0..<6).map { _ in words.randomElement(using: &random) ?? "" }.joined(separator: " ") + "\"" }
                .joined(separator: ",") + "]"
        }
        for line in try onScreen(width, ["one", "two"], rows).split(separator: "\n") { #expect(DisplayWidth.of(String(line)) <= width) }
    }

    @Test func rowsThatAreTooWideAreWrittenLineByLine() throws {
        #expect(
            try onScreen(20, ["a", "bb", "c"], [#"["0123456789", "0123456789", "\u001b[2J0123456789"]"#, #"["x", "MISSING", 1]"#]) == """
                 a = 0123456789
                bb = 0123456789
                 c = \\u001b[2J0123456789

                 a = x
                 c = 1

                """)
    }

    // Documents that are spread over columns

    private func spread(_ titles: [String], _ stars: Set<Int>, _ rows: [String], _ late: [String] = []) throws -> String {
        try captured { session in
            let renderer = SpreadingRenderer(ResultFormat.table.renderer(for: session), stars: stars, session: session)
            try renderer.begin(titles)
            for row in rows { try add(row, to: renderer) }
            if !late.isEmpty { try renderer.catchUp() }
            for row in late { try add(row, to: renderer) }
            try renderer.finish()
        }
    }

    @Test func aStarIsAColumnForEachProperty() throws {
        #expect(
            try spread(["_", "id"], [0], [#"[{"a":1,"b":"x"}, "one"]"#, #"[{"c":{"d":null},"a":null}, "two"]"#, #"["MISSING", "three"]"#])
                == """
                   a  b  c           id
                ----  -  ----------  -----
                   1  x              one
                null     {"d":null}  two
                                     three

                """)
        #expect(try spread(["h", "b"], [0, 1], [#"[{"a":1}, {"a":2}]"#]) == "h.a  b.a\n---  ---\n  1    2\n")
        #expect(try spread(["_", "a"], [0], [#"[{"a":1}, 2]"#]) == "_.a  a\n---  -\n  1  2\n")
    }

    @Test func whatIsNoDocumentStaysWhole() throws {
        #expect(try spread(["_"], [0], ["[{}]", "[{}]"]) == "{}\n{}\n")
        #expect(try spread(["_"], [0], [#"[{"a":1}]"#, #"["text"]"#]) == "{\"a\":1}\ntext\n")
        #expect(try spread(["_"], [0], []).isEmpty)
        let names = (0..<500).map { #""n\#($0)":1"# }.joined(separator: ",")
        #expect(try spread(["_"], [0], ["[{\(names)}]"]).hasPrefix("{\"n0\":1"))
    }

    @Test func aLatePropertyHasNoColumn() throws {
        #expect(try spread(["_"], [0], [#"[{"a":1}]"#], [#"[{"b":2}]"#, #"[{"a":3}]"#]) == "1\n\n3\n")
    }

    @Test func whatWasHeldBackIsShownWhenNothingMoreComes() throws {
        let text = try captured { session in
            let renderer = ResultFormat.table.renderer(for: session)
            try renderer.begin(["a", "b"])
            try add("[1, 2]", to: renderer)
            try renderer.catchUp()
            try session.output.write("*\n")
            try add("[30, 4]", to: renderer)
            try renderer.finish()
        }
        #expect(text == "a  b\n-  -\n1  2\n*\n30  4\n")
    }

    /// Every renderer, every kind of cell, with text that is not UTF-8 and strange characters: what comes out is valid UTF-8.
    @Test(arguments: ResultFormat.allCases) func brokenTextDoesNoHarm(format: ResultFormat) throws {
        var random = SeededRandom(7)
        let bytes = (0..<200).map { _ in UInt8.random(in: 0...255, using: &random) }
        let text = try captured(terminal: true) { session in
            let renderer = format.renderer(for: session)
            try renderer.begin(["a", "b"])
            try bytes.withUnsafeBytes { bytes in
                for start in 0..<100 {
                    let part = UnsafeRawBufferPointer(rebasing: bytes[start..<(start + start % 17)])
                    try renderer.add(ResultRow([.text(part), .unsigned(.max)], keys: nil))
                }
            }
            try renderer.finish()
        }
        #expect(text.contains("18446744073709551615"))
        // The separator of a table's cells is no text.
        let own: [Unicode.Scalar] = format == .tsv ? ["\n", "\t"] : ["\n"]
        #expect(!text.unicodeScalars.contains { !own.contains($0) && TerminalText.isHarmful($0) })
    }
}
