import CBLBase
import Glibc
import Synchronization
import Testing

@Suite struct ThreadTests {
    @Test func oneAtATimeIsBehindAGate() {
        let gate = Gate()
        let inside = Atomic(0)
        let most = Atomic(0)
        let count = Atomic(0)
        let threads = (0..<4).map { _ in
            WorkerThread {
                for _ in 0..<200 {
                    gate.enter()
                    most.max(inside.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
                    // Long enough for the others to come to the gate.
                    usleep(20)
                    count.add(1, ordering: .relaxed)
                    inside.subtract(1, ordering: .relaxed)
                    gate.leave()
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(most.load(ordering: .relaxed) == 1)
        #expect(count.load(ordering: .relaxed) == 800)
    }

    @Test func whoIsNotLetInGivesUpInTime() {
        let gate = Gate()
        gate.enter()
        #expect(!gate.enter(within: .milliseconds(5)))
        gate.leave()
        #expect(gate.enter(within: .milliseconds(5)))
    }

    @Test func aThreadKnowsItself() {
        let isCurrent = Mutex<Bool?>(nil)
        let started = Mutex<WorkerThread?>(nil)
        let gate = Gate()
        gate.enter()
        let thread = WorkerThread {
            gate.enter()
            isCurrent.withLock { $0 = started.withLock { $0?.isCurrent } }
            gate.leave()
        }
        started.withLock { $0 = thread }
        gate.leave()
        #expect(!thread.isCurrent)
        thread.join()
        #expect(isCurrent.withLock { $0 } == true)
    }
}
