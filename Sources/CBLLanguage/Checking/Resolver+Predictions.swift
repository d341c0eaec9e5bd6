/// A predictive index keeps what a model made of each document: where a query asks a model for the same, it reads that instead.
extension Resolver {
    /// The kept answer to a call of `PREDICTION()`, or a property of it; nil if no index has it, and the model has to be asked.
    func keptPrediction(_ expression: QueryExpression, _ path: PropertyPath? = nil) -> Term? {
        // A join's condition would look for the answer in a table that is joined later.
        guard clause != .index, clause != .on, clause != .unnest, let call = PredictionCall(expression), call.outputs.count <= 1,
            let (source, input) = indexForm(of: call.input), let collection = scope.sources[source].collection,
            let table = schema.predictionTable(digest: PredictionCall(model: call.model, input: input).digest, of: collection)
        else { return nil }
        usesModels = true
        // Mistakes in it are mistakes all the same.
        _ = resolve(call.input)
        let body = Term.literal("\(SQLText.identifier(predictionAlias(table, source))).body")
        guard let output = call.outputs.first else {
            guard let path else { return .call("fl_root", [body], .any) }
            return .call("fl_unnested_value", [body, .literal(SQLText.string(path.text))], .any)
        }
        let value = Term.call("fl_unnested_value", [body, .literal(SQLText.string(output.text))], .any)
        guard let path else { return value }
        return .call("fl_nested_value", [value, .literal(SQLText.string(path.text))], .any)
    }

    /// An expression about the documents of one source as the definition of an index has it, without the source's name. Nil if it is about
    /// more than that.
    func indexForm(of expression: QueryExpression) -> (source: Int, expression: QueryExpression)? {
        var sources: Set<Int> = []
        var isAboutMore = false
        let bare = expression.replacing { part in
            switch part.node {
            case .property(let written):
                let path = asHandedOn(written, part.range)
                var rest = path.components[...]
                guard case .source(let source)? = scope.target(of: &rest) else {
                    isAboutMore = true
                    return part
                }
                sources.insert(source)
                return QueryExpression(.property(PropertyPath(Array(rest), endsInStar: path.endsInStar && !rest.isEmpty)))
            case .meta(nil) where scope.sources.count == 1: return part
            case .parameter, .variable, .quantified, .select, .meta, .match, .rank:
                isAboutMore = true
                return part
            default: return nil
            }
        }
        guard !isAboutMore, sources.count == 1 || sources.isEmpty && scope.sources.count == 1 else { return nil }
        return (sources.first ?? 0, bare)
    }

    /// What the table is called in this SELECT, which is joined with it once.
    private func predictionAlias(_ table: String, _ source: Int) -> String {
        if let known = scope.predictions.first(where: { $0.table == table && $0.source == source }) { return known.alias }
        let alias = scope.freeIndexAlias
        scope.predictions.append(Scope.Prediction(source: source, table: table, alias: alias))
        return alias
    }
}
