/// What the vendor's library stems differently: it carries Snowball's algorithms of 2012, and three of them have changed since.
///
/// An index must be cut the way it was written, so words are respelled to make today's algorithms decide as the old ones did: a letter is
/// replaced by one of as many bytes that has the old one's role, and restored in the stem. In Hungarian, the letters ő and ű were not known
/// (but õ and û taken for them); in French, ë and ï were vowels like others; in Portuguese, the suffix -ução was not known.
enum OlderSnowball {
    case french, hungarian, portuguese

    init?(_ language: String) {
        switch language {
        case "french": self = .french
        case "hungarian": self = .hungarian
        case "portuguese": self = .portuguese
        default: return nil
        }
    }

    /// Whether a word may have to be respelled.
    func concerns(_ word: UnsafeRawBufferPointer) -> Bool { word.contains { $0 >= 0x80 } }

    /// The respelled word, with as many bytes; but French -guë becomes -gue, where the old algorithm dropped its last letter.
    func respell(_ word: UnsafeRawBufferPointer, into buffer: inout [UInt8]) {
        buffer.removeAll(keepingCapacity: true)
        buffer.append(contentsOf: word)
        if self == .french, OlderSnowball.dropsLast(word) {
            buffer.removeLast(2)
            buffer.append(UInt8(ascii: "e"))
        }
        var index = 0
        while index + 1 < buffer.count {
            let pair = UInt16(buffer[index]) << 8 | UInt16(buffer[index + 1])
            if let new = replacement(for: pair, in: buffer, at: index) {
                buffer[index] = UInt8(new >> 8)
                buffer[index + 1] = UInt8(truncatingIfNeeded: new)
                index += 1
            }
            index += 1
        }
    }

    private func replacement(for pair: UInt16, in word: [UInt8], at index: Int) -> UInt16? {
        switch (self, pair) {
        case (.french, 0xC3AB), (.french, 0xC3AF): return 0xC3B4
        case (.hungarian, 0xC591): return 0xC595
        case (.hungarian, 0xC5B1): return 0xC597
        case (.hungarian, 0xC3B5): return 0xC591
        case (.hungarian, 0xC3BB): return 0xC5B1
        case (.portuguese, 0xC3A7):
            guard index > 0, word[index - 1] == UInt8(ascii: "u"), index + 3 < word.count, word[index + 2] == 0xC3 else { return nil }
            return word[index + 3] == 0xA3 || word[index + 3] == 0xB5 ? 0xC595 : nil
        default: return nil
        }
    }

    /// Undoes the respelling in a stem.
    func restore(_ stem: UnsafeRawBufferPointer, of word: UnsafeRawBufferPointer, respelled: [UInt8], into buffer: inout TokenBuffer) {
        var bytes = Array(stem)
        for index in 0..<min(bytes.count, word.count, respelled.count) where bytes[index] == respelled[index] { bytes[index] = word[index] }
        if respelled.count < word.count, stem.count == respelled.count, let last = word.last { bytes.append(last) }
        bytes.withUnsafeBytes { buffer.append($0) }
    }

    /// Whether a word ends in -guë behind the part that French stems keep.
    private static func dropsLast(_ word: UnsafeRawBufferPointer) -> Bool {
        guard word.count >= 4, word.suffix(4).elementsEqual("guë".utf8) else { return false }
        let letters = Array(String(decoding: word, as: UTF8.self).unicodeScalars)
        let vowels = "aeiouyâàëéêèïîôûù".unicodeScalars
        let kept: Int
        if letters.count > 1, vowels.contains(letters[0]), vowels.contains(letters[1]) {
            kept = 3
        } else if ["par", "col", "tap"].contains(where: { letters.starts(with: $0.unicodeScalars) }) {
            kept = 3
        } else {
            kept = (letters.indices.dropFirst().first { vowels.contains(letters[$0]) } ?? letters.count) + 1
        }
        return kept <= letters.count - 3
    }
}
