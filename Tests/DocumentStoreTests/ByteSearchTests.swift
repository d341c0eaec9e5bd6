import Testing

@testable import DocumentStore

@Suite struct ByteSearchTests {
    @Test(arguments: [("", "x", false), ("x", "x", true), ("aab", "ab", true), ("ababac", "abac", true), ("aba", "abac", false)])
    func bytesAreFound(_ text: String, _ part: String, _ isFound: Bool) {
        let parts: [String: StaticString] = ["x": "x", "ab": "ab", "abac": "abac"]
        let bytes = Array(text.utf8)
        #expect(bytes.withUnsafeBytes { $0.contains(parts[part] ?? "") } == isFound)
    }
}
