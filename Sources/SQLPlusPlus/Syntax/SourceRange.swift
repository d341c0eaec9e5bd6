/// Where something stands in the text of a query: offsets in bytes of UTF-8, the end excluded.
///
/// What does not come from a text (a query given as JSON) has the range `none`.
public struct SourceRange: Sendable, Hashable {
    public var start: Int
    public var end: Int

    public init(_ start: Int, _ end: Int) {
        self.start = start
        self.end = end
    }

    public static let none = SourceRange(-1, -1)

    public var isNone: Bool { start < 0 }
}
