/// Makes calls of functions.
public final class Function {
    private init() {}

    /// The average of the numbers of a group.
    public static func avg(_ expression: ExpressionProtocol) -> ExpressionProtocol { PlainExpression.call("AVG", expression) }

    /// The number of rows of a group in which the expression has a value; without an expression, of all its rows.
    public static func count(_ expression: ExpressionProtocol? = nil) -> ExpressionProtocol {
        PlainExpression.call("COUNT", expression ?? Expression.all())
    }

    /// The least value of a group.
    public static func min(_ expression: ExpressionProtocol) -> ExpressionProtocol { PlainExpression.call("MIN", expression) }

    /// The greatest value of a group.
    public static func max(_ expression: ExpressionProtocol) -> ExpressionProtocol { PlainExpression.call("MAX", expression) }

    /// The sum of the numbers of a group.
    public static func sum(_ expression: ExpressionProtocol) -> ExpressionProtocol { PlainExpression.call("SUM", expression) }

    /// A number without its sign.
    public static func abs(_ expression: ExpressionProtocol) -> ExpressionProtocol { PlainExpression.call("ABS", expression) }

    /// The arc cosine, in radians.
    public static func acos(_ expression: ExpressionProtocol) -> ExpressionProtocol { PlainExpression.call("ACOS", expression) }

    /// The arc sine, in radians.
    public static func asin(_ expression: ExpressionProtocol) -> ExpressionProtocol { PlainExpression.call("ASIN", expression) }

    /// The arc tangent, in radians.
    public static func atan(_ expression: ExpressionProtocol) -> ExpressionProtocol { PlainExpression.call("ATAN", expression) }

    /// The angle of a point, in radians.
    public static func atan2(y: ExpressionProtocol, x: ExpressionProtocol) -> ExpressionProtocol { PlainExpression.call("ATAN2", y, x) }

    /// The next whole number upwards.
    public static func ceil(_ expression: ExpressionProtocol) -> ExpressionProtocol { PlainExpression.call("CEIL", expression) }

    /// The cosine of radians.
    public static func cos(_ expression: ExpressionProtocol) -> ExpressionProtocol { PlainExpression.call("COS", expression) }

    /// Radians as degrees.
    public static func degrees(_ expression: ExpressionProtocol) -> ExpressionProtocol { PlainExpression.call("DEGREES", expression) }

    /// Euler's number.
    public static func e() -> ExpressionProtocol { PlainExpression.call("E") }

    /// Euler's number to the power of a number.
    public static func exp(_ expression: ExpressionProtocol) -> ExpressionProtocol { PlainExpression.call("EXP", expression) }

    /// The next whole number downwards.
    public static func floor(_ expression: ExpressionProtocol) -> ExpressionProtocol { PlainExpression.call("FLOOR", expression) }

    /// The natural logarithm.
    public static func ln(_ expression: ExpressionProtocol) -> ExpressionProtocol { PlainExpression.call("LN", expression) }

    /// The logarithm to base 10.
    public static func log(_ expression: ExpressionProtocol) -> ExpressionProtocol { PlainExpression.call("LOG", expression) }

    /// The number pi.
    public static func pi() -> ExpressionProtocol { PlainExpression.call("PI") }

    /// One number to the power of another.
    public static func power(base: ExpressionProtocol, exponent: ExpressionProtocol) -> ExpressionProtocol {
        PlainExpression.call("POWER", base, exponent)
    }

    /// Degrees as radians.
    public static func radians(_ expression: ExpressionProtocol) -> ExpressionProtocol { PlainExpression.call("RADIANS", expression) }

    /// The nearest whole number.
    public static func round(_ expression: ExpressionProtocol) -> ExpressionProtocol { PlainExpression.call("ROUND", expression) }

    /// The nearest number with so many digits behind the point.
    public static func round(_ expression: ExpressionProtocol, digits: ExpressionProtocol) -> ExpressionProtocol {
        PlainExpression.call("ROUND", expression, digits)
    }

    /// 1, 0 or -1.
    public static func sign(_ expression: ExpressionProtocol) -> ExpressionProtocol { PlainExpression.call("SIGN", expression) }

    /// The sine of radians.
    public static func sin(_ expression: ExpressionProtocol) -> ExpressionProtocol { PlainExpression.call("SIN", expression) }

    /// The square root.
    public static func sqrt(_ expression: ExpressionProtocol) -> ExpressionProtocol { PlainExpression.call("SQRT", expression) }

    /// The tangent of radians.
    public static func tan(_ expression: ExpressionProtocol) -> ExpressionProtocol { PlainExpression.call("TAN", expression) }

    /// A number without its fraction.
    public static func trunc(_ expression: ExpressionProtocol) -> ExpressionProtocol { PlainExpression.call("TRUNC", expression) }

