import CBLLanguage

/// Lines in, statements out: the grammar of the interactive shell. Pure; the loop around it reads the lines and runs the statements.
///
///     var reader = StatementReader(commands: Commands.all)
///     reader.append("SELECT name, (country")
///     try reader.next()                       // nil, and reader.isUnfinished
///     reader.append("|| city) FROM hotel")
///     try reader.next()                       // the command ["query", "--", "SELECT …"]
struct StatementReader {
    private let parser: ArgumentParser
    /// Wait for the next line to see whether it goes on with the query before it. Right for a script; a person wants to see the result.
    private let looksAhead: Bool
    private var bytes: [UInt8] = []
    /// Where in the bytes the next statement begins.
    private var start = 0
    private var line = 1
    /// How far the text of the statement has been searched that goes on in the next line.
    private var search: RawText?
    /// What a command whose words are in quotes is waiting for.
    private var openQuote: UInt8?
    /// A statement has begun, and goes on in a line that is still to come.
    private(set) var isUnfinished = false
    /// The query that was run last: a line that begins with a clause goes on with it.
    var lastQuery: String?
    /// Where a query finds documents that names no collection; without it, a query without FROM goes on in the next line.
    var hasImpliedCollection = true

    init(commands: [CommandDeclaration], looksAhead: Bool = false) {
        parser = ArgumentParser(commands: commands, hasOpenDatabase: true)
        self.looksAhead = looksAhead
    }

    /// The words that begin a query or another statement of SQL++.
    static let queryWords: Set<String> = ["SELECT", "INSERT", "UPSERT", "UPDATE", "DELETE", "CREATE", "DROP", "EXPLAIN"]

    // A line that begins with one of these goes on with the query in front of it.
    private static let clauseWords: Set<String> = [
        "FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET", "JOIN", "LEFT", "INNER", "CROSS", "UNNEST", "AND", "OR", "ON",
        "USING",
        "SET", "UNSET", "VALUES", "AS", "END", "WHEN", "THEN", "ELSE", "IN", "IS", "NOT", "LIKE", "BETWEEN", "COLLATE", "SATISFIES",
    ]

    // Those of them that can stand at the end of a query that was complete.
    private static let laterClauses: Set<String> = [
        "FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET", "JOIN", "LEFT", "INNER", "CROSS", "UNNEST", "AND", "OR",
    ]

    mutating func append(_ line: String) {
        if start > 0 {
            bytes.removeFirst(start)
            start = 0
        }
        if let quote = openQuote, line.utf8.contains(quote) { openQuote = nil }
        bytes += line.utf8
        bytes.append(UInt8(ascii: "\n"))
    }

    /// Forgets what was begun.
    mutating func clear() {
        line += bytes[start...].count { $0 == UInt8(ascii: "\n") }
        (bytes, start) = ([], 0)
        (search, openQuote) = (nil, nil)
        isUnfinished = false
    }

    /// The next statement, or nil if more lines are needed for one. `isLast`: no more lines come, and what there is must do.
    mutating func next(isLast: Bool = false) throws(CommandError) -> ShellStatement? {
        isUnfinished = openQuote != nil && !isLast
        // What is in a quote cannot end without another one, and is not read again with each line.
        guard !isUnfinished else { return nil }
        skipEmptyLines()
        guard start < bytes.count else { return nil }
        // A comment in front of a statement that has no end yet.
        guard Comment.beginning(at: start, in: bytes)?.isOpen != true else {
            if isLast { throw StatementReader.neverClosed(UInt8(ascii: "/")) }
            isUnfinished = true
            return nil
        }
        let parsed: (statement: ShellStatement, end: Int)?
        do {
            parsed = try parse(bytes[start], isLast: isLast)
        } catch {
            clear()
            throw error
        }
        guard let (read, end) = parsed else {
            isUnfinished = true
            return nil
        }
        var statement = read
        statement.line = line
        line += bytes[start..<end].count { $0 == UInt8(ascii: "\n") }
        start = end
        search = nil
        return statement
    }

