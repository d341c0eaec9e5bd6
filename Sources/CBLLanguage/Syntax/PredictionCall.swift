import CBLBase
import CBLFleece

/// A call of `PREDICTION()`, taken apart: what is asked of which model, and which properties of the answer are wanted.
package struct PredictionCall {
    package let model: String
    package let input: QueryExpression
    /// None for the whole answer. A query names one at most, the definition of an index any number.
    package let outputs: [PropertyPath]

    /// Nil if the expression is something else, or if an output is not named by a text.
    package init?(_ expression: QueryExpression) {
        guard case .function("prediction", let arguments) = expression.node, arguments.count >= 2,
            case .string(let model) = arguments[0].node
        else { return nil }
        var outputs: [PropertyPath] = []
        for argument in arguments.dropFirst(2) {
            guard case .string(let text) = argument.node, let path = PropertyPath(text: text), !path.components.isEmpty, !path.endsInStar
            else { return nil }
            outputs.append(path)
        }
        self.init(model: model, input: arguments[1], outputs: outputs)
    }

    package init(model: String, input: QueryExpression, outputs: [PropertyPath] = []) {
        self.model = model
        self.input = input
        self.outputs = outputs
    }

    /// The call for the whole answer.
    package var expression: QueryExpression {
        QueryExpression(.function("prediction", [QueryExpression(.string(model)), input]), spelling: PredictionCall.spelling)
    }

    /// The call as the JSON form has it, with all outputs.
    package var jsonForm: String {
        let outputs = outputs.map { QueryExpression(.string($0.jsonForm)) }
        let arguments = [QueryExpression(.string(model)), input] + outputs
        return QueryExpression(.function("prediction", arguments), spelling: PredictionCall.spelling).jsonForm()
    }

    /// What a predictive index is found by: its table has the same digest in its name if it is of the same model and input, whatever the outputs.
    package var digest: String {
        var sha1 = SHA1()
        for part in [JSONWriter.quoted(PredictionCall.spelling + "()"), JSONWriter.quoted(model), input.jsonForm()] {
            sha1.update(part.utf8)
        }
        return sha1.finish().base64
    }

    // The digest is of the name in capitals, however a query spells it.
    private static let spelling = "PREDICTION"
}
