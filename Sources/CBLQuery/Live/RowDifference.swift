/// What is different in the rows of a later run, as numbers of rows.
package struct RowDifference: Sendable, Equatable {
    package struct Change: Sendable, Hashable {
        /// The row in the earlier run, and in the later one.
        package let old: Int
        package let new: Int
    }

    /// Rows of the later run.
    package private(set) var added: [Int] = []
    /// Rows of the earlier run.
    package private(set) var removed: [Int] = []
    /// Rows that are told apart by their first column, and of which another column has changed.
    package private(set) var changed: [Change] = []

    /// Nothing but the order of rows is different, if anything is.
    package var isEmpty: Bool { added.isEmpty && removed.isEmpty && changed.isEmpty }

    package init(from old: RecordedRows, to new: RecordedRows) {
        // Mostly little has changed, and in one place.
        var start = 0
        while start < min(old.count, new.count), old[start] == new[start] { start += 1 }
        var end = 0
        while end < min(old.count, new.count) - start, old[old.count - 1 - end] == new[new.count - 1 - end] { end += 1 }
        let oldRows = start..<(old.count - end)
        let newRows = start..<(new.count - end)

        // Rows that are in both, wherever.
        var known: [ArraySlice<UInt8>: [Int]] = [:]
        for row in oldRows.reversed() { known[old[row], default: []].append(row) }
        for row in newRows {
            if known[new[row]]?.popLast() == nil { added.append(row) }
        }
        removed = known.values.flatMap { $0 }.sorted()
        guard !added.isEmpty, !removed.isEmpty, new.titles.count > 1 else { return }
        pairByKey(old, new)
    }

    /// Takes rows with the same first column, if no other row has it, for one that has changed.
    private mutating func pairByKey(_ old: RecordedRows, _ new: RecordedRows) {
        guard let oldKeys = RowDifference.keys(of: removed, old), let newKeys = RowDifference.keys(of: added, new) else { return }
        for (key, row) in newKeys {
            if let before = oldKeys[key] { changed.append(Change(old: before, new: row)) }
        }
        changed.sort { $0.new < $1.new }
        let (oldPaired, newPaired) = (Set(changed.map(\.old)), Set(changed.map(\.new)))
        removed.removeAll { oldPaired.contains($0) }
        added.removeAll { newPaired.contains($0) }
    }

    /// The rows by their first column; nil if that does not tell them apart.
    private static func keys(of rows: [Int], _ recording: RecordedRows) -> [String: Int]? {
        var keys: [String: Int] = [:]
        for row in rows {
            let key = recording.withRow(row) { $0.first.map { $0.json(style: .canonical) } ?? "" }
            guard keys.updateValue(row, forKey: key) == nil else { return nil }
        }
        return keys
    }
}
