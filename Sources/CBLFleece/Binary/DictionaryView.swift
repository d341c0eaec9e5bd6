import Glibc

/// The pairs of a dictionary, read in place, in stored order: shared keys by number, then strings by their bytes.
///
/// A key is an integer (an index into the database's table of shared keys) or a string; `Value.keyBytes(_:)` gives its name either way.
@usableFromInline @frozen package struct DictionaryView: Sequence, Sendable {
    @usableFromInline let slots: Slots
    /// Whether the first pair names a parent dictionary whose pairs show through.
    @usableFromInline let inherits: Bool

    /// The key of a parent dictionary: the small integer -2048, which sorts before all others.
    @usableFromInline static var parentKey: UInt16 { 0x0800 }

    @inlinable @inline(__always)
    init(slots: Slots) {
        self.slots = slots
        self.inherits = slots.count > 0 && slots.head(0) == DictionaryView.parentKey
    }

    @inlinable package var count: Int { inherits ? mergedCount : Int(slots.count) }
    @inlinable package var isEmpty: Bool { inherits ? !hasPairs : slots.count == 0 }

    /// The value of a key, given the table that the dictionary was encoded with.
    @inlinable package func value(forKey key: UnsafeRawBufferPointer, _ keys: SharedKeys?) -> Value? {
        // Writers use the integer whenever the table has the key; but a dictionary may be older than the key's entry.
        if let keys, let index = keys.index(ofKey: key), let value = value(forSharedKey: index) { return value }
        return value(forStringKey: key)
    }

    package func value(forKey key: String, _ keys: SharedKeys?) -> Value? { value(forKey: key, among: keys?.allNames) }

    /// The same with the table's names, for whoever keeps the table, and asks often.
    package func value(forKey key: String, among names: SharedKeys.Names?) -> Value? {
        // Bytes that lie together are lent without a copy of the string, which would count references.
        let found = key.utf8.withContiguousStorageIfAvailable { value(forKey: UnsafeRawBufferPointer($0), among: names) }
        return found ?? Array(key.utf8).withUnsafeBytes { value(forKey: $0, among: names) }
    }

    @inline(__always)
    private func value(forKey key: UnsafeRawBufferPointer, among names: SharedKeys.Names?) -> Value? {
        if let index = names?.index(ofKey: key), let value = value(forSharedKey: index) { return value }
        return value(forStringKey: key)
    }

    /// The value of the key with this index in the table of shared keys.
    @inlinable package func value(forSharedKey key: Int) -> Value? {
        guard key >= 0, key < SharedKeys.capacity else { return nil }
        if inherits { return inheritedValue { $0.ownIndex(ofInteger: UInt16(truncatingIfNeeded: key)) } }
        let index = ownIndex(ofInteger: UInt16(truncatingIfNeeded: key))
        return index < 0 ? nil : slots[index &* 2 &+ 1]
    }

    /// The value of a key that is stored as a string.
    @inlinable package func value(forStringKey key: UnsafeRawBufferPointer) -> Value? {
        if inherits { return inheritedValue { $0.ownIndex(ofString: key) } }
        let index = ownIndex(ofString: key)
        return index < 0 ? nil : slots[index &* 2 &+ 1]
    }

    /// The same for callers that look for one key in many dictionaries of the same shape: `pair` is where it was last, and is kept up to date.
    @inlinable @inline(__always)
    package func value(forSharedKey key: Int, probablyAt pair: inout Int) -> Value? {
        if pair >= 0, pair < Int(slots.count), Int(slots.head(pair &* 2)) == key, !inherits { return slots[pair &* 2 &+ 1] }
        return search(forSharedKey: key, &pair)
    }

    @usableFromInline @inline(never)
    func search(forSharedKey key: Int, _ pair: inout Int) -> Value? {
        guard key >= 0, key < SharedKeys.capacity else { return nil }
        if inherits { return inheritedValue { $0.ownIndex(ofInteger: UInt16(truncatingIfNeeded: key)) } }
        let index = ownIndex(ofInteger: UInt16(truncatingIfNeeded: key))
        guard index >= 0 else { return nil }
        pair = index
        return slots[index &* 2 &+ 1]
    }

    /// The same for a key that is stored as a string.
    package func value(forStringKey key: UnsafeRawBufferPointer, probablyAt pair: inout Int) -> Value? {
        if inherits { return inheritedValue { $0.ownIndex(ofString: key) } }
        if pair < 0 || pair >= Int(slots.count) || compareOwnKey(pair, with: key) != 0 {
            let index = ownIndex(ofString: key)
            guard index >= 0 else { return nil }
            pair = index
        }
        return slots[pair &* 2 &+ 1]
    }

    /// The pair with this integer as key, or -1. Integers are inline and sort before strings, whose slots begin with larger bits: so the
    /// first sixteen bits of a slot can be compared without asking what they are.
    @inlinable @inline(__always)
    func ownIndex(ofInteger key: UInt16) -> Int {
        var low = 0
        var high = Int(slots.count)
        // The parent's key is larger than any index but comes first.
        if inherits { low = 1 }
        while low < high {
            let middle = (low &+ high) &>> 1
            let head = slots.head(middle &* 2)
            if head == key { return middle }
            if head < key { low = middle &+ 1 } else { high = middle }
        }
        return -1
    }

    /// The pair with this string as key, or -1.
    @usableFromInline
    func ownIndex(ofString key: UnsafeRawBufferPointer) -> Int {
        var low = 0
        var high = Int(slots.count)
        // Where the last key is a number, all are.
        if high == 0 || slots.head((high &- 1) &* 2) < 0x1000 { return -1 }
        while low < high {
            let middle = (low &+ high) &>> 1
            let order = compareOwnKey(middle, with: key)
            if order == 0 { return middle }
            if order < 0 { low = middle &+ 1 } else { high = middle }
        }
        return -1
    }

    @inline(__always)
    private func compareOwnKey(_ index: Int, with key: UnsafeRawBufferPointer) -> Int {
        guard slots.head(index &* 2) >= 0x1000, let own = slots[index &* 2].stringBytes else { return -1 }
        return compareBytes(own, key)
    }

    @usableFromInline @frozen package struct Iterator: IteratorProtocol {
        @usableFromInline let dictionary: DictionaryView
        @usableFromInline var index = 0
        /// The last key handed out, where several dictionaries are merged.
        @usableFromInline var last: Value?

        @inlinable init(_ dictionary: DictionaryView) { self.dictionary = dictionary }

        @inlinable package mutating func next() -> (key: Value, value: Value)? {
            if dictionary.inherits { return nextMerged() }
            guard index < Int(dictionary.slots.count) else { return nil }
            let position = index &* 2
            index &+= 1
            return (dictionary.slots[position], dictionary.slots[position &+ 1])
        }
    }

    @inlinable package func makeIterator() -> Iterator { Iterator(self) }
    @inlinable package var underestimatedCount: Int { inherits ? 0 : Int(slots.count) }
}

extension Value {
    /// The name of a dictionary key: its own bytes, or those of the shared key with this number; nil if the table does not have it.
    @inlinable package func keyBytes(_ keys: SharedKeys?) -> UnsafeRawBufferPointer? {
        if let bytes = stringBytes { return bytes }
        guard let keys, let index = integer else { return nil }
        return keys.bytes(at: Int(index))
    }

    /// The name of a dictionary key as a string.
    package func keyString(_ keys: SharedKeys?) -> String? {
        keyBytes(keys).map { String(decoding: $0, as: UTF8.self) }
    }
}

/// Negative, zero or positive as `a` sorts before, with or after `b`: unsigned bytes, a prefix before the longer one.
@inlinable @inline(__always)
func compareBytes(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
    let common = a.count < b.count ? a.count : b.count
    if common > 0, let first = a.baseAddress, let second = b.baseAddress {
        let order = memcmp(first, second, common)
        if order != 0 { return Int(order) }
    }
    return a.count &- b.count
}
