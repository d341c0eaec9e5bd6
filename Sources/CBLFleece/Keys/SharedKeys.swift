import Synchronization

/// One state of a database's table of dictionary keys: at most 2048 short strings, whose positions stand for them in encodings.
///
/// The table only grows, and a state never changes: any thread may read with it, as long as it likes. ``SharedKeysBuilder`` makes the next one.
@usableFromInline package final class SharedKeys: @unchecked Sendable {
    // Sendable: of the memory, which it shares with the states after it, it reads what was there when it was made.

    @usableFromInline package static let capacity = 2048
    /// The longest key that may enter the table, in bytes.
    package static let longestKey = 16

    fileprivate let memory: KeyMemory
    /// Where the keys are in that memory.
    package let allNames: Names
    /// How many keys the table holds.
    package var count: Int { allNames.count }
    /// Whether all keys consist of letters and digits that need no escape in JSON, as those do that writers enter.
    let areAllPlain: Bool

    /// What all states of one table have in common. An index that was found in one of them is the same in all that are as long as the index.
    package var identity: UInt64 { memory.identity }

    fileprivate init(_ memory: KeyMemory, count: Int, areAllPlain: Bool) {
        self.memory = memory
        allNames = memory.names(count)
        self.areAllPlain = areAllPlain
    }

    /// A table without keys.
    package convenience init() { self.init(KeyMemory(), count: 0, areAllPlain: true) }

    /// The table that a database stores: a plain array of strings.
    package convenience init(encoded: UnsafeRawBufferPointer) throws {
        let builder = SharedKeysBuilder()
        try builder.update(from: encoded)
        self.init(builder.state.memory, count: builder.state.count, areAllPlain: builder.state.areAllPlain)
    }

    /// The index of a key, or nil if the table does not have it.
    @usableFromInline package func index(ofKey key: UnsafeRawBufferPointer) -> Int? {
        allNames.index(ofKey: key)
    }

    package func index(ofKey key: String) -> Int? {
        var key = key
        return key.withUTF8 { index(ofKey: UnsafeRawBufferPointer($0)) }
    }

    /// The bytes of a key, valid as long as the table.
    @usableFromInline package func bytes(at index: Int) -> UnsafeRawBufferPointer? {
        index >= 0 && index < count ? allNames[index] : nil
    }

    package func string(at index: Int) -> String? {
        bytes(at: index).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The table as the database stores it.
    package func encoded() -> FleeceData {
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
    package static func isEligible(_ key: UnsafeRawBufferPointer) -> Bool {
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
    package struct Names: BitwiseCopyable, @unchecked Sendable {
        // Sendable as the table is.
        fileprivate let names: UnsafeRawPointer
        fileprivate let lengths: UnsafePointer<UInt8>
        fileprivate let buckets: UnsafeMutablePointer<Atomic<UInt16>>
        fileprivate let seed: UInt64
        let count: Int

        /// A key that is in the table.
        @inline(__always)
        subscript(index: Int) -> UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(start: names + index &* SharedKeys.longestKey, count: Int(lengths[index]))
        }

        /// The sixteen bytes of a key that is in the table, padded with zeros.
        @inline(__always)
        func packed(_ index: Int) -> PackedBytes {
            PackedBytes(at: names + index &* SharedKeys.longestKey)
        }

        @inline(__always)
        func index(ofKey key: UnsafeRawBufferPointer) -> Int? {
            key.count <= SharedKeys.longestKey ? find(PackedBytes(key), length: key.count).index : nil
        }

        /// Gives the bucket, too, which is the one where it would go. There are twice as many buckets as names, so the search ends.
        @inline(__always)
        fileprivate func find(_ packed: PackedBytes, length: Int) -> (index: Int?, bucket: Int) {
            var bucket = packed.hash(seed: seed &+ UInt64(truncatingIfNeeded: length)) & (KeyMemory.bucketCount &- 1)
            while true {
                let found = Int(buckets[bucket].load(ordering: .relaxed)) &- 1
                // What came later took a bucket that was empty: the search ended here.
                if found < 0 || found >= count { return (nil, bucket) }
                if self.packed(found) == packed, Int(lengths[found]) == length { return (found, bucket) }
                bucket = (bucket &+ 1) & (KeyMemory.bucketCount &- 1)
            }
        }
    }
}

/// The keys of a table, in the order in which they came, and a hash table over them. It only grows, at the hands of one builder; whoever has a
/// state of it reads meanwhile.
///
/// Sendable without check because what a state counts was written before the state was made, and buckets are atomic.
private final class KeyMemory: @unchecked Sendable {
    static let bucketCount = 4096

    /// Sixteen bytes each, padded with zeros. They never move.
    let names = UnsafeMutableRawPointer.allocate(byteCount: SharedKeys.capacity * SharedKeys.longestKey, alignment: 16)
    let lengths = UnsafeMutablePointer<UInt8>.allocate(capacity: SharedKeys.capacity)
    /// Open addressing over the names: index + 1, or 0 for an empty bucket.
    private let buckets = UnsafeMutablePointer<Atomic<UInt16>>.allocate(capacity: bucketCount)
    private let seed = UInt64.random(in: .min ... .max)
    let identity = UInt64.random(in: 1 ... .max)

    init() {
        for bucket in 0..<KeyMemory.bucketCount { (buckets + bucket).initialize(to: Atomic(0)) }
    }

    deinit {
        names.deallocate()
        lengths.deallocate()
        buckets.deinitialize(count: KeyMemory.bucketCount)
        buckets.deallocate()
    }

    /// The first `count` of them.
    func names(_ count: Int) -> SharedKeys.Names {
        SharedKeys.Names(names: UnsafeRawPointer(names), lengths: UnsafePointer(lengths), buckets: buckets, seed: seed, count: count)
    }

    @inline(__always)
    func name(_ index: Int) -> PackedBytes {
        PackedBytes(at: UnsafeRawPointer(names) + index &* SharedKeys.longestKey)
    }

    /// Enters a key as the one after `count`.
    func append(_ packed: PackedBytes, length: Int, after count: Int) {
        let (known, bucket) = names(count).find(packed, length: length)
        packed.store(to: names + count &* SharedKeys.longestKey)
        lengths[count] = UInt8(truncatingIfNeeded: length)
        // A stored table that names a key twice keeps the first one.
        if known == nil { buckets[bucket].store(UInt16(truncatingIfNeeded: count &+ 1), ordering: .relaxed) }
    }

    func isEligible(_ index: Int) -> Bool {
        SharedKeys.isEligible(UnsafeRawBufferPointer(start: names + index &* SharedKeys.longestKey, count: Int(lengths[index])))
    }
}

/// Makes states of a table of keys: one after another as a connection learns of them, or as its writer adds keys.
///
/// Not thread-safe: each connection has its own.
package final class SharedKeysBuilder {
    /// The table as it is now.
    @exclusivity(unchecked) package private(set) var state: SharedKeys
    /// Told of each new state, at once.
    package var onChange: ((SharedKeys) -> Void)?
    private var memory: KeyMemory {
        didSet { (names, lengths) = (UnsafeRawPointer(memory.names), UnsafePointer(memory.lengths)) }
    }
    // Where these are in the memory: `add` is called for each key of each document, and counts no references.
    @exclusivity(unchecked) private var names: UnsafeRawPointer
    @exclusivity(unchecked) private var lengths: UnsafePointer<UInt8>
    @exclusivity(unchecked) private var count = 0
    @exclusivity(unchecked) private var areAllPlain = true
    /// For each key the one that was asked for after it: documents repeat their keys in the same order, and a right guess saves the hashing.
    private let successors: UnsafeMutablePointer<UInt16>
    @exclusivity(unchecked) private var lastAdded = 0

    package init() {
        memory = KeyMemory()
        (names, lengths) = (UnsafeRawPointer(memory.names), UnsafePointer(memory.lengths))
        state = SharedKeys(memory, count: 0, areAllPlain: true)
        successors = .allocate(capacity: SharedKeys.capacity)
        successors.initialize(repeating: 0, count: SharedKeys.capacity)
    }

    deinit { successors.deallocate() }

    /// Takes over the keys that the stored table has and this one has not. The stored one must begin with what is known here.
    package func update(from encoded: UnsafeRawBufferPointer) throws {
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
        if count > known { renewState() }
    }

    private func take(_ array: ArrayView) throws {
        for (index, value) in array.enumerated() {
            guard let key = value.stringBytes, key.count <= SharedKeys.longestKey else {
                throw FleeceError.badSharedKeys("entry \(index) is not a short string")
            }
            let packed = PackedBytes(key)
            if index >= count {
                append(packed, length: key.count)
            } else if memory.name(index) != packed || Int(memory.lengths[index]) != key.count {
                throw FleeceError.badSharedKeys("entry \(index) has changed")
            }
        }
    }

    /// The index of a key, entered at the end if it is new; nil if it cannot be in the table: not eligible, or the table is full.
    package func add(_ key: UnsafeRawBufferPointer) -> Int? {
        guard key.count <= SharedKeys.longestKey else { return nil }
        let guess = Int(successors[lastAdded])
        let packed = PackedBytes(key)
        if guess < count, PackedBytes(at: names + guess &* SharedKeys.longestKey) == packed, Int(lengths[guess]) == key.count {
            lastAdded = guess
            return guess
        }
        return addUnexpected(key, packed)
    }

    private func addUnexpected(_ key: UnsafeRawBufferPointer, _ packed: PackedBytes) -> Int? {
        var found = memory.names(count).find(packed, length: key.count).index
        if found == nil {
            guard count < SharedKeys.capacity, SharedKeys.isEligible(key) else { return nil }
            append(packed, length: key.count)
            renewState()
            found = count &- 1
        }
        guard let found else { return nil }
        successors[lastAdded] = UInt16(truncatingIfNeeded: found)
        lastAdded = found
        return found
    }

    package func add(_ key: String) -> Int? {
        var key = key
        return key.withUTF8 { add(UnsafeRawBufferPointer($0)) }
    }

    /// Forgets the keys added since the table had `oldCount`, when the transaction that added them is rolled back. From then on it is another
    /// table: states that have these keys keep them.
    package func revert(toCount oldCount: Int) {
        guard oldCount >= 0, oldCount < count else { return }
        let old = memory
        memory = KeyMemory()
        count = 0
        areAllPlain = true
        for index in 0..<oldCount { append(old.name(index), length: Int(old.lengths[index])) }
        renewState()
    }

    private func append(_ packed: PackedBytes, length: Int) {
        memory.append(packed, length: length, after: count)
        if areAllPlain, !memory.isEligible(count) { areAllPlain = false }
        count &+= 1
    }

    private func renewState() {
        state = SharedKeys(memory, count: count, areAllPlain: areAllPlain)
        onChange?(state)
    }
}
