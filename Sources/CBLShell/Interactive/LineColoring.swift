import CBLLanguage

/// What the parts of a line that is typed look like. Pure: it looks at words, and needs no complete statement.
struct LineColoring {
    struct Span: Equatable {
        /// In the bytes of the line.
        var range: Range<Int>
        var style: Style
    }

    private(set) var spans: [Span] = []
    /// Where brackets stand that belong together, by the places of both, in the bytes of the line. One that closes what an earlier line opened is not
    /// among them.
    private(set) var partners: [Int: Int] = [:]

    private static let keywords = Set(Statement.keywords).union(Select.reservedWords).union(StatementReader.queryWords)
    private static let functions = Set(Select.functionNames.map { $0.uppercased() })

    /// `earlier` is what was typed of the statement before, with the ends of its lines.
    init(of line: String, behind earlier: String = "", commands: Set<String>) {
        let start = earlier.utf8.count
        let bytes = Array((earlier + line).utf8)
        var lexer = Lexer(bytes)
        var open: [(byte: UInt8, place: Int)] = []
        var isFirst = true
        var isQuery = false
        while let token = lexer.next() {
            if token.kind == .blank { continue }
            var end = token.end
            var style: Style?
            switch token.kind {
            case .string, .openString: style = .string
            case .number: style = .number
            case .parameter: style = .literal
            case .symbol:
                if isQuery || isFirst, let comment = Comment.beginning(at: token.start, in: bytes) {
                    (end, style) = (comment.end, .dim)
                    lexer.position = end
                } else {
                    match(bytes[token.start], at: token.start - start, &open)
                    // The statement that follows has a first word, too.
                    if bytes[token.start] == UInt8(ascii: ";") { (isFirst, isQuery) = (true, false) }
                }
            case .word:
                let word = String(decoding: bytes[token.start..<token.end], as: UTF8.self)
                let isFollowed = token.end < bytes.count
                if isFirst {
                    isQuery = StatementReader.queryWords.contains(word.uppercased())
                    let isKnown = isQuery || commands.contains(word)
                    // Before the blank behind it, it may yet become a command.
                    style = isKnown ? .key : isFollowed && Lexer.isBlank(bytes[token.end]) ? .error : nil
                    // Of these the rest is a query.
                    isQuery = isQuery || ["query", "select", "translate"].contains(word)
                } else if isQuery {
                    let upper = word.uppercased()
                    let isCalled = isFollowed && bytes[token.end] == UInt8(ascii: "(")
                    style = LineColoring.keywords.contains(upper) ? .key : isCalled && LineColoring.functions.contains(upper) ? .id : nil
                }
            case .blank, .foreignWord, .malformedNumber, .quotedName, .openName, .foreign: break
            }
            if token.kind != .symbol || bytes[token.start] != UInt8(ascii: ";") { isFirst = false }
            // Lines for others are theirs.
            if spans.isEmpty, token.start == 0, [UInt8(ascii: "!"), UInt8(ascii: "."), UInt8(ascii: "#")].contains(bytes[0]) { return }
            if let style, end > start { spans.append(Span(range: max(0, token.start - start)..<end - start, style: style)) }
        }
    }

    private mutating func match(_ byte: UInt8, at place: Int, _ open: inout [(byte: UInt8, place: Int)]) {
        switch byte {
        case UInt8(ascii: "("): open.append((UInt8(ascii: ")"), place))
        case UInt8(ascii: "["): open.append((UInt8(ascii: "]"), place))
        case UInt8(ascii: "{"): open.append((UInt8(ascii: "}"), place))
        case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
            guard let last = open.last, last.byte == byte else { return }
            open.removeLast()
            guard last.place >= 0 else { return }
            partners[last.place] = place
            partners[place] = last.place
        default: break
        }
    }

    /// The two brackets that the cursor is about: the one before it, or else the one below it.
    func brackets(atCursor place: Int) -> [Int] {
        for bracket in [place - 1, place] {
            if let partner = partners[bracket] { return [bracket, partner].sorted() }
        }
        return []
    }
}
