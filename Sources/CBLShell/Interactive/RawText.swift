import CBLLanguage

/// Finds where a query, a piece of SQL or a JSON text ends that stands in a line without quotes round it.
///
/// It is a place in a text that grows, and holds no text itself: what was searched once is not searched again when the next line comes.
struct RawText {
    enum Ending: Equatable {
        /// `;`
        case semicolon
        /// `\G`
        case vertical
        /// `|`, `>` or `>>`; what follows says where to.
        case redirection
        /// The end of a line, outside of quotes and brackets.
        case newline
        /// The end of what there is. Something is still open: a quote, or a bracket.
        case open(UInt8)
    }

    let start: Int
    private(set) var position: Int
    /// JSON has other rules for quotes, and no operators.
    let isJSON: Bool
    private var brackets: [UInt8] = []
    /// The quote that nothing has closed yet.
    private var quote: UInt8?
    /// The last token of SQL++ before the position.
    private var last: Lexer.Token?
    /// How many of the words that an `END` belongs to are waiting for it.
    private var openPhrases = 0

    init(_ bytes: [UInt8], at position: Int) {
        start = position
        self.position = position
        isJSON = position < bytes.count && (bytes[position] == UInt8(ascii: "{") || bytes[position] == UInt8(ascii: "["))
    }

    /// Goes to the next place where the text may end, and leaves the position in front of it. A text that goes on behind the end of a line
    /// is searched further with `passNewline`.
    mutating func findEnding(in bytes: [UInt8]) -> Ending {
        if let quote {
            let isClosed = isJSON ? passJSONQuote(quote, in: bytes) : passQuote(quote, in: bytes)
            guard isClosed else { return .open(quote) }
        }
        return isJSON ? findEndingOfJSON(in: bytes) : findEndingOfStatement(in: bytes)
    }

    mutating func passNewline() { position += 1 }

    private func end() -> Ending { brackets.last.map { .open($0) } ?? .newline }

    // SQL++, and SQLite's SQL, which has the same quotes

    private mutating func findEndingOfStatement(in bytes: [UInt8]) -> Ending {
        var lexer = Lexer(bytes, at: position)
        while let token = lexer.next() {
            position = token.start
            switch token.kind {
            case .blank:
                guard brackets.isEmpty, let newline = bytes[token.start..<token.end].firstIndex(of: UInt8(ascii: "\n")) else { break }
                position = newline
                return .newline
            case .openString, .openName:
                // `$` may stand before the quote.
                quote = bytes[token.start] == UInt8(ascii: "$") ? UInt8(ascii: "`") : bytes[token.start]
                position = bytes.count
                return .open(quote ?? 0)
            case .symbol:
                if let comment = Comment.beginning(at: token.start, in: bytes) {
                    guard !comment.isOpen else { return .open(UInt8(ascii: "/")) }
                    lexer.position = comment.end
                    continue
                }
                if let ending = ending(at: token, bytes) { return ending }
                last = token
            case .word:
                countPhrase(bytes[token.start..<token.end])
                last = token
            default: last = token
            }
        }
        position = bytes.count
        return end()
    }

    private mutating func ending(at token: Lexer.Token, _ bytes: [UInt8]) -> Ending? {
        let byte = bytes[token.start]
        switch byte {
        case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): brackets.append(byte)
        case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): brackets.close(byte)
        case UInt8(ascii: ";"): return .semicolon
        case UInt8(ascii: "\\") where brackets.isEmpty && token.end < bytes.count && bytes[token.end] == UInt8(ascii: "G"): return .vertical
        // Two are an operator.
        case UInt8(ascii: "|") where brackets.isEmpty && token.end == token.start + 1: return .redirection
        default: break
        }
        return nil
    }

    /// Goes on in a text of which all up to the position is in quotes.
    private mutating func passQuote(_ quote: UInt8, in bytes: [UInt8]) -> Bool {
        guard let end = Lexer(bytes).quoteEnd(from: position, quote: quote) else {
            position = bytes.count
            return false
        }
        last = Lexer.Token(kind: quote == UInt8(ascii: "`") ? .quotedName : .string, start: position, end: end)
        position = end
        self.quote = nil
        return true
    }

    private mutating func countPhrase(_ word: ArraySlice<UInt8>) {
        switch word.count {
        case 3 where word.equals("end"): openPhrases = max(0, openPhrases - 1)
        case 3 where word.equals("any"), 4 where word.equals("case"), 5 where word.equals("every"): openPhrases += 1
        default: break
        }
    }

    /// Whether the grammar cannot end here, whatever stands before: behind a comma, an operator, a word like FROM, or in an open CASE.
    func certainlyGoesOn(in bytes: [UInt8]) -> Bool {
        guard let last, !isJSON, openPhrases == 0 else { return openPhrases > 0 }
        switch last.kind {
        case .symbol: return !")]}*".utf8.contains(bytes[last.start])
        case .word: return RawText.leadingWords.contains(String(decoding: bytes[last.start..<last.end], as: UTF8.self).uppercased())
        default: return false
        }
    }

    // No operand and no clause ends with one of these.
    private static let leadingWords: Set<String> = [
        "SELECT", "FROM", "WHERE", "BY", "HAVING", "LIMIT", "OFFSET", "JOIN", "UNNEST", "ON", "AND", "OR", "NOT", "IN", "LIKE", "BETWEEN",
        "WHEN", "THEN", "ELSE", "SATISFIES", "AS",
    ]

    // JSON

    private mutating func findEndingOfJSON(in bytes: [UInt8]) -> Ending {
        while position < bytes.count {
            let byte = bytes[position]
            switch byte {
            case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"):
                position += 1
                guard passJSONQuote(byte, in: bytes) else { return .open(byte) }
                continue
            case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): brackets.append(byte)
            case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): brackets.close(byte)
            case UInt8(ascii: ";"): return .semicolon
            case UInt8(ascii: "\n") where brackets.isEmpty: return .newline
            case UInt8(ascii: "\\") where brackets.isEmpty && position + 1 < bytes.count && bytes[position + 1] == UInt8(ascii: "G"):
                return .vertical
            case UInt8(ascii: "|") where brackets.isEmpty:
                guard position + 1 < bytes.count, bytes[position + 1] == byte else { return .redirection }
                position += 1
            case UInt8(ascii: ">") where brackets.isEmpty: return .redirection
            default: break
            }
            position += 1
        }
        return end()
    }

    private mutating func passJSONQuote(_ quote: UInt8, in bytes: [UInt8]) -> Bool {
        self.quote = quote
        while position < bytes.count {
            let byte = bytes[position]
            position += byte == UInt8(ascii: "\\") ? 2 : 1
            if byte == quote {
                self.quote = nil
                return true
            }
        }
        return false
    }
}

extension ArraySlice<UInt8> {
    /// Whether this is a word that is given in small letters.
    fileprivate func equals(_ word: StaticString) -> Bool {
        elementsEqual(UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)) { $0 | 0x20 == $1 }
    }
}

extension [UInt8] {
    /// A closing bracket closes the last one that is open, if it is of its kind; one that closes nothing is a mistake for others to report.
    fileprivate mutating func close(_ closing: UInt8) {
        let opening: UInt8 =
            switch closing {
            case UInt8(ascii: ")"): UInt8(ascii: "(")
            case UInt8(ascii: "]"): UInt8(ascii: "[")
            default: UInt8(ascii: "{")
            }
        if last == opening { removeLast() }
    }
}
