import CBLFleece

/// The number that `multipleOf` names. Numbers are taken for what their text says, not for what binary fractions make of it: 0.3 is a multiple
/// of 0.1.
struct Factor {
    let text: String
    private let decimal: Decimal
    private let whole: UInt64?

    /// Nil if this is no number above zero.
    init?(_ value: Value) {
        guard value.isNumber, let double = value.double, double > 0, let decimal = Decimal(value) else { return nil }
        self.decimal = decimal
        whole = value.unsigned
        text = Description.of(value)
    }

    func divides(_ value: Value) -> Bool {
        if let whole, let bits = value.integerBits {
            let magnitude = value.isUnsigned ? bits : Int64(bitPattern: bits).magnitude
            return magnitude % whole == 0
        }
        guard let number = Decimal(value) else { return false }
        return number.isMultiple(of: decimal)
    }

    /// `digits` × 10^`exponent`, without a sign.
    private struct Decimal {
        var digits: UInt64
        var exponent: Int

        init?(_ value: Value) {
            if let bits = value.integerBits {
                self.init(digits: value.isUnsigned ? bits : Int64(bitPattern: bits).magnitude)
            } else {
                guard let double = value.double, double.isFinite else { return nil }
                self.init(double.magnitude)
            }
            while digits != 0, digits % 10 == 0 {
                digits /= 10
                exponent += 1
            }
        }

        private init(digits: UInt64) {
            self.digits = digits
            exponent = 0
        }

        /// The shortest digits that are read as this number: at most 17 of them.
        private init(_ double: Double) {
            digits = 0
            exponent = 0
            var isFraction = false
            var text = double.description.utf8[...]
            while let byte = text.popFirst() {
                switch byte {
                case UInt8(ascii: "."): isFraction = true
                case UInt8(ascii: "e"):
                    exponent += Int(String(decoding: text, as: UTF8.self)) ?? 0
                    return
                default:
                    // A zero behind the point, or the zeros of a large number, would need more than 64 bits.
                    let (product, isTooLarge) = digits.multipliedReportingOverflow(by: 10)
                    if isTooLarge {
                        if !isFraction { exponent += 1 }
                    } else {
                        digits = product &+ UInt64(byte &- UInt8(ascii: "0"))
                        if isFraction { exponent -= 1 }
                    }
                }
            }
        }

        func isMultiple(of factor: Decimal) -> Bool {
            if digits == 0 { return true }
            var shift = exponent - factor.exponent
            if shift >= 0 {
                // digits × 10^shift modulo the other one's digits. Tens beyond the 64th bring nothing new.
                var rest = digits % factor.digits
                shift = min(shift, 64)
                for _ in 0..<shift where rest != 0 { rest = factor.digits.dividingFullWidth(rest.multipliedFullWidth(by: 10)).remainder }
                return rest == 0
            }
            var divisor = factor.digits
            for _ in 0..<(-shift) {
                let (product, isTooLarge) = divisor.multipliedReportingOverflow(by: 10)
                if isTooLarge || product > digits { return false }
                divisor = product
            }
            return digits % divisor == 0
        }
    }
}
