import CBLFleece

/// What separates the cells of a table: a comma as a rule; anything else that can be told from quotes and the ends of lines.
package struct Delimiter: Hashable, Sendable, CustomStringConvertible {
    package let bytes: [UInt8]
    let first: UInt8

    package static let comma = Delimiter(byte: UInt8(ascii: ","))
    package static let tab = Delimiter(byte: UInt8(ascii: "\t"))
    /// What programs write between cells, besides commas.
    static let usual = [comma, Delimiter(byte: UInt8(ascii: ";")), tab, Delimiter(byte: UInt8(ascii: "|"))]

    static let longest = 16

    private init(byte: UInt8) {
        bytes = [byte]
        first = byte
    }

    /// Nil for a text that cannot be one: what begins like a number, `true` or `null` could be a cell.
    package init?(_ text: String) {
        guard let first = text.utf8.first, text.utf8.count <= Delimiter.longest,
            !text.utf8.contains(where: { "\"\n\r\0".utf8.contains($0) }),
            !Character(Unicode.Scalar(first)).isLetter || first >= 0x80, !"0123456789+-.".utf8.contains(first)
        else { return nil }
        bytes = Array(text.utf8)
        self.first = first
    }

    /// The byte that it is, if it is only one.
    package var onlyByte: UInt8? { bytes.count == 1 ? first : nil }

    package var description: String { String(decoding: bytes, as: UTF8.self) }

    package func append(to row: inout ByteBuffer) {
        if bytes.count == 1 { row.append(first) } else { bytes.withUnsafeBytes { row.append($0) } }
    }

    /// Whether a text has it, so that a cell with that text needs quotes; or the end of one that the delimiter behind it would complete.
    func mayStand(in text: UnsafeRawBufferPointer) -> Bool { text.contains(first) }
}
