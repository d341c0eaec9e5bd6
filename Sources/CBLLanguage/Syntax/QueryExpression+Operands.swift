extension QueryExpression {
    /// The expressions that this one is made of, from left to right; those of a subquery are not among them.
    package var operands: [QueryExpression] {
        switch node {
        case .array(let items): items
        case .dictionary(let members): members.map(\.value)
        case .operation(_, let operands), .function(_, let operands): operands
        case .member(let operand, _), .exists(let operand), .collate(_, let operand), .match(_, let operand), .blob(let operand): [operand]
        case .quantified(_, _, let collection, let predicate): [collection, predicate]
        case .conditional(let test, let branches, let otherwise):
            [test].compactMap { $0 } + branches.flatMap { [$0.when, $0.then] } + [otherwise].compactMap { $0 }
        case .missing, .null, .boolean, .integer, .unsigned, .float, .string, .parameter, .property, .variable, .select, .meta, .rank: []
        }
    }

    /// The first expression that fits, this one or one within it.
    package func first(where isWanted: (QueryExpression) -> Bool) -> QueryExpression? {
        var pending = [self]
        while let expression = pending.popLast() {
            if isWanted(expression) { return expression }
            pending += expression.operands.reversed()
        }
        return nil
    }
}
