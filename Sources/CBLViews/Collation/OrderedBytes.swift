import CBLFleece
import CBLFunctions

/// Writes keys as bytes that `memcmp` puts into a collation's order.
///
/// A value is a byte for its kind, and: a number its bits, turned so that they ascend; a string its characters' places, a zero, and in the Unicode
/// order a bit for each character that says whether it is a capital; an array its items and a byte less than all kinds; a dictionary likewise keys
/// and values. No value's bytes begin with all those of another.
///
/// In the Unicode order a character outside of ASCII ends it: what stands before it decides by itself, what stands behind it does not.
struct OrderedBytes {
    let collation: JSONCollation
    private let ranks: [UInt8]
    private static let capitals: UInt8 = 0x41

    init(_ collation: JSONCollation) {
        self.collation = collation
        ranks = JSONToken.allCases.map(collation.rank)
    }

    /// False if the bytes stop early.
    func append(_ value: Value, to buffer: inout ByteBuffer) -> Bool { append(value, depth: 0, to: &buffer) }

    private func append(_ value: Value, depth: Int, to buffer: inout ByteBuffer) -> Bool {
        let token = ValueOrder.token(value)
        switch token {
        case .number: append(number: value.double ?? 0, to: &buffer)
        case .string: return append(string: value.stringBytes ?? UnsafeRawBufferPointer(start: nil, count: 0), to: &buffer)
        case .array:
            guard let array = value.array, depth < Limits.depth else { return false }
            buffer.append(rank(.array))
            for item in array { guard append(item, depth: depth + 1, to: &buffer) else { return false } }
            buffer.append(rank(.closingBracket))
        case .object:
            guard let dictionary = value.dictionary, depth < Limits.depth else { return false }
            buffer.append(rank(.object))
            for (key, item) in dictionary {
                guard append(key, depth: depth + 1, to: &buffer), append(item, depth: depth + 1, to: &buffer) else { return false }
            }
            buffer.append(rank(.closingBrace))
        default: buffer.append(rank(token))
        }
        return true
    }

    @inline(__always)
    private func rank(_ token: JSONToken) -> UInt8 { ranks[token.rawValue] }

    func append(_ token: JSONToken, to buffer: inout ByteBuffer) { buffer.append(rank(token)) }

    func append(number: Double, to buffer: inout ByteBuffer) {
        buffer.append(rank(.number))
        // Both zeros are the same number.
        let bits = (number == 0 ? 0 : number).bitPattern
        let ordered = bits >> 63 == 0 ? bits | 1 << 63 : ~bits
        buffer.append(atMost: 8) {
            $0.storeBytes(of: ordered.bigEndian, as: UInt64.self)
            return 8
        }
    }

    func append(string: UnsafeRawBufferPointer, to buffer: inout ByteBuffer) -> Bool {
        buffer.append(rank(.string))
        guard collation == .unicode else {
            append(signed: string, to: &buffer)
            return true
        }
        // The places of all characters, and the end; then a bit for each.
        let count = string.count
        let bits = (count &+ 7) >> 3
        var isComplete = true
        buffer.append(atMost: count &+ 1 &+ bits) { memory in
            let places = JSONPriority.ignoringCase
            for index in 0..<count {
                let byte = string[index]
                guard byte < 0x80 else {
                    isComplete = false
                    return index
                }
                // 0 is the end.
                memory.storeBytes(of: places[Int(byte)] &+ 1, toByteOffset: index, as: UInt8.self)
            }
            memory.storeBytes(of: 0, toByteOffset: count, as: UInt8.self)
            for group in 0..<bits {
                var capitals: UInt8 = 0
                for index in group &* 8..<min(count, group &* 8 &+ 8) where string[index] &- OrderedBytes.capitals < 26 {
                    capitals |= 0x80 >> UInt8(index & 7)
                }
                memory.storeBytes(of: capitals, toByteOffset: count &+ 1 &+ group, as: UInt8.self)
            }
            return count &+ 1 &+ bits
        }
        return isComplete
    }

    /// Characters with a sign, of which the two least are written in two bytes: 0 is the end.
    private func append(signed string: UnsafeRawBufferPointer, to buffer: inout ByteBuffer) {
        appendCharacters(signed: string, to: &buffer)
        buffer.append(0)
    }

    private func appendCharacters(signed string: UnsafeRawBufferPointer, to buffer: inout ByteBuffer) {
        for byte in string {
            let ordered = byte ^ 0x80
            if ordered < 2 { buffer.append(1) }
            buffer.append(ordered < 2 ? ordered &+ 1 : ordered)
        }
    }

    /// Bytes behind those of all strings that begin so. Not for the Unicode order.
    func append(endOfPrefix string: UnsafeRawBufferPointer, to buffer: inout ByteBuffer) {
        buffer.append(rank(.string))
        appendCharacters(signed: string, to: &buffer)
        buffer.append(0xFF)
        buffer.append(0xFF)
    }
}
