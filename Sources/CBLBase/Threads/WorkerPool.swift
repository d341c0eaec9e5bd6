import Glibc

/// A few threads for work that comes now and then. One is started when there is something to do and ends when there is nothing left: to
/// start a thread takes less than the shortest query, and none is there to be woken while nothing happens.
///
/// Where work comes all the time, threads may have the patience to wait for more. Then another one is called only if what waits is not taken
/// soon: to wake a thread takes longer than much of the work.
package final class WorkerPool: @unchecked Sendable {
    // Sendable: everything is touched only under the lock.
    fileprivate let lock = WaitCondition()
    private let name: String
    private let limit: Int
    private var threadCount = 0
    /// Queues that have work and no thread, first come first served.
    private var ready: [SerialQueue] = []
    private let patience: Duration?
    /// Threads that wait for work, the last one that had some last: it is the one to be called, and the others get tired.
    private var sleepers: [Sleeper] = []
    private var isWatched = false

    package init(name: String, limit: Int, patience: Duration? = nil) {
        self.name = name
        self.limit = limit
        self.patience = patience
    }

    /// To be called under the lock. Who is returned is to be called without it: the first thing that is done then is to take it.
    fileprivate func run(_ queue: SerialQueue) -> Sleeper? {
        ready.append(queue)
        guard patience != nil, threadCount > sleepers.count else { return findThread() }
        if !isWatched {
            isWatched = true
            _ = WorkerThread(name: name) { self.watch() }
        }
        return nil
    }

    // Under the lock.
    private func findThread() -> Sleeper? {
        if let sleeper = sleepers.popLast() { return sleeper }
        guard threadCount < limit else { return nil }
        threadCount += 1
        _ = WorkerThread(name: name) { self.work() }
        return nil
    }

    // Those who are awake may all be busy with something that takes long.
    private func watch() {
        var quietTurns = 0
        var oldest: SerialQueue?
        while quietTurns < 100 {
            usleep(1000)
            let sleeper: Sleeper? = lock.locked {
                defer { oldest = ready.first }
                quietTurns = ready.isEmpty ? quietTurns + 1 : 0
                isWatched = quietTurns < 100
                return ready.first.flatMap { $0 === oldest ? findThread() : nil }
            }
            sleeper?.call()
        }
    }

    private func work() {
        while let queue = nextQueue() { queue.runOne() }
    }

    private func nextQueue() -> SerialQueue? {
        var isTired = patience == nil
        while true {
            var sleeper: Sleeper?
            let queue: SerialQueue? = lock.locked {
                if !ready.isEmpty { return ready.removeFirst() }
                if isTired {
                    threadCount -= 1
                } else {
                    let new = Sleeper()
                    sleepers.append(new)
                    sleeper = new
                }
                return nil
            }
            guard let sleeper, let patience else { return queue }
            // Somebody may have called in the last moment.
            if !sleeper.sleep(patience) { isTired = lock.locked { remove(sleeper) } }
        }
    }

    private func remove(_ sleeper: Sleeper) -> Bool {
        guard let index = sleepers.firstIndex(where: { $0 === sleeper }) else { return false }
        sleepers.remove(at: index)
        return true
    }
}

/// A thread without work.
fileprivate final class Sleeper {
    private let condition = WaitCondition()
    private var isCalled = false

    func call() {
        condition.locked { isCalled = true }
        condition.signal()
    }

    /// False if nobody has called for that long.
    func sleep(_ duration: Duration) -> Bool {
        let end = Deadline(after: duration)
        return condition.locked {
            while !isCalled { if !condition.wait(until: end), !isCalled { return false } }
            return true
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
        let sleeper: Sleeper? = pool.lock.locked {
            guard !isCancelled else { return nil }
            work.append(body)
            guard !isReady else { return nil }
            isReady = true
            return pool.run(self)
        }
        sleeper?.call()
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
        let sleeper = pool.lock.locked {
            thread = nil
            isReady = !work.isEmpty
            return isReady ? pool.run(self) : nil
        }
        sleeper?.call()
        // Whoever cancels may be waiting.
        pool.lock.signal()
    }
}
