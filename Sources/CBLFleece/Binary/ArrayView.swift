/// The items of an array, read in place. An index outside of it gives an undefined value.
@usableFromInline @frozen package struct ArrayView: RandomAccessCollection, Sendable {
    @usableFromInline let slots: Slots

    @inlinable @inline(__always) init(slots: Slots) { self.slots = slots }

    @inlinable package var startIndex: Int { 0 }
    @inlinable package var endIndex: Int { Int(slots.count) }
    @inlinable package var count: Int { Int(slots.count) }

    @inlinable package subscript(index: Int) -> Value {
        guard index >= 0, index < Int(slots.count) else { return .undefined }
        return slots[index]
    }
}

extension Value {
    /// The items of an array; nil if this is none, or if its items would not fit the bytes.
    @inlinable package var array: ArrayView? {
        guard byte0 & 0xF0 == 0x60, let slots = Slots(of: self, perMember: 1) else { return nil }
        return ArrayView(slots: slots)
    }

    /// The pairs of a dictionary; nil if this is none, or if its pairs would not fit the bytes.
    @inlinable package var dictionary: DictionaryView? {
        guard byte0 & 0xF0 == 0x70, let slots = Slots(of: self, perMember: 2) else { return nil }
        return DictionaryView(slots: slots)
    }
}

/// The item positions of an array or dictionary, known to lie inside the bytes.
@frozen @usableFromInline struct Slots: @unchecked Sendable {
    // Sendable as a value is: the bytes are only read.

    @usableFromInline let base: UnsafeRawPointer
    /// Where the first slot begins; the top bit is the external flag of ``Value``.
    @usableFromInline let first: UInt32
    /// Items of an array, pairs of a dictionary.
    @usableFromInline let count: UInt32
    @usableFromInline let isWide: Bool

    @inlinable @inline(__always)
    init?(of value: Value, perMember: Int) {
        let header = Value.bigEndian16(value.base, value.start)
        var count = Int(header & 0x7FF)
        var position = value.start &+ 2
        if count == 0x7FF {
            guard let more = Value.varint(value.base, &position, limit: value.limit) else { return nil }
            count &+= more
            position &+= position & 1
        }
        let isWide = header & 0x800 != 0
        guard count &* perMember &* (isWide ? 4 : 2) <= value.limit &- position else { return nil }
        self.base = value.base
        self.first = UInt32(truncatingIfNeeded: position) | value.bound & Value.externalFlag
        self.count = UInt32(truncatingIfNeeded: count)
        self.isWide = isWide
    }

    @inlinable @inline(__always)
    func position(_ index: Int) -> Int { Int(first & 0x7FFF_FFFF) &+ index &* (isWide ? 4 : 2) }

    /// The first two bytes of a slot.
    @inlinable @inline(__always)
    func head(_ index: Int) -> UInt16 { Value.bigEndian16(base, position(index)) }

    /// The value of a slot. The caller has checked the index.
    @inlinable @inline(__always)
    subscript(index: Int) -> Value {
        Value(base: base, external: first & Value.externalFlag, slotAt: position(index), isWide: isWide)
    }
}
