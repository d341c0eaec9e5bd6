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
}
