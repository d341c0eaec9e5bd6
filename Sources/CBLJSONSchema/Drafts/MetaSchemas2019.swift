/// Draft 2019-09.
enum MetaSchemas2019 {
    private static let joined = JoinedMetaSchemas(
        base: "https://json-schema.org/draft/2019-09/", sub: sub, anchor: #""$recursiveAnchor": true"#,
        vocabularies: [
            ("core", true), ("applicator", true), ("validation", true), ("meta-data", true), ("format", false), ("content", true),
        ])
    private static let sub = ##"{"$recursiveRef": "#"}"##

    static let schema = joined.schema()

    static func vocabulary(_ name: String) -> String? { members(of: name).map { joined.vocabulary(name, $0) } }

    private static func members(of name: String) -> String? {
        switch name {
        case "core": core
        case "applicator": joined.applicator(items)
        case "validation": JoinedMetaSchemas.validation
        case "meta-data": JoinedMetaSchemas.metaData
        case "format": JoinedMetaSchemas.format
        case "content": joined.content
        default: nil
        }
    }

    private static let core = """
        "properties": {
        "$recursiveRef": {"type": "string", "format": "uri-reference"}, "$recursiveAnchor": {"type": "boolean", "default": false},
        "$id": {"type": "string", "format": "uri-reference", "pattern": "^[^#]*#?$"},
        "$ref": {"type": "string", "format": "uri-reference"}, "$schema": {"type": "string", "format": "uri"},
        "$anchor": {"type": "string", "pattern": "^[A-Za-z][-A-Za-z0-9.:_]*$"},
        "$vocabulary": {"type": "object", "propertyNames": {"type": "string", "format": "uri"},
        "additionalProperties": {"type": "boolean"}},
        "$comment": {"type": "string"}, "$defs": {"type": "object", "additionalProperties": \(sub)}}
        """

    private static let items = """
        "additionalItems": \(sub), "items": {"anyOf": [\(sub), {"$ref": "#/$defs/schemaArray"}]},
        "unevaluatedItems": \(sub), "unevaluatedProperties": \(sub)
        """
}
