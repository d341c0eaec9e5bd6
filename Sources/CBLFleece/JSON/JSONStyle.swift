/// How JSON text is laid out. Styles combine: `[.canonical, .pretty]`.
package struct JSONStyle: OptionSet, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// No blanks, dictionaries in their stored order.
    package static let compact: JSONStyle = []
    /// Dictionaries sorted by the bytes of their keys. Compact and canonical is the form that digests are taken of.
    package static let canonical = JSONStyle(rawValue: 1)
    /// A line for each member and item, indented by two spaces per level. Brackets around nothing stand on lines of their own too, as the
    /// vendor's program prints them.
    package static let pretty = JSONStyle(rawValue: 2)
    /// Keys without quotes where JSON5 allows that and they are ASCII.
    package static let json5 = JSONStyle(rawValue: 4)
}
