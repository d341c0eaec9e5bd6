/// What somebody else says, for a message to a person: one line, and not a long one.
///
/// With a line end a peer could write lines of our report, and characters that cannot be seen make one name look like another.
package enum ForeignText {
    /// In Unicode scalars, as one letter may have any number of marks.
    package static let usualLimit = 300

    /// Blanks in place of line ends and other control characters, nothing in place of what only steers how text is shown, `…` where it is cut.
    package static func line(_ text: some StringProtocol, limit: Int = usualLimit) -> String {
        // Nearly all are plain, and short.
        if text.utf8.count <= limit, text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return String(text) }
        var line = String.UnicodeScalarView()
        var count = 0
        for scalar in text.unicodeScalars {
            guard let shown = shown(scalar) else { continue }
            guard count < limit else {
                line.append("…")
                break
            }
            line.append(shown)
            count += 1
        }
        return String(line)
    }

    private static func shown(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: " "
        // Some scripts, and families of emoji, need the joiners.
        case .format where scalar.value == 0x200C || scalar.value == 0x200D: scalar
        case .format: nil
        default: scalar
        }
    }
}
