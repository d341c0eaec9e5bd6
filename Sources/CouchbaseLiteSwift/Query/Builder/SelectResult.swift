/// A column of a query's rows.
public protocol SelectResultProtocol {}

/// A column that can be given a name.
public protocol SelectResultAs: SelectResultProtocol {
    /// Gives the column a name, by which rows are asked for it.
    func `as`(_ alias: String?) -> SelectResultProtocol
}

/// All properties, of a collection that can be named.
public protocol SelectResultFrom: SelectResultProtocol {
    /// Says which collection they are of, by its name in this query.
    func from(_ alias: String?) -> SelectResultProtocol
}

/// Makes columns.
public final class SelectResult {
    private init() {}

    /// A property, by its path. The column has the last name of the path.
    public static func property(_ property: String) -> SelectResultAs { expression(Expression.property(property)) }

    /// An expression. Without a name the column is `$1`, `$2` and so on, unless it is a property.
    public static func expression(_ expression: ExpressionProtocol) -> SelectResultAs { Column(expression: expression.json) }

    /// All properties as one dictionary, in a column with the name of the collection.
    public static func all() -> SelectResultFrom { AllProperties() }
}

private struct Column: SelectResultAs, BuiltResult {
    let expression: QueryJSON
    var alias: String?

    func `as`(_ alias: String?) -> SelectResultProtocol { Column(expression: expression, alias: alias) }

    var built: QueryJSON { alias.map { .operation("AS", expression, .string($0)) } ?? expression }
}

private struct AllProperties: SelectResultFrom, BuiltResult {
    var alias: String?

    func from(_ alias: String?) -> SelectResultProtocol { AllProperties(alias: alias) }

    var built: QueryJSON { .operation(alias.map { ".\($0)." } ?? ".") }
}

private protocol BuiltResult {
    var built: QueryJSON { get }
}

extension SelectResultProtocol {
    var json: QueryJSON { builtPart(self, (any BuiltResult).self).built }
}
