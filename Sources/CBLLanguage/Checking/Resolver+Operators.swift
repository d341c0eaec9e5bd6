extension Operator {
    /// How many operands it takes; nil if the reference knows it only to refuse it.
    fileprivate var arity: ClosedRange<Int>? {
        switch self {
        case .not, .isValued: 1...1
        case .subtract: 1...2
        case .divide, .modulo, .less, .lessOrEqual, .greater, .greaterOrEqual, .equal, .notEqual, .is, .isNot, .in, .notIn, .like: 2...2
        case .concatenate, .multiply, .add, .and, .or: 2...Int.max
        case .between: 3...3
        case .shiftLeft, .shiftRight, .bitAnd, .bitOr: nil
        }
    }

    /// How tightly the operator binds in SQL, and what it gives; nil for what is not written between its operands.
    fileprivate var infix: (rank: Int, kind: ResultKind)? {
        switch self {
        case .multiply, .divide, .modulo: (Rank.product, .scalar)
        case .add, .subtract: (Rank.sum, .scalar)
        case .less, .lessOrEqual, .greater, .greaterOrEqual: (Rank.comparison, .boolean)
        case .equal, .notEqual: (Rank.equality, .boolean)
        case .and, .or: (Rank.conjunction, .boolean)
        default: nil
        }
    }
}

extension Resolver {
    /// An operation. `a OR b OR c …` is a tree as deep as it is long, but a text that is only long: its left operands are walked in a loop.
    func operation(_ expression: QueryExpression, _ allowsMatch: Bool) -> Term {
        var chain: [(expression: QueryExpression, allowsMatch: Bool)] = []
        var current = expression
        var allowsMatch = allowsMatch
        while case .operation(let `operator`, let operands) = current.node {
            allowsMatch = allowsMatch && `operator` == .and
            guard `operator`.infix != nil, operands.count > 1, case .operation(let inner, let more) = operands[0].node, inner.infix != nil,
                more.count > 1
            else { break }
            chain.append((current, allowsMatch))
            guard chain.count < Translator.maximumChain else {
                return fail("the expression is too long: more than \(Translator.maximumChain) operators in a row", expression.range)
            }
            current = operands[0]
        }
        var term = step(current, first: nil, allowsMatch)
        for link in chain.reversed() { term = step(link.expression, first: term, link.allowsMatch) }
        return term
    }

    /// One operation, whose first operand may be resolved already.
    private func step(_ expression: QueryExpression, first: Term?, _ allowsMatch: Bool) -> Term {
        guard case .operation(let `operator`, let operands) = expression.node else { return .missing }
        if `operator` == .in || `operator` == .notIn, operands.count == 2 { return membership(operands, isNegated: `operator` == .notIn) }
        var terms: [Term] = []
        terms.reserveCapacity(operands.count)
        for (place, operand) in operands.enumerated() {
            if place == 0, let first {
                terms.append(first)
            } else {
                self.allowsMatch = allowsMatch
                terms.append(resolve(operand))
            }
        }
        let name = expression.spelling ?? `operator`.rawValue
        guard let arity = `operator`.arity else { return fail("Unknown operator '\(name)'", expression.range) }
        guard arity.contains(operands.count) else { return fail("Wrong number of arguments to \(name)", expression.range) }
        return build(`operator`, terms, operands)
    }

    private func build(_ operator: Operator, _ terms: [Term], _ operands: [QueryExpression]) -> Term {
        switch `operator` {
        case .subtract where terms.count == 1: return .prefix("-", terms[0], .scalar)
        case .not: return .prefix("NOT", terms[0], .boolean)
        case .concatenate: return .call("concat", terms, .scalar)
        case .isValued: return .call("isvalued", terms, .boolean)
        case .is, .isNot:
            // For SQLite, null is a value like others; only MISSING is what IS means.
            let isNull = operands[1].node == .null
            let name = `operator` == .is ? (isNull ? "=" : "IS") : (isNull ? "!=" : "IS NOT")
            return .infix(name, rank: Rank.equality, terms, .boolean)
        case .like: return like(collated(terms[0]), terms[1])
        case .between: return .between(terms[0], terms[1], terms[2])
        default:
            guard let infix = `operator`.infix else { return .missing }
            var terms = terms
            terms[0] = collated(terms[0])
            return .infix(`operator`.rawValue, rank: infix.rank, terms, infix.kind)
        }
    }

    /// The first operand of the first operation inside a COLLATE bears the collation.
    private func collated(_ term: Term) -> Term {
        if isCollationApplied { return term }
        isCollationApplied = true
        return .collate(term, collation.sqlName)
    }

    private func like(_ text: Term, _ pattern: Term) -> Term {
        // SQLite's own LIKE knows no collations.
        if case .collate(let text, let name) = text, name != CurrentCollation.binary { return .like(text, pattern, collation: name) }
        return .like(text, pattern, collation: nil)
    }

    private func membership(_ operands: [QueryExpression], isNegated: Bool) -> Term {
        let value = resolve(operands[0])
        if case .array(let items) = operands[1].node { return .membership(value, isNegated: isNegated, items.map { resolve($0) }) }
        let call = Term.call("array_contains", [resolve(operands[1]), value], .boolean)
        return isNegated ? .prefix("NOT", call, .boolean) : call
    }
}
