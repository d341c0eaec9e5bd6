import CBLFleece
import Glibc

/// Rows that outlast the statement that found them: what SQLite had in their columns, copied as it was and in one piece for many of them.
///
/// A row is so many slots of sixteen bytes, and behind these the text and the encodings of all its columns.
package final class RowBlock: @unchecked Sendable {
    // Sendable: who fills it does so before anybody else sees it, and nobody changes it afterwards. Hence access is not checked at every step.

    package let columnCount: Int
    /// Those that dictionaries in the rows refer to.
    package let keys: SharedKeys
    @exclusivity(unchecked) private var memory: UnsafeMutableRawPointer
    @exclusivity(unchecked) private var capacity: Int
    @exclusivity(unchecked) private var used = 0
    /// Where each row begins.
    @exclusivity(unchecked) private var starts: [UInt32] = []

    private enum Kind {
        static let missing: UInt32 = 0
        static let integer: UInt32 = 1
        static let real: UInt32 = 2
        static let text: UInt32 = 3
        static let encoded: UInt32 = 4
    }

    private static let slot = 16
    /// What a block holds at most, but for a row that has more than that alone.
    package static let byteLimit = 1 << 16
    static let mostRows = 512

    init(columnCount: Int, keys: SharedKeys, capacity: Int = 512) {
        self.columnCount = columnCount
        self.keys = keys
        self.capacity = capacity
        guard let memory = malloc(capacity) else { fatalError("out of memory") }
        self.memory = memory
    }

    deinit { free(memory) }

    package var count: Int { starts.count }
    package var byteCount: Int { used }

    // MARK: Filling

    /// Takes rows in until there are no more, which gives false, or the block has enough.
    func fill(from rows: QueryRows, rowLimit: Int = RowBlock.mostRows) throws -> Bool {
        while count < rowLimit, used < RowBlock.byteLimit {
            guard try rows.next() else { return false }
            let start = beginRow()
            for column in 0..<columnCount { set(rows.sqlValue(column), at: start, column) }
        }
        return true
    }

    private func beginRow() -> Int {
        // Slots are read where numbers of eight bytes may stand.
        used = (used &+ 7) & ~7
        let start = used
        reserve(columnCount &* RowBlock.slot &+ 8)
        used = start &+ columnCount &* RowBlock.slot
        starts.append(UInt32(truncatingIfNeeded: start))
        return start
    }

    @inline(__always)
    private func set(_ value: SQLValue, at start: Int, _ column: Int) {
        let slot = start &+ column &* RowBlock.slot
        switch value {
        case .null: set(slot, 0, 0, Kind.missing)
        case .integer(let integer): set(slot, UInt64(bitPattern: integer), 0, Kind.integer)
        case .real(let real): set(slot, real.bitPattern, 0, Kind.real)
        case .text(let bytes): set(slot, bytes, Kind.text)
        case .blob(let bytes): set(slot, bytes, Kind.encoded)
        }
    }

    @inline(__always)
    private func set(_ slot: Int, _ bits: UInt64, _ length: UInt32, _ kind: UInt32) {
        memory.storeBytes(of: bits, toByteOffset: slot, as: UInt64.self)
        memory.storeBytes(of: length, toByteOffset: slot &+ 8, as: UInt32.self)
        memory.storeBytes(of: kind, toByteOffset: slot &+ 12, as: UInt32.self)
    }

    private func set(_ slot: Int, _ bytes: UnsafeRawBufferPointer, _ kind: UInt32) {
        reserve(bytes.count &+ 8)
        if let start = bytes.baseAddress { (memory + used).copyMemory(from: start, byteCount: bytes.count) }
        set(slot, UInt64(used), UInt32(truncatingIfNeeded: bytes.count), kind)
        // So that blocks which say the same are the same bytes.
        (memory + (used &+ bytes.count)).storeBytes(of: 0, as: UInt64.self)
        used = (used &+ bytes.count &+ 7) & ~7
    }

    @inline(__always)
    private func reserve(_ more: Int) {
        if used &+ more > capacity { grow(more) }
    }

    private func grow(_ more: Int) {
        capacity = max(capacity &* 2, used &+ more)
        guard let larger = realloc(memory, capacity) else { fatalError("out of memory") }
        memory = larger
    }

    // MARK: Reading

    private struct Slot {
        let bits: UInt64
        let length: UInt32
        let kind: UInt32
    }

    @inline(__always)
    private func slot(_ row: Int, _ column: Int) -> Slot {
        let position = Int(starts[row]) &+ column &* RowBlock.slot
        return Slot(
            bits: memory.load(fromByteOffset: position, as: UInt64.self),
            length: memory.load(fromByteOffset: position &+ 8, as: UInt32.self),
            kind: memory.load(fromByteOffset: position &+ 12, as: UInt32.self))
    }

    @inline(__always)
    private func bytes(_ slot: Slot) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: memory + Int(slot.bits), count: Int(slot.length))
    }

    /// What a row has in a column. Its bytes are valid as long as the block.
    @inline(__always)
    package subscript(row: Int, column: Int) -> QueryValue {
        let slot = slot(row, column)
        switch slot.kind {
        case Kind.integer: return .integer(Int64(bitPattern: slot.bits))
        case Kind.real: return .double(Double(bitPattern: slot.bits))
        case Kind.text: return .text(bytes(slot))
        case Kind.encoded:
            // The functions give an empty blob for JSON's null.
            return slot.length == 0 ? .null : QueryValue(Value(root: bytes(slot)) ?? .undefined)
        default: return .missing
        }
    }

    package func isMissing(_ row: Int, _ column: Int) -> Bool { slot(row, column).kind == Kind.missing }

    /// The encoding of a column that has one, in this memory.
    package func encoding(_ row: Int, _ column: Int) -> FleeceData? {
        let slot = slot(row, column)
        guard slot.kind == Kind.encoded, slot.length > 0 else { return nil }
        return FleeceData(bytes(slot), keptBy: self)
    }

    // MARK: Comparing

    /// Whether all rows are the same for certain: what is different here may still say the same.
    func hasSameBytes(as other: RowBlock) -> Bool {
        used == other.used && starts == other.starts && keys.identity == other.keys.identity && memcmp(memory, other.memory, used) == 0
    }

    /// Whether two rows say the same.
    func isRow(_ row: Int, equalTo otherRow: Int, of other: RowBlock) -> Bool {
        for column in 0..<columnCount {
            let one = slot(row, column)
            let two = other.slot(otherRow, column)
            guard one.kind == two.kind else { return false }
            switch one.kind {
            case Kind.text:
                guard one.length == two.length, memcmp(memory + Int(one.bits), other.memory + Int(two.bits), Int(one.length)) == 0 else {
                    return false
                }
            case Kind.encoded:
                if one.length == 0 || two.length == 0 {
                    guard one.length == two.length else { return false }
                } else {
                    let first = Value(root: bytes(one)) ?? .undefined
                    guard first.isEqual(to: Value(root: other.bytes(two)) ?? .undefined, keys, other.keys) else { return false }
                }
            default: guard one.bits == two.bits else { return false }
            }
        }
        return true
    }
}
