extension Resolver {
    /// Resolves a SELECT inside of an expression. It has names of its own, and sees those of quantifiers around it.
    func resolveInner(_ select: Select) -> ResolvedSelect {
        guard clause != .index else {
            fail("an index cannot have a SELECT", select.range)
            return ResolvedSelect()
        }
        let saved = (scope, clause, isInsideAggregate, collation, isCollationApplied)
        defer { (scope, clause, isInsideAggregate, collation, isCollationApplied) = saved }
        return resolve(select)
    }

    func resolve(_ select: Select) -> ResolvedSelect {
        scope = Scope()
        scope.isGrouped = !select.groupBy.isEmpty
        isInsideAggregate = false
        (collation, isCollationApplied) = (CurrentCollation(), true)
        var resolved = ResolvedSelect()
        addSources(select.sources)
        for result in select.results where result.alias != nil { addOutput(result) }
        resolved.sources = resolveSources(select.sources)
        prepareVectorSearch(select)
        // Before any RANK, wherever it stands.
        clause = .condition
        if let condition = select.condition { collectMatches(condition) }
        resolveResults(select, &resolved)
        clause = .condition
        allowsMatch = true
        resolved.condition = select.condition.map { resolve($0) }
        allowsMatch = false
        resolveOrder(select, &resolved)
        clause = .limit
        resolved.limit = select.limit.map { bound($0, "LIMIT") }
        clause = .offset
        resolved.offset = select.offset.map { bound($0, "OFFSET") }
        resolved.isDistinct = select.isDistinct
        resolved.isAggregate = scope.isAggregate || select.isDistinct || scope.isGrouped
        resolved.fullTextJoins = scope.fullTextIndexes.map {
            ResolvedSelect.FullTextJoin(reference: $0.reference, source: scope.sources[$0.source].alias)
        }
        resolved.vectorJoins = vectorJoins(select, limit: resolved.limit)
        resolved.predictionJoins = scope.predictions.map {
            ResolvedSelect.PredictionJoin(table: $0.table, alias: $0.alias, source: scope.sources[$0.source].alias)
        }
        settleSources(&resolved)
        return resolved
    }

    private func resolveResults(_ select: Select, _ resolved: inout ResolvedSelect) {
        clause = .results
        var names: [String] = []
        var output = 0
        for result in select.results {
            if result.alias != nil { scope.currentOutput = output }
            let wasAggregate = scope.isAggregate
            scope.isAggregate = false
            let expression = result.alias == nil ? asProperty(result.expression) : result.expression
            let term = resolve(expression)
            if result.alias != nil, output < scope.outputs.count {
                resolved.columns.append(ResolvedSelect.Column(term: term, name: scope.outputs[output].name))
                scope.outputs[output].isAggregate = scope.isAggregate
                output += 1
            } else {
                resolved.columns.append(ResolvedSelect.Column(term: term, name: nil))
            }
            scope.isAggregate = scope.isAggregate || wasAggregate
            scope.currentOutput = nil
            names.append(title(of: expression))
        }
        if select.results.isEmpty, let row = scope.sources.first?.row {
            resolved.columns = [
                ResolvedSelect.Column(term: .meta(.id, row), name: nil), ResolvedSelect.Column(term: .meta(.sequence, row), name: nil),
            ]
            resolved.titles = ["_id", "_sequence"]
        } else {
            resolved.titles = ColumnTitles.unique(select.results.map(\.alias), names)
        }
    }

    private func resolveOrder(_ select: Select, _ resolved: inout ResolvedSelect) {
        clause = .orderBy
        for ordering in select.orderBy { resolved.orderBy.append((resolve(ordering.expression), ordering.isDescending)) }
        clause = .groupBy
        resolved.groupBy = select.groupBy.map { resolve(asProperty($0)) }
        clause = .having
        resolved.having = select.having.map { resolve($0) }
        if let having = select.having, !scope.isGrouped, !scope.isAggregate {
            fail("HAVING needs a GROUP BY or an aggregate function", having.range)
        }
    }

