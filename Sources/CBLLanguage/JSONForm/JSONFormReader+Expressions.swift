import CBLFleece

extension JSONFormReader {
    // The readers of the forms are functions of their own to keep the frames of the recursion small.

    mutating func expression(_ value: Value) -> QueryExpression {
        switch value.kind {
        case .null: return QueryExpression(.null)
        case .boolean: return QueryExpression(.boolean(value.boolean == true))
        case .integer, .double: return number(value)
        case .string: return QueryExpression(.string(value.string ?? ""))
        case .array: return operation(value)
        case .dictionary: return dictionary(value)
        case .undefined, .data: return fail("an operand is missing")
        }
    }

    private func number(_ value: Value) -> QueryExpression {
        if value.kind == .double { return QueryExpression(.float(value.double ?? 0)) }
        if let integer = value.integer { return QueryExpression(.integer(integer)) }
        return QueryExpression(.unsigned(value.unsigned ?? 0))
    }

    private mutating func dictionary(_ value: Value) -> QueryExpression {
        var members: [QueryExpression.Member] = []
        if let dictionary = value.dictionary {
            for (key, member) in dictionary { members.append(QueryExpression.Member(key.keyString(nil) ?? "", expression(member))) }
        }
        return QueryExpression(.dictionary(members))
    }

    private mutating func operation(_ value: Value) -> QueryExpression {
        guard let array = value.array, let first = array.first else { return fail("operation is missing") }
        guard let name = first.string else { return fail("operation must be a string") }
        if name.isEmpty { return fail("operation must be non-empty") }
        return operation(name, array)
    }

    /// An operation whose operands are the items of an array behind the first.
    mutating func operation(_ name: String, _ array: ArrayView?) -> QueryExpression {
        let count = max((array?.count ?? 0) - 1, 0)
        switch name.asciiUppercased {
        case ".": return property("", array)
        case "$": return parameterOperation(name, array)
        case "?": return variableOperation(name, array)
        case "_.": return memberOperation(name, array)
        case "[]": return QueryExpression(.array(operands(array)))
        case "BLOB": return blob(name, array)
        case "MISSING": return count == 0 ? QueryExpression(.missing) : wrongCount(name)
        case "EXISTS": return count == 1 ? QueryExpression(.exists(operand(array, 1))) : wrongCount(name)
        case "ANY", "EVERY", "ANY AND EVERY": return quantified(name, array)
        case "CASE": return conditional(name, array)
        case "COLLATE": return collate(name, array)
        case "META()": return meta(name, array)
        case "MATCH()": return match(name, array)
        case "RANK()": return rank(name, array)
        case "SELECT": return subselect(name, array)
        case "IN", "NOT IN", "LIKE": return firstTwo(name, array)
        case let upper:
            if let known = Operator(rawValue: upper) {
                let isPrefix = known == .not || count == 1 && (known == .subtract || known == .add)
                return QueryExpression(.operation(known, operands(array)), spelling: isPrefix ? name : nil)
            }
            return prefixed(name, array)
        }
    }

    /// Operators that carry their operand in the name, and functions.
    private mutating func prefixed(_ name: String, _ array: ArrayView?) -> QueryExpression {
        // A mark behind the sign belongs to the name.
        let rest = String(name.unicodeScalars.dropFirst())
        switch name.utf8.first {
        case UInt8(ascii: "."): return property(rest, array)
        case UInt8(ascii: "$"):
            if (array?.count ?? 1) > 1 { return fail("extra operands to '\(name)'") }
            return parameter(rest)
        case UInt8(ascii: "?"): return variable(rest, array, from: 1)
        default: break
        }
        if name.utf8.starts(with: "_.".utf8) {
            guard let array, array.count == 2 else { return fail("expected single arg for '\(name)' object accessor") }
            return member(array, String(name.unicodeScalars.dropFirst(2)), spelling: name)
        }
        guard name.hasSuffix("()") else { return fail("Unknown operator '\(name)'") }
        let typed = String(name.dropLast(2))
        return QueryExpression(.function(typed.asciiLowercased, operands(array)), spelling: typed)
    }

