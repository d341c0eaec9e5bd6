/// A database's table of dictionary keys: append-only, at most 2048 short strings, whose positions stand for them in encodings.
///
/// Not thread-safe: each connection has its own, brought up to date from the stored table (``init(encoded:)``).
public final class SharedKeys {
    public static let capacity = 2048
    /// The longest key that may enter the table, in bytes.
    public static let longestKey = 16
    private static let bucketCount = 4096

    /// The names, sixteen bytes each, padded with zeros. They never move, so `bytes(at:)` stays valid as long as the table.
    private let names: UnsafeMutableRawPointer
    private let lengths: UnsafeMutablePointer<UInt8>
    /// Open addressing over the names: index + 1, or 0 for an empty bucket.
    private let buckets: UnsafeMutablePointer<UInt16>
    private let seed = UInt64.random(in: .min ... .max)
    /// For each key the one that was asked for after it: documents repeat their keys in the same order, and a right guess saves the hashing.
    private let successors: UnsafeMutablePointer<UInt16>
    @exclusivity(unchecked) private var lastAdded = 0

    /// How many keys the table holds.
    @exclusivity(unchecked) public private(set) var count = 0
    /// Whether all keys consist of letters and digits that need no escape in JSON, as those do that writers enter.
    @exclusivity(unchecked) private(set) var areAllPlain = true
    /// Set on connections that must not add keys: `add` then finds only what is there.
    @exclusivity(unchecked) public var isReadOnly = false
    /// Changes when an index may have come to mean another key, that is after ``revert(toCount:)``. Together with ``count`` it tells whether a
    /// remembered answer of ``index(ofKey:)`` still holds: an index as long as this is unchanged, a nil only while the count is too.
    public private(set) var identity = SharedKeys.nextIdentity()

    public init() {
        names = .allocate(byteCount: SharedKeys.capacity * SharedKeys.longestKey, alignment: 16)
        lengths = .allocate(capacity: SharedKeys.capacity)
        buckets = .allocate(capacity: SharedKeys.bucketCount)
        buckets.initialize(repeating: 0, count: SharedKeys.bucketCount)
        successors = .allocate(capacity: SharedKeys.capacity)
        successors.initialize(repeating: 0, count: SharedKeys.capacity)
    }

    /// The table that a database stores: a plain array of strings.
    public convenience init(encoded: UnsafeRawBufferPointer) throws {
        self.init()
        try update(from: encoded)
    }

    deinit {
        names.deallocate()
        lengths.deallocate()
        buckets.deallocate()
        successors.deallocate()
    }

    /// Takes over the keys that the stored table has and this one has not. The stored one must begin with what is known here.
    public func update(from encoded: UnsafeRawBufferPointer) throws {
        guard let array = Value(root: encoded)?.array else { throw FleeceError.badSharedKeys("it is not an array") }
        guard array.count <= SharedKeys.capacity else { throw FleeceError.badSharedKeys("it has \(array.count) keys") }
        guard array.count >= count else { throw FleeceError.badSharedKeys("it has shrunk from \(count) to \(array.count) keys") }
        let known = count
        do {
            try take(array)
        } catch {
            revert(toCount: known)
            throw error
        }
    }

    private func take(_ array: ArrayView) throws {
        for (index, value) in array.enumerated() {
            guard let key = value.stringBytes, key.count <= SharedKeys.longestKey else {
                throw FleeceError.badSharedKeys("entry \(index) is not a short string")
            }
            if index < count {
                guard let known = bytes(at: index), compareBytes(known, key) == 0 else {
                    throw FleeceError.badSharedKeys("entry \(index) has changed")
                }
            } else {
                append(PackedBytes(key), length: key.count)
            }
        }
    }

    /// The index of a key, or nil if the table does not have it.
    public func index(ofKey key: UnsafeRawBufferPointer) -> Int? {
        guard key.count <= SharedKeys.longestKey else { return nil }
        let packed = PackedBytes(key)
        let found = buckets[bucket(of: packed, length: key.count)]
        return found == 0 ? nil : Int(found) &- 1
    }

    public func index(ofKey key: String) -> Int? {
        var key = key
        return key.withUTF8 { index(ofKey: UnsafeRawBufferPointer($0)) }
    }

    /// The bytes of a key, valid as long as the table.
    public func bytes(at index: Int) -> UnsafeRawBufferPointer? {
        guard index >= 0, index < count else { return nil }
        return UnsafeRawBufferPointer(start: names + index &* SharedKeys.longestKey, count: Int(lengths[index]))
    }

