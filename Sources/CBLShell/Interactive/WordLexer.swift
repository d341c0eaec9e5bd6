/// Splits a line into words as a shell does: blanks separate them, quotes keep them together, a backslash takes the next character's
/// meaning. `;`, `|`, `>` and the end of the line end a command.
struct WordLexer {
    enum Token: Equatable {
        case word(String)
        case newline
        case semicolon
        case pipe
        /// `>`, or `>>`.
        case redirection(appends: Bool)
        /// There is no more.
        case end
        /// A quote, or a backslash at the end of a line, is waiting for the next line.
        case unfinished(UInt8)
    }

    let bytes: [UInt8]
    var position: Int

    init(_ bytes: [UInt8], at position: Int = 0) {
        self.bytes = bytes
        self.position = position
    }

    var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }

    mutating func skipBlanks() {
        while let byte, WordLexer.isBlank(byte) || isContinuedLine { position += byte == UInt8(ascii: "\\") ? 2 : 1 }
    }

    // A backslash before the end of a line: the line goes on.
    private var isContinuedLine: Bool {
        position + 1 < bytes.count && bytes[position] == UInt8(ascii: "\\") && bytes[position + 1] == UInt8(ascii: "\n")
    }

    mutating func next() -> Token {
        skipBlanks()
        guard let byte else { return .end }
        position += 1
        switch byte {
        case UInt8(ascii: "\n"): return .newline
        case UInt8(ascii: ";"): return .semicolon
        case UInt8(ascii: "|"): return .pipe
        case UInt8(ascii: ">"):
            guard self.byte == UInt8(ascii: ">") else { return .redirection(appends: false) }
            position += 1
            return .redirection(appends: true)
        default:
            position -= 1
            return word()
        }
    }

    private mutating func word() -> Token {
        var word: [UInt8] = []
        let startsAtHome = byte == UInt8(ascii: "~") && (position + 1 == bytes.count || bytes[position + 1] == UInt8(ascii: "/"))
        scanning: while let byte {
            switch byte {
            case _ where WordLexer.isBlank(byte): break scanning
            case UInt8(ascii: "\n"), UInt8(ascii: ";"), UInt8(ascii: "|"), UInt8(ascii: ">"): break scanning
            case UInt8(ascii: "'"), UInt8(ascii: "\""):
                guard let text = quoted(by: byte) else { return .unfinished(byte) }
                word += text
            case UInt8(ascii: "\\"):
                position += 1
                guard let next = self.byte else { return .unfinished(byte) }
                // A backslash at the end of a line joins it with the next one.
                if next != UInt8(ascii: "\n") { word.append(next) }
                position += 1
            default:
                word.append(byte)
                position += 1
            }
        }
        if startsAtHome, let home = Terminal.environment("HOME") { word.replaceSubrange(0..<1, with: home.utf8) }
        return .word(String(decoding: word, as: UTF8.self))
    }

    /// What stands between two quotes; nil if the second is missing. In double quotes a backslash protects a quote or a backslash.
    private mutating func quoted(by quote: UInt8) -> [UInt8]? {
        position += 1
        var text: [UInt8] = []
        while let byte {
            position += 1
            if byte == quote { return text }
            if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\""), let next = self.byte,
                next == quote || next == UInt8(ascii: "\\")
            {
                text.append(next)
                position += 1
            } else {
                text.append(byte)
            }
        }
        return nil
    }
}
