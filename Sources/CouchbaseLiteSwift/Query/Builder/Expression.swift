import Foundation

/// Makes expressions of properties, values and parameters.
public final class Expression {
    private init() {}

    /// A property, by its path: `contact.phones[0]`. A backslash before a dot makes it a part of the name.
    public static func property(_ property: String) -> PropertyExpressionProtocol { PropertyExpression(path: property) }

    /// All properties as one dictionary.
    public static func all() -> PropertyExpressionProtocol { PropertyExpression(path: "") }

    /// Any value that documents can hold, but blobs. Arrays and dictionaries may have expressions in them.
    public static func value(_ value: Any?) -> ExpressionProtocol { PlainExpression(QueryJSON(value: value)) }

    /// A string; nil is null.
    public static func string(_ value: String?) -> ExpressionProtocol { Expression.value(value) }

    /// A number; nil is null.
    public static func number(_ value: NSNumber?) -> ExpressionProtocol { Expression.value(value) }

    /// A number.
    public static func int(_ value: Int) -> ExpressionProtocol { PlainExpression(.integer(Int64(value))) }

    /// A number.
    public static func int64(_ value: Int64) -> ExpressionProtocol { PlainExpression(.integer(value)) }

    /// A number.
    public static func float(_ value: Float) -> ExpressionProtocol { PlainExpression(.double(Double(value))) }

    /// A number.
    public static func double(_ value: Double) -> ExpressionProtocol { PlainExpression(.double(value)) }

    /// A boolean.
    public static func boolean(_ value: Bool) -> ExpressionProtocol { PlainExpression(.boolean(value)) }

    /// A date, as text in ISO 8601; nil is null.
    public static func date(_ value: Date?) -> ExpressionProtocol { Expression.value(value) }

    /// A dictionary, which may have expressions in it; nil is null.
    public static func dictionary(_ value: [String: Any]?) -> ExpressionProtocol { Expression.value(value) }

    /// An array, which may have expressions in it; nil is null.
    public static func array(_ value: [Any]?) -> ExpressionProtocol { Expression.value(value) }

    /// What is given for a name when the query is run.
    public static func parameter(_ name: String) -> ExpressionProtocol { PlainExpression(.operation("$" + name)) }

    /// The opposite of a condition.
    public static func negated(_ expression: ExpressionProtocol) -> ExpressionProtocol { not(expression) }

    /// The opposite of a condition.
    public static func not(_ expression: ExpressionProtocol) -> ExpressionProtocol {
        PlainExpression(.operation("NOT", expression.json))
    }

    /// A full-text index, for `FullTextFunction`.
    public static func fullTextIndex(_ name: String) -> FullTextIndexExpressionProtocol { FullTextIndexExpression(name: name) }
}

private struct PropertyExpression: PropertyExpressionProtocol, BuiltExpression {
    let path: String
    var alias: String?

    func from(_ alias: String?) -> ExpressionProtocol { PropertyExpression(path: path, alias: alias) }

    var built: QueryJSON { .operation(alias.map { ".\($0).\(path)" } ?? ".\(path)") }
}

struct FullTextIndexExpression: FullTextIndexExpressionProtocol {
    let name: String
    var alias: String?

    func from(_ alias: String) -> FullTextIndexExpressionProtocol { FullTextIndexExpression(name: name, alias: alias) }

    var built: QueryJSON { .string(alias.map { "\($0).\(name)" } ?? name) }
}

/// What is known of a document beside its properties.
public final class Meta {
    private init() {}

    /// Its ID.
    public static var id: MetaExpressionProtocol { MetaExpression(name: "_id") }

    /// The text of its revision.
    public static var revisionID: MetaExpressionProtocol { MetaExpression(name: "_revisionID") }

    /// The number of its last change in the order of the collection.
    public static var sequence: MetaExpressionProtocol { MetaExpression(name: "_sequence") }

    /// Whether it is deleted. A query that mentions this sees deleted documents, too.
    public static var isDeleted: MetaExpressionProtocol { MetaExpression(name: "_deleted") }

    /// When it will be purged, in milliseconds since 1970; missing for never.
    public static var expiration: MetaExpressionProtocol { MetaExpression(name: "_expiration") }
}

private struct MetaExpression: MetaExpressionProtocol, BuiltExpression {
    let name: String
    var alias: String?

    func from(_ alias: String) -> ExpressionProtocol { MetaExpression(name: name, alias: alias) }

    var built: QueryJSON { .operation(alias.map { ".\($0).\(name)" } ?? ".\(name)") }
}
