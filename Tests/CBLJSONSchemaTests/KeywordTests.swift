import Testing

@testable import CBLJSONSchema

@Suite struct KeywordTests {
    /// A schema, values that are valid by it, values that are not.
    struct Row: CustomTestStringConvertible {
        let schema: String
        let valid: [String]
        let invalid: [String]
        var testDescription: String { schema }

        init(_ schema: String, _ valid: [String], _ invalid: [String]) {
            (self.schema, self.valid, self.invalid) = (schema, valid, invalid)
        }
    }

    static let values: [Row] = [
        Row("true", ["1", "null", "{}"], []), Row("{}", ["1", "null", "{}"], []), Row("false", [], ["1", "null", "{}"]),
        Row(#"{"type": "null"}"#, ["null"], ["0", "false", "\"\""]),
        Row(#"{"type": "boolean"}"#, ["true", "false"], ["0", "1", "null"]),
        Row(#"{"type": "integer"}"#, ["0", "-5", "1.0", "1e3", "18446744073709551615"], ["1.5", "\"1\"", "1e-3"]),
        Row(#"{"type": "number"}"#, ["0", "1.5", "-1e300"], ["\"1\"", "true"]),
        Row(#"{"type": "string"}"#, ["\"\"", "\"a longer string than that\""], ["1", "[]"]),
        Row(#"{"type": "array"}"#, ["[]", "[1]"], ["{}"]), Row(#"{"type": "object"}"#, ["{}", "{\"a\": 1}"], ["[]"]),
        Row(#"{"type": ["integer", "null"]}"#, ["1", "null"], ["1.5", "\"\""]),
        Row(#"{"type": []}"#, [], ["1", "null"]),
        Row(
            #"{"enum": [1, "a", [2], {"b": null}]}"#, ["1", "1.0", "\"a\"", "[2.0]", "{\"b\": null}"], ["2", "\"A\"", "[]", "{}", "true"]),
        Row(#"{"enum": []}"#, [], ["1"]), Row(#"{"const": false}"#, ["false"], ["0", "[]", "null"]),
        Row(#"{"const": {"a": [1]}}"#, ["{\"a\": [1]}"], ["{\"a\": [1, 2]}", "{\"a\": [1], \"b\": 1}"]),
        Row(#"{"const": null}"#, ["null"], ["false", "0"]),
    ]

    static let numbers: [Row] = [
        Row(#"{"minimum": 2}"#, ["2", "2.5", "9e18", "\"1\""], ["1", "1.999", "-3"]),
        Row(#"{"maximum": 9007199254740993}"#, ["9007199254740993", "9007199254740992.0"], ["9007199254740994", "9007199254740994.0"]),
        Row(#"{"exclusiveMinimum": 0}"#, ["0.001", "1"], ["0", "-0.0", "-1"]),
        Row(#"{"exclusiveMaximum": 18446744073709551615}"#, ["18446744073709551614", "-1"], ["18446744073709551615", "1e20"]),
        Row(#"{"multipleOf": 3}"#, ["0", "3", "-9", "3.0", "18446744073709551615"], ["1", "4.5", "18446744073709551614"]),
        Row(#"{"multipleOf": 0.1}"#, ["0.3", "1", "123456.7", "-0.7", "1e300"], ["0.35", "0.01"]),
        Row(#"{"multipleOf": 1e-8}"#, ["70000000003", "0.00000001"], ["0.000000001"]),
        Row(#"{"multipleOf": 2.5}"#, ["5", "7.5", "1e20"], ["6", "7.4"]),
        Row(#"{"multipleOf": 7e200}"#, ["0", "7e200", "7e201", "1.4e201"], ["1", "7e199"]),
    ]

    static let strings: [Row] = [
        Row(#"{"minLength": 2, "maxLength": 3.0}"#, ["\"ab\"", "\"äöü\"", "\"🐲🐲\"", "1"], ["\"a\"", "\"abcd\"", "\"🐲\""]),
        Row(#"{"pattern": "b+"}"#, ["\"abc\"", "\"b\"", "17"], ["\"a\"", "\"\""]),
        Row(#"{"pattern": "^(a|b)*$"}"#, ["\"abba\"", "\"\""], ["\"abc\"", "\"ab\\n\""]),
        Row(#"{"pattern": "^\\p{Lu}\\w+$"}"#, ["\"Äab\""], ["\"äab\"", "\"Äü\""]),
        Row(#"{"pattern": "^.$"}"#, ["\"ü\"", "\"🐲\""], ["\"\"", "\"ab\"", "\"\\n\""]),
        Row(#"{"pattern": "^[^\\s\\u{1F432}]$"}"#, ["\"a\""], ["\"🐲\"", "\"\\u00a0\"", "\"\\ufeff\""]),
        Row(#"{"pattern": "\\bcat\\b"}"#, ["\"a cat.\"", "\"cat\"", "\"äcat\""], ["\"concat\"", "\"cats\""]),
        Row(#"{"pattern": "(?<y>\\d)-\\k<y>"}"#, ["\"1-1\""], ["\"1-2\""]),
        Row(#"{"pattern": "^a{,2}$"}"#, ["\"a{,2}\""], ["\"aa\""]),
        Row(#"{"pattern": ""}"#, ["\"\"", "\"x\""], []),
    ]

    static let arrays: [Row] = [
        Row(#"{"items": {"type": "integer"}}"#, ["[]", "[1, 2]", "{}"], ["[1, \"2\"]"]),
        Row(#"{"prefixItems": [{"type": "integer"}, true], "items": false}"#, ["[]", "[1]", "[1, \"a\"]"], ["[\"a\"]", "[1, 2, 3]"]),
        Row(#"{"minItems": 1, "maxItems": 2}"#, ["[1]", "[1, 2]", "{}"], ["[]", "[1, 2, 3]"]),
        Row(
            #"{"uniqueItems": true}"#,
            ["[]", "[1, true]", "[0, false, \"\", null]", "[[1], [2]]", "[{\"a\": 1}, {\"a\": 2}]", "[1,2,3,4,5,6,7,8,9,10,11]"],
            [
                "[1, 1.0]", "[{\"a\": 1, \"b\": 2}, {\"b\": 2, \"a\": 1}]", "[1,2,3,4,5,6,7,8,9,10,11,3]",
                "[[{\"x\":[0]}],1,2,3,4,5,6,7,8,9,[{\"x\":[-0.0]}]]",
            ]),
        Row(#"{"contains": {"minimum": 5}}"#, ["[1, 5]", "[7]"], ["[]", "[1, 4]"]),
        Row(#"{"contains": {"const": 1}, "minContains": 2, "maxContains": 3}"#, ["[1, 1]", "[1, 2, 1, 1]"], ["[1]", "[1, 1, 1, 1]"]),
        Row(#"{"contains": {"const": 1}, "minContains": 0}"#, ["[]", "[2]"], []),
        Row(#"{"prefixItems": [true], "unevaluatedItems": false}"#, ["[]", "[1]"], ["[1, 2]"]),
        Row(#"{"contains": {"const": 1}, "unevaluatedItems": {"const": 2}}"#, ["[1, 2]", "[1]"], ["[1, 3]", "[2]"]),
        Row(
            #"{"anyOf": [{"prefixItems": [{"const": 1}]}, {"prefixItems": [true, {"const": 2}]}], "unevaluatedItems": false}"#,
            ["[1]", "[1, 2]", "[3, 2]"], ["[1, 3]", "[1, 2, 3]"]),
    ]

    static let objects: [Row] = [
        Row(
            #"{"properties": {"a": {"type": "integer"}, "b c": {"type": "string"}}}"#, ["{}", "{\"a\": 1, \"x\": 2}"],
            ["{\"a\": \"1\"}", "{\"b c\": 1}"]),
        Row(#"{"required": ["a", "b"]}"#, ["{\"a\": null, \"b\": 1}", "[]"], ["{}", "{\"a\": 1}"]),
        Row(#"{"properties": {"a": true}, "required": ["a", "a", "c"]}"#, ["{\"a\": null, \"c\": 1}"], ["{\"c\": 1}", "{\"a\": 1}"]),
        Row(
            #"{"properties": {"a": true, "bb": true}, "patternProperties": {"^x": {"type": "integer"}}, "additionalProperties": false}"#,
            ["{}", "{\"a\": 1, \"bb\": 2, \"x1\": 3}"], ["{\"a\": 1, \"b\": 2}", "{\"x1\": \"3\"}", "{\"bbb\": 1}"]),
        Row(#"{"additionalProperties": {"type": "integer"}, "required": ["z"]}"#, ["{\"z\": 1}"], ["{\"z\": null}", "{}"]),
        Row(#"{"patternProperties": {"é": {"const": 1}, "^é": {"type": "number"}}}"#, ["{\"é\": 1}"], ["{\"ée\": 2}"]),
        Row(#"{"minProperties": 1, "maxProperties": 2}"#, ["{\"a\": 1}", "[]"], ["{}", "{\"a\": 1, \"b\": 2, \"c\": 3}"]),
        Row(#"{"propertyNames": {"maxLength": 3}}"#, ["{\"abc\": 1}", "{}"], ["{\"abcd\": 1}"]),
        Row(#"{"propertyNames": false}"#, ["{}"], ["{\"a\": 1}"]),
        Row(
            #"{"dependentRequired": {"a": ["b", "c"], "d": []}}"#, ["{\"b\": 1}", "{\"a\": 1, \"b\": 1, \"c\": 1}", "{\"d\": 1}"],
            ["{\"a\": 1, \"b\": 1}"]),
        Row(#"{"dependentSchemas": {"a": {"minProperties": 2}}}"#, ["{\"b\": 1}", "{\"a\": 1, \"b\": 1}"], ["{\"a\": 1}"]),
        Row(#"{"dependencies": {"a": ["b"], "c": {"minProperties": 2}}}"#, ["{\"a\": 1, \"b\": 1}"], ["{\"a\": 1}", "{\"c\": 1}"]),
        Row(
            #"{"allOf": [{"properties": {"a": true}}, {"patternProperties": {"^b": true}}], "unevaluatedProperties": false}"#,
            ["{\"a\": 1, \"b1\": 2}"], ["{\"a\": 1, \"c\": 2}"]),
        Row(
            ##"{"$ref": "#/$defs/x", "unevaluatedProperties": {"type": "null"}, "$defs": {"x": {"properties": {"a": true}}}}"##,
            ["{\"a\": 1, \"b\": null}"], ["{\"b\": 1}"]),
        Row(
            #"{"if": {"properties": {"a": {"const": 1}}, "required": ["a"]}, "then": {"properties": {"b": true}}, "unevaluatedProperties": false}"#,
            ["{\"a\": 1, \"b\": 2}", "{}"], ["{\"a\": 2}", "{\"b\": 2}", "{\"a\": 1, \"c\": 2}"]),
        // What an alternative looked at before it turned out not to be the one does not count.
        Row(
            #"{"anyOf": [{"allOf": [{"properties": {"a": true}}], "required": ["z"]}, {"properties": {"b": true}}], "unevaluatedProperties": false}"#,
            ["{\"b\": 1}"], ["{\"a\": 1}", "{\"a\": 1, \"b\": 1}"]),
        Row(
            #"{"not": {"properties": {"a": true}, "required": ["a"]}, "unevaluatedProperties": false}"#, ["{}"],
            ["{\"a\": 1}", "{\"b\": 1}"]),
    ]

    static let combinations: [Row] = [
        Row(#"{"allOf": [{"minimum": 2}, {"maximum": 4}]}"#, ["3", "\"\""], ["1", "5"]),
        Row(#"{"anyOf": [{"maximum": 2}, {"minimum": 4}]}"#, ["1", "5"], ["3"]),
        Row(#"{"oneOf": [{"maximum": 4}, {"minimum": 2}]}"#, ["1", "5"], ["3", "\"both\""]),
        Row(#"{"not": {"type": "integer"}}"#, ["\"\""], ["1"]), Row(#"{"not": {"not": {"type": "integer"}}}"#, ["1"], ["\"\""]),
        Row(#"{"if": {"minimum": 10}, "then": {"multipleOf": 10}, "else": {"multipleOf": 3}}"#, ["20", "9"], ["15", "5"]),
        Row(#"{"then": false, "else": false}"#, ["1"], []),
        Row(
            ##"{"type": "object", "properties": {"next": {"$ref": "#"}, "v": {"type": "integer"}}, "additionalProperties": false}"##,
            ["{\"next\": {\"next\": {}, \"v\": 1}}"], ["{\"next\": {\"next\": {\"v\": \"\"}}}", "{\"next\": {\"nex\": {}}}"]),
        Row(##"{"$ref": "#/$defs/a~1b%25c~0", "$defs": {"a/b%c~": {"type": "integer"}}}"##, ["1"], ["\"\""]),
        Row(##"{"$ref": "#here", "$defs": {"x": {"$anchor": "here", "type": "integer"}}}"##, ["1"], ["\"\""]),
        Row(
            #"{"$id": "http://x/a/b", "$ref": "../c", "$defs": {"x": {"$id": "/c", "type": "integer"}}}"#, ["1"], ["\"\""]),
    ]

    @Test(arguments: values + numbers + strings + arrays + objects + combinations)
    func keywordsTellValidFromInvalid(row: Row) throws {
        let sample = try Sample(row.schema)
        for json in row.valid { #expect(try sample.failures(json) == [], "\(json)") }
        for json in row.invalid { #expect(try !sample.isValid(json), "\(json)") }
    }

    static let olderDrafts: [(Draft, Row)] = [
        (.draft4, Row(#"{"minimum": 2, "exclusiveMinimum": true, "maximum": 4, "exclusiveMaximum": false}"#, ["3", "4"], ["2", "5"])),
        (.draft4, Row(#"{"type": "integer"}"#, ["1", "123456789012345678901234567890"], ["1.5"])),
        (.draft4, Row(#"{"items": [{"type": "integer"}], "additionalItems": false}"#, ["[]", "[1]"], ["[\"\"]", "[1, 2]"])),
        (.draft4, Row(#"{"const": 1, "if": false, "contains": false, "propertyNames": false}"#, ["2", "[]", "{\"a\": 1}"], [])),
        (.draft4, Row(##"{"$ref": "#/definitions/a", "type": "null", "definitions": {"a": {"type": "string"}}}"##, ["\"\""], ["null"])),
        (.draft4, Row(##"{"id": "http://x/a", "$ref": "#b", "definitions": {"b": {"id": "#b", "type": "string"}}}"##, ["\"\""], ["null"])),
        (.draft4, Row(#"{"format": "ipv4"}"#, ["\"127.0.0.1\"", "1"], ["\"127.0.0.256\""])),
        (.draft6, Row(#"{"exclusiveMinimum": 2, "const": 3, "contains": true}"#, ["3"], ["2"])),
        (.draft6, Row(#"{"if": true, "then": false}"#, ["1"], [])), (.draft7, Row(#"{"if": true, "then": false}"#, [], ["1"])),
        (.draft7, Row(#"{"dependentRequired": {"a": ["b"]}, "unevaluatedProperties": false}"#, ["{\"a\": 1}"], [])),
        (.draft7, Row(#"{"format": "ipv4"}"#, ["\"127.0.0.256\""], [])),
        (.draft2019, Row(#"{"items": [true], "additionalItems": false, "prefixItems": [false]}"#, ["[1]"], ["[1, 2]"])),
        (
            .draft2019,
            Row(##"{"$recursiveAnchor": true, "items": {"$recursiveRef": "#"}, "type": ["array", "integer"]}"##, ["[1, [2]]"], ["[[\"\"]]"])
        ),
    ]

    @Test(arguments: olderDrafts)
    func olderDraftsKeepTheirOwnMeaning(draft: Draft, row: Row) throws {
        let sample = try Sample(row.schema, .init(draft: draft))
        #expect(sample.schema.draft == draft)
        for json in row.valid { #expect(try sample.failures(json) == [], "\(json)") }
        for json in row.invalid { #expect(try !sample.isValid(json), "\(json)") }
    }

    @Test(arguments: [
        (#"{}"#, Draft.draft2020), (#"{"id": "http://x/y"}"#, .draft4), (#"{"id": "http://x/y", "$id": "http://x/y"}"#, .draft2020),
        (##"{"$schema": "http://json-schema.org/draft-04/schema#"}"##, .draft4),
        (#"{"$schema": "http://json-schema.org/draft-06/schema"}"#, .draft6),
        (##"{"$schema": "http://json-schema.org/draft-07/schema#"}"##, .draft7),
        (#"{"$schema": "https://json-schema.org/draft/2019-09/schema"}"#, .draft2019),
        (#"{"$schema": "https://json-schema.org/draft/2020-12/schema"}"#, .draft2020), ("true", .draft2020),
    ])
    func aSchemaSaysWhatItIsWrittenIn(text: String, draft: Draft) throws {
        #expect(try JSONSchema(parsing: text).draft == draft)
    }

    @Test(arguments: Draft.allCases)
    func eachDraftIsValidByItself(draft: Draft) throws {
        let sample = try Sample(#"{"$ref": "\#(draft.uri)"}"#, .init(draft: draft))
        let own = try #require(MetaSchemas.text(at: draft.uri))
        #expect(try sample.failures(own) == [])
        #expect(try sample.isValid(#"{"properties": {"a": {"type": "integer", "minimum": 1}}}"#))
        for wrong in [#"{"minLength": -1}"#, #"{"properties": {"a": {"type": "int"}}}"#, #"{"allOf": []}"#, "1"] {
            #expect(try !sample.isValid(wrong), "\(wrong)")
        }
    }

    @Test func othersDocumentsComeFromTheCaller() throws {
        let sample = try Sample(
            #"{"$ref": "other.json#/$defs/a"}"#, .init(location: "http://x/y/main.json"),
            ["http://x/y/other.json": ##"{"$defs": {"a": {"items": {"$ref": "#/$defs/b"}}, "b": {"type": "integer"}}}"##])
        let failure = try #require(sample.failures("[1, \"2\"]").first)
        #expect(failure.schemaPath == "http://x/y/other.json#/$defs/b/type")
        #expect(failure.pointer == "/1")
    }
}
