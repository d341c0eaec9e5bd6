/// Finds the mistakes behind the first one: the parse is taken up again behind a comma and at the next clause.
struct Recovery {
    private let source: String
    private let tokens: [ReportedToken]
    private var diagnostics: [QueryError.Diagnostic] = []
    private var kind: QueryError.Kind = .syntax
    /// The token that the search goes on from.
    private var index = 0
    /// The token that was found where it should not be, last time.
    private var lastMistake: Int?
    /// How many brackets are open around the place. What stands in brackets that were opened since is passed over.
    private var depth = 0

    // Whoever made more mistakes than that will see the others later.
    private static let limit = 10

    /// Everything that is wrong with a text that was parsed in vain, by a parser that collected expectations.
    static func error(in source: String, _ parser: Parser) -> QueryError {
        if let limit = parser.limitError { return QueryError(.syntax, [limit], errorPosition: limit.range.start) }
        var recovery = Recovery(source: source, tokens: ReportedToken.tokens(of: parser.text.bytes))
        recovery.note(parser, from: 0)
        if !recovery.isHopeless { recovery.search() }
        return QueryError(recovery.kind, recovery.diagnostics, errorPosition: parser.text.farthest)
    }

    /// What is wrong with a statement that is not a query: the first mistake.
    static func statementError(in source: String, _ parser: Parser) -> QueryError {
        if let limit = parser.limitError { return QueryError(.syntax, [limit], errorPosition: limit.range.start) }
        let tokens = ReportedToken.tokens(of: parser.text.bytes)
        let finding = Diagnosis(tokens, from: 0, parser.text.expectations ?? Expectations(), isStatement: true).finding
        return QueryError(finding.kind, [finding.diagnostic], errorPosition: parser.text.farthest)
    }

    private init(source: String, tokens: [ReportedToken]) {
        self.source = source
        self.tokens = tokens
    }

    /// Not a query at all.
    private var isHopeless: Bool {
        guard let first = tokens.first, let diagnostic = diagnostics.first else { return true }
        return kind == .unsupported && diagnostic.range == first.range || index == 0 || !tokens.contains { $0.isWord("SELECT") }
    }

    /// Adds what a parse of the tokens from `first` on came to grief about; the search goes on behind that place.
    private mutating func note(_ parser: Parser, from first: Int) {
        guard let expectations = parser.text.expectations else { return }
        let diagnosis = Diagnosis(tokens, from: first, expectations)
        let finding = diagnosis.finding
        if diagnostics.isEmpty { kind = finding.kind }
        // What goes wrong right behind a mistake mostly is its consequence.
        let isConsequence = lastMistake.map { diagnosis.index <= $0 + 1 } ?? false
        if !isConsequence { diagnostics.append(finding.diagnostic) }
        lastMistake = diagnosis.index
        index = max(diagnosis.index, index)
        if index < tokens.count { depth = tokens[index].depth }
    }

    private mutating func search() {
        while index < tokens.count, diagnostics.count < Recovery.limit {
            let token = tokens[index]
            let entry = token.depth <= depth ? entry(at: index) : nil
            depth = min(depth, token.depth)
            index += 1
            guard let entry else { continue }
            let isComma = token.isSymbol(",")
            guard !isComma || index < tokens.count else { return }
            resume(entry, at: isComma ? tokens[index].range.start : token.range.start, isNested: isInSubquery(index - 1))
        }
    }

    /// From where on, and with what, the parse can be taken up again.
    enum Entry {
        case results, keys, orderings
        case clauses(Parser.Clause)
        /// The items in a pair of brackets, up to the closing one.
        case items(closing: StaticString)
        case members
    }

    private func bracket(around index: Int) -> Int? {
        tokens[..<index].lastIndex { $0.depth == tokens[index].depth - 1 && $0.isSymbol("(", "[", "{") }
    }

    /// A clause in other brackets means that these should have been closed.
    private func isInSubquery(_ index: Int) -> Bool {
        bracket(around: index).map { tokens[$0 + 1].isWord("SELECT") } ?? false
    }

    private func entry(at index: Int) -> Entry? {
        let token = tokens[index]
        if token.isSymbol(",") {
            if let bracket = bracket(around: index), !isInSubquery(index) {
                return tokens[bracket].isSymbol("{") ? .members : .items(closing: tokens[bracket].isSymbol("(") ? ")" : "]")
            }
            switch tokens[..<index].last(where: { $0.depth == token.depth && Diagnosis.clauses.contains($0.word) })?.word {
            case "SELECT": return .results
            case "GROUP": return .keys
            case "ORDER": return .orderings
            default: return nil
            }
        }
        switch token.word {
        case "FROM": return .clauses(.from)
        case "WHERE": return .clauses(.where)
        case "GROUP": return .clauses(.group)
        case "HAVING": return .clauses(.having)
        case "ORDER": return .clauses(.order)
        case "LIMIT", "OFFSET": return .clauses(.limit)
        default: return nil
        }
    }

    private mutating func resume(_ entry: Entry, at position: Int, isNested: Bool) {
        var parser = Parser(source, at: position, explaining: true)
        let first = tokens.firstIndex { $0.range.start >= position } ?? tokens.count
        if parser.takesUp(entry, isNested: isNested) {
            index = tokens.firstIndex { $0.range.start >= parser.text.position } ?? tokens.count
        } else if parser.limitError == nil {
            note(parser, from: first)
        }
    }
}

extension Parser {
    /// Parses from an entry to the end of the query or before the closing bracket.
    mutating func takesUp(_ entry: Recovery.Entry, isNested: Bool) -> Bool {
        var rest = Select()
        switch entry {
        case .results:
            guard results() != nil else { return false }
            parseClauses(from: .from, into: &rest)
        case .keys:
            guard let keys = expressions() else { return false }
            rest.groupBy = keys
            parseClauses(from: .having, into: &rest)
        case .orderings:
            guard orderings() != nil else { return false }
            parseClauses(from: .limit, into: &rest)
        case .clauses(let clause):
            parseClauses(from: clause, into: &rest)
        case .items(let closing):
            guard expressions() != nil else { return false }
            text.skipBlanks()
            return text.skip(closing)
        case .members:
            repeat {
                guard dictionaryMember() != nil else { return false }
            } while comma()
            return text.skip("}")
        }
        text.skipBlanks()
        if isNested { return text.skip(")") }
        if text.skip(";") { text.skipBlanks() }
        return isAtEnd()
    }
}
