import Glibc

/// A pattern of LIKE in which `%` is the only sign, taken apart: what has to be found, one after the other.
final class TextRun {
    private let text: [UInt8]
    private var parts: [Range<Int>] = []
    private var finders: [ByteFinder] = []
    private let isAnchoredAtStart: Bool
    private let isAnchoredAtEnd: Bool

    init(_ pattern: String) {
        let percent = UInt8(ascii: "%")
        text = Array(pattern.utf8)
        isAnchoredAtStart = text.first != percent
        isAnchoredAtEnd = text.last != percent
        var start = 0
        for index in 0...text.count where index == text.count || text[index] == percent {
            if index > start { parts.append(start..<index) }
            start = index + 1
        }
        finders = parts.compactMap { ByteFinder(text[$0], ignoringCase: false) }
    }

    /// Whether a text is like the pattern. SQLite reads a text up to its first zero.
    func matches(_ text: UnsafeRawBufferPointer) -> Bool {
        self.text.withUnsafeBytes { pattern in
            guard var position = text.baseAddress, let pattern = pattern.baseAddress else { return false }
            var end = position + text.count
            if let zero = memchr(position, 0, text.count) { end = UnsafeRawPointer(zero) }
            var rest = parts[...]
            if isAnchoredAtStart, let part = rest.popFirst() {
                guard end - position >= part.count, memcmp(position, pattern + part.lowerBound, part.count) == 0 else { return false }
                position += part.count
                if rest.isEmpty, isAnchoredAtEnd, parts.count == 1 { return position == end && isExact }
            }
            if isAnchoredAtEnd, let part = rest.popLast() {
                guard end - position >= part.count, memcmp(end - part.count, pattern + part.lowerBound, part.count) == 0 else {
                    return false
                }
                end -= part.count
            }
            let bytes = UnsafeRawBufferPointer(start: position, count: end - position)
            var place = 0
            for part in rest.indices {
                guard let found = finders[part].place(in: bytes, from: place) else { return false }
                place = found + parts[part].count
            }
            return true
        }
    }

    /// Whether there is no sign in the pattern.
    private var isExact: Bool { parts.first?.count == text.count }
}
