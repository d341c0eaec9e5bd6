/// What infix operators join: literals, properties, calls, parentheses, prefix operators.
extension Parser {
    /// An operand, or a path into its value.
    mutating func member() -> QueryExpression? {
        let start = text.position
        guard let operand = operand() else { return nil }
        return text.byte == UInt8(ascii: ".") ? member(of: operand, from: start) : operand
    }

    private mutating func member(of object: QueryExpression, from start: Int) -> QueryExpression {
        let end = text.position
        guard text.skip("."), let path = path() else {
            text.position = end
            return object
        }
        height += 1
        return node(.member(object, path), from: start)
    }

    /// An operand and the blanks behind it.
    mutating func operand() -> QueryExpression? {
        guard enter() else { return nil }
        defer { leave() }
        let start = text.position
        height = 1
        guard let operand = operand(beginningWith: text.byte) else {
            text.expectedOperand(at: start)
            return nil
        }
        text.skipBlanks()
        return operand
    }

    private mutating func operand(beginningWith byte: UInt8) -> QueryExpression? {
        switch byte {
        case UInt8(ascii: "("): return parenthesized()
        case UInt8(ascii: "["): return arrayLiteral()
        case UInt8(ascii: "{"): return dictionaryLiteral()
        case UInt8(ascii: "+"): return prefixed()
        case UInt8(ascii: "-"): return negative()
        case UInt8(ascii: "$"): return parameter()
        case UInt8(ascii: "*"): return star()
        case UInt8(ascii: "`"): return property()
        default: return Lexer.isLetter(byte) || byte == UInt8(ascii: "_") ? word() : literal()
        }
    }

    /// What begins with a word. Some of the keywords are reserved: then it is nothing else.
    private mutating func word() -> QueryExpression? {
        if text.isNext(.not) { return prefixed() }
        if text.isNext(.case) { return conditional() }
        if text.isNext(.any) || text.isNext(.every) { return quantified() }
        if text.isNext(.exists), let exists = exists() { return exists }
        if text.isNext(.some), let quantified = quantified() { return quantified }
        return literal() ?? function()
    }

    private mutating func literal() -> QueryExpression? {
        let start = text.position
        return literalNode().map { node($0, from: start) }
    }

    /// A negative number, or the operator before an operand.
    private mutating func negative() -> QueryExpression? {
        if let literal = literal() { return literal }
        return prefixed()
    }

    private mutating func star() -> QueryExpression? {
        let start = text.position
        return text.skip("*") ? node(.property(.whole), from: start) : nil
    }

    private mutating func literalNode() -> QueryExpression.Node? {
        if let value = text.floatLiteral() { return .float(value) }
        if let value = text.integerLiteral() { return .integer(value) }
        if text.skip(.true) { return .boolean(true) }
        if text.skip(.false) { return .boolean(false) }
        if let value = text.stringLiteral() { return .string(value) }
        if text.skip(.null) { return .null }
        if text.skip(.missing) { return .missing }
        return nil
    }

    private mutating func parenthesized() -> QueryExpression? {
        let start = text.position
        guard text.skip("(") else { return nil }
        text.skipBlanks()
        guard let expression = expression() else { return fail(to: start) }
        text.skipBlanks()
        guard text.skip(")") else { return fail(to: start) }
        return expression
    }

    /// `-x`, `+x` and `NOT x`, where x is an operand only: `NOT a = b` compares `NOT a` with b.
    private mutating func prefixed() -> QueryExpression? {
        let start = text.position
        let operation: Operator
        if text.skip("-") {
            operation = .subtract
        } else if text.skip("+") {
            operation = .add
        } else if text.skip(.not) {
            operation = .not
        } else {
            return nil
        }
        let sign = text.range(from: start)
        text.skipBlanks()
        guard enter() else { return fail(to: start) }
        defer { leave() }
        guard let operand = operand() else { return fail(to: start) }
        height += 1
        return node(.operation(operation, [operand]), from: start, spelling: text.string(sign))
    }

    private mutating func parameter() -> QueryExpression? {
        let start = text.position
        guard text.skip("$"), let name = text.identifier() else { return fail(to: start) }
        return node(.parameter(name.raw), from: start)
    }

    // Subqueries

    /// `EXISTS (SELECT …)`
    private mutating func exists() -> QueryExpression? {
        let start = text.position
        guard text.skip(.exists), let select = subquery() else { return fail(to: start) }
        height += 2
        return node(.exists(select), from: start)
    }

    /// `(SELECT …)`, without blanks before the word.
    mutating func subquery() -> QueryExpression? {
        let start = text.position
        guard enter(4) else { return nil }
        defer { leave(4) }
        guard text.skip("("), let select = select(), text.skip(")") else { return fail(to: start) }
        height = 1
        return node(.select(select), from: start)
    }

    // Collections

