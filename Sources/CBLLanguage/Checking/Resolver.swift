/// Finds out what the names of a query mean, and whether it makes sense.
///
/// Mistakes are noted and resolving goes on, with MISSING in the place of what is wrong, so that all of them can be reported at once. The
/// order of the work is that of the reference, which reports only the first.
final class Resolver {
    /// The part of a SELECT that is being resolved.
    enum Clause: String {
        case on = "ON"
        case unnest = "UNNEST"
        case results = "the list of results"
        case condition = "WHERE"
        case groupBy = "GROUP BY"
        case having = "HAVING"
        case orderBy = "ORDER BY"
        case limit = "LIMIT"
        case offset = "OFFSET"
        case index = "an index"

        var allowsAggregates: Bool { self == .results || self == .having || self == .orderBy }
    }

    /// A variable of a quantifier around the current expression.
    struct Variable {
        var name: String
        /// What it runs through, if that is of a document.
        var items: TranslatedQuery.Property?
        var uses = 0
    }

    let schema: any QuerySchema
    let options: Translator.Options

    private(set) var diagnostics: [QueryError.Diagnostic] = []
    private var isIndexMissing = false
    var parameters: [String] = []
    /// All sources with documents, those of inner SELECTs too.
    var documentSources: [TranslatedQuery.Source] = []
    private(set) var properties: [TranslatedQuery.Property] = []
    /// The vector indexes that are searched, by inner SELECTs too.
    var vectorTables: [TranslatedQuery.VectorTable] = []

    /// Whether it calls `PREDICTION()`.
    var usesModels = false

    var scope = Scope()
    var clause = Clause.results
    var isInsideAggregate = false
    var variables: [Variable] = []
    var collation = CurrentCollation()
    /// Whether the current collation has found an operand to stand at, or there is none.
    var isCollationApplied = true
    /// Whether a MATCH may be the next expression.
    var allowsMatch = false
    private var depth = 0

    init(_ schema: any QuerySchema, _ options: Translator.Options) {
        self.schema = schema
        self.options = options
    }

    /// Notes that the query speaks of a property: as far as it has names.
    func note(_ property: TranslatedQuery.Property?) {
        guard var property else { return }
        while property.steps.last == .item { property.steps.removeLast() }
        if !properties.contains(property) { properties.append(property) }
    }

    /// Where a path of a source leads to in its documents.
    func place(_ path: ArraySlice<PropertyPath.Component>, of source: Int) -> TranslatedQuery.Property? {
        let source = scope.sources[source]
        return (source.collection.map { TranslatedQuery.Property(collection: $0) } ?? source.items)?.appending(path)
    }

    /// Where the items come from that an expression runs through, if that is a place in documents.
    func place(ofItems expression: QueryExpression) -> TranslatedQuery.Property? {
        switch expression.node {
        case .property(let path):
            var rest = asHandedOn(path, expression.range).components[...]
            guard case .source(let source)? = scope.target(of: &rest) else { return nil }
            if case .name(let name)? = rest.first, MetaKey(shortcut: name) != nil { return nil }
            return place(rest, of: source)?.items
        case .variable(let name, let path): return variables.last { $0.name == name }?.items?.appending(path.components).items
        default: return nil
        }
    }

    // Mistakes

    @discardableResult
    func fail(_ message: String, _ range: SourceRange, hint: String? = nil) -> Term {
        let diagnostic = QueryError.Diagnostic(message, range: range, hint: hint)
        if !diagnostics.contains(diagnostic) { diagnostics.append(diagnostic) }
        return .missing
    }

    func failForMissingIndex(_ index: String, _ range: SourceRange) {
        isIndexMissing = true
        fail("missing FTS index", range, hint: "There is no full-text index \"\(index)\".")
    }

    func failForMissingVectorIndex(_ expression: String, _ range: SourceRange) {
        isIndexMissing = true
        fail(
            "vector search with APPROX_VECTOR_DISTANCE requires a vector index on \(expression)", range,
            hint: "Make one with mkindex NAME --vector --dimensions N.")
    }

    /// Throws what was noted.
    func finish() throws(QueryError) {
        if diagnostics.isEmpty { return }
        throw QueryError(isIndexMissing && diagnostics.count == 1 ? .missingIndex : .meaning, diagnostics)
    }

    // Expressions. Each kind has a function of its own, so that the frames of the recursion stay small.

    func resolve(_ expression: QueryExpression) -> Term {
        guard depth < Translator.maximumDepth else {
            return fail("the query is nested too deep: more than \(Translator.maximumDepth) levels", expression.range)
        }
        depth += 1
        defer { depth -= 1 }
        let allowsMatch = allowsMatch
        self.allowsMatch = false
        switch expression.node {
        case .missing: return .missing
        case .null: return .null
        case .boolean(let value): return .literal(value ? "fl_bool(1)" : "fl_bool(0)")
        case .integer(let value): return .literal(String(value))
        case .unsigned(let value): return .literal(String(value))
        case .float(let value): return .literal(SQLText.number(value))
        case .string(let value): return .literal(SQLText.string(value))
        case .array: return array(expression)
        case .dictionary: return dictionary(expression)
        case .parameter(let name): return parameter(name, expression.range)
        case .property(let path): return property(path, expression.range)
        case .variable: return variable(expression)
        case .member: return member(expression)
        case .operation: return operation(expression, allowsMatch)
        case .exists: return exists(expression)
        case .select(let select): return .subselect(resolveInner(select))
        case .quantified: return quantified(expression)
        case .conditional: return conditional(expression)
        case .collate: return collate(expression)
        case .meta(let source): return meta(source, expression.range).map { .metaObject($0) } ?? .missing
        case .match: return match(expression, isAllowed: allowsMatch)
        case .rank(let index): return rank(index, expression.range)
        case .function: return function(expression)
        case .blob(let operand): return blob(operand)
        }
    }

