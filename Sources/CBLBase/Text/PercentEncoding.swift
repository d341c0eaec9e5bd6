/// `%20` and the like, in the paths of URLs and the names of files.
package enum PercentEncoding {
    /// A name as one component of a path: everything but letters, digits and `-._~!$&'()*+,=:@` is encoded.
    package static func component(_ name: String) -> String {
        encode(name.utf8) { isUnreserved($0) || "!$&'()*+,=:@".utf8.contains($0) }
    }

    /// A text of which everything but letters, digits and `-._~` is encoded: one that means the same to every server, wherever in a URL it stands.
    package static func unreserved(_ text: String) -> String { encode(text.utf8, unless: isUnreserved) }

    /// The text with what must not stand in a path or a query encoded; what is encoded already stays.
    package static func path(_ text: some StringProtocol) -> String {
        encode(text.utf8) { $0 > 0x20 && $0 < 0x7F && !"\"<>\\^`{|}".utf8.contains($0) }
    }

    /// Nil if a `%` does not have two digits behind it, or the bytes are not UTF-8.
    package static func decode(_ text: some StringProtocol) -> String? {
        var bytes: [UInt8] = []
        var rest = Substring(text).utf8
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2)
            guard digits.count == 2, let decoded = Hex.bytes(of: String(decoding: digits, as: UTF8.self)) else { return nil }
            bytes += decoded
            rest.removeFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
        default: "-._~".utf8.contains(byte)
        }
    }

    /// `%` and two digits, in capitals as URLs have them.
    package static func append(_ byte: UInt8, to text: inout [UInt8]) {
        func digit(_ half: UInt8) -> UInt8 { half < 10 ? UInt8(ascii: "0") + half : UInt8(ascii: "A") - 10 + half }
        text += [UInt8(ascii: "%"), digit(byte >> 4), digit(byte & 15)]
    }

    private static func encode(_ bytes: some Sequence<UInt8>, unless isAllowed: (UInt8) -> Bool) -> String {
        var text: [UInt8] = []
        for byte in bytes {
            if isAllowed(byte) {
                text.append(byte)
            } else {
                append(byte, to: &text)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
