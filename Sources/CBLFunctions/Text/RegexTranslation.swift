/// Rewrites an ECMAScript pattern over bytes, as the vendor's library takes them, into one of ICU over UTF-16.
///
/// A byte is one unit. Bytes outside of ASCII become private-use characters, so that they are no letters, digits or blanks to either. What
/// ICU would understand beyond ECMAScript (look-behind, flags, properties, possessive quantifiers, …) is refused.
struct RegexTranslation {
    struct Failure: Error {
        let message: String
    }

    private let pattern: UnsafeRawBufferPointer
    private var position = 0
    private(set) var units: [UInt16] = []
    // Whether there is something that a quantifier can stand behind.
    private var canRepeat = false

    init(_ pattern: UnsafeRawBufferPointer) throws(Failure) {
        self.pattern = pattern
        units.reserveCapacity(pattern.count * 2)
        try translate()
        // ICU knows no empty pattern, which matches anywhere.
        if units.isEmpty { emit("(?:)") }
    }

    /// The unit that stands for a byte.
    @inline(__always)
    static func unit(_ byte: UInt8) -> UInt16 { byte < 0x80 ? UInt16(byte) : 0xE000 + UInt16(byte) }

    private mutating func translate() throws(Failure) {
        while let byte = take() {
            switch byte {
            case UInt8(ascii: "."): atom("[^\\n\\r]")
            case UInt8(ascii: "^"): assertion("\\A")
            case UInt8(ascii: "$"): assertion("\\z")
            case UInt8(ascii: "|"): assertion("|")
            case UInt8(ascii: "("): try group()
            case UInt8(ascii: ")"): atom(")")
            case UInt8(ascii: "["): try set()
            case UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "?"): try quantifier([byte])
            case UInt8(ascii: "{"): try quantifier(braces())
            case UInt8(ascii: "\\"): try escape()
            default: literal(byte)
            }
        }
    }

    private mutating func take() -> UInt8? {
        guard position < pattern.count else { return nil }
        defer { position += 1 }
        return pattern[position]
    }

    private mutating func take(if wanted: UInt8) -> Bool {
        guard position < pattern.count, pattern[position] == wanted else { return false }
        position += 1
        return true
    }

    private mutating func emit(_ text: String) { units.append(contentsOf: text.utf16) }

    private mutating func atom(_ text: String) {
        emit(text)
        canRepeat = true
    }

    private mutating func assertion(_ text: String) {
        emit(text)
        canRepeat = false
    }

    private mutating func literal(_ byte: UInt8) {
        emitLiteral(byte)
        canRepeat = true
    }

    // Punctuation may mean something to ICU; letters must not be escaped.
    private mutating func emitLiteral(_ byte: UInt8) {
        let isWord = (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        if byte > 0x20 && byte < 0x7F && !isWord { units.append(UInt16(UInt8(ascii: "\\"))) }
        units.append(RegexTranslation.unit(byte))
    }

    private mutating func group() throws(Failure) {
        guard take(if: UInt8(ascii: "?")) else { return assertion("(") }
        switch take() {
        case UInt8(ascii: ":"): assertion("(?:")
        case UInt8(ascii: "="): assertion("(?=")
        case UInt8(ascii: "!"): assertion("(?!")
        default: throw failure("unknown kind of group")
        }
    }

    private mutating func quantifier(_ bytes: [UInt8]) throws(Failure) {
        guard canRepeat else { throw failure("nothing to repeat") }
        for byte in bytes { units.append(UInt16(byte)) }
        if take(if: UInt8(ascii: "?")) { emit("?") }
        canRepeat = false
    }

    private mutating func braces() throws(Failure) -> [UInt8] {
        var bytes = [UInt8(ascii: "{")]
        while let byte = take() {
            bytes.append(byte)
            if byte == UInt8(ascii: "}") { break }
        }
        let inner = bytes.dropFirst().dropLast()
        let numbers = inner.split(separator: UInt8(ascii: ","), maxSplits: 1, omittingEmptySubsequences: false)
        let areDigits = numbers.allSatisfy { $0.allSatisfy { (0x30...0x39).contains($0) } && $0.count <= 6 }
        guard bytes.last == UInt8(ascii: "}"), areDigits, let first = numbers.first, !first.isEmpty else {
            throw failure("a bad repetition count")
        }
        return bytes
    }

    private mutating func escape() throws(Failure) {
        guard let byte = take() else { throw failure("nothing follows the \"\\\"") }
        switch byte {
        case UInt8(ascii: "b"): assertion("\\b")
        case UInt8(ascii: "B"): assertion("\\B")
        case UInt8(ascii: "1")...UInt8(ascii: "9"):
            units.append(contentsOf: [UInt16(UInt8(ascii: "\\")), UInt16(byte)])
            canRepeat = true
        default:
            if let name = RegexTranslation.shorthand(byte) { return atom("[\(name)]") }
            literal(try character(after: byte))
        }
    }

    /// The members of `\d`, `\w` and `\s`, and of their opposites.
    private static func shorthand(_ byte: UInt8) -> String? {
        switch byte {
        case UInt8(ascii: "d"): "0-9"
        case UInt8(ascii: "D"): "[^0-9]"
        case UInt8(ascii: "w"): "0-9A-Za-z_"
        case UInt8(ascii: "W"): "[^0-9A-Za-z_]"
        case UInt8(ascii: "s"): "\\u0009-\\u000d\\u0020"
        case UInt8(ascii: "S"): "[^\\u0009-\\u000d\\u0020]"
        default: nil
        }
    }

    /// The character that an escape stands for.
    private mutating func character(after byte: UInt8) throws(Failure) -> UInt8 {
        switch byte {
        case UInt8(ascii: "0"): return 0
        case UInt8(ascii: "f"): return 0x0C
        case UInt8(ascii: "n"): return 0x0A
        case UInt8(ascii: "r"): return 0x0D
        case UInt8(ascii: "t"): return 0x09
        case UInt8(ascii: "v"): return 0x0B
        case UInt8(ascii: "c"):
            guard let letter = take(), (0x41...0x5A).contains(letter & 0xDF) else { throw failure("a bad control character") }
            return letter & 0x1F
        case UInt8(ascii: "x"): return try hexadecimal(2)
        case UInt8(ascii: "u"): return try hexadecimal(4)
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "1")...UInt8(ascii: "9"):
            throw failure("unknown escape \"\\\(Unicode.Scalar(byte))\"")
        default: return byte
        }
    }

    private mutating func hexadecimal(_ digits: Int) throws(Failure) -> UInt8 {
        var value = 0
        for _ in 0..<digits {
            guard let byte = take(), let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw failure("a bad character code")
            }
            value = value * 16 + digit
        }
        guard let byte = UInt8(exactly: value) else { throw failure("a character code of more than one byte") }
        return byte
    }

    private mutating func set() throws(Failure) {
        let isNegated = take(if: UInt8(ascii: "^"))
        var members = ""
        while true {
            guard let byte = take() else { throw failure("a \"[\" without \"]\"") }
            if byte == UInt8(ascii: "]") { break }
            guard let low = try member(byte, &members) else { continue }
            // A range, unless the hyphen is the last member.
            let isRange =
                position + 1 < pattern.count && pattern[position] == UInt8(ascii: "-") && pattern[position + 1] != UInt8(ascii: "]")
            guard isRange else {
                members += code(low)
                continue
            }
            position += 1
            var ignored = ""
            guard let next = take(), let high = try member(next, &ignored) else { throw failure("a bad range") }
            guard low <= high else { throw failure("a range out of order") }
            members += code(low) + "-" + code(high)
        }
        if members.isEmpty { return atom(isNegated ? "[\\u0000-\\uffff]" : "(?!)") }
        atom((isNegated ? "[^" : "[") + members + "]")
    }

    /// A character of a set; nil for a class of characters, which is then among the members.
    private mutating func member(_ byte: UInt8, _ members: inout String) throws(Failure) -> UInt8? {
        if byte == UInt8(ascii: "\\") {
            guard let escaped = take() else { throw failure("nothing follows the \"\\\"") }
            if escaped == UInt8(ascii: "b") { return 8 }
            guard let name = RegexTranslation.shorthand(escaped) else { return try character(after: escaped) }
            members += name
            return nil
        }
        guard byte == UInt8(ascii: "["), position < pattern.count, ":.=".utf8.contains(pattern[position]) else { return byte }
        let kind = pattern[position]
        let rest = pattern[(position + 1)...]
        guard let end = rest.firstIndex(of: kind), end + 1 < pattern.count, pattern[end + 1] == UInt8(ascii: "]") else {
            throw failure("a bad character class")
        }
        let name = rest[..<end]
        position = end + 2
        if kind != UInt8(ascii: ":") {
            guard name.count == 1, let only = name.first else { throw failure("a bad character class") }
            return only
        }
        guard let ranges = RegexTranslation.classes[String(decoding: name, as: UTF8.self)] else {
            throw failure("an unknown character class")
        }
        members += ranges
        return nil
    }

    private static let classes = [
        "alnum": "0-9A-Za-z", "alpha": "A-Za-z", "blank": "\\u0009\\u0020", "cntrl": "\\u0000-\\u001f\\u007f", "digit": "0-9", "d": "0-9",
        "graph": "\\u0021-\\u007e", "lower": "a-z", "print": "\\u0020-\\u007e",
        "punct": "\\u0021-\\u002f\\u003a-\\u0040\\u005b-\\u0060\\u007b-\\u007e", "space": "\\u0009-\\u000d\\u0020",
        "s": "\\u0009-\\u000d\\u0020", "upper": "A-Z", "w": "0-9A-Za-z_", "xdigit": "0-9A-Fa-f",
    ]

    private func code(_ byte: UInt8) -> String {
        let digits = String(RegexTranslation.unit(byte), radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
    }

    private func failure(_ reason: String) -> Failure {
        Failure(message: "invalid regular expression \"\(String(decoding: pattern, as: UTF8.self))\": \(reason)")
    }
}
