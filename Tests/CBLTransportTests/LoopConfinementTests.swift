import Synchronization
import Testing

@testable import CBLTransport

/// What belongs to a loop's thread is touched by no other: a program that does so ends there, and not with somebody's data.
@Suite struct LoopConfinementTests {
    @Test func aTimerOfAnotherThreadIsTrapped() async {
        await #expect(processExitsWith: .failure) {
            let loop = EventLoop()
            loop.timer(after: .seconds(1)) {}
        }
    }

    @Test func onTheLoopNothingIsTrappedNorAfterItsEnd() async {
        await #expect(processExitsWith: .success) {
            let loop = EventLoop()
            loop.perform {
                loop.preconditionOnLoop()
                loop.timer(after: .seconds(1)) {}
            }
            loop.stop()
            loop.preconditionOnLoop()
        }
    }

    /// Who could do something by itself finds out whether that would keep others waiting.
    @Test func aLoopKnowsWhetherOthersWait() async {
        let loop = EventLoop()
        let busy = Mutex<[Bool]>([])
        await withCheckedContinuation { continuation in
            loop.perform {
                // They come together, behind this.
                for _ in 0..<3 { loop.perform { busy.withLock { $0.append(loop.isBusy) } } }
                loop.perform { continuation.resume() }
            }
        }
        #expect(busy.withLock { $0 } == [true, true, true])
        #expect(await withCheckedContinuation { continuation in loop.perform { continuation.resume(returning: loop.isBusy) } } == false)
        loop.stop()
    }
}
