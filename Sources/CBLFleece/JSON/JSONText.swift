import CBLBase

/// The bytes of a JSON text and a place in it: the ground on which the parser stands.
///
/// Hot: the import benchmark. `place` never passes `end`, and nothing is read at or beyond `end`.
struct JSONText {
    let start: UnsafePointer<UInt8>
    let end: UnsafePointer<UInt8>
    var place: UnsafePointer<UInt8>
    let isJSON5: Bool

    init(_ bytes: UnsafeRawBufferPointer, _ dialect: JSONDialect) {
        let base = bytes.baseAddress ?? UnsafeRawPointer(Self.empty.utf8Start)
        start = base.assumingMemoryBound(to: UInt8.self)
        end = start + bytes.count
        place = start
        isJSON5 = dialect == .json5
        // Editors on some systems put a byte order mark before the text.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { place += 3 }
    }

    private static let empty: StaticString = ""

    @inline(__always) var isAtEnd: Bool { place == end }
    /// The byte here, or 0 at the end: no token starts with 0.
    @inline(__always) var byte: UInt8 { place < end ? place.pointee : 0 }

    /// The byte `distance` further on, or 0 beyond the end.
    @inline(__always) func byte(_ distance: Int) -> UInt8 { distance < end - place ? place[distance] : 0 }

    /// Goes to the next byte that is neither white space nor, in JSON5, part of a comment.
    @inline(__always)
    mutating func skipBlanks() throws(JSONError) {
        while place < end {
            let byte = place.pointee
            if byte > 0x20 {
                if isJSON5, byte == UInt8(ascii: "/") || byte >= 0x80 { break }
                return
            }
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { break }
            place += 1
        }
        if isJSON5 { try skipJSON5Blanks() }
    }

    /// Whether `word` stands here; goes behind it if so.
    mutating func skip(_ word: StaticString) -> Bool {
        let length = word.utf8CodeUnitCount
        guard end - place >= length else { return false }
        for index in 0..<length where place[index] != word.utf8Start[index] { return false }
        place += length
        return true
    }

    /// The length of the UTF-8 sequence of two to four bytes here, or 0 if it is not one. Overlong forms, surrogates
    /// and what lies beyond U+10FFFF are not.
    @inline(__always)
    var sequenceLength: Int { UTF8Sequence.length(at: place, end: end) }

    // Errors

    func error(_ message: String, at position: UnsafePointer<UInt8>? = nil, isUnfinished: Bool? = nil) -> JSONError {
        let position = position ?? place
        return JSONError(
            message, at: position - start, of: UnsafeRawBufferPointer(start: start, count: end - start),
            isUnfinished: isUnfinished ?? (position >= end))
    }

    func error(expected: String) -> JSONError { error("expected \(expected), found \(found)") }

    /// An error about the bytes here that are not UTF-8; if they may be the beginning of a sequence, an unfinished text.
    var encodingError: JSONError {
        let isCut = UTF8Sequence.isCut(at: place, end: end)
        return error("invalid UTF-8 (byte 0x\(hex(place.pointee)))", isUnfinished: isCut)
    }

    /// What is here, in words for a person.
    var found: String {
        guard place < end else { return "the end of the text" }
        let byte = place.pointee
        if byte < 0x20 || byte == 0x7F { return byte == 0x0A || byte == 0x0D ? "the end of the line" : "control character 0x\(hex(byte))" }
        if byte < 0x80 { return "'\(Character(Unicode.Scalar(byte)))'" }
        let length = sequenceLength
        guard length > 0 else { return "invalid UTF-8 (byte 0x\(hex(byte)))" }
        return "'\(String(decoding: UnsafeBufferPointer(start: place, count: length), as: UTF8.self))'"
    }

    private func hex(_ byte: UInt8) -> String { withUnsafeBytes(of: byte) { Hex.text(of: $0) } }
}

/// Sequences of UTF-8 beyond ASCII.
enum UTF8Sequence {
    /// The length of the well-formed sequence at `place`, 2 to 4, or 0 if there is none.
    static func length(at place: UnsafePointer<UInt8>, end: UnsafePointer<UInt8>) -> Int {
        let available = end - place
        guard available >= 2 else { return 0 }
        let first = place[0]
        let second = place[1]
        switch first {
        case 0xC2...0xDF:
            return second & 0xC0 == 0x80 ? 2 : 0
        case 0xE0...0xEF:
            guard available >= 3, secondRange(first).contains(second), place[2] & 0xC0 == 0x80 else { return 0 }
            return 3
        case 0xF0...0xF4:
            guard available >= 4, secondRange(first).contains(second), place[2] & 0xC0 == 0x80, place[3] & 0xC0 == 0x80 else { return 0 }
            return 4
        default:
            return 0
        }
    }

    /// Whether the bytes up to `end` are the beginning of a sequence that would go on behind it.
    static func isCut(at place: UnsafePointer<UInt8>, end: UnsafePointer<UInt8>) -> Bool {
        let available = end - place
        guard available > 0 else { return true }
        let first = place[0]
        let needed = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
        guard (0xC2...0xF4).contains(first), available < needed else { return false }
        if available > 1, !secondRange(first).contains(place[1]) { return false }
        return available < 3 || place[2] & 0xC0 == 0x80
    }

    /// The second byte's range is what excludes overlong forms, surrogates and code points that do not exist.
    private static func secondRange(_ first: UInt8) -> ClosedRange<UInt8> {
        switch first {
        case 0xE0: 0xA0...0xBF
        case 0xED: 0x80...0x9F
        case 0xF0: 0x90...0xBF
        case 0xF4: 0x80...0x8F
        default: 0x80...0xBF
        }
    }
}
