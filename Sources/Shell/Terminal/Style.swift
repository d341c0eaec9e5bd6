/// The roles that colours have. A role, not a colour: a theme may give it another one.
enum Style: Sendable {
    case heading, key, string, number, literal, dim, strong, added, removed, warning

    /// The escape sequence that turns it on; `Style.off` ends every one of them.
    var code: StaticString {
        switch self {
        case .heading: "\u{1B}[1;4m"
        case .key: "\u{1B}[34m"
        case .string: "\u{1B}[32m"
        case .number: "\u{1B}[36m"
        case .literal: "\u{1B}[35m"
        case .dim: "\u{1B}[2m"
        case .strong: "\u{1B}[1m"
        case .added: "\u{1B}[32m"
        case .removed: "\u{1B}[31m"
        case .warning: "\u{1B}[33m"
        }
    }

    static let off: StaticString = "\u{1B}[0m"
}

extension Session {
    /// Writes text from a database or a message in a style, if colours are wanted.
    func write(_ text: String, _ style: Style) throws(Output.Failure) {
        if terminal.usesColor { try output.write(style.code) }
        try output.writeText(text)
        if terminal.usesColor { try output.write(Style.off) }
    }
}
