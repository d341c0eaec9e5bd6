import CBLFleece

/// Statistics of the values of an expression: a value that takes in one after another. Its memory is bounded.
package struct ValueStatistics: Sendable {
    package private(set) var count = 0
    package private(set) var missing = 0
    package private(set) var nulls = 0
    package private(set) var falses = 0
    package private(set) var trues = 0
    /// Numbers that are finite; others are only counted.
    package private(set) var numbers = NumberStatistics()
    /// Of those numbers that are whole, to the last digit.
    package private(set) var wholeNumbers: Extent<Int64>?
    package private(set) var notFinite = 0
    package private(set) var texts = ValueCounts()
    package private(set) var textCount = 0
    package private(set) var textLengths = NumberStatistics()
    /// Of texts that are dates of ISO 8601: milliseconds since 1970.
    package private(set) var instants = NumberStatistics()
    package private(set) var datas = 0
    package private(set) var arrayLengths = NumberStatistics()
    /// What arrays hold: numbers and texts, and how many items are something else.
    package private(set) var items = ValueCounts()
    package private(set) var otherItems = 0
    package private(set) var objects = 0
    package private(set) var unreadable = 0

    // Of each array as many items: one of millions of them should not take all the time.
    private static let mostItems = 10_000

    package init() {}

    package var booleans: Int { falses + trues }
    package var arrays: Int { arrayLengths.count }
    /// Whether the texts are dates: nearly all of them.
    package var areDates: Bool { instants.count > 0 && instants.count * 10 >= textCount * 9 }

    package mutating func add(_ value: QueryValue) {
        count += 1
        switch value {
        case .missing: missing += 1
        case .null: nulls += 1
        case .boolean(let boolean): if boolean { trues += 1 } else { falses += 1 }
        case .integer(let integer):
            numbers.add(integer)
            Extent.extend(&wholeNumbers, by: integer)
        case .unsigned(let integer): numbers.add(Double(integer))
        case .double(let double): if double.isFinite { numbers.add(double) } else { notFinite += 1 }
        case .text(let bytes): add(text: bytes)
        case .data: datas += 1
        case .collection(let value):
            if let array = value.array {
                add(array: array)
            } else if value.kind == .dictionary {
                objects += 1
            } else {
                unreadable += 1
            }
        }
    }

    private mutating func add(text bytes: UnsafeRawBufferPointer) {
        textCount += 1
        textLengths.add(Double(bytes.count { $0 & 0xC0 != 0x80 }))
        texts.add(ValueHash.of(bytes)) { SampledValue(bytes) }
        if let instant = WrittenDate.instant(bytes) { instants.add(Double(instant)) }
    }

    private mutating func add(array: ArrayView) {
        arrayLengths.add(Double(array.count))
        for (index, item) in array.enumerated() {
            guard index < ValueStatistics.mostItems else {
                otherItems += array.count - index
                return
            }
            if let bytes = item.stringBytes {
                items.add(ValueHash.of(bytes)) { SampledValue(bytes) }
            } else if let number = item.double {
                items.add(ValueHash.of(number)) { SampledValue(number) }
            } else {
                otherItems += 1
            }
        }
    }
}

