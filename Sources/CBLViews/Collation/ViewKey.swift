import CBLFleece
import CBLFunctions
import Glibc

/// A key as the index has it: how long its ordered bytes are and whether they say all, these bytes, and the key itself as Fleece.
///
///     count × 2, and 1 if they stop before a character outside of ASCII      seven bits a byte, as in Fleece
///     ordered bytes                                                          see `OrderedBytes`
///     the key                                                                an encoding; may be missing where nobody wants it
///
/// Ordered bytes are compared with `memcmp`, and where those of one key stop early and no difference was found, `ValueOrder` decides.
struct ViewKey {
    let isComplete: Bool
    let ordered: UnsafeRawBufferPointer
    let encoding: UnsafeRawBufferPointer

    /// Any bytes are some key: those of a damaged file may be that of nothing.
    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer) {
        var position = 0
        var header = 0
        var shift = 0
        while position < bytes.count, shift < 35 {
            let byte = bytes[position]
            position &+= 1
            header |= Int(byte & 0x7F) << shift
            shift &+= 7
            if byte < 0x80 { break }
        }
        isComplete = header & 1 == 0
        let count = min(header >> 1, bytes.count &- position)
        ordered = UnsafeRawBufferPointer(start: bytes.baseAddress.map { $0 + position }, count: count)
        encoding = UnsafeRawBufferPointer(
            start: bytes.baseAddress.map { $0 + (position &+ count) }, count: bytes.count &- position &- count)
    }

    /// The key, which lies where the bytes do.
    var value: Value { Value(root: encoding) ?? .undefined }

    /// How many bytes the count of so many ordered bytes takes.
    @inline(__always)
    static func headerCount(_ orderedCount: Int) -> Int {
        orderedCount < 64 ? 1 : max(1, (70 &- (orderedCount << 1).leadingZeroBitCount) / 7)
    }

    static func write(ordered: UnsafeRawBufferPointer, isComplete: Bool, to buffer: inout ByteBuffer) {
        var rest = ordered.count << 1 | (isComplete ? 0 : 1)
        while rest >= 0x80 {
            buffer.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        buffer.append(UInt8(truncatingIfNeeded: rest))
        buffer.append(ordered)
    }
}

extension ValueOrder {
    /// Compares two keys as the index has them.
    @inline(__always)
    func compareKeys(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Int {
        let (x, y) = (ViewKey(first), ViewKey(second))
        let common = min(x.ordered.count, y.ordered.count)
        if common > 0, let a = x.ordered.baseAddress, let b = y.ordered.baseAddress {
            let order = memcmp(a, b, common)
            if order != 0 { return Int(order) }
        }
        if x.isComplete, y.isComplete { return x.ordered.count &- y.ordered.count }
        return compare(x.value, y.value)
    }
}
