/// What rows are sorted by.
public protocol OrderingProtocol {}

/// What rows are sorted by, upwards unless it is said otherwise.
public protocol QuerySortOrder: OrderingProtocol {
    /// The least first, as it is without a word about it.
    func ascending() -> OrderingProtocol
    /// The greatest first.
    func descending() -> OrderingProtocol
}

/// Makes what rows are sorted by. Missing comes before null, false, true, numbers, strings, arrays and dictionaries.
public final class Ordering {
    private init() {}

    /// By a property.
    public static func property(_ property: String) -> QuerySortOrder { expression(Expression.property(property)) }

    /// By an expression.
    public static func expression(_ expression: ExpressionProtocol) -> QuerySortOrder { SortKey(expression: expression.json) }
}

private struct SortKey: QuerySortOrder {
    let expression: QueryJSON
    var isDescending = false

    func ascending() -> OrderingProtocol { SortKey(expression: expression) }
    func descending() -> OrderingProtocol { SortKey(expression: expression, isDescending: true) }

    var built: QueryJSON { isDescending ? .operation("DESC", expression) : expression }
}

extension OrderingProtocol {
    var json: QueryJSON { builtPart(self, SortKey.self).built }
}
