import CBLLanguage

/// Tells whether an expression uses one of some names: those that the query gives to its results, which then are no properties.
struct NameFinder {
    private let names: Set<String>

    /// Names in lower case.
    init(_ names: Set<String>) { self.names = names }

    /// True also for expressions that cannot be looked through.
    func isIn(_ expression: QueryExpression) -> Bool {
        guard !names.isEmpty else { return false }
        switch expression.node {
        case .missing, .null, .boolean, .integer, .unsigned, .float, .string, .parameter, .variable, .meta: return false
        case .property(let path): return path.firstName.map { names.contains($0.lowercased()) } ?? false
        case .array(let items), .operation(_, let items), .function(_, let items): return items.contains(where: isIn)
        case .dictionary(let members): return members.contains { isIn($0.value) }
        case .member(let object, _), .exists(let object), .collate(_, let object), .blob(let object): return isIn(object)
        case .quantified(_, _, let collection, let predicate): return isIn(collection) || isIn(predicate)
        case .conditional(let test, let branches, let otherwise):
            return test.map(isIn) ?? false || branches.contains { isIn($0.when) || isIn($0.then) } || otherwise.map(isIn) ?? false
        case .select, .match, .rank: return true
        }
    }
}
