import Glibc

/// A lock with a condition to wait for under it.
package final class WaitCondition: @unchecked Sendable {
    // Sendable: both are made to be shared, and never move.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    package init() {
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        // Nobody waits longer because somebody sets the clock.
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    package func locked<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body()
    }

    /// Lets go of the lock until somebody signals.
    package func wait() { pthread_cond_wait(condition, mutex) }

    /// The same, but not beyond `end`: then it is false.
    package func wait(until end: Deadline) -> Bool {
        var time = end.time
        return pthread_cond_timedwait(condition, mutex, &time) != ETIMEDOUT
    }

    package func signal() { pthread_cond_broadcast(condition) }
}
