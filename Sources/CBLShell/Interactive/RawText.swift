/// Finds where a query, a piece of SQL or a JSON text ends that stands in a line without quotes round it.
struct RawText {
    enum Ending: Equatable {
        /// `;`
        case semicolon
        /// `\G`
        case vertical
        /// `|`, `>` or `>>`; what follows says where to.
        case redirection
        /// The end of a line, outside of quotes and brackets.
        case newline
        /// The end of what there is. Something is still open: a quote, or a bracket.
        case open(UInt8)
    }

    private let bytes: [UInt8]
    private(set) var position: Int
    /// JSON has other rules for quotes, and no operators.
    let isJSON: Bool
    private var brackets: [UInt8] = []

    init(_ bytes: [UInt8], at position: Int) {
        self.bytes = bytes
        self.position = position
        isJSON = position < bytes.count && (bytes[position] == UInt8(ascii: "{") || bytes[position] == UInt8(ascii: "["))
    }

    /// Goes to the next place where the text may end, and leaves the position in front of it. A text that goes on behind the end of a line
    /// is searched further with `passNewline`.
    mutating func findEnding() -> Ending {
        while position < bytes.count {
            let byte = bytes[position]
            switch byte {
            case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"):
                guard skipQuoted(by: byte) else { return .open(byte) }
                continue
            case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): brackets.append(byte)
            case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): brackets.close(byte)
            case UInt8(ascii: ";"): return .semicolon
            case UInt8(ascii: "\n") where brackets.isEmpty: return .newline
            case UInt8(ascii: "\\") where brackets.isEmpty && following == UInt8(ascii: "G"): return .vertical
            case UInt8(ascii: "|") where brackets.isEmpty:
                // Two are an operator.
                guard following == byte else { return .redirection }
                position += 1
            case UInt8(ascii: ">") where brackets.isEmpty && isJSON: return .redirection
            default: break
            }
            position += 1
        }
        return brackets.last.map { .open($0) } ?? .newline
    }

    mutating func passNewline() { position += 1 }

    private var following: UInt8? { position + 1 < bytes.count ? bytes[position + 1] : nil }

    private mutating func skipQuoted(by quote: UInt8) -> Bool {
        var place = position + 1
        while place < bytes.count {
            if bytes[place] == UInt8(ascii: "\\"), isJSON {
                place += 1
            } else if bytes[place] == quote {
                // In SQL a doubled quote is one within the text: the second half is then skipped as a text of its own.
                position = place + 1
                return true
            }
            place += 1
        }
        return false
    }
}

extension [UInt8] {
    /// A closing bracket closes the last one that is open, if it is of its kind; one that closes nothing is a mistake for others to report.
    fileprivate mutating func close(_ closing: UInt8) {
        let opening: UInt8 =
            switch closing {
            case UInt8(ascii: ")"): UInt8(ascii: "(")
            case UInt8(ascii: "]"): UInt8(ascii: "[")
            default: UInt8(ascii: "{")
            }
        if last == opening { removeLast() }
    }
}
