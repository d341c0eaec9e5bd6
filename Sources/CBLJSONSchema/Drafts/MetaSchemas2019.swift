/// Draft 2019-09: a document that joins others, one for each vocabulary.
enum MetaSchemas2019 {
    private static let base = "https://json-schema.org/draft/2019-09/"
    /// Where a schema stands within a schema: what is around may extend it.
    private static let sub = ##"{"$recursiveRef": "#"}"##
    private static let anchor = #""$recursiveAnchor": true"#

    static let schema = """
        {"$schema": "\(base)schema", "$id": "\(base)schema", \(anchor), "type": ["object", "boolean"],
        "$vocabulary": {
            "https://json-schema.org/draft/2019-09/vocab/core": true,
            "https://json-schema.org/draft/2019-09/vocab/applicator": true,
            "https://json-schema.org/draft/2019-09/vocab/validation": true,
            "https://json-schema.org/draft/2019-09/vocab/meta-data": true,
            "https://json-schema.org/draft/2019-09/vocab/format": false,
            "https://json-schema.org/draft/2019-09/vocab/content": true},
        "allOf": [{"$ref": "meta/core"}, {"$ref": "meta/applicator"}, {"$ref": "meta/validation"}, {"$ref": "meta/meta-data"}, {"$ref": "meta/format"}, {"$ref": "meta/content"}],
        "properties": {"definitions": {"type": "object", "additionalProperties": \(sub), "default": {}},
        "dependencies": {"type": "object", "additionalProperties": {"anyOf": [\(sub), {"$ref": "meta/validation#/$defs/stringArray"}]}}}}
        """

    static func vocabulary(_ name: String) -> String? {
        guard let members = members(of: name) else { return nil }
        return """
            {"$schema": "\(base)schema", "$id": "\(base)meta/\(name)", "$vocabulary": {"\(base)vocab/\(name)": true}, \(anchor),
            "type": ["object", "boolean"], \(members)}
            """
    }

    private static func members(of name: String) -> String? {
        switch name {
        case "core": core
        case "applicator": applicator
        case "validation": validation
        case "meta-data": metaData
        case "format": format
        case "content": content
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

    private static let applicator = """
        "properties": {"additionalItems": \(sub), "items": {"anyOf": [\(sub), {"$ref": "#/$defs/schemaArray"}]},
        "unevaluatedItems": \(sub), "unevaluatedProperties": \(sub),
        "contains": \(sub), "additionalProperties": \(sub),
        "properties": {"type": "object", "additionalProperties": \(sub), "default": {}},
        "patternProperties": {"type": "object", "additionalProperties": \(sub), "propertyNames": {"format": "regex"},
        "default": {}},
        "dependentSchemas": {"type": "object", "additionalProperties": \(sub), "default": {}},
        "propertyNames": \(sub), "if": \(sub), "then": \(sub), "else": \(sub), "not": \(sub),
        "allOf": {"$ref": "#/$defs/schemaArray"}, "anyOf": {"$ref": "#/$defs/schemaArray"},
        "oneOf": {"$ref": "#/$defs/schemaArray"}},
        "$defs": {"schemaArray": {"type": "array", "minItems": 1, "items": \(sub)}}
        """

    private static let validation = """
        "properties": {
        "type": {"anyOf": [{"$ref": "#/$defs/simpleTypes"},
        {"type": "array", "items": {"$ref": "#/$defs/simpleTypes"}, "minItems": 1, "uniqueItems": true}]},
        "const": true, "enum": {"type": "array", "items": true}, "multipleOf": {"type": "number", "exclusiveMinimum": 0},
        "maximum": {"type": "number"}, "exclusiveMaximum": {"type": "number"},
        "minimum": {"type": "number"}, "exclusiveMinimum": {"type": "number"},
        "maxLength": {"$ref": "#/$defs/nonNegativeInteger"}, "minLength": {"$ref": "#/$defs/nonNegativeIntegerDefault0"},
        "pattern": {"type": "string", "format": "regex"},
        "maxItems": {"$ref": "#/$defs/nonNegativeInteger"}, "minItems": {"$ref": "#/$defs/nonNegativeIntegerDefault0"},
        "uniqueItems": {"type": "boolean", "default": false},
        "maxContains": {"$ref": "#/$defs/nonNegativeInteger"},
        "minContains": {"$ref": "#/$defs/nonNegativeInteger", "default": 1},
        "maxProperties": {"$ref": "#/$defs/nonNegativeInteger"},
        "minProperties": {"$ref": "#/$defs/nonNegativeIntegerDefault0"}, "required": {"$ref": "#/$defs/stringArray"},
        "dependentRequired": {"type": "object", "additionalProperties": {"$ref": "#/$defs/stringArray"}}},
        "$defs": {"nonNegativeInteger": {"type": "integer", "minimum": 0},
        "nonNegativeIntegerDefault0": {"$ref": "#/$defs/nonNegativeInteger", "default": 0},
        "simpleTypes": {"enum": ["array", "boolean", "integer", "null", "number", "object", "string"]},
        "stringArray": {"type": "array", "items": {"type": "string"}, "uniqueItems": true, "default": []}}
        """

    private static let metaData = """
        "properties": {"title": {"type": "string"}, "description": {"type": "string"}, "default": true,
        "deprecated": {"type": "boolean", "default": false}, "readOnly": {"type": "boolean", "default": false},
        "writeOnly": {"type": "boolean", "default": false}, "examples": {"type": "array", "items": true}}
        """

    private static let format = #""properties": {"format": {"type": "string"}}"#

    private static let content = """
        "properties": {"contentMediaType": {"type": "string"}, "contentEncoding": {"type": "string"}, "contentSchema": \(sub)}
        """
}
