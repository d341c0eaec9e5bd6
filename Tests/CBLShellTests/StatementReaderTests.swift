import Testing

@testable import CBLShell

/// What lines mean in the interactive shell.
struct StatementReaderTests {
    private static let commands = Commands.all

    /// The statements of some lines, and whether more lines are needed at the end.
    private func read(_ lines: String..., looksAhead: Bool = false) throws -> (statements: [ShellStatement], isUnfinished: Bool) {
        var reader = StatementReader(commands: StatementReaderTests.commands, looksAhead: looksAhead)
        var statements: [ShellStatement] = []
        for line in lines {
            reader.append(line)
            while let statement = try reader.next() { statements.append(statement) }
        }
        return (statements, reader.isUnfinished)
    }

    /// What is missing may stand behind a comment.
    @Test(arguments: [
        "SELECT name, -- first", "SELECT name, /* first */", "SELECT name FROM -- where from", "SELECT name FROM _ WHERE -- which",
    ])
    func aCommentIsNoEnd(line: String) throws {
        let (statements, isUnfinished) = try read(line)
        #expect(statements.isEmpty && isUnfinished)
        let (both, _) = try read(line, line.hasSuffix("from") ? "_" : "city")
        #expect(both.count == 1)
    }

    @Test func whatStandsBehindTheCursorNamesTheItems() {
        let query = QueryContext("SELECT r.", behind: " FROM inventory.hotel h UNNEST h.reviews AS r")
        #expect(query.sources.contains(.init(collection: "inventory.hotel", alias: "r", path: ["reviews[]"])))
        // A word that is still to come is of the collection that is meant.
        #expect(QueryContext("", collection: "booking").sources == [.init(collection: "booking")])
    }

    private func commands(_ line: String) throws -> [[String]] {
        let (statements, isUnfinished) = try read(line)
        #expect(!isUnfinished)
        return statements.map { if case .command(let words) = $0.action { words } else { [] } }
    }

