extension QueryExpression {
    /// Makes references to a quantifier's variable of the properties that begin with its name.
    ///
    /// Members of object literals and subqueries are left alone, and the name is compared with the path as JSON has it, where `.`, `$` and
    /// `[` in names are escaped: so does the vendor's parser.
    mutating func bind(_ variable: String) {
        switch node {
        case .property(let path):
            if path.jsonForm.isPath(under: "." + variable) { node = path.asVariable }
        case .array(var items):
            for index in items.indices { items[index].bind(variable) }
            node = .array(items)
        case .operation(let operation, var operands):
            for index in operands.indices { operands[index].bind(variable) }
            node = .operation(operation, operands)
        case .function(let name, var arguments):
            for index in arguments.indices { arguments[index].bind(variable) }
            node = .function(name, arguments)
        case .member(var object, let path):
            object.bind(variable)
            node = .member(object, path)
        case .exists(var operand):
            operand.bind(variable)
            node = .exists(operand)
        case .quantified(let quantifier, let name, var collection, var predicate):
            collection.bind(variable)
            predicate.bind(variable)
            node = .quantified(quantifier, variable: name, collection: collection, predicate: predicate)
        case .conditional(var test, var branches, var otherwise):
            test?.bind(variable)
            for index in branches.indices {
                branches[index].when.bind(variable)
                branches[index].then.bind(variable)
            }
            otherwise?.bind(variable)
            node = .conditional(test: test, branches: branches, otherwise: otherwise)
        case .collate(let collation, var operand):
            operand.bind(variable)
            node = .collate(collation, operand)
        case .match(let index, var query):
            query.bind(variable)
            node = .match(index: index, query)
        case .blob(var operand):
            operand.bind(variable)
            node = .blob(operand)
        case .missing, .null, .boolean, .integer, .unsigned, .float, .string, .dictionary, .parameter, .variable, .select, .meta, .rank:
            break
        }
    }
}

extension String {
    fileprivate func isPath(under prefix: String) -> Bool {
        guard utf8.starts(with: prefix.utf8) else { return false }
        let next = utf8.dropFirst(prefix.utf8.count).first
        return next == nil || next == UInt8(ascii: ".") || next == UInt8(ascii: "[")
    }
}

extension PropertyPath {
    /// The path as that of a variable: its first name is the variable's.
    fileprivate var asVariable: QueryExpression.Node {
        guard case .name(let name) = components.first else { return .variable("", self) }
        return .variable(name, PropertyPath(Array(components.dropFirst()), endsInStar: endsInStar))
    }
}
