/// Text that does something to a terminal, or hides in it, and the look for it in what a program has sent.
///
/// Every control stands between two marks, `Zq` and `qZ`, which nothing of the program's own contains.
package enum HostileText {
    /// Controls that can be part of a string.
    package static let controls: [String] = [
        "\u{1B}[31m", "\u{1B}[2J", "\u{1B}]52;c;WA==\u{7}", "\u{1B}]8;;http://example.com\u{1B}\\", "\u{1B}P$q\u{1B}\\", "\u{9B}31m",
        "\u{9D}0;x\u{9C}",
        "\u{7}", "\u{8}\u{8}", "\r", "\n", "\r\n", "\u{B}", "\u{C}", "\u{7F}", "\u{85}", "\u{61C}", "\u{200E}", "\u{202E}", "\u{2066}",
        "\u{2028}",
        "\u{200B}", "\u{2060}", "\u{FEFF}", "\u{AD}", "\u{3164}", "\u{E0041}\u{E007F}", "\u{E0100}", "\u{FFF9}", "\u{1D173}", "\n\u{301}",
        "\u{600}\r",
    ]

    /// One of them between its marks.
    package static func marked(_ control: String) -> String { "Zq\(control)qZ" }

    /// All of them, one behind the other.
    package static let all = controls.map(marked).joined()

    /// The same for names of files, which hold no slash, and no more than 255 bytes.
    package static let fileName = controls.prefix(24).map { marked($0.split(separator: "/").joined()) }.joined()

    /// What in these bytes would do something to a terminal that the program has not meant, with what stands round it; nil if nothing would. The
    /// ends of lines are the program's own, and so are those controls that it says.
    package static func harm(in bytes: [UInt8], allowing own: [String] = []) -> String? {
        guard var text = String(validating: bytes, as: UTF8.self) else { return "not UTF-8: \(excerpt(bytes[...]))" }
        for control in ["\r\n", "\r\u{1B}[K"] + own { text = text.removing(control) }
        let scalars = Array(text.unicodeScalars)
        guard let place = scalars.firstIndex(where: { isHarmful($0) && $0 != "\n" }) else { return nil }
        let around = scalars[max(0, place - 30)..<min(scalars.count, place + 30)]
        return around.map { $0.escaped(asASCII: true) }.joined()
    }

    /// Whether some text of hostile names is there at all: a look for harm in nothing finds none.
    package static func isShown(in bytes: [UInt8]) -> Bool {
        bytes.indices.dropLast().contains { bytes[$0] == 0x5A && bytes[$0 + 1] == 0x71 }
    }

    private static func excerpt(_ bytes: ArraySlice<UInt8>) -> String {
        bytes.suffix(200).map { String($0, radix: 16) }.joined(separator: " ")
    }

    // Not the program's own list, or a hole in that would never be seen.
    private static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return true
        case .format: return !(0x600...0x605).contains(scalar.value) && scalar != "\u{200C}" && scalar != "\u{200D}"
        default:
            return scalar.properties.isDefaultIgnorableCodePoint && !scalar.properties.isVariationSelector
                || (0xE0100...0xE01EF).contains(scalar.value)
        }
    }
}

extension String {
    fileprivate func removing(_ text: String) -> String {
        let (bytes, part) = (Array(utf8), Array(text.utf8))
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var place = 0
        while place < bytes.count {
            if bytes[place] == part[0], bytes[place...].starts(with: part) {
                place += part.count
            } else {
                result.append(bytes[place])
                place += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
