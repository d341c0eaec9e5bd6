import Synchronization

/// Something that one task waits for. The first value counts, whether it comes before somebody waits or after.
final class Awaited<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var continuation: CheckedContinuation<Value, Never>?
    }

    private let state = Mutex(State())

    func finish(_ value: Value) {
        let continuation = state.withLock { state in
            if state.value == nil { state.value = value }
            defer { state.continuation = nil }
            return state.continuation
        }
        continuation?.resume(returning: value)
    }

    func value() async -> Value {
        await withCheckedContinuation { continuation in
            let value = state.withLock { state in
                if state.value == nil { state.continuation = continuation }
                return state.value
            }
            if let value { continuation.resume(returning: value) }
        }
    }
}
