/// Decimal text to doubles, correctly rounded.
enum NumberParsing {
    /// The double nearest to `digits` × 10^`exponent`, when plain arithmetic rounds only once; nil when it takes more.
    @inline(__always)
    static func quick(digits: UInt64, exponent: Int) -> Double? {
        guard digits <= 1 << 53 else { return nil }
        if exponent <= 0 {
            guard exponent >= -PowersOfTen.largestExact else { return digits == 0 ? 0 : nil }
            return Double(digits) / PowersOfTen.exact(-exponent)
        }
        guard exponent <= PowersOfTen.largestExact else { return digits == 0 ? 0 : nil }
        return Double(digits) * PowersOfTen.exact(exponent)
    }

    /// The double nearest to a number in JSON's grammar, of any length; infinity when it is too large.
    static func careful(_ text: UnsafeRawBufferPointer) -> Double {
        // The standard library reads independently of the locale, as strtod would not.
        Double(String(decoding: text, as: UTF8.self)) ?? .nan
    }
}
