/// Makes conditions on the items of an array.
///
///     ArrayExpression.any(ArrayExpression.variable("phone"))
///         .in(Expression.property("phones"))
///         .satisfies(ArrayExpression.variable("phone.type").equalTo(Expression.string("work")))
public final class ArrayExpression {
    private init() {}

    /// What an item is called, or something inside of it: `phone.type`.
    public static func variable(_ name: String) -> VariableExpressionProtocol { VariableExpression(name: name) }

    /// At least one item meets the condition.
    public static func any(_ variable: VariableExpressionProtocol) -> ArrayExpressionIn { ArrayExpressionIn("ANY", variable) }

    /// All items meet the condition, if there are any.
    public static func every(_ variable: VariableExpressionProtocol) -> ArrayExpressionIn { ArrayExpressionIn("EVERY", variable) }

    /// All items meet the condition, and there is at least one.
    public static func anyAndEvery(_ variable: VariableExpressionProtocol) -> ArrayExpressionIn {
        ArrayExpressionIn("ANY AND EVERY", variable)
    }
}

private struct VariableExpression: VariableExpressionProtocol, BuiltExpression {
    let name: String

    var built: QueryJSON { .operation("?" + name) }
}

/// A quantifier and its variable.
public final class ArrayExpressionIn {
    private let quantifier: String
    private let variable: String

    fileprivate init(_ quantifier: String, _ variable: VariableExpressionProtocol) {
        self.quantifier = quantifier
        self.variable = builtPart(variable, VariableExpression.self).name
    }

    /// The array whose items it is about.
    public func `in`(_ expression: ExpressionProtocol) -> ArrayExpressionSatisfies {
        ArrayExpressionSatisfies(quantifier, variable, expression.json)
    }
}

/// A quantifier, its variable and its array.
public final class ArrayExpressionSatisfies {
    private let quantifier: String
    private let variable: String
    private let array: QueryJSON

    fileprivate init(_ quantifier: String, _ variable: String, _ array: QueryJSON) {
        self.quantifier = quantifier
        self.variable = variable
        self.array = array
    }

    /// What items have to meet.
    public func satisfies(_ expression: ExpressionProtocol) -> ExpressionProtocol {
        PlainExpression(.operation(quantifier, .string(variable), array, expression.json))
    }
}