    /// A text that is all of a result or of a key is the path of a property: `SELECT 'name.first'` is `SELECT name.first`, as the JSON form,
    /// in which both look the same, has it.
    private func asProperty(_ expression: QueryExpression) -> QueryExpression {
        guard case .string(let text) = expression.node else { return expression }
        guard let path = PropertyPath(text: text) else {
            fail("invalid property path '\(text)'", expression.range)
            return QueryExpression(.missing, range: expression.range)
        }
        return QueryExpression(.property(path), range: expression.range)
    }

    /// A literal bound must be a whole number; what is negative counts as 0.
    private func bound(_ expression: QueryExpression, _ name: String) -> Term {
        switch expression.node {
        case .integer(let value): return .literal(String(max(value, 0)))
        case .unsigned: return .literal(String(Int64.max))
        case .null, .boolean, .float, .string: return fail("\(name) must be an integer", expression.range)
        default: return .call("max", [resolve(expression), .literal("0")], .any)
        }
    }

    private func addOutput(_ result: Select.Result) {
        guard let alias = result.alias else { return }
        if alias.isEmpty { fail("invalid empty 'AS'", result.expression.range) }
        checkAlias(alias, result.expression.range)
        // SQLite would take these for columns of a table.
        let name = Resolver.columnNames.contains(alias.asciiLowercased) ? "<\(alias)>" : alias
        scope.outputs.append(Scope.Output(alias: alias, name: SQLText.identifier(name)))
    }

    private static let columnNames: Set<String> = [
        "key", "sequence", "flags", "version", "body", "extra", "expiration", "rowid", "oid", "_rowid_", "value", "type", "data",
        "root_data",
        "root_path", "docid", "i",
    ]

    func checkAlias(_ alias: String, _ range: SourceRange) {
        let lower = alias.asciiLowercased
        if scope.sources.contains(where: { $0.alias.asciiLowercased == lower })
            || scope.outputs.contains(where: { $0.alias.asciiLowercased == lower })
        {
            fail("duplicate alias '\(alias)'", range)
        }
    }

    /// What a column is called that has no alias; empty if nothing suggests itself.
    private func title(of expression: QueryExpression) -> String {
        switch expression.node {
        case .property(let path): return title(of: asHandedOn(path, expression.range))
        case .exists(let operand): return propertyTitle(operand)
        case .function("array_count", let arguments): return arguments.first.map(propertyTitle) ?? ""
        case .meta(let source): return metaTitle(source)
        case .member(let object, let path):
            guard case .meta = object.node, expression.spelling?.utf8.starts(with: "_.".utf8) != true else { return "" }
            return MetaKey(name: path.text)?.rawValue ?? ""
        default: return ""
        }
    }

    private func propertyTitle(_ expression: QueryExpression) -> String {
        guard case .property(let written) = expression.node else { return "" }
        let path = asHandedOn(written, expression.range)
        var rest = path.components[...]
        if let target = scope.target(of: &rest), case .source = target, case .name(let name)? = rest.first, MetaKey(shortcut: name) != nil {
            return ""
        }
        return title(of: path)
    }

    private func title(of path: PropertyPath) -> String {
        var rest = path.components[...]
        guard let target = scope.target(of: &rest) else { return "" }
        if case .source(let index) = target {
            guard let first = rest.first else { return scope.sources[index].title }
            if case .name(let name) = first, let key = MetaKey(shortcut: name) { return key.rawValue }
        }
        guard case .name(let name)? = rest.last else { return "" }
        return name
    }

    private func metaTitle(_ source: String?) -> String {
        guard let source else { return scope.sources.first?.title ?? "" }
        guard let path = PropertyPath(text: source) else { return "" }
        var rest = path.components[...]
        guard case .source(let index)? = scope.target(of: &rest, isIndexName: true) else { return "" }
        return scope.sources[index].title
    }
}
