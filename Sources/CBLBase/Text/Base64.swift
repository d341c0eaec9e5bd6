/// Standard Base64 (`+` and `/`), as in the names of blobs and the sources of versions.
package enum Base64 {
    package static func text(of bytes: UnsafeRawBufferPointer, isPadded: Bool = true) -> String {
        String(unsafeUninitializedCapacity: (bytes.count + 2) / 3 * 4) { output in
            guard let start = output.baseAddress else { return 0 }
            return write(bytes, isPadded: isPadded, to: UnsafeMutableRawPointer(start))
        }
    }

    /// Writes the text and says how long it is. There must be room for four characters for every three bytes begun.
    package static func write(_ bytes: UnsafeRawBufferPointer, isPadded: Bool, to output: UnsafeMutableRawPointer) -> Int {
        var position = 0
        func put(_ character: UInt8) {
            output.storeBytes(of: character, toByteOffset: position, as: UInt8.self)
            position += 1
        }
        var index = 0
        while index < bytes.count {
            let count = min(3, bytes.count - index)
            var group = UInt32(bytes[index]) << 16
            if count > 1 { group |= UInt32(bytes[index + 1]) << 8 }
            if count > 2 { group |= UInt32(bytes[index + 2]) }
            for place in 0...count { put(character(UInt8(truncatingIfNeeded: group >> (18 - 6 * UInt32(place))) & 63)) }
            if isPadded { for _ in count..<3 { put(UInt8(ascii: "=")) } }
            index += 3
        }
        return position
    }

    /// The bytes of a text with or without padding; nil if it has other characters, or unused bits that are not zero.
    package static func bytes(of text: some Collection<UInt8>) -> [UInt8]? {
        withBytes(of: text) { text in
            let padding = text.reversed().prefix { $0 == UInt8(ascii: "=") }.count
            guard padding <= 2, padding == 0 || text.count.isMultiple(of: 4), (text.count - padding) % 4 != 1 else { return nil }
            guard let (bytes, unused) = decoded(UnsafeRawBufferPointer(rebasing: text.dropLast(padding))), unused == 0 else { return nil }
            return bytes
        }
    }

    /// The same for a text whose end nobody checks: up to the first `=`, and bits that make no whole byte do not count.
    package static func bytes(ofUnchecked text: some Collection<UInt8>) -> [UInt8]? {
        withBytes(of: text) { text in
            let end = text.firstIndex(of: UInt8(ascii: "=")) ?? text.endIndex
            return decoded(UnsafeRawBufferPointer(rebasing: text[..<end]))?.bytes
        }
    }

    /// Attachments are megabytes of it: nothing generic goes through them byte by byte.
    private static func withBytes<Result>(of text: some Collection<UInt8>, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        if let result = text.withContiguousStorageIfAvailable({ body(UnsafeRawBufferPointer($0)) }) { return result }
        return Array(text).withUnsafeBytes(body)
    }

    private static func decoded(_ characters: UnsafeRawBufferPointer) -> (bytes: [UInt8], unused: UInt32)? {
        var unused: UInt32 = 0
        var isText = true
        let bytes = [UInt8](unsafeUninitializedCapacity: characters.count * 3 / 4) { output, count in
            var pending: UInt32 = 0
            var bits: UInt32 = 0
            for character in characters {
                guard let value = value(of: character) else { return isText = false }
                pending = pending << 6 | UInt32(value)
                bits += 6
                guard bits >= 8 else { continue }
                bits -= 8
                output[count] = UInt8(truncatingIfNeeded: pending >> bits)
                count += 1
                pending &= 1 << bits - 1
            }
            unused = pending
        }
        return isText ? (bytes, unused) : nil
    }

    @inline(__always)
    private static func character(_ value: UInt8) -> UInt8 {
        switch value {
        case 0..<26: UInt8(ascii: "A") + value
        case 26..<52: UInt8(ascii: "a") + value - 26
        case 52..<62: UInt8(ascii: "0") + value - 52
        case 62: UInt8(ascii: "+")
        default: UInt8(ascii: "/")
        }
    }

    @inline(__always)
    private static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
