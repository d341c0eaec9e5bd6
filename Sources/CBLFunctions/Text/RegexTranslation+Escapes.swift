/// What stands behind a backslash, and classes of characters.
extension RegexTranslation {
    mutating func escape() throws(Failure) {
        guard let scalar = take() else { throw failure("nothing follows the \"\\\"") }
        switch scalar {
        case "b": assertion(kind == .bytes ? "\\b" : "(?:(?<=[\(Self.word)])(?![\(Self.word)])|(?<![\(Self.word)])(?=[\(Self.word)]))")
        case "B": assertion(kind == .bytes ? "\\B" : "(?:(?<=[\(Self.word)])(?=[\(Self.word)])|(?<![\(Self.word)])(?![\(Self.word)]))")
        case "1"..."9": atom("\\" + String(scalar))
        case "k" where kind == .characters:
            guard take(if: "<") else { throw failure("a group's name is missing behind \\k") }
            atom("\\k<\(try groupName())>")
        default:
            if let members = try shorthand(scalar) { return atom("[\(members)]") }
            atom(code(try character(after: scalar)))
        }
    }

    private static let word = "0-9A-Za-z_"
    private static let blankByte = "\\u0009-\\u000d\\u0020"
    private static let blankCharacter = "\(blankByte)\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff"

    /// The members of `\d`, `\w` and `\s`, of their opposites, and of properties.
    mutating func shorthand(_ scalar: Unicode.Scalar) throws(Failure) -> String? {
        let blank = kind == .bytes ? Self.blankByte : Self.blankCharacter
        switch scalar {
        case "d": return "0-9"
        case "D": return "[^0-9]"
        case "w": return Self.word
        case "W": return "[^\(Self.word)]"
        case "s": return blank
        case "S": return "[^\(blank)]"
        case "p" where kind == .characters, "P" where kind == .characters:
            guard take(if: "{"), let name = take(upTo: "}", where: { $0.isWord || $0 == "_" || $0 == "=" }), !name.isEmpty else {
                throw failure("a property's name in braces is missing behind \\\(scalar)")
            }
            return "\\\(scalar){\(name)}"
        default: return nil
        }
    }

    /// The character that an escape stands for.
    mutating func character(after scalar: Unicode.Scalar) throws(Failure) -> Unicode.Scalar {
        switch scalar {
        case "0": return "\0"
        case "f": return "\u{C}"
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "v": return "\u{B}"
        case "c":
            guard let letter = take(), letter.isWord, !letter.isDigit else { throw failure("a bad control character") }
            return Unicode.Scalar(UInt8(letter.value & 0x1F))
        case "x": return try scalarOf(hexadecimal(2))
        case "u": return try unicodeEscape()
        default:
            let isLetter = scalar.properties.isAlphabetic || scalar.properties.numericType != nil
            guard kind == .bytes ? !scalar.isWord : !isLetter else { throw failure("unknown escape \"\\\(scalar)\"") }
            return scalar
        }
    }

    private mutating func unicodeEscape() throws(Failure) -> Unicode.Scalar {
        if kind == .characters, take(if: "{") {
            let digits = take(upTo: "}") { $0.properties.isASCIIHexDigit }
            guard let digits, let value = UInt32(digits, radix: 16) else { throw failure("a bad character code") }
            return try scalarOf(value)
        }
        let first = try hexadecimal(4)
        guard kind == .characters, (0xD800...0xDBFF).contains(first), take(if: "\\"), take(if: "u") else { return try scalarOf(first) }
        let second = try hexadecimal(4)
        guard (0xDC00...0xDFFF).contains(second) else { throw failure("a bad character code") }
        return try scalarOf(0x1_0000 + (first - 0xD800) << 10 + (second - 0xDC00))
    }

    private func scalarOf(_ value: UInt32) throws(Failure) -> Unicode.Scalar {
        if kind == .bytes, value > 0xFF { throw failure("a character code of more than one byte") }
        guard let scalar = Unicode.Scalar(value) else { throw failure("a bad character code") }
        return scalar
    }

    private mutating func hexadecimal(_ digits: Int) throws(Failure) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<digits {
            guard let scalar = take(), scalar.value < 0x80, let digit = Character(scalar).hexDigitValue else {
                throw failure("a bad character code")
            }
            value = value * 16 + UInt32(digit)
        }
        return value
    }

    // Classes by name

    /// `[:alpha:]`, which is among the members then, `[.x.]` or `[=x=]`, behind the first bracket; or this.
    mutating func memberInBrackets(_ members: inout String) throws(Failure) -> Unicode.Scalar? {
        guard let kind = ([":", ".", "="] as [Unicode.Scalar]).first(where: { take(if: $0) }) else { return "[" }
        guard let name = take(upTo: kind, where: { _ in true }), take(if: "]") else { throw failure("a bad character class") }
        if kind != ":" {
            guard name.unicodeScalars.count == 1, let only = name.unicodeScalars.first else { throw failure("a bad character class") }
            return only
        }
        guard let ranges = Self.classes[name] else { throw failure("an unknown character class") }
        members += ranges
        return nil
    }

    private static let classes = [
        "alnum": "0-9A-Za-z", "alpha": "A-Za-z", "blank": "\\u0009\\u0020", "cntrl": "\\u0000-\\u001f\\u007f", "digit": "0-9", "d": "0-9",
        "graph": "\\u0021-\\u007e", "lower": "a-z", "print": "\\u0020-\\u007e",
        "punct": "\\u0021-\\u002f\\u003a-\\u0040\\u005b-\\u0060\\u007b-\\u007e", "space": blankByte, "s": blankByte, "upper": "A-Z",
        "w": word, "xdigit": "0-9A-Fa-f",
    ]
}
