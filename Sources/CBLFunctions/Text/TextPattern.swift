import CBLSQLite
import Glibc

/// Searches in text, character by character, under a collation. The work can grow as the product of both lengths: then it is given up.
enum TextPattern {
    /// Comparisons of two characters: a few seconds of them.
    private static let mostSteps = 1 << 26

    /// Whether some run of characters of the text equals the part, one by one. Nil if that takes too long.
    static func contains(_ text: UnsafeRawBufferPointer, _ part: UnsafeRawBufferPointer, _ collation: UnicodeCollation) -> Bool? {
        if hasBytes(text, part) { return true }
        // Equal bytes are all that distinguishes characters of ASCII, unless case does not count.
        if !collation.name.ignoresCase && part.allSatisfy({ $0 < 0x80 }) && text.allSatisfy({ $0 < 0x80 }) { return false }
        var start = 0
        var steps = mostSteps
        while start < text.count {
            if begins(text, at: start, with: part, collation, &steps) { return true }
            if steps < 0 { return nil }
            start = end(of: text, at: start)
        }
        return false
    }

    private static func hasBytes(_ text: UnsafeRawBufferPointer, _ part: UnsafeRawBufferPointer) -> Bool {
        guard let needle = part.baseAddress, let first = part.first else { return true }
        guard var place = text.baseAddress else { return false }
        let end = place + text.count
        while end - place >= part.count, let found = memchr(place, Int32(first), end - place - part.count + 1) {
            if memcmp(found, needle, part.count) == 0 { return true }
            place = UnsafeRawPointer(found) + 1
        }
        return false
    }

    private static func begins(
        _ text: UnsafeRawBufferPointer, at start: Int, with part: UnsafeRawBufferPointer, _ collation: UnicodeCollation, _ steps: inout Int
    ) -> Bool {
        var (position, wanted) = (start, 0)
        while wanted < part.count {
            guard position < text.count, mayGoOn(&steps) else { return false }
            let (next, nextWanted) = (end(of: text, at: position), end(of: part, at: wanted))
            guard equal(text[position..<next], part[wanted..<nextWanted], collation) else { return false }
            position = next
            wanted = nextWanted
        }
        return true
    }

    private static func mayGoOn(_ steps: inout Int) -> Bool {
        steps -= 1
        if steps & 0xFFFF == 0, Interrupts.isRequested { steps = -1 }
        return steps >= 0
    }

    /// Whether the whole text matches a pattern of `%` (any run), `_` (one character) and `\` before a character that means itself. Nil if that
    /// takes too long.
    static func isLike(_ text: UnsafeRawBufferPointer, _ pattern: UnsafeRawBufferPointer, _ collation: UnicodeCollation) -> Bool? {
        var (position, rule) = (0, 0)
        var steps = mostSteps
        // Where to go on after a mismatch: behind the last run, which then takes one character more. Earlier runs need no second thought.
        var retry: (position: Int, rule: Int)?
        while true {
            guard mayGoOn(&steps) else { return nil }
            if rule < pattern.count, pattern[rule] == UInt8(ascii: "%") {
                rule += 1
                retry = (position, rule)
                continue
            }
            if rule == pattern.count && position == text.count { return true }
            if rule < pattern.count, position < text.count {
                let next = end(of: text, at: position)
                if pattern[rule] == UInt8(ascii: "_") {
                    position = next
                    rule += 1
                    continue
                }
                let isEscape = pattern[rule] == UInt8(ascii: "\\") && rule + 1 < pattern.count
                let literal = isEscape ? rule + 1 : rule
                let nextRule = end(of: pattern, at: literal)
                if equal(text[position..<next], pattern[literal..<nextRule], collation) {
                    position = next
                    rule = nextRule
                    continue
                }
            }
            guard let last = retry, last.position < text.count else { return false }
            position = end(of: text, at: last.position)
            rule = last.rule
            retry = (position, rule)
        }
    }

    private static func end(of text: UnsafeRawBufferPointer, at start: Int) -> Int {
        var end = start + 1
        while end < text.count, text[end] & 0xC0 == 0x80 { end += 1 }
        return end
    }

    private static func equal(
        _ a: Slice<UnsafeRawBufferPointer>, _ b: Slice<UnsafeRawBufferPointer>, _ collation: UnicodeCollation
    ) -> Bool {
        collation.compare(UnsafeRawBufferPointer(rebasing: a), UnsafeRawBufferPointer(rebasing: b)) == 0
    }
}
