/// Calls of functions, and properties.
extension Parser {
    /// A call or a property. The names of `META`, `MATCH`, `RANK` and `PREDICTION` are functions if a parenthesis follows, and so are those
    /// that are known: then there is no way back, as nothing that a property could be followed by begins with a parenthesis.
    mutating func function() -> QueryExpression? {
        let start = text.position
        if opens("meta") { return meta(from: start) }
        if opens("match") { return match(from: start) }
        if opens("rank") { return rank(from: start) }
        if opens("prediction") { return prediction(from: start) }
        return property()
    }

    /// Passes over `name (`. There is no word break, as the parenthesis has to follow.
    mutating func opens(_ name: String) -> Bool {
        let start = text.position
        guard text.skip(letters: name) else { return false }
        text.skipBlanks()
        guard text.skip("(") else {
            text.position = start
            return false
        }
        text.skipBlanks()
        return true
    }

    mutating func meta(from start: Int) -> QueryExpression? {
        let source = metaSource()
        guard text.skip(")") else { return fail(to: start) }
        return node(.meta(source: source), from: start)
    }

    private mutating func metaSource() -> String? {
        guard var source = text.identifier()?.name else { return nil }
        while true {
            let end = text.position
            guard text.skip(".") else { return source }
            text.skipBlanks()
            guard let name = text.identifier() else {
                text.position = end
                return source
            }
            source += "." + name.name
        }
    }

    private mutating func match(from start: Int) -> QueryExpression? {
        guard let index = index(), text.skip(",") else { return fail(to: start) }
        text.skipBlanks()
        guard let query = expression() else { return fail(to: start) }
        text.skipBlanks()
        guard text.skip(")") else { return fail(to: start) }
        height += 1
        return node(.match(index: index, query), from: start)
    }

    private mutating func rank(from start: Int) -> QueryExpression? {
        guard let index = index(), text.skip(")") else { return fail(to: start) }
        return node(.rank(index: index), from: start)
    }

    /// An index, which a source may qualify.
    private mutating func index() -> String? {
        guard let first = text.identifier() else { return nil }
        let end = text.position
        guard text.skip(".") else { return first.name }
        text.skipBlanks()
        guard let name = text.identifier() else {
            text.position = end
            return first.name
        }
        return first.name.isEmpty ? name.name : PropertyPath.escaped(first.name) + "." + name.name
    }

    private mutating func prediction(from start: Int) -> QueryExpression? {
        let place = text.position
        guard let model = text.identifier() else { return fail(to: start) }
        var arguments = [QueryExpression(.string(model.name), range: text.range(from: place))]
        guard text.skip(",") else { return fail(to: start) }
        text.skipBlanks()
        guard let input = expression() else { return fail(to: start) }
        arguments.append(input)
        var highest = height
        text.skipBlanks()
        let end = text.position
        if text.skip(",") {
            text.skipBlanks()
            if let property = expression() {
                arguments.append(property)
                highest = max(highest, height)
                text.skipBlanks()
            } else {
                text.position = end
            }
        }
        guard text.skip(")") else { return fail(to: start) }
        height = highest + 1
        return node(.function("prediction", arguments), from: start, spelling: "PREDICTION")
    }

    private func isFunction(_ name: String) -> Bool { Select.plainFunctionNames.contains(name) || isWriting && name == "uuid" }

    private mutating func call(_ name: String, from start: Int) -> QueryExpression? {
        guard let arguments = argumentList() else { return fail(to: start) }
        return node(.function(name.lowercased(), arguments), from: start, spelling: name)
    }

    // Properties

    mutating func property() -> QueryExpression? {
        let start = text.position
        guard let first = text.identifier() else { return nil }
        if text.byte == UInt8(ascii: "("), isFunction(first.raw.lowercased()) {
            return call(first.name, from: start)
        }
        return property(beginningWith: first.name, from: start)
    }

    private mutating func property(beginningWith first: String, from start: Int) -> QueryExpression {
        let end = text.position
        if text.skip(".") {
            text.skipBlanks()
            if text.skip("*") { return node(.property(PropertyPath([.name(first)], endsInStar: true)), from: start) }
            text.position = end
        }
        return node(.property(path(beginningWith: first)), from: start)
    }

    /// `a.b[0]`
    mutating func path() -> PropertyPath? {
        guard let first = text.identifier() else { return nil }
        return path(beginningWith: first.name)
    }

    private mutating func path(beginningWith first: String) -> PropertyPath {
        var path = PropertyPath([.name(first)])
        while let component = component() { path.components.append(component) }
        return path
    }

    private mutating func component() -> PropertyPath.Component? {
        let start = text.position
        if text.skip(".") {
            text.skipBlanks()
            guard let name = text.identifier() else { return fail(to: start) }
            return .name(name.name)
        }
        guard text.skip("[") else { return nil }
        text.skipBlanks()
        guard let index = text.integerLiteral(), text.skip("]") else { return fail(to: start) }
        text.skipBlanks()
        return .index(Int(index))
    }
}
