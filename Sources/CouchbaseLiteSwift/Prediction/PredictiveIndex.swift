/// An index over what a model makes of documents.
public final class PredictiveIndex: Index, Sendable {
    let model: String
    let input: QueryJSON
    let properties: [String]

    init(_ model: String, _ input: QueryJSON, _ properties: [String]) {
        self.model = model
        self.input = input
        self.properties = properties
    }
}

extension IndexBuilder {
    /// An index that keeps what a model makes of each document, so that queries do not ask it again. With properties, it is also an index over
    /// these.
    public static func predictiveIndex(model: String, input: ExpressionProtocol, properties: [String]? = nil) -> PredictiveIndex {
        PredictiveIndex(model, input.json, properties ?? [])
    }
}
