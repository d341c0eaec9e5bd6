import Testing

@testable import DocumentStore

@Suite struct HexTests {
    @Test func everyByteAtEveryPlaceHasItsTwoDigits() {
        for count in 0...9 {
            for value in UInt8.min...UInt8.max {
                let bytes = [UInt8](repeating: value, count: count)
                let pair = (value < 16 ? "0" : "") + String(value, radix: 16)
                #expect(bytes.withUnsafeBytes { Hex.text(of: $0) } == String(repeating: pair, count: count))
            }
        }
        #expect([UInt8](0...11).withUnsafeBytes { Hex.text(of: $0) } == "000102030405060708090a0b")
    }

    @Test(arguments: [("", "x", false), ("x", "x", true), ("aab", "ab", true), ("ababac", "abac", true), ("aba", "abac", false)])
    func bytesAreFound(_ text: String, _ part: String, _ isFound: Bool) {
        let parts: [String: StaticString] = ["x": "x", "ab": "ab", "abac": "abac"]
        let bytes = Array(text.utf8)
        #expect(bytes.withUnsafeBytes { $0.contains(parts[part] ?? "") } == isFound)
    }
}
