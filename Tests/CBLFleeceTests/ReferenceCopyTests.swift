import Testing

@testable import CBLFleece

/// Copies that must have the very bytes of the reference's, because they are entries of its indexes.
@Suite struct ReferenceCopyTests {
    static func copy(_ json: String, sharesKeys: Bool = false) throws -> [UInt8] {
        let keys = sharesKeys ? SharedKeysBuilder() : nil
        let encoder = FleeceEncoder(sharedKeys: keys)
        try JSONParser.parse(json, into: encoder)
        let original = try encoder.finish()
        encoder.copiesLikeReference = true
        original.withRoot { encoder.write($0, keys: keys?.state) }
        let copy = try encoder.finish()
        return copy.withRoot { root in
            #expect(root.json(keys: keys?.state) == original.withRoot { $0.json(keys: keys?.state) })
            return Array(copy.bytes)
        }
    }

    @Test func smallNumbersMoveIntoWideSlots() throws {
        let expected: [UInt8] = [
            0x43, 0x42, 0x6F, 0x62, 0x78, 0x02, 0, 0, 0, 0, 0x80, 0, 0, 5, 0, 1, 0, 0, 0x19, 0x88, 0x13, 0, 0x80, 0x09,
        ]
        #expect(try ReferenceCopyTests.copy("{\"name\":\"Bob\",\"n\":5000}", sharesKeys: true) == expected)
    }

    @Test(
        arguments: [
            ("[1,2,\"ab\"]", [0x42, 0x61, 0x62, 0, 0x60, 3, 0, 1, 0, 2, 0x80, 5, 0x80, 4]),
            ("[70000]", [0x68, 1, 0x1A, 0x70, 0x11, 0x01, 0x80, 3]),
            ("[-3000,{}]", [0x68, 2, 0x11, 0x48, 0xF4, 0, 0x70, 0, 0, 0, 0x80, 5]),
            ("[5000000000]", [0x1C, 0, 0xF2, 0x05, 0x2A, 0x01, 0x60, 1, 0x80, 4, 0x80, 2]),
            ("[0.5]", [0x24, 0, 0, 0, 0, 0x3F, 0x60, 1, 0x80, 4, 0x80, 2]),
        ] as [(String, [UInt8])])
    func copiesHaveTheReferencesBytes(_ json: String, _ bytes: [UInt8]) throws {
        #expect(try ReferenceCopyTests.copy(json) == bytes)
    }

    @Test func aWideCollectionSharesStringsAtAnyDistance() throws {
        let long = String(repeating: "x", count: 33_000)
        let json = "[70000,\"abc\",\"\(long)\",\"abc\"]"
        #expect(try ReferenceCopyTests.copy(json).count < 33_040)
    }
}
