/// Whether the bytes are well-formed UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF.
package func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let base = bytes.baseAddress else { return true }
    let count = bytes.count
    var position = 0
    while position < count {
        // Most text is ASCII: eight bytes at a time.
        while count &- position >= 8, base.loadUnaligned(fromByteOffset: position, as: UInt64.self) & 0x8080_8080_8080_8080 == 0 {
            position &+= 8
        }
        if position == count { return true }
        let lead = base.load(fromByteOffset: position, as: UInt8.self)
        if lead < 0x80 {
            position &+= 1
            continue
        }
        // The second byte's range excludes overlong forms, surrogates and what lies beyond Unicode.
        let length: Int
        var lowest: UInt8 = 0x80
        var highest: UInt8 = 0xBF
        switch lead {
        case 0xC2...0xDF: length = 2
        case 0xE0: (length, lowest) = (3, 0xA0)
        case 0xED: (length, highest) = (3, 0x9F)
        case 0xE1...0xEF: length = 3
        case 0xF0: (length, lowest) = (4, 0x90)
        case 0xF1...0xF3: length = 4
        case 0xF4: (length, highest) = (4, 0x8F)
        default: return false
        }
        guard count &- position >= length else { return false }
        let second = base.load(fromByteOffset: position &+ 1, as: UInt8.self)
        guard second >= lowest, second <= highest else { return false }
        for index in 2..<max(length, 2) where base.load(fromByteOffset: position &+ index, as: UInt8.self) & 0xC0 != 0x80 { return false }
        position &+= length
    }
    return true
}
