/// "Did you mean …?": the known name that a mistyped one is nearest to.
package enum Suggestion {
    /// The closest of the candidates, if it is close enough to be what was meant. Case does not count.
    package static func closest(to word: String, in candidates: some Sequence<String>) -> String? {
        let typed = Array(word.lowercased().unicodeScalars)
        guard !typed.isEmpty, typed.count <= longest else { return nil }
        var best: (name: String, distance: Int)?
        for candidate in candidates {
            let name = Array(candidate.lowercased().unicodeScalars)
            guard name.count <= longest else { continue }
            // A third of the letters may be wrong, and one letter of a short word.
            let limit = min(best.map { $0.distance - 1 } ?? Int.max, max(1, max(typed.count, name.count) / 3))
            var found = distance(typed, name)
            // The beginning of exactly what was meant is close, however much is missing: "comp" for "compact".
            if found > limit, typed.count >= 3, name.starts(with: typed) { found = max(1, limit) }
            if found <= limit, found < max(typed.count, name.count) { best = (candidate, found) }
        }
        return best?.name
    }

    /// A sentence to put behind an error message, with a space in front, or nothing.
    package static func sentence(for word: String, in candidates: some Sequence<String>, quoted: Bool = false) -> String {
        guard let name = closest(to: word, in: candidates) else { return "" }
        return quoted ? " Did you mean \"\(name)\"?" : " Did you mean \(name)?"
    }

    // Names from outside may be of any length, and the work is the product of two lengths.
    private static let longest = 256

    /// Insertions, deletions, substitutions and swaps of neighbours that turn one word into the other.
    static func distance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
        var before = [Int](repeating: 0, count: b.count + 1)
        var previous = Array(0...b.count)
        var current = before
        for i in 0..<a.count {
            current[0] = i + 1
            for j in 0..<b.count {
                var cost = min(previous[j + 1] + 1, current[j] + 1, previous[j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, before[j - 1] + 1) }
                current[j + 1] = cost
            }
            (before, previous, current) = (previous, current, before)
        }
        return previous[b.count]
    }
}
