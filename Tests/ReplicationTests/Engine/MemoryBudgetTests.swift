import ReplicationTestSupport
import TestSupport
import Testing
import Transport

@testable import Replication

@Suite struct MemoryBudgetTests {
    /// Expectations cannot change values.
    private final class Budget {
        private var value: MemoryBudget

        init(limit: Int) { value = MemoryBudget(limit: limit) }

        var limit: Int { value.limit }
        var total: Int { value.total }
        var isScarce: Bool { value.isScarce }
        var isExhausted: Bool { value.isExhausted }
        var hasWaiting: Bool { value.hasWaiting }
        func report(_ key: Int, _ holding: MemoryBudget.Holding) -> Bool { value.report(key, holding) }
        func leave(_ key: Int) { value.leave(key) }
        func decide(at now: LoopTime) -> MemoryBudget.Decision { value.decide(at: now) }
    }

    private func time(_ milliseconds: UInt64) -> LoopTime { LoopTime(nanoseconds: milliseconds * 1_000_000) }
    private let much = MemoryBudget.floor

    private func holding(_ bytes: Int, owed: Int = 0, heard: UInt64 = 0) -> MemoryBudget.Holding {
        MemoryBudget.Holding(bytes: bytes, owed: owed, heard: time(heard))
    }

    @Test func whoHoldsLittleGoesOn() {
        let budget = Budget(limit: 10 * much)
        #expect(budget.report(1, holding(9 * much)) && budget.isScarce)
        #expect(!budget.report(1, holding(10 * much)))
        #expect(budget.report(2, holding(much - 1)))
        #expect(!budget.report(2, holding(much)))
        // But not if that is very much.
        #expect(!budget.report(3, holding(9 * much)) && !budget.report(4, holding(1)))
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
        #expect(!budget.report(1, holding(2 * much, owed: 2 * much)))
        #expect(!budget.report(2, holding(much, owed: much)))
        #expect(budget.decide(at: time(0)) == .init(resumed: [1]))
        #expect(budget.decide(at: time(1999)) == .init())
        #expect(budget.decide(at: time(2000)) == .init(resumed: [2], expelled: 1))
        // Who waits for us need not say anything.
        #expect(budget.report(2, holding(much, owed: 0)))
        #expect(!budget.report(3, holding(much)))
        #expect(budget.decide(at: time(4000)) == .init(resumed: [3]))
    }

    @Test func aTurnEndsForWhoGoesOnAndOn() {
        let budget = Budget(limit: 2 * much)
        for key in 1...2 { _ = budget.report(key, holding(2 * much, owed: 2 * much)) }
        #expect(budget.decide(at: time(0)).resumed == [1])
        for now in stride(from: UInt64(1000), to: 10_000, by: 1000) {
            #expect(budget.report(1, holding(2 * much, owed: 2 * much, heard: now)))
            #expect(budget.decide(at: time(now)) == .init())
        }
        #expect(budget.decide(at: time(10_000)) == .init(resumed: [2]))
        #expect(!budget.report(1, holding(2 * much, owed: 2 * much, heard: 10_000)))
    }

    /// Messages that all fit but not together: each connection finishes its own, and no more is held than twice the limit and one message.
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
                let wasExhausted = budget.isExhausted
                mayRead[key] = budget.report(key, holding(held[key], owed: held[key], heard: now))
                if budget.isExhausted, !wasExhausted {
                    for key in held.indices { mayRead[key] = budget.report(key, holding(held[key], owed: held[key], heard: now)) }
                }
            }
            let decision = budget.decide(at: time(now))
            #expect(decision.expelled == nil)
            for key in decision.resumed { mayRead[key] = budget.report(key, holding(held[key], owed: held[key], heard: now)) }
            highest = max(highest, budget.total)
        }
        #expect(budget.total == 0 && highest > budget.limit && highest < budget.limit * 2 + 10 * much, "\(highest)")
    }
}
