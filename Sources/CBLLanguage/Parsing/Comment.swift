/// `-- to the end of the line` and `/* between these */`. The vendor's dialect has no comments: a shell takes them out before it parses.
package enum Comment {
    package struct End: Equatable {
        /// The place behind its last byte. The newline behind `--` is not part of it.
        package var end: Int
        /// Nothing closes it.
        package var isOpen: Bool
    }

    /// The comment that begins at a place outside of quotes; nil if none does. `a--5` is a subtraction.
    package static func beginning(at place: Int, in bytes: [UInt8]) -> End? {
        guard place + 1 < bytes.count else { return nil }
        switch (bytes[place], bytes[place + 1]) {
        case (UInt8(ascii: "-"), UInt8(ascii: "-")):
            let next = place + 2 < bytes.count ? bytes[place + 2] : 0
            guard !Lexer.isDigit(next) else { return nil }
            return End(end: bytes[place...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count, isOpen: false)
        case (UInt8(ascii: "/"), UInt8(ascii: "*")):
            var end = place + 2
            while end + 1 < bytes.count {
                if bytes[end] == UInt8(ascii: "*"), bytes[end + 1] == UInt8(ascii: "/") { return End(end: end + 2, isOpen: false) }
                end += 1
            }
            return End(end: bytes.count, isOpen: true)
        default: return nil
        }
    }

    /// The text with blanks in place of its comments, so that everything else stays where it is.
    package static func blanked(_ text: String) -> String {
        guard mayBe(in: text) else { return text }
        var bytes = Array(text.utf8)
        for comment in all(in: bytes) {
            for place in comment where bytes[place] != UInt8(ascii: "\n") { bytes[place] = UInt8(ascii: " ") }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The comment that nothing closes.
    package static func open(in text: String) -> SourceRange? {
        let bytes = Array(text.utf8)
        guard mayBe(in: text), let last = all(in: bytes).last, beginning(at: last.lowerBound, in: bytes)?.isOpen == true else { return nil }
        return SourceRange(last.lowerBound, last.lowerBound + 2)
    }

    private static func mayBe(in text: String) -> Bool { text.utf8.contains { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "/") } }

    private static func all(in bytes: [UInt8]) -> [Range<Int>] {
        var comments: [Range<Int>] = []
        var lexer = Lexer(bytes)
        while let token = lexer.next() {
            guard token.kind == .symbol, let comment = beginning(at: token.start, in: bytes) else { continue }
            comments.append(token.start..<comment.end)
            lexer.position = comment.end
        }
        return comments
    }
}
