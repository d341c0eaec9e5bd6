import CBLSQLite

/// Rows of a scan, sorted as `ORDER BY` says and then by the order in which they were met. Hot: the benchmarks `sort` and `top`.
///
/// SQLite's own sorter copies each row three times and compares records by decoding them; here a comparison is mostly one of two integers.
final class SortedRows: ScanSink {
    /// What is sorted by.
    struct Key: Sendable, Hashable {
        /// The column that has it, in the form that `fl_result` gave it.
        var column: Int
        var isDescending: Bool
    }

    struct Entry {
        var first: UInt64
        var second: UInt64
        var row: Int
        var piece: Int
    }

    private let keys: [Key]
    // What is looked at for each row, of the first two keys: all bits are set where the order is descending.
    private let flips: (first: UInt64, second: UInt64)
    private let firstColumn: Int32
    private let secondColumn: Int32?
    private let columnCount: Int32
    /// How many of the first rows are wanted.
    private let limit: Int
    private let mostBytes: Int
    @exclusivity(unchecked) private(set) var entries: [Entry] = []
    @exclusivity(unchecked) private var arena = RowArena(capacity: 1 << 16)
    @exclusivity(unchecked) private var piece = 0
    /// Rows from here on are not wanted: set when there are enough smaller ones.
    @exclusivity(unchecked) private var bound: Entry?

    init(keys: [Key], columnCount: Int, limit: Int?, mostBytes: Int) {
        self.keys = keys
        func flip(_ index: Int) -> UInt64 { index < keys.count && keys[index].isDescending ? .max : 0 }
        flips = (flip(0), flip(1))
        firstColumn = Int32(keys.first?.column ?? 0)
        secondColumn = keys.count > 1 ? Int32(keys[1].column) : nil
        self.columnCount = Int32(columnCount)
        self.limit = limit ?? .max
        self.mostBytes = mostBytes
    }

    func begin(piece: Int) { self.piece = piece }

    func add(_ row: some ScanRow) -> ScanVerdict {
        guard limit > 0 else { return .goOn }
        // With enough smaller ones, most rows are seen by their first key.
        if let bound, SortedRows.prefix(row.value(firstColumn), flips.first) > bound.first { return .goOn }
        let start = arena.count
        for column in 0..<columnCount { arena.append(row.value(column)) }
        var entry = Entry(
            first: SortedRows.prefix(arena.value(Int(firstColumn), ofRowAt: start), flips.first), second: 0, row: start, piece: piece)
        if let secondColumn { entry.second = SortedRows.prefix(arena.value(Int(secondColumn), ofRowAt: start), flips.second) }
        if let bound, !precedes(entry, bound) {
            arena.truncate(to: start)
            return .goOn
        }
        entries.append(entry)
        if entries.count >= 1024, entries.count / 2 >= limit { dropUnwanted() }
        return size > mostBytes ? makeRoom() : .goOn
    }

    private var size: Int { arena.count + entries.count * MemoryLayout<Entry>.stride }

    private func makeRoom() -> ScanVerdict {
        guard entries.count > limit else { return .refuse }
        dropUnwanted()
        // Otherwise it would soon be full again.
        return size > mostBytes / 4 * 3 ? .refuse : .goOn
    }

    @inline(__always)
    private static func prefix(_ value: SQLValue, _ flip: UInt64) -> UInt64 { SortPrefix(value.beforeResult).bits ^ flip }

    private func key(_ index: Int, ofRowAt row: Int) -> SQLValue { arena.value(keys[index].column, ofRowAt: row).beforeResult }

    private func order(_ one: Entry, _ two: Entry, in other: SortedRows) -> Int {
        if one.first != two.first { return one.first < two.first ? -1 : 1 }
        if isOpen(one.first, flips.first), let order = order(0, one, two, other) { return order }
        if one.second != two.second { return one.second < two.second ? -1 : 1 }
        if keys.count > 1, isOpen(one.second, flips.second), let order = order(1, one, two, other) { return order }
        for index in keys.indices.dropFirst(2) {
            if let order = order(index, one, two, other) { return order }
        }
        return 0
    }