    public func string(at index: Int) -> String? {
        bytes(at: index).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The index of a key, entered at the end if it is new; nil if it cannot be in the table: not eligible, table full or read-only.
    public func add(_ key: UnsafeRawBufferPointer) -> Int? {
        guard key.count <= SharedKeys.longestKey else { return nil }
        let guess = Int(successors[lastAdded])
        let packed = PackedBytes(key)
        if guess < count, name(guess) == packed, Int(lengths[guess]) == key.count {
            lastAdded = guess
            return guess
        }
        return addUnexpected(key, packed)
    }

    private func addUnexpected(_ key: UnsafeRawBufferPointer, _ packed: PackedBytes) -> Int? {
        var found = Int(buckets[bucket(of: packed, length: key.count)]) &- 1
        if found < 0 {
            guard !isReadOnly, count < SharedKeys.capacity, SharedKeys.isEligible(key) else { return nil }
            append(packed, length: key.count)
            found = count &- 1
        }
        successors[lastAdded] = UInt16(truncatingIfNeeded: found)
        lastAdded = found
        return found
    }

    public func add(_ key: String) -> Int? {
        var key = key
        return key.withUTF8 { add(UnsafeRawBufferPointer($0)) }
    }

    /// Forgets the keys added since the table had `oldCount`, when the transaction that added them is rolled back.
    public func revert(toCount oldCount: Int) {
        guard oldCount >= 0, oldCount < count else { return }
        let kept = oldCount
        count = 0
        areAllPlain = true
        buckets.update(repeating: 0, count: SharedKeys.bucketCount)
        for index in 0..<kept { append(name(index), length: Int(lengths[index])) }
        identity = SharedKeys.nextIdentity()
    }

    /// The table as the database stores it.
    public func encoded() -> FleeceData {
        let encoder = FleeceEncoder()
        encoder.beginArray()
        for index in 0..<count {
            if let key = bytes(at: index) { encoder.writeString(key) }
        }
        encoder.endArray()
        // Strings in one array: nothing here can fail, and an empty table would be a valid one.
        return (try? encoder.finish()) ?? FleeceData.emptyArray
    }

    /// Whether writers enter a key into the table: at most 16 bytes of ASCII letters, digits, `_` and `-`. The empty key is.
    public static func isEligible(_ key: UnsafeRawBufferPointer) -> Bool {
        guard key.count <= longestKey else { return false }
        for byte in key {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "_"), UInt8(ascii: "-"):
                continue
            default: return false
            }
        }
        return true
    }

    /// The keys as they lie in memory, for loops that look one up per dictionary member and should not count references. Valid as long as the table.
    struct Names: BitwiseCopyable {
        fileprivate let names: UnsafeRawPointer
        fileprivate let lengths: UnsafePointer<UInt8>
        let count: Int

        /// A key that is in the table.
        @inline(__always)
        subscript(index: Int) -> UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(start: names + index &* SharedKeys.longestKey, count: Int(lengths[index]))
        }

        /// The sixteen bytes of a key that is in the table, padded with zeros.
        @inline(__always)
        func packed(_ index: Int) -> PackedBytes {
            let place = names + index &* SharedKeys.longestKey
            return PackedBytes(
                low: UInt64(littleEndian: place.load(as: UInt64.self)),
                high: UInt64(littleEndian: place.load(fromByteOffset: 8, as: UInt64.self)))
        }
    }

    var allNames: Names { Names(names: UnsafeRawPointer(names), lengths: UnsafePointer(lengths), count: count) }

    @inline(__always)
    private func name(_ index: Int) -> PackedBytes {
        let place = names + index &* SharedKeys.longestKey
        return PackedBytes(
            low: UInt64(littleEndian: place.load(as: UInt64.self)),
            high: UInt64(littleEndian: place.load(fromByteOffset: 8, as: UInt64.self)))
    }

    /// The bucket that holds this name, or the empty one where it would go. There are twice as many buckets as names, so the search ends.
    @inline(__always)
    private func bucket(of packed: PackedBytes, length: Int) -> Int {
        var bucket = packed.hash(seed: seed &+ UInt64(truncatingIfNeeded: length)) & (SharedKeys.bucketCount &- 1)
        while true {
            let found = buckets[bucket]
            if found == 0 { return bucket }
            let index = Int(found) &- 1
            if name(index) == packed && Int(lengths[index]) == length { return bucket }
            bucket = (bucket &+ 1) & (SharedKeys.bucketCount &- 1)
        }
    }

    private func append(_ packed: PackedBytes, length: Int) {
        let place = bucket(of: packed, length: length)
        packed.store(to: names + count &* SharedKeys.longestKey)
        lengths[count] = UInt8(truncatingIfNeeded: length)
        if areAllPlain, !SharedKeys.isEligible(UnsafeRawBufferPointer(start: names + count &* SharedKeys.longestKey, count: length)) {
            areAllPlain = false
        }
        count &+= 1
        // A stored table that names a key twice keeps the first one.
        if buckets[place] == 0 { buckets[place] = UInt16(truncatingIfNeeded: count) }
    }

    private static func nextIdentity() -> UInt64 { UInt64.random(in: 1 ... .max) }
}
