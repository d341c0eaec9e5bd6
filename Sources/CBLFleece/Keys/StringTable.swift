/// The strings of 2 to 15 bytes that the current document already has, by their place in the output.
///
/// Hot: asked once per string of an import. Open addressing; an entry counts only if it carries the current round's number, so that the next
/// document starts with an empty table at no cost.
struct StringTable: ~Copyable {
    /// Place in the output (low half), round and upper hash bits.
    private var entries: UnsafeMutablePointer<UInt64>
    private var mask: Int
    private var used = 0
    private var round: UInt64 = 1
    private let seed = StringTable.processSeed
    /// Nobody can make texts that collide, and to ask for a number takes longer than to encode a small document.
    private static let processSeed = UInt64.random(in: .min ... .max)

    init() {
        entries = .allocate(capacity: 256)
        entries.initialize(repeating: 0, count: 256)
        mask = 255
    }

    deinit { entries.deallocate() }

    mutating func removeAll() {
        used = 0
        round &+= 1
        if round > 0xFFFF {
            entries.update(repeating: 0, count: mask &+ 1)
            round = 1
        }
    }

    /// The bucket of the string whose encoding, header included, is `encoded`: where it is, or where it would go. The strings are compared in
    /// `output`, which must be readable for sixteen bytes from each remembered place.
    @inline(__always)
    borrowing func find(_ encoded: PackedBytes, in output: UnsafeRawPointer) -> (bucket: Int, offset: Int?) {
        let hash = encoded.hash(seed: seed)
        let tag = StringTable.tag(hash, round)
        // Bytes behind the string belong to others and are shifted out. A header tells the length, so equal bytes mean equal strings.
        let extent = Int(encoded.low & 15) &+ 1
        let lowUnused = UInt64(truncatingIfNeeded: extent >= 8 ? 0 : (8 &- extent) &* 8)
        let highUnused = UInt64(truncatingIfNeeded: extent > 8 ? (16 &- extent) &* 8 : 0)
        var bucket = hash & mask
        while true {
            let entry = entries[bucket]
            if (entry &>> 32) & 0xFFFF != round { return (bucket, nil) }
            if entry &>> 32 == tag {
                let place = Int(entry & 0xFFFF_FFFF)
                let low = UInt64(littleEndian: output.loadUnaligned(fromByteOffset: place, as: UInt64.self))
                if (low ^ encoded.low) &<< lowUnused == 0 {
                    if extent <= 8 { return (bucket, place) }
                    let high = UInt64(littleEndian: output.loadUnaligned(fromByteOffset: place &+ 8, as: UInt64.self))
                    if (high ^ encoded.high) &<< highUnused == 0 { return (bucket, place) }
                }
            }
            bucket = (bucket &+ 1) & mask
        }
    }

    /// Remembers a string that `find` did not know.
    @inline(__always)
    mutating func insert(_ encoded: PackedBytes, bucket: Int, offset: Int, in output: UnsafeRawPointer) {
        entries[bucket] = StringTable.tag(encoded.hash(seed: seed), round) &<< 32 | UInt64(truncatingIfNeeded: offset)
        used &+= 1
        if used &* 2 > mask { grow(output) }
    }

    /// Remembers a newer copy of the string in `bucket`.
    @inline(__always)
    mutating func move(bucket: Int, to offset: Int) {
        entries[bucket] = entries[bucket] & ~0xFFFF_FFFF | UInt64(truncatingIfNeeded: offset)
    }

    @inline(__always)
    private static func tag(_ hash: Int, _ round: UInt64) -> UInt64 {
        round | (UInt64(truncatingIfNeeded: hash) &>> 40 & 0xFFFF) &<< 16
    }

    private mutating func grow(_ output: UnsafeRawPointer) {
        let old = entries
        let oldCount = mask + 1
        entries = .allocate(capacity: oldCount * 2)
        entries.initialize(repeating: 0, count: oldCount * 2)
        mask = oldCount * 2 - 1
        for index in 0..<oldCount where (old[index] >> 32) & 0xFFFF == round {
            let place = output + Int(old[index] & 0xFFFF_FFFF)
            let length = Int(place.load(as: UInt8.self) & 15)
            let encoded = PackedBytes(UnsafeRawBufferPointer(start: place, count: length + 1))
            var bucket = encoded.hash(seed: seed) & mask
            while entries[bucket] != 0 { bucket = (bucket + 1) & mask }
            entries[bucket] = old[index]
        }
        old.deallocate()
    }
}
