import CBLBase
import CBLLanguage
import CBLTestSupport
import FoundationEssentials
import Glibc
import Testing

@testable import CBLShell

@Suite struct TerminalTests {
    @Test func everyThemeHasItsCodes() {
        for theme in Theme.allCases {
            for style in Style.allCases {
                let code = "\(theme.code(style))"
                let digits = code.dropFirst(2).dropLast()
                #expect(code.isEmpty || code.hasPrefix("\u{1B}[") && code.hasSuffix("m") && digits.allSatisfy { $0 == ";" || $0.isNumber })
                if theme == .none { #expect(code.isEmpty) }
                // 256 colours are for those who ask for them.
                if theme == .standard || theme == .mono { #expect(!code.contains("38;5")) }
            }
        }
    }

    @Test(arguments: [
        (GlobalOptions.Color.auto, true, [:], true), (.auto, false, [:], false), (.always, false, ["NO_COLOR": "1"], true),
        (.never, true, ["CLICOLOR_FORCE": "1"], false), (.auto, true, ["NO_COLOR": "1"], false), (.auto, true, ["NO_COLOR": ""], true),
        (.auto, true, ["CLICOLOR": "0"], false), (.auto, false, ["CLICOLOR_FORCE": "1"], true), (.auto, false, ["CLICOLOR": "1"], false),
        (.auto, true, ["TERM": "dumb"], false),
    ])
    func colorFollowsFlagAndEnvironment(color: GlobalOptions.Color, isTerminal: Bool, environment: [String: String], expected: Bool) {
        let terminal = Terminal(
            color: color, outputIsTerminal: isTerminal, errorIsTerminal: isTerminal, inputIsTerminal: isTerminal,
            environment: { environment[$0] })
        #expect(terminal.usesColor == expected)
    }

    @Test(arguments: [
        (0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567"), (-1000, "-1,000"), (Int.min, "-9,223,372,036,854,775,808"),
    ])
    func numbersAreGrouped(number: Int, text: String) {
        #expect(ProgressLine.grouped(number) == text)
    }

    @Test func progressTellsCountRateAndWhatIsLeft() {
        let line = ProgressLine.line(title: "Importing", unit: "documents", count: 120_000, position: 25, total: 100, seconds: 2)
        #expect(line == "Importing: 120,000 documents, 60,000/s, 25 %, 6 s left")
        #expect(
            ProgressLine.line(title: "Copying", unit: "files", count: 3, position: 3, total: nil, seconds: 2) == "Copying: 3 files, 1.5/s")
        #expect(ProgressLine.duration(3725) == "1 h 2 min")
        #expect(ProgressLine.duration(.infinity) == "0 s")
    }
}

@Suite struct OutputTests {
    @Test func everythingArrivesInOrder() throws {
        var expected = ""
        let text = try captured { session in
            for number in 0..<50_000 {
                try session.output.write(integer: number)
                try session.output.write("\n")
                expected += "\(number)\n"
            }
            let long = String(repeating: "x", count: 300_000)
            try session.output.writeLine(long)
            expected += long + "\n"
            for number in [Int64.min, Int64.max, 0, -1] {
                try session.output.write(integer: number)
                expected += "\(number)"
            }
            try session.output.write(integer: UInt64.max)
            expected += "\(UInt64.max)"
        }
        #expect(text == expected)
    }

    @Test func aClosedPipeEndsTheWork() throws {
        signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [0, 0]
        _ = pipe(&ends)
        close(ends[0])
        defer { close(ends[1]) }
        let output = Output(descriptor: ends[1])
        #expect(throws: Output.Failure.closed) {
            while true { try output.write("line\n") }
        }
        #expect(throws: Output.Failure.closed) { try output.flush() }
        #expect(ErrorReport.commandError(Output.Failure.closed) == nil)
    }

    @Test(.enabled(if: access("/dev/full", W_OK) == 0)) func aFullDiskIsAnError() throws {
        let descriptor = open("/dev/full", O_WRONLY)
        defer { close(descriptor) }
        let output = Output(descriptor: descriptor)
        try output.write("text")
        #expect(throws: Output.Failure.system(errno: ENOSPC)) { try output.flush() }
        let error = ErrorReport.commandError(Output.Failure.system(errno: ENOSPC))
        #expect(error?.message == "cannot write the output: No space left on device")
    }

    @Test func tablesAlign() throws {
        var table = Table([.left("Name"), .right("Count"), .left("Note")])
        table.add(["日本", "5", "x"])
        table.add(["abc", "12345678", ""])
        let text = try captured { try table.write(to: $0) }
        #expect(
            text == """
                Name     Count  Note
                ----  --------  ----
                日本         5  x
                abc   12345678

                """)
        var bars = Table([.left("Name"), .left("")])
        bars.add(["a", "██"])
        bars.add(["bcdef", ""])
        #expect(try captured { try bars.write(to: $0) } == "Name\n-----\na      ██\nbcdef\n")
        #expect(try captured(color: true) { try table.write(to: $0) }.hasPrefix("\u{1B}[1;4mName\u{1B}[0m     \u{1B}[1;4mCount"))
    }

