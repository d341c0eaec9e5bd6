import CBLLanguage
import CBLTestSupport
import Testing

@testable import CBLShell

/// The prompt, a script, completion and the parser see the same text in the same way.
@Suite struct StatementEndTests {
    private static let commands = Commands.all

    /// The query that comes first in what was typed; nil if something is not closed.
    private func firstQuery(_ text: String) throws -> String? {
        var reader = StatementReader(commands: StatementEndTests.commands)
        reader.append(text)
        guard let statement = try? reader.next(isLast: true) else { return nil }
        guard case .command(let words) = statement.action else { return nil }
        // What is in comments is nobody's business.
        var query = Comment.blanked(words.last ?? "")[...]
        while query.last?.isWhitespace == true { query.removeLast() }
        return String(query)
    }

    private func isOpen(_ text: String) -> Bool {
        var lexer = Lexer(Array(Comment.blanked(text).utf8))
        var last: Lexer.Token?
        while let token = lexer.next() { last = token }
        return last?.kind == .openString || last?.kind == .openName
    }

    private static let tricky = [
        #"SELECT 'a\'; ls"#, "SELECT 'it''s; so'; ls", "SELECT `a``;b`; ls", "SELECT \"a;b\"; ls", "SELECT 1 -- it's\n",
        "SELECT a /* ; */; ls",
        "SELECT größe; ls", "SELECT a$b; ls", "SELECT select$x; ls", "SELECT 1.e5; ls", "SELECT 12a; ls", "SELECT $`a;b`; ls",
        "SELECT 'open; ls", "SELECT `open; ls", "SELECT 'a''; ls", "SELECT \"'\"; ls", "SELECT '\"'; ls", "SELECT 'a'';'; ls",
    ]

    @Test(arguments: tricky) func allReadersAgree(_ text: String) throws {
        let parts = Statement.split(Comment.blanked(text))
        if isOpen(text) {
            #expect(try firstQuery(text) == nil)
            #expect(QueryContext(text).place == (text.contains("`open") ? .expression : .nowhere))
            #expect(throws: QueryError.self) { try Statement(sqlpp: text) }
        } else {
            #expect(try firstQuery(text) == String(parts[0].text))
            #expect(QueryContext(text).place != .nowhere)
        }
        // What is right before the end is right with it.
        let first = try #require(parts.first)
        if (try? Statement(sqlpp: String(first.text))) != nil { #expect(!isOpen(String(first.text))) }
    }

    @Test func randomTextsEndAtTheSamePlace() throws {
        let pieces = [
            "a", "'", "''", "\"", "`", "``", ";", "(", ")", "[", "{", "'it''s'", "`a;b`", "$", "$`x`", "1.5", "12a", "--", "/*", "#", "ö",
            "\\", " ",
            " ", "FROM", "WHERE", ",", "=", "CASE", "END", "“",
        ]
        var random = SeededRandom(41)
        try repeatWithin(seconds: 1) {
            var text = "SELECT a "
            for _ in 0..<random.below(16) { text += random.element(of: pieces) + (random.below(2) > 0 ? " " : "") }
            let parts = Statement.split(Comment.blanked(text))
            let query = try firstQuery(text)
            let isLastOpen = isOpen(text)
            if isLastOpen, parts.count == 1 {
                #expect(query == nil, "\(text)")
                #expect((try? Statement(sqlpp: text)) == nil, "\(text)")
            } else if let query {
                #expect(query == String(parts[0].text), "\(text)")
            } else {
                // A bracket or a comment is waiting for the next line.
                #expect(parts.count == 1, "\(text)")
            }
            #expect(text.hasSuffix(QueryContext(text).word), "\(text)")
        }
    }

    /// In any pieces, the lines give the statements that they give at once: what was searched once is not searched again.
    @Test func linesComeInAnyPieces() throws {
        let texts = [
            "SELECT a,\nb,\n'c\nd''e',\n`f\ng` FROM h\nWHERE (i\n= 1)\n\nls", #"put x {"a": ["\"]", "#, "put y '{\"a\":\n 1}'\nls",
            "ls 'a\nb\nc'\nls",
            "query \"SELECT \\\"a\n\\\"\"\nls", "SELECT CASE WHEN a\nTHEN 1\nWHEN b THEN 2\nEND; ls; SELECT 1 | cat\nls",
            "UPDATE h SET x = {'a;b':\n [1, ';']}\nWHERE y\n;;ls; # no\nls",
        ]
        for text in texts {
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            for looksAhead in [true, false] {
                var fresh = StatementReader(commands: StatementEndTests.commands, looksAhead: looksAhead)
                var typed: [String] = []
                var reader = fresh
                for (index, line) in lines.enumerated() {
                    reader.append(line)
                    typed.append(line)
                    let isLast = index == lines.count - 1
                    var actions: [ShellStatement] = []
                    do { while let statement = try reader.next(isLast: isLast) { actions.append(statement) } } catch { typed = [] }
                    // The same from the beginning of the statement on, without memory.
                    var other = fresh
                    for line in typed { other.append(line) }
                    var others: [ShellStatement] = []
                    do { while let statement = try other.next(isLast: isLast) { others.append(statement) } } catch {}
                    #expect(actions.map(\.action) == others.map(\.action), "\(text.debugDescription) \(index)")
                    #expect(reader.isUnfinished == other.isUnfinished)
                    if !actions.isEmpty || typed.isEmpty {
                        if !reader.isUnfinished { typed = [] } else { typed = [line] }
                        fresh = StatementReader(commands: StatementEndTests.commands, looksAhead: looksAhead)
                    }
                }
            }
        }
    }

    /// A long statement that is pasted line by line is looked at once, not once for each of its lines.
    @Test(arguments: [
        ("SELECT ", "'a value of some length', ", "1"), ("SELECT [", "'it''s', ", "1]"), ("SELECT '", "it''s a long text ", "'"),
        ("SELECT CASE", " WHEN a = 1 THEN 'x'", " END"), ("put x {a: [", "\"]\", ", "1]}"), ("ls '", "a text of many lines ", "'"),
    ]) func longStatementsStayQuick(_ start: String, _ line: String, _ end: String) throws {
        var reader = StatementReader(commands: StatementEndTests.commands)
        reader.append(start)
        #expect(try reader.next() == nil)
        for _ in 0..<5000 {
            reader.append(line)
            try #require(try reader.next() == nil)
        }
        reader.append(end)
        #expect(try reader.next() != nil)
        #expect(!reader.isUnfinished)
    }

    @Test func manyStatementsInALineAreTakenOffOneByOne() throws {
        var reader = StatementReader(commands: StatementEndTests.commands)
        reader.append(String(repeating: "ls;", count: 10_000))
        var count = 0
        while try reader.next() != nil { count += 1 }
        #expect(count == 10_000)
    }
}
