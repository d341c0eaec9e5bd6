/// What a model makes of a dictionary.
public protocol PredictionFunctionProtocol: ExpressionProtocol {
    /// One property of it.
    func property(_ property: String) -> ExpressionProtocol
}

struct PredictionFunction: PredictionFunctionProtocol, BuiltExpression {
    let model: String
    let input: QueryJSON

    var built: QueryJSON { .operation("PREDICTION()", .string(model), input) }

    func property(_ property: String) -> ExpressionProtocol {
        PlainExpression(.operation("PREDICTION()", .string(model), input, .string("." + property)))
    }
}