    private func array(_ expression: QueryExpression) -> Term {
        guard case .array(let items) = expression.node else { return .missing }
        if items.count > FunctionTable.maximumArguments { return fail("Wrong number of arguments to array_of()", expression.range) }
        return .call("array_of", items.map { resolve($0) }, .any)
    }

    private func dictionary(_ expression: QueryExpression) -> Term {
        guard case .dictionary(let members) = expression.node else { return .missing }
        guard members.count <= FunctionTable.maximumArguments / 2 else {
            return fail("an object in a query can have at most \(FunctionTable.maximumArguments / 2) members", expression.range)
        }
        // The reference has them in the order of the keys, and so in the texts of indexes.
        let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        return .call("dict_of", sorted.flatMap { [.literal(SQLText.string($0.key)), resolve($0.value)] }, .any)
    }

    private func parameter(_ name: String, _ range: SourceRange) -> Term {
        guard name.isWord else { return fail("Invalid query parameter name '\(name)'", range) }
        if clause == .index { return fail("an index cannot have parameters: $\(name)", range) }
        if !parameters.contains(name) { parameters.append(name) }
        return .parameter(name)
    }

    private func variable(_ expression: QueryExpression) -> Term {
        guard case .variable(let name, let path) = expression.node else { return .missing }
        guard let index = variables.lastIndex(where: { $0.name == name }) else {
            return fail("no quantifier around it has the variable '\(name)'", expression.range)
        }
        variables[index].uses += 1
        note(variables[index].items?.appending(path.components))
        if path.components.isEmpty { return .variable(name) }
        return .call("fl_nested_value", [.variableBody(name), .literal(SQLText.string(path.text))], .any)
    }

    private func member(_ expression: QueryExpression) -> Term {
        guard case .member(let object, let path) = expression.node else { return .missing }
        let isOperator = expression.spelling?.utf8.starts(with: "_.".utf8) == true
        if case .meta(let source) = object.node, !isOperator { return metaMember(source, path, expression) }
        if let kept = keptPrediction(object, path) { return kept }
        let text = expression.spelling.map { isOperator ? String($0.unicodeScalars.dropFirst(2)) : $0 } ?? path.jsonForm
        return .call("fl_nested_value", [resolve(object), .literal(SQLText.string(text))], .any)
    }

    private func conditional(_ expression: QueryExpression) -> Term {
        guard case .conditional(let test, let branches, let otherwise) = expression.node else { return .missing }
        // Null as the test is how the JSON form says that there is none.
        let isSearched = test == nil || test?.node == .null
        return .conditional(
            test: isSearched ? nil : test.map { resolve($0) }, branches: branches.map { (resolve($0.when), resolve($0.then)) },
            otherwise: otherwise.map { resolve($0) })
    }

    private func collate(_ expression: QueryExpression) -> Term {
        guard case .collate(let options, let operand) = expression.node else { return .missing }
        let saved = (collation, isCollationApplied)
        defer { (collation, isCollationApplied) = saved }
        if let locale = options.locale, !locale.utf8.allSatisfy({ $0 > UInt8(ascii: " ") && $0 != UInt8(ascii: "\"") }) {
            fail("\"\(locale)\" is no locale", expression.range)
        }
        collation = collation.changed(by: options)
        isCollationApplied = false
        let term = resolve(operand)
        // If nothing inside took the collation, it belongs to the whole.
        return isCollationApplied ? term : .collate(term, collation.sqlName)
    }

    private func exists(_ expression: QueryExpression) -> Term {
        guard case .exists(let operand) = expression.node else { return .missing }
        if case .select(let select) = operand.node { return .exists(resolveInner(select)) }
        guard case .property = operand.node else { return fail("EXISTS needs a property or a SELECT", expression.range) }
        let term = resolve(operand)
        if case .property(let property, .value) = term, !property.path.isEmpty || property.row.shape == .document {
            return .property(property, .exists)
        }
        // A result, a meta property or an unnested item is there unless it is missing.
        return .infix("IS NOT", rank: Rank.equality, [term, .missing], .boolean)
    }

    private func blob(_ operand: QueryExpression) -> Term {
        guard case .property(let property, .value) = resolve(operand) else {
            return fail("argument of BLOB() must be a document property", operand.range)
        }
        return .property(property, .blob)
    }

    private func quantified(_ expression: QueryExpression) -> Term {
        guard case .quantified(let quantifier, let name, let source, let condition) = expression.node else { return .missing }
        // SQLite's names do not tell cases apart.
        guard name.isPlainIdentifier else { return fail("invalid variable name in ANY/EVERY", expression.range) }
        let collection = resolve(source)
        variables.append(Variable(name: name, items: place(ofItems: source)))
        let predicate = resolve(condition)
        let uses = variables.removeLast().uses
        // The collection is searched for a value at one go. (`IS NULL` is written as `=`, but means another thing.)
        if quantifier == .any, uses == 1, case .operation(.equal, _) = condition.node, case .infix(_, _, let operands, _) = predicate,
            operands.count == 2, case .variable(name) = operands[0]
        {
            return .contains(collection, operands[1])
        }
        return .quantified(quantifier, variable: name, collection: collection, predicate: predicate)
    }
}
