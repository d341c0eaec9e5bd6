/// What a query computes for each row.
public protocol ExpressionProtocol {
    func multiply(_ expression: ExpressionProtocol) -> ExpressionProtocol
    func divide(_ expression: ExpressionProtocol) -> ExpressionProtocol
    func modulo(_ expression: ExpressionProtocol) -> ExpressionProtocol
    func add(_ expression: ExpressionProtocol) -> ExpressionProtocol
    func subtract(_ expression: ExpressionProtocol) -> ExpressionProtocol
    func lessThan(_ expression: ExpressionProtocol) -> ExpressionProtocol
    func lessThanOrEqualTo(_ expression: ExpressionProtocol) -> ExpressionProtocol
    func greaterThan(_ expression: ExpressionProtocol) -> ExpressionProtocol
    func greaterThanOrEqualTo(_ expression: ExpressionProtocol) -> ExpressionProtocol
    func equalTo(_ expression: ExpressionProtocol) -> ExpressionProtocol
    func notEqualTo(_ expression: ExpressionProtocol) -> ExpressionProtocol
    /// A pattern of `%` for any text and `_` for one character. Case counts.
    func like(_ expression: ExpressionProtocol) -> ExpressionProtocol
    /// A regular expression that is found anywhere in the text.
    func regex(_ expression: ExpressionProtocol) -> ExpressionProtocol
    func `is`(_ expression: ExpressionProtocol) -> ExpressionProtocol
    func isNot(_ expression: ExpressionProtocol) -> ExpressionProtocol
    /// Neither missing nor null.
    func isValued() -> ExpressionProtocol
    /// Missing or null.
    func isNotValued() -> ExpressionProtocol
    func and(_ expression: ExpressionProtocol) -> ExpressionProtocol
    func or(_ expression: ExpressionProtocol) -> ExpressionProtocol
    /// Both ends belong to it.
    func between(_ expression1: ExpressionProtocol, and expression2: ExpressionProtocol) -> ExpressionProtocol
    func `in`(_ expressions: [ExpressionProtocol]) -> ExpressionProtocol
    func collate(_ collation: CollationProtocol) -> ExpressionProtocol
}

/// A property, of a collection that can be named.
public protocol PropertyExpressionProtocol: ExpressionProtocol {
    func from(_ alias: String?) -> ExpressionProtocol
}

/// What an item of an array is called inside of `any` and `every`.
public protocol VariableExpressionProtocol: ExpressionProtocol {}

/// Something about the document itself, of a collection that can be named.
public protocol MetaExpressionProtocol: ExpressionProtocol {
    func from(_ alias: String) -> ExpressionProtocol
}

/// An index, for functions that need one.
public protocol IndexExpressionProtocol {}

/// A full-text index, of a collection that can be named. It has to be where the query reads several.
public protocol FullTextIndexExpressionProtocol: IndexExpressionProtocol {
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
