/// What the drafts 2019-09 and 2020-12 have in common: their schema is a document that joins others, one for each vocabulary.
struct JoinedMetaSchemas {
    /// Where the draft's documents are.
    let base: String
    /// Where a schema stands within a schema: what is around may extend it.
    let sub: String
    /// What lets that find a document.
    let anchor: String
    /// One that is required keeps who does not know it from reading the schema.
    let vocabularies: [(name: String, isRequired: Bool)]

    /// `properties` are further ones from before there were vocabularies.
    func schema(_ properties: String = "") -> String {
        let rules = vocabularies.map { "\"\(base)vocab/\($0.name)\": \($0.isRequired)" }.joined(separator: ", ")
        let documents = vocabularies.map { "{\"$ref\": \"meta/\($0.name)\"}" }.joined(separator: ", ")
        return """
            {"$schema": "\(base)schema", "$id": "\(base)schema", \(anchor), "type": ["object", "boolean"],
            "$vocabulary": {\(rules)}, "allOf": [\(documents)],
            "properties": {"definitions": {"type": "object", "additionalProperties": \(sub), "default": {}},
            "dependencies": {"type": "object", "additionalProperties": {"anyOf": [\(sub), {"$ref": "meta/validation#/$defs/stringArray"}]}}\(properties)}}
            """
    }

    func vocabulary(_ name: String, _ members: String) -> String {
        """
        {"$schema": "\(base)schema", "$id": "\(base)meta/\(name)", "$vocabulary": {"\(base)vocab/\(name)": true}, \(anchor),
        "type": ["object", "boolean"], \(members)}
        """
    }

    /// `items` are those properties that speak of lists, in which the drafts differ.
    func applicator(_ items: String) -> String {
        """
        "properties": {\(items),
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
    }

    static let validation = """
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

    static let metaData = """
        "properties": {"title": {"type": "string"}, "description": {"type": "string"}, "default": true,
        "deprecated": {"type": "boolean", "default": false}, "readOnly": {"type": "boolean", "default": false},
        "writeOnly": {"type": "boolean", "default": false}, "examples": {"type": "array", "items": true}}
        """

    static let format = #""properties": {"format": {"type": "string"}}"#

    var content: String {
        """
        "properties": {"contentMediaType": {"type": "string"}, "contentEncoding": {"type": "string"}, "contentSchema": \(sub)}
        """
    }
}
