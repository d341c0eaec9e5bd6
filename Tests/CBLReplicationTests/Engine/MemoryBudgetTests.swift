import CBLReplicationTestSupport
import CBLTestSupport
import CBLTransport
import Synchronization
import Testing

@testable import CBLReplication

@Suite struct MemoryBudgetTests {
    /// Expectations cannot change values.
    private final class Budget {
        private var value: MemoryBudget

        init(limit: Int) { value = MemoryBudget(limit: limit) }

        var limit: Int { value.limit }
        var total: Int { value.total }
        var isScarce: Bool { value.isScarce }
        var isExhausted: Bool { value.isExhausted }
        var frameAllowance: Int { value.frameAllowance }
        var hasWaiting: Bool { value.hasWaiting }
        var wanted: Int {
            get { value.wanted }
            set { value.wanted = newValue }
        }
        func report(_ key: Int, _ holding: MemoryBudget.Holding) -> Bool { value.report(key, holding) }
        func leave(_ key: Int) { value.leave(key) }
        func isScarce(for key: Int) -> Bool { value.isScarce(for: key) }
        func decide(at now: LoopTime, unread: (Int) -> Int = { _ in 0 }) -> MemoryBudget.Decision { value.decide(at: now, unread: unread) }
    }

    private final class Notes: Sendable { let begun = Mutex<[Int]>([]) }

    private func time(_ milliseconds: UInt64) -> LoopTime { LoopTime(nanoseconds: milliseconds * 1_000_000) }
    private let much = MemoryBudget.floor

    private func holding(_ bytes: Int, begun: Int = 0, heard: UInt64 = 0, received: Int? = nil) -> MemoryBudget.Holding {
        MemoryBudget.Holding(HeldMemory(incoming: bytes - begun, begun: begun), heard: time(heard), received: received ?? bytes)
    }

    private func taking(_ bytes: Int, heard: UInt64 = 0) -> MemoryBudget.Holding {
        MemoryBudget.Holding(HeldMemory(untaken: bytes), heard: time(heard))
    }

    @Test func whoHoldsLittleGoesOn() {
        let budget = Budget(limit: 10 * much)
        #expect(budget.report(1, holding(9 * much)) && budget.isScarce)
        #expect(!budget.report(1, holding(10 * much)))
        #expect(budget.report(2, holding(much - 1)))
        #expect(!budget.report(2, holding(much)))
        #expect(!budget.report(3, holding(9 * much)) && budget.isExhausted && budget.report(4, holding(1)))
        for key in 1...3 { budget.leave(key) }
        #expect(budget.total == 1 && budget.report(4, holding(2)) && !budget.hasWaiting)
    }

