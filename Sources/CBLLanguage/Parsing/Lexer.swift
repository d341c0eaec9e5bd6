/// The words and signs of SQL++: the one place that knows where each begins and ends. The parser stands on it, and so does all that looks at
/// a text without parsing it.
///
/// A value over the bytes of a text. Each byte belongs to one token, a blank too; and what is wrong, or has no end yet, is a kind of token, so
/// that texts can be read that are wrong or still being typed. The language has no comments.
///
///     var lexer = Lexer(Array(text.utf8))
///     while let token = lexer.next() { … }
package struct Lexer {
    package enum Kind: Sendable {
        case blank
        /// A keyword, or a name without quotes. A keyword that is no reserved word may end within it, before a `$`: the grammar knows.
        case word
        /// A word with letters that a name has in backquotes only.
        case foreignWord
        /// `1`, `.5`, `1.e3`; a sign before it is a token of its own.
        case number
        /// `12a`, `1.2.3`
        case malformedNumber
        /// `$name`, or `$` alone.
        case parameter
        /// In single or double quotes.
        case string
        /// In backquotes.
        case quotedName
        /// Up to the end of the text, which its quote is missing from.
        case openString
        case openName
        /// Punctuation and operators, those of other languages too.
        case symbol
        /// A character that has no place outside of quotes: `“`, a no-break space.
        case foreign
    }

    package struct Token: Sendable, Equatable {
        package var kind: Kind
        /// Of its first byte, and behind its last.
        package var start: Int
        package var end: Int

        package init(kind: Kind, start: Int, end: Int) {
            self.kind = kind
            self.start = start
            self.end = end
        }
    }

    package let bytes: [UInt8]
    package var position: Int

    package init(_ bytes: [UInt8], at position: Int = 0) {
        self.bytes = bytes
        self.position = position
    }

    /// Passes over a token; nil at the end.
    package mutating func next() -> Token? {
        guard position < bytes.count else { return nil }
        let start = position
        let (kind, end) = token(at: start)
        position = end
        return Token(kind: kind, start: start, end: end)
    }

    /// Passes over a token that is no blank, and the blanks before it; nil at the end.
    package mutating func nextSolid() -> Token? {
        skipBlanks()
        return next()
    }

    package mutating func skipBlanks() { position = blanksEnd(from: position) }

    /// The byte at a place, or 0 behind the end: no token of the language begins with 0.
    package func byte(at place: Int) -> UInt8 { place < bytes.count ? bytes[place] : 0 }

    package func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    private func token(at start: Int) -> (Kind, end: Int) {
        let byte = bytes[start]
        switch byte {
        case UInt8(ascii: "'"), UInt8(ascii: "\""): return quoted(.string, open: .openString, at: start)
        case UInt8(ascii: "`"): return quoted(.quotedName, open: .openName, at: start)
        case UInt8(ascii: "$"):
            if self.byte(at: start + 1) == UInt8(ascii: "`") { return quoted(.parameter, open: .openName, at: start + 1) }
            return (.parameter, foreignWordEnd(from: start + 1) ?? nameEnd(from: start + 1))
        case UInt8(ascii: ".") where Lexer.isDigit(self.byte(at: start + 1)): return number(at: start)
        case _ where Lexer.isBlank(byte): return (.blank, blanksEnd(from: start))
        case _ where Lexer.isDigit(byte): return number(at: start)
        case _ where Lexer.isLetter(byte) || byte == UInt8(ascii: "_"):
            if let end = foreignWordEnd(from: start) { return (.foreignWord, end) }
            return (.word, wordEnd(from: start))
        case 0x21..<0x7F: return (.symbol, symbolEnd(from: start))
        default:
            if let end = foreignWordEnd(from: start) { return (.foreignWord, end) }
            return (.foreign, start + scalar(at: start).length)
        }
    }

    private func quoted(_ kind: Kind, open: Kind, at start: Int) -> (Kind, end: Int) {
        guard let end = quoteEnd(from: start + 1, quote: bytes[start]) else { return (open, bytes.count) }
        return (kind, end)
    }
}