    @Test func listingsFillTheScreen() throws {
        let text = try captured(terminal: true) { session in
            var listing = ColumnListing(output: session.output, screenWidth: 80, adapts: true)
            for name in ["a", "b", "c", "d", String(repeating: "x", count: 30), "e", "日本", "\u{1B}", "f"] {
                var name = name
                try name.withUTF8 { try listing.add(UnsafeRawBufferPointer($0)) }
            }
            try listing.finish()
        }
        func padded(_ cells: String...) -> String {
            cells.dropLast().map { $0 + String(repeating: " ", count: 24 - DisplayWidth.of($0)) }.joined() + (cells.last ?? "") + "\n"
        }
        let long = String(repeating: "x", count: 30)
        #expect(text == padded("a", "b", "c") + padded("d", long) + padded("e", "日本", "\\u001b") + "f\n")
    }

    /// Columns are wider if most texts need that; one that is longer than the others reaches into the next column.
    @Test(arguments: [(38, 20, 78, 2), (38, 20, 77, 1), (30, 20, 100, 3), (5, 40, 100, 4), (23, 40, 100, 4), (90, 3, 80, 1)])
    func listingsSuitTheirTexts(length: Int, count: Int, width: Int, perLine: Int) throws {
        let text = try captured(terminal: true) { session in
            var listing = ColumnListing(output: session.output, screenWidth: width, adapts: true)
            for number in 0..<count {
                let name = "\(number % 10)" + String(repeating: "x", count: length - 1)
                try Array(name.utf8).withUnsafeBytes { try listing.add($0) }
            }
            try listing.finish()
        }
        let lines = text.split(separator: "\n")
        #expect(lines.dropLast().allSatisfy { $0.split(separator: " ").count == perLine })
        #expect(lines.reduce(0) { $0 + $1.split(separator: " ").count } == count)
        if length <= width { for line in lines { #expect(line.count <= width) } }
    }

    @Test func longListingsComeInOrder() throws {
        let text = try captured(terminal: true) { session in
            var listing = ColumnListing(output: session.output, screenWidth: 80, adapts: true)
            for number in 0..<1234 { try Array("\(number)".utf8).withUnsafeBytes { try listing.add($0) } }
            try listing.finish()
        }
        #expect(text.split { $0 == " " || $0 == "\n" }.map { Int($0) } == Array(0..<1234))
    }

    @Test func coloredJSONIsTheSameJSON() throws {
        let json = #"{"a": [1, -2.5e3, true, null], "k\"ey" : "str: \"x\"", plain: 'single', "é": "日本"}"#
        let colored = try captured(color: true) { session in
            var json = json
            try json.withUTF8 { try JSONColoring.write(UnsafeRawBufferPointer($0), to: session) }
        }
        #expect(colored.contains("\u{1B}[1;34m\"a\"\u{1B}[0m: ["))
        #expect(colored.contains("\u{1B}[36m-2.5e3\u{1B}[0m"))
        #expect(colored.contains("\u{1B}[35mnull\u{1B}[0m"))
        #expect(colored.contains("\u{1B}[1;34mplain\u{1B}[0m: \u{1B}[32m'single'\u{1B}[0m"))
        var stripped = ""
        var isEscape = false
        for character in colored {
            if character == "\u{1B}" { isEscape = true }
            if !isEscape { stripped.append(character) }
            if character == "m" { isEscape = false }
        }
        #expect(stripped == json)
    }

    @Test(arguments: ["\"", "\"\\", "'", "\u{1B}", "", "\"\\\"", "é", "-"])
    func brokenJSONIsWrittenAsItIs(json: String) throws {
        let colored = try captured(color: true) { session in
            var json = json
            try json.withUTF8 { try JSONColoring.write(UnsafeRawBufferPointer($0), to: session) }
        }
        #expect(colored.contains(json))
    }
}