    /// A number with so many digits behind the point, the rest cut off.
    public static func trunc(_ expression: ExpressionProtocol, digits: ExpressionProtocol) -> ExpressionProtocol {
        PlainExpression.call("TRUNC", expression, digits)
    }

    /// Whether a string has another in it.
    public static func contains(_ expression: ExpressionProtocol, substring: ExpressionProtocol) -> ExpressionProtocol {
        PlainExpression.call("CONTAINS", expression, substring)
    }

    /// The number of a string's characters.
    public static func length(_ expression: ExpressionProtocol) -> ExpressionProtocol { PlainExpression.call("LENGTH", expression) }

    /// A string in small letters.
    public static func lower(_ expression: ExpressionProtocol) -> ExpressionProtocol { PlainExpression.call("LOWER", expression) }

    /// A string without blanks at its beginning.
    public static func ltrim(_ expression: ExpressionProtocol) -> ExpressionProtocol { PlainExpression.call("LTRIM", expression) }

    /// A string without blanks at its end.
    public static func rtrim(_ expression: ExpressionProtocol) -> ExpressionProtocol { PlainExpression.call("RTRIM", expression) }

    /// A string without blanks at both ends.
    public static func trim(_ expression: ExpressionProtocol) -> ExpressionProtocol { PlainExpression.call("TRIM", expression) }

    /// A string in capitals.
    public static func upper(_ expression: ExpressionProtocol) -> ExpressionProtocol { PlainExpression.call("UPPER", expression) }

    /// A date in ISO 8601 as milliseconds since 1970; null if it is none.
    public static func stringToMillis(_ expression: ExpressionProtocol) -> ExpressionProtocol {
        PlainExpression.call("STR_TO_MILLIS", expression)
    }

    /// A date in ISO 8601 in UTC; null if it is none.
    public static func stringToUTC(_ expression: ExpressionProtocol) -> ExpressionProtocol {
        PlainExpression.call("STR_TO_UTC", expression)
    }

    /// Milliseconds since 1970 as local time in ISO 8601.
    public static func millisToString(_ expression: ExpressionProtocol) -> ExpressionProtocol {
        PlainExpression.call("MILLIS_TO_STR", expression)
    }

    /// Milliseconds since 1970 as a date in UTC, in ISO 8601.
    public static func millisToUTC(_ expression: ExpressionProtocol) -> ExpressionProtocol {
        PlainExpression.call("MILLIS_TO_UTC", expression)
    }
}

/// Makes calls of functions on arrays.
public final class ArrayFunction {
    private init() {}

    /// Whether an array has an item.
    public static func contains(_ expression: ExpressionProtocol, value: ExpressionProtocol) -> ExpressionProtocol {
        PlainExpression.call("ARRAY_CONTAINS", expression, value)
    }

    /// The number of an array's items.
    public static func length(_ expression: ExpressionProtocol) -> ExpressionProtocol { PlainExpression.call("ARRAY_LENGTH", expression) }
}

/// Makes calls of functions on full-text indexes.
public final class FullTextFunction {
    private init() {}

    private static func index(_ index: IndexExpressionProtocol) -> QueryJSON { builtPart(index, FullTextIndexExpression.self).built }

    /// How well a document matches, for sorting.
    public static func rank(_ index: IndexExpressionProtocol) -> ExpressionProtocol {
        PlainExpression(.operation("RANK()", self.index(index)))
    }

    /// Whether a document has the words, in the syntax of full-text queries.
    public static func match(_ index: IndexExpressionProtocol, query: String) -> ExpressionProtocol {
        PlainExpression(.operation("MATCH()", self.index(index), .string(query)))
    }
}

extension Function {
    /// What a registered model makes of a dictionary.
    public static func prediction(model: String, input: ExpressionProtocol) -> PredictionFunctionProtocol {
        PredictionFunction(model: model, input: input.json)
    }

    /// The distance of two vectors; null if they are none, or have different lengths.
    public static func euclideanDistance(
        between expression1: ExpressionProtocol, and expression2: ExpressionProtocol
    ) -> ExpressionProtocol {
        PlainExpression.call("EUCLIDEAN_DISTANCE", expression1, expression2)
    }

    /// The square of the distance of two vectors; null if they are none, or have different lengths.
    public static func squaredEuclideanDistance(
        between expression1: ExpressionProtocol, and expression2: ExpressionProtocol
    ) -> ExpressionProtocol {
        PlainExpression.call("EUCLIDEAN_DISTANCE", expression1, expression2, Expression.int(2))
    }

    /// One minus the cosine of the angle of two vectors; null if they are none, or have different lengths.
    public static func cosineDistance(
        between expression1: ExpressionProtocol, and expression2: ExpressionProtocol
    ) -> ExpressionProtocol {
        PlainExpression.call("COSINE_DISTANCE", expression1, expression2)
    }
}
