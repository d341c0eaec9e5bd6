import CBLFleece
import CBLLanguage

/// A place in documents below which is searched: names with dots between them, `[3]` for an item of an array, and `[]` for all of them.
///
///     SearchPath("reviews[].author")
package struct SearchPath: Sendable {
    enum Step: Hashable, Sendable {
        case name([UInt8])
        /// Counts from the end if negative.
        case item(Int)
        case items
    }

    let steps: [Step]

    /// Nil for what is no path. Names that are none of SQL++ stand in backquotes.
    package init?(_ text: String) {
        var lexer = Lexer(Array(text.utf8))
        var steps: [Step] = []
        while let token = lexer.next() {
            let isSymbol = token.kind == .symbol && token.end == token.start + 1
            if isSymbol, lexer.bytes[token.start] == UInt8(ascii: "[") {
                guard let step = SearchPath.item(&lexer) else { return nil }
                steps.append(step)
                continue
            }
            var name = token
            if !steps.isEmpty {
                guard isSymbol, lexer.bytes[token.start] == UInt8(ascii: "."), let next = lexer.next() else { return nil }
                name = next
            }
            switch name.kind {
            case .word, .foreignWord: steps.append(.name(Array(lexer.bytes[name.start..<name.end])))
            case .quotedName:
                let inner = lexer.bytes[name.start + 1..<name.end - 1]
                steps.append(.name(Array(Lexer.unquoted(inner, quote: UInt8(ascii: "`")).utf8)))
            default: return nil
            }
        }
        if steps.isEmpty { return nil }
        self.steps = steps
    }

    /// What stands behind a bracket.
    private static func item(_ lexer: inout Lexer) -> Step? {
        guard let end = lexer.bytes[lexer.position...].firstIndex(of: UInt8(ascii: "]")) else { return nil }
        let number = lexer.text(lexer.position..<end)
        lexer.position = end + 1
        return number.isEmpty ? .items : Int(number).map { .item($0) }
    }
}
