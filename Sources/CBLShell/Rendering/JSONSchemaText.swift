import CBLFleece
import CBLQuery

/// A JSON Schema (draft 2020-12) that all documents of a shape meet: types, required properties, and the values where they are a choice.
struct JSONSchemaText: ~Copyable {
    private var buffer = ByteBuffer()
    private var depth = 0
    private var needsComma = false

    static func write(_ shape: Shape, title: String, to session: Session) throws {
        var text = JSONSchemaText()
        text.object { text in
            text.member("$schema", "https://json-schema.org/draft/2020-12/schema")
            text.member("title", title)
            text.describe(shape.document)
        }
        try session.writeJSON { $0.append(text.buffer.bytes) }
    }

    private mutating func describe(_ property: Shape.Property) {
        let facts = property.facts
        let types = JSONSchemaText.types(facts)
        if types.count == 1 { member("type", types[0]) } else if !types.isEmpty { list("type", types) }
        if !property.members.isEmpty {
            for members in property.members { key("additionalProperties"); object { $0.describe(members) } }
        } else if !property.properties.isEmpty {
            key("properties")
            object { text in
                for child in property.properties {
                    text.key(child.name.text)
                    text.object { $0.describe(child) }
                }
            }
            let required = property.properties.filter { $0.facts.count == facts.objects }.map(\.name.text).sorted()
            if !required.isEmpty { list("required", required) }
        }
        for items in property.items {
            key("items")
            object { $0.describe(items) }
        }
        if facts.dates > 0, facts.dates == facts.strings { member("description", "a date") }
        if facts.blobs > 0 { member("description", "a reference to a blob") }
        if PlaceText(property: property).isEnumeration, facts.count == facts.strings {
            list(
                "enum", facts.values.entries.compactMap { if case .text(let text, isWhole: true) = $0.value { text } else { nil } }.sorted()
            )
        }
    }

    private static func types(_ facts: PlaceFacts) -> [String] {
        let all = [
            ("object", facts.objects + facts.blobs), ("array", facts.arrays), ("string", facts.strings + facts.datas),
            ("number", facts.doubles), ("integer", facts.doubles > 0 ? 0 : facts.integers), ("boolean", facts.booleans),
            ("null", facts.nulls),
        ]
        // A value that cannot be read can be anything.
        return facts.unreadable > 0 ? [] : all.filter { $0.1 > 0 }.map(\.0)
    }

    private mutating func object(_ fill: (inout JSONSchemaText) -> Void) {
        buffer.append("{")
        depth += 1
        needsComma = false
        fill(&self)
        depth -= 1
        if needsComma { startLine() }
        buffer.append("}")
        needsComma = true
    }

    private mutating func key(_ name: String) {
        if needsComma { buffer.append(",") }
        startLine()
        JSONWriter.write(string: name, to: &buffer)
        buffer.append(": ")
        needsComma = true
    }

    private mutating func member(_ name: String, _ text: String) {
        key(name)
        JSONWriter.write(string: text, to: &buffer)
    }

    private mutating func list(_ name: String, _ texts: [String]) {
        key(name)
        buffer.append("[")
        for (index, text) in texts.enumerated() {
            if index > 0 { buffer.append(", ") }
            JSONWriter.write(string: text, to: &buffer)
        }
        buffer.append("]")
    }

    private mutating func startLine() {
        buffer.append("\n")
        for _ in 0..<depth { buffer.append("  ") }
    }
}

extension SchemaPage {
    func writeJSONSchema(to session: Session) throws {
        try JSONSchemaText.write(found.survey.whole.shape, title: collection.description, to: session)
    }
}
