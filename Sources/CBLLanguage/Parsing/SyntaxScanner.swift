/// A text and a place in it, and the terminals of the grammar: each either stands at the place and is passed over, or nothing changes. Where
/// they end is the `Lexer`'s to say. Which of them is tried is the grammar's: `a--5` and `COLLATE UNICODE` cannot be read without it.
///
/// The vendor's parser reports as the place of an error the farthest byte that any terminal ever consumed, whether or not what it
/// belonged to was abandoned afterwards. `farthest` follows that rule, so terminals have to be tried where, and in the order in which,
/// the vendor's are.
struct SyntaxScanner {
    private var lexer: Lexer
    private(set) var farthest = 0
    /// What was looked for in vain, at the rightmost place where anything was. Only collected when an error is to be explained.
    var expectations: Expectations?

    init(_ text: String, at position: Int = 0, explaining: Bool = false) {
        lexer = Lexer(Array(text.utf8), at: position)
        expectations = explaining ? Expectations() : nil
    }

    var bytes: [UInt8] { lexer.bytes }

    var position: Int {
        get { lexer.position }
        set { lexer.position = newValue }
    }

    var isAtEnd: Bool { position == lexer.bytes.count }

    /// The byte here, or 0 at the end: no token starts with 0.
    var byte: UInt8 { lexer.byte(at: position) }

    /// Looks ahead without a trace.
    mutating func isNext(_ keyword: Keyword) -> Bool {
        guard byte | 0x20 == keyword.rawValue.utf8.first else { return false }
        let before = (position, farthest, expectations)
        defer { (position, farthest, expectations) = before }
        return skip(keyword)
    }

    mutating func skipBlanks() {
        lexer.skipBlanks()
        reach()
    }

    /// A keyword, not followed by more of a word, and the blanks behind it.
    mutating func skip(_ keyword: Keyword) -> Bool {
        let start = position
        guard matches(keyword.rawValue) else { return expected(.word(keyword), at: start) }
        guard !Lexer.isWordByte(byte) else {
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
        guard lexer.bytes.count - position >= count else { return expected(.symbol(symbol.description), at: position) }
        for index in 0..<count where lexer.bytes[position + index] != symbol.utf8Start[index] {
            return expected(.symbol(symbol.description), at: position)
        }
        position += count
        reach()
        return true
    }

    private mutating func matches(_ letters: String) -> Bool {
        var place = position
        for letter in letters.utf8 {
            guard lexer.byte(at: place) | 0x20 == letter else { return false }
            place += 1
        }
        position = place
        reach()
        return true
    }

    private mutating func reach() { reach(position) }

    private mutating func reach(_ place: Int) {
        if place > farthest { farthest = place }
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
        let start = position
        if Lexer.isLetter(byte) || byte == UInt8(ascii: "_") {
            guard !lexer.isReserved(start..<lexer.wordBytesEnd(from: start)) else {
                expected(.name, at: start)
                return nil
            }
            position = lexer.nameEnd(from: start)
            reach()
            let name = string(start..<position)
            skipBlanks()
            return Identifier(name: name, raw: name)
        }
        guard byte == UInt8(ascii: "`") else {
            expected(.name, at: start)
            return nil
        }
        guard let (name, raw) = quoted(by: UInt8(ascii: "`")) else { return nil }
        return Identifier(name: name, raw: raw)
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

    /// What stands between two quotes, and the blanks behind it.
    private mutating func quoted(by quote: UInt8) -> (text: String, raw: String)? {
        let start = position
        guard let end = lexer.quoteEnd(from: start + 1, quote: quote) else {
            reach(lexer.bytes.count)
            expected(.closingQuote(quote, opened: start), at: lexer.bytes.count)
            return nil
        }
        position = end
        reach()
        skipBlanks()
        let inner = start + 1..<end - 1
        let raw = string(inner)
        return (lexer.bytes[inner].contains(quote) ? Lexer.unquoted(lexer.bytes[inner], quote: quote) : raw, raw)
    }

    /// A number with a point or an exponent, and the blanks behind it.
    mutating func floatLiteral() -> Double? {
        let start = position
        if byte == UInt8(ascii: "-") { advance() }
        let (end, reached) = lexer.float(at: position)
        reach(reached)
        guard let end else { return back(to: start) }
        position = end
        skipBlanks()
        return Double(string(start..<end))
    }

    /// A whole number, and the blanks behind it. What is beyond 64 bits becomes the nearest that is not.
    mutating func integerLiteral() -> Int64? {
        let start = position
        let isNegative = byte == UInt8(ascii: "-")
        if isNegative { advance() }
        let digits = position
        let (end, reached) = lexer.integer(at: digits)
        reach(reached)
        guard let end else {
            expected(.integer, at: start)
            return back(to: start)
        }
        position = end
        skipBlanks()
        var value: Int64 = 0
        for digit in lexer.bytes[digits..<end] {
            let digit = Int64(digit - UInt8(ascii: "0"))
            let (product, overflows) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflowsToo) = product.subtractingReportingOverflow(digit)
            guard !overflows, !overflowsToo else { return isNegative ? .min : .max }
            value = sum
        }
        // Counted downwards, because there is one negative number more.
        return isNegative ? value : value == .min ? .max : -value
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
    func string(_ range: Range<Int>) -> String { String(decoding: lexer.bytes[range], as: UTF8.self) }

    /// From a place to here, without the blanks at the end.
    func range(from start: Int) -> SourceRange {
        var end = position
        while end > start, Lexer.isBlank(lexer.bytes[end - 1]) { end -= 1 }
        return SourceRange(start, end)
    }
}
