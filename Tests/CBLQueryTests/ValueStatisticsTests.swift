import CBLFleece
import CBLTestSupport
import Testing

@testable import CBLQuery

@Suite struct ValueStatisticsTests {
    @Test func numbersAreSummedUp() {
        var random = SeededRandom(3)
        let numbers = (0..<5000).map { _ in Double(random.below(1_000_000)) / 128 - 1000 }
        var statistics = NumberStatistics()
        for number in numbers { statistics.add(number) }
        let mean = numbers.reduce(0, +) / 5000
        let deviation = (numbers.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 5000).squareRoot()
        #expect(abs(statistics.mean - mean) < 1e-6 && abs(statistics.deviation - deviation) < 1e-6)
        #expect(statistics.least == numbers.min() && statistics.greatest == numbers.max())
        #expect(statistics.isComplete && statistics.sorted == numbers.sorted())
    }

    @Test func tooManyNumbersAreThinnedEvenly() {
        var statistics = NumberStatistics(capacity: 100)
        for number in 0..<10_000 { statistics.add(Double(number)) }
        #expect(statistics.count == 10_000 && !statistics.isComplete)
        #expect(statistics.sorted.count <= 100 && statistics.sorted.count > 40)
        #expect(abs(statistics.sorted.count * statistics.weight - 10_000) <= statistics.weight)
        #expect(abs(NumberStatistics.percentile(0.5, of: statistics.sorted) - 5000) < 300)
        #expect(statistics.mean == 4999.5)
    }

    @Test(arguments: [(0.0, 1.0), (0.25, 2.0), (0.5, 3.0), (0.9, 4.6), (1.0, 5.0), (2.0, 5.0), (-1.0, 1.0)])
    func percentilesLieBetweenNumbersInProportion(part: Double, expected: Double) {
        #expect(abs(NumberStatistics.percentile(part, of: [1, 2, 3, 4, 5]) - expected) < 1e-12)
        #expect(NumberStatistics.percentile(part, of: [7]) == 7)
        #expect(NumberStatistics.percentile(part, of: []) == 0)
    }

    @Test func valuesOfAllTypesAreCounted() throws {
        var statistics = ValueStatistics()
        let encoder = FleeceEncoder()
        try JSONParser.parse(#"[null, true, false, 7, 2.5, "x", "2024-01-01", ["a", "a", 3, null], [], {"b": 1}]"#, into: encoder)
        try encoder.finish().withRoot { root in
            for value in try #require(root.array) { statistics.add(QueryValue(value)) }
        }
        statistics.add(.missing)
        statistics.add(.double(.infinity))
        #expect(statistics.count == 12 && statistics.missing == 1 && statistics.nulls == 1 && statistics.booleans == 2)
        #expect(statistics.numbers.count == 2 && statistics.notFinite == 1 && statistics.textCount == 2 && statistics.instants.count == 1)
        #expect(statistics.arrays == 2 && statistics.objects == 1 && statistics.otherItems == 1)
        #expect(statistics.items.top(2).map(\.count) == [2, 1])
        #expect(!statistics.areDates)
    }
}

@Suite struct ValueCountsTests {
    @Test func fewValuesAreCountedExactly() {
        var counts = ValueCounts(capacity: 100)
        for number in 0..<1000 { counts.add(ValueHash.of(Int64(number % 30))) { .integer(Int64(number % 30)) } }
        #expect(counts.isComplete && counts.distinct == 30)
        #expect(counts.top(2).map(\.value) == [.integer(0), .integer(1)])
        #expect(counts.top(100).reduce(0) { $0 + $1.count } == 1000)
    }

    /// What comes often is never forgotten, and no count is too small by more than is said.
    @Test(arguments: UInt64(1)...8) func frequentValuesSurviveAnyNumberOfRareOnes(seed: UInt64) {
        var random = SeededRandom(seed)
        var counts = ValueCounts(capacity: 50)
        var exact: [Int64: Int] = [:]
        for _ in 0..<20_000 {
            let number = Int64(random.below(4) == 0 ? random.below(3) : 1000 + random.below(100_000))
            exact[number, default: 0] += 1
            counts.add(ValueHash.of(number)) { .integer(number) }
        }
        #expect(!counts.isComplete && counts.error <= 20_000 * 2 / 50)
        for (value, count) in counts.top(50) {
            guard case .integer(let number) = value else { continue }
            let real = exact[number] ?? 0
            #expect(count <= real && real <= count + counts.error)
        }
        #expect(Set(counts.top(3).map(\.value)) == [.integer(0), .integer(1), .integer(2)])
        #expect(abs(counts.distinct - exact.count) < exact.count / 4)
    }
}

@Suite struct HistogramTests {
    @Test(arguments: [1, 2, 7, 16, 100]) func everyNumberIsInOneBinWithRoundBorders(most: Int) {
        for seed in UInt64(0)..<40 {
            var random = SeededRandom(seed)
            let scale = [1e-9, 0.01, 1, 37, 1e6, 1e17][random.below(6)]
            let shift = [0, -0.5, 12_345, -1e9][random.below(4)] * scale
            let numbers = (0..<random.below(300) + 1).map { _ in Double(random.below(10_000)) / 1000 * scale + shift }.sorted()
            let histogram = Histogram(numbers, most: most)
            #expect(histogram.bins.reduce(0) { $0 + $1.count } == numbers.count)
            #expect(histogram.bins.count <= most)
            #expect(histogram.bins.first.map { $0.from <= numbers[0] + scale * 1e-6 } == true)
            for (bin, next) in zip(histogram.bins, histogram.bins.dropFirst()) { #expect(bin.from < next.from) }
        }
    }

    @Test func bordersAreTheRoundestThatFit() {
        let bins = Histogram((0...100).map(Double.init), most: 5).bins
        #expect(bins.map(\.from) == [0, 50, 100])
        #expect(Histogram([3, 3, 4, 6], most: 5).bins.map(\.count) == [2, 1, 1])
        #expect(Histogram([3.5, 3.5], most: 5).bins == [Histogram.Bin(from: 3.5, to: 3.5, count: 2)])
        #expect(Histogram([], most: 5).bins.isEmpty)
        #expect(Histogram([-1.7e308, 1.7e308], most: 4).bins.reduce(0) { $0 + $1.count } == 2)
    }

    @Test(arguments: [
        (0, 3_600_000 * 5, "1970-01-01 00:00"), (0, 86_400_000 * 9, "1970-01-01"), (0, 86_400_000 * 300, "1970-01"),
        (0, 86_400_000 * 365 * 9, "1970"), (0, 86_400_000 * 36_500, "1970"),
    ]) func datesAreSortedIntoUnitsOfTheCalendar(first: Int, last: Int, name: String) {
        let histogram = DateHistogram([Double(first), Double(first + last / 2), Double(last)], most: 12)
        #expect(histogram.bins.first?.name == name)
        #expect(histogram.bins.count <= 12)
        #expect(histogram.bins.reduce(0) { $0 + $1.count } == 3)
    }
}
