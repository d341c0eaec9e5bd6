/// The SQL of an entry of a schema, taken apart word by word: to see that it is one that releases of Couchbase Lite write, and what stands in
/// it. Blanks do not matter, and there are no comments. It works on bytes, since a quote can be part of a longer `Character`.
struct SchemaText {
    private(set) var rest: Substring.UTF8View

    init(_ sql: String) {
        var sql = sql
        sql.makeContiguousUTF8()
        rest = Substring(sql).utf8
    }

    /// Whether nothing is left.
    var isAtEnd: Bool { rest.allSatisfy(SchemaText.isBlank) }

    /// Whether a name in double quotes comes next.
    var isAtQuote: Bool { rest.first { !SchemaText.isBlank($0) } == UInt8(ascii: "\"") }

    /// Takes the words and signs of `template`, or nothing.
    mutating func take(_ template: StaticString) -> Bool {
        let words = UnsafeBufferPointer(start: template.utf8Start, count: template.utf8CodeUnitCount)
        let count = rest.withContiguousStorageIfAvailable { SchemaText.length(of: words, in: $0) } ?? nil
        guard let count else { return false }
        rest = rest.dropFirst(count)
        return true
    }

    /// How many bytes of a text are the words and signs of `template`; nil if it does not begin with them.
    private static func length(of template: UnsafeBufferPointer<UInt8>, in text: UnsafeBufferPointer<UInt8>) -> Int? {
        var (place, length) = (0, 0)
        while place < template.count {
            if isBlank(template[place]) {
                place += 1
                continue
            }
            while length < text.count, isBlank(text[length]) { length += 1 }
            let isInWord = isWord(template[place])
            repeat {
                guard length < text.count, text[length] == template[place] else { return nil }
                place += 1
                length += 1
            } while isInWord && place < template.count && isWord(template[place])
            if isInWord, length < text.count, isWord(text[length]) { return nil }
        }
        return length
    }

    /// Takes a name, bare or in quotes of either kind.
    mutating func takeName() -> String? {
        var rest = rest.drop(while: SchemaText.isBlank)
        guard let first = rest.first else { return nil }
        var name: [UInt8] = []
        if first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") {
            rest = rest.dropFirst()
            while true {
                guard let byte = rest.popFirst() else { return nil }
                if byte == first {
                    guard rest.first == first else { break }
                    rest = rest.dropFirst()
                }
                name.append(byte)
            }
        } else {
            guard SchemaText.isWord(first), !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return nil }
            name = Array(rest.prefix(while: SchemaText.isWord))
            rest = rest.dropFirst(name.count)
        }
        self.rest = rest
        return String(decoding: name, as: UTF8.self)
    }

    mutating func take(name: String) -> Bool {
        let before = self
        if takeName() == name { return true }
        self = before
        return false
    }

    /// Takes names with commas between them.
    mutating func takeNames() -> [String]? {
        var names: [String] = []
        repeat {
            guard let name = takeName() else { return nil }
            names.append(name)
        } while take(",")
        return names
    }

    /// Takes a list of expressions that are safe, up to the parenthesis that ends it.
    mutating func takeExpressions() -> String? {
        let list = Substring(rest.drop(while: SchemaText.isBlank))
        guard let end = ExpressionCheck.end(ofListIn: list) else { return nil }
        rest = list[end...].utf8
        return String(list[..<end])
    }

    /// Takes an expression that is safe, up to a word outside of quotes, or to the end.
    mutating func takeExpression(before word: StaticString? = nil) -> String? {
        let text = rest.drop(while: SchemaText.isBlank)
        var part = SchemaText("")
        part.rest = text
        if let word {
            while true {
                let here = part
                if part.take(word) {
                    part = here
                    break
                }
                guard part.skip() else { return nil }
            }
        } else {
            part.rest = text[text.endIndex...]
        }
        var end = part.rest.startIndex
        while end > text.startIndex, SchemaText.isBlank(text[text.index(before: end)]) { end = text.index(before: end) }
        let expression = Substring(text[..<end])
        guard ExpressionCheck.isSafe(expression) else { return nil }
        rest = part.rest
        return String(expression)
    }

    /// Passes over a name, a word, a text in quotes or a sign.
    mutating func skip() -> Bool {
        rest = rest.drop(while: SchemaText.isBlank)
        guard let first = rest.first else { return false }
        if first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") { return takeName() != nil }
        rest = SchemaText.isWord(first) ? rest.drop(while: SchemaText.isWord) : rest.dropFirst()
        return true
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D }

    static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
