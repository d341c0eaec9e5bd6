import CBLLanguage
import CBLStore

extension Select {
    /// The only row of a select that is a calculation; nil for all others.
    package func calculated(on snapshot: Snapshot, parameters: QueryParameters) throws -> RecordedRows? {
        guard isCalculation else { return nil }
        let titles = ColumnTitles.unique(results.map(\.alias), results.map { _ in "" })
        return try ExpressionEvaluator(snapshot, parameters).evaluate(results.map(\.expression), titles: titles)
    }
}

extension QueryParameters {
    /// The names of parameters in the results that have no value.
    package func unbound(in select: Select) -> [String] {
        var names: [String] = []
        for name in select.results.flatMap(\.expression.parameterNames) where self[name] == nil && !names.contains(name) {
            names.append(name)
        }
        return names
    }
}
