import CBLFunctions

/// Finds a text in which there are letters beyond ASCII, in any case: character by character.
struct FoldedFinder: Sendable {
    private let characters: [UInt32]

    /// Nil for an empty text.
    init?(_ text: String) {
        characters = text.unicodeScalars.map { CaseFolding.plain.fold($0.value) }
        if characters.isEmpty { return nil }
    }

    /// The first bytes, from `start` on, that are the text.
    func range(in bytes: UnsafeRawBufferPointer, from start: Int = 0) -> Range<Int>? {
        var place = start
        while place < bytes.count {
            if let end = end(of: bytes, from: place) { return place..<end }
            _ = FoldedFinder.character(bytes, &place)
        }
        return nil
    }

    private func end(of bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        var place = start
        for wanted in characters {
            guard place < bytes.count, CaseFolding.plain.fold(FoldedFinder.character(bytes, &place)) == wanted else { return nil }
        }
        return place
    }

    /// The character at a place, which moves behind it. A byte that is none by itself becomes one that no text is searched for.
    @inline(__always)
    private static func character(_ bytes: UnsafeRawBufferPointer, _ place: inout Int) -> UInt32 {
        let lead = bytes[place]
        place &+= 1
        if lead < 0x80 { return UInt32(lead) }
        let more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1
        guard lead >= 0xC2, lead < 0xF5, place &+ more <= bytes.count else { return .max }
        var value = UInt32(lead) & (0x3F >> UInt32(more))
        for index in place..<place &+ more {
            guard bytes[index] & 0xC0 == 0x80 else { return .max }
            value = value << 6 | UInt32(bytes[index] & 0x3F)
        }
        place &+= more
        return value
    }
}
