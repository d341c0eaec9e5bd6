/// Numbers as JSON text, laid out as the vendor's library does it, because digests are taken over the text.
///
/// Every function writes at `target`, which must have room for `maximumLength` bytes, and returns how many it wrote.
/// Hot: once per number of an export.
enum NumberFormatting {
    /// More than the longest text: `-1.7976931348623157e+308` has 24 bytes.
    static let maximumLength = 32

    static func write(_ value: Int64, to target: UnsafeMutablePointer<UInt8>) -> Int {
        guard value < 0 else { return write(UInt64(value), to: target) }
        target[0] = UInt8(ascii: "-")
        return 1 + write(value.magnitude, to: target + 1)
    }

    static func write(_ value: UInt64, to target: UnsafeMutablePointer<UInt8>) -> Int {
        if value < 10 {
            target[0] = zero + UInt8(truncatingIfNeeded: value)
            return 1
        }
        let length = digitCount(value)
        writeDigits(value, endingAt: target + length)
        return length
    }

    /// The shortest digits that read back as the same double.
    static func write(_ value: Double, to target: UnsafeMutablePointer<UInt8>) -> Int {
        // Above 2^53 not every integer is a double any more: from there on, and below 0.0001, the layout is exponential.
        guard let layout = Layout(value, isExponential: value.magnitude < 1e-4 || value.magnitude > 9_007_199_254_740_992, target) else {
            return writeSpecial(value, to: target)
        }
        guard let decimal = shortDecimal(value.magnitude) else { return layout.write(describing: value.magnitude.description) }
        return layout.write(digits: decimal.digits, exponent: decimal.exponent)
    }

    /// The shortest digits that read back as the same float.
    static func write(_ value: Float, to target: UnsafeMutablePointer<UInt8>) -> Int {
        guard let layout = Layout(Double(value), isExponential: value.magnitude < 1e-4 || value.magnitude > 16_777_216, target) else {
            return writeSpecial(Double(value), to: target)
        }
        return layout.write(describing: value.magnitude.description)
    }

    private static func writeSpecial(_ value: Double, to target: UnsafeMutablePointer<UInt8>) -> Int {
        let text: StaticString =
            switch value {
            case 0: value.sign == .minus ? "-0.0" : "0.0"
            case .infinity: "inf"
            case -.infinity: "-inf"
            default: "nan"
            }
        target.update(from: text.utf8Start, count: text.utf8CodeUnitCount)
        return text.utf8CodeUnitCount
    }

    // Digits

    private static let zero = UInt8(ascii: "0")
    private static let pairs: StaticString = """
        0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849\
        5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899
        """

    fileprivate static func digitCount(_ value: UInt64) -> Int {
        var count = 1
        var rest = value
        while rest >= 10_000 {
            rest /= 10_000
            count += 4
        }
        return rest < 10 ? count : rest < 100 ? count + 1 : rest < 1000 ? count + 2 : count + 3
    }

    fileprivate static func writeDigits(_ value: UInt64, endingAt end: UnsafeMutablePointer<UInt8>) {
        let pairs = pairs.utf8Start
        var rest = value
        var place = end
        while rest >= 100 {
            let pair = Int(truncatingIfNeeded: rest % 100) * 2
            rest /= 100
            place -= 2
            place[0] = pairs[pair]
            place[1] = pairs[pair + 1]
        }
        if rest >= 10 {
            place[-2] = pairs[Int(truncatingIfNeeded: rest) * 2]
            place[-1] = pairs[Int(truncatingIfNeeded: rest) * 2 + 1]
        } else {
            place[-1] = zero + UInt8(truncatingIfNeeded: rest)
        }
    }