    @Test func othersAreReadFromInTheirOrderWhenThereIsRoom() {
        let budget = Budget(limit: 4 * much)
        #expect(!budget.report(1, holding(8 * much)))
        for key in 2...6 { #expect(!budget.report(key, holding(much))) }
        // Only the one whose turn it is while there is none.
        #expect(budget.decide(at: time(0)).resumed == [1])
        #expect(budget.decide(at: time(1)) == .init())
        #expect(budget.report(1, holding(7 * much)))
        budget.leave(1)
        for key in 2...3 { budget.leave(key) }
        #expect(budget.decide(at: time(2)).resumed == [4])
        budget.leave(4)
        #expect(budget.decide(at: time(3)).resumed == [5, 6])
    }

    @Test func whoOwesAndSaysNothingHasToGo() {
        let budget = Budget(limit: 2 * much)
        #expect(!budget.report(1, holding(2 * much, begun: 2 * much)))
        #expect(!budget.report(2, holding(much, begun: much)))
        #expect(budget.decide(at: time(0)) == .init(resumed: [1]))
        #expect(budget.decide(at: time(1999)) == .init())
        #expect(budget.decide(at: time(2000)) == .init(resumed: [2], expelled: [1]))
        // Who waits for us need not say anything.
        #expect(budget.report(2, holding(much, begun: 0)))
        #expect(!budget.report(3, holding(much)))
        #expect(budget.decide(at: time(4000)) == .init(resumed: [3]))
    }

    @Test func aTurnEndsForWhoGoesOnAndOn() {
        let budget = Budget(limit: 3 * much)
        for (key, count) in [(1, 3), (2, 2)] { _ = budget.report(key, holding(count * much, begun: count * much)) }
        #expect(budget.decide(at: time(0)).resumed == [1])
        for now in stride(from: UInt64(1000), to: 10_000, by: 1000) {
            #expect(budget.report(1, holding(3 * much, begun: 3 * much, heard: now, received: 3 * much + Int(now) * 8192 / 1000)))
            #expect(budget.decide(at: time(now)) { _ in 1 } == .init())
        }
        #expect(budget.decide(at: time(10_000)) { _ in 1 } == .init(resumed: [2]))
        #expect(!budget.report(1, holding(3 * much, begun: 3 * much, heard: 10_000)))
    }

    @Test func whoSaysNothingIsNoTroubleWhileThereIsRoom() {
        let budget = Budget(limit: 10 * much)
        #expect(budget.report(1, holding(9 * much, begun: 9 * much)))
        for hour in UInt64(1)...3 { #expect(budget.decide(at: time(hour * 3_600_000)) == .init()) }
        // Nor is it held against them later: they have the same time as everybody.
        #expect(!budget.report(2, holding(much, begun: much, heard: 10_800_000)))
        #expect(budget.decide(at: time(10_800_000)).expelled.isEmpty && budget.decide(at: time(10_801_999)).expelled.isEmpty)
        #expect(budget.decide(at: time(10_802_000)).expelled == [1])
    }

    /// Hundreds who leave messages incomplete go as soon as the first of them, and only as many as have to.
    @Test func thoseWhoSayNothingGoTogether() {
        let budget = Budget(limit: 100 * much)
        for key in 1...190 { _ = budget.report(key, holding(2 * much, begun: 2 * much)) }
        // From this one something has come; it was not read.
        _ = budget.report(200, holding(50 * much, begun: 50 * much))
        #expect(budget.report(201, holding(1)))
        func unread(_ key: Int) -> Int { key == 200 ? 1 : 0 }
        #expect(budget.decide(at: time(0), unread: unread).expelled.isEmpty)
        #expect(budget.decide(at: time(1999), unread: unread).expelled.isEmpty)
        let decision = budget.decide(at: time(2000), unread: unread)
        #expect(decision.expelled.count == 166 && !decision.expelled.contains { $0 >= 200 })
        #expect(budget.total < budget.limit && budget.total >= budget.limit - 2 * much)
        #expect(budget.report(201, holding(1)) && budget.report(200, holding(50 * much, begun: 50 * much)))
    }

    /// Whose messages became much larger than documents do lets the others go first.
    @Test func whatWasMadeLargeWaitsLonger() {
        let budget = Budget(limit: 6 * much)
        for (key, received) in [(1, 1000), (2, 1000), (3, 4 * much), (4, 1000)] {
            _ = budget.report(key, holding(4 * much, begun: 4 * much, received: received))
        }
        #expect(budget.decide(at: time(0)) { _ in 1 }.resumed == [3])
        budget.leave(3)
        #expect(budget.decide(at: time(1)) { _ in 1 }.resumed == [2])
        // And goes first, if some have to.
        _ = budget.report(5, holding(much, begun: much))
        _ = budget.decide(at: time(2)) { _ in 1 << 20 }
        #expect(budget.decide(at: time(6001)) { _ in 1 << 20 }.expelled == [1, 4])
    }

    /// A byte now and then is no reason to wait for the rest.
    @Test func thoseWhoDoNotGetOnGoToo() {
        let budget = Budget(limit: 100 * much)
        for key in 1...190 { _ = budget.report(key, holding(2 * much, begun: 2 * much)) }
        _ = budget.report(200, holding(50 * much, begun: 50 * much))
        var (expelled, turn): ([Int], Int?) = ([], nil)
        for now in stride(from: UInt64(0), through: 8000, by: 1000) {
            // Whose turn it is sends a byte; of the others one waits. Only one has much to say.
            if let turn { _ = budget.report(turn, holding(2 * much, begun: 2 * much, heard: now, received: 2 * much + Int(now / 1000))) }
            let decision = budget.decide(at: time(now)) { $0 == 200 ? MemoryBudget.pace : $0 == turn ? 0 : 1 }
            if let next = decision.resumed.first { turn = next }
            expelled += decision.expelled
            if budget.total < budget.limit { break }
        }
        #expect(budget.total < budget.limit && !expelled.contains(200))
        #expect(Set(expelled).count == expelled.count)
    }

    @Test func whoTakesWhatWasSentHasTimeToStoreIt() {
        let budget = Budget(limit: 10 * much)
        // They are read from all the same, as that can only make it less.
        for key in 1...3 { #expect(budget.report(key, taking(4 * much))) }
        #expect(!budget.report(4, holding(much)))
        for now in stride(from: UInt64(0), to: 10_000, by: 1000) { #expect(budget.decide(at: time(now)).expelled.isEmpty) }
        #expect(budget.decide(at: time(10_000)).expelled == [1])
    }

    @Test func framesAreToBeSmallWhereThereIsLittleRoom() {
        let budget = Budget(limit: 10 * much)
        for (bytes, allowance) in [(4 * much, Int.max), (5 * much, 1 << 20), (9 * much, 1 << 20), (10 * much, 256 << 10)] {
            _ = budget.report(1, holding(bytes))
            #expect(budget.frameAllowance == allowance)
        }
    }

    /// Everybody wants the same large document: they get it one after the other.
    @Test func largeLoadsWaitForRoom() async {
        let clock = ManualClock()
        let loop = EventLoop(clock: .manual(clock))
        defer { loop.stop() }
        let memory = SharedMemory(limit: 10 * much, on: loop)
        let (much, notes) = (much, Notes())
        func onLoop(_ work: @escaping @Sendable () -> Void) async {
            await withCheckedContinuation { done in
                loop.perform {
                    work()
                    done.resume()
                }
            }
        }
        await onLoop {
            for number in 1...4 { memory.load(4 * much) { notes.begun.withLock { $0.append(number) } } }
            // One that is larger than there is room for ever comes as well.
            memory.load(100 * much) { notes.begun.withLock { $0.append(5) } }
        }
        #expect(notes.begun.withLock { $0 } == [1, 2])
        await onLoop { memory.loadHasEnded(4 * much) }
        #expect(notes.begun.withLock { $0 } == [1, 2, 3])
        await onLoop { for _ in 2...3 { memory.loadHasEnded(4 * much) } }
        #expect(notes.begun.withLock { $0 } == [1, 2, 3, 4, 5])
    }

    @Test func whoDoesNotTakeWhatOthersWaitForHasToGo() {
        let budget = Budget(limit: 10 * much)
        _ = budget.report(1, taking(4 * much))
        _ = budget.report(2, taking(5 * much))
        for now in stride(from: UInt64(0), through: 60_000, by: 1000) { #expect(budget.decide(at: time(now)).expelled.isEmpty) }
        budget.wanted = 2 * much
        #expect(budget.hasWaiting && budget.decide(at: time(61_000)).expelled.isEmpty)
        #expect(budget.decide(at: time(70_999)).expelled.isEmpty)
        #expect(budget.decide(at: time(71_000)).expelled == [2])
    }

    @Test func everybodyHasAShare() {
        let budget = Budget(limit: 100 * much)
        _ = budget.report(1, taking(20 * much))
        #expect(!budget.isScarce(for: 1))
        _ = budget.report(2, taking(1))
        #expect(!budget.isScarce(for: 1))
        for key in 2...4 { _ = budget.report(key, taking(much)) }
        #expect(budget.isScarce(for: 1) && !budget.isScarce(for: 2) && !budget.isScarce)
        budget.leave(4)
        budget.leave(3)
        #expect(!budget.isScarce(for: 1))
    }

    /// Messages that all fit but not together: each connection finishes its own, and no more is held than the limit, what everybody may send, and one
    /// message.
    @Test(arguments: 1...20) func everybodyComesThrough(_ seed: UInt64) {
        var random = SeededRandom(seed)
        let budget = Budget(limit: 8 * much)
        var left = (0..<30).map { _ in much / 4 * (1 + random.below(40)) }
        var held = left.map { _ in 0 }
        var mayRead = left.map { _ in true }
        var (now, highest) = (UInt64(0), 0)
        while left.contains(where: { $0 > 0 }) {
            now += 1
            guard now < 100_000 else {
                Issue.record("somebody waits for ever")
                return
            }
            let key = random.below(left.count)
            if mayRead[key], left[key] > 0 {
                let piece = min(left[key], 16_384)
                left[key] -= piece
                held[key] += piece
                // Complete, and stored.
                if left[key] == 0 { held[key] = 0 }
                mayRead[key] = budget.report(key, holding(held[key], begun: held[key], heard: now))
            }
            let decision = budget.decide(at: time(now)) { left[$0] }
            #expect(decision.expelled.isEmpty)
            for key in decision.resumed { mayRead[key] = budget.report(key, holding(held[key], begun: held[key], heard: now)) }
            highest = max(highest, budget.total)
        }
        #expect(budget.total == 0 && highest > budget.limit && highest < budget.limit + 30 * (much + 16_384) + 10 * much, "\(highest)")
    }
}
