import CBLBase
import Glibc
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct WorkerPoolTests {
    private final class Tally: Sendable {
        private let state = Mutex((now: 0, most: 0, order: [Int]()))

        func run(_ number: Int, for microseconds: UInt32) {
            state.withLock { state in
                state.now += 1
                state.most = max(state.most, state.now)
                state.order.append(number)
            }
            usleep(microseconds)
            state.withLock { $0.now -= 1 }
        }

        var most: Int { state.withLock { $0.most } }
        var isRunning: Bool { state.withLock { $0.now > 0 } }
        var order: [Int] { state.withLock { $0.order } }

        func wait(for count: Int) { while order.count < count || state.withLock({ $0.now }) > 0 { usleep(1000) } }
    }

    @Test func aQueueDoesOneThingAfterAnother() {
        let queue = SerialQueue(on: WorkerPool(name: "test", limit: 4))
        let tally = Tally()
        for number in 0..<200 { queue.perform { tally.run(number, for: number % 20 == 0 ? 500 : 0) } }
        tally.wait(for: 200)
        #expect(tally.order == Array(0..<200))
        #expect(tally.most == 1)
    }

    @Test func manyQueuesHaveAFewThreads() {
        let pool = WorkerPool(name: "test", limit: 3)
        let tally = Tally()
        let queues = (0..<20).map { _ in SerialQueue(on: pool) }
        for (number, queue) in queues.enumerated() { for _ in 0..<3 { queue.perform { tally.run(number, for: 2000) } } }
        tally.wait(for: 60)
        #expect(tally.most == 3)
        // They take turns: nobody has a second one before all others had their first.
        #expect(Set(tally.order.prefix(20)).count >= 17)
    }

    @Test func oneThatTakesLongDoesNotStopTheOthers() {
        let pool = WorkerPool(name: "test", limit: 2)
        let (slow, quick) = (SerialQueue(on: pool), SerialQueue(on: pool))
        let tally = Tally()
        let isOver = Mutex(false)
        slow.perform { while !isOver.withLock({ $0 }) { usleep(1000) } }
        for number in 0..<10 { quick.perform { tally.run(number, for: 0) } }
        tally.wait(for: 10)
        isOver.withLock { $0 = true }
        slow.cancel()
    }

    @Test func afterCancellingNothingRuns() {
        let pool = WorkerPool(name: "test", limit: 2)
        for round in 0..<200 {
            let queue = SerialQueue(on: pool)
            let tally = Tally()
            for number in 0..<5 { queue.perform { tally.run(number, for: 200) } }
            usleep(UInt32(round * 5))
            queue.cancel()
            #expect(!tally.isRunning)
            let count = tally.order.count
            queue.perform { tally.run(9, for: 0) }
            usleep(300)
            #expect(tally.order.count == count)
        }
    }

    @Test func whatRunsMayCancelItsOwnQueue() {
        let queue = SerialQueue(on: WorkerPool(name: "test", limit: 2))
        let tally = Tally()
        queue.perform {
            queue.cancel()
            tally.run(0, for: 0)
        }
        queue.perform { tally.run(1, for: 0) }
        tally.wait(for: 1)
        queue.cancel()
        usleep(10_000)
        #expect(tally.order == [0])
    }

    @Test func patientThreadsTakeWhatComesLater() {
        let pool = WorkerPool(name: "test", limit: 4, patience: .milliseconds(20))
        let tally = Tally()
        var count = 0
        // Before, while and after they have lost their patience.
        for pause: UInt32 in [0, 100, 5000, 19_500, 20_000, 20_500, 50_000, 0] {
            for _ in 0..<50 { SerialQueue(on: pool).perform { [count] in tally.run(count, for: 0) } }
            count += 50
            tally.wait(for: count)
            usleep(pause)
        }
        #expect(tally.order.count == count)
    }

    @Test func somebodyBusyHoldsUpNobodyElse() {
        let pool = WorkerPool(name: "test", limit: 4, patience: .seconds(1))
        let tally = Tally()
        let isOver = Mutex(false)
        for _ in 0..<3 { SerialQueue(on: pool).perform { while !isOver.withLock({ $0 }) { usleep(500) } } }
        for number in 0..<20 { SerialQueue(on: pool).perform { tally.run(number, for: 100) } }
        tally.wait(for: 20)
        #expect(tally.most == 1)
        isOver.withLock { $0 = true }
    }
}
