import CBLFleece
import CBLFunctions

/// A program that gets a value on each line, in JSON, and answers each with a line: an array of numbers; `null` if there is no vector; or an
/// object of the single member `error`. It is started when it is first asked.
final class EmbeddingProgram: Embedder {
    private let command: String
    /// What knows the contents of blobs.
    private let context: FunctionContext
    private var connection: ModelConnection?

    init(_ command: String, _ context: FunctionContext) {
        self.command = command
        self.context = context
    }

    deinit { end() }

    func embed(_ values: ArrayView, _ take: ([Float]?) throws -> Void) throws {
        for value in values { try take(try vector(of: value)) }
    }

    private func vector(of value: Value) throws -> [Float]? {
        let question = try ModelText.question(PredictionInput(value: value, keys: nil, database: context))
        do {
            let line = try exchange(question.bytes)
            return try ModelText.parse(line).withRoot { root throws(EmbeddingError) in
                if let object = root.dictionary, object.count == 1, let message = object.value(forKey: "error", nil)?.string {
                    throw EmbeddingError(message: "the program says: \(ModelFailure.excerpt(message))")
                }
                return try EmbeddingAnswer.vector(root, from: "the program")
            }
        } catch let failure as ModelConnection.Failure {
            throw error(failure.reason)
        } catch ModelTextError.noJSON(let problem, let line) {
            throw error(.noJSON(problem, line: ModelFailure.excerpt(line)))
        }
    }

    private func error(_ reason: ModelFailure.Reason) -> EmbeddingError {
        // What it says later would be taken for the answer to another question.
        connection?.end(patiently: false)
        connection = nil
        var error = EmbeddingError(message: reason.message(about: "the program", command: command))
        if case .interrupted = reason { error.isInterruption = true }
        return error
    }

    private func exchange(_ question: UnsafeRawBufferPointer) throws -> [UInt8] {
        let connection = try self.connection ?? ModelConnection(command)
        self.connection = connection
        return try connection.exchange(question, limit: ModelProgram.longestAnswer)
    }

    func end() {
        connection?.end(patiently: !Interruption.isRequested)
        connection = nil
    }
}
