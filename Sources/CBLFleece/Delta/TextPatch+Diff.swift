/// What two strings have in common, found with Myers' algorithm ("An O(ND) difference algorithm and its variations", 1986) in linear space.
///
/// It bounds its work by counting steps, not by a clock: the same strings always give the same patch.
struct TextDiff {
    /// Bytes that are the same in both strings.
    struct Match {
        var oldStart: Int
        var newStart: Int
        var length: Int
        var oldEnd: Int { oldStart + length }
        var newEnd: Int { newStart + length }
    }

    private let old: UnsafeRawBufferPointer
    private let new: UnsafeRawBufferPointer
    private var work: Int
    private var matches: [Match] = []
    /// How far the paths that begin at the start and at the end have come, for each diagonal.
    private var forward: [Int]
    private var backward: [Int]

    /// The most differences that the search for the middle of a path follows from each end. Beyond that, a stretch is replaced whole.
    private static let reach = 4096

    /// The matches in order, between whole characters. The last one may be empty. `work` is how many steps may be spent, and then what is left.
    static func matches(_ old: UnsafeRawBufferPointer, _ new: UnsafeRawBufferPointer, work: inout Int) -> [Match] {
        var diff = TextDiff(old: old, new: new, work: work)
        diff.compare(0..<old.count, 0..<new.count)
        work = diff.work
        diff.keepCharactersWhole()
        diff.dropUnprofitable()
        return diff.matches
    }

    private init(old: UnsafeRawBufferPointer, new: UnsafeRawBufferPointer, work: Int) {
        self.old = old
        self.new = new
        self.work = work
        let reach = min(Self.reach, (old.count + new.count + 1) / 2)
        forward = Array(repeating: Self.nowhere, count: 2 * reach + 3)
        backward = forward
    }

    private mutating func compare(_ oldRange: Range<Int>, _ newRange: Range<Int>) {
        let prefix = commonPrefix(oldRange, newRange)
        add(Match(oldStart: oldRange.lowerBound, newStart: newRange.lowerBound, length: prefix))
        var oldRest = oldRange.lowerBound + prefix..<oldRange.upperBound
        var newRest = newRange.lowerBound + prefix..<newRange.upperBound
        let suffix = commonSuffix(oldRest, newRest)
        oldRest = oldRest.lowerBound..<oldRest.upperBound - suffix
        newRest = newRest.lowerBound..<newRest.upperBound - suffix
        if !oldRest.isEmpty, !newRest.isEmpty, let (oldMiddle, newMiddle) = middle(oldRest, newRest) {
            compare(oldRest.lowerBound..<oldMiddle, newRest.lowerBound..<newMiddle)
            compare(oldMiddle..<oldRest.upperBound, newMiddle..<newRest.upperBound)
        }
        add(Match(oldStart: oldRest.upperBound, newStart: newRest.upperBound, length: suffix))
    }

    private mutating func add(_ match: Match) {
        guard match.length > 0 else { return }
        if let last = matches.last, last.oldEnd == match.oldStart, last.newEnd == match.newStart {
            matches[matches.count - 1].length += match.length
        } else {
            matches.append(match)
        }
    }

    private func commonPrefix(_ oldRange: Range<Int>, _ newRange: Range<Int>) -> Int {
        let limit = min(oldRange.count, newRange.count)
        var length = 0
        while length < limit, old[oldRange.lowerBound + length] == new[newRange.lowerBound + length] { length += 1 }
        return length
    }

    private func commonSuffix(_ oldRange: Range<Int>, _ newRange: Range<Int>) -> Int {
        let limit = min(oldRange.count, newRange.count)
        var length = 0
        while length < limit, old[oldRange.upperBound - 1 - length] == new[newRange.upperBound - 1 - length] { length += 1 }
        return length
    }