    private mutating func operands(_ array: ArrayView?) -> [QueryExpression] { array?.dropFirst().map { expression($0) } ?? [] }

    private mutating func operand(_ array: ArrayView?, _ index: Int) -> QueryExpression { expression(array?[index] ?? .undefined) }

    private mutating func wrongCount(_ name: String) -> QueryExpression { fail("Wrong number of arguments to \(name)") }

    private mutating func firstTwo(_ name: String, _ array: ArrayView?) -> QueryExpression {
        let count = (array?.count ?? 1) - 1
        guard count >= 2, count <= 3 || name.asciiUppercased != "LIKE", let known = Operator(rawValue: name.asciiUppercased) else {
            return wrongCount(name)
        }
        let first = operand(array, 1)
        return QueryExpression(.operation(known, [first, operand(array, 2)]))
    }

    // Properties

    /// A property by the text of its path alone.
    mutating func property(_ path: String) -> QueryExpression { property(path, nil) }

    private mutating func property(_ path: String, _ array: ArrayView?) -> QueryExpression {
        guard var path = readPath(path) else { return QueryExpression(.missing) }
        appendComponents(array, from: 1, to: &path)
        return QueryExpression(.property(path))
    }

    private mutating func readPath(_ text: String) -> PropertyPath? {
        // A dollar sign is part of a name here.
        if let path = PropertyPath(text: text) { return path }
        fail("invalid property path '\(text)'")
        return nil
    }

    private mutating func appendComponents(_ array: ArrayView?, from start: Int, to path: inout PropertyPath) {
        guard let array else { return }
        for component in array.dropFirst(start) {
            if let name = component.string {
                path.components.append(.name(name))
            } else if let subscripted = component.array {
                if subscripted.count != 1 {
                    fail("Property array index must have exactly one item")
                } else if subscripted[0].kind == .integer, let index = subscripted[0].integer {
                    guard let index = Int32(exactly: index) else {
                        fail("array index out of bounds in property path")
                        continue
                    }
                    path.components.append(.index(Int(index)))
                } else {
                    fail("Property array index must be an integer")
                }
            } else {
                fail("Invalid JSON value in property path")
            }
        }
    }

    private mutating func memberOperation(_ name: String, _ array: ArrayView?) -> QueryExpression {
        guard let array, array.count == 3 else { return wrongCount(name) }
        guard let path = array[2].string else { return fail("the path in \(name) must be a string") }
        return member(array, path, spelling: path)
    }

    /// The spelling is kept where it is not the one that SQL++ would give: it is part of the SQL.
    private mutating func member(_ array: ArrayView, _ text: String, spelling: String) -> QueryExpression {
        let object = operand(array, 1)
        guard let path = readPath(text) else { return QueryExpression(.missing) }
        if path.components.isEmpty { return fail("invalid property path '\(text)'") }
        return QueryExpression(.member(object, path), spelling: spelling == path.jsonForm ? nil : spelling)
    }

    // Parameters and variables

    private mutating func parameterOperation(_ name: String, _ array: ArrayView?) -> QueryExpression {
        guard let array, array.count == 2 else { return wrongCount(name) }
        if let number = array[1].integer { return parameter(String(number)) }
        guard let text = array[1].string else { return fail("Invalid query parameter name '\(array[1].json())'") }
        return parameter(text)
    }

    private mutating func parameter(_ name: String) -> QueryExpression { QueryExpression(.parameter(name)) }

    private mutating func variableOperation(_ name: String, _ array: ArrayView?) -> QueryExpression {
        guard let array, array.count >= 2 else { return wrongCount(name) }
        guard let text = array[1].string else { return fail("variable name must be a string") }
        return variable(text, array, from: 2)
    }

