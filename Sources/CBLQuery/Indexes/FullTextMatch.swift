/// Where a search of a full-text index found its words in a document.
package struct FullTextMatch: Hashable, Sendable {
    /// Which of the index's expressions the text is of.
    package let property: Int
    /// Which of the words looked for.
    package let term: Int
    /// In bytes of the text's UTF-8.
    package let offset: Int
    package let length: Int
}

extension FullTextMatch {
    /// Reads what SQLite's function `offsets` gives: four numbers for each, "property term offset length".
    static func matches(_ offsets: UnsafeRawBufferPointer) -> [FullTextMatch] {
        var numbers = [0]
        for byte in offsets {
            if byte == UInt8(ascii: " ") {
                numbers.append(0)
            } else {
                numbers[numbers.count - 1] = numbers[numbers.count - 1] &* 10 &+ Int(byte &- 48)
            }
        }
        return stride(from: 0, to: numbers.count - 3, by: 4).map { start in
            FullTextMatch(
                property: numbers[start], term: numbers[start + 1], offset: numbers[start + 2], length: numbers[start + 3])
        }
    }
}
