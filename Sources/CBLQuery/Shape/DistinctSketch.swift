import CBLFleece

/// A value as it is kept to be shown: a scalar, a long text cut short.
package enum SampledValue: Hashable, Sendable {
    case integer(Int64)
    /// What is too large for the other.
    case unsigned(UInt64)
    case double(Double)
    /// The beginning of a text, and whether that is all of it.
    case text(String, isWhole: Bool)
}

/// The different values of a place, as far as a little memory tells them: those whose hashes are the smallest, each with how often it came.
///
/// What is kept depends only on which values came, not on their order; so two sketches of parts merge into the sketch of the whole. A value that
/// is kept was so from its first time on, because the largest hash that stays only sinks: its count is exact. And how close together the
/// smallest hashes lie tells how many there are in all.
package struct DistinctSketch: Hashable, Sendable {
    package struct Entry: Hashable, Sendable {
        let hash: UInt64
        package internal(set) var count: Int
        package let value: SampledValue
    }

    /// How many are kept where values are to be shown, and where the count of them matters more.
    static let few = 64
    static let many = 512
    /// So much of a text is kept, in bytes.
    static let longestText = 96

    private let capacity: Int
    /// In no order.
    private var hashes: [UInt64] = []
    private var counts: [Int] = []
    private var values: [SampledValue] = []
    /// The largest hash that is kept, once there is no room for more.
    private var ceiling = UInt64.max
    private var isFull = false

    init(capacity: Int = DistinctSketch.few) { self.capacity = capacity }

    /// Hot: called for every scalar.
    @inline(__always)
    mutating func add(_ hash: UInt64, _ count: Int = 1, _ value: () -> SampledValue) {
        guard hash <= ceiling else { return }
        if let place = hashes.firstIndex(of: hash) {
            counts[place] += count
        } else {
            insert(hash, count, value())
        }
    }

    @inline(never)
    private mutating func insert(_ hash: UInt64, _ count: Int, _ value: SampledValue) {
        if hashes.count < capacity {
            hashes.append(hash)
            counts.append(count)
            values.append(value)
        } else {
            guard let place = hashes.firstIndex(of: hashes.max() ?? 0), hash < hashes[place] else {
                isFull = true
                ceiling = hashes.max() ?? 0
                return
            }
            (hashes[place], counts[place], values[place]) = (hash, count, value)
            isFull = true
        }
        if isFull { ceiling = hashes.max() ?? 0 }
    }

    mutating func merge(_ other: DistinctSketch) {
        for (place, hash) in other.hashes.enumerated() { add(hash, other.counts[place]) { other.values[place] } }
        // A full one has brought as many as there is room for: what it dropped lies above all that are kept now.
        guard other.isFull else { return }
        isFull = true
        ceiling = hashes.max() ?? 0
    }

    package var isEmpty: Bool { hashes.isEmpty }
    /// Whether all different values are kept.
    package var isComplete: Bool { !isFull }

    /// How many different values there are; if not all are kept, an estimate.
    package var distinct: Int {
        guard isFull, ceiling > 0 else { return hashes.count }
        return Int((Double(hashes.count - 1) / (Double(ceiling) / 0x1p64)).rounded())
    }

    /// What is kept, in the order of the hashes: as good as drawn by lot, and always the same.
    package var entries: [Entry] {
        hashes.indices.sorted { hashes[$0] < hashes[$1] }.map { Entry(hash: hashes[$0], count: counts[$0], value: values[$0]) }
    }

    package static func == (one: DistinctSketch, other: DistinctSketch) -> Bool {
        one.isFull == other.isFull && one.entries == other.entries
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(entries) }
}

/// Hashes whose bits are as good as random, and the same in every run.
enum ValueHash {
    @inline(__always)
    static func mix(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let product = a.multipliedFullWidth(by: b)
        return product.low ^ product.high
    }

    @inline(__always)
    static func of(_ integer: Int64) -> UInt64 {
        mix(mix(UInt64(bitPattern: integer) ^ 0x9E37_79B9_7F4A_7C15, 0xD6E8_FEB8_6659_FD93) ^ 0xA076_1D64_78BD_642F, 0xE703_7ED1_A0B4_28DB)
    }

    /// Equal for numbers that are equal, whichever way they are written.
    @inline(__always)
    static func of(_ double: Double) -> UInt64 {
        if double.magnitude < 0x1p53, let integer = Int64(exactly: double) { return of(integer) }
        return of(Int64(bitPattern: double.bitPattern ^ 0x5555_5555_5555_5555))
    }

    static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var state = 0x8EBC_6AF0_9C88_C6E3 ^ UInt64(truncatingIfNeeded: bytes.count)
        var position = 0
        while bytes.count - position >= 8 {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            state = mix(state ^ word, 0xE703_7ED1_A0B4_28DB)
            position += 8
        }
        var rest: UInt64 = 0
        while position < bytes.count {
            rest = rest << 8 | UInt64(bytes[position])
            position += 1
        }
        return mix(mix(state ^ rest, 0xA076_1D64_78BD_642F) ^ 0x5895_65B2_B3B1_B4C1, 0xD6E8_FEB8_6659_FD93)
    }
}

extension SampledValue {
    init(_ text: UnsafeRawBufferPointer) {
        guard text.count > DistinctSketch.longestText else {
            self = .text(String(decoding: text, as: UTF8.self), isWhole: true)
            return
        }
        // Not in the middle of a character.
        var end = DistinctSketch.longestText
        while end > 0, text[end] & 0xC0 == 0x80 { end -= 1 }
        self = .text(String(decoding: text[..<end], as: UTF8.self), isWhole: false)
    }

    init(_ double: Double) {
        self = double.magnitude < 0x1p53 ? Int64(exactly: double).map(SampledValue.integer) ?? .double(double) : .double(double)
    }
}
