/// The roles that text has on the screen. A role, not a colour: which that is decides the theme.
enum Style: CaseIterable, Sendable {
    case heading, key, string, number, literal, dim, strong, added, removed, warning, error, id
    /// What was searched for, in the text that it was found in.
    case match

    /// Ends every one of them.
    static let off: StaticString = "\u{1B}[0m"
}

extension Session {
    /// Writes text from a database or a message in a style, if colours are wanted.
    func write(_ text: String, _ style: Style) throws(Output.Failure) {
        if terminal.usesColor { try output.write(theme.code(style)) }
        try output.write(text)
        if terminal.usesColor { try output.write(Style.off) }
    }
}
