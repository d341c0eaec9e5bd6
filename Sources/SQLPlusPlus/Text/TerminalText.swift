/// Makes text from a database safe to show: control characters, and those that turn the direction of writing, become visible escapes.
package enum TerminalText {
    /// A quick look at the bytes; true also for some that turn out harmless.
    package static func needsEscapes(_ bytes: UnsafeRawBufferPointer) -> Bool {
        for byte in bytes where byte < 0x20 || byte >= 0x7F { return true }
        return false
    }

    package static func escaped(_ bytes: UnsafeRawBufferPointer) -> String { escaped(String(decoding: bytes, as: UTF8.self)) }

    package static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isHarmful) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if isHarmful(scalar) { result += escape(scalar) } else { result.unicodeScalars.append(scalar) }
        }
        return result
    }

    /// As JSON and JSON5 write it, so that a coloured document is still one.
    package static func escape(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": return "\\n"
        case "\t": return "\\t"
        case "\r": return "\\r"
        default:
            let digits = String(scalar.value, radix: 16)
            return "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        }
    }

    package static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0: true
        // Marks, embeddings, overrides and isolates of writing direction; line and paragraph separators.
        case 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
