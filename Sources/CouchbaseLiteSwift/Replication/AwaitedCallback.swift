import Glibc
import Synchronization

/// Code of the program that a replicator waits for: filters and conflict resolvers. While one of them closes a database, it cannot be waited for.
enum AwaitedCallback {
    private struct Threads: @unchecked Sendable {
        // Sendable: numbers or pointers that are only compared.
        var all: [pthread_t] = []
    }

    private static let threads = Mutex(Threads())

    static func run<Result>(_ callback: () -> Result) -> Result {
        let current = pthread_self()
        threads.withLock { $0.all.append(current) }
        defer {
            threads.withLock { threads in
                if let place = threads.all.lastIndex(where: { pthread_equal($0, current) != 0 }) { threads.all.remove(at: place) }
            }
        }
        return callback()
    }

    /// Whether this thread is in one of them.
    static var isRunning: Bool { threads.withLock { $0.all.contains { pthread_equal($0, pthread_self()) != 0 } } }
}
