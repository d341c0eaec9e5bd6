import Testing

@testable import CBLFleece

struct KeyPathTests {
    private func sample(_ keys: SharedKeysBuilder?) throws -> FleeceData {
        let encoder = FleeceEncoder(sharedKeys: keys)
        encoder.beginDictionary()
        encoder.writeKey("name"); encoder.beginDictionary(); encoder.writeKey("first"); encoder.write("Ada"); encoder.endDictionary()
        encoder.writeKey("list"); encoder.beginArray()
        for index in 0..<3 { encoder.write(Int64(index)) }
        encoder.beginArray(); encoder.write(Int64(99)); encoder.endArray()
        encoder.endArray()
        encoder.writeKey("odd.key"); encoder.write(Int64(7))
        encoder.writeKey("a[0]"); encoder.write(Int64(8))
        encoder.writeKey("back\\slash"); encoder.write(Int64(9))
        encoder.writeKey("$dollar"); encoder.write(Int64(10))
        encoder.writeKey("über"); encoder.write(Int64(11))
        encoder.endDictionary()
        return try encoder.finish()
    }

    static let cases: [(String, Int64?)] = [
        ("list[0]", 0), ("list[2]", 2), ("list[-2]", 2), ("list[-4]", 0), ("list[-5]", nil), ("list[4]", nil), ("list[3][0]", 99),
        ("list[-1][-1]", 99),
        ("odd\\.key", 7), ("odd.key", nil), ("a\\[0\\]", 8), ("a\\[0]", 8), ("back\\\\slash", 9), ("$dollar", 10), ("\\$dollar", 10),
        ("über", 11),
        ("name[0]", nil), ("list.x", nil), ("missing", nil), ("name.missing", nil), ("name.first.x", nil), ("$.odd\\.key", 7),
        (".odd\\.key", 7),
        ("$.list[1]", 1), ("list[2147483647]", nil), ("list[-2147483647]", nil),
    ]

    @Test(arguments: cases, [false, true])
    func pathsLeadToValues(_ sample: (String, Int64?), _ isShared: Bool) throws {
        let keys = isShared ? SharedKeysBuilder() : nil
        let data = try self.sample(keys)
        let path = try KeyPath(sample.0)
        data.withRoot { root in
            for _ in 0..<2 { #expect(path.evaluate(in: root, keys: keys?.state)?.integer == sample.1) }
        }
    }

    @Test func theEmptyPathIsTheRoot() throws {
        let data = try sample(nil)
        for text in ["", "$", "."] {
            let path = try KeyPath(text)
            #expect(path.count == 0)
            data.withRoot { #expect(path.evaluate(in: $0, keys: nil)?.kind == .dictionary) }
        }
    }

    @Test(arguments: ["a..b", "a.", "a[", "a[]", "a[x]", "a[1", "a[1]b", "a\\", "[99999999999]", "a[-]", "a[1 ]"])
    func badPathsAreRefused(_ text: String) {
        #expect(throws: KeyPathError.self) { try KeyPath(text) }
    }

    @Test func aPathFollowsItsTable() throws {
        let keys = SharedKeysBuilder()
        let path = try KeyPath("name.first")
        // Before the table knows the keys, then after, then after they got other numbers.
        try sample(nil).withRoot { #expect(path.evaluate(in: $0, keys: keys.state)?.string == "Ada") }
        try sample(keys).withRoot { #expect(path.evaluate(in: $0, keys: keys.state)?.string == "Ada") }
        keys.revert(toCount: 0)
        _ = keys.add("first")
        try sample(keys).withRoot { #expect(path.evaluate(in: $0, keys: keys.state)?.string == "Ada") }
        let other = SharedKeysBuilder()
        _ = other.add("list")
        try sample(other).withRoot { #expect(path.evaluate(in: $0, keys: other.state)?.string == "Ada") }
    }

    @Test func stepsAreNamesAsTheyAre() throws {
        let data = try sample(nil)
        for (steps, expected) in [
            ([.name("list"), .index(-1), .index(0)], 99), ([.name("odd.key")], 7), ([.name("a[0]")], 8), ([.name("back\\slash")], 9),
            ([.name("$dollar")], 10),
        ] as [([KeyPath.Step], Int64)] {
            let path = try #require(KeyPath(steps))
            data.withRoot { #expect(path.evaluate(in: $0, keys: nil)?.integer == expected) }
        }
        #expect(KeyPath([.name("")]) == nil && KeyPath([.index(1 << 40)]) == nil)
    }

    @Test(
        arguments: [
            ("name.first", #"{"name":{},"list":[0,1,2,[99]],"x":1}"#), ("name", #"{"list":[0,1,2,[99]],"x":1}"#),
            ("list[1]", #"{"name":{"first":"Ada"},"list":[0,2,[99]],"x":1}"#),
            ("list[-1][0]", #"{"name":{"first":"Ada"},"list":[0,1,2,[]],"x":1}"#),
            ("list[9]", nil), ("name.last", nil), ("x.y", nil), ("", nil),
        ], [false, true]) func whatAPathLeadsToIsRemoved(_ sample: (String, String?), _ isShared: Bool) throws
    {
        let encoder = FleeceEncoder(sharedKeys: isShared ? SharedKeysBuilder() : nil)
        try JSONParser.parse(#"{"name": {"first": "Ada"}, "list": [0, 1, 2, [99]], "x": 1}"#, into: encoder)
        let data = try encoder.finish()
        let before = data.withRoot { $0.json(keys: encoder.sharedKeys?.state, style: .canonical) }
        let isRemoved = try data.withRoot { try KeyPath(sample.0).remove(from: $0, keys: encoder.sharedKeys?.state, into: encoder) }
        #expect(isRemoved == (sample.1 != nil))
        let after = try encoder.finish()
        let expected = FleeceEncoder()
        try JSONParser.parse(sample.1 ?? before, into: expected)
        try #expect(
            after.withRoot { $0.json(keys: encoder.sharedKeys?.state, style: .canonical) }
                == expected.finish().withRoot { $0.json(style: .canonical) })
    }
}
