import CBLFunctions

/// Whether SQL that came from elsewhere is an expression as indexes have them: values, operators, and the columns and functions known here.
/// Nothing in it can be a statement, a query, a comment or a parameter.
enum ExpressionCheck {
    private static let words: Set<String> = [
        "AND", "OR", "NOT", "not", "IS", "NULL", "null", "IN", "LIKE", "BETWEEN", "ESCAPE", "CASE", "WHEN", "THEN", "ELSE", "END", "key",
        "sequence",
        "flags",
        "version", "body", "expiration", "extra", "rowid", "new", "old",
    ]

    private static let functions: Set<String> = [
        "IN", "AND", "OR", "NOT", "WHEN", "THEN", "ELSE", "CASE", "BETWEEN", "LIKE", "IS", "array_of", "dict_of", "coalesce", "max", "min",
        "nullif",
        "ifnull", "array_agg", "array_avg", "array_contains", "array_count", "array_ifnull", "array_length", "array_max", "array_min",
        "array_sum", "ifmissingornull", "missingif", "concat", "contains", "regexp_contains", "regexp_like", "regexp_position",
        "regexp_replace", "isarray", "isatom", "isboolean", "isnumber", "isobject", "isstring", "isvalued", "type", "toarray", "toatom",
        "toboolean", "tonumber", "toobject", "tostring", "abs", "acos", "asin", "atan", "atan2", "ceil", "cos", "degrees", "e", "exp",
        "floor",
        "ln", "log", "pi", "power", "radians", "round", "round_even", "sign", "sin", "sqrt", "tan", "trunc", "div", "idiv", "millis_to_str",
        "millis_to_utc", "millis_to_tz", "str_to_millis", "str_to_utc", "str_to_tz", "date_add_millis", "date_add_str", "date_diff_millis",
        "date_diff_str",
    ]

    static func isSafe(_ text: Substring) -> Bool {
        var scanner = SyntaxScanner(text.utf8)
        return scanner.run(mayBeList: false, stopsAtParenthesis: false) && scanner.place == text.endIndex && !text.isEmpty
    }

    /// The same for expressions with commas between them.
    static func isSafeList(_ text: String) -> Bool {
        var scanner = SyntaxScanner(text[...].utf8)
        return scanner.run(mayBeList: true, stopsAtParenthesis: false) && scanner.place == text.endIndex && !text.isEmpty
    }

    /// The place of the parenthesis that ends a list of expressions; nil if they are not safe.
    static func end(ofListIn text: Substring) -> Substring.Index? {
        var scanner = SyntaxScanner(text.utf8)
        guard scanner.run(mayBeList: true, stopsAtParenthesis: true), scanner.place < text.endIndex, scanner.place > text.startIndex else {
            return nil
        }
        return scanner.place
    }

    /// An expression about the row `new` of a trigger as one about `old`, or the other way round. What is in quotes stays.
    static func replacing(row: String, by other: String, in text: String) -> String {
        let row = Array((row + ".").utf8)
        var result: [UInt8] = []
        var quote: UInt8?
        var rest = Array(text.utf8)[...]
        while let byte = rest.first {
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
                quote = byte
            } else if rest.starts(with: row), !(result.last.map(isWord) ?? false) {
                result += "\(other).".utf8
                rest = rest.dropFirst(row.count)
                continue
            }
            result.append(byte)
            rest = rest.dropFirst()
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The names of the functions that SQL calls, in the order of the text.
    static func calls(in text: String) -> [String] {
        var calls: [String] = []
        var word: [UInt8] = []
        var quote: UInt8?
        for byte in text.utf8 {
            if let open = quote {
                if byte == open { quote = nil }
            } else if isWord(byte) {
                word.append(byte)
                continue
            } else if byte == UInt8(ascii: "("), !word.isEmpty {
                calls.append(String(decoding: word, as: UTF8.self))
            } else if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
                quote = byte
            }
            word.removeAll(keepingCapacity: true)
        }
        return calls
    }

    private static func isWord(_ byte: UInt8) -> Bool { SchemaText.isWord(byte) }

    private struct SyntaxScanner {
        private let text: Substring.UTF8View
        private(set) var place: Substring.Index
        private var depth = 0

        init(_ text: Substring.UTF8View) {
            self.text = text
            place = text.startIndex
        }

        private var byte: UInt8? { place < text.endIndex ? text[place] : nil }

        /// Goes on while all is well. True at the end, or at a parenthesis that closes more than was opened, if that is wanted.
        mutating func run(mayBeList: Bool, stopsAtParenthesis: Bool) -> Bool {
            while let byte {
                switch byte {
                case UInt8(ascii: "'"), UInt8(ascii: "\""):
                    guard skipQuoted(byte) else { return false }
                    continue
                case UInt8(ascii: "("): depth += 1
                case UInt8(ascii: ")"):
                    if depth == 0 { return stopsAtParenthesis }
                    depth -= 1
                case UInt8(ascii: ","):
                    if depth == 0, !mayBeList { return false }
                case UInt8(ascii: "-"):
                    if next() == UInt8(ascii: "-") { return false }
                case UInt8(ascii: "/"):
                    if next() == UInt8(ascii: "*") { return false }
                case UInt8(ascii: " "), UInt8(ascii: "+"), UInt8(ascii: "*"), UInt8(ascii: "%"), UInt8(ascii: "="), UInt8(ascii: "<"),
                    UInt8(ascii: ">"), UInt8(ascii: "!"), UInt8(ascii: "&"), UInt8(ascii: "|"), UInt8(ascii: "."):
                    break
                case _ where ExpressionCheck.isWord(byte):
                    guard takeWord() else { return false }
                    continue
                default: return false
                }
                place = text.index(after: place)
            }
            return depth == 0 && !stopsAtParenthesis
        }

        private func next() -> UInt8? {
            let next = text.index(after: place)
            return next < text.endIndex ? text[next] : nil
        }

        private mutating func skipQuoted(_ quote: UInt8) -> Bool {
            place = text.index(after: place)
            while let byte, byte != quote, byte != 0 { place = text.index(after: place) }
            guard byte == quote else { return false }
            place = text.index(after: place)
            return true
        }

        private mutating func word() -> String {
            let start = place
            while let byte, ExpressionCheck.isWord(byte) { place = text.index(after: place) }
            return String(decoding: text[start..<place], as: UTF8.self)
        }

        private mutating func takeWord() -> Bool {
            let word = word()
            if let first = word.utf8.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) {
                return word.utf8.allSatisfy { ($0 | 0x20) == UInt8(ascii: "e") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            }
            // x'' was null in indexes of 2.x.
            if word == "x" { return text[place...].starts(with: "''".utf8) }
            if word == "COLLATE" {
                guard byte == UInt8(ascii: " ") else { return false }
                place = text.index(after: place)
                return !self.word().isEmpty
            }
            if byte == UInt8(ascii: "(") || (byte == UInt8(ascii: " ") && next() == UInt8(ascii: "(")) {
                return functions.contains(word) || SQLFunctions.names.contains(word)
            }
            return words.contains(word)
        }
    }
}
