import CBLBase
import Glibc
import Synchronization

/// Sees to it that no idle reader keeps the state it saw for long: then other processes could not empty the log.
///
/// One thread for all databases of the process, as long as there is something to watch.
enum IdleReaders {
    private struct State {
        var pools: [ReaderPool] = []
        var isRunning = false
    }

    private static let state = Mutex(State())
    /// A state is kept for one to two of these.
    private static let pause: UInt32 = 20_000

    static func watch(_ pool: ReaderPool) {
        state.withLock { state in
            if !state.pools.contains(where: { $0 === pool }) { state.pools.append(pool) }
            guard !state.isRunning else { return }
            state.isRunning = true
            _ = WorkerThread(name: "cblite-readers") { run() }
        }
    }

    private static func run() {
        while true {
            usleep(pause)
            let done = state.withLock { $0.pools }.filter { !$0.releaseStates(onlyOld: true) }
            let isOver = state.withLock { state in
                state.pools.removeAll { pool in !pool.keepsSomeState && done.contains { $0 === pool } }
                if state.pools.isEmpty { state.isRunning = false }
                return state.pools.isEmpty
            }
            if isOver { return }
        }
    }
}
