import CBLSystemZlib

/// The CRC-32 of everything so far.
package struct Checksum: Sendable {
    package private(set) var value: UInt32 = 0

    package init() {}

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        // To zlib, no address means "start again".
        guard let base = bytes.baseAddress, !bytes.isEmpty else { return }
        value = UInt32(truncatingIfNeeded: crc32_z(UInt(value), base.assumingMemoryBound(to: UInt8.self), bytes.count))
    }
}
