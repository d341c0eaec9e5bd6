import Glibc

/// Rows kept in memory, one behind the other, each value with a byte that tells its kind before it. A row is known by where it starts.
struct RowArena: ~Copyable {
    private var memory: UnsafeMutableRawPointer
    private var capacity: Int
    private(set) var count = 0

    init(capacity: Int = 4096) {
        self.capacity = capacity
        memory = RowArena.allocate(capacity)
    }

    deinit { free(memory) }

    private static func allocate(_ count: Int) -> UnsafeMutableRawPointer {
        guard let memory = malloc(count) else { fatalError("out of memory") }
        return memory
    }

    private enum Kind {
        static let null: UInt8 = 0
        static let integer: UInt8 = 1
        static let real: UInt8 = 2
        static let text: UInt8 = 3
        static let blob: UInt8 = 4
    }

    mutating func append(_ value: SQLValue) {
        switch value {
        case .null:
            reserve(1)
            memory.storeBytes(of: Kind.null, toByteOffset: count, as: UInt8.self)
            count &+= 1
        case .integer(let integer): append(Kind.integer, UInt64(bitPattern: integer))
        case .real(let real): append(Kind.real, real.bitPattern)
        case .text(let bytes): append(Kind.text, bytes)
        case .blob(let bytes): append(Kind.blob, bytes)
        }
    }

    private mutating func append(_ kind: UInt8, _ bits: UInt64) {
        reserve(9)
        memory.storeBytes(of: kind, toByteOffset: count, as: UInt8.self)
        memory.storeBytes(of: bits, toByteOffset: count &+ 1, as: UInt64.self)
        count &+= 9
    }

    private mutating func append(_ kind: UInt8, _ bytes: UnsafeRawBufferPointer) {
        reserve(5 &+ bytes.count)
        memory.storeBytes(of: kind, toByteOffset: count, as: UInt8.self)
        memory.storeBytes(of: UInt32(truncatingIfNeeded: bytes.count), toByteOffset: count &+ 1, as: UInt32.self)
        if let start = bytes.baseAddress { (memory + (count &+ 5)).copyMemory(from: start, byteCount: bytes.count) }
        count &+= 5 &+ bytes.count
    }

    /// Puts a value where another is, or at the end if it does not fit there. Gives its place.
    mutating func replace(at position: Int, with value: SQLValue) -> Int {
        var end = position
        switch (self.value(at: &end), value) {
        case (.integer, .integer), (.integer, .real), (.real, .integer), (.real, .real):
            let count = self.count
            self.count = position
            append(value)
            self.count = count
            return position
        default:
            let place = count
            append(value)
            return place
        }
    }

    /// The value at a position, which is then behind it. Its bytes are valid until something is appended.
    @inline(__always)
    func value(at position: inout Int) -> SQLValue {
        let start = memory + position
        switch start.load(as: UInt8.self) {
        case Kind.integer:
            position &+= 9
            return .integer(start.loadUnaligned(fromByteOffset: 1, as: Int64.self))
        case Kind.real:
            position &+= 9
            return .real(Double(bitPattern: start.loadUnaligned(fromByteOffset: 1, as: UInt64.self)))
        case let kind where kind != Kind.null:
            let length = Int(start.loadUnaligned(fromByteOffset: 1, as: UInt32.self))
            position &+= 5 &+ length
            let bytes = UnsafeRawBufferPointer(start: start + 5, count: length)
            return kind == Kind.text ? .text(bytes) : .blob(bytes)
        default:
            position &+= 1
            return .null
        }
    }

    /// One value of a row that starts at `row`.
    func value(_ index: Int, ofRowAt row: Int) -> SQLValue {
        var position = row
        for _ in 0..<index { _ = value(at: &position) }
        return value(at: &position)
    }

    /// Copies a row of so many values from another arena, and gives where it is now.
    mutating func append(rowAt row: Int, of other: borrowing RowArena, columns: Int) -> Int {
        let start = count
        var position = row
        for _ in 0..<columns { append(other.value(at: &position)) }
        return start
    }

    /// Whether the row at `row` consists of the same bytes as a range, which may just have been truncated.
    func isSame(_ row: Int, _ range: Range<Int>) -> Bool {
        row + range.count <= capacity && memcmp(memory + row, memory + range.lowerBound, range.count) == 0
    }

    /// Forgets what was appended behind `newCount`.
    mutating func truncate(to newCount: Int) { count = min(count, newCount) }

    @inline(__always)
    private mutating func reserve(_ more: Int) {
        if count &+ more > capacity { grow(more) }
    }

    private mutating func grow(_ more: Int) {
        capacity = max(capacity * 2, count + more)
        guard let larger = realloc(memory, capacity) else { fatalError("out of memory") }
        memory = larger
    }
}
