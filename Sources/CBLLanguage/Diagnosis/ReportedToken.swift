/// A token as error messages speak of it: with its text, and how deep in brackets it stands.
struct ReportedToken {
    var kind: Lexer.Kind
    var range: SourceRange
    var text: String
    /// The text in capitals if this is a word, else empty.
    var word: String
    /// In how many brackets this stands; a bracket itself stands outside of what it opens or closes.
    var depth = 0

    init(_ token: Lexer.Token, _ text: String) {
        kind = token.kind
        range = SourceRange(token.start, token.end)
        self.text = text
        word = token.kind == .word || token.kind == .foreignWord ? text.uppercased() : ""
    }

    func isSymbol(_ symbols: String...) -> Bool { kind == .symbol && symbols.contains(text) }
    func isWord(_ words: String...) -> Bool { kind == .word && words.contains(word) }

    var isReserved: Bool { kind == .word && Keyword.reserved.contains(word.lowercased()) }
    var isUnclosed: Bool { kind == .openString || kind == .openName }
    /// Letters beyond ASCII are those of a word to a reader, though the language wants such a name in backquotes.
    var isAnyWord: Bool { kind == .word || kind == .foreignWord }
    var isNumber: Bool { kind == .number || kind == .malformedNumber }
    var isName: Bool { kind == .quotedName || isAnyWord && !isReserved }

    /// Whether an operand may end here, so that a name behind it is an alias.
    var endsOperand: Bool {
        switch kind {
        case .string, .quotedName, .number, .malformedNumber, .parameter, .foreignWord: true
        case .symbol: isSymbol(")", "]", "}", "*")
        case .word: !isReserved || isWord("END", "TRUE", "FALSE", "NULL", "MISSING", "VALUED")
        case .openString, .openName, .foreign, .blank: false
        }
    }

    /// Whether an operand may begin here.
    var beginsOperand: Bool {
        switch kind {
        case .string, .quotedName, .number, .malformedNumber, .parameter, .foreignWord, .openString, .openName: true
        case .symbol: isSymbol("(", "[", "{", "*", "-", "+")
        case .word: !isReserved || isWord("CASE", "ANY", "EVERY", "NOT", "TRUE", "FALSE", "NULL", "MISSING")
        case .foreign, .blank: false
        }
    }
}

extension ReportedToken {
    /// What a text begins with.
    static func first(of text: String) -> ReportedToken? {
        var lexer = Lexer(Array(text.utf8))
        return next(&lexer)
    }

    private static func next(_ lexer: inout Lexer) -> ReportedToken? {
        guard var token = lexer.nextSolid() else { return nil }
        if beginsComment(token, lexer.bytes) {
            token.end += 1
            lexer.position = token.end
        }
        return ReportedToken(token, lexer.text(token.start..<token.end))
    }

    /// All tokens of a text but the blanks.
    static func tokens(of bytes: [UInt8]) -> [ReportedToken] {
        var lexer = Lexer(bytes)
        var tokens: [ReportedToken] = []
        var depth = 0
        while var token = next(&lexer) {
            if token.isSymbol(")", "]", "}"), depth > 0 { depth -= 1 }
            token.depth = depth
            if token.isSymbol("(", "[", "{") { depth += 1 }
            tokens.append(token)
        }
        return tokens
    }

    // The language has no comments, and `a--5` is a subtraction; but who writes `--` or `/*` where it is wrong mostly means one.
    private static func beginsComment(_ token: Lexer.Token, _ bytes: [UInt8]) -> Bool {
        guard token.kind == .symbol, token.end == token.start + 1, token.end < bytes.count else { return false }
        switch (Unicode.Scalar(bytes[token.start]), Unicode.Scalar(bytes[token.end])) {
        case ("-", "-"), ("/", "*"), ("*", "/"): return true
        default: return false
        }
    }
}
