/// A value in which the pattern was found, or the value of a property in whose name it was.
package struct SearchHit: Sendable, Hashable {
    package enum Content: Sendable, Hashable {
        case text(String)
        /// A number, a Boolean or null, as JSON writes it.
        case json(String)
        case object, array
    }

    /// As SQL++ writes it: `reviews[3].author`.
    package let path: String
    package let content: Content
    /// Bytes of UTF-8: of the text or the JSON, or of the path where names were searched.
    package let matches: [Range<Int>]

    /// About how much memory it takes.
    var size: Int {
        let value =
            switch content {
            case .text(let text), .json(let text): text.utf8.count
            case .object, .array: 0
            }
        return path.utf8.count + value + 16 * matches.count + 96
    }
}

/// A document in which something was found.
package struct FoundDocument: Sendable {
    package let id: String
    /// Empty if nobody wanted to see them.
    package let hits: [SearchHit]
}