/// The rules, one by one, as the parser needs them, which tries what can stand at a place. Each finds where something ends.
extension Lexer {
    package static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A }
    package static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
    package static func isLetter(_ byte: UInt8) -> Bool { byte | 0x20 &- UInt8(ascii: "a") < 26 }
    /// Of a keyword or a name; in the middle of a name there may be a `$` as well.
    package static func isWordByte(_ byte: UInt8) -> Bool { isLetter(byte) || isDigit(byte) || byte == UInt8(ascii: "_") }

    func blanksEnd(from start: Int) -> Int {
        var place = start
        while place < bytes.count, Lexer.isBlank(bytes[place]) { place += 1 }
        return place
    }

    /// Behind the quote that ends what began before `start`; nil if there is none. A doubled quote is one of the text.
    package func quoteEnd(from start: Int, quote: UInt8) -> Int? {
        var place = start
        while place < bytes.count {
            if bytes[place] == quote {
                guard byte(at: place + 1) == quote else { return place + 1 }
                place += 1
            }
            place += 1
        }
        return nil
    }

    /// What stands between the quotes, where a doubled one is one.
    package static func unquoted(_ bytes: some Collection<UInt8>, quote: UInt8) -> String {
        var isSecond = false
        let kept = bytes.filter { byte in
            isSecond = byte == quote && !isSecond
            return byte != quote || isSecond
        }
        return String(decoding: kept, as: UTF8.self)
    }

    /// A name as a text has it: in backquotes, if it is not a plain word.
    package static func name(_ name: String) -> String {
        let bytes = Array(name.utf8)
        let lexer = Lexer(bytes)
        let isPlain = bytes.first.map { isLetter($0) || $0 == UInt8(ascii: "_") } ?? false
        if isPlain, lexer.wordBytesEnd(from: 0) == bytes.count, !lexer.isReserved(0..<bytes.count) { return name }
        return quotedName(name)
    }

    package static func quotedName(_ name: String) -> String {
        // By bytes: a mark behind a backquote would make another `Character` of it, and a name out of the quotes.
        let quote = UInt8(ascii: "`")
        return String(decoding: [quote] + name.utf8.flatMap { $0 == quote ? [quote, quote] : [$0] } + [quote], as: UTF8.self)
    }

    // Words

    func wordBytesEnd(from start: Int) -> Int {
        var place = start
        while place < bytes.count, Lexer.isWordByte(bytes[place]) { place += 1 }
        return place
    }

    func nameEnd(from start: Int) -> Int {
        var place = start
        while place < bytes.count, Lexer.isWordByte(bytes[place]) || bytes[place] == UInt8(ascii: "$") { place += 1 }
        return place
    }

    /// A reserved word ends before a `$`, a name does not.
    private func wordEnd(from start: Int) -> Int {
        let end = wordBytesEnd(from: start)
        return byte(at: end) == UInt8(ascii: "$") && !isReserved(start..<end) ? nameEnd(from: end) : end
    }

    /// Whether a word cannot be a name. Case does not count.
    func isReserved(_ word: Range<Int>) -> Bool {
        // Longer texts than these would not fit into a string without memory of its own.
        guard (2...9).contains(word.count) else { return false }
        return Keyword.reserved.contains(text(word).lowercased())
    }

    /// The end of a word that has letters beyond ASCII; nil if it has none.
    private func foreignWordEnd(from start: Int) -> Int? {
        var place = nameEnd(from: start)
        guard byte(at: place) >= 0x80 else { return nil }
        var isForeign = false
        while byte(at: place) >= 0x80 {
            let (value, length) = scalar(at: place)
            guard value.properties.isAlphabetic else { break }
            isForeign = true
            place = nameEnd(from: place + length)
        }
        return isForeign ? place : nil
    }

    /// The character at a place, which is not ASCII.
    private func scalar(at place: Int) -> (value: Unicode.Scalar, length: Int) {
        var decoder = UTF8()
        var iterator = bytes[place...].prefix(4).makeIterator()
        guard case .scalarValue(let value) = decoder.decode(&iterator) else { return ("\u{FFFD}", 1) }
        return (value, UTF8.width(value))
    }

    // Numbers

    /// A number with a point or an exponent, without a sign; and how far the text was one, which may be further.
    func float(at start: Int) -> (end: Int?, reached: Int) {
        var place: Int
        var reached: Int
        if byte(at: start) == UInt8(ascii: ".") {
            place = digitsEnd(from: start + 1)
            reached = place
            guard place > start + 1 else { return (nil, reached) }
        } else {
            place = digitsEnd(from: start)
            reached = place
            guard place > start else { return (nil, reached) }
            let hasPoint = byte(at: place) == UInt8(ascii: ".")
            if hasPoint { place = digitsEnd(from: place + 1) }
            let exponent = exponent(at: place)
            reached = exponent.reached
            guard hasPoint || exponent.end != nil else { return (nil, reached) }
            place = exponent.end ?? place
        }
        return (Lexer.isWordByte(byte(at: place)) ? nil : place, reached)
    }

    private func exponent(at start: Int) -> (end: Int?, reached: Int) {
        guard byte(at: start) | 0x20 == UInt8(ascii: "e") else { return (nil, start) }
        let sign = byte(at: start + 1)
        let digits = start + (sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") ? 2 : 1)
        let end = digitsEnd(from: digits)
        return (end > digits ? end : nil, end)
    }

    /// A whole number, without a sign; and how far the text was one.
    func integer(at start: Int) -> (end: Int?, reached: Int) {
        let end = digitsEnd(from: start)
        return (end > start && !Lexer.isWordByte(byte(at: end)) ? end : nil, end)
    }

    private func digitsEnd(from start: Int) -> Int {
        var place = start
        while place < bytes.count, Lexer.isDigit(bytes[place]) { place += 1 }
        return place
    }

    private func number(at start: Int) -> (Kind, end: Int) {
        let end = float(at: start).end ?? integer(at: start).end
        if let end, byte(at: end) != UInt8(ascii: ".") || !Lexer.isDigit(byte(at: end + 1)) { return (.number, end) }
        let run = numberRun(from: start)
        if let end, run <= end { return (.number, end) }
        return (.malformedNumber, run)
    }

    /// What a reader would call one number, right or wrong.
    private func numberRun(from start: Int) -> Int {
        var place = start
        while Lexer.isWordByte(byte(at: place)) || byte(at: place) == UInt8(ascii: ".") && byte(at: place + 1) != UInt8(ascii: ".") {
            let isExponent = byte(at: place) | 0x20 == UInt8(ascii: "e")
            place += 1
            if isExponent, byte(at: place) == UInt8(ascii: "-") || byte(at: place) == UInt8(ascii: "+"),
                Lexer.isDigit(byte(at: place + 1))
            {
                place += 1
            }
        }
        return place
    }

    // Signs

    /// Signs of other languages that no text of this one has are taken as one as well: it is them that a message has to name.
    private func symbolEnd(from start: Int) -> Int {
        switch (Unicode.Scalar(bytes[start]), Unicode.Scalar(byte(at: start + 1))) {
        case ("=", "="): start + (byte(at: start + 2) == UInt8(ascii: "=") ? 3 : 2)
        case ("!", "="), ("<", ">"), ("<", "="), (">", "="), ("|", "|"): start + 2
        case ("=", ">"), ("<", "<"), (">", ">"), ("&", "&"), (":", ":"), (":", "="), ("-", ">"), (".", "."): start + 2
        default: start + 1
        }
    }
}
