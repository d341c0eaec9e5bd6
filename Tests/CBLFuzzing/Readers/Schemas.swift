import CBLFleece
import CBLFunctions
import CBLJSONSchema
import CBLViews

extension FuzzedReader {
    static let schemas = [
        FuzzedReader("json-schema", "schemas of documents", mostBytes: 500, texts: schemaTexts) { bytes in
            let schema = try JSONSchema(parsing: bytes, .init(stepLimit: 20_000))
            for value in examples {
                value.withRoot { root in
                    guard let isValid = try? schema.isValid(root, nil), let failures = try? schema.failures(of: root, nil, limit: 5) else {
                        return
                    }
                    require(failures.isEmpty == isValid, "valid or not, but not both")
                }
            }
            return true
        },
        FuzzedReader(
            "regex", "regular expressions", mostBytes: 100, texts: ["^(a+|b)*?[^c-e]{2,3}$", "(?<n>\\p{L}\\k<n>)(?!x)\\u{1F432}\\b"]
        ) { bytes in
            let expression = try withCopy(of: bytes) { try RegularExpression($0, over: .characters) }
            for text in ["", "aab", "é🐲a\n"] { _ = withCopy(of: text.utf8) { try? expression.find(in: $0) } }
            return true
        },
        FuzzedReader("design", "design documents and files of scripts", mostBytes: 400, texts: designTexts) { bytes in
            let file = try? ScriptFile(String(decoding: bytes, as: UTF8.self))
            let design = try? DesignDocument("d", json: bytes)
            return file != nil || design.map { !$0.views.isEmpty } ?? false
        },
    ]

    private static let schemaTexts = [
        ##"{"$id":"http://x/","type":"object","properties":{"a":{"$ref":"#/$defs/b"},"c":{"minimum":1}},"$defs":{"b":{"items":true}}}"##,
        #"{"allOf":[{"pattern":"^a+$"},{"maxLength":3}],"anyOf":[{"enum":[1,"a"]},{"not":{"const":2}}],"format":"date-time"}"#,
        ##"{"$dynamicAnchor":"n","prefixItems":[{"$dynamicRef":"#n"}],"unevaluatedItems":{"uniqueItems":true},"contains":{}}"##,
        #"{"additionalProperties":{"multipleOf":0.1},"required":["a"],"patternProperties":{"b.":false},"dependencies":{"a":["b"]}}"#,
    ]
    private static let designTexts = [
        #"{"views":{"a":{"map":"function (doc) { emit(doc.a); }","reduce":"_sum"}},"language":"javascript"}"#,
        "{ map: function (doc) { if (/[a]/.test('}')) emit(doc.a, \"x\\\"\"); /* ) */ }, reduce: '_sum' }",
        "exports.map = function (doc) { emit(doc.a) }\nmodule.exports.reduce = '_count'",
    ]
    private static let examples = [
        "{}", "[[[]],[1,1],1.5]", "\"aaa\"", #"{"a":[1,2],"b":1,"c":0,"bx":{"a":{}},"d":"2024-02-30T00:00:00Z"}"#,
    ].compactMap {
        text -> FleeceData? in
        let encoder = FleeceEncoder()
        guard (try? JSONParser.parse(text, into: encoder)) != nil else { return nil }
        return try? encoder.finish()
    }
}
