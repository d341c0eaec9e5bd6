import CBLLanguage

extension QueryExpression {
    /// The same expression with parts of it replaced by what `replace` gives for them; where that is nil, their own parts are asked about.
    /// Nested selects are left as they are.
    func replacing(_ replace: (QueryExpression) -> QueryExpression?) -> QueryExpression {
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

    /// The parameters that it names, outside of nested selects.
    var parameterNames: [String] {
        var names: [String] = []
        _ = replacing { part in
            if case .parameter(let name) = part.node { names.append(name) }
            return nil
        }
        return names
    }

    /// The first property that it names.
    var firstProperty: QueryExpression? {
        var found: QueryExpression?
        _ = replacing { part in
            switch part.node {
            case .property, .meta: found = found ?? part
            default: break
            }
            return nil
        }
        return found
    }

    /// `*`, or `alias.*`.
    var isWholeDocument: Bool {
        guard case .property(let path) = node else { return false }
        return path.endsInStar || path.components.isEmpty
    }

    /// With columns of a select in place of their titles.
    func naming(_ columns: [String: QueryExpression]) -> QueryExpression {
        replacing { part in
            guard case .property(let path) = part.node, case .name(let title) = path.components.first, let column = columns[title] else {
                return nil
            }
            if path.components.count == 1 { return column }
            return QueryExpression(.member(column, PropertyPath(Array(path.components.dropFirst()))), range: part.range)
        }
    }

    private var isNewID: Bool {
        if case .function("uuid", let arguments) = node { arguments.isEmpty } else { false }
    }

    /// With an ID in place of each `UUID()`.
    func generatingIDs() -> QueryExpression {
        replacing { $0.isNewID ? QueryExpression(.string(InsertedRows.newID()), range: $0.range) : nil }
    }

    /// With a mark in place of each `UUID()`, where each row needs IDs of its own.
    func markingIDs() -> QueryExpression {
        replacing { $0.isNewID ? QueryExpression(.string(InsertedRows.idMark), range: $0.range) : nil }
    }
}
