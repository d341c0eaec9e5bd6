import CBLTestSupport
import Testing

@testable import CBLStore

@Suite struct ByteSearchTests {
    private let parts: [StaticString] = ["a", "ab", "aab", "abac", "aaaaaaaaaaaaaaaaaaaaaaab"]

    /// Against the plainest search there is, in texts of two letters, where nearly everything is found nearly everywhere.
    @Test func bytesAreFoundWhereverTheyLie() {
        var random = SeededRandom(11)
        for length in 0..<120 {
            for _ in 0..<20 {
                let letters: [UInt8] = Int(random.next() % 3) == 0 ? Array("aaab".utf8) : Array("aaaaaaaaaaaabcd".utf8)
                let bytes = (0..<length).map { _ in letters[Int(random.next() % UInt64(letters.count))] }
                for part in parts {
                    let part = (text: part, bytes: Array(part.description.utf8))
                    let places = max(0, length - part.bytes.count + 1)
                    let isFound = (0..<places).contains { bytes[$0..<$0 + part.bytes.count].elementsEqual(part.bytes) }
                    #expect(bytes.withUnsafeBytes { $0.contains(part.text) } == isFound, "\(part.text) in \(bytes)")
                }
            }
        }
    }

    @Test func atEveryPlace() {
        for length in 4..<60 {
            for place in 0...length - 4 {
                var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: length)
                bytes.replaceSubrange(place..<place + 4, with: Array("abac".utf8))
                #expect(bytes.withUnsafeBytes { $0.contains("abac") }, "\(place) of \(length)")
            }
        }
        #expect(![UInt8]().withUnsafeBytes { $0.contains("x") })
    }
}
