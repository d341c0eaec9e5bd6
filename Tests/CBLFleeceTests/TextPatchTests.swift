import CBLTestSupport
import Testing

@testable import CBLFleece

@Suite struct TextPatchTests {
    private func patch(_ old: String, _ new: String, work: Int = 1 << 24) -> String? {
        var old = old
        var new = new
        var work = work
        var buffer = ByteBuffer()
        let isWorthIt = old.withUTF8 { old in
            new.withUTF8 { new in
                TextPatch.create(from: UnsafeRawBufferPointer(old), to: UnsafeRawBufferPointer(new), work: &work, into: &buffer)
            }
        }
        #expect(isWorthIt || buffer.isEmpty)
        return isWorthIt ? buffer.string : nil
    }

    private func applied(_ patch: String, to old: String) throws -> String {
        var old = old
        var patch = patch
        var buffer = ByteBuffer()
        let outcome: Result<Void, DeltaError> = old.withUTF8 { old in
            patch.withUTF8 { patch in
                Result { () throws(DeltaError) in
                    try TextPatch.apply(UnsafeRawBufferPointer(patch), to: UnsafeRawBufferPointer(old), into: &buffer)
                }
            }
        }
        try outcome.get()
        return buffer.string
    }

    private static let long = String(repeating: "All work and no play makes Jack a dull boy. ", count: 4)

    @Test(
        arguments: [
            (String(repeating: "a", count: 70), String(repeating: "a", count: 70) + "b", "70=1+b|"),
            (long, long, "176="),
            ("x" + long, long, "1-176="),
            ("", long, nil),
            ("short", "shorter", nil),
            (long, String(repeating: "z", count: 80), nil),
            // The characters differ in their last byte only.
            (long + "é", long + "è", "176=2-2+è|"),
            ("😀" + long, "😁" + long, "4-4+😁|176="),
        ] as [(String, String, String?)])
    func knownPatches(old: String, new: String, expected: String?) throws {
        #expect(patch(old, new) == expected)
        if let expected { #expect(try applied(expected, to: old) == new) }
    }

    @Test func aPatchMayHaveBlanksBeforeNumbers() throws {
        #expect(try applied(" 1= 1-  1+Q| 1=", to: "xyz") == "xQz")
    }

    @Test func editsInALongTextMakeAShortPatch() throws {
        var lines = (0..<2000).map { "This is line number \($0) of a long text.\n" }
        let old = lines.joined()
        for index in stride(from: 50, to: 2000, by: 200) { lines[index] = "Something else stands here now.\n" }
        lines.remove(at: 1000)
        let new = lines.joined()
        let made = try #require(patch(old, new))
        #expect(made.utf8.count < 1000)
        #expect(try applied(made, to: old) == new)
    }

    @Test(arguments: [0, 10, 1000, 100_000]) func littleWorkMakesALongerButRightPatch(work: Int) throws {
        var random = SeededRandom(3)
        let words = (0..<4000).map { _ in random.element(of: ["alpha", "beta", "gamma", "delta", "épsilon"]) }
        var changed = words
        for _ in 0..<100 { changed[random.below(changed.count)] = "omega" }
        let old = "The same beginning. " + words.joined(separator: " ")
        let new = "The same beginning. " + changed.joined(separator: " ")
        if let made = patch(old, new, work: work) { #expect(try applied(made, to: old) == new) }
    }

    @Test func textsWithNothingInCommonEndSoon() throws {
        let old = String(repeating: "ab", count: 200_000)
        let new = String(repeating: "cd", count: 200_000)
        #expect(patch(old, new) == nil)
    }

    @Test func randomEditsRoundTrip() throws {
        var random = SeededRandom(4)
        let alphabet = ["a", "b", "c", " ", "é", "è", "日", "本", "😀", "😁", "|", "1", "="]
        try repeatWithin(seconds: 1) {
            for _ in 0..<50 {
                var characters = (0..<random.below(300)).map { _ in random.element(of: alphabet) }
                let old = characters.joined()
                for _ in 0..<random.below(10) where !characters.isEmpty {
                    let place = random.below(characters.count)
                    let end = min(place + random.below(20), characters.count)
                    characters.replaceSubrange(place..<end, with: (0..<random.below(20)).map { _ in random.element(of: alphabet) })
                }
                let new = characters.joined()
                guard let made = patch(old, new) else { continue }
                if try applied(made, to: old) != new { Issue.record("\(old) to \(new): \(made)") }
                if made.utf8.count + 6 >= new.utf8.count { Issue.record("a patch that is no gain: \(made)") }
            }
        }
    }
}
