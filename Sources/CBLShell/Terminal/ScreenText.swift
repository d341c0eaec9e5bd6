import CBLBase
import CBLLanguage

/// Text that may go to a terminal as it is: what a literal says stands in the program, and may be a control sequence; what is put into it is
/// text from anywhere, of one line, and escaped.
///
///     StandardError.write("\r\(title): \(count)\u{1B}[K")
struct ScreenText: Equatable, Sendable, ExpressibleByStringInterpolation {
    private(set) var text: String

    init(stringLiteral text: String) { self.text = text }

    init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

    /// Text of several lines.
    init(lines text: String, lineEnd: StaticString = "\n") {
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        self.text = lines.map { TerminalText.escaped(String($0) ?? "") }.joined(separator: "\(lineEnd)")
    }

    init(_ parts: [ScreenText], separator: StaticString = "") { text = parts.map(\.text).joined(separator: "\(separator)") }

    /// Without one of its characters.
    func without(_ scalar: Unicode.Scalar) -> ScreenText {
        var result = self
        result.text.unicodeScalars.removeAll { $0 == scalar }
        return result
    }

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity + 16 * interpolationCount) }

        mutating func appendLiteral(_ literal: String) { text += literal }
        mutating func appendInterpolation(_ foreign: String) { text += TerminalText.escaped(foreign) }
        mutating func appendInterpolation(_ number: Int) { text += "\(number)" }
        mutating func appendInterpolation(_ code: StaticString) { text += "\(code)" }
        mutating func appendInterpolation(_ part: ScreenText) { text += part.text }
    }
}

/// Unbuffered standard error. It takes nothing but `ScreenText`, also where it is no terminal: who reads a report there must be able to trust
/// its lines, and may well print it on one.
enum StandardError {
    static func write(_ text: ScreenText) {
        var text = text.text
        text.withUTF8 { bytes in try? Output.send(UnsafeRawBufferPointer(bytes), to: 2) }
    }
}
