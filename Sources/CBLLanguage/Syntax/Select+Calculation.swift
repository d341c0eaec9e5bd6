extension Select {
    /// Whether it asks nothing but what its expressions are, and none of them is about documents: `SELECT 1 + 1`.
    package var isCalculation: Bool {
        var bare = Select()
        bare.results = results
        return !isBareList && !results.isEmpty && self == bare && !results.contains { $0.expression.isAboutDocuments }
    }
}

extension QueryExpression {
    /// Whether it means nothing without a collection.
    fileprivate var isAboutDocuments: Bool {
        first {
            switch $0.node {
            case .property, .meta, .match, .rank, .select, .exists, .blob: true
            case .function(let name, let arguments):
                arguments.count <= 1 && FunctionTable.specification(name)?.traits.contains(.aggregate) == true
            default: false
            }
        } != nil
    }
}
