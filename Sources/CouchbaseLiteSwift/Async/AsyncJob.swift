import Synchronization

/// Work that a task waits for while a thread does it. What is cancelled before its turn is not done at all.
final class AsyncJob<Value>: Sendable {
    private typealias Waiting = CheckedContinuation<Unchecked<Value>, any Error>

    private enum State {
        case new
        case waiting(Waiting, @Sendable () throws -> Value)
        case running(isCancelled: Bool)
        case over
    }

    private let state = Mutex(State.new)
    /// Ends the work while it runs; nil for what is done to its end.
    private let interrupt: (@Sendable () -> Void)?

    init(interrupt: (@Sendable () -> Void)? = nil) { self.interrupt = interrupt }

    /// Waits for the work, which `perform` is to have done by a thread that may wait. It must not give away what it returns.
    func result(_ work: @escaping @Sendable () throws -> Value, perform: (@escaping @Sendable () -> Void) -> Void) async throws
        -> Unchecked<Value>
    {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isWanted = state.withLock { state in
                    guard case .new = state else { return false }
                    state = .waiting(continuation, work)
                    return true
                }
                if isWanted { perform { self.run() } } else { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            cancel()
        }
    }

    private func run() {
        let begun = state.withLock { state -> (Waiting, @Sendable () throws -> Value)? in
            guard case .waiting(let continuation, let work) = state else { return nil }
            state = .running(isCancelled: false)
            return (continuation, work)
        }
        guard let (continuation, work) = begun else { return }
        let result = Swift.Result { Unchecked(try work()) }
        let isInterrupted = state.withLock { state in
            defer { state = .over }
            if case .running(true) = state { return interrupt != nil }
            return false
        }
        if isInterrupted, case .failure = result {
            continuation.resume(throwing: CancellationError())
        } else {
            continuation.resume(with: result)
        }
    }

    private func cancel() {
        let former = state.withLock { state in
            defer { if case .running = state { state = .running(isCancelled: true) } else { state = .over } }
            return state
        }
        switch former {
        case .waiting(let continuation, _): continuation.resume(throwing: CancellationError())
        case .running: interrupt?()
        case .new, .over: break
        }
    }
}
