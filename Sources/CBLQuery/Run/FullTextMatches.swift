import CBLSystemSQLite

/// Where a full-text query found its words in the current row's document.
package struct FullTextMatch: Hashable, Sendable {
    /// Which of the query's full-text indexes it is about, in the order in which the query names them.
    package let index: Int
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
    static func matches(_ offsets: UnsafeRawBufferPointer, index: Int) -> [FullTextMatch] {
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
                index: index, property: numbers[start], term: numbers[start + 1], offset: numbers[start + 2], length: numbers[start + 3])
        }
    }
}

extension QueryRows {
    /// All matches of the current row, by index and then in SQLite's order. None for a query without `MATCH`, or with aggregation.
    package var fullTextMatches: [FullTextMatch] {
        guard let statement = running, hiddenColumnCount > 1 else { return [] }
        var matches: [FullTextMatch] = []
        for index in 1..<hiddenColumnCount {
            guard let text = statement.text(Int32(index)) else { continue }
            matches += FullTextMatch.matches(text, index: index - 1)
        }
        return matches
    }

    /// The number of the current row's document in its table, where the query has hidden columns. It identifies the text that matched.
    package var documentRow: Int64? {
        guard let statement = running, hiddenColumnCount > 0, statement.type(0) == SQLITE_INTEGER else { return nil }
        return statement.int64(0)
    }
}
