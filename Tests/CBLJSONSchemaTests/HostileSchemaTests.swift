import CBLFleece
import CBLTestSupport
import Testing

@testable import CBLJSONSchema

@Suite struct HostileSchemaTests {
    static let invalid: [(Draft, String, String)] = [
        (.draft2020, "7", "the schema is invalid at #: expected a schema, found 7"),
        (.draft2020, "{", "the schema is not JSON: line 1, column 2: expected a key in double quotes, found the end of the text"),
        (
            .draft2020, #"{"type": "int"}"#,
            "at #/type: expected a type: null, boolean, integer, number, string, array, object, found \"int\""
        ),
        (.draft2020, #"{"properties": {"a/b": {"type": 5}}}"#, "at #/properties/a~1b/type: expected a type"),
        (.draft2020, #"{"properties": {"a": 5}}"#, "at #/properties/a: expected a schema, found 5"),
        (.draft2020, #"{"properties": []}"#, "at #/properties: expected an object with schemas, found a list of 0 items"),
        (.draft2020, #"{"multipleOf": 0}"#, "at #/multipleOf: expected a number greater than 0, found 0"),
        (.draft2020, #"{"multipleOf": -1.5}"#, "at #/multipleOf: expected a number greater than 0, found -1.5"),
        (.draft2020, #"{"items": {"minLength": -1}}"#, "at #/items/minLength: expected a whole number from 0, found -1"),
        (.draft2020, #"{"maxItems": 1.5}"#, "at #/maxItems: expected a whole number from 0, found 1.5"),
        (.draft2020, #"{"minimum": "1"}"#, "at #/minimum: expected a number, found \"1\""),
        (.draft2020, #"{"exclusiveMaximum": true}"#, "at #/exclusiveMaximum: expected a number, found true (so it was in draft 4"),
        (.draft4, #"{"exclusiveMaximum": 1}"#, "at #/exclusiveMaximum: expected true or false, found 1"),
        (.draft2020, #"{"pattern": "("}"#, "at #/pattern: invalid regular expression \"(\""),
        (.draft2020, #"{"patternProperties": {"a**": {}}}"#, "at #/patternProperties/a**: invalid regular expression"),
        (.draft2020, #"{"allOf": []}"#, "at #/allOf: expected a list of schemas, found a list of 0 items"),
        (.draft2020, #"{"required": "a"}"#, "at #/required: expected a list of names, found \"a\""),
        (.draft2020, #"{"required": [1]}"#, "at #/required: expected names, found 1"),
        (.draft2020, #"{"enum": 1}"#, "at #/enum: expected a list of values, found 1"),
        (.draft2020, #"{"uniqueItems": 1}"#, "at #/uniqueItems: expected true or false, found 1"),
        (.draft2020, #"{"$ref": 1}"#, "at #/$ref: expected a reference, found 1"),
        (.draft2020, ##"{"$ref": "#/a"}"##, "the schema refers at #/$ref to \"#/a\", which is not there"),
        (.draft2020, ##"{"$ref": "#a"}"##, "the schema refers at #/$ref to \"#a\", which is not there"),
        (.draft2020, #"{"items": {"$ref": "http://x/y"}}"#, "the schema refers at #/items/$ref to \"http://x/y\", which is not there"),
        (.draft2020, #"{"$schema": "http://json-schema.org/draft-03/schema"}"#, "which is none of the drafts 4, 6, 7, 2019-09 and 2020-12"),
        (.draft2020, #"{"$schema": 5}"#, "at #/$schema: expected the URI of a draft, found 5"),
        (.draft2020, #"{"$anchor": "5"}"#, "at #/$anchor: expected a name, found \"5\""),
        (.draft2020, #"{"$defs": {"unused": {"items": {"type": "x"}}}}"#, "at #/$defs/unused/items/type: expected a type"),
        (.draft2020, #"{"$id": "\#(String(repeating: "a", count: 3000))"}"#, "at #/$id: an ID has at most 2000 characters"),
        (.draft2020, ##"{"$id": "#a"}"##, "at #/$id: an ID has no fragment"),
    ]

    @Test(arguments: invalid) func aWrongSchemaIsRefusedWithItsPlace(draft: Draft, text: String, said: String) throws {
        let error = try #require(refusal(of: text, .init(draft: draft)))
        #expect("\(error)".contains(said), "\(error)")
    }

    @Test(arguments: [
        ##"{"$ref": "#"}"##, ##"{"allOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"anyOf": [false, {"$ref": "#"}]}}}"##,
        ##"{"not": {"$ref": "#"}}"##, ##"{"$dynamicRef": "#a", "$dynamicAnchor": "a"}"##,
        ##"{"dependentSchemas": {"a": {"$ref": "#"}}}"##, ##"{"if": {"$ref": "#"}, "then": false}"##,
    ])
    func aReferenceToItselfIsAnError(text: String) throws {
        let sample = try Sample(text)
        #expect {
            _ = try sample.isValid(#"{"a": 1}"#)
        } throws: { error in
            if case JSONSchemaError.endless = error { true } else { false }
        }
    }

    @Test func whatTakesExponentialTimeIsAnError() throws {
        let doubling = (0..<30).map { ##""d\##($0)": {"allOf": [{"$ref": "#/$defs/d\##($0 + 1)"}, {"$ref": "#/$defs/d\##($0 + 1)"}]}"## }
        let text = ##"{"$ref": "#/$defs/d0", "$defs": {"## + doubling.joined(separator: ",") + ##", "d30": {}}}"##
        let schema = try JSONSchema(parsing: text, .init(stepLimit: 100_000))
        #expect(throws: JSONSchemaError.tooManySteps(100_000)) { try FleeceData.emptyDictionary.withRoot { try schema.isValid($0, nil) } }
    }

    private static let numbers: String = (0..<3000).map { "\($0)" }.joined(separator: ",")
    private static let names: String = (0..<3000).map { "\"\($0)\"" }.joined(separator: ",")
    private static let members: String = (0..<800).map { "\"\($0)\": 0" }.joined(separator: ",")
    static let heavy: [(String, String)] = [
        (#"{"uniqueItems": true}"#, "[\(numbers)]"),
        (#"{"items": {"enum": [\#(numbers)]}}"#, "[1, 2, 3, 4, 5, 6, 7, 8]"),
        (#"{"items": {"minLength": 1}}"#, "[\"\(String(repeating: "a", count: 200_000))\"]"),
        (#"{"items": {"if": {"required": [\#(names)]}}}"#, "[[], 1, {}, {}, {}, {}]"),
        (#"{"patternProperties": {"(a)": true, "b": true}}"#, "{\(members)}"),
    ]

    @Test(arguments: heavy)
    func workInsideOfOneStepCountsAsWell(text: String, json: String) throws {
        #expect(throws: JSONSchemaError.tooManySteps(1000)) { try Sample(text, .init(stepLimit: 1000)).failures(json) }
        #expect(throws: Never.self) { try Sample(text).failures(json) }
    }

    @Test func longChainsAreNoDangerForTheStack() throws {
        let chain = (0..<20_000).map { ##""d\##($0)": {"$ref": "#/$defs/d\##($0 + 1)"}"## }
        let text = ##"{"$ref": "#/$defs/d0", "$defs": {"## + chain.joined(separator: ",") + ##", "d20000": {}}}"##
        let schema = try JSONSchema(parsing: text)
        #expect(throws: JSONSchemaError.tooDeep) { try FleeceData.emptyDictionary.withRoot { try schema.isValid($0, nil) } }
    }

    @Test func aCallerWithoutEndIsStopped() {
        var calls = 0
        #expect(throws: JSONSchemaError.self) {
            try JSONSchema(parsing: #"{"$ref": "http://x/0"}"#) { _ in
                calls += 1
                return Array(#"{"$ref": "http://x/\#(calls)"}"#.utf8)
            }
        }
        #expect(calls <= 1000)
    }

    @Test func aSlowPatternIsAnError() throws {
        let sample = try Sample(#"{"pattern": "^(([a-z]+)+)+$"}"#)
        #expect {
            _ = try sample.isValid("\"\(String(repeating: "a", count: 60))!\"")
        } throws: { error in
            if case JSONSchemaError.pattern = error { true } else { false }
        }
    }

    @Test(arguments: [#"{"items": {"format": "regex"}}"#, #"{"items": {"pattern": "(a|b)"}}"#])
    func allRegularExpressionsOfACheckShareOneLimit(text: String) throws {
        let evaluator = Evaluator(try JSONSchema(parsing: text, .init(formats: .asserted)))
        let encoder = FleeceEncoder()
        try JSONParser.parse(#"["a", "b"]"#, into: encoder)
        let list = try encoder.finish()
        #expect(try list.withRoot { try evaluator.isValid($0, nil) })
        evaluator.patternPatience = .zero
        #expect {
            _ = try list.withRoot { try evaluator.isValid($0, nil) }
        } throws: { error in
            if case JSONSchemaError.pattern = error { true } else { false }
        }
    }

    @Test func simplePatternsAreWhatTheLibraryTakesThemFor() throws {
        var random = SeededRandom(7)
        let pieces = [
            "^", "a", "b", "[ab]", "[a-c]", "\\d", "\\w", "-", "{2}", "{1,2}", "{0,}", "*", "+", "?", "$", ".", "\\.", "[-a]", "é",
        ]
        let texts = ["", "a", "b", "ab", "aab", "abc", "a-b", "1", "12", "a1", "-", "é", "aé", "a.", "..", "bb", "ab-", "\n", "a\n"]
        var simple = 0
        for _ in 0..<4000 {
            let text = "^" + (0...random.below(6)).map { _ in random.element(of: pieces) }.joined() + random.element(of: ["", "$"])
            let pattern = Array(text.utf8).withUnsafeBytes { SimplePattern($0) }
            guard let pattern else { continue }
            // The slow way is forced by a group around it.
            guard let sample = try? Sample(#"{"pattern": "(?:\#(text.replacing("\\", with: "\\\\")))"}"#) else { continue }
            simple += 1
            for candidate in texts {
                let isMatch = Array(candidate.utf8).withUnsafeBytes { pattern.matches($0) }
                let json = "\"" + candidate.replacing("\n", with: "\\n") + "\""
                #expect(try sample.isValid(json) == isMatch, "\(text) \(json)")
            }
        }
        #expect(simple > 200)
    }
}
