import CBLVectors

/// `APPROX_VECTOR_DISTANCE(expression, target, metric, probes, accurate)`: how far a document is from a vector, by a vector index.
///
/// Where nothing but the distance decides which documents are wanted, the index gives as many as LIMIT says, the nearest first. Where something
/// else does, too, all documents that it leaves are measured.
extension Resolver {
    static let vectorDistanceName = "approx_vector_distance"
    private static let shownName = "APPROX_VECTOR_DISTANCE"

    /// What the place of calls in a SELECT says of them.
    func prepareVectorSearch(_ select: Select) {
        scope.searchesNearest = true
        guard let condition = select.condition else { return }
        scope.searchesNearest = Resolver.isBoundOfDistance(condition)
        var pending = [(condition, isBelowOr: false)]
        while let (expression, isBelowOr) = pending.popLast() {
            if Resolver.isVectorDistance(expression), isBelowOr {
                fail("\(Resolver.shownName) can't be used within an OR in a WHERE clause", expression.range)
                return
            }
            var isOr = isBelowOr
            if case .operation(.or, _) = expression.node { isOr = true }
            for operand in expression.operands { pending.append((operand, isOr)) }
        }
    }

    private static func isVectorDistance(_ expression: QueryExpression) -> Bool {
        if case .function(vectorDistanceName, _) = expression.node { true } else { false }
    }

    /// `d < x`, `x >= d` …
    private static func isBoundOfDistance(_ condition: QueryExpression) -> Bool {
        guard case .operation(let operation, let operands) = condition.node, operands.count == 2 else { return false }
        switch operation {
        case .less, .lessOrEqual: return isVectorDistance(operands[0])
        case .greater, .greaterOrEqual: return isVectorDistance(operands[1])
        default: return false
        }
    }

    func vectorDistance(_ expression: QueryExpression) -> Term {
        guard case .function(_, let arguments) = expression.node else { return .missing }
        guard (2...5).contains(arguments.count) else {
            return fail("Wrong number of arguments to \(expression.spelling ?? Resolver.shownName)()", expression.range)
        }
        guard clause != .index, scope.row == nil else { return fail("\(Resolver.shownName) cannot be used in an index", expression.range) }
        guard let (source, json) = vectorSource(arguments[0]), let collection = scope.sources[source].collection else { return .missing }
        let metric = metric(arguments)
        let probes = probes(arguments)
        checkAccuracy(arguments)
        let known = schema.vectorIndexes(of: collection).filter { $0.expression == json }
        guard let first = known.first else {
            failForMissingVectorIndex(json, arguments[0].range)
            return .missing
        }
        guard let index = metric == nil ? first : known.first(where: { $0.metric == metric }) else {
            return fail(
                "in 3rd argument to \(Resolver.shownName), \(metric?.rawValue ?? "") does not match the index's metric, \(first.metric.rawValue)",
                arguments[2].range)
        }
        let target = resolve(arguments[1])
        let search = Scope.VectorSearch(
            source: source, table: index.table, index: index.name, target: arguments[1].jsonForm(), probes: probes,
            targetTerm: target, alias: scope.freeIndexAlias, range: expression.range)
        if let same = scope.vectorSearches.first(where: { $0.isSame(as: search) }) { return .vectorDistance(alias: same.alias) }
        scope.vectorSearches.append(search)
        return .vectorDistance(alias: search.alias)
    }

    /// The source that an expression is about, and the expression in JSON without the source's name.
    private func vectorSource(_ expression: QueryExpression) -> (source: Int, json: String)? {
        let namesSource = expression.first { part in
            switch part.node {
            case .property, .meta: true
            default: false
            }
        }
        guard namesSource != nil else {
            fail("unknown source collection for \(Resolver.shownName)()", expression.range)
            return nil
        }
        guard let (source, bare) = indexForm(of: expression) else {
            let known = diagnostics.count
            _ = resolve(expression)
            if diagnostics.count == known {
                fail("1st argument to \(Resolver.shownName) may only refer to a single collection", expression.range)
            }
            return nil
        }
        guard scope.sources[source].collection != nil else {
            if scope.sources[source].path == nil { fail("unknown source collection for \(Resolver.shownName)()", expression.range) }
            return nil
        }
        return (source, bare.jsonForm())
    }

    private static func isGiven(_ arguments: [QueryExpression], _ place: Int) -> Bool {
        guard place < arguments.count else { return false }
        switch arguments[place].node {
        case .null, .missing: return false
        default: return true
        }
    }

    private func metric(_ arguments: [QueryExpression]) -> VectorMetric? {
        guard Resolver.isGiven(arguments, 2) else { return nil }
        guard case .string(let name) = arguments[2].node, let metric = VectorMetric(name: name) else {
            let name = if case .string(let name) = arguments[2].node { name } else { arguments[2].jsonForm() }
            fail("invalid metric name '\(name)' for \(Resolver.shownName)", arguments[2].range, hint: Resolver.metricHint)
            return nil
        }
        return metric
    }

    private static let metricHint = "There are euclidean_squared, euclidean, cosine and dot."

    private func probes(_ arguments: [QueryExpression]) -> Int? {
        guard Resolver.isGiven(arguments, 3) else { return nil }
        switch arguments[3].node {
        case .integer(let count) where count > 0 && count < Int64(UInt32.max): return Int(count)
        case .integer, .unsigned:
            fail("4th argument (numProbes) to \(Resolver.shownName) out of range", arguments[3].range)
        default: fail("4th argument (numProbes) to \(Resolver.shownName) must be an integer", arguments[3].range)
        }
        return nil
    }

    private func checkAccuracy(_ arguments: [QueryExpression]) {
        guard Resolver.isGiven(arguments, 4) else { return }
        switch arguments[4].node {
        case .boolean(false): break
        case .boolean(true): fail("\(Resolver.shownName) does not support 'accurate'=true", arguments[4].range)
        default: fail("5th argument (accurate) to \(Resolver.shownName) must be boolean", arguments[4].range)
        }
    }

    /// The joins with the indexes, when the limit is known.
    func vectorJoins(_ select: Select, limit: Term?) -> [ResolvedSelect.VectorJoin] {
        guard !scope.vectorSearches.isEmpty else { return [] }
        if scope.searchesNearest {
            switch select.limit?.node {
            case nil: fail("a LIMIT must be given when using \(Resolver.shownName)()", scope.vectorSearches[0].range)
            case .integer(let count)? where count > Resolver.mostNearest:
                fail(
                    "LIMIT must not exceed \(Resolver.mostNearest) when using \(Resolver.shownName)()", select.limit?.range ?? .none)
            default: break
            }
        }
        return scope.vectorSearches.map { search in
            vectorTables.append(
                TranslatedQuery.VectorTable(
                    name: search.table, index: search.index, isNearest: scope.searchesNearest, probes: search.probes))
            return ResolvedSelect.VectorJoin(
                alias: search.alias, table: search.table, source: scope.sources[search.source].alias,
                target: .call("encode_vector", [search.targetTerm], .any), probes: search.probes, limit: scope.searchesNearest ? limit : nil
            )
        }
    }

    private static let mostNearest = 10_000
}
