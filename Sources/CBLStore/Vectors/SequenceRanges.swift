/// Sequences, as runs of them: `[1,9,11,290]` are the nine from 1 on, and 290 from 11 on. So the vendor's library writes down which documents a
/// lazy index has seen.
package struct SequenceRanges: Hashable, Sendable {
    /// Apart from each other, in order.
    private(set) var runs: [ClosedRange<UInt64>] = []

    package init() {}

    package init(upTo last: UInt64) { if last > 0 { runs = [1...last] } }

    /// Nil for a text that is no such list.
    package init?(text: String) {
        let inner = text.filter { $0 != " " }
        guard inner.hasPrefix("["), inner.hasSuffix("]"), inner.utf8.count >= 2 else { return nil }
        let numbers = inner.dropFirst().dropLast()
        guard !numbers.isEmpty else { return }
        let values = numbers.split(separator: ",", omittingEmptySubsequences: false).map { UInt64($0) }
        guard values.count.isMultiple(of: 2) else { return nil }
        var found: [ClosedRange<UInt64>] = []
        for place in stride(from: 0, to: values.count, by: 2) {
            guard let start = values[place], let count = values[place + 1], start > 0, count > 0 else { return nil }
            let (end, overflows) = start.addingReportingOverflow(count - 1)
            guard !overflows else { return nil }
            found.append(start...end)
        }
        // In order, none of them has to be put before others: a text may have millions.
        for range in found.sorted(by: { $0.lowerBound < $1.lowerBound }) { insert(range) }
    }

    package var text: String {
        "[" + runs.map { "\($0.lowerBound),\($0.upperBound - $0.lowerBound + 1)" }.joined(separator: ",") + "]"
    }

    /// All of them up to here are in it.
    package var end: UInt64 { runs.first?.lowerBound == 1 ? runs[0].upperBound : 0 }

    package func contains(_ sequence: UInt64) -> Bool {
        guard let place = firstRun(endingAtOrAfter: sequence) else { return false }
        return runs[place].lowerBound <= sequence
    }

    /// Whether all from 1 to `last` are in it.
    package func covers(upTo last: UInt64) -> Bool { end >= last }

    package mutating func insert(_ range: ClosedRange<UInt64>) {
        var (start, end) = (range.lowerBound, range.upperBound)
        // What touches or overlaps becomes one with it.
        let first = firstRun(endingAtOrAfter: start > 0 ? start - 1 : 0) ?? runs.count
        var last = first
        while last < runs.count, runs[last].lowerBound <= (end == .max ? end : end + 1) {
            start = min(start, runs[last].lowerBound)
            end = max(end, runs[last].upperBound)
            last += 1
        }
        runs.replaceSubrange(first..<last, with: [start...end])
    }

    package mutating func remove(_ sequence: UInt64) {
        guard let place = firstRun(endingAtOrAfter: sequence), runs[place].lowerBound <= sequence else { return }
        let run = runs[place]
        var rest: [ClosedRange<UInt64>] = []
        if run.lowerBound < sequence { rest.append(run.lowerBound...sequence - 1) }
        if sequence < run.upperBound { rest.append(sequence + 1...run.upperBound) }
        runs.replaceSubrange(place...place, with: rest)
    }

    private func firstRun(endingAtOrAfter sequence: UInt64) -> Int? {
        var (low, high) = (0, runs.count)
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].upperBound < sequence { low = middle + 1 } else { high = middle }
        }
        return low < runs.count ? low : nil
    }
}
