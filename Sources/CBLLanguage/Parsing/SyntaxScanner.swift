/// A text and a place in it, and the terminals of the grammar: each either stands at the place and is passed over, or nothing changes.
///
/// The vendor's parser reports as the place of an error the farthest byte that any terminal ever consumed, whether or not what it
/// belonged to was abandoned afterwards. `farthest` follows that rule, so terminals have to be tried where, and in the order in which,
/// the vendor's are.
struct SyntaxScanner {
    let bytes: [UInt8]
    var position: Int
    private(set) var farthest = 0
    /// What was looked for in vain, at the rightmost place where anything was. Only collected when an error is to be explained.
    var expectations: Expectations?

    init(_ text: String, at position: Int = 0, explaining: Bool = false) {
        bytes = Array(text.utf8)
        self.position = position
        expectations = explaining ? Expectations() : nil
    }

    var isAtEnd: Bool { position == bytes.count }

    /// The byte here, or 0 at the end: no token starts with 0.
    var byte: UInt8 { position < bytes.count ? bytes[position] : 0 }

    /// Looks ahead without a trace.
    mutating func isNext(_ keyword: Keyword) -> Bool {
        guard byte | 0x20 == keyword.rawValue.utf8.first else { return false }
        let before = (position, farthest, expectations)
        defer { (position, farthest, expectations) = before }
        return skip(keyword)
    }

    mutating func skipBlanks() {
        while position < bytes.count, SyntaxScanner.isBlank(bytes[position]) { position += 1 }
        reach()
    }

    /// A keyword, not followed by more of a word, and the blanks behind it.
    mutating func skip(_ keyword: Keyword) -> Bool {
        let start = position
        guard matches(keyword.rawValue) else { return expected(.word(keyword), at: start) }
        guard !SyntaxScanner.isWordByte(byte) else {
            position = start
            return expected(.word(keyword), at: start)
        }
        skipBlanks()
        return true
    }

    /// Letters in any case, given in lower case; whatever may follow.
    mutating func skip(letters: String) -> Bool { matches(letters) }

    /// Punctuation, without the blanks behind it.
    mutating func skip(_ symbol: StaticString) -> Bool {
        let count = symbol.utf8CodeUnitCount
        guard bytes.count - position >= count else { return expected(.symbol(symbol.description), at: position) }
        for index in 0..<count where bytes[position + index] != symbol.utf8Start[index] {
            return expected(.symbol(symbol.description), at: position)
        }
        position += count
        reach()
        return true
    }

    private mutating func matches(_ letters: String) -> Bool {
        var place = position
        for letter in letters.utf8 {
            guard place < bytes.count, bytes[place] | 0x20 == letter else { return false }
            place += 1
        }
        position = place
        reach()
        return true
    }

    private mutating func reach() {
        if position > farthest { farthest = position }
    }

    /// Notes what would have been right here; always false.
    @discardableResult
    mutating func expected(_ expectation: @autoclosure () -> Expectation, at place: Int) -> Bool {
        // A text without mistakes so far would have made notes at each of its tokens.
        if let noted = expectations?.place, place >= noted { expectations?.note(expectation(), at: place) }
        return false
    }

    /// Notes that an operand could have stood here. Unless something further on is missing, that stands for all it might begin with.
    mutating func expectedOperand(at place: Int) {
        guard let noted = expectations, noted.place <= place else { return }
        expectations?.note(.expression, at: place)
    }

    // Names

    struct Identifier {
        var name: String
        /// As it stands between the backquotes.
        var raw: String
    }

    /// A name that is not a reserved word, or anything in backquotes; and the blanks behind it.
    mutating func identifier() -> Identifier? {
        if SyntaxScanner.isLetter(byte) || byte == UInt8(ascii: "_") {
            guard !isAtReservedWord else {
                expected(.name, at: position)
                return nil
            }
            let start = position
            repeat { position += 1 } while SyntaxScanner.isWordByte(byte) || byte == UInt8(ascii: "$")
            reach()
            let name = string(start..<position)
            skipBlanks()
            return Identifier(name: name, raw: name)
        }
        guard byte == UInt8(ascii: "`") else {
            expected(.name, at: position)
            return nil
        }
        guard let (name, raw) = quoted(by: UInt8(ascii: "`")) else { return nil }
        return Identifier(name: name, raw: raw)
    }

