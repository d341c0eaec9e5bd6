/// Numbers sorted into bins of the same width, whose borders are round.
package struct Histogram: Hashable, Sendable {
    package struct Bin: Hashable, Sendable {
        /// From here on, up to the next border. Equal if the bin is for a single number.
        package let from: Double
        package let to: Double
        package internal(set) var count: Int
    }

    package private(set) var bins: [Bin]

    /// At most so many bins. Numbers are sorted, and finite. Few different whole numbers get a bin each.
    package init(_ sorted: [Double], most: Int) {
        bins = []
        guard let least = sorted.first, let greatest = sorted.last else { return }
        let most = max(1, most)
        if least == greatest || most == 1 {
            bins = [Bin(from: least, to: greatest, count: sorted.count)]
            return
        }
        if let single = Histogram.singles(sorted, most: most) {
            bins = single
            return
        }
        let step = Histogram.step(least, greatest, most)
        let first = (least / step).rounded(.down)
        let count = max(1, Int((greatest / step).rounded(.down) - first) + 1)
        bins = (0..<count).map { Bin(from: (first + Double($0)) * step, to: (first + Double($0) + 1) * step, count: 0) }
        for number in sorted { bins[min(count - 1, max(0, Int((number / step).rounded(.down) - first)))].count += 1 }
    }

    private static func singles(_ sorted: [Double], most: Int) -> [Bin]? {
        var bins: [Bin] = []
        for number in sorted {
            if bins.last?.from == number {
                bins[bins.count - 1].count += 1
            } else {
                guard bins.count < most, number == number.rounded() else { return nil }
                bins.append(Bin(from: number, to: number, count: 1))
            }
        }
        return bins
    }

    /// 1, 2 or 5 times a power of ten: the smallest with which the bins are not too many.
    private static func step(_ least: Double, _ greatest: Double, _ most: Int) -> Double {
        // Halves, so that the difference of the largest numbers is still one.
        let width = (greatest / 2 - least / 2) / Double(most) * 2
        var step = 1.0
        while step < width, step < 1e300 { step *= 10 }
        while step / 10 >= width, step > 1e-300 { step /= 10 }
        for smaller in [step / 5, step / 2] where smaller >= width && fits(smaller, least, greatest, most) { return smaller }
        if fits(step, least, greatest, most) { return step }
        for larger in [step * 2, step * 5] where fits(larger, least, greatest, most) { return larger }
        return step * 10
    }

    private static func fits(_ step: Double, _ least: Double, _ greatest: Double, _ most: Int) -> Bool {
        (greatest / step).rounded(.down) - (least / step).rounded(.down) < Double(most)
    }
}

/// Instants sorted into units of the calendar, the smallest with which the bins are not too many.
package struct DateHistogram: Sendable {
    package let unit: WrittenDate.Unit
    /// How many units make a bin: more than one only of years.
    package let unitsOfBin: Int
    package private(set) var bins: [(name: String, count: Int)]

    /// Sorted, in milliseconds since 1970.
    package init(_ sorted: [Double], most: Int) {
        let instants = sorted.map { Int64($0) }
        var unit = WrittenDate.Unit.year
        var size = 1
        func number(_ instant: Int64) -> Int {
            let number = WrittenDate.number(of: unit, at: instant)
            // Decades and the like begin at round years.
            return size == 1 ? number : ((Double(number + 1970) / Double(size)).rounded(.down) * Double(size)).asInt - 1970
        }
        bins = []
        guard let first = instants.first, let last = instants.last else {
            (self.unit, unitsOfBin) = (unit, size)
            return
        }
        let smallest = WrittenDate.Unit.allCases.first { candidate in
            unit = candidate
            return number(last) - number(first) < max(1, most)
        }
        unit = smallest ?? .year
        while smallest == nil, (number(last) - number(first)) / size >= max(1, most) { size = size == 1 ? 5 : size * 2 }
        (self.unit, unitsOfBin) = (unit, size)
        let start = number(first)
        bins = stride(from: start, through: number(last), by: size).map { (WrittenDate.name(of: unit, number: $0), 0) }
        for instant in instants { bins[(number(instant) - start) / size].count += 1 }
    }
}

extension Double {
    fileprivate var asInt: Int { Int(exactly: self) ?? 0 }
}
