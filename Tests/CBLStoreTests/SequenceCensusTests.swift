import CBLTestSupport
import Testing

@testable import CBLStore

@Suite struct SequenceCensusTests {
    /// Dense ones, high ones, wrong ones: compared with counting.
    @Test(arguments: 1...20) func whatOccursTwiceIsFound(seed: UInt64) {
        var random = SeededRandom(seed)
        let last = UInt64(random.below(500))
        let census = SequenceCensus(upTo: last)
        var counts: [Int64: Int] = [:]
        for _ in 0..<random.below(600) {
            let sequence: Int64 =
                switch random.below(12) {
                case 0: Int64(1) << 40 + Int64(random.below(20))
                case 1: -Int64(random.below(20))
                case 2: Int64(last) + Int64(random.below(130))
                case 3: random.below(2) == 0 ? .max : .min
                default: Int64(random.below(2000))
                }
            census.note(sequence)
            counts[sequence, default: 0] += 1
        }
        #expect(census.repeated == counts.filter { $0.value > 1 }.keys.sorted())
        #expect(census.highest == counts.keys.max())
    }

    /// What a damaged file says of its last sequence is no reason to take memory.
    @Test func anyLastSequenceWillDo() {
        for last in [0, 1, 63, 64, 1 << 28, 1 << 40, UInt64.max] {
            let census = SequenceCensus(upTo: last)
            #expect(census.highest == nil && census.repeated.isEmpty)
            for sequence in [Int64(clamping: last), 7, 1 << 28, 7, Int64(clamping: last)] { census.note(sequence) }
            #expect(census.repeated == Set([7, Int64(clamping: last)]).sorted() || last == 1 << 28 && census.repeated == [7, 1 << 28])
        }
    }
}
