import CBLFleece
import Testing

@testable import CBLJSONSchema

@Suite struct FailureTests {
    static let address = ##"""
        {"type": "object", "required": ["name"], "properties": {
        "name": {"type": "string", "minLength": 1}, "age": {"type": "integer", "minimum": 0, "multipleOf": 1},
        "zip code": {"pattern": "^\\d+$"}, "kind": {"enum": ["home", "work"]},
        "tags": {"items": {"type": ["string", "null"]}, "uniqueItems": true, "maxItems": 3},
        "address": {"$ref": "#/$defs/a"}, "one": {"oneOf": [{"type": "integer"}, {"minimum": 2}]},
        "any": {"anyOf": [{"type": "null"}, {"required": ["x"]}, {"maxProperties": 0}, false]}, "not": {"not": {"const": 1}}},
        "propertyNames": {"maxLength": 8}, "dependentRequired": {"age": ["name"]},
        "$defs": {"a": {"properties": {"zip": {"type": "string"}}, "additionalProperties": false}}}
        """##

    static let cases: [(String, String)] = [
        ("1", "expected an object, found 1"), ("{}", #"the property "name" is missing"#),
        (#"{"name": ""}"#, #"/name: expected at least 1 character, found 0: """#),
        (#"{"name": "a", "age": -1}"#, "/age: expected at least 0, found -1"),
        (#"{"name": "a", "age": 1.5}"#, "/age: expected an integer, found 1.5; /age: expected a multiple of 1, found 1.5"),
        (#"{"name": "a", "zip code": "x"}"#, #"/zip code: "x" does not match ^\d+$"#),
        (#"{"name": "a", "kind": [1]}"#, #"/kind: expected one of "home", "work", found a list of 1 item"#),
        (#"{"name": "a", "tags": [1, null]}"#, "/tags/0: expected null or a string, found 1"),
        (
            #"{"name": "a", "tags": ["b", "c", "b", "d"]}"#,
            #"/tags: expected at most 3 items, found 4; /tags: items 0 and 2 are the same: "b""#
        ),
        (#"{"name": "a", "address": {"zip": 12345}}"#, "/address/zip: expected a string, found 12345"),
        (#"{"name": "a", "address": {"~zap/": {}}}"#, #"/address/~0zap~1: the property "~zap/" is not allowed here"#),
        (#"{"name": "a", "one": 2}"#, "/one: valid by 2 of 2 alternatives (1, 2), and may be by one only"),
        (
            #"{"name": "a", "one": 1.5}"#,
            "/one: valid by none of 2 alternatives (1: expected an integer, found 1.5; 2: expected at least 2, found 1.5)"
        ),
        (
            #"{"name": "a", "any": {"y": 1}}"#,
            #"/any: valid by none of 4 alternatives (1: expected null, found an object; 2: the property "x" is missing; "#
                + "3: expected at most 0 properties, found 1; …)"
        ),
        (#"{"name": "a", "not": 1}"#, "/not: 1 is what the schema excludes"),
        (#"{"name": "a", "far too long": 1}"#, #"the name of a property: expected at most 8 characters, found 12: "far too long""#),
        (#"{"age": 1}"#, #"the property "name" is missing; "age" is there without "name""#),
    ]

    @Test(arguments: cases) func failuresSayWhatIsWrongAndWhere(json: String, said: String) throws {
        let failures = try Sample(Self.address).failures(json)
        #expect(failures.map(\.description).joined(separator: "; ") == said)
    }

    @Test func aFailureNamesItsPlaces() throws {
        let failure = try #require(Sample(Self.address).failures(#"{"name": "a", "tags": ["b", 7]}"#).first)
        #expect(failure.pointer == "/tags/1")
        #expect(failure.path == "tags[1]")
        #expect(failure.schemaPath == "#/properties/tags/items/type")
        #expect(failure.keyword == "type")
        let other = try #require(Sample(Self.address).failures(#"{"name": "a", "zip code": "b"}"#).first)
        #expect(other.path == #"["zip code"]"#)
        #expect(other.schemaPath == "#/properties/zip code/pattern")
    }

    @Test func thereAreAtMostAsManyFailuresAsWanted() throws {
        let sample = try Sample(#"{"items": {"type": "string"}}"#)
        let json = "[" + (1...100).map(String.init).joined(separator: ",") + "]"
        #expect(try sample.failures(json, limit: 7).count == 7)
        #expect(try sample.failures(json, limit: 1000).count == 100)
    }

    @Test func textIsCheckedAsItIs() throws {
        let schema = try JSONSchema(parsing: #"{"type": "object"}"#)
        #expect(try Array("[]".utf8).withUnsafeBytes { try schema.failures(ofJSON: $0) }.count == 1)
        #expect(throws: JSONError.self) { try Array("[".utf8).withUnsafeBytes { try schema.failures(ofJSON: $0) } }
    }

    @Test func threadsDoNotDisturbEachOther() async throws {
        let schema = try JSONSchema(parsing: #"{"properties": {"a": {"type": "integer", "minimum": 0}, "b": {"pattern": "(x|y)+"}}}"#)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for task in 0..<8 {
                group.addTask {
                    let encoder = FleeceEncoder(sharedKeys: SharedKeysBuilder())
                    try JSONParser.parse(#"{"c\#(task)": 0, "a": \#(task % 2 - 1), "b": "\#(task % 2 == 0 ? "x" : "y")"}"#, into: encoder)
                    let keys = encoder.sharedKeys?.state
                    let data = try encoder.finish()
                    return try (0..<500).count { _ in try data.withRoot { try schema.isValid($0, keys) } }
                }
            }
            var valid = 0
            for try await count in group { valid += count }
            #expect(valid == 2000)
        }
    }
}
