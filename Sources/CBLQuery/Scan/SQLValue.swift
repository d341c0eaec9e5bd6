import CBLFleece
import CBLSQLite
import CBLSystemSQLite
import Glibc

/// A value as SQLite compares and sorts it. Bytes lie in somebody else's memory.
enum SQLValue {
    case null
    case integer(Int64)
    case real(Double)
    case text(UnsafeRawBufferPointer)
    case blob(UnsafeRawBufferPointer)

    /// What a row has in a column.
    @inline(__always)
    init(_ row: CBLSQLite.Statement, _ column: Int32) {
        switch row.type(column) {
        case SQLITE_INTEGER: self = .integer(row.int64(column))
        case SQLITE_FLOAT: self = .real(row.double(column))
        case SQLITE_TEXT: self = .text(row.text(column) ?? UnsafeRawBufferPointer(start: nil, count: 0))
        case SQLITE_BLOB: self = .blob(row.blob(column) ?? UnsafeRawBufferPointer(start: nil, count: 0))
        default: self = .null
        }
    }

    /// What `fl_result` was given to make this of it: booleans, null, data and unsigned integers are told by an encoding there, because their
    /// subtypes would be lost.
    @inline(__always)
    var beforeResult: SQLValue {
        guard case .blob(let bytes) = self, let value = Value(root: bytes) else { return self }
        switch value.kind {
        case .null: return .blob(UnsafeRawBufferPointer(start: nil, count: 0))
        case .boolean: return .integer(value.boolean == true ? 1 : 0)
        case .integer: return value.integerBits.map { .integer(Int64(bitPattern: $0)) } ?? self
        case .data: return value.dataBytes.map(SQLValue.blob) ?? self
        case .double, .string, .array, .dictionary, .undefined: return self
        }
    }

    /// The value as a result column.
    var queryValue: QueryValue {
        switch self {
        case .null: return .missing
        case .integer(let integer): return .integer(integer)
        case .real(let double): return .double(double)
        case .text(let bytes): return .text(bytes)
        case .blob(let bytes): return bytes.isEmpty ? .null : QueryValue(Value(root: bytes) ?? .undefined)
        }
    }

    private var rank: Int {
        switch self {
        case .null: 0
        case .integer, .real: 1
        case .text: 2
        case .blob: 3
        }
    }

    /// Negative, zero or positive as this sorts before, with or after the other, in SQLite's order with the collation `BINARY`.
    func order(_ other: SQLValue) -> Int {
        switch (self, other) {
        case (.null, .null): 0
        case (.integer(let one), .integer(let two)): one < two ? -1 : one > two ? 1 : 0
        case (.real(let one), .real(let two)): one < two ? -1 : one > two ? 1 : 0
        case (.integer(let one), .real(let two)): SQLValue.order(one, two)
        case (.real(let one), .integer(let two)): -SQLValue.order(two, one)
        case (.text(let one), .text(let two)), (.blob(let one), .blob(let two)): SQLValue.order(one, two)
        default: rank - other.rank
        }
    }

    /// An integer and a float are compared exactly, not as two floats.
    fileprivate static func order(_ integer: Int64, _ real: Double) -> Int {
        if real < -9_223_372_036_854_775_808.0 { return 1 }
        if real >= 9_223_372_036_854_775_808.0 { return -1 }
        let whole = Int64(real)
        if integer != whole { return integer < whole ? -1 : 1 }
        let rounded = Double(whole)
        return rounded < real ? -1 : rounded > real ? 1 : 0
    }

    private static func order(_ one: UnsafeRawBufferPointer, _ two: UnsafeRawBufferPointer) -> Int {
        let common = min(one.count, two.count)
        if common > 0, let first = one.baseAddress, let second = two.baseAddress {
            let order = memcmp(first, second, common)
            if order != 0 { return Int(order) }
        }
        return one.count - two.count
    }
}

/// The beginning of a value as a number that sorts as the value does: nearly all comparisons are decided by it.
///
/// From the top: two bits for the class; for text and blobs seven bytes, and then the length if it is at most seven; for numbers the bits of
/// the double below or equal. Values that are not told completely are odd, and only two equal odd prefixes leave the order open.
struct SortPrefix: Equatable {
    let bits: UInt64

    @inline(__always)
    init(bits: UInt64) { self.bits = bits }

    @inline(__always)
    init(_ value: SQLValue) {
        switch value {
        case .null: bits = 0
        case .integer(let integer):
            var double = Double(integer)
            let distance = SQLValue.order(integer, double)
            // A large integer that lies between two doubles goes with the lower one.
            if distance < 0 { double = double.nextDown }
            bits = SortPrefix.number(double) | (distance == 0 ? 0 : 1)
        case .real(let real): bits = SortPrefix.number(real)
        case .text(let bytes): bits = 2 << 62 | SortPrefix.bytes(bytes)
        case .blob(let bytes): bits = 3 << 62 | SortPrefix.bytes(bytes)
        }
    }

    /// Whether two values with this prefix are equal for certain.
    var isComplete: Bool { bits & 1 == 0 }

    // Two bits of the double have to go, and a third for the mark; what they said counts as not told.
    private static func number(_ double: Double) -> UInt64 {
        // Minus zero equals zero.
        let pattern = (double == 0 ? 0.0 : double).bitPattern
        let ordered = pattern >> 63 == 0 ? pattern | 1 << 63 : 0 &- pattern
        return 1 << 62 | (ordered >> 3) << 1 | (ordered & 7 == 0 ? 0 : 1)
    }

    @inline(__always)
    private static func bytes(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var head: UInt64 = 0
        let count = bytes.count
        if count >= 8, let start = bytes.baseAddress {
            head = UInt64(bigEndian: start.loadUnaligned(as: UInt64.self)) >> 8
        } else {
            for index in 0..<7 { head = head << 8 | (index < count ? UInt64(bytes[index]) : 0) }
        }
        return head << 6 | (count <= 7 ? UInt64(count) << 1 : 0x11)
    }
}
