/// A regular expression of the kind that most schemas have: classes of ASCII characters one after another, each so many times, such as
/// `^[A-Z]{2}-\d+$`. It needs no library, and no step back: what follows a class that may go on is none of its characters.
struct SimplePattern {
    private var parts: [Part] = []
    private var isAtEnd = false

    private struct Part {
        /// A bit for each character of ASCII.
        var low: UInt64 = 0
        var high: UInt64 = 0
        var minimum = 1
        var maximum = 1

        func contains(_ byte: UInt8) -> Bool {
            byte < 64 ? low >> UInt64(byte) & 1 != 0 : byte < 128 && high >> UInt64(byte - 64) & 1 != 0
        }

        mutating func insert(_ bytes: ClosedRange<UInt8>) {
            for byte in bytes {
                if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte - 64) }
            }
        }

        func overlaps(_ other: Part) -> Bool { low & other.low != 0 || high & other.high != 0 }
    }

    /// Nil for a pattern of another kind, or one that is wrong: whoever has the whole language sees to that.
    init?(_ pattern: UnsafeRawBufferPointer) {
        var rest = pattern[...]
        guard rest.popFirst() == UInt8(ascii: "^") else { return nil }
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "$") {
                guard rest.isEmpty else { return nil }
                isAtEnd = true
                break
            }
            guard var part = SimplePattern.part(byte, &rest), SimplePattern.takeCount(&rest, &part) else { return nil }
            parts.append(part)
        }
        for index in parts.indices.dropLast() where parts[index].minimum != parts[index].maximum {
            // Whatever may come next, up to what has to come, must be something else.
            for next in parts[(index + 1)...] {
                if parts[index].overlaps(next) { return nil }
                if next.minimum > 0 { break }
            }
        }
    }

    private static func part(_ byte: UInt8, _ rest: inout Slice<UnsafeRawBufferPointer>) -> Part? {
        var part = Part()
        switch byte {
        case UInt8(ascii: "["):
            while let member = rest.popFirst() {
                if member == UInt8(ascii: "]") { return part }
                guard let low = character(member, &rest, &part) else { continue }
                guard low < 0x80, low != UInt8(ascii: "^") else { return nil }
                guard rest.first == UInt8(ascii: "-"), rest.dropFirst().first != UInt8(ascii: "]") else {
                    part.insert(low...low)
                    continue
                }
                rest.removeFirst()
                guard let end = rest.popFirst(), end.isDigit || end.isLetter, end >= low else { return nil }
                part.insert(low...end)
            }
            return nil
        case UInt8(ascii: "\\"):
            guard let low = character(byte, &rest, &part) else { return part }
            guard low < 0x80 else { return nil }
            part.insert(low...low)
        case UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "."), UInt8(ascii: "|"), UInt8(ascii: "^"), UInt8(ascii: "*"),
            UInt8(ascii: "+"), UInt8(ascii: "?"), UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "]"), 0x80...:
            return nil
        default: part.insert(byte...byte)
        }
        return part
    }

    /// A character, 255 for what is not understood, or nil for a class, which then is in the part.
    private static func character(_ byte: UInt8, _ rest: inout Slice<UnsafeRawBufferPointer>, _ part: inout Part) -> UInt8? {
        guard byte == UInt8(ascii: "\\") else { return byte }
        switch rest.popFirst() {
        case UInt8(ascii: "d"): part.insert(UInt8(ascii: "0")...UInt8(ascii: "9"))
        case UInt8(ascii: "w"):
            part.insert(UInt8(ascii: "0")...UInt8(ascii: "9"))
            part.insert(UInt8(ascii: "a")...UInt8(ascii: "z"))
            part.insert(UInt8(ascii: "A")...UInt8(ascii: "Z"))
            part.insert(UInt8(ascii: "_")...UInt8(ascii: "_"))
        case let escaped? where ".-/+*?()[]{}^$|\\@_".utf8.contains(escaped) && escaped != UInt8(ascii: "_"): return escaped
        default: return 255
        }
        return nil
    }

    private static func takeCount(_ rest: inout Slice<UnsafeRawBufferPointer>, _ part: inout Part) -> Bool {
        switch rest.first {
        case UInt8(ascii: "*"): (part.minimum, part.maximum) = (0, .max)
        case UInt8(ascii: "+"): (part.minimum, part.maximum) = (1, .max)
        case UInt8(ascii: "?"): (part.minimum, part.maximum) = (0, 1)
        case UInt8(ascii: "{"):
            guard let end = rest.firstIndex(of: UInt8(ascii: "}")) else { return false }
            let numbers = rest[rest.index(after: rest.startIndex)..<end].split(
                separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            let counts = numbers.map { $0.count < 6 ? Int(String(decoding: $0, as: UTF8.self)) : nil }
            guard let first = counts.first, let minimum = first, counts.count <= 2, numbers[0].allSatisfy(\.isDigit) else { return false }
            if counts.count == 1 {
                (part.minimum, part.maximum) = (minimum, minimum)
            } else if numbers[1].isEmpty {
                (part.minimum, part.maximum) = (minimum, .max)
            } else {
                guard let maximum = counts[1], maximum >= minimum, numbers[1].allSatisfy(\.isDigit) else { return false }
                (part.minimum, part.maximum) = (minimum, maximum)
            }
            rest = rest[rest.index(after: end)...]
            return !isQuantifier(rest.first)
        default: return true
        }
        rest.removeFirst()
        return !isQuantifier(rest.first)
    }

    // Lazy ones match the same texts, but are rare.
    private static func isQuantifier(_ byte: UInt8?) -> Bool {
        byte == UInt8(ascii: "*") || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "{")
    }

    func matches(_ text: UnsafeRawBufferPointer) -> Bool {
        var position = 0
        for part in parts {
            var count = 0
            while count < part.maximum, position < text.count, part.contains(text[position]) {
                count &+= 1
                position &+= 1
            }
            if count < part.minimum { return false }
        }
        return !isAtEnd || position == text.count
    }
}
