/// The part of a text that shows where words were found in it.
struct FullTextSnippet {
    struct Piece: Equatable {
        let text: String
        let isMatch: Bool
    }

    let pieces: [Piece]

    /// `ranges` are offsets in UTF-8. The snippet has about `width` characters, so placed that it shows as many matches as fit.
    init(_ text: String, matches ranges: [Range<Int>], width: Int) {
        let bytes = Array(text.utf8)
        let ranges = FullTextSnippet.merged(ranges.filter { $0.upperBound <= bytes.count && !$0.isEmpty })
        let window = FullTextSnippet.window(bytes, ranges, width)
        // Line ends and other controls would break the list of hits.
        let shown = bytes.map { $0 < 0x20 ? UInt8(ascii: " ") : $0 }
        var pieces = FullTextSnippet.pieces(of: shown, window, matches: ranges)
        if window.lowerBound > 0 { pieces.insert(Piece(text: "… ", isMatch: false), at: 0) }
        if window.upperBound < bytes.count { pieces.append(Piece(text: " …", isMatch: false)) }
        self.pieces = pieces
    }

    /// A part of a text, divided into matches, which are in order, and what is between them.
    static func pieces(of bytes: [UInt8], _ window: Range<Int>, matches: [Range<Int>]) -> [Piece] {
        var pieces: [Piece] = []
        var place = window.lowerBound
        func add(to end: Int, isMatch: Bool) {
            guard end > place else { return }
            pieces.append(Piece(text: String(decoding: bytes[place..<end], as: UTF8.self), isMatch: isMatch))
            place = end
        }
        for range in matches.map({ $0.clamped(to: window) }) where !range.isEmpty {
            add(to: range.lowerBound, isMatch: false)
            add(to: range.upperBound, isMatch: true)
        }
        add(to: window.upperBound, isMatch: false)
        return pieces
    }

    /// In order, and without those that lie in others: a phrase gives its words once each for every term they belong to.
    private static func merged(_ ranges: [Range<Int>]) -> [Range<Int>] {
        var merged: [Range<Int>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = merged.last, range.lowerBound < last.upperBound {
                merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
        return merged
    }

    private static func window(_ bytes: [UInt8], _ ranges: [Range<Int>], _ width: Int) -> Range<Int> {
        guard bytes.count > width else { return 0..<bytes.count }
        // A third of the width stands before the first match that is shown.
        var best = (count: -1, start: 0)
        for (index, range) in ranges.enumerated() {
            let start = max(0, min(range.lowerBound - width / 3, bytes.count - width))
            let count = ranges[index...].prefix { $0.upperBound <= start + width }.count
            if count > best.count { best = (count, start) }
        }
        let first = ranges.first { $0.upperBound > best.start }?.lowerBound ?? best.start
        var start = best.start
        // Words are shown whole, as long as they are words.
        while start > 0, start < first, bytes[start - 1] != UInt8(ascii: " ") { start += 1 }
        var end = min(bytes.count, max(best.start + width, start))
        let last = ranges.last { $0.upperBound <= end }?.upperBound ?? start
        let limit = end
        while end > last, end < bytes.count, bytes[end] != UInt8(ascii: " ") { end -= 1 }
        if end <= last { end = limit }
        while start < bytes.count, bytes[start] & 0xC0 == 0x80 { start += 1 }
        while end < bytes.count, bytes[end] & 0xC0 == 0x80 { end += 1 }
        return start..<max(start, end)
    }
}
