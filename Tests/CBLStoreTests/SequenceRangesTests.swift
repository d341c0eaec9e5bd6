import CBLTestSupport
import Testing

@testable import CBLStore

@Suite struct SequenceRangesTests {
    private static func check(_ ranges: SequenceRanges) {
        let runs = ranges.runs
        #expect(zip(runs, runs.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound && $1.lowerBound - $0.upperBound > 1 })
        #expect(SequenceRanges(text: ranges.text) == ranges)
    }

    @Test func theyAreWhatASetIs() {
        var random = SeededRandom(5)
        for _ in 0..<200 {
            var (ranges, set) = (SequenceRanges(), Set<UInt64>())
            for _ in 0..<30 {
                let start = UInt64(1 + random.below(40))
                if random.below(3) == 0 {
                    ranges.remove(start)
                    set.remove(start)
                } else {
                    let end = start + UInt64(random.below(6))
                    ranges.insert(start...end)
                    set.formUnion(start...end)
                }
                Self.check(ranges)
            }
            for sequence in 0...UInt64(50) { #expect(ranges.contains(sequence) == set.contains(sequence)) }
            #expect(ranges.end == UInt64((1...50).prefix { set.contains($0) }.count))
            #expect(ranges.covers(upTo: ranges.end) && !ranges.covers(upTo: ranges.end + 1))
        }
    }

    @Test(arguments: [
        ("[]", "[]"), ("[1,300]", "[1,300]"), ("[1, 9, 11,290]", "[1,9,11,290]"), ("[1,9,10,5]", "[1,14]"), ("[11,2,1,9]", "[1,9,11,2]"),
        ("[1,18446744073709551615]", "[1,18446744073709551615]"), ("[18446744073709551615,1,1,1]", "[1,1,18446744073709551615,1]"),
        ("[5,5,1,100]", "[1,100]"),
    ])
    func theVendorsTextIsRead(text: String, usual: String) { #expect(SequenceRanges(text: text)?.text == usual) }

    @Test(arguments: [
        "", "[", "]", "1,2", "[1]", "[1,2,3]", "[0,1]", "[1,0]", "[-1,5]", "[2,18446744073709551615]", "[1,2", "[1,,2]",
        "[1,99999999999999999999]",
        "[1,2]x", "[[1,2]]", "{}", "null", "[1.5,2]",
    ])
    func whatIsNoneIsNone(text: String) { #expect(SequenceRanges(text: text) == nil) }

    @Test func noTextBringsThemDown() {
        var random = SeededRandom(6)
        for _ in 0..<20_000 {
            let text = String(decoding: Mutation.mutated(Array("[1,9,11,290,18446744073709551610,5]".utf8), &random), as: UTF8.self)
            guard var ranges = SequenceRanges(text: text) else { continue }
            Self.check(ranges)
            ranges.insert(3...UInt64.max)
            ranges.remove(.max)
            ranges.remove(0)
            Self.check(ranges)
            #expect(!ranges.contains(.max) && ranges.contains(.max - 1))
        }
        // The last ones first, hundreds of thousands of them: it must not take hours.
        let many = (1...400_000).reversed().map { "\(2 * $0),1" }.joined(separator: ",")
        #expect(SequenceRanges(text: "[\(many)]")?.runs.count == 400_000)
    }
}
