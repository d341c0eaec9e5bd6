/// How the roles of text look. Nothing is told by colour alone: without any, every result can be read.
enum Theme: String, CaseIterable, Sendable {
    /// Of the sixteen colours that every terminal has, those that can be read on black and on white.
    case standard = "default"
    /// For a dark and for a light background, out of 256 colours.
    case dark, light
    /// Bold, underlined and inverse, but no colours.
    case mono
    /// Nothing at all.
    case none

    static let names = allCases.map(\.rawValue)

    /// The escape sequence that turns a style on; `Style.off` ends every one of them.
    func code(_ style: Style) -> StaticString {
        switch self {
        case .standard: Theme.standardCode(style)
        case .dark: Theme.darkCode(style)
        case .light: Theme.lightCode(style)
        case .mono: Theme.monoCode(style)
        case .none: ""
        }
    }

    // Yellow cannot be read on white, nor plain blue on black.
    private static func standardCode(_ style: Style) -> StaticString {
        switch style {
        case .heading: "\u{1B}[1;4m"
        case .key: "\u{1B}[1;34m"
        case .string, .added: "\u{1B}[32m"
        case .number: "\u{1B}[36m"
        case .literal: "\u{1B}[35m"
        case .dim: "\u{1B}[2m"
        case .strong: "\u{1B}[1m"
        case .removed: "\u{1B}[31m"
        case .warning: "\u{1B}[1;35m"
        case .error: "\u{1B}[1;31m"
        case .id: "\u{1B}[1;36m"
        case .match: "\u{1B}[1;31m"
        }
    }

    private static func darkCode(_ style: Style) -> StaticString {
        switch style {
        case .heading: "\u{1B}[1;4;38;5;255m"
        case .key: "\u{1B}[38;5;117m"
        case .string: "\u{1B}[38;5;150m"
        case .number: "\u{1B}[38;5;215m"
        case .literal: "\u{1B}[38;5;183m"
        case .dim: "\u{1B}[38;5;246m"
        case .strong: "\u{1B}[1;38;5;255m"
        case .added: "\u{1B}[38;5;114m"
        case .removed: "\u{1B}[38;5;210m"
        case .warning: "\u{1B}[38;5;221m"
        case .error: "\u{1B}[1;38;5;203m"
        case .id: "\u{1B}[38;5;80m"
        case .match: "\u{1B}[1;38;5;210m"
        }
    }

    private static func lightCode(_ style: Style) -> StaticString {
        switch style {
        case .heading: "\u{1B}[1;4;38;5;16m"
        case .key: "\u{1B}[38;5;25m"
        case .string: "\u{1B}[38;5;22m"
        case .number: "\u{1B}[38;5;130m"
        case .literal: "\u{1B}[38;5;90m"
        case .dim: "\u{1B}[38;5;242m"
        case .strong: "\u{1B}[1;38;5;16m"
        case .added: "\u{1B}[38;5;28m"
        case .removed: "\u{1B}[38;5;124m"
        case .warning: "\u{1B}[38;5;94m"
        case .error: "\u{1B}[1;38;5;160m"
        case .id: "\u{1B}[38;5;24m"
        case .match: "\u{1B}[1;38;5;160m"
        }
    }

    private static func monoCode(_ style: Style) -> StaticString {
        switch style {
        case .heading: "\u{1B}[1;4m"
        case .key, .strong, .added, .id: "\u{1B}[1m"
        case .removed, .dim: "\u{1B}[2m"
        case .warning, .match: "\u{1B}[4m"
        case .error: "\u{1B}[1;7m"
        case .string, .number, .literal: ""
        }
    }

    /// A line that shows each style, for whoever chooses.
    func writeSample(to session: Session, isColored: Bool) throws {
        let samples: [(text: String, style: Style?)] = [
            (rawValue.padded(to: 9), nil), ("heading", .heading), (" {", nil), ("\"a\"", .key), (": ", nil), ("\"x\"", .string),
            (", ", nil), ("\"n\"", .key), (": ", nil), ("36", .number), (", ", nil), ("\"ok\"", .key), (": ", nil), ("true", .literal),
            ("} ", nil), ("id", .id), (" ", nil), ("+ new", .added), (" ", nil), ("- gone", .removed), (" ", nil), ("~", .warning),
            (" ", nil), ("error", .error), (" ", nil), ("dim", .dim),
        ]
        for (text, style) in samples {
            if let style, isColored, self != .none {
                try session.output.write(code(style))
                try session.output.write(text)
                try session.output.write(Style.off)
            } else {
                try session.output.write(text)
            }
        }
        try session.output.write("\n")
    }
}

extension String {
    /// With blanks behind it, up to so many characters.
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