/// Count, mean, deviation and, from as many numbers as are kept, percentiles.
package struct NumberStatistics: Sendable {
    package private(set) var count = 0
    /// What all others are counted from. If whole numbers are so large that a floating point number cannot tell them from their neighbours, it is the
    /// first of them; else it is 0.
    package private(set) var origin: Int64 = 0
    package private(set) var least = 0.0
    package private(set) var greatest = 0.0
    package private(set) var mean = 0.0
    private var squares = 0.0
    /// Every one, or if they became too many, every second, fourth …
    private var kept: [Double] = []
    private var step = 1
    private let capacity: Int

    package init() { self.init(capacity: 1 << 18) }

    init(capacity: Int) { self.capacity = capacity }

    package mutating func add(_ integer: Int64) {
        if count == 0, integer.magnitude >= 1 << 53 { origin = integer }
        add(fromOrigin: distance(to: integer))
    }

    /// From the origin.
    package func distance(to integer: Int64) -> Double {
        let (distance, isFar) = integer.subtractingReportingOverflow(origin)
        return isFar ? Double(integer) - Double(origin) : Double(distance)
    }

    package mutating func add(_ number: Double) { add(fromOrigin: origin == 0 ? number : number - Double(origin)) }

    /// Welford's way, which does not lose digits where numbers are large and close together.
    private mutating func add(fromOrigin number: Double) {
        least = count == 0 ? number : min(least, number)
        greatest = count == 0 ? number : max(greatest, number)
        if count % step == 0 { keep(number) }
        count += 1
        let difference = number - mean
        mean += difference / Double(count)
        squares += difference * (number - mean)
    }

    private mutating func keep(_ number: Double) {
        if kept.count == capacity {
            kept = stride(from: 0, to: kept.count, by: 2).map { kept[$0] }
            step *= 2
            guard count % step == 0 else { return }
        }
        kept.append(number)
    }

    /// Whether all numbers are kept, and percentiles are exact.
    package var isComplete: Bool { step == 1 }

    /// How far numbers are from the mean, as a rule: of all there are, not of a sample.
    package var deviation: Double { count > 0 ? (squares / Double(count)).squareRoot() : 0 }

    package var sorted: [Double] { kept.sorted() }

    /// The number below which that part of the numbers lies, between two of them in proportion.
    package static func percentile(_ part: Double, of sorted: [Double]) -> Double {
        guard let first = sorted.first, let last = sorted.last else { return 0 }
        let place = max(0, part) * Double(sorted.count - 1)
        let index = Int(place)
        guard index + 1 < sorted.count else { return last }
        guard index >= 0 else { return first }
        return sorted[index] + (sorted[index + 1] - sorted[index]) * (place - Double(index))
    }

    /// How many numbers one of those that are kept stands for.
    package var weight: Int { step }
}

/// How often each value comes. If there are too many different ones, the rarest are forgotten, and counts can be too small by `error`.
package struct ValueCounts: Sendable {
    /// By the hash of the value: what is kept of a long text may be the same for several.
    private var counts: [UInt64: (count: Int, value: SampledValue)] = [:]
    private var sketch = DistinctSketch(capacity: DistinctSketch.many)
    package private(set) var total = 0
    package private(set) var error = 0
    private let capacity: Int

    init(capacity: Int = 1 << 16) { self.capacity = capacity }

    mutating func add(_ hash: UInt64, _ value: () -> SampledValue) {
        total += 1
        sketch.add(hash, 1, value)
        counts[hash, default: (0, value())].count += 1
        if counts.count > capacity { forget() }
    }

    /// Takes from all counts what the rarer half of them has at most, as Misra and Gries do: no frequent value can get lost.
    private mutating func forget() {
        let sorted = counts.values.map(\.count).sorted()
        let less = sorted[sorted.count / 2]
        counts = counts.compactMapValues { $0.count > less ? ($0.count - less, $0.value) : nil }
        error += less
    }

    /// Exact if nothing was forgotten, otherwise an estimate.
    package var distinct: Int { error == 0 ? counts.count : max(counts.count, sketch.distinct) }
    package var isComplete: Bool { error == 0 }

    /// The most frequent first, and by value where that says nothing.
    package func top(_ number: Int) -> [(value: SampledValue, count: Int)] {
        let sorted = counts.values.sorted { $0.count != $1.count ? $0.count > $1.count : $0.value < $1.value }
        return sorted.prefix(number).map { ($0.value, $0.count) }
    }
}

extension SampledValue: Comparable {
    /// Numbers before texts.
    package static func < (one: SampledValue, other: SampledValue) -> Bool {
        switch (one, other) {
        case (.text(let one, _), .text(let other, _)): return one < other
        case (.text, _): return false
        case (_, .text): return true
        default: return (one.number ?? 0) < (other.number ?? 0)
        }
    }

    package var number: Double? {
        switch self {
        case .integer(let integer): Double(integer)
        case .unsigned(let integer): Double(integer)
        case .double(let double): double
        case .text: nil
        }
    }
}
