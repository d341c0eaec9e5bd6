/// Something that the grammar would have taken at a place.
enum Expectation: Hashable {
    case word(Keyword)
    case symbol(String)
    case expression
    /// An infix operator.
    case infix
    /// The `AND` of a `BETWEEN`.
    case betweenAnd
    case name
    case string
    case integer
    case collation
    case end
    /// The end of what was opened by a quote.
    case closingQuote(UInt8, opened: Int)
}

/// What was looked for in vain at the rightmost place where anything was.
struct Expectations {
    private(set) var place = 0
    private(set) var list: [Expectation] = []

    mutating func note(_ expectation: Expectation, at place: Int) {
        guard place >= self.place else { return }
        if place > self.place {
            self.place = place
            list.removeAll(keepingCapacity: true)
        }
        if !list.contains(expectation) { list.append(expectation) }
    }

    func contains(_ expectation: Expectation) -> Bool { list.contains(expectation) }
    func contains(_ symbol: String) -> Bool { list.contains(.symbol(symbol)) }

    var words: [Keyword] {
        list.compactMap { if case .word(let word) = $0 { word } else { nil } }
    }

    /// Nothing but a name, or the star that may stand for one.
    var isName: Bool { list.allSatisfy { $0 == .name || $0 == .symbol("*") } && contains(.name) }

    private func isInfix(_ expectation: Expectation) -> Bool { expectation == .word(.and) || expectation == .word(.or) }

    /// `")" or an operator`: in words, and no more of it than a reader can use.
    var text: String {
        if contains(.expression) { return "an expression" }
        if isName { return "a name" }
        var words: [String] = []
        for expectation in list {
            guard let word = text(of: expectation), !words.contains(word) else { continue }
            words.append(word)
        }
        guard let last = words.popLast() else { return contains(.infix) ? "an operator" : "nothing more" }
        return words.isEmpty ? last : "\(words.joined(separator: ", ")) or \(last)"
    }

    // Behind an operand almost everything may follow; what ends it or goes on after it says most.
    private func text(of expectation: Expectation) -> String? {
        let isBehindOperand = contains(.infix) || contains(.end)
        switch expectation {
        case .word(.and), .word(.or), .word(.is), .word(.in), .word(.like), .word(.between), .word(.not), .word(.collate), .word(.as),
            .word(.outer), .word(.all), .word(.distinct):
            guard !isBehindOperand || contains(.end) && !contains(.infix) && isInfix(expectation), case .word(let word) = expectation
            else { return nil }
            return word.spelling
        case .word(.left), .word(.inner), .word(.cross): return "JOIN"
        case .word(.group): return "GROUP BY"
        case .word(.order): return "ORDER BY"
        case .word(let word): return word.spelling
        case .symbol(";"): return contains(.end) ? nil : "\";\""
        case .symbol(let symbol):
            if isBehindOperand, ![",", ")", "]", "}", ";"].contains(symbol) { return nil }
            return "\"\(symbol)\""
        case .infix: return "an operator"
        case .betweenAnd: return "AND"
        case .name: return isBehindOperand ? nil : "a name"
        case .string: return "a string"
        case .integer: return "a whole number"
        case .collation: return "CASE, NOCASE, DIAC, NODIAC, UNICODE, NOUNICODE"
        case .end: return "the end"
        case .expression, .closingQuote: return nil
        }
    }
}
