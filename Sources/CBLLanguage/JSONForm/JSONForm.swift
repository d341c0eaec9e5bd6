import CBLFleece

extension Select {
    /// The query in the vendor's JSON form, the keys of objects in order.
    package func jsonForm() -> String {
        var writer = JSONFormWriter()
        writer.write(self)
        return writer.buffer.string
    }
}

extension QueryExpression {
    /// The expression in the vendor's JSON form, the keys of objects in order.
    package func jsonForm() -> String {
        var writer = JSONFormWriter()
        writer.write(self)
        return writer.buffer.string
    }
}

/// Writes syntax trees as JSON. The keys of each object are given in order.
struct JSONFormWriter: ~Copyable {
    var buffer = ByteBuffer()

    // Selects

    mutating func write(_ select: Select) {
        var members = Members()
        if select.isDistinct {
            begin("DISTINCT", &members)
            buffer.append("true")
        }
        if !select.sources.isEmpty {
            begin("FROM", &members)
            writeArray(select.sources) { writer, source in writer.write(source) }
        }
        if !select.groupBy.isEmpty {
            begin("GROUP_BY", &members)
            writeArray(select.groupBy) { writer, key in writer.write(key) }
        }
        write("HAVING", select.having, &members)
        write("LIMIT", select.limit, &members)
        write("OFFSET", select.offset, &members)
        if !select.orderBy.isEmpty {
            begin("ORDER_BY", &members)
            writeArray(select.orderBy) { writer, ordering in
                if let direction = ordering.direction {
                    writer.writeOperation(direction, [ordering.expression])
                } else {
                    writer.write(ordering.expression)
                }
            }
        }
        if !select.results.isEmpty {
            begin("WHAT", &members)
            writeArray(select.results) { writer, result in
                guard let alias = result.alias else { return writer.write(result.expression) }
                writer.buffer.append("[\"AS\",")
                writer.write(result.expression)
                writer.writeComma()
                writer.write(string: alias)
                writer.buffer.append("]")
            }
        }
        write("WHERE", select.condition, &members)
        end(&members)
    }

    private mutating func write(_ source: Select.Source) {
        var members = Members()
        switch source.origin {
        case .collection(let scope, let name):
            write("AS", source.alias.map(PropertyPath.escaped), &members)
            write("COLLECTION", name.map(JSONFormWriter.escapedDots), &members)
            write("JOIN", source.join, &members)
            write("ON", source.on, &members)
            write("SCOPE", scope.map(JSONFormWriter.escapedDots), &members)
        case .unnest(let expression):
            write("AS", source.alias, &members)
            write("UNNEST", expression, &members)
        }
        end(&members)
    }

    private static func escapedDots(_ name: String) -> String {
        name.unicodeScalars.split(separator: ".", omittingEmptySubsequences: false).map { String($0) }.joined(separator: "\\.")
    }

    // Expressions

    mutating func write(_ expression: QueryExpression) {
        switch expression.node {
        case .missing: buffer.append("[\"MISSING\"]")
        case .null: buffer.append("null")
        case .boolean(let value): buffer.append(value ? "true" : "false")
        case .integer(let value): buffer.append(decimal: value)
        case .unsigned(let value): buffer.append(decimal: value)
        case .float(let value): write(value)
        case .string(let value): write(string: value)
        case .array(let items): writeOperation("[]", items)
        case .dictionary(let members): write(members)
        case .parameter(let name): writeOperation("$" + name, [])
        case .property(let path): writeOperation(path.jsonForm, [])
        case .variable(let name, let path): writeOperation(JSONFormWriter.variable(name, path), [])
        case .member(let object, let path):
            beginOperation("_.", [object])
            writeEnd(path.jsonForm)
        case .operation: writeInfix(expression)
        case .exists(let operand): writeOperation("EXISTS", [operand])
        case .select(let select):
            buffer.append("[\"SELECT\",")
            write(select)
            buffer.append("]")
        case .quantified(let quantifier, let variable, let collection, let predicate):
            beginOperation(quantifier.rawValue, [])
            writeComma()
            write(string: variable)
            writeOperands([collection, predicate])
            buffer.append("]")
        case .conditional(let test, let branches, let otherwise):
            beginOperation("CASE", [test ?? QueryExpression(.null)])
            for branch in branches { writeOperands([branch.when, branch.then]) }
            if let otherwise { writeOperands([otherwise]) }
            buffer.append("]")
        case .collate(let collation, let operand): write(collation, operand)
        case .meta(let source):
            beginOperation("meta()", [])
            writeEnd(source)
        case .match(let index, let query):
            beginOperation("MATCH()", [])
            writeComma()
            write(string: index)
            writeOperands([query])
            buffer.append("]")
        case .rank(let index):
            beginOperation("RANK()", [])
            writeEnd(index)
        case .function(let name, let arguments): writeOperation((expression.spelling ?? name) + "()", arguments)
        case .blob(let operand): writeOperation("BLOB", [operand])
        }
    }