    /// The digits of a double that at most 15 of them name, which is nearly every number a person or a program wrote down.
    ///
    /// No two decimals of 15 digits read as the same double, so one that reads back is the only one, and without its
    /// trailing zeros it is the shortest. Scaling to 15 digits errs by less than 0.2, so rounding finds it if it exists.
    private static func shortDecimal(_ value: Double) -> (digits: UInt64, exponent: Int)? {
        guard value >= 1e-4, value < 1e15 else { return nil }
        // Powers of ten up to 10^22 are exact, and so are integers up to 2^53: the division rounds once, as a reader does.
        // The binary exponent gives the decimal one (0.30103 is the logarithm of 2), or one less.
        var scale = min(PowersOfTen.largestExact, 14 - (Int(value.exponent) * 30_103 - (value < 1 ? 99_999 : 0)) / 100_000)
        if value * PowersOfTen.exact(scale) >= 1e15 { scale -= 1 }
        let power = PowersOfTen.exact(scale)
        let scaled = (value * power).rounded()
        guard scaled < 1e15, scaled / power == value else { return nil }
        var digits = UInt64(scaled)
        var exponent = -scale
        while digits % 10_000 == 0 {
            digits /= 10_000
            exponent += 4
        }
        while digits % 10 == 0 {
            digits /= 10
            exponent += 1
        }
        return (digits, exponent)
    }

    /// Where the digits, the point and the exponent of one number go.
    private struct Layout {
        let isExponential: Bool
        let isNegative: Bool
        let start: UnsafeMutablePointer<UInt8>

        /// Nil for zero and what is not finite.
        init?(_ value: Double, isExponential: Bool, _ start: UnsafeMutablePointer<UInt8>) {
            guard value.isFinite, value != 0 else { return nil }
            self.isExponential = isExponential
            self.isNegative = value < 0
            self.start = start
        }

        /// The standard library finds the shortest digits as well, but sets them out differently.
        func write(describing description: String) -> Int {
            var digits: UInt64 = 0
            var exponent = 0
            var isFraction = false
            var text = description[...].utf8
            while let byte = text.popFirst() {
                if byte == UInt8(ascii: ".") {
                    isFraction = true
                } else if byte == UInt8(ascii: "e") {
                    exponent += Int(Substring(text)) ?? 0
                    break
                } else {
                    digits = digits &* 10 &+ UInt64(byte &- zero)
                    if isFraction { exponent -= 1 }
                }
            }
            while digits != 0, digits % 10 == 0 {
                digits /= 10
                exponent += 1
            }
            return write(digits: digits, exponent: exponent)
        }

        /// Writes `digits` × 10^`exponent`. The digits do not end in a zero.
        func write(digits: UInt64, exponent: Int) -> Int {
            var place = start
            if isNegative {
                place[0] = UInt8(ascii: "-")
                place += 1
            }
            let count = NumberFormatting.digitCount(digits)
            let point = count + exponent  // how many digits stand before the point
            if isExponential {
                // The digits go one to the right of their place, then the first one moves back over the point.
                NumberFormatting.writeDigits(digits, endingAt: place + count + 1)
                place[0] = place[1]
                place[1] = UInt8(ascii: ".")
                place += count == 1 ? 1 : count + 1
                place[0] = UInt8(ascii: "e")
                place[1] = UInt8(ascii: point > 0 ? "+" : "-")
                let power = UInt64((point - 1).magnitude)
                if power < 10 { place[2] = zero }
                let length = power < 10 ? 2 : NumberFormatting.digitCount(power)
                NumberFormatting.writeDigits(power, endingAt: place + 2 + length)
                place += 2 + length
            } else if point <= 0 {
                for index in 0..<2 - point { place[index] = index == 1 ? UInt8(ascii: ".") : zero }
                place += 2 - point + count
                NumberFormatting.writeDigits(digits, endingAt: place)
            } else if point >= count {
                NumberFormatting.writeDigits(digits, endingAt: place + count)
                for index in count..<point { place[index] = zero }
                place[point] = UInt8(ascii: ".")
                place[point + 1] = zero
                place += point + 2
            } else {
                NumberFormatting.writeDigits(digits, endingAt: place + count + 1)
                for index in 0..<point { place[index] = place[index + 1] }
                place[point] = UInt8(ascii: ".")
                place += count + 1
            }
            return place - start
        }
    }
}

/// The powers of ten that are exact doubles.
enum PowersOfTen {
    static let largestExact = 22

    static func exact(_ exponent: Int) -> Double { table[exponent] }

    private static let table: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    ]
}
