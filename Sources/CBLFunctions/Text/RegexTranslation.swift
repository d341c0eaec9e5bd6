internal import CBLSystemICU

/// Rewrites an ECMAScript pattern into one of ICU over UTF-16.
///
/// Over bytes, as the vendor's library takes patterns, a byte is one unit. Those outside of ASCII become private-use characters, so that they are no
/// letters, digits or blanks to either. What ICU would understand beyond ECMAScript (look-behind, flags, properties, possessive quantifiers, …) is
/// refused. Over characters a pattern is read as with the flag `u`, which has some of these.
///
/// Where the two differ otherwise: what `\d`, `\w`, `\s`, `.`, `^` and `$` mean, what is special within brackets, and what only one of them knows.
struct RegexTranslation {
    typealias Failure = RegularExpression.Failure

    let kind: RegularExpression.Units
    private let pattern: String
    private let scalars: [Unicode.Scalar]
    private var position = 0
    private(set) var units: [UInt16] = []
    /// Where the units begin that each part of the pattern has become, and where the part begins.
    private var parts: [(unit: Int, position: Int)] = []
    // Whether there is something that a quantifier can stand behind.
    private var canRepeat = false

    init(_ bytes: UnsafeRawBufferPointer, over kind: RegularExpression.Units) throws(Failure) {
        self.kind = kind
        pattern = String(decoding: bytes, as: UTF8.self)
        scalars = kind == .bytes ? bytes.map { Unicode.Scalar($0) } : Array(pattern.unicodeScalars)
        units.reserveCapacity(scalars.count * 2)
        while let scalar = take() {
            parts.append((units.count, position - 1))
            try translate(scalar)
        }
        // ICU knows no empty pattern, which matches anywhere.
        if units.isEmpty { emit("(?:)") }
    }

    /// The unit that stands for a byte.
    @inline(__always)
    static func unit(_ byte: UInt8) -> UInt16 { byte < 0x80 ? UInt16(byte) : 0xE000 + UInt16(byte) }

    private mutating func translate(_ scalar: Unicode.Scalar) throws(Failure) {
        switch scalar {
        case ".": atom(kind == .bytes ? "[^\\n\\r]" : "[^\\n\\r\\u2028\\u2029]")
        case "^": assertion("\\A")
        case "$": assertion("\\z")
        case "|": assertion("|")
        case "(": try group()
        case ")": atom(")")
        case "[": try set()
        case "*", "+", "?": try quantifier(String(scalar))
        case "{": try braces()
        case "\\": try escape()
        default: atom(code(scalar))
        }
    }

    // Reading

    mutating func take() -> Unicode.Scalar? {
        guard position < scalars.count else { return nil }
        defer { position += 1 }
        return scalars[position]
    }

    mutating func take(if wanted: Unicode.Scalar) -> Bool {
        guard position < scalars.count, scalars[position] == wanted else { return false }
        position += 1
        return true
    }

    /// Takes what stands before a scalar, and this; nil if it is not there, or something else comes before.
    mutating func take(upTo end: Unicode.Scalar, where isPart: (Unicode.Scalar) -> Bool) -> String? {
        let start = position
        var text = String.UnicodeScalarView()
        while let scalar = take() {
            if scalar == end { return String(text) }
            guard isPart(scalar) else { break }
            text.append(scalar)
        }
        position = start
        return nil
    }

    /// Whether the next one is this, and there is one behind it that is not `other`.
    private func isNext(_ wanted: Unicode.Scalar, before other: Unicode.Scalar) -> Bool {
        position + 1 < scalars.count && scalars[position] == wanted && scalars[position + 1] != other
    }

    /// The failure of the part that is being read.
    func failure(_ reason: String) -> Failure {
        Failure(message: "invalid regular expression \"\(pattern)\": \(reason)", place: parts.last?.position)
    }

    /// What ICU has to say of the translation, which it has read so many units of.
    func failure(reportedAs status: Int32, behind count: Int) -> Failure {
        let reason: String? =
            switch status {
            case cblite_icu_regex_mismatched_parentheses: isOpen ? "a \"(\" without \")\"" : "a \")\" without \"(\""
            case cblite_icu_regex_bad_interval: "a repetition from more to less"
            case cblite_icu_regex_no_such_group: "there is no such group"
            case cblite_icu_regex_bad_group_name: "there is no group of this name, or more than one"
            case cblite_icu_regex_bad_property: "there is no such property of characters"
            case cblite_icu_regex_endless_look_behind: "what stands before can be of any length"
            default: nil
            }
        let end = status == cblite_icu_regex_mismatched_parentheses && isOpen ? units.count : lastUnit(of: count)
        let place = end < units.count ? parts.last { $0.unit <= end }?.position : scalars.count
        return Failure(message: "invalid regular expression \"\(pattern)\"" + (reason.map { ": \($0)" } ?? ""), place: place)
    }

