import CBLBase

/// Entries of a list as bytes, many together: to read them one by one takes six times as long.
///
///     1, width of sequences (4 or 8) u8, sum u16, count u32, sequences, checks u32, codes
///
/// The sum is that of FNV-1a over all behind it, its halves and the number of the list one over the other. Searches do not look at it.
package struct VectorBlock {
    package let bytes: UnsafeRawBufferPointer
    package let count: Int
    private let isWide: Bool
    private let codeSize: Int

    private static let headSize = 8
    private static let version: UInt8 = 1

    /// Nil for bytes that are no block of codes of this size.
    package init?(_ bytes: UnsafeRawBufferPointer, codeSize: Int) {
        guard bytes.count >= VectorBlock.headSize, bytes[0] == VectorBlock.version, bytes[1] == 4 || bytes[1] == 8 else { return nil }
        let count = Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self)))
        guard bytes.count == VectorBlock.headSize + count * (Int(bytes[1]) + 4 + codeSize) else { return nil }
        self.bytes = bytes
        self.count = count
        self.codeSize = codeSize
        isWide = bytes[1] == 8
    }

    /// Whether all is as it was written for a list.
    package func isIntact(list: Int) -> Bool {
        UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self)) == VectorBlock.sum(of: bytes, list: list)
    }

    fileprivate static func sum(of bytes: UnsafeRawBufferPointer, list: Int) -> UInt16 {
        let hash = FNV1a.hash(UnsafeRawBufferPointer(rebasing: bytes[4...])) ^ UInt32(truncatingIfNeeded: list)
        return UInt16(truncatingIfNeeded: hash ^ hash >> 16)
    }

    @inline(__always)
    package func id(_ place: Int) -> VectorID {
        let width = isWide ? 8 : 4
        let start = VectorBlock.headSize + place * width
        let sequence =
            isWide
            ? UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self))
            : UInt64(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt32.self)))
        let check = bytes.loadUnaligned(fromByteOffset: VectorBlock.headSize + count * width + 4 * place, as: UInt32.self)
        return VectorID(sequence: sequence, check: UInt32(littleEndian: check))
    }

    package func code(_ place: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: codes[place * codeSize..<(place + 1) * codeSize])
    }

    /// The codes of all entries, one after the other.
    package var codes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[(VectorBlock.headSize + count * ((isWide ? 8 : 4) + 4))...])
    }
}

/// Gathers entries for a block.
package struct VectorBlockWriter {
    private var ids: [VectorID] = []
    private var codes: [UInt8] = []

    package init() {}

    package var count: Int { ids.count }
    package var isEmpty: Bool { ids.isEmpty }
    /// About what it takes in memory.
    package var size: Int { codes.count + 16 * ids.count }

    package mutating func append(_ id: VectorID, _ code: UnsafeRawBufferPointer) {
        ids.append(id)
        codes.append(contentsOf: code)
    }

    /// With a code in two parts.
    mutating func append(_ id: VectorID, _ mark: UnsafeRawBufferPointer, _ code: UnsafeRawBufferPointer) {
        codes.append(contentsOf: mark)
        append(id, code)
    }

    package mutating func append(_ block: VectorBlock, where isKept: (VectorID) throws -> Bool) rethrows {
        for place in 0..<block.count {
            let id = block.id(place)
            if try isKept(id) { append(id, block.code(place)) }
        }
    }

    package mutating func append(_ other: VectorBlockWriter) {
        ids += other.ids
        codes += other.codes
    }

    package func forEach(_ body: (VectorID, UnsafeRawBufferPointer) throws -> Void) rethrows {
        guard !ids.isEmpty else { return }
        let size = codes.count / ids.count
        try codes.withUnsafeBytes { codes in
            for (place, id) in ids.enumerated() {
                try body(id, UnsafeRawBufferPointer(rebasing: codes[place * size..<(place + 1) * size]))
            }
        }
    }

    package mutating func removeAll() {
        ids = []
        codes = []
    }

    package func bytes(list: Int) -> [UInt8] {
        let isWide = ids.contains { $0.sequence > UInt64(UInt32.max) }
        var bytes: [UInt8] = [1, isWide ? 8 : 4, 0, 0]
        bytes.reserveCapacity(8 + ids.count * 12 + codes.count)
        withUnsafeBytes(of: UInt32(ids.count).littleEndian) { bytes.append(contentsOf: $0) }
        for id in ids {
            if isWide {
                withUnsafeBytes(of: id.sequence.littleEndian) { bytes.append(contentsOf: $0) }
            } else {
                withUnsafeBytes(of: UInt32(truncatingIfNeeded: id.sequence).littleEndian) { bytes.append(contentsOf: $0) }
            }
        }
        for id in ids { withUnsafeBytes(of: id.check.littleEndian) { bytes.append(contentsOf: $0) } }
        bytes.append(contentsOf: codes)
        let sum = bytes.withUnsafeBytes { VectorBlock.sum(of: $0, list: list) }
        withUnsafeBytes(of: sum.littleEndian) { bytes.replaceSubrange(2..<4, with: $0) }
        return bytes
    }
}
