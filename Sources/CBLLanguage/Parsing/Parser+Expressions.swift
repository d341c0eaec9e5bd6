/// Expressions of operands and infix operators, from the loosest to the tightest.
extension Parser {
    mutating func expression() -> QueryExpression? {
        guard enter() else { return nil }
        defer { leave() }
        let start = text.position
        guard let operand = arithmetic() else { return nil }
        return expression(beginningWith: operand, from: start)
    }

    // The operand at the beginning is where expressions are nested mostly. Being on the stack meanwhile, what calls it is kept small.
    private mutating func expression(beginningWith operand: QueryExpression, from start: Int) -> QueryExpression? {
        guard let comparison = comparison(beginningWith: operand, from: start),
            let conjunction = chain(.and, beginningWith: comparison, from: start),
            let disjunction = chain(.or, beginningWith: conjunction, from: start)
        else { return nil }
        return collated(disjunction, from: start)
    }

    private mutating func collated(_ expression: QueryExpression, from start: Int) -> QueryExpression {
        let end = text.position
        text.skipBlanks()
        guard let collation = collateSuffix() else {
            text.position = end
            return expression
        }
        height += 1
        return node(.collate(collation, expression), from: start)
    }

    private mutating func conjunction() -> QueryExpression? {
        guard enter() else { return nil }
        defer { leave() }
        let start = text.position
        guard let comparison = comparison() else { return nil }
        return chain(.and, beginningWith: comparison, from: start)
    }

    private mutating func comparison() -> QueryExpression? {
        guard enter() else { return nil }
        defer { leave() }
        let start = text.position
        guard let operand = arithmetic() else { return nil }
        return comparison(beginningWith: operand, from: start)
    }

    /// `OR` and what follows it, or `AND`, as often as it is there.
    private mutating func chain(_ operation: Operator, beginningWith first: QueryExpression, from start: Int) -> QueryExpression? {
        var left = first
        while true {
            let end = text.position
            let leftHeight = height
            text.skipBlanks()
            guard text.skip(operation == .or ? .or : .and), let right = operation == .or ? conjunction() : comparison() else {
                text.position = end
                height = leftHeight
                return left
            }
            guard let joined = join(left, operation, right, leftHeight: leftHeight, from: start) else { return fail(to: start) }
            left = joined
        }
    }

    /// Makes an infix operation, if that is not too high.
    private mutating func join(
        _ left: QueryExpression, _ operation: Operator, _ right: QueryExpression, leftHeight: Int, from start: Int
    ) -> QueryExpression? {
        height = max(leftHeight, height) + 1
        guard height <= Limits.height else {
            exceed("the expression has more than \(Limits.height) operators within each other")
            return nil
        }
        return node(.operation(operation, [left, right]), from: start)
    }

    // Comparisons

    /// The operators that compare. All but equality and `IS` take arithmetic on both sides, and nothing can follow them.
    private mutating func comparison(beginningWith left: QueryExpression, from start: Int) -> QueryExpression? {
        let leftHeight = height
        if let test = postfixTest(left, from: start) ?? membership(left, from: start) ?? pattern(left, from: start)
            ?? interval(left, from: start)
        {
            height = max(leftHeight, height) + 1
            return test
        }
        height = leftHeight
        return equalities(left, from: start)
    }

    /// `NOT NULL`, `IS [NOT] NULL`, `IS [NOT] MISSING`, `IS [NOT] VALUED`
    private mutating func postfixTest(_ operand: QueryExpression, from start: Int) -> QueryExpression? {
        let end = text.position
        if text.skip(.not) {
            let place = text.position
            guard text.skip(.null) else { return fail(to: end) }
            return node(.operation(.isNot, [operand, node(.null, from: place)]), from: start)
        }
        guard text.skip(.is) else { return nil }
        let isNegated = text.skip(.not)
        let place = text.position
        if text.skip(.null) {
            return node(.operation(isNegated ? .isNot : .is, [operand, node(.null, from: place)]), from: start)
        }
        if text.skip(.missing) {
            return node(.operation(isNegated ? .isNot : .is, [operand, node(.missing, from: place)]), from: start)
        }
        guard text.skip(.valued) else { return fail(to: end) }
        let test = node(.operation(.isValued, [operand]), from: start)
        return isNegated ? node(.operation(.not, [test]), from: start) : test
    }

