/// Where something stands in the text of a query: offsets in bytes of UTF-8, the end excluded.
///
/// What does not come from a text (a query given as JSON) has the range `none`.
package struct SourceRange: Sendable, Hashable {
    package var start: Int
    package var end: Int

    package init(_ start: Int, _ end: Int) {
        self.start = start
        self.end = end
    }

    package static let none = SourceRange(-1, -1)

    package var isNone: Bool { start < 0 }
}
