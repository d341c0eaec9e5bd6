/// Draft 2020-12.
enum MetaSchemas2020 {
    private static let joined = JoinedMetaSchemas(
        base: "https://json-schema.org/draft/2020-12/", sub: sub, anchor: #""$dynamicAnchor": "meta""#,
        vocabularies: [
            ("core", true), ("applicator", true), ("unevaluated", true), ("validation", true), ("meta-data", true),
            ("format-annotation", true), ("content", true),
        ])
    private static let sub = ##"{"$dynamicRef": "#meta"}"##

    static let schema = joined.schema(#", "$recursiveAnchor": {"type": "string"}, "$recursiveRef": {"type": "string"}"#)

    static func vocabulary(_ name: String) -> String? { members(of: name).map { joined.vocabulary(name, $0) } }

    private static func members(of name: String) -> String? {
        switch name {
        case "core": core
        case "applicator": joined.applicator(##""prefixItems": {"$ref": "#/$defs/schemaArray"}, "items": \##(sub)"##)
        case "unevaluated": #""properties": {"unevaluatedItems": \#(sub), "unevaluatedProperties": \#(sub)}"#
        case "validation": JoinedMetaSchemas.validation
        case "meta-data": JoinedMetaSchemas.metaData
        case "format-annotation", "format-assertion": JoinedMetaSchemas.format
        case "content": joined.content
        default: nil
        }
    }

    private static let core = """
        "properties": {
        "$id": {"$ref": "#/$defs/uriReferenceString", "pattern": "^[^#]*#?$"}, "$schema": {"$ref": "#/$defs/uriString"},
        "$ref": {"$ref": "#/$defs/uriReferenceString"}, "$anchor": {"$ref": "#/$defs/anchorString"},
        "$dynamicRef": {"$ref": "#/$defs/uriReferenceString"}, "$dynamicAnchor": {"$ref": "#/$defs/anchorString"},
        "$vocabulary": {"type": "object", "propertyNames": {"type": "string", "format": "uri"},
        "additionalProperties": {"type": "boolean"}},
        "$comment": {"type": "string"}, "$defs": {"type": "object", "additionalProperties": \(sub)}},
        "$defs": {"anchorString": {"type": "string", "pattern": "^[A-Za-z_][-A-Za-z0-9._]*$"},
        "uriString": {"type": "string", "format": "uri"}, "uriReferenceString": {"type": "string", "format": "uri-reference"}}
        """
}
