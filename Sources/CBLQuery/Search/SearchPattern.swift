import CBLFunctions

/// What is searched for: a text, or whatever matches a regular expression.
package struct SearchPattern: Sendable {
    package enum Form: Sendable {
        case text(String)
        /// As in ECMAScript with the flag `u`.
        case expression(String)
    }

    package let form: Form
    package let ignoresCase: Bool

    /// An expression that is wrong, or that takes too long.
    package struct Failure: Error {
        package let message: String
        /// The byte of the pattern at which it stops making sense, if it does.
        package let place: Int?

        init(_ failure: RegularExpression.Failure, in pattern: SearchPattern) {
            message = failure.message
            place =
                if case .expression(let text) = pattern.form, let place = failure.place {
                    text.unicodeScalars.prefix(place).reduce(0) { $0 + UTF8.width($1) }
                } else { nil }
        }
    }

    package init(_ form: Form, ignoringCase: Bool) throws(Failure) {
        self.form = form
        ignoresCase = ignoringCase
        do throws(RegularExpression.Failure) { _ = try TextMatcher(self) } catch { throw Failure(error, in: self) }
    }

    /// Whether there is a capital letter in it, which somebody who types it means; `\S` is none.
    package static func hasCapitals(_ form: Form) -> Bool {
        switch form {
        case .text(let text): return text.unicodeScalars.contains(where: \.properties.isUppercase)
        case .expression(let pattern):
            var isEscaped = false
            for scalar in pattern.unicodeScalars {
                if !isEscaped, scalar.properties.isUppercase { return true }
                isEscaped = !isEscaped && scalar == "\\"
            }
            return false
        }
    }
}

/// Looks for a pattern in texts. Not for two threads at a time.
final class TextMatcher {
    private enum Way {
        case bytes(ByteFinder)
        case characters(FoldedFinder)
        /// Texts of ASCII need not be tried if the other text is not in them.
        case expression(RegularExpression, inASCII: ByteFinder?)
        case nothing
    }

    private let way: Way
    /// What is in every body in which some text matches.
    let needed: ByteFinder?
    /// Whether there are numbers, and Booleans, whose text may match.
    let mayMatchNumbers: Bool
    let mayMatchBooleans: Bool

    init(_ pattern: SearchPattern) throws(RegularExpression.Failure) {
        let ignoresCase = pattern.ignoresCase
        // What cannot be left out of a match.
        let required: [UInt8]?
        switch pattern.form {
        case .text(let text):
            let isPlain = !ignoresCase || text.utf8.allSatisfy { $0 < 0x80 }
            if isPlain {
                let finder = ByteFinder(text.utf8, ignoringCase: ignoresCase)
                way = finder.map { .bytes($0) } ?? .nothing
                needed = finder
            } else {
                way = FoldedFinder(text).map { .characters($0) } ?? .nothing
                needed = TextMatcher.plainPart(of: text).flatMap { ByteFinder($0, ignoringCase: true) }
            }
            required = Array(text.utf8)
        case .expression(let text):
            required = RequiredText.of(text, ignoringCase: ignoresCase)
            let finder = required.flatMap { ByteFinder($0, ignoringCase: ignoresCase) }
            way = .expression(try TextMatcher.expression(text, ignoresCase), inASCII: finder)
            needed = ignoresCase ? nil : finder
        }
        let letters = required.map { ignoresCase ? $0.map(ByteFinder.small) : $0 } ?? []
        mayMatchNumbers = letters.allSatisfy { ($0 >= 0x30 && $0 < 0x3A) || "+-.eE".utf8.contains($0) }
        mayMatchBooleans = ["true", "false"].contains { word in
            letters.isEmpty || Array(word.utf8).withUnsafeBytes { ByteFinder(letters, ignoringCase: false)?.isIn($0) ?? false }
        }
    }

    private static func expression(_ text: String, _ ignoresCase: Bool) throws(RegularExpression.Failure) -> RegularExpression {
        let bytes = Array(text.utf8)
        let made = bytes.withUnsafeBytes { bytes in
            Result { () throws(RegularExpression.Failure) in
                try RegularExpression(bytes, over: .characters, ignoringCase: ignoresCase)
            }
        }
        return try made.get()
    }

    /// The longest part of ASCII, without the two letters that are other cases of some beyond it.
    private static func plainPart(of text: String) -> [UInt8]? {
        let parts = text.utf8.split { $0 >= 0x80 || [UInt8(ascii: "k"), UInt8(ascii: "s")].contains(ByteFinder.small($0)) }
        return parts.max { $0.count < $1.count }.map(Array.init)
    }

    func isFound(in text: UnsafeRawBufferPointer) throws(RegularExpression.Failure) -> Bool {
        switch way {
        case .bytes(let finder): return finder.isIn(text)
        case .characters(let finder): return finder.range(in: text) != nil
        case .expression(let expression, let finder):
            if let finder, !finder.isIn(text), text.allSatisfy({ $0 < 0x80 }) { return false }
            return try expression.find(in: text)
        case .nothing: return false
        }
    }

    /// Whether the word as a whole matches.
    func isAll(of word: StaticString) throws(RegularExpression.Failure) -> Bool {
        let bytes = UnsafeRawBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        guard try isFound(in: bytes) else { return false }
        return try matches(in: bytes).contains(0..<bytes.count)
    }

    // More than anybody looks at in one value.
    private static let mostMatches = 1000

    /// The bytes of the matches, the first of them at least. The text is UTF-8.
    func matches(in text: UnsafeRawBufferPointer) throws(RegularExpression.Failure) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var place = 0
        switch way {
        case .bytes(let finder):
            while found.count < TextMatcher.mostMatches, let start = finder.place(in: text, from: place) {
                place = start + finder.text.count
                found.append(start..<place)
            }
        case .characters(let finder):
            while found.count < TextMatcher.mostMatches, let range = finder.range(in: text, from: place) {
                place = range.upperBound
                found.append(range)
            }
        case .expression(let expression, _):
            var offsets = UTF8Offsets(text)
            var goesOn = try expression.find(in: text)
            while goesOn, found.count < TextMatcher.mostMatches, let group = expression.group(0) {
                let start = offsets.offset(ofUnit: group.lowerBound)
                found.append(start..<offsets.offset(ofUnit: group.upperBound))
                // Those that are there are enough if it takes too long to find all.
                goesOn = (try? expression.findNext()) ?? false
            }
        case .nothing: break
        }
        return found
    }
}

extension TextMatcher {
    func matches(in text: inout String) throws(RegularExpression.Failure) -> [Range<Int>] {
        let found: Result<[Range<Int>], RegularExpression.Failure> = text.withUTF8 { bytes in
            Result { () throws(RegularExpression.Failure) in try matches(in: UnsafeRawBufferPointer(bytes)) }
        }
        return try found.get()
    }
}

/// Where the units of UTF-16 are in UTF-8; to be asked in ascending order.
private struct UTF8Offsets {
    private let text: UnsafeRawBufferPointer
    private var unit = 0
    private var offset = 0

    init(_ text: UnsafeRawBufferPointer) { self.text = text }

    mutating func offset(ofUnit wanted: Int) -> Int {
        while unit < wanted, offset < text.count {
            let lead = text[offset]
            let length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
            unit += length == 4 ? 2 : 1
            offset = min(offset + length, text.count)
        }
        return offset
    }
}
