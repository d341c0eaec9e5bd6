import Glibc

/// A few threads for work that comes now and then. One is started when there is something to do and ends when there is nothing left: to
/// start a thread takes less than the shortest query, and none is there to be woken while nothing happens.
package final class WorkerPool: @unchecked Sendable {
    // Sendable: everything is touched only under the lock.
    fileprivate let lock = WaitCondition()
    private let name: String
    private let limit: Int
    private var threadCount = 0
    /// Queues that have work and no thread, first come first served.
    private var ready: [SerialQueue] = []

    package init(name: String, limit: Int) {
        self.name = name
        self.limit = limit
    }

    /// To be called under the lock.
    fileprivate func run(_ queue: SerialQueue) {
        ready.append(queue)
        guard threadCount < limit else { return }
        threadCount += 1
        _ = WorkerThread(name: name) { self.work() }
    }

    private func work() {
        while let queue = nextQueue() { queue.runOne() }
    }

    private func nextQueue() -> SerialQueue? {
        lock.locked {
            if ready.isEmpty {
                threadCount -= 1
                return nil
            }
            return ready.removeFirst()
        }
    }
}

/// Does one thing after another, on whichever thread of a pool is free. After each, those that have waited longer have their turn.
///
///     let queue = SerialQueue(on: pool)
///     queue.perform { … }
///     queue.cancel()
package final class SerialQueue: @unchecked Sendable {
    // Sendable: everything that changes is touched only under the pool's lock.
    private let pool: WorkerPool
    private var work: [@Sendable () -> Void] = []
    private var isReady = false
    private var isCancelled = false
    private var thread: pthread_t?

    package init(on pool: WorkerPool) { self.pool = pool }

    /// Does it soon, behind what waits already. After `cancel` it is dropped.
    package func perform(_ body: @escaping @Sendable () -> Void) {
        pool.lock.locked {
            guard !isCancelled else { return }
            work.append(body)
            if !isReady {
                isReady = true
                pool.run(self)
            }
        }
    }

    /// Drops what waits, and all that comes later. When this returns, nothing of it is running either; unless it is that which has called
    /// this.
    package func cancel() {
        // Let go of without the lock: what they refer to may end other queues.
        let dropped = pool.lock.locked {
            isCancelled = true
            defer { work = [] }
            return work
        }
        withExtendedLifetime(dropped) {}
        pool.lock.locked {
            while let thread, pthread_equal(thread, pthread_self()) == 0 { pool.lock.wait() }
        }
    }

    fileprivate func runOne() {
        var body = pool.lock.locked { () -> (@Sendable () -> Void)? in
            guard !work.isEmpty else { return nil }
            thread = pthread_self()
            return work.removeFirst()
        }
        body?()
        body = nil
        pool.lock.locked {
            thread = nil
            isReady = !work.isEmpty
            if isReady { pool.run(self) }
        }
        // Whoever cancels may be waiting.
        pool.lock.signal()
    }
}
