/// An index over what a model makes of documents.
public final class PredictiveIndex: Index, Sendable {
    /// What the model is asked, and the properties of the answer.
    let call: QueryJSON

    init(_ model: String, _ input: QueryJSON, _ properties: [String]) {
        call = .array([.string("PREDICTION()"), .string(model), input] + properties.map { .string("." + $0) })
    }
}

extension IndexBuilder {
    /// An index that keeps what a model makes of each document, so that queries do not ask it again. With properties, it is also an index over
    /// these.
    public static func predictiveIndex(model: String, input: ExpressionProtocol, properties: [String]? = nil) -> PredictiveIndex {
        PredictiveIndex(model, input.json, properties ?? [])
    }
}
