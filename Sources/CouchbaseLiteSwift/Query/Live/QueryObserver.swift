internal import CBLQuery
internal import CBLStore
import Foundation
import Synchronization

/// Keeps a query alive for its listeners: each is told of the rows that there are, and of those that there are after changes.
final class QueryObserver: DatabaseService, @unchecked Sendable {
    // Sendable: what changes is guarded by the lock.

    private struct State {
        var listeners: [Listener<QueryChange>] = []
        var live: ObservedQuery<KeptRows>?
        /// What listeners were told last.
        var current: KeptRows?
        var hasEnded = false
    }

    /// Kept as long as somebody listens.
    private let query: Query
    private let state = Mutex(State())

    init(_ query: Query) { self.query = query }

    /// A change at rest is answered at once, those in a stream a few dozen times a second.
    private static let timing = LiveTiming(quiet: .milliseconds(10), delay: .milliseconds(20), longestDelay: .milliseconds(500))

    /// Nil if the last listener has been removed meanwhile. The first one comes with the parameters to begin with.
    func add(_ listener: Listener<QueryChange>, startingWith parameters: QueryParameters?) -> ListenerToken? {
        let isAdded = state.withLock { state in
            guard !state.hasEnded else { return false }
            state.listeners.append(listener)
            if let current = state.current { tell(listener, current) }
            return true
        }
        guard isAdded else { return nil }
        if let parameters { start(parameters, listener) }
        return ListenerToken { [weak self] in
            listener.remove()
            self?.remove(listener)
        }
    }

    private func start(_ parameters: QueryParameters, _ listener: Listener<QueryChange>) {
        do {
            let core = try query.database.openCore()
            let compiled = try query.compiled()
            guard query.database.services.add(self) else {
                throw libraryError(CBLError.notOpen, "The database \"\(query.database.name)\" is being closed.")
            }
            let live = try ObservedQuery<KeptRows>(compiled, on: core, parameters: parameters, timing: QueryObserver.timing) {
                [weak self] in
                self?.hear($0)
            }
            let isLate = state.withLock { state in
                if !state.hasEnded { state.live = live }
                return state.hasEnded
            }
            if isLate { live.stop() }
        } catch {
            let error = translated(error)
            log(.query, .warning, "A query cannot be kept alive: \(error.localizedDescription)")
            listener.tell(QueryChange(query: query, results: nil, error: error))
            end()
        }
    }

    private func hear(_ event: ObservedQuery<KeptRows>.Event) {
        state.withLock { state in
            switch event {
            case .result(let result):
                // Other parameters can give the same rows.
                if let current = state.current, current == result.rows { return }
                state.current = result.rows
                // Under the lock, so that nobody is told of what was before behind what is now.
                for listener in state.listeners { tell(listener, result.rows) }
            case .failure(let error):
                let error = translated(error)
                log(.query, .error, "A live query has failed: \(error.localizedDescription)")
                for listener in state.listeners { listener.tell(QueryChange(query: query, results: nil, error: error)) }
            }
        }
    }

    private func tell(_ listener: Listener<QueryChange>, _ rows: KeptRows) {
        listener.tell(QueryChange(query: query, results: ResultSet(rows, query.shape(rows.titles)), error: nil))
    }

    func setParameters(_ parameters: QueryParameters) { state.withLock { $0.live }?.setParameters(parameters) }

    private func remove(_ listener: Listener<QueryChange>) {
        let isLast = state.withLock { state in
            state.listeners.removeAll { $0 === listener }
            return state.listeners.isEmpty
        }
        if isLast { end() }
    }

    /// When this returns, nothing runs any more.
    private func end() {
        let live = state.withLock { state in
            state.hasEnded = true
            state.listeners = []
            return state.live.take()
        }
        query.forget(self)
        live?.stop()
        query.database.services.remove(self)
    }

    package func stopForClosing() { end() }
}
