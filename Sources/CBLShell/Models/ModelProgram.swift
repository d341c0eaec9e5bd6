import CBLBase
import CBLFleece
import CBLFunctions
import Glibc
import Synchronization

/// A program that answers for a model. It is started when it is first asked, and lives until `end()`. Threads that ask take turns.
final class ModelProgram: Sendable {
    /// Nobody wants a longer answer to be kept for each document.
    static let longestAnswer = 64 << 20

    let declaration: ModelDeclaration
    private let state = Mutex(State())

    private struct State {
        var connection: ModelConnection?
        /// Once it has failed, it is not asked again until somebody gives it another chance.
        var failure: ModelFailure?
    }

    init(_ declaration: ModelDeclaration) { self.declaration = declaration }

    deinit { end() }

    private static let interrupted = Atomic<Bool>(false)

    /// Whether Ctrl-C has ended the wait for an answer, since this was asked last. To SQLite that is an error like others: one that ended the
    /// statement would undo a whole transaction.
    static func takeInterruption() -> Bool { interrupted.exchange(false, ordering: .relaxed) }

    /// Asks the program. An error is a `ModelFailure`.
    func answer(_ input: PredictionInput) throws -> FleeceData? {
        let question = try ModelText.question(input)
        return try state.withLock { state in
            if let failure = state.failure { throw failure }
            do {
                let line = try exchange(question.bytes, &state)
                switch try ModelText.answer(line) {
                case .output(let data): return data
                case .nothing: return nil
                case .error(let message): throw ModelFailure(declaration: declaration, reason: .refused(message))
                }
            } catch {
                let failure = failure(error)
                if case .refused = failure.reason { throw failure }
                if case .interrupted = failure.reason { ModelProgram.interrupted.store(true, ordering: .relaxed) }
                // What it says later would be taken for the answer to another question.
                state.connection?.end(patiently: false)
                (state.connection, state.failure) = (nil, failure)
                throw failure
            }
        }
    }

    private func exchange(_ question: UnsafeRawBufferPointer, _ state: inout State) throws -> [UInt8] {
        if let connection = state.connection { return try connection.exchange(question, limit: ModelProgram.longestAnswer) }
        let connection = try ModelConnection(declaration.command)
        state.connection = connection
        return try connection.exchange(question, limit: ModelProgram.longestAnswer)
    }

    private func failure(_ error: any Error) -> ModelFailure {
        let reason: ModelFailure.Reason =
            switch error {
            case let error as ModelFailure: error.reason
            case let error as ModelConnection.Failure: error.reason
            case ModelTextError.noJSON(let problem, let line): .noJSON(problem, line: ModelFailure.excerpt(line))
            case ModelTextError.noObject(let kind): .noObject(kind)
            case let error as CommandError: .cannotStart(error.message)
            default: .cannotStart("\(error)")
            }
        return ModelFailure(declaration: declaration, reason: reason)
    }

    func forgetFailure() { state.withLock { $0.failure = nil } }

    /// Ends the program: it sees the end of its input, and is ended by force if that does not move it.
    func end() {
        state.withLock { state in
            state.connection?.end(patiently: !Interruption.isRequested)
            state.connection = nil
        }
    }
}
