import Synchronization
import Testing

@testable import CBLTransport

@Suite(.timeLimit(.minutes(5))) struct LoopDeadlineTests {
    private final class Bench: @unchecked Sendable {
        // Sendable: the loop's thread alone touches it.
        var deadline: LoopDeadline?
        var reached = 0
    }

    private typealias Step = @Sendable (LoopDeadline) -> Void

    /// Has something done with a deadline on a loop whose clock moves in between, and tells how often it was reached.
    private func reached(_ steps: [(advance: Int64, step: Step)]) async -> Int {
        let clock = ManualClock()
        let loop = EventLoop(clock: .manual(clock))
        defer { loop.stop() }
        let bench = Bench()
        await onLoop(loop) { bench.deadline = LoopDeadline(on: loop) { bench.reached += 1 } }
        for (seconds, step) in steps {
            clock.advance(by: .seconds(seconds))
            await onLoop(loop) {}
            await onLoop(loop) { if let deadline = bench.deadline { step(deadline) } }
        }
        return await onLoop(loop) {
            bench.deadline = nil
            return bench.reached
        }
    }

    @Test func aDeadlineIsReachedOnce() async {
        #expect(await reached([(0, { $0.set(after: .seconds(5)) }), (4, { _ in }), (1, { _ in }), (9, { _ in })]) == 1)
    }

    @Test func aDeadlineThatIsPutOffIsNotReached() async {
        let putOff: Step = { $0.set(after: .seconds(5)) }
        let steps = [(advance: Int64, step: Step)](repeating: (4, putOff), count: 10)
        #expect(await reached(steps) == 0)
        #expect(await reached(steps + [(5, putOff)]) == 1)
    }

    @Test func aDeadlineMayComeNearer() async {
        #expect(
            await reached([(0, { $0.set(after: .seconds(60)) }), (1, { $0.set(after: .seconds(2)) }), (2, { _ in }), (60, { _ in })]) == 1)
    }

    @Test func whatIsClearedIsNotReached() async {
        #expect(await reached([(0, { $0.set(after: .seconds(5)) }), (1, { $0.clear() }), (9, { _ in })]) == 0)
        #expect(
            await reached([(0, { $0.set(after: .seconds(5)) }), (1, { $0.cancel() }), (9, { $0.set(after: .seconds(1)) }), (1, { _ in })])
                == 1)
    }
}
