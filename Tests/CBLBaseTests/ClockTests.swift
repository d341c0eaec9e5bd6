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

    @Test func instantsAreAsFarApartAsWhatLiesBetween() {
        let start = Instant.now
        for duration in [Duration.zero, .nanoseconds(1), .milliseconds(-1500), .seconds(3_000_000), .seconds(1) / 3] {
            let span = (start + duration) - start
            // A nanosecond is the least there is.
            #expect(span <= duration && duration - span < .nanoseconds(1) || span >= duration && span - duration < .nanoseconds(1))
        }
        #expect(start < start + .nanoseconds(1) && start + .nanoseconds(-1) < start && start == start + .zero)
        usleep(2000)
        #expect(Instant.now - start >= .milliseconds(2))
        // It is no clock that stands still while others sleep, nor one that somebody sets.
        #expect(abs((Instant.now - start) / .milliseconds(1)) < 60_000)
    }

    @Test func centuriesAreAsFarAsTheClockGoes() {
        let end = Instant.now + .seconds(Int64.max)
        for seconds in [9_223_372_036, 9_223_372_037, Int64.max / 2] {
            for rest in [Duration.zero, .nanoseconds(999_999_999)] { #expect(Instant.now + (.seconds(seconds) + rest) <= end) }
        }
        #expect(end + .seconds(1) == end && Instant.now < end && end - Instant.now > .seconds(9_000_000_000))
        let beginning = Instant.now + .seconds(Int64.min)
        #expect(beginning < Instant.now && beginning + .seconds(-1) == beginning)
        #expect(end - beginning > .seconds(18_000_000_000))
    }
}
