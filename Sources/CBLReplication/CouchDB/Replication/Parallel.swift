import CBLBase
import Synchronization

/// The same for several things at once.
enum Parallel {
    /// Gives the results in the order of the things, made by so many threads. The first error ends it.
    static func map<Item: Sendable, Result: Sendable>(
        _ items: [Item], width: Int, _ body: @escaping @Sendable (Item) throws -> Result
    ) throws -> [Result] {
        guard width > 1, items.count > 1 else { return try items.map(body) }
        let state = Mutex(ParallelState<Result>(results: Array(repeating: nil, count: items.count)))
        let work: @Sendable () -> Void = {
            while let place = state.withLock({ state -> Int? in
                guard state.error == nil, state.next < items.count else { return nil }
                defer { state.next += 1 }
                return state.next
            }) {
                do {
                    let result = try body(items[place])
                    state.withLock { $0.results[place] = result }
                } catch { state.withLock { $0.error = $0.error ?? error } }
            }
        }
        let threads = (1..<min(width, items.count)).map { _ in WorkerThread(name: "replicator", work) }
        work()
        for thread in threads { thread.join() }
        return try state.withLock { state in
            if let error = state.error { throw error }
            return state.results.compactMap { $0 }
        }
    }
}

private struct ParallelState<Result: Sendable>: Sendable {
    var next = 0
    var results: [Result?]
    var error: (any Error)?
}
