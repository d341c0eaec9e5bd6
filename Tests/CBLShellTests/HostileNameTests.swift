import CBLBase
import CBLFleece
import CBLLanguage
import CBLStore
import CBLTestSupport
import CBLWorkbench
import FoundationEssentials
import Testing

@testable import CBLShell

/// Quotes, slashes, separators and ends of lines behind prepending and before combining marks: as one `Character` with their neighbours they are
/// not found by a search for them, and would get out of quotes.
@Suite struct HostileNameTests {
    private static let neighbours: [(before: String, after: String)] = [
        ("", ""), ("\u{600}", ""), ("", "\u{301}"), ("\u{600}", "\u{301}"), ("\u{110BD}", "\u{200D}"), ("", "\u{FE0F}"), ("\r", ""),
    ]

    private static let names: [String] = ["'", "\"", "\\", ";", "|", ">", " ", "`", "\n", "/", ":", ".", ",", "=", "@", "&"].flatMap {
        sign in
        neighbours.map { "a\($0.before)\(sign)\($0.after)b" }
    }

    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test func mostNamesAreOffered() { #expect(Self.names.filter(CompletionNames.isOffered).count > Self.names.count * 3 / 4) }

    /// A word that Tab puts into a line is this one word, whatever it holds, and whatever quotes are open.
    @Test(arguments: ["", "'", "\""], names.filter(CompletionNames.isOffered))
    func completedWordsStayOneWord(quote: String, name: String) throws {
        let parser = ArgumentParser(commands: Commands.all, hasOpenDatabase: true)
        let line = CommandLineContext(bytes("cat \(quote)"), parser)
        let typed = "cat " + line.escaped(name) + line.ending
        var reader = StatementReader(commands: Commands.all)
        reader.append(typed)
        let statement = try #require(try reader.next(isLast: true))
        #expect(statement.target == nil)
        guard case .command(let words) = statement.action else {
            Issue.record("\(typed) is no command")
            return
        }
        #expect(words.count == 2 && bytes(words[1]) == bytes(name), "\(typed)")
        #expect(try reader.next(isLast: true) == nil)
    }

    /// The same at a terminal: nothing that a document is called is run.
    @Test(arguments: ["", "'", "\""]) func completingADocumentRunsNothing(quote: String) throws {
        let directory = try TemporaryDirectory()
        let (path, victim) = (directory.path + "/db.cblite2", directory.path + "/ran")
        let ids = [
            "x|\u{301}&touch${IFS}\(victim)", "y'|touch \(victim)", "z\"|touch \(victim)", "w;\u{301}!touch \(victim)",
            "v\u{600}|touch \(victim)",
        ]
        do {
            let database = try Database(path: path, options: .create)
            defer { database.close() }
            try database.write { transaction in
                for id in ids { _ = try transaction.save(id, body: transaction.encode(json: "{}")) }
            }
        }
        let terminal = try PseudoTerminal([path], environment: ["HOME": directory.path], columns: 200)
        try terminal.waitForLine("db>")
        for id in ids {
            let before = terminal.screen.lines.count
            terminal.type("cat \(quote)\(id.prefix(1))\t\n")
            try terminal.wait(for: "the document") { $0.lines.count > before && $0.currentLine == "db>" }
            #expect(terminal.screen.lines[before...].contains { $0.contains("\"_id\"") }, "\(id)")
        }
        terminal.type("\u{4}")
        #expect(try terminal.finish() == 0)
        #expect(!FileManager.default.fileExists(atPath: victim))
    }

    @Test(arguments: names) func propertiesStayInTheirQuotes(name: String) throws {
        let text = Lexer.name(name)
        let select = try Select(sqlpp: "SELECT \(text)")
        guard case .property(let path) = try #require(select.results.first).expression.node else {
            Issue.record("\(text) is no property")
            return
        }
        #expect(select.results.count == 1)
        #expect(path.components.count == 1)
        guard case .name(let found) = try #require(path.components.first) else {
            Issue.record("\(text) is no name")
            return
        }
        #expect(bytes(found) == bytes(name))
    }

    @Test(arguments: names) func historyKeepsStatementsOnTheirLines(name: String) {
        let line = HistoryFile.escaped("cat \(name)")
        #expect(!line.utf8.contains(UInt8(ascii: "\n")))
        #expect(bytes(HistoryFile.unescaped(line.utf8)) == bytes("cat \(name)"))
    }

    @Test(arguments: names.filter { !$0.utf8.contains(UInt8(ascii: "\n")) }) func settingsAreReadAsTheyWereWritten(name: String) throws {
        var reader = StatementReader(commands: Commands.all)
        reader.append(".null " + ShellSetting.written(name))
        guard case .setting(let words)? = try reader.next(isLast: true)?.action else {
            Issue.record("no setting")
            return
        }
        #expect(bytes(words.dropFirst().joined(separator: " ")) == bytes(name))
    }

    @Test(arguments: names) func wordsForScriptsStayInTheirQuotes(name: String) throws {
        let shell = try #require(try Program.run(tool: "sh", ["-c", "printf %s \(CompletionModel.quoted(name))"]))
        #expect(shell.outputBytes == bytes(name))
    }

    @Test(arguments: neighbours.map { [$0.before, $0.after] }) func pathsAreTakenApartAtEverySlash(marks: [String]) {
        let path = "/tmp\(marks[0])/\(marks[1])x\(marks[0])/\(marks[1])db.cblite2"
        #expect(PathText.hasSlash(path))
        #expect(bytes(PathText.name(path)) == bytes("\(marks[1])db.cblite2"))
        #expect(bytes(PathText.split(path).directory) == bytes("/tmp\(marks[0])/\(marks[1])x\(marks[0])/"))
        #expect(PathText.folders(of: path).map(bytes) == ["/tmp\(marks[0])", "/tmp\(marks[0])/\(marks[1])x\(marks[0])"].map(bytes))
        #expect(bytes(PathText.without(".cblite2", path)) == bytes(String(path.unicodeScalars.dropLast(8))))
    }

    /// A secret is one, whatever it begins with.
    @Test(arguments: neighbours.map { [$0.before, $0.after] }) func secretsAreMasked(marks: [String]) {
        // With a blank in it, it is no URL.
        if marks[0] == "\r" { return }
        let secret = "\(marks[1])s3cret"
        for words in [
            ["--user", "ada\(marks[0]):\(secret)"], ["--user=ada\(marks[0]):\(secret)"], ["--header", "X-Key\(marks[0]):\(secret)"],
            ["--token", secret], ["--token=\(secret)"], ["wss://ada\(marks[0]):\(secret)@host/db"],
            ["--proxy", "ada\(marks[0]):\(secret)@host"],
        ] {
            let masked = SecretWords.masked(words)
            #expect(!masked.joined().contains("s3cret") && masked.map(\.utf8.count) == words.map(\.utf8.count), "\(words)")
        }
    }

    /// The cells of tables are those that were written.
    @Test func tablesComeBack() throws {
        let directory = try TemporaryDirectory()
        let (path, copy) = (directory.path + "/db.cblite2", directory.path + "/copy.cblite2")
        let signs = ["=", "+", "-", "@", "\t", "\r", "\n", "'=", "''@", "'", "-5", "+5", "-5a", "=1+1", "\u{FF1D}x", "{", "[", "\"", ","]
        let values =
            signs + signs.flatMap { sign in HostileNameTests.neighbours.map { "\($0.before)\(sign)\($0.after)" } } + HostileNameTests.names
        do {
            let database = try Database(path: path, options: .create)
            defer { database.close() }
            try database.write { transaction in
                for (number, value) in values.enumerated() {
                    let text = JSONWriter.quoted(value)
                    _ = try transaction.save("d\(number)", body: transaction.encode(json: #"{\#(text):1,"v":\#(text),"n":-\#(number)}"#))
                }
            }
        }
        func documents(_ path: String) throws -> [UInt8] { try Program.run(["cat", "--raw", path, "*"]).outputBytes }
        for (format, flags) in [("csv", []), ("tsv", []), ("csv", ["--guard-formulas"]), ("tsv", ["--guard-formulas"])] {
            let file = directory.path + "/table.\(format)"
            #expect(try Program.run(["export"] + flags + [path, file]).exitCode == 0)
            let imported = try Program.run(["import"] + flags + [copy, file])
            #expect(imported.exitCode == 0, "\(imported.errors)")
            #expect(try documents(copy) == documents(path))
            try FileManager.default.removeItem(atPath: copy)
        }
    }
}

/// What a message is made of: literals as they are, and what is put into them as one line.
@Suite struct HostileMessageTests {
    @Test(arguments: HostileText.controls) func messagesStayOneLine(control: String) {
        let foreign = HostileText.marked(control)
        let message: ScreenText = "\u{1B}[1m\(foreign)\u{1B}[0m\n"
        #expect(message.text.hasPrefix("\u{1B}[1mZq") && message.text.hasSuffix("qZ\u{1B}[0m\n"))
        #expect(HostileText.harm(in: Array(message.text.utf8), allowing: ["\u{1B}[1m", "\u{1B}[0m"]) == nil)
        #expect(message.text.utf8.count { $0 == UInt8(ascii: "\n") } == 1)
        let lines = ScreenText(lines: "a\n\(foreign)\n\u{301}b", lineEnd: "\r\n")
        #expect(HostileText.harm(in: Array(lines.text.utf8)) == nil)
        #expect(("\(message)\(lines)" as ScreenText).text == message.text + lines.text)
    }

    /// The prompt has names of files and collections in it, and marks for the line editor round its colours.
    @Test(arguments: HostileText.controls) func promptsAreOneLine(control: String) throws {
        for template in ["{db}:{coll}>", HostileText.marked(control) + ">"] {
            guard let template = try? PromptTemplate(template) else { continue }
            let place = Prompt(database: HostileText.marked(control), collection: .default)
            let filled = template.filled(with: place, mode: .table)
            #expect(HostileText.harm(in: Array(filled.utf8)) == nil && !filled.utf8.contains(UInt8(ascii: "\n")))
        }
    }

    /// Each line of an error is one, and a hint of several lines is as many.
    @Test func errorsKeepTheirLines() {
        let error = CommandError(.failure, lines: ["a\nb", "c"], hints: ["d\n\u{301}"]).behind("x\n: ").hinting("e")
        #expect(error.messageLines == ["x\n: a\nb", "c"] && error.hintLines == ["d\n\u{301}", "e"])
        #expect(!ErrorReport.json(error).utf8.contains(UInt8(ascii: "\n")))
    }

    /// What terminals paste has no keys in it, and nothing that hides.
    @Test(arguments: HostileText.controls) func pastedTextIsPlain(control: String) {
        let pasted = TerminalKeys.plain(HostileText.marked(control) + "\n\n")
        #expect(HostileText.harm(in: Array(pasted.utf8)) == nil)
        #expect(pasted.hasPrefix("Zq") && pasted.hasSuffix("qZ"))
    }
}

/// Spreadsheets run what looks like a formula.
@Suite struct HostileFormulaTests {
    private func row(_ texts: [String], delimiter: Delimiter = .comma) -> String {
        let cells = DelimitedText(delimiter: delimiter, guardsFormulas: true)
        var buffer = ByteBuffer()
        for (index, text) in texts.enumerated() {
            if index > 0 { delimiter.append(to: &buffer) }
            Array(text.utf8).withUnsafeBytes { cells.append(text: $0, to: &buffer) }
        }
        return buffer.string
    }

    @Test(arguments: [
        ("=1+1", #""'=1+1""#), ("@SUM(A1)", #""'@SUM(A1)""#), ("+cmd|' /C calc'!A0", #""'+cmd|' /C calc'!A0""#), ("-2+3", #""'-2+3""#),
        ("\t=1", "\"'\t=1\""), ("\r=1", "\"'\r=1\""), ("'=1", #""''=1""#), ("\u{FF1D}1", "\"'\u{FF1D}1\""), ("-5", #""-5""#),
        ("-5.25", #""-5.25""#),
        ("+4915112345678", "+4915112345678"), ("text", "text"), ("'s-Gravenhage", "'s-Gravenhage"), ("a=1", "a=1"), ("-", #""'-""#),
        ("=\"x\"", #""'=""x""""#), ("-1e5", #""'-1e5""#), ("=\u{301}1", "\"'=\u{301}1\""),
    ])
    func formulasAreGuarded(text: String, cell: String) {
        #expect(row([text]) == cell)
        #expect(row(["x", text], delimiter: .tab) == "x\t" + cell)
    }

    @Test func theFlagIsForTablesAlone() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/db.cblite2"
        #expect(try Program.run(["--create", "put", path, "=id", #"{"=name":"=1+1","n":-5}"#]).exitCode == 0)
        let guarded = "_id,n,\"'=name\"\n\"'=id\",-5,\"'=1+1\"\n"
        #expect(try Program.run(["export", "--guard-formulas", "--format", "csv", path, "-"]).output == guarded)
        let query = "SELECT META().id AS _id, n, `=name` FROM _"
        #expect(try Program.run(["query", "--guard-formulas", "--format", "csv", path, query]).output == guarded)
        #expect(try Program.run(["export", "--format", "csv", path, "-"]).output == "_id,n,=name\n=id,-5,=1+1\n")
        for line in [
            ["export", path, "-"], ["query", path, query], ["query", "--format", "json", path, query], ["cp", path, path + "2.cblite2"],
        ] {
            let refused = try Program.run([line[0], "--guard-formulas"] + line.dropFirst())
            #expect(refused.exitCode == 2 && refused.errors.contains("--guard-formulas is for CSV and TSV"), "\(line)")
        }
    }
}