    /// Chains like `a OR b OR c …` may be long: their left sides are not written by recursion.
    private mutating func writeInfix(_ expression: QueryExpression) {
        var pending: [ArraySlice<QueryExpression>] = []
        var innermost = expression
        while case .operation(let operation, let operands) = innermost.node {
            buffer.append("[")
            write(string: innermost.spelling ?? operation.rawValue)
            pending.append(operands.dropFirst())
            guard let first = operands.first else { break }
            writeComma()
            innermost = first
            if case .operation = first.node { continue }
            write(first)
        }
        for operands in pending.reversed() {
            writeOperands(operands)
            buffer.append("]")
        }
    }

    private static func variable(_ name: String, _ path: PropertyPath) -> String {
        let rest = path.components.isEmpty && !path.endsInStar ? "" : path.jsonForm
        return "?" + PropertyPath.escaped(name) + rest
    }

    private mutating func write(_ members: [QueryExpression.Member]) {
        var written = Members()
        for member in members.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            begin(member.key, &written)
            write(member.value)
        }
        end(&written)
    }

    private mutating func write(_ collation: Collation, _ operand: QueryExpression) {
        beginOperation("COLLATE", [])
        writeComma()
        var members = Members()
        write("CASE", collation.caseSensitive, &members)
        write("DIAC", collation.diacriticSensitive, &members)
        write("LOCALE", collation.locale, &members)
        write("UNICODE", collation.unicode, &members)
        end(&members)
        writeOperands([operand])
        buffer.append("]")
    }

    // Arrays and objects

    private mutating func writeOperation(_ name: String, _ operands: [QueryExpression]) {
        beginOperation(name, operands)
        buffer.append("]")
    }

    private mutating func beginOperation(_ name: String, _ operands: [QueryExpression]) {
        buffer.append("[")
        write(string: name)
        writeOperands(operands[...])
    }

    private mutating func writeOperands(_ operands: ArraySlice<QueryExpression>) {
        for operand in operands {
            writeComma()
            write(operand)
        }
    }

    /// A string as the last operand, if there is one.
    private mutating func writeEnd(_ text: String?) {
        if let text {
            writeComma()
            write(string: text)
        }
        buffer.append("]")
    }

    private mutating func writeArray<Item>(_ items: [Item], _ write: (inout JSONFormWriter, Item) -> Void) {
        buffer.append("[")
        for (index, item) in items.enumerated() {
            if index > 0 { writeComma() }
            write(&self, item)
        }
        buffer.append("]")
    }

    /// How far an object has come.
    private struct Members { var count = 0 }

    private mutating func begin(_ key: String, _ members: inout Members) {
        buffer.append(UInt8(ascii: members.count == 0 ? "{" : ","))
        members.count += 1
        write(string: key)
        buffer.append(":")
    }

    private mutating func end(_ members: inout Members) {
        if members.count == 0 { buffer.append("{") }
        buffer.append("}")
    }

    private mutating func write(_ key: String, _ value: QueryExpression?, _ members: inout Members) {
        guard let value else { return }
        begin(key, &members)
        write(value)
    }

    private mutating func write(_ key: String, _ value: String?, _ members: inout Members) {
        guard let value else { return }
        begin(key, &members)
        write(string: value)
    }

    private mutating func write(_ key: String, _ value: Bool?, _ members: inout Members) {
        guard let value else { return }
        begin(key, &members)
        buffer.append(value ? "true" : "false")
    }

    /// An infinite number, from a literal beyond all doubles, is one here too.
    private mutating func write(_ number: Double) {
        if number.isFinite {
            JSONWriter.write(double: number, to: &buffer)
        } else {
            buffer.append(number < 0 ? "-1e999" : "1e999")
        }
    }

    private mutating func write(string: String) { JSONWriter.write(string: string, to: &buffer) }
    private mutating func writeComma() { buffer.append(UInt8(ascii: ",")) }
}
