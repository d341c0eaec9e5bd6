import CBLFleece
import CBLFunctions
import CBLTestSupport
import Testing

@testable import CBLJSONSchema

/// Broken schemas and values: an error or an answer, the same in each way to ask, and never a crash or a hang.
@Suite struct SchemaFuzzTests {
    static let schemas = [
        ##"{"$id":"http://x/","type":"object","properties":{"a":{"$ref":"#/$defs/b"},"c":{"minimum":1}},"$defs":{"b":{"items":true}}}"##,
        #"{"allOf":[{"pattern":"^a+$"},{"maxLength":3}],"anyOf":[{"enum":[1,"a"]},{"not":{"const":2}}]}"#,
        ##"{"$dynamicAnchor":"n","prefixItems":[{"$dynamicRef":"#n"}],"unevaluatedItems":{"uniqueItems":true},"contains":{}}"##,
        #"{"additionalProperties":{"multipleOf":0.1},"required":["a"],"patternProperties":{"b.":false},"dependencies":{"a":["b"]}}"#,
        ##"{"$schema":"http://json-schema.org/draft-04/schema#","id":"http://y","minimum":1,"exclusiveMinimum":true,"format":"ipv6"}"##,
        #"{"$ref":"https://json-schema.org/draft/2020-12/schema","unevaluatedProperties":false,"propertyNames":{"minLength":1}}"#,
    ]
    static let values = [
        "{}", "[]", "1", "\"aaa\"", #"{"a":[1,2],"b":1,"c":0,"bx":{"a":{}}}"#, "[[[]],[1,1],1.5]", #"{"type":"object","items":{"a":1}}"#,
    ]

    private func ask(_ schemaText: [UInt8], _ data: [FleeceData]) {
        guard let schema = try? JSONSchema(parsing: schemaText, .init(stepLimit: 20_000)) else { return }
        for value in data {
            value.withRoot { root in
                let isValid = try? schema.isValid(root, nil)
                let failures = try? schema.failures(of: root, nil, limit: 5)
                guard let isValid, let failures else { return }
                #expect(failures.isEmpty == isValid, "\(String(decoding: schemaText, as: UTF8.self))")
                for failure in failures { #expect(!failure.description.isEmpty) }
            }
        }
    }

    private func encoded(_ json: String) throws -> FleeceData {
        let encoder = FleeceEncoder()
        try JSONParser.parse(json, into: encoder)
        return try encoder.finish()
    }

    @Test(arguments: schemas) func everySmallDamageOfASchemaIsSurvived(text: String) throws {
        let data = try Self.values.map(encoded)
        Mutation.forEachSmall(of: Array(text.utf8)) { ask($0, data) }
    }

    @Test func randomDamageOfSchemasIsSurvived() throws {
        var random = SeededRandom(2_020_12)
        let data = try Self.values.map(encoded)
        repeatWithin(seconds: 2) {
            ask(Mutation.mutated(Array(random.element(of: Self.schemas).utf8), &random), data)
        }
    }

    /// Keywords of all kinds put together at random, so that schemas are right more often.
    @Test func randomSchemasAreSurvived() throws {
        var random = SeededRandom(4)
        let data = try Self.values.map(encoded)
        func schema(_ depth: Int) -> String {
            if depth == 0 || random.below(8) == 0 { return random.element(of: ["true", "false", "{}", ##"{"$ref":"#"}"##]) }
            func inner() -> String { schema(depth - 1) }
            let members = (0...random.below(3)).map { _ in
                switch random.below(14) {
                case 0: #""type":["\#(random.element(of: TypeSet.named.map(\.0)))"]"#
                case 1: #""properties":{"a":\#(inner()),"b":\#(inner())}"#
                case 2: #""items":\#(inner())"#
                case 3: #""anyOf":[\#(inner()),\#(inner())]"#
                case 4: #""oneOf":[\#(inner()),\#(inner())]"#
                case 5: #""not":\#(inner())"#
                case 6: #""if":\#(inner()),"then":\#(inner()),"else":\#(inner())"#
                case 7: #""unevaluatedProperties":\#(inner())"#
                case 8: #""unevaluatedItems":\#(inner())"#
                case 9: #""contains":\#(inner())"#
                case 10: #""additionalProperties":\#(inner())"#
                case 11: #""propertyNames":\#(inner())"#
                case 12: #""prefixItems":[\#(inner())]"#
                default: #""allOf":[\#(inner()),\#(inner())]"#
                }
            }
            // A key twice would not be JSON.
            var seen: Set<Substring> = []
            return "{" + members.filter { seen.insert($0.prefix { $0 != ":" }).inserted }.joined(separator: ",") + "}"
        }
        repeatWithin(seconds: 2) { ask(Array(schema(4).utf8), data) }
    }

    @Test func randomPatternsAreSurvived() throws {
        var random = SeededRandom(262)
        let pieces = [
            "^", "$", "a", "é", "🐲", "(", ")", "(?:", "(?=", "(?!", "(?<=", "(?<n>", "\\k<n>", "\\k", "[", "]", "[^", "-", "\\d", "\\W",
            "\\p{L}",
            "\\p{", "\\u0061", "\\u{1F432}", "\\uD83D\\uDC32", "\\u", "\\x4", "\\cA", "\\b", "\\1", "*", "+?", "{2}", "{1,", "|", ".", "\\",
            "}",
        ]
        let texts = ["", "a", "éa🐲", "aaaa\n", "\u{0}"]
        var compiled = 0
        repeatWithin(seconds: 1) {
            let pattern = (0...random.below(8)).map { _ in random.element(of: pieces) }.joined()
            Array(pattern.utf8).withUnsafeBytes { bytes in
                guard let expression = try? RegularExpression(bytes, over: .characters) else { return }
                compiled += 1
                for text in texts { _ = Array(text.utf8).withUnsafeBytes { try? expression.find(in: $0) } }
            }
        }
        #expect(compiled > 0)
    }

    @Test func damagedValuesAreSurvived() throws {
        let schemas = try Self.schemas.map { try JSONSchema(parsing: $0, .init(stepLimit: 20_000)) }
        let small = try encoded(#"{"a":[1,2],"b":"aaa","c":{"b":1.5}}"#)
        Mutation.forEachSmall(of: small.withBytes { Array($0) }) { bytes in
            guard bytes.count % 2 == 0 else { return }
            FleeceData(bytes).withRoot { root in
                for schema in schemas {
                    let isValid = try? schema.isValid(root, nil)
                    let failures = try? schema.failures(of: root, nil)
                    if let isValid, let failures { #expect(failures.isEmpty == isValid) }
                }
            }
        }
    }
}