    /// Passes over blanks, semicolons and comments, which begin with `#`, `--` or `/*`.
    private mutating func skipEmptyLines() {
        var position = start
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "#") || bytes[position...].starts(with: "--".utf8) {
                position = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            } else if let comment = Comment.beginning(at: position, in: bytes), !comment.isOpen {
                line += bytes[position..<comment.end].count { $0 == UInt8(ascii: "\n") }
                position = comment.end
            } else if WordLexer.isBlank(byte) || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: ";") {
                if byte == UInt8(ascii: "\n") { line += 1 }
                position += 1
            } else {
                break
            }
        }
        start = position
    }

    private mutating func parse(_ first: UInt8, isLast: Bool) throws(CommandError) -> (statement: ShellStatement, end: Int)? {
        switch first {
        case UInt8(ascii: "!"):
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            return (ShellStatement(action: .external(text(start + 1..<end))), end)
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            return try raw(from: start, isLast: isLast) { ["query", "--", $0] }
        case UInt8(ascii: "\\"):
            // What people know from psql: `ForeignWord` knows what it is here.
            let end = bytes[start...].firstIndex { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: ";") } ?? bytes.count
            return (ShellStatement(action: .command(text(start..<end).split(separator: " ").map(String.init))), end)
        default: break
        }
        let word = String(decoding: bytes[start...].prefix { Lexer.isWordByte($0) }, as: UTF8.self).uppercased()
        let end = start + word.utf8.count
        if StatementReader.queryWords.contains(word), !hasFlag(behind: end) {
            guard word == "EXPLAIN" else { return try raw(from: start, isLast: isLast) { ["query", "--", $0] } }
            return try raw(from: end, isLast: isLast) { ["query", "--explain", "--", $0] }
        }
        if let lastQuery, StatementReader.laterClauses.contains(word) {
            var read = try raw(from: start, isLast: isLast) { ["query", "--", lastQuery + "\n" + $0] }
            read?.statement.goesOn = true
            return read
        }
        return try words(isSetting: first == UInt8(ascii: "."), isLast: isLast)
    }

    // "select --raw name" is the command; "SELECT -1" and "SELECT -- a comment" are queries.
    private func hasFlag(behind position: Int) -> Bool {
        var lexer = WordLexer(bytes, at: position)
        lexer.skipBlanks()
        let next = bytes[lexer.position...].prefix(3)
        guard next.first == UInt8(ascii: "-"), let second = next.dropFirst().first else { return false }
        return second == UInt8(ascii: "-") ? next.last.map(Lexer.isWordByte) ?? false : Lexer.isLetter(second)
    }

    /// A command, or a setting, whose words are split as in a shell, up to an argument that takes the rest of the line as it is.
    private mutating func words(isSetting: Bool, isLast: Bool) throws(CommandError) -> (statement: ShellStatement, end: Int)? {
        var lexer = WordLexer(bytes, at: isSetting ? start + 1 : start)
        var words: [String] = []
        while true {
            if isSetting, let (rest, end) = settingText(behind: words, &lexer) {
                return (ShellStatement(action: .setting(words + [rest])), end)
            }
            if !isSetting, isRest(behind: words, &lexer) {
                let before = words
                return try raw(from: lexer.position, isLast: isLast) { StatementReader.join(before, $0) }
            }
            if words == ["help"], let name = lexer.operatorSign() {
                words.append(name)
                continue
            }
            let position = lexer.position
            let action: () -> ShellStatement.Action = { isSetting ? .setting(words) : .command(words) }
            switch lexer.next() {
            case .word(let word): words.append(word)
            // A backslash before the end of the line promises another line.
            case .end where !isLast && bytes.suffix(2) == [UInt8(ascii: "\\"), UInt8(ascii: "\n")]: return nil
            case .newline, .semicolon, .end: return (ShellStatement(action: action()), lexer.position)
            case .pipe, .redirection:
                lexer.position = position
                guard let (target, end) = try target(from: position) else { return nil }
                return (ShellStatement(action: action(), target: target), end)
            case .unfinished(let byte):
                if isLast { throw StatementReader.neverClosed(byte) }
                if byte != UInt8(ascii: "\\") { openQuote = byte }
                return nil
            }
        }
    }

    /// The rest of a line that sets a prompt, a pager or the value of a parameter: it is no list of words, and may hold any character. In quotes
    /// it may begin and end with blanks.
    private func settingText(behind words: [String], _ lexer: inout WordLexer) -> (text: String, end: Int)? {
        let isText = ["prompt", "pager"].contains(words.last)
        guard isText && words.count == 1 || words.first == "set" && words.count <= 2 else { return nil }
        lexer.skipBlanks()
        let start = lexer.position
        let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        guard start < end else { return nil }
        let rest = text(start..<end)
        guard isText else { return words.count == 1 && SettingName.parameter([rest]) != nil ? (rest, end) : nil }
        if bytes[start] == UInt8(ascii: "'") || bytes[start] == UInt8(ascii: "\""), case .word(let word) = lexer.next(),
            [.newline, .end].contains(lexer.next())
        {
            return (word, end)
        }
        return (rest, end)
    }

    /// Whether what follows these words is an argument that takes the rest of the line.
    private func isRest(behind words: [String], _ lexer: inout WordLexer) -> Bool {
        guard let name = words.first, let parent = parser.command(named: name) else { return false }
        let command = words.count > 1 ? parent.subcommand(named: words[1]) ?? parent : parent
        let positionals = command.positionals(withOpenDatabase: true)
        guard let rest = positionals.firstIndex(where: { $0.presence.isRest }) else { return false }
        lexer.skipBlanks()
        guard let byte = lexer.byte, ![UInt8(ascii: "\n"), UInt8(ascii: ";"), UInt8(ascii: "|"), UInt8(ascii: ">")].contains(byte) else {
            return false
        }
        let own = command.name == parent.name ? command.flags : command.flags + parent.flags
        var scanner = WordScanner(
            words: words.dropFirst(command.name == parent.name ? 1 : 2), flags: ArgumentParser.withGlobalFlags(own), owner: nil)
        var count = 0
        // A flag that waits for its value is an error to the scanner, and so is one that nobody knows.
        do { while let item = try scanner.next() { if case .value = item { count += 1 } } } catch { return false }
        guard count == rest else { return false }
        let next = lexer.position + 1 < bytes.count ? bytes[lexer.position + 1] : 0
        let looksLikeFlag = byte == UInt8(ascii: "-") && (next == byte || Lexer.isLetter(next))
        return !looksLikeFlag || words.contains("--")
    }

    private static func join(_ words: [String], _ rest: String) -> [String] {
        // A text may begin with a minus sign.
        words + (rest.hasPrefix("-") && rest != "-" && !words.contains("--") ? ["--"] : []) + [rest]
    }

    /// A text that is taken as it stands, from a place to where it ends.
    private mutating func raw(
        from start: Int, isLast: Bool, _ words: (String) -> [String]
    ) throws(CommandError) -> (statement: ShellStatement, end: Int)? {
        var lexer = WordLexer(bytes, at: start)
        lexer.skipBlanks()
        let start = lexer.position
        let earlier = search.flatMap { $0.start == start ? $0 : nil }
        // What did not end with its second quote before does not without another one.
        let mayBeQuoted = earlier.map { bytes[min($0.position, bytes.count)...].contains(bytes[start]) } ?? true
        if mayBeQuoted, let (word, position) = quotedWhole(from: start) {
            return try finish(ShellStatement(action: .command(words(word))), at: position)
        }
        var found = earlier ?? RawText(bytes, at: start)
        defer { search = found }
        while true {
            let ending = found.findEnding(in: bytes)
            let range = start..<min(found.position, bytes.count)
            switch ending {
            case .open(let byte):
                if isLast { throw StatementReader.neverClosed(byte) }
                return nil
            case .newline:
                let next = found.isJSON ? nil : nextLine(behind: found.position)
                let state = next == .clause || !isQuery(words) ? .complete : completeness(of: found, in: range, words)
                if next == .clause || state == .unfinished {
                    guard next == nil else {
                        found.passNewline()
                        continue
                    }
                    if !isLast { return nil }
                }
                if next == nil, !isLast, !found.isJSON, looksAhead || state == .mayGoOn { return nil }
                return (ShellStatement(action: .command(words(text(range)))), min(found.position + 1, bytes.count))
            case .semicolon, .redirection: return try finish(ShellStatement(action: .command(words(text(range)))), at: found.position)
            case .vertical:
                return try finish(ShellStatement(action: .command(words(text(range))), isVertical: true), at: found.position + 2)
            }
        }
    }

    private func isQuery(_ words: (String) -> [String]) -> Bool { words("").first == "query" }

    // To parse a long text at the end of each of its lines would take longer the longer it is.
    private static let mostParsed = 4096

    private enum Completeness { case unfinished, mayGoOn, complete }

    /// How far a query is: unfinished, if it cannot be parsed and what is missing would stand at its end.
    private func completeness(of found: RawText, in range: Range<Int>, _ words: (String) -> [String]) -> Completeness {
        guard !found.isJSON else { return .complete }
        if range.count > StatementReader.mostParsed, found.certainlyGoesOn(in: bytes) { return .unfinished }
        let typed = text(range)
        let query = words(typed).last ?? ""
        let statement = Comment.blanked(query)
        do throws(QueryError) {
            return try wantsMore(Statement(sqlpp: statement)) && query == typed ? .mayGoOn : .complete
        } catch {
            guard error.kind == .syntax, let first = error.diagnostics.first, !first.range.isNone else { return .complete }
            // What is missing may stand behind a comment.
            let end = statement.utf8.lastIndex { !WordLexer.isBlank($0) && $0 != UInt8(ascii: "\n") }
            let count = end.map { statement.utf8.distance(from: statement.startIndex, to: $0) + 1 } ?? 0
            return first.range.start >= count ? .unfinished : .complete
        }
    }

    /// Whether what could be run is hardly all: a query that says from where comes later, and a change of all documents says so with a semicolon
    /// or an empty line. Somebody may be pasting lines.
    private func wantsMore(_ statement: Statement) -> Bool {
        switch statement {
        case .select(let select): select.sources.isEmpty && !hasImpliedCollection && !select.isCalculation
        case .update(let update): update.condition == nil && update.limit == nil
        case .delete(let delete): delete.condition == nil && delete.limit == nil
        default: false
        }
    }

    /// The whole text in quotes, as in a shell: what they hold, and where the statement ends.
    private func quotedWhole(from start: Int) -> (word: String, end: Int)? {
        guard start < bytes.count, bytes[start] == UInt8(ascii: "'") || bytes[start] == UInt8(ascii: "\"") else { return nil }
        var lexer = WordLexer(bytes, at: start)
        guard case .word(let word) = lexer.next() else { return nil }
        let end = lexer.position
        switch lexer.next() {
        case .newline, .end, .semicolon, .redirection: return (word, end)
        case .pipe: return lexer.byte == UInt8(ascii: "|") ? nil : (word, end)
        case .word, .unfinished: return nil
        }
    }

    /// What may follow a text: a semicolon, and where its results go.
    private func finish(_ statement: ShellStatement, at position: Int) throws(CommandError) -> (statement: ShellStatement, end: Int)? {
        var lexer = WordLexer(bytes, at: position)
        lexer.skipBlanks()
        if lexer.byte == UInt8(ascii: ";") { lexer.position += 1 }
        lexer.skipBlanks()
        guard lexer.byte == UInt8(ascii: "|") || lexer.byte == UInt8(ascii: ">") else { return (statement, lexer.position) }
        guard let (target, end) = try target(from: lexer.position) else { return nil }
        var statement = statement
        statement.target = target
        return (statement, end)
    }

    /// `| command` up to the end of the line, or `> file`.
    private func target(from position: Int) throws(CommandError) -> (ShellStatement.Target, end: Int)? {
        var lexer = WordLexer(bytes, at: position)
        guard case .redirection(let appends) = lexer.next() else {
            let end = bytes[lexer.position...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            let command = text(lexer.position..<end)
            guard !command.isEmpty else { throw .usage("a command is missing behind |") }
            return (.pipe(command), end)
        }
        guard case .word(let path) = lexer.next() else { throw .usage("the name of a file is missing behind >") }
        switch lexer.next() {
        case .newline, .semicolon, .end: return (.file(path, appends: appends), lexer.position)
        default: throw .usage("only the name of a file can stand behind >")
        }
    }

    private enum NextLine { case clause, statement }

    /// Whether the first line behind a place goes on with a query; nil if there is none.
    private func nextLine(behind position: Int) -> NextLine? {
        var lexer = WordLexer(bytes, at: position)
        while lexer.byte == UInt8(ascii: "\n") {
            lexer.position += 1
            lexer.skipBlanks()
            // An empty line ends a statement.
            if lexer.byte == UInt8(ascii: "\n") { return .statement }
            if lexer.byte == UInt8(ascii: "-"), let comment = Comment.beginning(at: lexer.position, in: bytes) {
                lexer.position = comment.end
            }
        }
        guard let byte = lexer.byte else { return nil }
        if [UInt8(ascii: ")"), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "=")].contains(byte) { return .clause }
        let word = String(decoding: bytes[lexer.position...].prefix { Lexer.isWordByte($0) }, as: UTF8.self)
        return StatementReader.clauseWords.contains(word.uppercased()) ? .clause : .statement
    }

    private static func neverClosed(_ byte: UInt8) -> CommandError {
        .usage("the input ends before \(byte == UInt8(ascii: "/") ? "/*" : String(Character(Unicode.Scalar(byte)))) is closed")
    }

    private func text(_ range: Range<Int>) -> String {
        var slice = bytes[range]
        while let byte = slice.last, WordLexer.isBlank(byte) || byte == UInt8(ascii: "\n") { slice.removeLast() }
        while let byte = slice.first, WordLexer.isBlank(byte) { slice.removeFirst() }
        return String(decoding: slice, as: UTF8.self)
    }
}

extension WordLexer {
    /// A sign of SQL++ that means something else to the shell: "help ||" and "help >=" ask about them.
    fileprivate mutating func operatorSign() -> String? {
        skipBlanks()
        guard byte == UInt8(ascii: "|") || byte == UInt8(ascii: ">") else { return nil }
        let sign = bytes[position...].prefix { !WordLexer.isBlank($0) && $0 != UInt8(ascii: "\n") }
        guard ["||", ">=", ">"].contains(where: { sign.elementsEqual($0.utf8) }) else { return nil }
        // "help > file" writes the help to a file.
        var rest = WordLexer(bytes, at: sign.endIndex)
        rest.skipBlanks()
        guard rest.byte == nil || rest.byte == UInt8(ascii: "\n") else { return nil }
        position = sign.endIndex
        return String(decoding: sign, as: UTF8.self)
    }
}