    @Test(arguments: [
        ("ls", [["ls"]]),
        ("  ls  -l\t'two words' ", [["ls", "-l", "two words"]]),
        (#"cat a\ b "c\"d" 'e\f' g"h"i"#, [["cat", "a b", "c\"d", #"e\f"#, "ghi"]]),
        ("ls; cat x ;; lscoll", [["ls"], ["cat", "x"], ["lscoll"]]),
        ("# nothing", []),
        ("-- nothing", []),
        ("", []),
        // The rest of the line as it stands.
        (#"put doc {"a": "x; y | z > 1"}"#, [["put", "doc", #"{"a": "x; y | z > 1"}"#]]),
        (#"put --create doc {name: "O'Hara"} ; ls"#, [["put", "--create", "doc", #"{name: "O'Hara"}"#], ["ls"]]),
        (#"put doc '{"a": 1}'"#, [["put", "doc", #"{"a": 1}"#]]),
        (#"put -C coll doc {}"#, [["put", "-C", "coll", "doc", "{}"]]),
        ("put doc -", [["put", "doc", "-"]]),
        ("put doc --delete", [["put", "doc", "--delete"]]),
        ("sql SELECT 'it''s; so' || x FROM t", [["sql", "SELECT 'it''s; so' || x FROM t"]]),
        (#"sql "SELECT 1""#, [["sql", "SELECT 1"]]),
        ("sql -1 + 2", [["sql", "--", "-1 + 2"]]),
        // SQL++ as it is.
        ("SELECT name FROM hotel WHERE a > 1", [["query", "--", "SELECT name FROM hotel WHERE a > 1"]]),
        ("select 1;", [["query", "--", "select 1"]]),
        ("SELECT -1", [["query", "--", "SELECT -1"]]),
        ("EXPLAIN SELECT 1", [["query", "--explain", "--", "SELECT 1"]]),
        (#"{"WHAT": [1]}"#, [["query", "--", #"{"WHAT": [1]}"#]]),
        ("SELECT 1; SELECT ';' ; ls", [["query", "--", "SELECT 1"], ["query", "--", "SELECT ';'"], ["ls"]]),
    ])
    func splitsLines(_ line: String, _ expected: [[String]]) throws {
        #expect(try commands(line) == expected)
    }

    @Test(arguments: [
        ("/* a; b */ ls", [["ls"]]),
        ("SELECT 1 -- no; 'more", [["query", "--", "SELECT 1 -- no; 'more"]]),
        ("SELECT /* ; | > ( */ 1; ls", [["query", "--", "SELECT /* ; | > ( */ 1"], ["ls"]]),
        ("SELECT '-- /*' ; ls", [["query", "--", "SELECT '-- /*'"], ["ls"]]),
        ("SELECT 5--1; ls", [["query", "--", "SELECT 5--1"], ["ls"]]),
    ])
    func passesOverComments(_ line: String, _ expected: [[String]]) throws {
        #expect(try commands(line) == expected)
    }

    /// Somebody pastes lines that nothing holds together.
    @Test func waitsForWhatHardlyIsAll() throws {
        var reader = StatementReader(commands: StatementReaderTests.commands)
        reader.hasImpliedCollection = false
        func read(_ line: String) throws -> [String]? {
            reader.append(line)
            guard let statement = try reader.next(), case .command(let words) = statement.action else { return nil }
            return words
        }
        #expect(try read("SELECT name") == nil)
        #expect(try read("-- from where?") == nil)
        #expect(try read("FROM hotel") == ["query", "--", "SELECT name\n-- from where?\nFROM hotel"])
        #expect(try read("SELECT 1 + 1") == ["query", "--", "SELECT 1 + 1"])
        #expect(try read("DELETE FROM hotel") == nil)
        #expect(try read("WHERE a = 1") == ["query", "--", "DELETE FROM hotel\nWHERE a = 1"])
        #expect(try read("UPDATE hotel SET x = 1") == nil)
        #expect(try read("") == ["query", "--", "UPDATE hotel SET x = 1"])
        #expect(try read("DELETE FROM hotel;") == ["query", "--", "DELETE FROM hotel"])
        reader.hasImpliedCollection = true
        #expect(try read("SELECT name") == ["query", "--", "SELECT name"])
        reader.lastQuery = "SELECT name"
        #expect(try read("WHERE a > 1 AND") == nil)
        #expect(try read("b = 2; ls") == ["query", "--", "SELECT name\nWHERE a > 1 AND\nb = 2"])
    }

    @Test func aCommentThatNothingClosesIsAMistakeAtTheEnd() throws {
        #expect(try read("/* never", "closed").isUnfinished)
        #expect(try read("/* closed", "here */ ls").statements.count == 1)
        var reader = StatementReader(commands: StatementReaderTests.commands)
        reader.append("SELECT 1 /* never")
        #expect(throws: CommandError.usage("the input ends before /* is closed")) { try reader.next(isLast: true) }
    }

    @Test(arguments: [
        ["ls 'open", "end'"], ["ls \\", "-l"], ["put x {", "}"], ["put x {a: [", "1]", "}"], ["SELECT", "1"],
        ["SELECT name FROM", "hotel"],
        ["UPDATE hotel SET", "x = 1 WHERE y = 2"], ["DELETE FROM", "hotel LIMIT 1"], ["SELECT (1", "+ 2)"], ["SELECT 'a", "b'"],
        ["SELECT 1 +", "2"],
        ["SELECT name FROM hotel WHERE", "x = 1"], ["[", "1]"],
    ])
    func goesOnInTheNextLine(_ lines: [String]) throws {
        var reader = StatementReader(commands: StatementReaderTests.commands)
        for line in lines.dropLast() {
            reader.append(line)
            #expect(try reader.next() == nil)
            #expect(reader.isUnfinished)
        }
        reader.append(lines[lines.count - 1])
        #expect(try reader.next() != nil)
        #expect(try reader.next() == nil)
        #expect(!reader.isUnfinished)
    }

    @Test func aClauseOnTheNextLineBelongsToTheQuery() throws {
        let pasted = try read("SELECT name\nFROM hotel\nWHERE x = 1\nls")
        #expect(pasted.statements.map(\.action) == [.command(["query", "--", "SELECT name\nFROM hotel\nWHERE x = 1"]), .command(["ls"])])
        let script = try read("SELECT name", "FROM hotel", "", "ls", looksAhead: true)
        #expect(script.statements.map(\.action) == [.command(["query", "--", "SELECT name\nFROM hotel"]), .command(["ls"])])
        #expect(script.statements.map(\.line) == [1, 4])
    }

    @Test(arguments: [
        ("ls | head -2 > x", ShellStatement.Target.pipe("head -2 > x")),
        ("ls -l > 'my file'", .file("my file", appends: false)),
        ("ls>>log", .file("log", appends: true)),
        ("SELECT 1 | less", .pipe("less")),
        ("SELECT 1 > 0; > out", .file("out", appends: false)),
        ("SELECT a || b | cat", .pipe("cat")),
        ("put x {a: 1} > out", .file("out", appends: false)),
    ])
    func knowsWhereResultsGo(_ line: String, _ target: ShellStatement.Target) throws {
        #expect(try read(line).statements.map(\.target) == [target])
    }

    @Test func knowsTheOtherKindsOfLines() throws {
        #expect(try read("!ls | cat; pwd").statements.map(\.action) == [.external("ls | cat; pwd")])
        #expect(try read(".timer on").statements.map(\.action) == [.setting(["timer", "on"])])
        let vertical = try read("SELECT 1 \\G").statements
        #expect(vertical.map(\.isVertical) == [true])
        #expect(vertical.map(\.action) == [.command(["query", "--", "SELECT 1"])])
    }

    @Test(arguments: ["ls 'open", "put x {", "SELECT (", "ls >", "ls |"])
    func whatNeverEndsIsAnError(_ line: String) {
        var reader = StatementReader(commands: StatementReaderTests.commands)
        reader.append(line)
        #expect(throws: CommandError.self) { try reader.next(isLast: true) }
        #expect(!reader.isUnfinished)
    }

    /// Whatever is typed, reading ends, and nothing is read twice.
    @Test func everyBeginningOfALineIsReadToItsEnd() throws {
        let lines = [
            #"put --create 'd"oc' {"a": [1, "\"}"]} > 'f' ; ls"#, "SELECT `a``b`, 'c''d' FROM x WHERE y IN [1, 2] \\G", "!x", ".mode",
            "ls | x",
        ]
        for line in lines {
            for length in 0...line.utf8.count {
                var reader = StatementReader(commands: StatementReaderTests.commands)
                reader.append(String(decoding: Array(line.utf8)[..<length], as: UTF8.self))
                var count = 0
                do { while try reader.next(isLast: true) != nil { count += 1 } } catch { count += 1 }
                #expect(count <= 3)
            }
        }
    }
}

/// What is at the cursor when Tab is pressed.
struct CompletionContextTests {
    private let parser = ArgumentParser(commands: Commands.all, hasOpenDatabase: true)

    private func place(_ text: String) -> CommandLineContext.Place { CommandLineContext(Array(text.utf8), parser).place }

    @Test func knowsWhatACommandTakes() {
        #expect(place("") == .command)
        #expect(place("l") == .command)
        #expect(place("ls; c") == .command)
        #expect(place("ls ") == .value(.document, others: []))
        #expect(place("cat a b") == .value(.document, others: []))
        #expect(place("cd ") == .value(.collection, others: []))
        #expect(place("ls -C ") == .value(.collection, others: []))
        #expect(place("ls --collection=in") == .value(.collection, others: []))
        #expect(place("ls --limit ") == .value(.count, others: []))
        #expect(place("ls > ") == .value(.file, others: []))
        #expect(place("!cat ") == .value(.file, others: []))
        #expect(place("SELECT ") == .query)
        if case .flag(let flags) = place("ls --de") { #expect(flags.contains("--desc")) } else { Issue.record("no flags") }
        if case .value(_, let others) = place("info ") { #expect(others.contains("indexes")) } else { Issue.record("no commands") }
    }

    @Test func keepsQuotesAndBackslashes() {
        let open = CommandLineContext(Array("cat 'my d".utf8), parser)
        #expect(open.word == "my d")
        #expect(open.wordLength == 5)
        #expect(open.escaped("my doc") == "'my doc")
        #expect(open.ending == "' ")
        #expect(CommandLineContext(Array("cat my\\ d".utf8), parser).escaped("my doc") == "my\\ doc")
    }

    @Test func knowsWhatAQueryIsAbout() {
        #expect(QueryContext("SELECT x FROM ").place == .collection)
        #expect(QueryContext("SELECT x FROM inv").word == "inv")
        #expect(QueryContext("SELECT 'a").place == .nowhere)
        let query = QueryContext("SELECT h.na FROM inventory.hotel AS h JOIN airline ON h.addr.")
        #expect(query.place == .expression)
        #expect(query.word == "h.addr.")
        #expect(query.sources.map(\.collection) == ["inventory.hotel", "airline"])
        #expect(query.sources.map(\.alias) == ["h", "airline"])
    }

    @Test(
        arguments: [
            ("`a``b`", "a`b", "`a``b`"), ("`in`.`ho-tel`", "in.ho-tel", "`ho-tel`"), ("`in`.hotel", "in.hotel", "hotel"),
            ("````", "`", "````"), ("``", "", nil), ("a.`b", "a.b", "b"), ("`a``", "a`", "`a```"),
        ] as [(String, String, String?)])
    func knowsCollectionsInBackquotes(text: String, collection: String, alias: String?) {
        let source = QueryContext("SELECT x FROM " + text).sources.first
        #expect(source == .init(collection: collection, alias: alias))
    }

    @Test func insertsWhatAllCandidatesBeginWith() {
        #expect(Completion(length: 1, candidates: ["doc-1", "doc-2"]).insertion == "doc-")
        #expect(Completion(length: 1, candidates: ["doc-1"]).insertion == "doc-1 ")
        #expect(Completion(length: 0, candidates: ["a", "b", "c"]).listing(width: 6) == "a  c\nb\n")
    }
}

struct HistoryFileTests {
    @Test(arguments: [
        "cp x --user ada:secret", "cp x --user=ada:secret", "push --token abc", " ls", "push ws://ada:secret@host/db",
        "pull ws://host/db --us ada:secret", "pull ada:secret@host/db", "pull ws://host/db?access_token=secret",
        "!curl -u ada:secret http://host", "!curl 'http://host/?a=1&password=secret'",
        "push --header 'Authorization: Basic abc' ws://host/db", "push --proxy ada:secret@host:80", "push -v --user ada:secret",
    ])
    func secretsAreNotKept(_ line: String) { #expect(HistoryFile.isPrivate(line)) }

    @Test(arguments: [
        "ls", "cp x --user ada", "SELECT token FROM x", "push --user ada:@file", "push ws://ada@host/db", #"put x {"mail":"a:b@c.d"}"#,
        #"put x {"at":"http://host:80/a@b"}"#, "cat user:1", "ls 'user:*'", "cat ada@host.de", "!curl 'http://host/_view/x?startkey=1'",
    ])
    func othersAre(_ line: String) { #expect(!HistoryFile.isPrivate(line)) }

    @Test(arguments: ["a\nb", #"a\nb"#, #"\\"#, "", "\n"])
    func linesComeBack(_ text: String) { #expect(HistoryFile.unescaped(HistoryFile.escaped(text).utf8) == text) }

    @Test func theLastOfEachStays() {
        #expect(HistoryFile.lastOfEach(["a", "b", "a", "c", "b"]) == ["a", "c", "b"])
    }
}
