import CBLFleece
import CBLSQLite

/// Groups the rows of a scan by the values of some columns, and adds up others: what SQLite does by sorting whole documents first.
/// Hot: the benchmark `group`.
///
/// Gives what SQLite gives, to the last bit: sums of floats depend on the order of the rows, so only one thread may see them.
final class GroupedRows: ScanSink {
    /// A column that is added up.
    struct Aggregate: Sendable, Hashable {
        enum Function: String, Sendable { case count, sum, avg, min, max }
        var function: Function
        /// Nil for `count(*)`.
        var column: Int?
    }

    private struct State {
        var count: Int64 = 0
        var integer: Int64 = 0
        /// The sum of the integers' magnitudes: as long as it is small, every sum of them is exact as a double as well.
        var magnitude: UInt64 = 0
        var real = 0.0
        var isReal = false
        /// The smallest or largest value, as the row had it.
        var best: Int?
        var bestPiece = 0
    }

    private struct Group {
        /// Where the group's values are, as the first of its rows had them.
        var row: Int
        var piece: Int
        var hash: UInt64
    }

    /// As much memory as groups may take before SQLite's sorter, which uses temporary files, is the better one.
    static let mostBytes = 6 << 20

    private let keyCount: Int
    private let aggregates: [Aggregate]
    private let mayAddFloats: Bool
    private let hasExtremes: Bool
    @exclusivity(unchecked) private var arena = RowArena(capacity: 1 << 14)
    @exclusivity(unchecked) private var groups: [Group] = []
    @exclusivity(unchecked) private var states: [State] = []
    /// Open addressing: the number of a group + 1, or 0.
    @exclusivity(unchecked) private var table = [UInt32](repeating: 0, count: 256)
    @exclusivity(unchecked) private var piece = 0

    /// `mayAddFloats` is for the only sink of a scan, which sees the rows in SQLite's order.
    init(keyCount: Int, aggregates: [Aggregate], mayAddFloats: Bool) {
        self.keyCount = keyCount
        self.aggregates = aggregates
        self.mayAddFloats = mayAddFloats
        hasExtremes = aggregates.contains { $0.function == .min || $0.function == .max }
    }

    func begin(piece: Int) { self.piece = piece }

    func add(_ row: some ScanRow) -> ScanVerdict {
        let start = arena.count
        var hash: UInt64 = 0
        for column in 0..<keyCount {
            let value = row.value(Int32(column))
            hash = GroupedRows.hash(value.beforeResult, hash)
            arena.append(value)
        }
        let end = arena.count
        let group = group(at: start, hash, piece)
        // With these, SQLite shows the group's values as they are in the row of the smallest or largest: 1 and true are equal, but not the same.
        if hasExtremes, !arena.isSame(groups[group].row, start..<end) { return .refuse }
        for (index, aggregate) in aggregates.enumerated() {
            let value = aggregate.column.map { row.value(Int32($0)) }
            guard add(value, to: group &* aggregates.count &+ index, aggregate.function) else { return .refuse }
        }
        return arena.count + groups.count * (MemoryLayout<Group>.stride + aggregates.count * MemoryLayout<State>.stride)
            > GroupedRows.mostBytes ? .refuse : .goOn
    }

    /// The group of the values at the end of the arena, which are dropped if it is known.
    private func group(at row: Int, _ hash: UInt64, _ piece: Int) -> Int {
        let mask = table.count - 1
        var bucket = Int(truncatingIfNeeded: hash) & mask
        while table[bucket] != 0 {
            let found = Int(table[bucket]) - 1
            if groups[found].hash == hash, order(groups[found].row, row, in: arena) == 0 {
                arena.truncate(to: row)
                return found
            }
            bucket = (bucket + 1) & mask
        }
        groups.append(Group(row: row, piece: piece, hash: hash))
        states.append(contentsOf: repeatElement(State(), count: aggregates.count))
        table[bucket] = UInt32(groups.count)
        if groups.count * 2 > table.count { rehash() }
        return groups.count - 1
    }

    private func rehash() {
        table = [UInt32](repeating: 0, count: table.count * 4)
        for (index, group) in groups.enumerated() {
            var bucket = Int(truncatingIfNeeded: group.hash) & (table.count - 1)
            while table[bucket] != 0 { bucket = (bucket + 1) & (table.count - 1) }
            table[bucket] = UInt32(index + 1)
        }
    }

    private func order(_ one: Int, _ two: Int, in other: borrowing RowArena) -> Int {
        var first = one
        var second = two
        for _ in 0..<keyCount {
            let order = arena.value(at: &first).beforeResult.order(other.value(at: &second).beforeResult)
            if order != 0 { return order }
        }
        return 0
    }

    /// Equal values have equal hashes: an integer that a double can be is hashed as one.
    private static func hash(_ value: SQLValue, _ seed: UInt64) -> UInt64 {
        switch value {
        case .null: return mix(seed, 1)
        case .integer(let integer):
            return mix(seed &+ 2, integer.magnitude < 1 << 53 ? Double(integer).bitPattern : UInt64(bitPattern: integer))
        case .real(let real):
            if real.magnitude >= 0x1p53, let integer = Int64(exactly: real) { return mix(seed &+ 2, UInt64(bitPattern: integer)) }
            return mix(seed &+ 2, (real == 0 ? 0.0 : real).bitPattern)
        case .text(let bytes): return hash(bytes, seed &+ 3)
        case .blob(let bytes): return hash(bytes, seed &+ 4)
        }
    }

