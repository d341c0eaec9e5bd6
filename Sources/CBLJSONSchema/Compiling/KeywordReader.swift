import CBLFleece

/// Reads the keywords of one schema into its node.
struct KeywordReader {
    let node: SchemaNode
    let compiler: SchemaCompiler
    let place: SchemaPlace
    let draft: Draft
    let vocabularies: Vocabularies

    init(_ node: SchemaNode, _ compiler: SchemaCompiler) {
        self.node = node
        self.compiler = compiler
        place = node.place
        draft = place.resource.dialect.draft
        vocabularies = place.resource.dialect.vocabularies
    }

    func read() throws(JSONSchemaError) {
        guard let members = place.value.dictionary else { return try readBoolean() }
        if let reference = members.value(forKey: "$ref", nil), !draft.referencesHideSiblings || reference.stringBytes != nil {
            try readReference(reference)
            if draft.referencesHideSiblings { return }
        }
        for (key, value) in members {
            guard let keyword = key.keyString(nil) else { continue }
            try read(keyword, value, members)
        }
        try finish(members)
    }

    private func readBoolean() throws(JSONSchemaError) {
        guard let boolean = place.value.boolean else {
            throw .invalid(place: place.text, reason: "expected a schema, found \(Description.of(place.value))")
        }
        // In draft 4 a few keywords take true and false, which mean the same there.
        node.refusesAll = !boolean
    }

    private func read(_ keyword: String, _ value: Value, _ members: DictionaryView) throws(JSONSchemaError) {
        if vocabularies.contains(.validation), try readValidation(keyword, value, members) { return }
        if vocabularies.contains(.applicator), try readApplicator(keyword, value, members) { return }
        if vocabularies.contains(.unevaluated), draft >= .draft2019, try readUnevaluated(keyword, value) { return }
        switch keyword {
        case "$dynamicRef" where draft >= .draft2020: try readDynamicReference(value)
        case "$recursiveRef" where draft == .draft2019: try readRecursiveReference(value)
        case "format": try readFormat(value)
        default: return
        }
    }

    private func readFormat(_ value: Value) throws(JSONSchemaError) {
        guard let name = value.string else { throw unexpected(value, "format", "the name of a format") }
        let isAsserted =
            switch compiler.formats {
            case .asserted: true
            case .ignored: false
            case .asDraft: draft == .draft4 || vocabularies.contains(.formatAssertion)
            }
        // An unknown name is no error in any draft.
        if isAsserted, let format = Format(name: name, draft) { strings.format = format }
    }

    // References

    private func readReference(_ value: Value) throws(JSONSchemaError) {
        guard let reference = value.string else { throw unexpected(value, "$ref", "a reference") }
        let target = try compiler.target(of: reference, from: place, keyword: "$ref")
        combination.references.append(try compiler.node(at: target))
    }

    private func readDynamicReference(_ value: Value) throws(JSONSchemaError) {
        guard let reference = value.string else { throw unexpected(value, "$dynamicRef", "a reference") }
        let target = try compiler.target(of: reference, from: place, keyword: "$dynamicRef")
        let found = try compiler.node(at: target)
        // Only a dynamic anchor is looked for in what is around; any other reference is an ordinary one.
        if let name = URIReference(reference).fragment, !name.isEmpty, !name.hasPrefix("/"),
            target.resource.dynamicAnchors[name]?.place == target.value.place
        {
            combination.dynamicReferences.append((try compiler.anchor(name, at: place), found))
        } else {
            combination.references.append(found)
        }
    }

    private func readRecursiveReference(_ value: Value) throws(JSONSchemaError) {
        guard let reference = value.string, reference == "#" else { throw unexpected(value, "$recursiveRef", "\"#\"") }
        let target = try compiler.target(of: reference, from: place, keyword: "$recursiveRef")
        let found = try compiler.node(at: target)
        if target.resource.dynamicAnchors[SchemaResource.recursiveAnchor]?.place == target.value.place {
            combination.dynamicReferences.append((try compiler.anchor(SchemaResource.recursiveAnchor, at: place), found))
        } else {
            combination.references.append(found)
        }
    }

    // What is made when a keyword needs it

    var combination: Combination { part(\.combination, or: Combination.init) }
    var values: ValueRules { part(\.values, or: ValueRules.init) }
    var numbers: NumberRules { part(\.numbers, or: NumberRules.init) }
    var strings: StringRules { part(\.strings, or: StringRules.init) }
    var arrays: ArrayRules { part(\.arrays, or: ArrayRules.init) }
    var objects: ObjectRules { part(\.objects, or: ObjectRules.init) }

    private func part<Rules>(_ path: ReferenceWritableKeyPath<SchemaNode, Rules?>, or make: () -> Rules) -> Rules {
        if let known = node[keyPath: path] { return known }
        let made = make()
        node[keyPath: path] = made
        return made
    }

    func unexpected(_ value: Value, _ keyword: String, _ expected: String) -> JSONSchemaError {
        .invalid(place: place.inside(keyword), reason: "expected \(expected), found \(Description.of(value))")
    }

    /// A schema as the value of a keyword, or as a part of it.
    func schema(_ value: Value, _ keyword: String, _ step: String? = nil) throws(JSONSchemaError) -> SchemaNode {
        try compiler.node(of: place.part(value, keyword, step))
    }
}
