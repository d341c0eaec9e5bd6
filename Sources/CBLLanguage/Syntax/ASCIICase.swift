extension String {
    // Names of the language differ in the case of ASCII letters alone.

    /// The text with ASCII letters in upper case.
    var asciiUppercased: String { mapASCII(from: UInt8(ascii: "a"), to: UInt8(ascii: "z")) }

    /// The text with ASCII letters in lower case.
    var asciiLowercased: String { mapASCII(from: UInt8(ascii: "A"), to: UInt8(ascii: "Z")) }

    private func mapASCII(from first: UInt8, to last: UInt8) -> String {
        guard utf8.contains(where: { $0 >= first && $0 <= last }) else { return self }
        return String(decoding: utf8.map { $0 >= first && $0 <= last ? $0 ^ 0x20 : $0 }, as: UTF8.self)
    }

    /// Letters, digits and `_`.
    var isWord: Bool {
        !isEmpty
            && utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    /// A word that does not begin with a digit.
    var isPlainIdentifier: Bool {
        guard let first = utf8.first, isWord else { return false }
        return first < UInt8(ascii: "0") || first > UInt8(ascii: "9")
    }
}
