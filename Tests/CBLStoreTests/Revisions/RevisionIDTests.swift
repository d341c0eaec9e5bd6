import CBLBase
import CBLTestSupport
import Testing

@testable import CBLStore

@Suite struct RevisionIDTests {
    @Test(arguments: [
        ("1-aa", "01aa"), ("97-beef", "61beef"), ("1234-d459fff2", "d209d459fff2"), ("123456-1234567890abcdef", "c0c4071234567890abcdef"),
        ("4294967295-00", "ffffffff0f00"), ("2-dc8ae8fff2b5a6e692dc625c86e5968bf7370fc8", "02dc8ae8fff2b5a6e692dc625c86e5968bf7370fc8"),
        ("1@*", "000300"), ("bff@AliceAliceAliceAliceAA", "00ff2f1002589c78096271e02589c78096271e00"),
        ("176cee53c5680000@*", "00d0959ee59ddb0b00"), ("7fffffffffffffff@*", "00ffffffffffffffffff0100"),
    ])
    func textAndBinaryAreTwoFormsOfOneID(text: String, binary: String) throws {
        let id = try RevisionID(parsing: text)
        #expect(id.withBinary { Hex.text(of: $0) } == binary)
        #expect(try RevisionID(hex: binary) == id)
        #expect(try RevisionID(hex: binary).text == text)
    }

    @Test(arguments: [
        "", "-", "1", "1-", "-aa", "0-aa", "01-aa", "1-a", "1-AA", "1-ag", "+1-aa", "1 -aa", "1-aa ", "4294967296-aa", "99999999999-aa",
        "1--aa",
        "1-aa-bb", "1-" + String(repeating: "ab", count: 42), "é-aa", "@", "1@", "@*", "1@**", "01@*", "0@*", "1A@*", "8000000000000000@*",
        "11111111111111111@*", "1@ZegpoldZegpoldZegpold", "1@ZegpoldZegpoldZegpoldB", "1@ZegpoldZegpoldZegpoldA=",
        "1@Zegpold-egpoldZegpoldA",
    ])
    func otherTextsAreRefused(text: String) {
        #expect(throws: RevisionError.self) { try RevisionID(parsing: text) }
    }

    @Test(arguments: [
        "", "01", "00", "0000", "80", "8100aa", "808080801001", "0003", "000301", "00030000", "00031000",
        "000310" + String(repeating: "00", count: 15),
        "ffffffffffffffffffff01aa", "01" + String(repeating: "ab", count: 42),
    ])
    func otherBytesAreRefused(hex: String) {
        #expect(throws: RevisionError.self) { try RevisionID(hex: hex) }
    }

    @Test func anErrorSaysWhatIsWrong() {
        #expect(throws: RevisionError.badID("0-aa", reason: "the generation begins with a zero")) { try RevisionID(parsing: "0-aa") }
        let error = RevisionError.badID("1-AA", reason: "the digest must be lower-case hexadecimal")
        #expect(throws: error) { try RevisionID(parsing: "1-AA") }
        #expect("\(error)" == "\"1-AA\" is not a revision ID: the digest must be lower-case hexadecimal")
    }

    @Test func treeIDsAreOrderedByGenerationThenDigest() throws {
        let ordered = try ["1-aa", "1-aabb", "1-ab", "2-00", "10-00", "128-00"].map { try RevisionID(parsing: $0) }
        for (low, a) in ordered.enumerated() {
            for (high, b) in ordered.enumerated() { #expect((a < b) == (low < high)) }
        }
    }

    @Test(arguments: [
        ("01aa", "1-aa"), ("00e8c2889dbaba0c80", "18e9d1d110b40000@*"), ("008380b08ba2f4e8e93180", "18e9d1d110b60001@*"),
        ("00bc8386ebb4a20c9065e829a257597a0a6895d65e829a2574", "1889a6b0c0de0000@ZegpoldZegpoldZegpoldA"),
        ("008580808ca2f4e8e931800380838090fe89c895609065e829a257597a0a6895d65e829a2574", "18e9d1d110c00002@*"),
        ("", ""), ("00", ""), ("0003", ""), ("01", ""), ("8100aa", ""), ("01" + String(repeating: "ab", count: 42), ""),
    ])
    func theTextOfAColumnComesStraightFromItsBytes(column: String, text: String) throws {
        let bytes = try #require(Hex.bytes(of: column))
        let output = [UInt8](unsafeUninitializedCapacity: RevisionID.maximumTextLength) { buffer, count in
            guard let start = buffer.baseAddress else { return }
            count = bytes.withUnsafeBytes { RevisionID.writeText(ofColumn: $0, to: UnsafeMutableRawPointer(start)) }
        }
        #expect(String(decoding: output, as: UTF8.self) == text)
        #expect((try? bytes.withUnsafeBytes { try RevisionID(column: $0) })?.text ?? "" == text)
    }

    // Parent, what follows the parent's text in the digest, the ID.
    @Test(
        arguments: [
            (nil, false, "{}", "1-a5bb2524156f3e56dcc4e5c52c73c46f82c2efb0"),
            (nil, false, #"{"x":1}"#, "1-6f9a1fe5dfad0377e089c5e8e0afab815938295d"),
            ("1-6f9a1fe5dfad0377e089c5e8e0afab815938295d", true, "{}", "2-dc8ae8fff2b5a6e692dc625c86e5968bf7370fc8"),
            ("2-dc8ae8fff2b5a6e692dc625c86e5968bf7370fc8", false, #"{"x":2}"#, "3-ea61942ed31bb77f439d5cdc1ebb6fa07eb6ee4e"),
            ("2-ffff0000", true, "{}", "3-49486088aea09a12a8d4a51031e26d095aa57954"),
        ] as [(String?, Bool, String, String)])
    func theDigestCoversParentDeletionAndCanonicalJSON(parent: String?, isDeleted: Bool, json: String, id: String) throws {
        let parent = try parent.map { try RevisionID(parsing: $0) }
        let next = Array(json.utf8).withUnsafeBytes { RevisionID.next(after: parent, isDeleted: isDeleted, canonicalJSON: $0) }
        #expect(next?.text == id)
    }

    @Test func nothingFollowsTheLastGeneration() throws {
        #expect(RevisionID.tombstone(after: try RevisionID(parsing: "4294967295-aa")) == nil)
        #expect(RevisionID.tombstone(after: try RevisionID(parsing: "1@*")) == nil)
    }

    @Test func randomBytesAreAnIDOrAnError() {
        var random = SeededRandom(1)
        var read = 0
        for _ in 0..<20000 {
            let bytes = (0..<Int.random(in: 0...50, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random) & (Bool.random(using: &random) ? 0xFF : 0x83)
            }
            guard let id = try? bytes.withUnsafeBytes({ try RevisionID(binary: $0) }) else { continue }
            #expect((try? RevisionID(parsing: id.text)) == id)
            read += 1
        }
        #expect(read > 100)
    }
}