    private var isAtReservedWord: Bool {
        var end = position
        while end < bytes.count, SyntaxScanner.isWordByte(bytes[end]) { end += 1 }
        guard (2...9).contains(end - position) else { return false }
        return Keyword.reserved.contains(string(position..<end).lowercased())
    }

    // Literals

    /// A string in single or double quotes, and the blanks behind it.
    mutating func stringLiteral() -> String? {
        guard byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") else {
            expected(.string, at: position)
            return nil
        }
        return quoted(by: byte)?.text
    }

    /// What stands between two quotes, where a doubled quote is one.
    private mutating func quoted(by quote: UInt8) -> (text: String, raw: String)? {
        let start = position
        position += 1
        var hasDoubled = false
        while position < bytes.count {
            if bytes[position] == quote {
                guard position + 1 < bytes.count, bytes[position + 1] == quote else { break }
                hasDoubled = true
                position += 1
            }
            position += 1
        }
        reach()
        guard position < bytes.count else {
            expected(.closingQuote(quote, opened: start), at: position)
            position = start
            return nil
        }
        let raw = string(start + 1..<position)
        position += 1
        reach()
        skipBlanks()
        return (hasDoubled ? SyntaxScanner.halved(raw, quote) : raw, raw)
    }

    private static func halved(_ raw: String, _ quote: UInt8) -> String {
        var isSecond = false
        let kept = raw.utf8.filter { byte in
            isSecond = byte == quote && !isSecond
            return byte != quote || isSecond
        }
        return String(decoding: kept, as: UTF8.self)
    }

    /// A number with a point or an exponent, and the blanks behind it.
    mutating func floatLiteral() -> Double? {
        let start = position
        if byte == UInt8(ascii: "-") { advance() }
        if byte == UInt8(ascii: ".") {
            advance()
            guard skipDigits() else { return back(to: start) }
        } else {
            guard skipDigits() else { return back(to: start) }
            if byte == UInt8(ascii: ".") {
                advance()
                skipDigits()
                let end = position
                if !skipExponent() { position = end }
            } else {
                guard skipExponent() else { return back(to: start) }
            }
        }
        let end = position
        guard !SyntaxScanner.isWordByte(byte) else { return back(to: start) }
        skipBlanks()
        return Double(string(start..<end))
    }

    /// A whole number, and the blanks behind it. What is beyond 64 bits becomes the nearest that is not.
    mutating func integerLiteral() -> Int64? {
        let start = position
        let isNegative = byte == UInt8(ascii: "-")
        if isNegative { advance() }
        let digits = position
        guard skipDigits(), !SyntaxScanner.isWordByte(byte) else {
            expected(.integer, at: start)
            return back(to: start)
        }
        let end = position
        skipBlanks()
        var value: Int64 = 0
        for digit in bytes[digits..<end] {
            let digit = Int64(digit - UInt8(ascii: "0"))
            let (product, overflows) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflowsToo) = product.subtractingReportingOverflow(digit)
            guard !overflows, !overflowsToo else { return isNegative ? .min : .max }
            value = sum
        }
        // Counted downwards, because there is one negative number more.
        return isNegative ? value : value == .min ? .max : -value
    }

    @discardableResult
    private mutating func skipDigits() -> Bool {
        let start = position
        while SyntaxScanner.isDigit(byte) { position += 1 }
        reach()
        return position > start
    }

    private mutating func skipExponent() -> Bool {
        guard byte | 0x20 == UInt8(ascii: "e") else { return false }
        advance()
        if byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+") { advance() }
        return skipDigits()
    }

    mutating func advance() {
        position += 1
        reach()
    }

    private mutating func back<Value>(to start: Int) -> Value? {
        position = start
        return nil
    }

    // The text

    func string(_ range: SourceRange) -> String { string(range.start..<range.end) }
    func string(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    /// From a place to here, without the blanks at the end.
    func range(from start: Int) -> SourceRange {
        var end = position
        while end > start, SyntaxScanner.isBlank(bytes[end - 1]) { end -= 1 }
        return SourceRange(start, end)
    }

    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A }
    static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
    static func isLetter(_ byte: UInt8) -> Bool { byte | 0x20 &- UInt8(ascii: "a") < 26 }
    static func isWordByte(_ byte: UInt8) -> Bool { isLetter(byte) || isDigit(byte) || byte == UInt8(ascii: "_") }
}
