import CBLFleece
import CBLLanguage

/// The text of an index's definition, parsed.
struct IndexText {
    var expressions: [QueryExpression]
    var condition: QueryExpression?
    /// How much the places in the expressions are behind those in the definition's text.
    private var offset = 0

    init(_ definition: IndexDefinition) throws(QueryError) {
        (expressions, condition) = ([], nil)
        switch definition.language {
        case .sqlpp where definition.expressions.isEmpty: break
        case .sqlpp: try read(definition.text)
        case .json where definition.expressions.hasPrefix("{"):
            guard definition.condition == nil else {
                throw QueryError(.meaning, "an object has its condition in it, as \"WHERE\"")
            }
            let select = try Select(json: definition.expressions)
            expressions = select.results.map(\.expression)
            condition = select.condition
        case .json:
            expressions = definition.expressions.isEmpty ? [] : try QueryExpression.list(json: definition.expressions)
            condition = try definition.condition.map { text throws(QueryError) in
                guard text.hasPrefix("[") else { throw QueryError(.meaning, "the condition must be an array, in JSON as the expressions") }
                return try QueryExpression(json: text)
            }
        }
        switch definition.kind {
        case .array where condition != nil: throw QueryError(.meaning, "an array index cannot have a condition")
        case .predictive where condition != nil: throw QueryError(.meaning, "a predictive index cannot have a condition")
        case .vector where condition != nil: throw QueryError(.meaning, "a vector index cannot have a condition")
        case .array: break
        case .value, .fullText, .predictive, .vector:
            guard expressions.isEmpty else { break }
            throw QueryError(.meaning, "an index needs an expression: the properties to find documents by, such as name.last, age")
        }
    }

    /// What gives the vector of a document.
    var vector: QueryExpression {
        get throws(QueryError) {
            guard expressions.count == 1 else { throw QueryError(.meaning, "Vector index doesn't support multiple properties") }
            return expressions[0]
        }
    }

    /// What a predictive index asks its model.
    var prediction: PredictionCall {
        get throws(QueryError) {
            guard expressions.count == 1, let expression = expressions.first else {
                throw QueryError(.meaning, "Predictive index requires exactly one expression")
            }
            guard let call = PredictionCall(expression) else {
                throw QueryError(.meaning, "Predictive index requires a PREDICT() expression", range: expression.range)
            }
            return call
        }
    }

    /// Reads expressions with commas between them and perhaps a condition, as a SELECT without FROM has them.
    private mutating func read(_ text: String) throws(QueryError) {
        let isSelect = text.prefix(7).lowercased().hasPrefix("select") && text.dropFirst(6).first?.isWhitespace == true
        offset = isSelect ? 0 : "SELECT ".utf8.count
        try withPlacesOfDefinition { () throws(QueryError) in
            let select = try Select(sqlpp: isSelect ? text : "SELECT " + text)
            if let source = select.sources.first {
                throw QueryError(
                    .meaning, [.init("an index has no FROM", range: source.range, hint: "--collection says which collection it is of.")])
            }
            guard select.groupBy.isEmpty, select.having == nil, select.orderBy.isEmpty, select.limit == nil, select.offset == nil,
                !select.isDistinct
            else {
                throw QueryError(.meaning, "an index is made of expressions, and perhaps WHERE and a condition; of nothing else")
            }
            if let result = select.results.first(where: { $0.alias != nil }) {
                throw QueryError(.meaning, "an expression of an index has no alias", range: result.expression.range)
            }
            expressions = select.results.map(\.expression)
            condition = select.condition
        }
    }

    /// Does something with the expressions; what is wrong with them is said of places in the definition's text.
    func withPlacesOfDefinition<Result>(_ work: () throws(QueryError) -> Result) throws(QueryError) -> Result {
        do throws(QueryError) { return try work() } catch {
            throw error.moved(by: -offset)
        }
    }

    /// The levels of the path of an array index: `contacts[].phones`.
    static func levels(ofPath path: String) throws(QueryError) -> [QueryExpression] {
        let texts = path.split(separator: "[].", omittingEmptySubsequences: false)
        if let last = texts.last, last.hasSuffix("[]") {
            throw QueryError(.meaning, "the path of an array index ends with a property, not with []: \(path.dropLast(2))")
        }
        var levels: [QueryExpression] = []
        for text in texts {
            let parsed = text.isEmpty ? [] : try Select(sqlpp: "SELECT " + text).results.map(\.expression)
            guard parsed.count == 1, let level = parsed.first, case .property(let property) = level.node, !property.components.isEmpty
            else {
                throw QueryError(.meaning, "\"\(path)\" is not the path of an array; such a path is contacts or contacts[].phones")
            }
            levels.append(level)
        }
        return levels
    }

    /// Whether a text is meant as JSON: an array or an object, and not one of SQL++.
    static func isJSON(_ text: String) -> Bool {
        let first = text.unicodeScalars.first { !$0.properties.isWhitespace }
        guard first == "[" || first == "{" else { return false }
        let isValid = (try? JSONParser.parse(text, into: FleeceEncoder())) != nil
        return isValid || (try? Select(sqlpp: "SELECT " + text)) == nil
    }

    /// Where the condition of an index begins that is written behind its expressions, and the word `WHERE` before it: offsets in bytes.
    ///
    /// Nothing else in expressions can be that word, unless it is in quotes or in a subquery's parentheses.
    static func condition(of text: String) -> (keyword: Int, start: Int)? {
        var lexer = Lexer(Array(text.utf8))
        var depth = 0
        var isBehindDot = false
        while let token = lexer.next() {
            switch (token.kind, Unicode.Scalar(lexer.bytes[token.start])) {
            case (.symbol, "("), (.symbol, "["), (.symbol, "{"): depth += 1
            case (.symbol, ")"), (.symbol, "]"), (.symbol, "}"): depth -= 1
            case (.word, "w"), (.word, "W"):
                if !isBehindDot, depth == 0, lexer.text(token.start..<token.end).lowercased() == "where" { return (token.start, token.end) }
            default: break
            }
            isBehindDot = token.kind == .symbol && token.end == token.start + 1 && lexer.bytes[token.start] == UInt8(ascii: ".")
        }
        return nil
    }
}

extension SourceRange {
    fileprivate func moved(by offset: Int) -> SourceRange {
        isNone ? self : SourceRange(max(0, start + offset), max(0, end + offset))
    }
}

extension QueryError {
    fileprivate func moved(by offset: Int) -> QueryError {
        var error = self
        for place in error.diagnostics.indices { error.diagnostics[place].range = error.diagnostics[place].range.moved(by: offset) }
        error.errorPosition = errorPosition.map { max(0, $0 + offset) }
        return error
    }
}
