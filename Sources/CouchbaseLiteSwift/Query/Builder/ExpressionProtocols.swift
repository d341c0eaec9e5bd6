/// What a query computes for each row.
public protocol ExpressionProtocol {
    /// The product. What is no number counts as 0, and with missing the result is missing.
    func multiply(_ expression: ExpressionProtocol) -> ExpressionProtocol
    /// The quotient. Of two integers it is an integer, the rest cut off.
    func divide(_ expression: ExpressionProtocol) -> ExpressionProtocol
    /// The rest of a division; fractions are cut off before.
    func modulo(_ expression: ExpressionProtocol) -> ExpressionProtocol
    /// The sum of two numbers. It does not join strings, which count as 0.
    func add(_ expression: ExpressionProtocol) -> ExpressionProtocol
    /// The difference.
    func subtract(_ expression: ExpressionProtocol) -> ExpressionProtocol
    /// Whether it is less. A number is less than any string; with missing the result is missing.
    func lessThan(_ expression: ExpressionProtocol) -> ExpressionProtocol
    /// Whether it is less or equal.
    func lessThanOrEqualTo(_ expression: ExpressionProtocol) -> ExpressionProtocol
    /// Whether it is greater.
    func greaterThan(_ expression: ExpressionProtocol) -> ExpressionProtocol
    /// Whether it is greater or equal.
    func greaterThanOrEqualTo(_ expression: ExpressionProtocol) -> ExpressionProtocol
    /// Whether both are equal; missing if one of them is, so that such a row is left out.
    func equalTo(_ expression: ExpressionProtocol) -> ExpressionProtocol
    /// Whether they differ; missing if one of them is.
    func notEqualTo(_ expression: ExpressionProtocol) -> ExpressionProtocol
    /// A pattern of `%` for any text and `_` for one character. Case counts.
    func like(_ expression: ExpressionProtocol) -> ExpressionProtocol
    /// A regular expression that is found anywhere in the text.
    func regex(_ expression: ExpressionProtocol) -> ExpressionProtocol
    /// As `equalTo`; only what comes of missing is different.
    func `is`(_ expression: ExpressionProtocol) -> ExpressionProtocol
    /// As `notEqualTo`; only what comes of missing is different.
    func isNot(_ expression: ExpressionProtocol) -> ExpressionProtocol
    /// Neither missing nor null.
    func isValued() -> ExpressionProtocol
    /// Missing or null.
    func isNotValued() -> ExpressionProtocol
    /// Whether both are true.
    func and(_ expression: ExpressionProtocol) -> ExpressionProtocol
    /// Whether at least one is true.
    func or(_ expression: ExpressionProtocol) -> ExpressionProtocol
    /// Both ends belong to it.
    func between(_ expression1: ExpressionProtocol, and expression2: ExpressionProtocol) -> ExpressionProtocol
    /// Whether it is equal to one of these.
    func `in`(_ expressions: [ExpressionProtocol]) -> ExpressionProtocol
    /// Compares texts in another way, such as without regard to case.
    func collate(_ collation: CollationProtocol) -> ExpressionProtocol
}

/// A property, of a collection that can be named.
public protocol PropertyExpressionProtocol: ExpressionProtocol {
    /// Says which collection it is of, by its name in this query. Nil is the only one there is.
    func from(_ alias: String?) -> ExpressionProtocol
}

/// What an item of an array is called inside of `any` and `every`.
public protocol VariableExpressionProtocol: ExpressionProtocol {}

/// Something about the document itself, of a collection that can be named.
public protocol MetaExpressionProtocol: ExpressionProtocol {
    /// Says which collection it is of, by its name in this query.
    func from(_ alias: String) -> ExpressionProtocol
}

/// An index, for functions that need one.
public protocol IndexExpressionProtocol {}

/// A full-text index, of a collection that can be named. It has to be where the query reads several.
public protocol FullTextIndexExpressionProtocol: IndexExpressionProtocol {
    /// Says which collection it is of, by its name in this query.
    func from(_ alias: String) -> FullTextIndexExpressionProtocol
}

/// What all expressions of this library are, and nobody else's.
protocol BuiltExpression: ExpressionProtocol {
    var built: QueryJSON { get }
}

extension ExpressionProtocol {
    var json: QueryJSON { builtPart(self, (any BuiltExpression).self).built }
}

extension BuiltExpression {
    private func operation(_ name: String, _ other: ExpressionProtocol) -> ExpressionProtocol {
        PlainExpression(.operation(name, built, other.json))
    }

    func multiply(_ expression: ExpressionProtocol) -> ExpressionProtocol { operation("*", expression) }
    func divide(_ expression: ExpressionProtocol) -> ExpressionProtocol { operation("/", expression) }
    func modulo(_ expression: ExpressionProtocol) -> ExpressionProtocol { operation("%", expression) }
    func add(_ expression: ExpressionProtocol) -> ExpressionProtocol { operation("+", expression) }
    func subtract(_ expression: ExpressionProtocol) -> ExpressionProtocol { operation("-", expression) }
    func lessThan(_ expression: ExpressionProtocol) -> ExpressionProtocol { operation("<", expression) }
    func lessThanOrEqualTo(_ expression: ExpressionProtocol) -> ExpressionProtocol { operation("<=", expression) }
    func greaterThan(_ expression: ExpressionProtocol) -> ExpressionProtocol { operation(">", expression) }
    func greaterThanOrEqualTo(_ expression: ExpressionProtocol) -> ExpressionProtocol { operation(">=", expression) }
    func equalTo(_ expression: ExpressionProtocol) -> ExpressionProtocol { operation("=", expression) }
    func notEqualTo(_ expression: ExpressionProtocol) -> ExpressionProtocol { operation("!=", expression) }
    func like(_ expression: ExpressionProtocol) -> ExpressionProtocol { operation("LIKE", expression) }
    func regex(_ expression: ExpressionProtocol) -> ExpressionProtocol { operation("regexp_like()", expression) }
    func `is`(_ expression: ExpressionProtocol) -> ExpressionProtocol { operation("IS", expression) }
    func isNot(_ expression: ExpressionProtocol) -> ExpressionProtocol { operation("IS NOT", expression) }
    func and(_ expression: ExpressionProtocol) -> ExpressionProtocol { operation("AND", expression) }
    func or(_ expression: ExpressionProtocol) -> ExpressionProtocol { operation("OR", expression) }

    func isValued() -> ExpressionProtocol { PlainExpression(.operation("IS VALUED", built)) }
    func isNotValued() -> ExpressionProtocol { PlainExpression(.operation("NOT", .operation("IS VALUED", built))) }

    func between(_ expression1: ExpressionProtocol, and expression2: ExpressionProtocol) -> ExpressionProtocol {
        PlainExpression(.operation("BETWEEN", built, expression1.json, expression2.json))
    }

    func `in`(_ expressions: [ExpressionProtocol]) -> ExpressionProtocol {
        PlainExpression(.operation("IN", built, .array([.string("[]")] + expressions.map(\.json))))
    }

    func collate(_ collation: CollationProtocol) -> ExpressionProtocol {
        PlainExpression(.operation("COLLATE", collation.json, built))
    }
}

/// An expression without properties of its own.
struct PlainExpression: BuiltExpression {
    let built: QueryJSON

    init(_ json: QueryJSON) { built = json }

    /// A call: `["NAME()", arguments…]`.
    static func call(_ name: String, _ arguments: ExpressionProtocol...) -> PlainExpression {
        PlainExpression(.array([.string(name + "()")] + arguments.map(\.json)))
    }
}
