import FoundationEssentials

/// Inputs of a reader as a text: one a line, in which bytes that cannot be seen are spelled. Lines that begin with `#` say why the next one is kept.
///
/// `Cases/NAME.txt` are inputs that something was once wrong with, kept by hand. `Corpus/NAME.txt` reach as much of the reader as was ever reached,
/// and are written anew by `make fuzz`.
package enum Corpus {
    private static let folder = String(#filePath.dropLast("Corpus.swift".count))

    /// All that is kept for a reader.
    package static func inputs(of reader: FuzzedReader) throws -> [[UInt8]] {
        try reader.seeds + reader.others + ["Cases", "Corpus"].flatMap { try inputs("\(folder)\($0)/\(reader.name).txt") }
    }

    private static func inputs(_ path: String) throws -> [[UInt8]] {
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        return try parsed(String(contentsOfFile: path, encoding: .utf8))
    }

    /// The shortest of them, as many as are no burden.
    package static func write(_ inputs: [[UInt8]], for reader: FuzzedReader) throws {
        var bytes = 0
        let kept = inputs.sorted { $0.count < $1.count }.prefix {
            bytes += $0.count
            return bytes < mostBytes
        }
        try text(Array(kept)).write(toFile: "\(folder)Corpus/\(reader.name).txt", atomically: true, encoding: .utf8)
    }

    private static let mostBytes = 24 << 10

    package struct Malformed: Error { let line: Substring }

    package static func parsed(_ text: String) throws -> [[UInt8]] {
        try text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().filter { !$0.hasPrefix("#") }.map(bytes)
    }

    /// Shortest first, so that a change of it shows what is new.
    package static func text(_ inputs: [[UInt8]]) -> String {
        Set(inputs).sorted { $0.count != $1.count ? $0.count < $1.count : $0.lexicographicallyPrecedes($1) }.map { line($0) + "\n" }
            .joined()
    }

    private static let letters: [(byte: UInt8, letter: Character)] = [(0x5C, "\\"), (0x0A, "n"), (0x0D, "r"), (0x09, "t")]

    private static func line(_ bytes: [UInt8]) -> String {
        var line = ""
        for (place, byte) in bytes.enumerated() {
            let isAtEdge = place == 0 || place == bytes.count - 1
            if let letter = letters.first(where: { $0.byte == byte })?.letter {
                line += "\\\(letter)"
            } else if (0x21...0x7E).contains(byte) && !(isAtEdge && byte == UInt8(ascii: "#")) || byte == 0x20 && !isAtEdge {
                line.append(Character(UnicodeScalar(byte)))
            } else {
                line += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
        return line
    }

    private static func bytes(_ line: Substring) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = line.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            let kind = rest.popFirst().map { Character(UnicodeScalar($0)) }
            if let known = letters.first(where: { $0.letter == kind }) {
                bytes.append(known.byte)
            } else if kind == "x", rest.count > 1, let byte = UInt8(Substring(rest.prefix(2)), radix: 16) {
                bytes.append(byte)
                rest = rest.dropFirst(2)
            } else {
                throw Malformed(line: line)
            }
        }
        return bytes
    }
}
