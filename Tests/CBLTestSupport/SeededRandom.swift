import FoundationEssentials

/// Random numbers that are the same in every run (SplitMix64), so that a failure of a fuzz test can be seen again.
package struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    package init(_ seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number of 0..<bound.
    package mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
    package mutating func element<T>(of list: [T]) -> T { list[below(list.count)] }
}

/// How long a fuzz test runs: `CBLITE_FUZZ_SECONDS` if it is set, otherwise as long as it says itself.
package func repeatWithin(seconds: Double, _ body: () throws -> Void) rethrows {
    let limit = ProcessInfo.processInfo.environment["CBLITE_FUZZ_SECONDS"].flatMap(Double.init) ?? seconds
    let start = ContinuousClock.now
    repeat { try body() } while ContinuousClock.now - start < .seconds(limit)
}
