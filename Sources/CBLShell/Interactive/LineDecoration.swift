import CBLBase
import CBLLanguage

/// Draws the line that libedit has drawn once more, in colours, and behind it in faint letters what the history suggests.
///
/// libedit knows of none of that: the same characters stand in the same places, the cursor comes back to where it was, and what is suggested is taken
/// away before the next key is acted upon.
struct LineDecoration {
    let theme: Theme
    /// What was typed of the statement before this line.
    var earlier = ""
    var commands: Set<String> = []

    /// What is on the screen of a line that is typed.
    struct Place {
        let columns: Int
        /// Of the prompt.
        let indent: Int
        let line: String
        /// In bytes of the line.
        let cursor: Int
    }

    /// What draws a line. `suggestion` is what could follow; brackets are marked while one is still typing.
    func drawing(_ place: Place, suggestion: String, marksBrackets: Bool) -> ScreenText? {
        let bytes = Array(place.line.utf8)
        let width = DisplayWidth.of(place.line)
        // Where libedit breaks a line with wide characters is its own business, and so is what it makes of others.
        guard !bytes.isEmpty, !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }),
            !place.line.unicodeScalars.contains(where: TerminalText.isHarmful),
            width == place.line.unicodeScalars.count || place.indent + width < place.columns
        else { return nil }
        let coloring = LineColoring(of: place.line, behind: earlier, commands: commands)
        let before = DisplayWidth.of(String(decoding: bytes[..<place.cursor], as: UTF8.self))
        let rows = (place.indent + before) / place.columns
        var parts: [ScreenText] = ["\u{1B}7\r"]
        if rows > 0 { parts.append("\u{1B}[\(rows)A") }
        if place.indent > 0 { parts.append("\u{1B}[\(place.indent)C") }
        let brackets = marksBrackets ? coloring.brackets(atCursor: place.cursor) : []
        var position = 0
        func text(_ range: Range<Int>) -> ScreenText { "\(String(decoding: bytes[range], as: UTF8.self))" }
        for span in coloring.spans + [LineColoring.Span(range: bytes.count..<bytes.count, style: .dim)] {
            for bracket in brackets where (position..<span.range.lowerBound).contains(bracket) {
                parts.append("\(text(position..<bracket))\u{1B}[7m\(text(bracket..<bracket + 1))\(Style.off)")
                position = bracket + 1
            }
            parts.append(text(position..<span.range.lowerBound))
            if !span.range.isEmpty { parts.append("\(theme.code(span.style))\(text(span.range))\(Style.off)") }
            position = span.range.upperBound
        }
        if !suggestion.isEmpty { parts.append("\(theme.code(.dim))\(suggestion)\(Style.off)") }
        parts.append("\u{1B}8")
        return ScreenText(parts)
    }

    /// What of a suggestion fits behind the line. Its last column stays free: what stands there could move the cursor.
    static func fitting(_ suggestion: String, _ place: Place) -> String {
        let used = (place.indent + DisplayWidth.of(place.line)) % place.columns
        var room = place.columns - used - 1
        var shown = ""
        for scalar in suggestion.unicodeScalars {
            room -= DisplayWidth.of(String(scalar))
            guard room >= 0, scalar.value >= 0x20, !TerminalText.isHarmful(scalar) else { break }
            shown.unicodeScalars.append(scalar)
        }
        return shown
    }
}
