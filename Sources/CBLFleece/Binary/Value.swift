/// A value inside an encoding: a position in somebody else's bytes, not a copy of them. It stays valid as long as those bytes stay where they are.
///
/// Every access is checked against the bytes: damaged ones give `.undefined`, `nil` or nothing, never a read outside of them. A value knows the
/// end of the region it may occupy, which is the place of the pointer that led to it; so regions shrink strictly from parent to child and no walk
/// can go round in circles. Hot: read once per row by the SQL functions; see `docs/` for the format.
@usableFromInline @frozen package struct Value: @unchecked Sendable {
    // Sendable: the bytes are never written to through a value; that they outlive it is the promise of whoever made it.

    @usableFromInline let base: UnsafeRawPointer
    /// The low 31 bits: where this value must have ended. The top bit: `base` holds external data followed by the data proper.
    @usableFromInline let bound: UInt32
    /// Always even, and at least two bytes before the bound.
    @usableFromInline let offset: UInt32

    @usableFromInline static var externalFlag: UInt32 { 0x8000_0000 }

    @inlinable @inline(__always)
    init(base: UnsafeRawPointer, bound: UInt32, offset: UInt32) {
        self.base = base
        self.bound = bound
        self.offset = offset
    }

    /// The root of an encoding, or nil if these bytes cannot be one: empty, of odd length, or without a root.
    @inlinable package init?(root bytes: UnsafeRawBufferPointer) {
        self.init(root: bytes, externalCount: 0)
    }

    /// The root of `bytes` whose first `externalCount` bytes are external data (an encoding of their own).
    @inlinable package init?(root bytes: UnsafeRawBufferPointer, externalCount: Int) {
        let count = bytes.count
        guard let base = bytes.baseAddress, externalCount >= 0, count <= Limits.bytes, count &- externalCount >= 2, count & 1 == 0,
            externalCount & 1 == 0
        else { return nil }
        let position = count &- 2
        let bound = UInt32(truncatingIfNeeded: count) | (externalCount > 0 ? Value.externalFlag : 0)
        let first = base.load(fromByteOffset: position, as: UInt8.self)
        if first < 0x80 {
            guard count &- externalCount == 2 else { return nil }
            self.init(base: base, bound: bound, offset: UInt32(truncatingIfNeeded: position))
        } else {
            let target = Value(base: base, bound: bound, pointerAt: position, isWide: false)
            guard target.base == base else { return nil }
            self = target
        }
    }

    /// What stands for a value that is missing or cannot be read.
    @inlinable package static var undefined: Value {
        Value(base: UnsafeRawPointer(("<\0" as StaticString).utf8Start), bound: 2, offset: 0)
    }

    /// Where it lies: what tells it from all others.
    @inlinable package var place: UnsafeRawPointer { base + Int(offset) }

    @inlinable @inline(__always) var limit: Int { Int(bound & 0x7FFF_FFFF) }
    @inlinable @inline(__always) var start: Int { Int(offset) }
    @inlinable @inline(__always) var byte0: UInt8 { base.load(fromByteOffset: Int(offset), as: UInt8.self) }
    @inlinable @inline(__always) var byte1: UInt8 { base.load(fromByteOffset: Int(offset) &+ 1, as: UInt8.self) }

    @inlinable @inline(__always)
    static func bigEndian16(_ base: UnsafeRawPointer, _ position: Int) -> UInt16 {
        UInt16(bigEndian: base.loadUnaligned(fromByteOffset: position, as: UInt16.self))
    }

    @inlinable @inline(__always)
    static func bigEndian32(_ base: UnsafeRawPointer, _ position: Int) -> UInt32 {
        UInt32(bigEndian: base.loadUnaligned(fromByteOffset: position, as: UInt32.self))
    }

    /// The value in the slot at `position`: inline, or where the slot's pointer leads. The caller has checked that the slot lies inside the bytes.
    @inlinable @inline(__always)
    init(base: UnsafeRawPointer, external: UInt32, slotAt position: Int, isWide: Bool) {
        if base.load(fromByteOffset: position, as: UInt8.self) < 0x80 {
            let end = position &+ (isWide ? 4 : 2)
            self.init(base: base, bound: UInt32(truncatingIfNeeded: end) | external, offset: UInt32(truncatingIfNeeded: position))
        } else {
            self.init(base: base, bound: external, pointerAt: position, isWide: isWide)
        }
    }

    /// The value that the pointer at `position` leads to; undefined if it leads nowhere. Only the external flag of `bound` counts.
    @inlinable
    init(base: UnsafeRawPointer, bound: UInt32, pointerAt position: Int, isWide: Bool) {
        let external = bound & Value.externalFlag
        let distance: Int
        if isWide {
            distance = Value.wideDistance(base, position, external)
        } else {
            // Writers before early 2019 used bit 14 as the top bit of the distance. It is a flag only where there is external data.
            let mask: UInt16 = external != 0 ? 0x3FFF : 0x7FFF
            distance = Int(Value.bigEndian16(base, position) & mask) &* 2
        }
        guard distance > 0, distance <= position else {
            self = .undefined
            return
        }
        let target = position &- distance
        if base.load(fromByteOffset: target, as: UInt8.self) < 0x80 {
            self.init(base: base, bound: UInt32(truncatingIfNeeded: position) | external, offset: UInt32(truncatingIfNeeded: target))
        } else {
            self = Value.chain(base, external, target, limit: position)
        }
    }

    /// The distance of a wide pointer, or -1 if it is external and there is no external data.
    @inlinable @inline(__always)
    static func wideDistance(_ base: UnsafeRawPointer, _ position: Int, _ external: UInt32) -> Int {
        let pointer = bigEndian32(base, position)
        if pointer & 0x4000_0000 != 0 && external == 0 { return -1 }
        return Int(pointer & 0x3FFF_FFFF) &* 2
    }

    /// Follows a pointer to a pointer: a large encoding ends with a narrow one to a wide one. All but the first are wide, and two or three are plenty.
    @usableFromInline
    static func chain(_ base: UnsafeRawPointer, _ external: UInt32, _ first: Int, limit: Int) -> Value {
        var position = first
        var limit = limit
        for _ in 0..<4 {
            guard limit &- position >= 4 else { return .undefined }
            let distance = wideDistance(base, position, external)
            guard distance > 0, distance <= position else { return .undefined }
            let target = position &- distance
            if base.load(fromByteOffset: target, as: UInt8.self) < 0x80 {
                return Value(base: base, bound: UInt32(truncatingIfNeeded: position) | external, offset: UInt32(truncatingIfNeeded: target))
            }
            limit = position
            position = target
        }
        return .undefined
    }
}
