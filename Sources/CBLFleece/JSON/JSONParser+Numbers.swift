extension JSONReader {
    /// The number that begins here with a digit or a minus sign.
    @inline(__always)
    mutating func number(into encoder: FleeceEncoder) throws(JSONError) {
        let end = text.end
        let opening = text.place
        let isNegative = opening.pointee == UInt8(ascii: "-")
        let first = isNegative ? opening + 1 : opening
        var place = first
        var digits: UInt64 = 0
        while place < end, place.pointee.isDecimalDigit {
            digits = digits &* 10 &+ UInt64(place.pointee &- UInt8(ascii: "0"))
            place += 1
        }
        let count = place - first
        let next = place < end ? place.pointee : 0
        if next == UInt8(ascii: ".") || next | 0x20 == UInt8(ascii: "e") || next | 0x20 == UInt8(ascii: "x") {
            return try fraction(into: encoder)
        }
        // A number of 1 to 19 digits always fits 64 bits, and a leading zero stands alone.
        guard UInt(bitPattern: count &- 1) < 19, count == 1 || first.pointee != UInt8(ascii: "0") else {
            return try fraction(into: encoder)
        }
        text.place = place
        if !isNegative {
            encoder.write(digits)
        } else if digits <= 1 << 63 {
            encoder.write(0 &- Int64(truncatingIfNeeded: digits))
        } else {
            try writeDouble(opening, digits, 0, isNegative, isPrecise: true, into: encoder)
        }
    }

    /// A number with a fraction or an exponent, a very long one, or a wrong one.
    private mutating func fraction(into encoder: FleeceEncoder) throws(JSONError) {
        let opening = text.place
        var parts = NumberParts()
        if text.byte == UInt8(ascii: "-") {
            parts.isNegative = true
            text.place += 1
        }
        if text.isJSON5, text.byte == UInt8(ascii: "0") && text.byte(1) | 0x20 == UInt8(ascii: "x") || !text.byte.isDecimalDigit {
            text.place = opening
            return try json5Number(into: encoder)
        }
        guard text.byte.isDecimalDigit else { throw text.error(expected: "a digit") }
        if text.byte == UInt8(ascii: "0"), text.byte(1).isDecimalDigit {
            throw text.error("a number must not begin with a superfluous 0", at: opening, isUnfinished: false)
        }
        parts.takeDigits(&text, areFraction: false)
        if text.byte == UInt8(ascii: ".") {
            text.place += 1
            parts.isInteger = false
            if !text.byte.isDecimalDigit, !text.isJSON5 { throw text.error(expected: "a digit behind the point") }
            parts.takeDigits(&text, areFraction: true)
        }
        try parts.takeExponent(&text)
        try write(parts, opening, into: encoder)
    }

    /// The forms that only JSON5 has: a sign +, hexadecimal digits, a point at either end.
    mutating func json5Number(into encoder: FleeceEncoder) throws(JSONError) {
        let opening = text.place
        var parts = NumberParts()
        if text.byte == UInt8(ascii: "-") || text.byte == UInt8(ascii: "+") {
            parts.isNegative = text.byte == UInt8(ascii: "-")
            text.place += 1
        }
        for word in ["Infinity", "NaN"] as [StaticString] where text.starts(with: word) {
            throw text.error("\(word) has no place in JSON: only finite numbers can be stored", at: opening)
        }
        if text.byte == UInt8(ascii: "0"), text.byte(1) | 0x20 == UInt8(ascii: "x") {
            text.place += 2
            try parts.takeHexDigits(&text, opening)
            return try write(parts, opening, into: encoder)
        }
        if text.byte == UInt8(ascii: "0"), text.byte(1).isDecimalDigit {
            throw text.error("a number must not begin with a superfluous 0", at: opening, isUnfinished: false)
        }
        parts.takeDigits(&text, areFraction: false)
        if text.byte == UInt8(ascii: ".") {
            text.place += 1
            parts.isInteger = false
            parts.takeDigits(&text, areFraction: true)
        }
        guard parts.count > 0 else { throw text.error(expected: "a digit") }
        try parts.takeExponent(&text)
        try write(parts, opening, into: encoder)
    }

    private func write(_ parts: NumberParts, _ opening: UnsafePointer<UInt8>, into encoder: FleeceEncoder) throws(JSONError) {
        if parts.isInteger, parts.isExact {
            if !parts.isNegative { return encoder.write(parts.digits) }
            if parts.digits <= 1 << 63 { return encoder.write(0 &- Int64(truncatingIfNeeded: parts.digits)) }
        }
        try writeDouble(opening, parts.digits, parts.exponent, parts.isNegative, isPrecise: parts.isExact, into: encoder)
    }

    private func writeDouble(
        _ opening: UnsafePointer<UInt8>, _ digits: UInt64, _ exponent: Int, _ isNegative: Bool, isPrecise: Bool, into encoder: FleeceEncoder
    ) throws(JSONError) {
        if isPrecise, let magnitude = NumberParsing.quick(digits: digits, exponent: exponent) {
            return encoder.write(isNegative ? -magnitude : magnitude)
        }
        let value = NumberParsing.careful(UnsafeRawBufferPointer(start: opening, count: text.place - opening))
        guard value.isFinite else { throw text.error("the number is too large", at: opening) }
        encoder.write(value)
    }
}

/// A number as it stands in the text: `digits` × 10^`exponent`.
private struct NumberParts {
    var isNegative = false
    var isInteger = true
    var digits: UInt64 = 0
    /// Whether `digits` and `exponent` hold all of the number. If not, the text has to be read again, carefully.
    var isExact = true
    var exponent = 0
    /// How many digits there are before the exponent.
    var count = 0

    mutating func takeDigits(_ text: inout JSONText, areFraction: Bool) {
        while text.byte.isDecimalDigit {
            let (tens, isTooLarge) = digits.multipliedReportingOverflow(by: 10)
            let (sum, isTooLargeNow) = tens.addingReportingOverflow(UInt64(text.byte &- UInt8(ascii: "0")))
            if isTooLarge || isTooLargeNow { isExact = false }
            if isExact {
                digits = sum
                if areFraction { exponent -= 1 }
            }
            count += 1
            text.place += 1
        }
    }

    mutating func takeExponent(_ text: inout JSONText) throws(JSONError) {
        guard text.byte | 0x20 == UInt8(ascii: "e") else { return }
        isInteger = false
        text.place += 1
        let sign = text.byte
        if sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { text.place += 1 }
        guard text.byte.isDecimalDigit else { throw text.error(expected: "a digit of the exponent") }
        var power = 0
        while text.byte.isDecimalDigit {
            // Larger exponents are all alike: the number is zero or too large.
            if power < 1_000_000 { power = power * 10 + Int(text.byte &- UInt8(ascii: "0")) }
            text.place += 1
        }
        exponent += sign == UInt8(ascii: "-") ? -power : power
    }

    mutating func takeHexDigits(_ text: inout JSONText, _ opening: UnsafePointer<UInt8>) throws(JSONError) {
        guard text.byte.hexDigitValue != nil else { throw text.error(expected: "a hexadecimal digit") }
        while let digit = text.byte.hexDigitValue {
            guard digits >> 60 == 0 else { throw text.error("the number has more than 64 bits", at: opening) }
            digits = digits << 4 | UInt64(digit)
            text.place += 1
        }
        guard !isNegative || digits <= 1 << 63 else { throw text.error("the number has more than 64 bits", at: opening) }
    }
}
