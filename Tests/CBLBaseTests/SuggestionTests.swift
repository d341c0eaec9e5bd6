import CBLBase
import Testing

@testable import CBLBase

@Suite struct SuggestionTests {
    @Test(arguments: [
        ("", "", 0), ("a", "", 1), ("", "ab", 2), ("kitten", "sitting", 3), ("ab", "ba", 1), ("compcat", "compact", 1), ("abc", "abc", 0),
        ("ca", "abc", 3), ("é", "e", 1),
    ])
    func distanceCountsEditsAndSwaps(a: String, b: String, distance: Int) {
        #expect(Suggestion.distance(Array(a.unicodeScalars), Array(b.unicodeScalars)) == distance)
        #expect(Suggestion.distance(Array(b.unicodeScalars), Array(a.unicodeScalars)) == distance)
    }

    @Test(arguments: [
        ("hotell", "hotel"), ("HOTEL", "hotel"), ("htoel", "hotel"), ("inventory.airlne", "inventory.airline"), ("comp", "compact"),
        ("ks", "ls"),
    ])
    func aMistypedNameIsRecognised(typed: String, meant: String) {
        #expect(Suggestion.closest(to: typed, in: ["ls", "hotel", "compact", "inventory.airline", "landmark"]) == meant)
    }

    @Test(arguments: ["", "x", "zebra", "hhhhh"])
    func somethingElseIsNot(typed: String) {
        #expect(Suggestion.closest(to: typed, in: ["hotel", "compact", "ls"]) == nil)
    }

    @Test func aVeryLongNameCostsNothing() {
        let long = String(repeating: "x", count: 1_000_000)
        #expect(Suggestion.closest(to: long, in: ["hotel"]) == nil)
        #expect(Suggestion.closest(to: "hotel", in: [long]) == nil)
    }
}
