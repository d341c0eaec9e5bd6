import CBLBase

/// Compares two JSON texts as the collations `JSON`, `JSON_ASCII` and `JSON_RAW` of 1.x do: token by token, without blanks between them.
///
///     let order = JSONTextOrder(.unicode)
///     order.compare("[1,2]", "[1]")      // positive
///
/// Texts that are no JSON have some place in the order, too. One belongs to one thread at a time.
package final class JSONTextOrder {
    private let strings: JSONStringOrder
    private let ranks: [UInt8]
    private var collation: JSONCollation { strings.collation }
    // Room for strings without their escapes.
    private var (first, second) = ([UInt8](), [UInt8]())

    package init(_ collation: JSONCollation) {
        strings = JSONStringOrder(collation)
        ranks = JSONToken.allCases.map(collation.rank)
    }

    package func compare(_ first: String, _ second: String, arrayLimit: Int = .max) -> Int {
        var (first, second) = (first, second)
        return first.withUTF8 { first in
            second.withUTF8 { compare(UnsafeRawBufferPointer(first), UnsafeRawBufferPointer($0), arrayLimit: arrayLimit) }
        }
    }

    /// Arrays whose first `arrayLimit` items are equal are equal themselves.
    package func compare(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer, arrayLimit: Int = .max) -> Int {
        var (left, right) = (TokenReader(first), TokenReader(second))
        var (depth, items) = (0, 0)
        repeat {
            let (token, other) = (left.token, right.token)
            guard token == other else {
                // The array that goes on has no more items that count.
                if depth == 1, token == .comma || other == .comma {
                    items += 1
                    if items >= arrayLimit { return 0 }
                }
                return Int(ranks[token.rawValue]) - Int(ranks[other.rawValue])
            }
            switch token {
            case .end: return 0
            case .number:
                let (x, y) = (left.number(), right.number())
                if x != y { return x < y ? -1 : 1 }
            case .string:
                let order = compareStrings(&left, &right)
                if order != 0 { return order }
            case .array, .object:
                depth += 1
                left.skipOne()
                right.skipOne()
            case .closingBracket, .closingBrace:
                depth -= 1
                left.skipOne()
                right.skipOne()
            case .comma:
                if depth == 1 {
                    items += 1
                    if items >= arrayLimit { return 0 }
                }
                left.skipOne()
                right.skipOne()
            case .colon:
                left.skipOne()
                right.skipOne()
            case .null, .false, .true:
                left.skipWord()
                right.skipWord()
            }
        } while depth > 0
        return 0
    }

    private func compareStrings(_ left: inout TokenReader, _ right: inout TokenReader) -> Int {
        let (x, hasEscapes) = left.string()
        let (y, hasOtherEscapes) = right.string()
        guard hasEscapes || hasOtherEscapes else { return strings.compare(x, y) }
        TokenReader.unescape(x, collation, into: &first)
        TokenReader.unescape(y, collation, into: &second)
        return first.withUnsafeBytes { first in second.withUnsafeBytes { strings.compare(first, $0) } }
    }
}

/// Goes through the tokens of a text.
private struct TokenReader {
    private let text: UnsafeRawBufferPointer
    private var position = 0

    init(_ text: UnsafeRawBufferPointer) { self.text = text }

    /// The kind of the token that begins here.
    var token: JSONToken {
        guard position < text.count else { return .end }
        switch text[position] {
        case UInt8(ascii: "n"): return .null
        case UInt8(ascii: "f"): return .false
        case UInt8(ascii: "t"): return .true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): return .number
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "["): return .array
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "]"): return .closingBracket
        case UInt8(ascii: "}"): return .closingBrace
        case UInt8(ascii: ","): return .comma
        case UInt8(ascii: ":"): return .colon
        default: return .end
        }
    }

    mutating func skipOne() { position += 1 }

    mutating func skipWord() {
        repeat { position += 1 } while position < text.count && text[position] | 0x20 >= 0x61 && text[position] | 0x20 <= 0x7A
    }

    mutating func number() -> Double {
        let start = position
        var whole: Int64 = 0
        var isShort = true
        let isNegative = text[position] == UInt8(ascii: "-")
        repeat {
            let byte = text[position]
            if byte &- 0x30 < 10 {
                whole = whole &* 10 &+ Int64(byte &- 0x30)
            } else if position > start || !isNegative {
                isShort = false
            }
            position += 1
        } while position < text.count && TokenReader.isOfNumber(text[position])
        if isShort, position - start <= 15 { return Double(isNegative ? -whole : whole) }
        // Independent of the locale, as strtod is not.
        return Double(String(decoding: UnsafeRawBufferPointer(rebasing: text[start..<position]), as: UTF8.self)) ?? 0
    }

    private static func isOfNumber(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "e"),
            UInt8(ascii: "E"):
            true
        default: false
        }
    }

    /// What stands between the quotes, as it stands there.
    mutating func string() -> (UnsafeRawBufferPointer, hasEscapes: Bool) {
        position += 1
        let start = position
        var hasEscapes = false
        while position < text.count, text[position] != UInt8(ascii: "\"") {
            if text[position] == UInt8(ascii: "\\") {
                hasEscapes = true
                position += 1
            }
            position += 1
        }
        let end = min(position, text.count)
        position = min(end + 1, text.count)
        return (UnsafeRawBufferPointer(rebasing: text[start..<end]), hasEscapes)
    }

    static func unescape(_ text: UnsafeRawBufferPointer, _ collation: JSONCollation, into bytes: inout [UInt8]) {
        bytes.removeAll(keepingCapacity: true)
        var position = 0
        while position < text.count {
            let byte = text[position]
            position += 1
            guard byte == UInt8(ascii: "\\"), position < text.count else {
                bytes.append(byte)
                continue
            }
            let escaped = text[position]
            position += 1
            switch escaped {
            case UInt8(ascii: "n"): bytes.append(0x0A)
            case UInt8(ascii: "t"): bytes.append(0x09)
            case UInt8(ascii: "r"): bytes.append(0x0D)
            case UInt8(ascii: "b"): bytes.append(0x08)
            case UInt8(ascii: "f"): bytes.append(0x0C)
            case UInt8(ascii: "u"): append(unicode(in: text, &position), collation, text, &position, to: &bytes)
            default: bytes.append(escaped)
            }
        }
    }

    /// Four hexadecimal digits, as far as there are some.
    private static func unicode(in text: UnsafeRawBufferPointer, _ position: inout Int) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard position < text.count, let digit = Hex.value(ofDigit: text[position] | 0x20) else { break }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }

    private static func append(
        _ unit: UInt32, _ collation: JSONCollation, _ text: UnsafeRawBufferPointer, _ position: inout Int, to bytes: inout [UInt8]
    ) {
        guard unit > 0x7F else { return bytes.append(UInt8(unit)) }
        // Outside of the Unicode order 1.x knows no such characters.
        guard collation == .unicode else { return bytes.append(0xFF) }
        var value = unit
        if unit & 0xFC00 == 0xD800, position + 1 < text.count, text[position] == UInt8(ascii: "\\"), text[position + 1] == UInt8(ascii: "u")
        {
            var next = position + 2
            let low = unicode(in: text, &next)
            if low & 0xFC00 == 0xDC00 {
                value = 0x10000 + (unit & 0x3FF) << 10 + low & 0x3FF
                position = next
            }
        }
        bytes += Array(String(Character(Unicode.Scalar(value) ?? "\u{FFFD}")).utf8)
    }
}
