import CBLFleece
import CBLSQLite

/// The rows of ranges of keys, one range after another. Hot: most of reading a view.
final class RangeFeed: RowFeed {
    private let index: IndexConnection
    private let order: ValueOrder
    private let descending: Bool
    private let ranges: [KeyRange]
    private var nextRange = 0
    private let findStart: Statement
    private let bounded: Statement
    private let unbounded: Statement

    // The range that is being read.
    private var running: Statement?
    @exclusivity(unchecked) private var bound: (first: Edge?, last: Edge?)
    @exclusivity(unchecked) private var isWithin = false
    /// The entries of a row of the table, and where each begins if they are read from the last.
    @exclusivity(unchecked) private var reader = PackedReader(UnsafeRawBufferPointer(start: nil, count: 0))
    @exclusivity(unchecked) private var entries = UnsafeRawBufferPointer(start: nil, count: 0)
    @exclusivity(unchecked) private var starts: [Int] = []

    init(_ index: IndexConnection, _ state: ViewState, _ ranges: [KeyRange], descending: Bool) throws {
        self.index = index
        self.ranges = ranges
        self.descending = descending
        order = index.order(state.collation)
        let table = IndexSchema.rows(state.view)
        let ordered = descending ? "ORDER BY first DESC" : "ORDER BY first"
        (findStart, bounded, unbounded) = try index.guarded {
            (
                try index.connection.prepare("SELECT first FROM \(table) WHERE first <= ? ORDER BY first DESC LIMIT 1"),
                try index.connection.prepare("SELECT entries FROM \(table) WHERE first \(descending ? "<=" : ">=") ? \(ordered)"),
                try index.connection.prepare("SELECT entries FROM \(table) \(ordered)")
            )
        }
    }

    override func next() throws -> Bool {
        try index.guarded {
            while true {
                guard let entry = try nextEntry() else {
                    guard try beginRange() else { return false }
                    continue
                }
                let position = RowPosition(entry.place)
                if !isWithin {
                    guard bound.first?.admits(position, order) ?? true else { continue }
                    isWithin = true
                }
                if let last = bound.last, !last.admits(position, order) {
                    endRange()
                    continue
                }
                let content = try RowContent(entry.content)
                (indexKey, key, id) = (position.key, ViewKey(position.key).encoding, position.id)
                (sequence, kind, value) = (content.sequence, content.kind, content.value)
                return true
            }
        }
    }

    /// Begins with the next range; false if there is none.
    private func beginRange() throws -> Bool {
        endRange()
        guard nextRange < ranges.count else { return false }
        let range = ranges[nextRange]
        nextRange += 1
        let (least, greatest) = (range.least.map { Edge($0, sign: 1) }, range.greatest.map { Edge($0, sign: -1) })
        bound = descending ? (greatest, least) : (least, greatest)
        isWithin = bound.first == nil
        running = unbounded
        if descending {
            if let greatest = range.greatest {
                try greatest.place(behind: true).withUnsafeBytes { try bounded.bind(text: $0, 1) }
                running = bounded
            }
        } else if let least = range.least {
            // Rows with the key may stand at the end of what begins before it.
            try least.place(behind: false).withUnsafeBytes { try findStart.bind(text: $0, 1) }
            defer { findStart.reset() }
            if try findStart.step(), let first = findStart.blob(0) {
                try bounded.bind(text: first, 1)
                running = bounded
            }
        }
        return true
    }

    private func endRange() {
        running?.reset()
        running = nil
        reader = PackedReader(UnsafeRawBufferPointer(start: nil, count: 0))
        starts.removeAll(keepingCapacity: true)
    }

    @inline(__always)
    private func nextEntry() throws -> PackedEntry? {
        if descending {
            while starts.isEmpty { guard try nextEntries() else { return nil } }
            var reader = PackedReader(entries, at: starts.removeLast())
            return try reader.entry()
        }
        while reader.isAtEnd { guard try nextEntries() else { return nil } }
        return try reader.entry()
    }

    private func nextEntries() throws -> Bool {
        guard let running, try running.step() else { return false }
        entries = running.blob(0) ?? UnsafeRawBufferPointer(start: nil, count: 0)
        reader = PackedReader(entries)
        guard descending else { return true }
        while !reader.isAtEnd {
            starts.append(reader.position)
            _ = try reader.entry()
        }
        return true
    }
}

/// An end of a range, in memory that stays where it is.
private final class Edge {
    private let key: UnsafeRawBufferPointer
    private let id: UnsafeRawBufferPointer?
    private let isIncluded: Bool
    private let sign: Int
    private let memory: UnsafeMutableRawBufferPointer

    /// With the sign 1 it is the least, with -1 the greatest.
    init(_ bound: KeyRange.Bound, sign: Int) {
        self.sign = sign
        isIncluded = bound.isIncluded
        let bytes = bound.key + (bound.id ?? [])
        memory = .allocate(byteCount: max(1, bytes.count), alignment: 8)
        memory.copyBytes(from: bytes)
        key = UnsafeRawBufferPointer(rebasing: memory[..<bound.key.count])
        id = bound.id == nil ? nil : UnsafeRawBufferPointer(rebasing: memory[bound.key.count..<bytes.count])
    }

    deinit { memory.deallocate() }

    /// Whether a row is on the right side.
    @inline(__always)
    func admits(_ row: RowPosition, _ order: ValueOrder) -> Bool {
        var result = order.compareKeys(row.key, key)
        if result == 0, let id { result = MappedRows.compare(row.id, id) }
        return result == 0 ? isIncluded : (result > 0) == (sign > 0)
    }
}
