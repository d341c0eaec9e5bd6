/// A UUID: sixteen bytes that nothing else has.
package struct UniqueID: Hashable, Comparable, Sendable, CustomStringConvertible {
    package static let byteCount = 16

    // In the order of the bytes.
    private let high: UInt64
    private let low: UInt64

    /// A new one, of random bytes but for the six bits that say so.
    package init() {
        var random: (high: UInt64, low: UInt64) = (0, 0)
        withUnsafeMutableBytes(of: &random) { RandomBytes.ask($0) }
        high = random.high & ~0xF000 | 0x4000
        low = random.low & ~(0b11 << 62) | 0b10 << 62
    }

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Nil for any other number of bytes.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == UniqueID.byteCount else { return nil }
        high = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
        low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }

    package static func < (a: UniqueID, b: UniqueID) -> Bool { (a.high, a.low) < (b.high, b.low) }

    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try withUnsafeBytes(of: (high.bigEndian, low.bigEndian), body)
    }

    /// As protocols and `info` show it: digits alone.
    package var hexadecimal: String { withBytes { Hex.text(of: $0) } }

    /// In five groups, as it is written elsewhere.
    package var description: String {
        var text = ""
        for (place, digit) in hexadecimal.enumerated() {
            if [8, 12, 16, 20].contains(place) { text.append("-") }
            text.append(digit)
        }
        return text
    }
}
