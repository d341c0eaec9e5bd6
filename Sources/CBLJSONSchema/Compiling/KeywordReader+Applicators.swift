import CBLFleece

/// The keywords that apply other schemas, to the same value or to what is in it.
extension KeywordReader {
    /// False if the keyword is none of these.
    func readApplicator(_ keyword: String, _ value: Value, _ members: DictionaryView) throws(JSONSchemaError) -> Bool {
        switch keyword {
        case "allOf": combination.all = try list(value, keyword)
        case "anyOf": combination.any = try list(value, keyword)
        case "oneOf": combination.one = try list(value, keyword)
        case "not": combination.not = try schema(value, keyword)
        case "if" where draft >= .draft7: combination.condition = try schema(value, keyword)
        case "then" where draft >= .draft7: combination.consequence = try schema(value, keyword)
        case "else" where draft >= .draft7: combination.alternative = try schema(value, keyword)
        case "properties":
            objects.properties = try map(value, keyword).map { .init(name: compiler.name($0.key), node: $0.node, isRequired: false) }
        case "patternProperties":
            for (key, node) in try map(value, keyword) {
                objects.patterns.append((try compiler.pattern(key, at: node.place), node))
            }
        case "additionalProperties": objects.additional = try schema(value, keyword)
        case "propertyNames" where draft >= .draft6: objects.names = try schema(value, keyword)
        case "dependentSchemas" where draft >= .draft2019:
            for (key, node) in try map(value, keyword) {
                objects.dependentSchemas.append((compiler.name(key), node, "dependentSchemas"))
            }
        case "dependencies": try readDependencies(value)
        case "items": try readItems(value, members)
        case "prefixItems" where draft >= .draft2020: arrays.first = try list(value, keyword)
        case "contains" where draft >= .draft6:
            arrays.contains = try schema(value, keyword)
            arrays.containsEvaluates = draft >= .draft2020
        default: return false
        }
        return true
    }

    func readUnevaluated(_ keyword: String, _ value: Value) throws(JSONSchemaError) -> Bool {
        switch keyword {
        case "unevaluatedItems": arrays.unevaluated = try schema(value, keyword)
        case "unevaluatedProperties": objects.unevaluated = try schema(value, keyword)
        default: return false
        }
        return true
    }

    /// What takes more than one keyword to know.
    func finish(_ members: DictionaryView) throws(JSONSchemaError) {
        node.values?.measure()
        guard let objects = node.objects else { return }
        defer { objects.measure() }
        var indexes: [Int: Int] = [:]
        for (index, property) in objects.properties.enumerated() { indexes[property.name.number] = index }
        var others: [ObjectRules.Property] = []
        for other in objects.others {
            guard let index = indexes[other.name.number] else {
                indexes[other.name.number] = -1
                others.append(other)
                continue
            }
            if index >= 0 { objects.properties[index].isRequired = true }
        }
        objects.others = others
    }

    private func list(_ value: Value, _ keyword: String) throws(JSONSchemaError) -> [SchemaNode] {
        guard let array = value.array, array.count > 0 else { throw unexpected(value, keyword, "a list of schemas") }
        var nodes: [SchemaNode] = []
        for (index, item) in array.enumerated() { nodes.append(try schema(item, keyword, "\(index)")) }
        return nodes
    }

    private func map(_ value: Value, _ keyword: String) throws(JSONSchemaError) -> [(key: UnsafeRawBufferPointer, node: SchemaNode)] {
        guard let dictionary = value.dictionary else { throw unexpected(value, keyword, "an object with schemas") }
        var nodes: [(UnsafeRawBufferPointer, SchemaNode)] = []
        for (key, item) in dictionary {
            guard let bytes = key.stringBytes else { continue }
            nodes.append((bytes, try schema(item, keyword, String(decoding: bytes, as: UTF8.self))))
        }
        return nodes
    }

    private func readItems(_ value: Value, _ members: DictionaryView) throws(JSONSchemaError) {
        if value.array != nil, draft < .draft2020 {
            if value.array?.count != 0 { arrays.first = try list(value, "items") }
            guard let rest = members.value(forKey: "additionalItems", nil) else { return }
            arrays.rest = try schema(rest, "additionalItems")
            arrays.restKeyword = "additionalItems"
        } else {
            arrays.rest = try schema(value, "items")
        }
    }

    private func readDependencies(_ value: Value) throws(JSONSchemaError) {
        guard let dictionary = value.dictionary else { throw unexpected(value, "dependencies", "an object with names or schemas") }
        for (key, item) in dictionary {
            guard let bytes = key.stringBytes else { continue }
            if item.array != nil {
                let required = try nameList(item, "dependencies")
                objects.dependentNames.append((compiler.name(bytes), required))
            } else {
                let node = try schema(item, "dependencies", String(decoding: bytes, as: UTF8.self))
                objects.dependentSchemas.append((compiler.name(bytes), node, "dependencies"))
            }
        }
    }
}