    /// Whether values with the same prefix can differ.
    @inline(__always)
    private func isOpen(_ prefix: UInt64, _ flip: UInt64) -> Bool { !SortPrefix(bits: prefix ^ flip).isComplete }

    private func order(_ index: Int, _ one: Entry, _ two: Entry, _ other: SortedRows) -> Int? {
        let order = key(index, ofRowAt: one.row).order(other.key(index, ofRowAt: two.row))
        return order == 0 ? nil : keys[index].isDescending ? -order : order
    }

    @inline(__always)
    private func precedes(_ one: Entry, _ two: Entry) -> Bool {
        if one.first != two.first { return one.first < two.first }
        if one.second != two.second, !isOpen(one.first, flips.first) { return one.second < two.second }
        return precedesByValues(one, two)
    }

    private func precedesByValues(_ one: Entry, _ two: Entry) -> Bool {
        let order = order(one, two, in: self)
        return order != 0 ? order < 0 : one.piece != two.piece ? one.piece < two.piece : one.row < two.row
    }

    /// Whether a row of this goes before one of another that holds other pieces of the same scan.
    func precedes(_ one: Entry, _ two: Entry, of other: SortedRows) -> Bool {
        let order = order(one, two, in: other)
        return order != 0 ? order < 0 : one.piece < two.piece
    }

    /// So many comparisons take a tenth of a millisecond, or some if the values are long and alike.
    private static let comparisonsPerCheck = 4096

    func finish(_ check: () throws -> Void) throws {
        try entries.withUnsafeMutableBufferPointer { entries in
            var rest = SortedRows.comparisonsPerCheck
            try entries.sort {
                rest &-= 1
                if rest == 0 {
                    try check()
                    rest = SortedRows.comparisonsPerCheck
                }
                return precedes($0, $1)
            }
        }
        dropSuperfluous()
    }

    private func sort() {
        entries.withUnsafeMutableBufferPointer { entries in entries.sort { precedes($0, $1) } }
        dropSuperfluous()
    }

    private func dropSuperfluous() {
        if entries.count > limit { entries.removeLast(entries.count - limit) }
    }

    /// Keeps the first rows, and the memory of no others.
    private func dropUnwanted() {
        sort()
        var kept = RowArena(capacity: arena.count / 2 + 64)
        // Rows of one piece must stay in the order of their places.
        for index in entries.indices.sorted(by: { entries[$0].row < entries[$1].row }) {
            entries[index].row = kept.append(rowAt: entries[index].row, of: arena, columns: Int(columnCount))
        }
        arena = kept
        bound = entries.last
    }

    /// A column of a row.
    func value(_ column: Int, of entry: Entry) -> SQLValue { arena.value(column, ofRowAt: entry.row) }
}

/// The sorted rows of the threads of a scan, merged.
final class MergedRows: ComputedRows {
    private let parts: [SortedRows]
    private var positions: [Int]
    private var current: (part: SortedRows, entry: SortedRows.Entry)?
    private var rest: Int

    init(_ parts: [SortedRows], offset: Int, limit: Int?) {
        self.parts = parts
        positions = parts.map { _ in 0 }
        rest = limit ?? .max
        for _ in 0..<offset { if !advance() { break } }
    }

    func next() -> Bool? {
        guard rest > 0, advance() else {
            current = nil
            return false
        }
        rest -= 1
        return true
    }

    private func advance() -> Bool {
        var best: Int?
        for index in parts.indices where positions[index] < parts[index].entries.count {
            guard let other = best else {
                best = index
                continue
            }
            let one = parts[index].entries[positions[index]]
            if parts[index].precedes(one, parts[other].entries[positions[other]], of: parts[other]) { best = index }
        }
        guard let best else { return false }
        current = (parts[best], parts[best].entries[positions[best]])
        positions[best] += 1
        return true
    }

    subscript(column: Int) -> SQLValue { current.map { $0.part.value(column, of: $0.entry) } ?? .null }
}
