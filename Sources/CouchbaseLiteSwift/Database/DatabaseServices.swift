import Synchronization

/// What runs on a database until it is stopped: replicators, listeners, live queries.
package protocol DatabaseService: AnyObject, Sendable {
    /// Ends it, and waits until it has ended.
    func stopForClosing()
}

/// The services of a database, which it keeps alive as long as they run.
package final class DatabaseServices: Sendable {
    private struct State {
        var services: [ObjectIdentifier: any DatabaseService] = [:]
        var isClosing = false
    }

    private let state = Mutex(State())

    /// False if the database is closing, and nothing can begin any more.
    package func add(_ service: any DatabaseService) -> Bool {
        state.withLock { state in
            guard !state.isClosing else { return false }
            state.services[ObjectIdentifier(service)] = service
            return true
        }
    }

    package func remove(_ service: any DatabaseService) {
        // What is held only here must not end under the lock.
        let removed = state.withLock { $0.services.removeValue(forKey: ObjectIdentifier(service)) }
        withExtendedLifetime(removed) {}
    }

    func stopAll() {
        while true {
            let services = state.withLock { state in
                state.isClosing = true
                defer { state.services = [:] }
                return Array(state.services.values)
            }
            if services.isEmpty { return }
            for service in services { service.stopForClosing() }
        }
    }
}