    mutating func arrayLiteral() -> QueryExpression? {
        let start = text.position
        guard text.skip("[") else { return nil }
        text.skipBlanks()
        var items: [QueryExpression] = []
        var highest = 0
        if let first = expression() {
            items.append(first)
            highest = height
            while true {
                let end = text.position
                guard comma(), let item = expression() else {
                    text.position = end
                    break
                }
                items.append(item)
                highest = max(highest, height)
            }
        }
        guard text.skip("]") else { return fail(to: start) }
        height = highest + 1
        return node(.array(items), from: start)
    }

    mutating func dictionaryLiteral() -> QueryExpression? {
        let start = text.position
        guard text.skip("{") else { return nil }
        text.skipBlanks()
        var members: [QueryExpression.Member] = []
        var places: [String: Int] = [:]
        var highest = 0
        var end = text.position
        while let member = dictionaryMember() {
            highest = max(highest, height)
            if let place = places[member.key] {
                members[place] = member
            } else {
                places[member.key] = members.count
                members.append(member)
            }
            end = text.position
            guard comma() else { break }
        }
        text.position = end
        guard text.skip("}") else { return fail(to: start) }
        height = highest + 1
        return node(.dictionary(members), from: start)
    }

    mutating func dictionaryMember() -> QueryExpression.Member? {
        let start = text.position
        guard let key = text.stringLiteral(), text.skip(":") else { return fail(to: start) }
        text.skipBlanks()
        guard let value = expression() else { return fail(to: start) }
        return QueryExpression.Member(key, value)
    }

    /// `(a, b)`, blanks before it included.
    mutating func argumentList() -> [QueryExpression]? {
        guard enter() else { return nil }
        defer { leave() }
        let start = text.position
        text.skipBlanks()
        guard text.skip("(") else { return fail(to: start) }
        text.skipBlanks()
        var arguments: [QueryExpression] = []
        var highest = 0
        if let first = expression() {
            arguments.append(first)
            highest = height
            while true {
                let end = text.position
                guard text.skip(",") else { break }
                text.skipBlanks()
                guard let argument = expression() else {
                    text.position = end
                    break
                }
                arguments.append(argument)
                highest = max(highest, height)
            }
        }
        guard text.skip(")") else { return fail(to: start) }
        height = highest + 1
        return arguments
    }

    // CASE and quantifiers

    private mutating func conditional() -> QueryExpression? {
        let start = text.position
        guard text.skip(.case), enter() else { return fail(to: start) }
        defer { leave() }
        var highest = 0
        var test: QueryExpression?
        if !text.isNext(.when) {
            test = expression()
            highest = height
        }
        var branches: [QueryExpression.Branch] = []
        while let branch = branch() {
            branches.append(branch)
            highest = max(highest, height)
        }
        guard !branches.isEmpty else { return fail(to: start) }
        let otherwise = clause(.else)
        guard text.skip(.end) else { return fail(to: start) }
        height = max(highest, height) + 1
        return node(.conditional(test: test, branches: branches, otherwise: otherwise), from: start)
    }

    private mutating func branch() -> QueryExpression.Branch? {
        let start = text.position
        guard let when = clause(.when) else { return nil }
        let whenHeight = height
        guard let then = clause(.then) else { return fail(to: start) }
        height = max(whenHeight, height)
        return QueryExpression.Branch(when: when, then: then)
    }

    private mutating func quantified() -> QueryExpression? {
        let start = text.position
        let quantifier: Quantifier
        if text.skip(.any) || text.skip(.some) {
            let end = text.position
            if text.skip(.and), text.skip(.every) {
                quantifier = .anyAndEvery
            } else {
                text.position = end
                quantifier = .any
            }
        } else if text.skip(.every) {
            quantifier = .every
        } else {
            return nil
        }
        let place = text.position
        guard !failedQuantifiers.contains(place) else { return fail(to: start) }
        guard let variable = text.identifier(), text.skip(.in), let collection = expression() else {
            return failQuantifier(place, to: start)
        }
        let collectionHeight = height
        text.skipBlanks()
        guard text.skip(.satisfies), var predicate = expression() else { return failQuantifier(place, to: start) }
        height = max(collectionHeight, height) + 1
        text.skipBlanks()
        guard text.skip(.end) else { return failQuantifier(place, to: start) }
        predicate.bind(variable.name)
        return node(
            .quantified(quantifier, variable: variable.name, collection: collection, predicate: predicate), from: start)
    }

    private mutating func failQuantifier(_ place: Int, to start: Int) -> QueryExpression? {
        failedQuantifiers.insert(place)
        return fail(to: start)
    }

    // Limits

    /// Counts a rule that others are nested in, by the room it takes; false if there are too many.
    mutating func enter(_ cost: Int = 1) -> Bool {
        guard limitError == nil else { return false }
        guard nesting + cost <= Limits.nesting else {
            exceed("the query is nested too deeply")
            return false
        }
        nesting += cost
        return true
    }

    mutating func leave(_ cost: Int = 1) { nesting -= cost }

    /// Ends the parse: no operand matches any more.
    mutating func exceed(_ message: String) {
        guard limitError == nil else { return }
        limitError = QueryError.Diagnostic(message, range: SourceRange(text.position, text.position))
    }
}
