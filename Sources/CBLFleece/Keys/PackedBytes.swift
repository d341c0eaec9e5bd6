/// Up to sixteen bytes in two registers, padded with zeros: short keys and strings are hashed, compared and copied as a whole.
@usableFromInline struct PackedBytes: Equatable {
    @usableFromInline var low: UInt64
    @usableFromInline var high: UInt64

    @inlinable @inline(__always)
    init(low: UInt64, high: UInt64) {
        self.low = low
        self.high = high
    }

    /// Sixteen bytes, the padding among them, at an aligned address.
    @inline(__always)
    init(at place: UnsafeRawPointer) {
        self.init(
            low: UInt64(littleEndian: place.load(as: UInt64.self)),
            high: UInt64(littleEndian: place.load(fromByteOffset: 8, as: UInt64.self)))
    }

    /// Packs at most 16 bytes. Reads overlap instead of reaching past the end: what follows the bytes may not be ours.
    @inlinable @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer) {
        let count = bytes.count
        guard count > 0, let base = bytes.baseAddress else {
            self.init(low: 0, high: 0)
            return
        }
        if count >= 8 {
            let tail = UInt64(littleEndian: base.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self))
            // A shift by 64, where there are just eight bytes, has to clear everything: hence two shifts.
            let unused = UInt64(truncatingIfNeeded: (16 &- count) &* 8)
            self.init(
                low: UInt64(littleEndian: base.loadUnaligned(as: UInt64.self)), high: (tail &>> (unused &>> 1)) &>> (unused &- unused &>> 1)
            )
        } else if count >= 4 {
            let head = UInt64(UInt32(littleEndian: base.loadUnaligned(as: UInt32.self)))
            let tail = UInt64(UInt32(littleEndian: base.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)))
            self.init(low: head | tail &<< UInt64(truncatingIfNeeded: (count &- 4) &* 8), high: 0)
        } else {
            let first = UInt64(base.load(as: UInt8.self))
            let middle = UInt64(base.load(fromByteOffset: count &>> 1, as: UInt8.self)) &<< UInt64(truncatingIfNeeded: (count &>> 1) &* 8)
            let last = UInt64(base.load(fromByteOffset: count &- 1, as: UInt8.self)) &<< UInt64(truncatingIfNeeded: (count &- 1) &* 8)
            self.init(low: first | middle | last, high: 0)
        }
    }

    /// The same bytes, one further up, with `header` before them: the encoding of a string of at most 15 bytes.
    @inlinable @inline(__always)
    func prefixed(by header: UInt8) -> PackedBytes {
        PackedBytes(low: low &<< 8 | UInt64(header), high: high &<< 8 | low &>> 56)
    }

    @inlinable @inline(__always)
    func hash(seed: UInt64) -> Int {
        let product = (low ^ seed).multipliedFullWidth(by: high ^ 0x9E37_79B9_7F4A_7C15)
        let folded = product.low ^ product.high
        return Int(truncatingIfNeeded: (folded ^ folded &>> 29) &>> 1)
    }

    /// Writes all sixteen bytes.
    @inlinable @inline(__always)
    func store(to target: UnsafeMutableRawPointer) {
        target.storeBytes(of: low.littleEndian, as: UInt64.self)
        target.storeBytes(of: high.littleEndian, toByteOffset: 8, as: UInt64.self)
    }
}
