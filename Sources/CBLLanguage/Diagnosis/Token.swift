/// A piece of a text as a reader sees it, right or wrong: what error messages speak of, and what a script is split by.
struct Token {
    enum Kind {
        case word, number, parameter, symbol
        case string, quotedName
        /// A string or a name in backquotes without an end.
        case unclosed
        /// What has no place in the language: `“`, a no-break space.
        case foreign
    }

    var kind: Kind
    var range: SourceRange
    var text: String
    /// The text in capitals if this is a word, else empty.
    var word: String
    /// In how many brackets this stands; a bracket itself stands outside of what it opens or closes.
    var depth = 0

    init(_ kind: Kind, _ range: SourceRange, _ text: String) {
        self.kind = kind
        self.range = range
        self.text = text
        word = kind == .word ? text.uppercased() : ""
    }

    func isSymbol(_ symbols: String...) -> Bool { kind == .symbol && symbols.contains(text) }
    func isWord(_ words: String...) -> Bool { kind == .word && words.contains(word) }

    /// A reserved word is one before a `$` as well.
    var reservedWord: String? {
        guard kind == .word else { return nil }
        let letters = word.prefix { $0 != "$" }
        return Keyword.reserved.contains(letters.lowercased()) ? String(letters) : nil
    }

    var isReserved: Bool { reservedWord != nil }
    var isName: Bool { kind == .quotedName || kind == .word && !isReserved }

    /// Whether an operand may end here, so that a name behind it is an alias.
    var endsOperand: Bool {
        switch kind {
        case .string, .quotedName, .number, .parameter: true
        case .symbol: isSymbol(")", "]", "}", "*")
        case .word: !isReserved || isWord("END", "TRUE", "FALSE", "NULL", "MISSING", "VALUED")
        case .unclosed, .foreign: false
        }
    }

    /// Whether an operand may begin here.
    var beginsOperand: Bool {
        switch kind {
        case .string, .quotedName, .number, .parameter, .unclosed: true
        case .symbol: isSymbol("(", "[", "{", "*", "-", "+")
        case .word: !isReserved || isWord("CASE", "ANY", "EVERY", "NOT", "TRUE", "FALSE", "NULL", "MISSING")
        case .foreign: false
        }
    }
}

extension Token {
    /// All tokens of a text.
    static func tokens(of bytes: [UInt8]) -> [Token] {
        var reader = Reader(bytes: bytes)
        var tokens: [Token] = []
        var depth = 0
        while var token = reader.next() {
            if token.isSymbol(")", "]", "}"), depth > 0 { depth -= 1 }
            token.depth = depth
            if token.isSymbol("(", "[", "{") { depth += 1 }
            tokens.append(token)
        }
        return tokens
    }

    private struct Reader {
        let bytes: [UInt8]
        var position = 0

        // What a person reads as one symbol, longest first.
        private static let symbols = [
            "===", "==", "=>", "!=", "<>", "<=", "<<", ">=", ">>", "||", "&&", "--", "/*", "*/", "::", ":=", "->", "..",
        ].map { Array($0.utf8) }

        mutating func next() -> Token? {
            while position < bytes.count, SyntaxScanner.isBlank(bytes[position]) { position += 1 }
            guard position < bytes.count else { return nil }
            let start = position
            let kind = pass()
            let text = String(decoding: bytes[start..<position], as: UTF8.self)
            return Token(kind, SourceRange(start, position), text)
        }

        private func byte(_ distance: Int = 0) -> UInt8 { position + distance < bytes.count ? bytes[position + distance] : 0 }

        private mutating func pass() -> Kind {
            switch byte() {
            case UInt8(ascii: "'"), UInt8(ascii: "\""): return passQuoted() ? .string : .unclosed
            case UInt8(ascii: "`"): return passQuoted() ? .quotedName : .unclosed
            case UInt8(ascii: "$"):
                position += 1
                if byte() == UInt8(ascii: "`") { return passQuoted() ? .parameter : .unclosed }
                passWord()
                return .parameter
            case UInt8(ascii: "."):
                guard SyntaxScanner.isDigit(byte(1)) else { return passSymbol() }
                passNumber()
                return .number
            case let byte where SyntaxScanner.isDigit(byte):
                passNumber()
                return .number
            case let byte where SyntaxScanner.isLetter(byte) || byte == UInt8(ascii: "_"):
                passWord()
                return .word
            case 0x21..<0x7F: return passSymbol()
            default:
                if passWord() { return .word }
                position += scalar.length
                return .foreign
            }
        }

        private mutating func passQuoted() -> Bool {
            let quote = byte()
            position += 1
            while position < bytes.count {
                position += 1
                guard bytes[position - 1] == quote else { continue }
                if byte() != quote { return true }
                position += 1
            }
            return false
        }

        private mutating func passSymbol() -> Kind {
            for symbol in Reader.symbols where bytes[position...].starts(with: symbol) {
                position += symbol.count
                return .symbol
            }
            position += 1
            return .symbol
        }

        /// Letters beyond ASCII belong to the word, though the language wants such a name in backquotes.
        @discardableResult
        private mutating func passWord() -> Bool {
            let start = position
            while position < bytes.count {
                if SyntaxScanner.isWordByte(byte()) || byte() == UInt8(ascii: "$") {
                    position += 1
                } else if byte() >= 0x80, scalar.value.properties.isAlphabetic {
                    position += scalar.length
                } else {
                    break
                }
            }
            return position > start
        }

        private mutating func passNumber() {
            while SyntaxScanner.isWordByte(byte()) || byte() == UInt8(ascii: ".") && byte(1) != UInt8(ascii: ".") {
                let isExponent = byte() | 0x20 == UInt8(ascii: "e")
                position += 1
                if isExponent, byte() == UInt8(ascii: "-") || byte() == UInt8(ascii: "+"), SyntaxScanner.isDigit(byte(1)) { position += 1 }
            }
        }

        /// The character here, which is not ASCII.
        private var scalar: (value: Unicode.Scalar, length: Int) {
            var decoder = UTF8()
            var iterator = bytes[position...].prefix(4).makeIterator()
            guard case .scalarValue(let value) = decoder.decode(&iterator) else { return ("\u{FFFD}", 1) }
            return (value, UTF8.width(value))
        }
    }
}