    /// A point on a shortest path of edits, about half-way: where paths from both ends meet. Nil if that takes too much work.
    /// Neither range is empty, and they differ in their first and in their last byte.
    private mutating func middle(_ oldRange: Range<Int>, _ newRange: Range<Int>) -> (Int, Int)? {
        let width = oldRange.count
        let height = newRange.count
        let difference = width - height
        let reach = min(Self.reach, (width + height + 1) / 2)
        let origin = reach + 1
        for edits in 0...reach {
            guard work > 0 else { return nil }
            // What earlier searches left on the diagonals that come into view now. The first step comes from diagonal 1.
            forward[origin - edits - 1] = Self.nowhere
            forward[origin + edits + 1] = edits == 0 ? 0 : Self.nowhere
            backward[origin - edits - 1] = Self.nowhere
            backward[origin + edits + 1] = edits == 0 ? 0 : Self.nowhere
            for diagonal in stride(from: -edits, through: edits, by: 2) {
                let start = step(forward, origin + diagonal, diagonal, width, height)
                guard start >= 0 else {
                    forward[origin + diagonal] = Self.nowhere
                    continue
                }
                var x = start
                while x < width, x - diagonal < height, old[oldRange.lowerBound + x] == new[newRange.lowerBound + x - diagonal] { x += 1 }
                forward[origin + diagonal] = x
                work -= 1 + x - start
                let opposite = difference - diagonal
                if difference & 1 != 0, opposite.magnitude < edits, backward[origin + opposite] >= 0,
                    x + backward[origin + opposite] >= width
                {
                    return (oldRange.lowerBound + x, newRange.lowerBound + x - diagonal)
                }
            }
            for diagonal in stride(from: -edits, through: edits, by: 2) {
                let start = step(backward, origin + diagonal, diagonal, width, height)
                guard start >= 0 else {
                    backward[origin + diagonal] = Self.nowhere
                    continue
                }
                var x = start
                while x < width, x - diagonal < height,
                    old[oldRange.upperBound - 1 - x] == new[newRange.upperBound - 1 - (x - diagonal)]
                { x += 1 }
                backward[origin + diagonal] = x
                work -= 1 + x - start
                let opposite = difference - diagonal
                if difference & 1 == 0, opposite.magnitude <= edits, forward[origin + opposite] >= 0,
                    x + forward[origin + opposite] >= width
                {
                    return (oldRange.upperBound - x, newRange.upperBound - (x - diagonal))
                }
            }
        }
        return nil
    }

    private static let nowhere = Int.min / 2

    /// Where one more edit leads on this diagonal, from the neighbour that comes further without leaving the strings.
    @inline(__always)
    private func step(_ paths: [Int], _ index: Int, _ diagonal: Int, _ width: Int, _ height: Int) -> Int {
        let down = paths[index + 1]
        let right = paths[index - 1] + 1
        return max(down - diagonal <= height ? down : Self.nowhere, right <= width ? right : Self.nowhere)
    }

    // What makes a good patch

    /// Cuts the bytes of a character off the ends of matches if the match has not all of them.
    private mutating func keepCharactersWhole() {
        for index in matches.indices {
            var match = matches[index]
            while match.length > 0, isContinuation(old, match.oldStart) {
                match.oldStart += 1
                match.newStart += 1
                match.length -= 1
            }
            if isContinuation(old, match.oldEnd) || isContinuation(new, match.newEnd) {
                while match.length > 0, isContinuation(old, match.oldEnd - 1) { match.length -= 1 }
                if match.length > 0 { match.length -= 1 }
            }
            matches[index] = match
        }
        matches.removeAll { $0.length == 0 }
    }

    private func isContinuation(_ text: UnsafeRawBufferPointer, _ index: Int) -> Bool { index < text.count && text[index] & 0xC0 == 0x80 }

    /// Drops a match if the operations around it are shorter as one.
    private mutating func dropUnprofitable() {
        var kept: [Match] = []
        let end = Match(oldStart: old.count, newStart: new.count, length: 0)
        for (index, match) in matches.enumerated() {
            let before = kept.last ?? Match(oldStart: 0, newStart: 0, length: 0)
            let after = index + 1 < matches.count ? matches[index + 1] : end
            let apart = cost(before, match) + digits(match.length) + 1 + cost(match, after)
            if apart < cost(before, after) { kept.append(match) }
        }
        matches = kept
    }

    /// The length of the operations between two matches.
    private func cost(_ before: Match, _ after: Match) -> Int {
        let skipped = after.oldStart - before.oldEnd
        let inserted = after.newStart - before.newEnd
        return (skipped > 0 ? digits(skipped) + 1 : 0) + (inserted > 0 ? digits(inserted) + 2 + inserted : 0)
    }

    private func digits(_ number: Int) -> Int {
        var count = 1
        var rest = number
        while rest >= 10 {
            rest /= 10
            count += 1
        }
        return count
    }
}
