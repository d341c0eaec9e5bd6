/// Rewrites an ECMAScript pattern as it is read with the flag `u` into one of ICU.
///
/// Where the two differ: what `\d`, `\w`, `\s`, `.`, `^` and `$` mean, what is special within brackets, and what only one of them knows.
struct UnicodeRegexTranslation {
    private let scalars: [Unicode.Scalar]
    private let pattern: String
    private var position = 0
    private(set) var units: [UInt16] = []
    // Whether there is something that a quantifier can stand behind.
    private var canRepeat = false

    init(_ bytes: UnsafeRawBufferPointer) throws(RegexTranslation.Failure) {
        pattern = String(decoding: bytes, as: UTF8.self)
        scalars = Array(pattern.unicodeScalars)
        while let scalar = take() { try translate(scalar) }
        // ICU knows no empty pattern, which matches anywhere.
        if units.isEmpty { emit("(?:)") }
    }

    private mutating func translate(_ scalar: Unicode.Scalar) throws(RegexTranslation.Failure) {
        switch scalar {
        case ".": atom("[^\\n\\r\\u2028\\u2029]")
        case "^": assertion("\\A")
        case "$": assertion("\\z")
        case "|": assertion("|")
        case "(": try group()
        case ")": atom(")")
        case "[": try set()
        case "*", "+", "?": try quantifier(String(Character(scalar)))
        case "{": try braces()
        case "\\": try escape()
        default: literal(scalar)
        }
    }

    private mutating func take() -> Unicode.Scalar? {
        guard position < scalars.count else { return nil }
        defer { position += 1 }
        return scalars[position]
    }

    private mutating func take(if wanted: Unicode.Scalar) -> Bool {
        guard position < scalars.count, scalars[position] == wanted else { return false }
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

    private mutating func literal(_ scalar: Unicode.Scalar) { atom(Self.code(scalar)) }

    /// A character so that it means nothing else to ICU.
    private static func code(_ scalar: Unicode.Scalar) -> String {
        let isWord = scalar.value < 0x80 && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
        if isWord { return String(Character(scalar)) }
        let digits = String(scalar.value, radix: 16)
        return "\\x{" + digits + "}"
    }

    private mutating func group() throws(RegexTranslation.Failure) {
        guard take(if: "?") else { return assertion("(") }
        switch take() {
        case ":": assertion("(?:")
        case "=": assertion("(?=")
        case "!": assertion("(?!")
        case "<":
            if take(if: "=") { return assertion("(?<=") }
            if take(if: "!") { return assertion("(?<!") }
            assertion("(?<\(try groupName())>")
        default: throw failure("unknown kind of group")
        }
    }

    private mutating func groupName() throws(RegexTranslation.Failure) -> String {
        var name = ""
        while let scalar = take(), scalar != ">" {
            guard scalar.value < 0x80, scalar.properties.isAlphabetic || !name.isEmpty && scalar.properties.numericType != nil else {
                throw failure("the name of a group consists of letters and digits")
            }
            name.unicodeScalars.append(scalar)
        }
        guard !name.isEmpty, scalars[position - 1] == ">" else { throw failure("the name of a group is missing") }
        return name
    }

    private mutating func quantifier(_ text: String) throws(RegexTranslation.Failure) {
        guard canRepeat else { throw failure("nothing to repeat") }
        emit(text)
        if take(if: "?") { emit("?") }
        canRepeat = false
    }

    private mutating func braces() throws(RegexTranslation.Failure) {
        let start = position
        var text = "{"
        while let scalar = take(), scalar.value < 0x80, scalar.properties.numericType != nil || scalar == "," || scalar == "}" {
            text.unicodeScalars.append(scalar)
            guard scalar == "}" else { continue }
            let numbers = text.dropFirst().dropLast().split(separator: ",", omittingEmptySubsequences: false)
            guard numbers.count <= 2, numbers[0].count > 0, numbers.allSatisfy({ $0.count <= 6 }) else { break }
            return try quantifier(text)
        }
        // Older patterns have braces that count nothing, and mean themselves.
        position = start
        literal("{")
    }

    private mutating func escape() throws(RegexTranslation.Failure) {
        guard let scalar = take() else { throw failure("nothing follows the \"\\\"") }
        switch scalar {
        case "b": assertion("(?:(?<=[\(Self.word)])(?![\(Self.word)])|(?<![\(Self.word)])(?=[\(Self.word)]))")
        case "B": assertion("(?:(?<=[\(Self.word)])(?=[\(Self.word)])|(?<![\(Self.word)])(?![\(Self.word)]))")
        case "1"..."9": atom("\\" + String(Character(scalar)))
        case "k":
            guard take(if: "<") else { throw failure("a group's name is missing behind \\k") }
            atom("\\k<\(try groupName())>")
        default:
            if let members = try shorthand(scalar) { return atom("[\(members)]") }
            literal(try character(after: scalar))
        }
    }

    private static let word = "0-9A-Za-z_"
    private static let blank =
        "\\u0009-\\u000d\\u0020\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff"

    /// The members of a class of characters.
    private mutating func shorthand(_ scalar: Unicode.Scalar) throws(RegexTranslation.Failure) -> String? {
        switch scalar {
        case "d": return "0-9"
        case "D": return "[^0-9]"
        case "w": return Self.word
        case "W": return "[^\(Self.word)]"
        case "s": return Self.blank
        case "S": return "[^\(Self.blank)]"
        case "p", "P":
            guard take(if: "{") else { throw failure("a property's name is missing behind \\\(scalar)") }
            var name = ""
            while let next = take(), next != "}" {
                guard next.value < 0x80, next.properties.isAlphabetic || next.properties.numericType != nil || next == "_" || next == "="
                else {
                    throw failure("a bad name of a property")
                }
                name.unicodeScalars.append(next)
            }
            guard scalars[position - 1] == "}", !name.isEmpty else { throw failure("a property without end") }
            return "\\\(scalar){\(name)}"
        default: return nil
        }
    }

    /// The character that an escape stands for.
    private mutating func character(after scalar: Unicode.Scalar) throws(RegexTranslation.Failure) -> Unicode.Scalar {
        switch scalar {
        case "0": return "\0"
        case "f": return "\u{C}"
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "v": return "\u{B}"
        case "c":
            guard let letter = take(), letter.value < 0x80, letter.properties.isAlphabetic else { throw failure("a bad control character") }
            return Unicode.Scalar(UInt8(letter.value & 0x1F))
        case "x": return try scalarOf(hexadecimal(2))
        case "u": return try unicodeEscape()
        default:
            let isWord = scalar.properties.isAlphabetic || scalar.properties.numericType != nil
            guard !isWord else { throw failure("unknown escape \"\\\(scalar)\"") }
            return scalar
        }
    }

    private mutating func unicodeEscape() throws(RegexTranslation.Failure) -> Unicode.Scalar {
        if take(if: "{") {
            var value: UInt32 = 0
            while let scalar = take(), scalar != "}" {
                guard let digit = Character(scalar).hexDigitValue, value < 0x11_0000 else { throw failure("a bad character code") }
                value = value * 16 + UInt32(digit)
            }
            guard scalars[position - 1] == "}" else { throw failure("a bad character code") }
            return try scalarOf(value)
        }
        let first = try hexadecimal(4)
        guard (0xD800...0xDBFF).contains(first), position + 1 < scalars.count, scalars[position] == "\\", scalars[position + 1] == "u"
        else {
            return try scalarOf(first)
        }
        position += 2
        let second = try hexadecimal(4)
        guard (0xDC00...0xDFFF).contains(second) else { throw failure("a bad character code") }
        return try scalarOf(0x1_0000 + (first - 0xD800) << 10 + (second - 0xDC00))
    }

    private func scalarOf(_ value: UInt32) throws(RegexTranslation.Failure) -> Unicode.Scalar {
        guard let scalar = Unicode.Scalar(value) else { throw failure("a bad character code") }
        return scalar
    }

    private mutating func hexadecimal(_ digits: Int) throws(RegexTranslation.Failure) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<digits {
            guard let scalar = take(), scalar.value < 0x80, let digit = Character(scalar).hexDigitValue else {
                throw failure("a bad character code")
            }
            value = value * 16 + UInt32(digit)
        }
        return value
    }

