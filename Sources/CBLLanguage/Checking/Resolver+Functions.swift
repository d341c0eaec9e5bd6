import CBLBase

extension Resolver {
    func function(_ expression: QueryExpression) -> Term {
        guard case .function(let name, let arguments) = expression.node else { return .missing }
        if name == Resolver.vectorDistanceName { return vectorDistance(expression) }
        let typed = expression.spelling ?? name
        guard let function = FunctionTable.specification(name),
            options.allowsEnterpriseFunctions || !function.traits.contains(.enterprise)
        else {
            for argument in arguments { _ = resolve(argument) }
            let known = FunctionTable.specifications.lazy.filter { !$0.traits.contains(.enterprise) }.map { $0.name + "()" }
            let hint = Suggestion.closest(to: name + "()", in: known).map { "Did you mean \($0)?" }
            return fail("Unknown function '\(typed)'", expression.range, hint: hint)
        }
        if name == "prediction" {
            usesModels = true
            if function.arity.contains(arguments.count), let kept = keptPrediction(expression) { return kept }
        }
        let isAggregate = function.traits.contains(.aggregate)
        if isAggregate { checkPlace(ofAggregate: function, expression.range) }
        // The reference looks for the source of the star, and finds too many.
        if name == "count", arguments.count == 1, isStar(arguments[0]), scope.sources.count > 1 {
            return fail(
                "property '' does not begin with a declared 'AS' alias", arguments[0].range,
                hint: "With more than one source, count(1) counts the rows.")
        }
        let wasInsideAggregate = isInsideAggregate
        if isAggregate { isInsideAggregate = true }
        var terms = arguments.map { resolve($0) }
        isInsideAggregate = wasInsideAggregate
        guard function.arity.contains(arguments.count) else {
            return fail("Wrong number of arguments to \(typed)()", expression.range)
        }
        switch name {
        case "count" where countsRows(arguments, terms): return .countRows
        case "array_count":
            if case .property(let property, .value) = terms[0], !property.path.isEmpty || property.row.shape == .document {
                return .property(property, .count)
            }
        // An index has 0 and 1 for false and true, and SQLite takes a property from one that has it.
        case "isboolean", "isnumber", "type", "tostring":
            if clause != .index, case .property(let property, .value) = terms[0], property.row.shape == .document, !property.path.isEmpty {
                terms[0] = .property(property, .stored)
            }
        default: break
        }
        if function.traits.contains(.takesCollation) { terms.append(.literal(SQLText.string(collation.sqlName))) }
        return .call(function.sqlName, terms, function.kind)
    }

    private func checkPlace(ofAggregate function: FunctionSpecification, _ range: SourceRange) {
        scope.isAggregate = true
        if !clause.allowsAggregates {
            fail("the aggregate function \(function.name)() cannot be used in \(clause.rawValue)", range)
        } else if isInsideAggregate {
            fail("the aggregate function \(function.name)() cannot be used inside of another one", range)
        }
    }

    /// The `*` of `count(*)`.
    private func isStar(_ argument: QueryExpression) -> Bool {
        guard case .property(let path) = argument.node else { return false }
        return path.components.isEmpty
    }

    /// Whether the argument of a count cannot be MISSING, so that it need not be evaluated.
    private func countsRows(_ arguments: [QueryExpression], _ terms: [Term]) -> Bool {
        guard let argument = arguments.first else { return true }
        switch argument.node {
        case .boolean, .integer, .unsigned, .float, .string, .null: return true
        case .property:
            // The whole document; but that of an outer join may not be there.
            guard case .property(let property, .value) = terms[0] else { return false }
            return property.path.isEmpty && property.row.shape == .document && scope.sources.count == 1
        default: return false
        }
    }
}