    /// `[NOT] IN` a list in parentheses or an array literal.
    private mutating func membership(_ operand: QueryExpression, from start: Int) -> QueryExpression? {
        guard enter() else { return nil }
        defer { leave() }
        let end = text.position
        text.skipBlanks()
        let isNegated = text.skip(.not)
        guard text.skip(.in) else { return fail(to: end) }
        let place = text.position
        // The vendor's grammar knows subqueries here only to refuse them; the place of the error is behind them.
        _ = subquery()
        text.position = place
        height = 0
        let list: QueryExpression
        if let items = argumentList() {
            list = node(.array(items), from: place)
        } else if let array = arrayLiteral() {
            list = array
        } else {
            return fail(to: end)
        }
        height += 1
        return node(.operation(isNegated ? .notIn : .in, [operand, list]), from: start)
    }

    private mutating func pattern(_ operand: QueryExpression, from start: Int) -> QueryExpression? {
        let end = text.position
        text.skipBlanks()
        let isNegated = text.skip(.not)
        guard text.skip(.like), let pattern = arithmetic() else { return fail(to: end) }
        return node(.operation(.like, [operand, pattern]), negatedIf: isNegated, from: start)
    }

    private mutating func interval(_ operand: QueryExpression, from start: Int) -> QueryExpression? {
        let end = text.position
        let isNegated = text.skip(.not)
        guard text.skip(.between), let low = arithmetic() else { return fail(to: end) }
        let lowHeight = height
        guard text.skip(.and) || text.expected(.betweenAnd, at: text.position), let high = arithmetic() else { return fail(to: end) }
        height = max(lowHeight, height)
        return node(.operation(.between, [operand, low, high]), negatedIf: isNegated, from: start)
    }

    private mutating func node(_ node: QueryExpression.Node, negatedIf isNegated: Bool, from start: Int) -> QueryExpression {
        let expression = self.node(node, from: start)
        guard isNegated else { return expression }
        height += 1
        return self.node(.operation(.not, [expression]), from: start)
    }

    private mutating func equalities(_ first: QueryExpression, from start: Int) -> QueryExpression? {
        var left = first
        while true {
            let end = text.position
            let leftHeight = height
            text.skipBlanks()
            guard let operation = equality() else {
                text.position = end
                return left
            }
            text.skipBlanks()
            guard let right = arithmetic() else {
                text.position = end
                height = leftHeight
                return left
            }
            guard let joined = join(left, operation, right, leftHeight: leftHeight, from: start) else { return fail(to: start) }
            left = joined
        }
    }

    private mutating func equality() -> Operator? {
        if text.skip("==") || text.skip("=") { return .equal }
        if text.skip("<>") || text.skip("!=") { return .notEqual }
        guard text.skip(.is) else { return nil }
        return text.skip(.not) ? .isNot : .is
    }

    // Arithmetic

    /// The infix operators that bind tighter than equality, by levels from the tightest. Within a level what comes first is tried first.
    private static let levels: [[(symbol: StaticString, operation: Operator)]] = [
        [("||", .concatenate)],
        [("*", .multiply), ("/", .divide), ("%", .modulo)],
        [("-", .subtract), ("+", .add)],
        [("<<", .shiftLeft), (">>", .shiftRight), ("&", .bitAnd), ("|", .bitOr)],
        [("<=", .lessOrEqual), ("<", .less), (">=", .greaterOrEqual), (">", .greater)],
    ]

    /// Operands joined by operators of the first `limit` levels, by precedence climbing: one call where the grammar has a rule per level.
    mutating func arithmetic(_ limit: Int = levels.count) -> QueryExpression? {
        guard enter() else { return nil }
        defer { leave() }
        let start = text.position
        guard let operand = member() else { return nil }
        return Parser.mayBeginInfix(text.byte) || text.expectations != nil
            ? arithmetic(limit, beginningWith: operand, from: start) : operand
    }

    private mutating func arithmetic(_ limit: Int, beginningWith first: QueryExpression, from start: Int) -> QueryExpression? {
        var left = first
        var level = 0
        while level < limit {
            let end = text.position
            let leftHeight = height
            text.skipBlanks()
            if let operation = infix(level) {
                text.skipBlanks()
                if let right = arithmetic(level) {
                    guard let joined = join(left, operation, right, leftHeight: leftHeight, from: start) else { return fail(to: start) }
                    left = joined
                    continue
                }
                height = leftHeight
            }
            // A symbol may be the beginning of one on a looser level: `<` of `<>`.
            text.position = end
            level += 1
        }
        return left
    }

    private mutating func infix(_ level: Int) -> Operator? {
        // Most often there is nothing of the kind.
        guard Parser.mayBeginInfix(text.byte) else {
            text.expected(.infix, at: text.position)
            return nil
        }
        for (symbol, operation) in Parser.levels[level] where text.skip(symbol) { return operation }
        return nil
    }

    private static func mayBeginInfix(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "|"), UInt8(ascii: "*"), UInt8(ascii: "/"), UInt8(ascii: "%"), UInt8(ascii: "-"), UInt8(ascii: "+"),
            UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"):
            true
        default: false
        }
    }
}
