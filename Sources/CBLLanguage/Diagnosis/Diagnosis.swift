/// What is wrong at a place where the parse did not go on: judged by the tokens around it, by what the grammar expected, and by what
/// people mean who write this.
struct Diagnosis {
    typealias Finding = (kind: QueryError.Kind, diagnostic: QueryError.Diagnostic)

    let tokens: [ReportedToken]
    /// The first token of what was parsed.
    let first: Int
    /// Of the token that was found at the place; the number of tokens if there is none.
    let index: Int
    let expectations: Expectations
    /// Not a query.
    let isStatement: Bool

    init(_ tokens: [ReportedToken], from first: Int, _ expectations: Expectations, isStatement: Bool = false) {
        self.tokens = tokens
        self.first = first
        self.expectations = expectations
        self.isStatement = isStatement
        index = tokens.firstIndex { $0.range.end > expectations.place } ?? tokens.count
    }

    /// The token that was found; nil at the end of the text.
    var found: ReportedToken? { token(0) }

    /// A token before or behind the one that was found.
    func token(_ distance: Int) -> ReportedToken? {
        tokens.indices.contains(index + distance) ? tokens[index + distance] : nil
    }

    /// The nearest sensible explanation.
    var finding: Finding {
        empty ?? unclosed ?? foreignSymbol ?? foreignStatement ?? subquery ?? membership ?? comprehension ?? foreignWord ?? unknownFunction
            ?? misplacedBlank ?? clauseOrder ?? misplacedComma ?? misspelling ?? wrongName ?? wrongSubscript ?? wrongCollation
            ?? chainedComparison
            ?? wrongKey ?? plain
    }

    func syntax(_ message: String, _ range: SourceRange) -> Finding { (.syntax, QueryError.Diagnostic(message, range: range)) }

    /// Something of Couchbase Server's that is missing here.
    func unsupported(_ construct: String, _ advice: String? = nil, _ range: SourceRange) -> Finding {
        let message = "\(construct) is not part of SQL++ for Mobile" + (advice.map { ": " + $0 } ?? "")
        return (.unsupported, QueryError.Diagnostic(message, range: range))
    }

    // The general case

    private var plain: Finding {
        if let found, found.kind == .malformedNumber {
            return syntax("\"\(Diagnosis.shortened(found.text))\" is not a number", found.range)
        }
        let isCollection = expectations.isName && token(-1)?.isWord("FROM", "JOIN") == true
        var message = "expected \(isCollection ? "the name of a collection" : expectations.text), found \(foundText)"
        if found == nil, let opened = openBracket {
            message += " (the \"\(opened.text)\" before \"\(text(after: opened))\" is not closed)"
        }
        if let found, found.isReserved, expectations.contains(.expression) || expectations.isName, isMeantAsName {
            message += " (\(found.word) is a reserved word: as a name it stands in backquotes)"
        }
        return syntax(message, foundRange)
    }

    var foundRange: SourceRange {
        if let found { return found.range }
        let end = tokens.last?.range.end ?? 0
        return SourceRange(end, end)
    }

    private var foundText: String {
        guard let found else { return "the end" }
        if found.kind == .string { return "the string \(Diagnosis.shortened(found.text))" }
        return "\"\(Diagnosis.shortened(found.text))\""
    }

    static func shortened(_ text: String) -> String { text.count > 24 ? text.prefix(20) + "…" : text }

    /// The innermost bracket that is not closed before the place.
    private var openBracket: ReportedToken? {
        guard expectations.contains(")") || expectations.contains("]") || expectations.contains("}") else { return nil }
        var open: [ReportedToken] = []
        for token in tokens[..<index] {
            if token.isSymbol("(", "[", "{") { open.append(token) }
            if token.isSymbol(")", "]", "}") { _ = open.popLast() }
        }
        return open.last
    }

    private func text(after token: ReportedToken) -> String {
        tokens.first { $0.range.start >= token.range.end }.map { Diagnosis.shortened($0.text) } ?? ""
    }

    /// A reserved word before what can only follow a name.
    private var isMeantAsName: Bool {
        guard let next = token(1) else { return true }
        if !expectations.contains(.expression), token(-1)?.isSymbol(".") == true || !next.beginsOperand { return true }
        return next.isWord("AS") || next.isWord("FROM") && found?.word != "FROM"
            || next.isSymbol(",", ".", "=", "==", "!=", "<>", "<", ">", "<=", ">=", ")", "]", "/", "%", "||")
    }

    private var empty: Finding? {
        tokens.isEmpty ? syntax("there is no query", SourceRange(0, 0)) : nil
    }

    private var unclosed: Finding? {
        for case .closingQuote(let quote, let opened) in expectations.list {
            let what = quote == UInt8(ascii: "`") ? "name in backquotes" : "string"
            return syntax("this \(what) is not closed", SourceRange(opened, opened + 1))
        }
        guard let found, let before = token(-1), before.range.end == found.range.start else { return nil }
        // 'it's': the first string ends too early.
        let hint = "a quote within a string is doubled: 'it''s'"
        if before.kind == .string, found.isAnyWord || found.kind == .string || found.isUnclosed { return syntax(hint, before.range) }
        if found.isUnclosed, let string = token(-2), string.kind == .string, string.range.end == before.range.start {
            return syntax(hint, string.range)
        }
        return nil
    }
}