    private static func hash(_ bytes: UnsafeRawBufferPointer, _ seed: UInt64) -> UInt64 {
        var hash = mix(seed, UInt64(bytes.count))
        var rest = bytes[...]
        while rest.count >= 8 {
            hash = mix(hash, UnsafeRawBufferPointer(rebasing: rest).loadUnaligned(as: UInt64.self))
            rest = rest.dropFirst(8)
        }
        var tail: UInt64 = 0
        for byte in rest { tail = tail << 8 | UInt64(byte) }
        return mix(hash, tail)
    }

    private static func mix(_ hash: UInt64, _ word: UInt64) -> UInt64 {
        let product = (hash ^ word ^ 0x9E37_79B9_7F4A_7C15).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
        return product.high ^ product.low
    }

    /// Takes a value into a group's sum; false if the result could differ from SQLite's.
    private func add(_ value: SQLValue?, to index: Int, _ function: Aggregate.Function) -> Bool {
        guard let value else {
            states[index].count += 1
            return true
        }
        if case .null = value { return true }
        switch function {
        case .count: states[index].count += 1
        case .min, .max: takeBest(value, piece, index, function)
        case .sum, .avg:
            states[index].count += 1
            switch value.beforeResult {
            case .integer(let integer):
                let (sum, overflows) = states[index].integer.addingReportingOverflow(integer)
                states[index].integer = sum
                let (magnitude, isHuge) = states[index].magnitude.addingReportingOverflow(integer.magnitude)
                states[index].magnitude = magnitude
                states[index].real += Double(integer)
                // An overflow is an error. Whether there is one, and what floats add up to, depends on the order of the rows if they are large.
                return !overflows && (mayAddFloats || !isHuge && magnitude < GroupedRows.mostMagnitude(function))
            case .real(let real) where mayAddFloats:
                states[index].real += real
                states[index].isReal = true
            default: return false
            }
        }
        return true
    }

    private static func mostMagnitude(_ function: Aggregate.Function) -> UInt64 { function == .avg ? 1 << 53 : 1 << 63 }

    private func takeBest(_ value: SQLValue, _ piece: Int, _ index: Int, _ function: Aggregate.Function) {
        guard let best = states[index].best else {
            states[index].best = arena.count
            states[index].bestPiece = piece
            return arena.append(value)
        }
        let order = value.beforeResult.order(arena.value(0, ofRowAt: best).beforeResult)
        // Of equal ones, say 1 and 1.0, the first is shown.
        guard order == 0 ? piece < states[index].bestPiece : function == .min ? order < 0 : order > 0 else { return }
        states[index].best = arena.replace(at: best, with: value)
        states[index].bestPiece = piece
    }

    // The result

    /// Takes in what another thread's sink has found; false if the result could differ from SQLite's.
    func merge(_ other: GroupedRows) -> Bool {
        for (number, theirs) in other.groups.enumerated() {
            let row = arena.append(rowAt: theirs.row, of: other.arena, columns: keyCount)
            let end = arena.count
            let known = groups.count
            let group = group(at: row, theirs.hash, theirs.piece)
            if hasExtremes, !arena.isSame(groups[group].row, row..<end) { return false }
            if group < known, theirs.piece < groups[group].piece {
                // The group is shown as its first row has it.
                groups[group].row = arena.append(rowAt: theirs.row, of: other.arena, columns: keyCount)
                groups[group].piece = theirs.piece
            }
            for index in aggregates.indices {
                let place = group * aggregates.count + index
                guard merge(other.states[number * aggregates.count + index], of: other, place, aggregates[index].function) else {
                    return false
                }
            }
        }
        return true
    }

    private func merge(_ theirs: State, of other: GroupedRows, _ index: Int, _ function: Aggregate.Function) -> Bool {
        let (sum, overflows) = states[index].integer.addingReportingOverflow(theirs.integer)
        let (magnitude, isHuge) = states[index].magnitude.addingReportingOverflow(theirs.magnitude)
        guard !overflows, !isHuge, !theirs.isReal, magnitude < GroupedRows.mostMagnitude(function) else { return false }
        states[index].count += theirs.count
        states[index].integer = sum
        states[index].magnitude = magnitude
        states[index].real = Double(sum)
        if let best = theirs.best { takeBest(other.arena.value(0, ofRowAt: best), theirs.bestPiece, index, function) }
        return true
    }

    /// Without anything to group by there is one group, even of no rows.
    func makeSureOfGroup() {
        guard groups.isEmpty else { return }
        groups.append(Group(row: 0, piece: 0, hash: 0))
        states.append(contentsOf: repeatElement(State(), count: aggregates.count))
    }

    /// The numbers of the groups, sorted by their values; a value's direction may be the other way round.
    func sortedGroups(isDescending: [Bool]) -> [Int] {
        groups.indices.sorted { one, two in
            var first = groups[one].row
            var second = groups[two].row
            for index in 0..<keyCount {
                let order = arena.value(at: &first).beforeResult.order(arena.value(at: &second).beforeResult)
                if order != 0 { return isDescending[index] ? order > 0 : order < 0 }
            }
            return false
        }
    }

    func key(_ index: Int, of group: Int) -> SQLValue { arena.value(index, ofRowAt: groups[group].row) }

    func result(_ index: Int, of group: Int) -> SQLValue {
        let state = states[group * aggregates.count + index]
        switch aggregates[index].function {
        case .count: return .integer(state.count)
        case .sum: return state.count == 0 ? .null : state.isReal ? .real(state.real) : .integer(state.integer)
        case .avg: return state.count == 0 ? .null : .real(state.real / Double(state.count))
        case .min, .max: return state.best.map { arena.value(0, ofRowAt: $0) } ?? .null
        }
    }
}
