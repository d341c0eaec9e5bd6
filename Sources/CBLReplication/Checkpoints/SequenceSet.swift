/// Sequences as half-open ranges that neither touch nor overlap, in ascending order: which local changes are done.
package struct SequenceSet: Hashable, Sendable {
    package private(set) var ranges: [Range<UInt64>] = []

    package init() {}
    package init(_ range: Range<UInt64>) { insert(range) }

    package var isEmpty: Bool { ranges.isEmpty }

    package func contains(_ sequence: UInt64) -> Bool {
        let place = firstPlace { $0.upperBound > sequence }
        return place < ranges.count && ranges[place].lowerBound <= sequence
    }

    package mutating func insert(_ sequence: UInt64) {
        guard sequence < UInt64.max else { return }
        insert(sequence..<sequence + 1)
    }

    package mutating func insert(_ range: Range<UInt64>) {
        guard !range.isEmpty else { return }
        // All ranges from `first` up to `end` touch the new one, and become one with it.
        let first = firstPlace { $0.upperBound >= range.lowerBound }
        var end = first
        var merged = range
        while end < ranges.count, ranges[end].lowerBound <= range.upperBound {
            merged = min(merged.lowerBound, ranges[end].lowerBound)..<max(merged.upperBound, ranges[end].upperBound)
            end += 1
        }
        if end == first + 1 {
            ranges[first] = merged
        } else {
            ranges.replaceSubrange(first..<end, with: CollectionOfOne(merged))
        }
    }

    package mutating func remove(_ sequence: UInt64) {
        let place = firstPlace { $0.upperBound > sequence }
        guard place < ranges.count, ranges[place].contains(sequence) else { return }
        let range = ranges[place]
        let parts = [range.lowerBound..<sequence, sequence + 1..<range.upperBound].filter { !$0.isEmpty }
        ranges.replaceSubrange(place...place, with: parts)
    }

    package func intersection(_ other: SequenceSet) -> SequenceSet {
        var result = SequenceSet()
        var (mine, theirs) = (0, 0)
        while mine < ranges.count, theirs < other.ranges.count {
            let common = ranges[mine].clamped(to: other.ranges[theirs])
            if !common.isEmpty { result.ranges.append(common) }
            if ranges[mine].upperBound < other.ranges[theirs].upperBound { mine += 1 } else { theirs += 1 }
        }
        return result
    }

    /// The first range that fulfils a condition which all behind it fulfil too.
    private func firstPlace(where isThere: (Range<UInt64>) -> Bool) -> Int {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if isThere(ranges[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