    private mutating func set() throws(RegexTranslation.Failure) {
        let isNegated = take(if: "^")
        var members = ""
        while true {
            guard let scalar = take() else { throw failure("a \"[\" without \"]\"") }
            if scalar == "]" { break }
            guard let low = try member(scalar, &members) else { continue }
            // A range, unless the hyphen is the last member.
            let isRange = position + 1 < scalars.count && scalars[position] == "-" && scalars[position + 1] != "]"
            guard isRange else {
                members += Self.code(low)
                continue
            }
            position += 1
            var ignored = ""
            guard let next = take(), let high = try member(next, &ignored) else { throw failure("a bad range") }
            guard low <= high else { throw failure("a range out of order") }
            members += Self.code(low) + "-" + Self.code(high)
        }
        if members.isEmpty { return atom(isNegated ? "[\\u0000-\\U0010ffff]" : "(?!)") }
        atom((isNegated ? "[^" : "[") + members + "]")
    }

    /// A character of a set; nil for a class of characters, which is then among the members.
    private mutating func member(_ scalar: Unicode.Scalar, _ members: inout String) throws(RegexTranslation.Failure) -> Unicode.Scalar? {
        guard scalar == "\\" else { return scalar }
        guard let escaped = take() else { throw failure("nothing follows the \"\\\"") }
        if escaped == "b" { return "\u{8}" }
        guard let known = try shorthand(escaped) else { return try character(after: escaped) }
        members += known
        return nil
    }

    private func failure(_ reason: String) -> RegexTranslation.Failure {
        RegexTranslation.Failure(message: "invalid regular expression \"\(pattern)\": \(reason)")
    }
}
