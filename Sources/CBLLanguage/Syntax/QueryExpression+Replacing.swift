extension QueryExpression {
    /// The same expression with parts of it replaced by what `replace` gives for them; where that is nil, their own parts are asked about.
    /// Nested selects are left as they are.
    package func replacing(_ replace: (QueryExpression) -> QueryExpression?) -> QueryExpression {
        if let replacement = replace(self) { return replacement }
        func list(_ expressions: [QueryExpression]) -> [QueryExpression] { expressions.map { $0.replacing(replace) } }
        var copy = self
        switch node {
        case .missing, .null, .boolean, .integer, .unsigned, .float, .string, .parameter, .property, .variable, .select, .meta, .rank: break
        case .array(let items): copy.node = .array(list(items))
        case .dictionary(let members): copy.node = .dictionary(members.map { Member($0.key, $0.value.replacing(replace)) })
        case .member(let object, let path): copy.node = .member(object.replacing(replace), path)
        case .operation(let operation, let operands): copy.node = .operation(operation, list(operands))
        case .exists(let operand): copy.node = .exists(operand.replacing(replace))
        case .quantified(let quantifier, let variable, let collection, let predicate):
            copy.node = .quantified(
                quantifier, variable: variable, collection: collection.replacing(replace), predicate: predicate.replacing(replace))
        case .conditional(let test, let branches, let otherwise):
            copy.node = .conditional(
                test: test?.replacing(replace),
                branches: branches.map { Branch(when: $0.when.replacing(replace), then: $0.then.replacing(replace)) },
                otherwise: otherwise?.replacing(replace))
        case .collate(let collation, let operand): copy.node = .collate(collation, operand.replacing(replace))
        case .match(let index, let query): copy.node = .match(index: index, query.replacing(replace))
        case .function(let name, let arguments): copy.node = .function(name, list(arguments))
        case .blob(let operand): copy.node = .blob(operand.replacing(replace))
        }
        return copy
    }
}