    /// The last of so many units, as ICU counts them: one more for each that is written as a number.
    private func lastUnit(of count: Int) -> Int {
        var counted = 0
        for index in units.indices {
            counted += index > 0 && units[index - 1] == 0x5C && units[index] == 0x78 ? 2 : 1
            if counted >= count { return index }
        }
        return units.count
    }

    // Parentheses that mean themselves have been written otherwise.
    private var isOpen: Bool { units.count { $0 == 0x28 } > units.count { $0 == 0x29 } }

    // Writing

    private mutating func emit(_ text: String) { units.append(contentsOf: text.utf16) }

    mutating func atom(_ text: String) {
        emit(text)
        canRepeat = true
    }

    mutating func assertion(_ text: String) {
        emit(text)
        canRepeat = false
    }

    /// A character so that it means nothing else to ICU.
    func code(_ scalar: Unicode.Scalar) -> String {
        if scalar.isWord { return String(scalar) }
        let unit = kind == .bytes ? UInt32(RegexTranslation.unit(UInt8(truncatingIfNeeded: scalar.value))) : scalar.value
        return "\\x{" + String(unit, radix: 16) + "}"
    }

    // Groups and repetition

    private mutating func group() throws(Failure) {
        guard take(if: "?") else { return assertion("(") }
        switch take() {
        case ":": assertion("(?:")
        case "=": assertion("(?=")
        case "!": assertion("(?!")
        case "<" where kind == .characters:
            if take(if: "=") { return assertion("(?<=") }
            if take(if: "!") { return assertion("(?<!") }
            assertion("(?<\(try groupName())>")
        default: throw failure("unknown kind of group")
        }
    }

    mutating func groupName() throws(Failure) -> String {
        guard let name = take(upTo: ">", where: { $0.isWord }), let first = name.unicodeScalars.first, !first.isDigit else {
            throw failure("a group's name consists of letters and digits, and ends with \">\"")
        }
        return name
    }

    private mutating func quantifier(_ text: String) throws(Failure) {
        guard canRepeat else { throw failure("nothing to repeat") }
        emit(text)
        if take(if: "?") { emit("?") }
        canRepeat = false
    }

    private mutating func braces() throws(Failure) {
        let start = position
        if let counts = take(upTo: "}", where: { $0.isDigit || $0 == "," }) {
            let numbers = counts.split(separator: ",", omittingEmptySubsequences: false)
            if numbers.count <= 2, !numbers[0].isEmpty, numbers.allSatisfy({ $0.utf8.count <= 6 }) { return try quantifier("{\(counts)}") }
        }
        guard kind == .characters else { throw failure("a bad repetition count") }
        // Older patterns have braces that count nothing, and mean themselves.
        position = start
        atom(code("{"))
    }

    // Sets

    private mutating func set() throws(Failure) {
        let isNegated = take(if: "^")
        var members = ""
        while true {
            guard let scalar = take() else { throw failure("a \"[\" without \"]\"") }
            if scalar == "]" { break }
            guard let low = try member(scalar, &members) else { continue }
            // A range, unless the hyphen is the last member.
            guard isNext("-", before: "]") else {
                members += code(low)
                continue
            }
            position += 1
            var ignored = ""
            guard let next = take(), let high = try member(next, &ignored) else { throw failure("a bad range") }
            guard low <= high else { throw failure("a range out of order") }
            members += code(low) + "-" + code(high)
        }
        if members.isEmpty { return atom(isNegated ? "[\\u0000-\\U0010ffff]" : "(?!)") }
        atom((isNegated ? "[^" : "[") + members + "]")
    }

    /// A character of a set; nil for a class of characters, which is then among the members.
    private mutating func member(_ scalar: Unicode.Scalar, _ members: inout String) throws(Failure) -> Unicode.Scalar? {
        if scalar == "[", kind == .bytes { return try memberInBrackets(&members) }
        guard scalar == "\\" else { return scalar }
        guard let escaped = take() else { throw failure("nothing follows the \"\\\"") }
        if escaped == "b" { return "\u{8}" }
        guard let known = try shorthand(escaped) else { return try character(after: escaped) }
        members += known
        return nil
    }
}

extension Unicode.Scalar {
    var isDigit: Bool { ("0"..."9").contains(self) }
    /// A letter or digit of ASCII.
    var isWord: Bool {
        switch self {
        case "0"..."9", "a"..."z", "A"..."Z": true
        default: false
        }
    }
}
