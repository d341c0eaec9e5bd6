import CBLBase
import Glibc
import Testing

@Suite struct ClockTests {
    @Test func theMonotonicClockNeverGoesBack() {
        var last = MonotonicClock.nanoseconds
        for _ in 0..<10_000 {
            let now = MonotonicClock.nanoseconds
            #expect(now >= last)
            last = now
        }
        // The same clock, a little behind.
        let (coarse, now) = (MonotonicClock.coarseNanoseconds, MonotonicClock.nanoseconds)
        #expect(coarse <= now && now - coarse < 10_000_000_000)
        #expect(abs(MonotonicClock.seconds - Double(now) / 1e9) < 10)
    }

    @Test func theWallClockIsTheSystems() {
        let before = time(nil)
        let (milliseconds, nanoseconds) = (WallClock.milliseconds, WallClock.nanoseconds)
        let after = time(nil)
        // `time` may be a tick behind.
        #expect((Int64(before) * 1000 - 100...Int64(after) * 1000 + 1100).contains(milliseconds))
        #expect((Int64(before) * 1000 - 100...Int64(after) * 1000 + 1100).contains(Int64(nanoseconds / 1_000_000)))
    }

    @Test func aWaitEndsAtItsDeadlineAndNotBefore() {
        let lock = WaitCondition()
        let start = MonotonicClock.nanoseconds
        let end = Deadline(after: .milliseconds(30))
        lock.locked { while lock.wait(until: end) {} }
        #expect(MonotonicClock.nanoseconds - start >= 30_000_000)
        // What has passed is not waited for.
        lock.locked { while lock.wait(until: Deadline(after: .zero)) {} }
    }
}