    private mutating func variable(_ text: String, _ array: ArrayView?, from start: Int) -> QueryExpression {
        guard var path = readPath(text) else { return QueryExpression(.missing) }
        appendComponents(array, from: start, to: &path)
        guard let first = path.components.first else { return fail("invalid variable name") }
        guard case .name(let name) = first, name.isPlainIdentifier else { return fail("Invalid variable name '\(text)'") }
        path.components.removeFirst()
        return QueryExpression(.variable(name, path))
    }

    // Forms with operands of their own

    private mutating func blob(_ name: String, _ array: ArrayView?) -> QueryExpression {
        guard let array, array.count == 2 else { return wrongCount(name) }
        return QueryExpression(.blob(array[1].string.map { property($0) } ?? expression(array[1])))
    }

    private mutating func quantified(_ name: String, _ array: ArrayView?) -> QueryExpression {
        guard let array, array.count == 4, let quantifier = Quantifier(rawValue: name.asciiUppercased) else { return wrongCount(name) }
        guard let variable = array[1].string, variable.isPlainIdentifier else { return fail("invalid variable name in ANY/EVERY") }
        let collection = operand(array, 2)
        return QueryExpression(.quantified(quantifier, variable: variable, collection: collection, predicate: operand(array, 3)))
    }

    private mutating func conditional(_ name: String, _ array: ArrayView?) -> QueryExpression {
        guard let array, array.count >= 4 else { return wrongCount(name) }
        let test = array[1].isNull ? nil : expression(array[1])
        var branches: [QueryExpression.Branch] = []
        var next = 2
        while next + 1 < array.count {
            let when = operand(array, next)
            branches.append(QueryExpression.Branch(when: when, then: operand(array, next + 1)))
            next += 2
        }
        let otherwise = next < array.count ? operand(array, next) : nil
        return QueryExpression(.conditional(test: test, branches: branches, otherwise: otherwise))
    }

    private mutating func collate(_ name: String, _ array: ArrayView?) -> QueryExpression {
        guard let array, array.count == 3 else { return wrongCount(name) }
        guard let options = array[1].dictionary else { return fail("COLLATE dict must be a dictionary") }
        let collation = Collation(
            unicode: member(options, "UNICODE").map(isTrue), caseSensitive: member(options, "CASE").map(isTrue),
            diacriticSensitive: member(options, "DIAC").map(isTrue), locale: member(options, "LOCALE").flatMap(\.string))
        return QueryExpression(.collate(collation, operand(array, 2)))
    }

    private mutating func meta(_ name: String, _ array: ArrayView?) -> QueryExpression {
        guard let array, array.count > 1 else { return QueryExpression(.meta(source: nil)) }
        guard array.count == 2 else { return wrongCount(name) }
        guard let source = array[1].string else { return fail("meta() argument must be a string") }
        return source.isEmpty ? fail("meta() argument must be non-empty") : QueryExpression(.meta(source: source))
    }

    private mutating func match(_ name: String, _ array: ArrayView?) -> QueryExpression {
        guard let array, array.count == 3 else { return wrongCount(name) }
        guard let index = array[1].string, !index.isEmpty else { return fail("first arg of MATCH() must be an index name") }
        return QueryExpression(.match(index: index, operand(array, 2)))
    }

    private mutating func rank(_ name: String, _ array: ArrayView?) -> QueryExpression {
        guard let array, array.count == 2 else { return wrongCount(name) }
        guard let index = array[1].string, !index.isEmpty else { return fail("first arg of RANK() must be an index name") }
        return QueryExpression(.rank(index: index))
    }

    private mutating func subselect(_ name: String, _ array: ArrayView?) -> QueryExpression {
        guard let array, array.count == 2 else { return wrongCount(name) }
        return QueryExpression(.select(select(operandOf: array)))
    }
}
