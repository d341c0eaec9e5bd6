/// `-- to the end of the line` and `/* between these */`. The vendor's dialect has no comments: a shell takes them out before it parses.
package enum Comment {
    package struct Range: Equatable {
        /// Behind its last byte. The newline behind `--` is not part of it.
        package var end: Int
        /// Nothing closes it.
        package var isOpen: Bool
    }

    /// The comment that begins at a place outside of quotes; nil if none does. `a--5` is a subtraction.
    package static func beginning(at place: Int, in bytes: [UInt8]) -> Range? {
        guard place + 1 < bytes.count else { return nil }
        switch (bytes[place], bytes[place + 1]) {
        case (UInt8(ascii: "-"), UInt8(ascii: "-")):
            let next = place + 2 < bytes.count ? bytes[place + 2] : 0
            guard !Lexer.isDigit(next) else { return nil }
            return Range(end: bytes[place...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count, isOpen: false)
        case (UInt8(ascii: "/"), UInt8(ascii: "*")):
            var end = place + 2
            while end + 1 < bytes.count {
                if bytes[end] == UInt8(ascii: "*"), bytes[end + 1] == UInt8(ascii: "/") { return Range(end: end + 2, isOpen: false) }
                end += 1
            }
            return Range(end: bytes.count, isOpen: true)
        default: return nil
        }
    }

    /// The text with blanks in place of its comments, so that everything else stays where it is.
    package static func blanked(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "/") }) else { return text }
        let bytes = Array(text.utf8)
        var result = bytes
        var lexer = Lexer(bytes)
        while let token = lexer.next() {
            guard token.kind == .symbol, let comment = beginning(at: token.start, in: bytes) else { continue }
            for place in token.start..<comment.end where bytes[place] != UInt8(ascii: "\n") { result[place] = UInt8(ascii: " ") }
            lexer.position = comment.end
        }
        return String(decoding: result, as: UTF8.self)
    }
}
