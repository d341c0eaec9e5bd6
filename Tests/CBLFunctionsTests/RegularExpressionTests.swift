import Testing

@testable import CBLFunctions

@Suite struct RegularExpressionTests {
    static let mistakes: [(pattern: String, place: Int, reason: String)] = [
        ("a(b", 3, "a \"(\" without \")\""), ("a[(]b)c", 5, "a \")\" without \"(\""), ("ab**", 3, "nothing to repeat"),
        ("é+*", 2, "nothing to repeat"), ("ab[z-a]", 2, "a range out of order"), ("[ab", 0, "a \"[\" without \"]\""),
        ("é é\\1", 3, "there is no such group"), ("a\\", 1, "nothing follows"),
    ]

    @Test(arguments: mistakes) func aMistakeHasAPlace(mistake: (pattern: String, place: Int, reason: String)) throws {
        let failure = #expect(throws: RegularExpression.Failure.self) {
            try Array(mistake.pattern.utf8).withUnsafeBytes { try RegularExpression($0, over: .characters) }
        }
        #expect(failure?.place == mistake.place)
        #expect(failure?.message.contains(mistake.reason) == true, "\(failure?.message ?? "")")
    }

    @Test(arguments: [("stra(ss|ß)e", "STRASSE", true), ("é", "É", true), ("[a-c]+$", "xyzABC", true), ("\\S", " ", false)])
    func caseIsIgnoredIfOneSaysSo(pattern: String, text: String, isFound: Bool) throws {
        for ignoringCase in [true, false] {
            let expression = try Array(pattern.utf8).withUnsafeBytes {
                try RegularExpression($0, over: .characters, ignoringCase: ignoringCase)
            }
            #expect(try Array(text.utf8).withUnsafeBytes { try expression.find(in: $0) } == (ignoringCase && isFound))
        }
    }
}
