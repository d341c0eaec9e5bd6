/// The three orders in which views of 1.x keep their keys.
package enum JSONCollation: UInt8, Sendable, CaseIterable {
    case unicode = 0
    case ascii = 1
    case raw = 2

    /// As the schemas of 1.x call it.
    package var sqlName: String {
        switch self {
        case .unicode: "JSON"
        case .ascii: "JSON_ASCII"
        case .raw: "JSON_RAW"
        }
    }
}

/// What a JSON text consists of.
package enum JSONToken: Int, Sendable, CaseIterable {
    /// Nothing more, or nothing that belongs in JSON.
    case end
    case closingBracket, closingBrace, comma, colon
    case null, `false`, `true`, number, string, array, object
}

extension JSONCollation {
    /// Where values of a kind stand among those of others: small numbers, none of them 0.
    package func rank(_ token: JSONToken) -> UInt8 {
        guard self == .raw else { return UInt8(token.rawValue) }
        return switch token {
        case .number: 5
        case .false: 6
        case .null: 7
        case .true: 8
        case .object: 9
        case .array: 10
        case .string: 11
        default: UInt8(token.rawValue)
        }
    }
}

/// Places of ASCII characters in the Unicode order of 1.x; those that have none share 0.
package enum JSONPriority {
    private static let order = Array("\t\n\r `^_-,;:!?.'\"()[]{}@*/\\&#%+<=>|~$0123456789".utf8)

    /// The two forms of a letter share the place of the upper-case one.
    package nonisolated(unsafe) static let ignoringCase: UnsafePointer<UInt8> = make { $1 }
    package nonisolated(unsafe) static let heedingCase: UnsafePointer<UInt8> = make { lower, _ in lower }

    private static func make(_ placeOfLower: (_ lower: UInt8, _ upper: UInt8) -> UInt8) -> UnsafePointer<UInt8> {
        let places = UnsafeMutablePointer<UInt8>.allocate(capacity: 128)
        places.initialize(repeating: 0, count: 128)
        for (place, character) in order.enumerated() { places[Int(character)] = UInt8(place + 1) }
        for letter in 0..<26 {
            let lower = UInt8(order.count + 1 + 2 * letter)
            places[0x61 + letter] = placeOfLower(lower, lower + 1)
            places[0x41 + letter] = lower + 1
        }
        return UnsafePointer(places)
    }
}

/// Compares strings of keys. One belongs to one thread at a time.
package final class JSONStringOrder {
    package let collation: JSONCollation
    // The library is loaded when text outside of ASCII first needs it. The order is that of no locale, so it is the same on all machines.
    private lazy var unicode = UnicodeCollation(CollationName(isUnicode: true))

    package init(_ collation: JSONCollation) { self.collation = collation }

    /// Negative, zero or positive, as the first string, in UTF-8, stands before, with or after the second.
    package func compare(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Int {
        collation == .unicode ? compareUnicode(first, second) : compareSigned(first, second)
    }

    private func compareUnicode(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Int {
        let ignoringCase = JSONPriority.ignoringCase
        var caseOrder = 0
        let common = min(first.count, second.count)
        for index in 0..<common {
            let (x, y) = (first[index], second[index])
            if x | y >= 0x80 { return Int(unicode.compareByLocale(first, second)) }
            guard x != y else { continue }
            let order = Int(ignoringCase[Int(x)]) - Int(ignoringCase[Int(y)])
            if order != 0 { return order }
            if caseOrder == 0 { caseOrder = Int(JSONPriority.heedingCase[Int(x)]) - Int(JSONPriority.heedingCase[Int(y)]) }
        }
        return first.count != second.count ? first.count - second.count : caseOrder
    }

    // 1.x compares characters of C, which have a sign.
    private func compareSigned(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Int {
        for index in 0..<min(first.count, second.count) where first[index] != second[index] {
            return Int(Int8(bitPattern: first[index])) - Int(Int8(bitPattern: second[index]))
        }
        return first.count - second.count
    }
}
