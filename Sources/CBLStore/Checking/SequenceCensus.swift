import Glibc

/// Which sequences of a collection occur twice. There may be as many as documents, and a bit for each is enough, for they are dense; those that are too
/// high for that, or too low for any sequence, are kept as they are.
final class SequenceCensus {
    /// 32 MB of bits at most, of which only what is used takes memory.
    private static let mostBits = 1 << 28

    private let bits: UnsafeMutablePointer<UInt64>?
    private let bitCount: Int64
    private var others: [Int64] = []
    private var again: Set<Int64> = []
    /// Nil if there was none.
    private(set) var highest: Int64?

    /// `last` is the last sequence that the collection is said to have.
    init(upTo last: UInt64) {
        let words = min(Int(clamping: last), SequenceCensus.mostBits - 1) / 64 + 1
        bits = calloc(words, 8)?.bindMemory(to: UInt64.self, capacity: words)
        bitCount = bits == nil ? 0 : Int64(words) * 64
    }

    deinit { free(bits) }

    func note(_ sequence: Int64) {
        highest = max(highest ?? sequence, sequence)
        guard let bits, sequence >= 0, sequence < bitCount else { return others.append(sequence) }
        let bit: UInt64 = 1 << UInt64(sequence % 64)
        if bits[Int(sequence / 64)] & bit != 0 { again.insert(sequence) } else { bits[Int(sequence / 64)] |= bit }
    }

    /// In their order, each once. To be asked when all are noted.
    var repeated: [Int64] {
        others.sort()
        for (one, next) in zip(others, others.dropFirst()) where one == next { again.insert(one) }
        return again.sorted()
    }
}
