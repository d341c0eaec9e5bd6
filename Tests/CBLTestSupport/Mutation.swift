/// Bytes with something wrong in them, for tests of what reads bytes from outside.
package enum Mutation {
    /// Every truncation, and every flip of one bit.
    package static func forEachSmall(of bytes: [UInt8], _ body: ([UInt8]) throws -> Void) rethrows {
        for length in 0..<bytes.count { try body(Array(bytes[..<length])) }
        for place in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[place] ^= 1 << UInt8(bit)
                try body(changed)
            }
        }
    }

    /// A few bytes changed, taken out, put in or repeated; now and then nothing but random bytes.
    package static func mutated(_ bytes: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
        if bytes.isEmpty || random.below(10) == 0 { return (0..<random.below(200)).map { _ in UInt8(random.below(256)) } }
        var bytes = bytes
        for _ in 0...random.below(6) where !bytes.isEmpty {
            let place = random.below(bytes.count)
            switch random.below(6) {
            case 0: bytes[place] = UInt8(random.below(256))
            case 1: bytes.remove(at: place)
            case 2: bytes.insert(random.element(of: Array("'\"`\\,;\n\r\t{}[]()$.*\u{0}".utf8)), at: place)
            case 3: bytes.insert(contentsOf: random.element(of: ["\u{600}'", "'\u{301}", "--", "/*", "\u{FEFF}"]).utf8, at: place)
            case 4: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 1 + random.below(20))], at: random.below(bytes.count))
            default: bytes.removeSubrange(place..<min(bytes.count, place + 1 + random.below(20)))
            }
        }
        return bytes
    }
}
