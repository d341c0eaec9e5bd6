import CBLBase
import CBLFleece

/// All documents that a schema consists of, and where its schemas are in them.
///
/// What is a schema, and not a value that only looks like one, follows from the keywords that lead there.
final class SchemaLibrary {
    /// Gives the document at a URI, as JSON text; nil if there is none.
    typealias Source = (String) -> [UInt8]?

    private(set) var documents: [FleeceData] = []
    private(set) var resources: [SchemaResource] = []
    private var resourcesByURI: [String: SchemaResource] = [:]
    private var places: [UnsafeRawPointer: SchemaPlace] = [:]
    /// The schemas of the document that everything begins with, in its order.
    private(set) var ownSchemas: [SchemaPlace] = []
    private let source: Source
    private var defaultDraft = Draft.draft2020
    /// Dialects whose own schema is being read: it may be written in itself.
    private var openDialects: Set<String> = []
    private static let documentLimit = 1000
    private static let longestID = 2000

    init(source: @escaping Source) { self.source = source }

    /// Reads the document that everything begins with. What it is written in, others are written in that do not say it.
    func addRoot(_ text: [UInt8], uri: String, draft: Draft?) throws(JSONSchemaError) -> SchemaPlace {
        let place = try addDocument(text, uri: uri, name: "", draft: draft)
        defaultDraft = place.resource.dialect.draft
        return place
    }

    private func addDocument(_ text: [UInt8], uri: String, name: String, draft: Draft?) throws(JSONSchemaError) -> SchemaPlace {
        let data = try parse(text, name)
        documents.append(data)
        let root = data.root
        let base = URIReference(uri).withoutFragment
        let dialect = try dialect(of: root, document: name, otherwise: Dialect(draft ?? guess(root)))
        let resource = addResource(base: base, root: root, dialect: dialect, document: name)
        try scan(SchemaPlace(value: root, resource: resource, pointer: .root), isRoot: true)
        return places[root.place] ?? SchemaPlace(value: root, resource: resource, pointer: .root)
    }

    private func parse(_ text: [UInt8], _ name: String) throws(JSONSchemaError) -> FleeceData {
        let parsed: Result<FleeceData, JSONSchemaError> = text.withUnsafeBytes { bytes in
            let encoder = FleeceEncoder()
            do throws(JSONError) {
                try JSONParser.parse(bytes, into: encoder)
            } catch {
                return .failure(.notJSON(document: name, error))
            }
            guard let data = try? encoder.finish() else { return .failure(.invalid(place: name + "#", reason: "it is too large")) }
            return .success(data)
        }
        return try parsed.get()
    }

    private func addResource(base: URIReference, root: Value, dialect: Dialect, document: String) -> SchemaResource {
        let resource = SchemaResource(number: resources.count, base: base, root: root, dialect: dialect, document: document)
        resources.append(resource)
        // The first of two that say that they have the same URI keeps it.
        if resourcesByURI[base.text] == nil { resourcesByURI[base.text] = resource }
        return resource
    }

    private func guess(_ root: Value) -> Draft {
        guard let members = root.dictionary, members.value(forKey: "$id", nil) == nil else { return .draft2020 }
        return members.value(forKey: "id", nil)?.stringBytes == nil ? .draft2020 : .draft4
    }

    // Dialects

    private func dialect(of root: Value, document: String, otherwise: Dialect) throws(JSONSchemaError) -> Dialect {
        guard let value = root.dictionary?.value(forKey: "$schema", nil) else { return otherwise }
        let place = document + "#/$schema"
        guard let uri = value.string else {
            throw .invalid(place: place, reason: "expected the URI of a draft, found \(Description.of(value))")
        }
        if let draft = Draft(uri: uri) { return Dialect(draft) }
        guard openDialects.insert(uri).inserted, let found = try resource(at: URIReference(uri).withoutFragment) else {
            throw .unknownDialect(uri, place: place)
        }
        defer { openDialects.remove(uri) }
        var dialect = found.dialect
        guard let chosen = found.root.dictionary?.value(forKey: "$vocabulary", nil)?.dictionary else { return dialect }
        dialect.vocabularies = []
        for (key, value) in chosen {
            let name = key.keyString(nil) ?? ""
            if let vocabulary = Vocabularies.named(name, isRequired: value.boolean == true) {
                dialect.vocabularies.insert(vocabulary)
            } else if value.boolean == true {
                throw .invalid(place: place, reason: "the vocabulary \"\(name)\" that \(uri) requires is not known")
            }
        }
        return dialect
    }

    // Finding

    /// The resource at a URI without fragment: known, one of the drafts' own, or the caller's.
    func resource(at uri: URIReference) throws(JSONSchemaError) -> SchemaResource? {
        let text = uri.text
        if let known = resourcesByURI[text] { return known }
        guard documents.count < SchemaLibrary.documentLimit else { return nil }
        guard let bytes = MetaSchemas.text(at: text).map({ Array($0.utf8) }) ?? source(text) else { return nil }
        let place = try addDocument(bytes, uri: text, name: text, draft: defaultDraft)
        // It may call itself otherwise.
        resourcesByURI[text] = place.resource
        return place.resource
    }

    /// What a reference in a schema leads to.
    func target(of reference: String, from place: SchemaPlace, keyword: String) throws(JSONSchemaError) -> SchemaPlace {
        let uri = URIReference(reference).resolved(against: place.resource.base)
        guard let resource = try resource(at: uri.withoutFragment) else {
            throw .unresolved(reference: reference, place: place.inside(keyword))
        }
        guard let fragment = uri.fragment, !fragment.isEmpty else { return self.place(of: resource) }
        guard let name = PercentEncoding.decode(fragment) else {
            throw .unresolved(reference: reference, place: place.inside(keyword))
        }
        if name.hasPrefix("/") {
            if let found = try follow(name, in: resource) { return found }
        } else if let value = resource.anchors[name] ?? resource.dynamicAnchors[name], let found = places[value.place] {
            return found
        }
        throw .unresolved(reference: reference, place: place.inside(keyword))
    }

    func place(of resource: SchemaResource) -> SchemaPlace {
        places[resource.root.place] ?? SchemaPlace(value: resource.root, resource: resource, pointer: .root)
    }

    /// The schema at this value, if it is one that keywords led to.
    func place(of value: Value) -> SchemaPlace? { places[value.place] }

    private func follow(_ pointer: String, in start: SchemaResource) throws(JSONSchemaError) -> SchemaPlace? {
        var place = self.place(of: start)
        for step in pointer.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            let key = SchemaPointer.unescaped(step)
            let next: Value?
            if let array = place.value.array {
                guard let index = Int(key), index >= 0, index < array.count, key == "0" || !key.hasPrefix("0"), !key.hasPrefix("+") else {
                    return nil
                }
                next = array[index]
            } else {
                next = place.value.dictionary?.value(forKey: key, nil)
            }
            guard let next else { return nil }
            place =
                places[next.place]
                ?? SchemaPlace(value: next, resource: place.resource, pointer: SchemaPointer(place.pointer, key))
        }
        // A place where no keyword leads becomes a schema by being referred to.
        if places[place.value.place] == nil { try scan(place, isRoot: false) }
        return places[place.value.place]
    }

    // Scanning

    private func scan(_ found: SchemaPlace, isRoot: Bool) throws(JSONSchemaError) {
        guard let members = found.value.dictionary else {
            places[found.value.place] = found
            return
        }
        var place = found
        var draft = place.resource.dialect.draft
        if !isRoot, members.value(forKey: "$schema", nil)?.string != nil,
            members.value(forKey: "$id", nil) != nil || members.value(forKey: "id", nil) != nil
        {
            draft = try dialect(of: found.value, document: found.text, otherwise: found.resource.dialect).draft
        }
        let hidesSiblings = draft.referencesHideSiblings && members.value(forKey: "$ref", nil)?.stringBytes != nil
        if !hidesSiblings, let id = members.value(forKey: draft.idKeyword, nil)?.string {
            place = try named(id, place, isRoot: isRoot)
            draft = place.resource.dialect.draft
        }
        places[place.value.place] = place
        if place.resource.document.isEmpty { ownSchemas.append(place) }
        if draft >= .draft2019 { try addAnchors(members, place, draft) }
        for (key, value) in members {
            guard let keyword = key.keyString(nil), let content = SubschemaKeyword(keyword, draft) else { continue }
            if content.contains(.schema), value.dictionary != nil || value.boolean != nil {
                try scan(place.part(value, keyword), isRoot: false)
            } else if content.contains(.list), let list = value.array {
                for (index, item) in list.enumerated() { try scan(place.part(item, keyword, "\(index)"), isRoot: false) }
            } else if content.contains(.map), let map = value.dictionary {
                for (key, item) in map where item.array == nil {
                    try scan(place.part(item, keyword, key.keyString(nil) ?? ""), isRoot: false)
                }
            }
        }
    }

    /// The schema under the name that it gives itself.
    private func named(_ id: String, _ place: SchemaPlace, isRoot: Bool) throws(JSONSchemaError) -> SchemaPlace {
        let draft = place.resource.dialect.draft
        let reference = URIReference(id)
        if draft.referencesHideSiblings, id.hasPrefix("#") {
            if id.utf8.count > 1 { place.resource.anchors[String(id.dropFirst())] = place.value }
            return place
        }
        let base = reference.resolved(against: place.resource.base)
        // Each ID within this one repeats it.
        guard id.utf8.count <= Self.longestID, base.path.utf8.count <= Self.longestID else {
            throw .invalid(place: place.inside(draft.idKeyword), reason: "an ID has at most \(Self.longestID) characters")
        }
        if let fragment = base.fragment, !fragment.isEmpty, !draft.referencesHideSiblings {
            throw .invalid(place: place.inside(draft.idKeyword), reason: "an ID has no fragment; anchors are written as $anchor")
        }
        let dialect = try dialect(of: place.value, document: place.text, otherwise: place.resource.dialect)
        if isRoot, base.withoutFragment == place.resource.base { return place }
        let resource = addResource(base: base.withoutFragment, root: place.value, dialect: dialect, document: place.resource.document)
        if let fragment = base.fragment, !fragment.isEmpty { resource.anchors[fragment] = place.value }
        return SchemaPlace(value: place.value, resource: resource, pointer: place.pointer)
    }

    private func addAnchors(_ members: DictionaryView, _ place: SchemaPlace, _ draft: Draft) throws(JSONSchemaError) {
        for keyword in ["$anchor", "$dynamicAnchor"] {
            guard let value = members.value(forKey: keyword, nil), keyword == "$anchor" || draft >= .draft2020 else { continue }
            guard let name = value.string, isAnchorName(name) else {
                throw .invalid(place: place.inside(keyword), reason: "expected a name, found \(Description.of(value))")
            }
            if keyword == "$anchor" {
                place.resource.anchors[name] = place.value
            } else {
                place.resource.dynamicAnchors[name] = place.value
            }
        }
        if draft == .draft2019, members.value(forKey: "$recursiveAnchor", nil)?.boolean == true {
            place.resource.dynamicAnchors[SchemaResource.recursiveAnchor] = place.value
        }
    }

    private func isAnchorName(_ name: String) -> Bool {
        guard let first = name.utf8.first, first.isLetter || first == UInt8(ascii: "_") else { return false }
        return name.utf8.allSatisfy { $0.isLetter || $0.isDigit || "-._:".utf8.contains($0) }
    }
}

/// What the value of a keyword has of schemas in it.
struct SubschemaKeyword: OptionSet {
    let rawValue: UInt8

    static let schema = SubschemaKeyword(rawValue: 1)
    static let list = SubschemaKeyword(rawValue: 2)
    static let map = SubschemaKeyword(rawValue: 4)

    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Nil for a keyword without schemas in this draft.
    init?(_ keyword: String, _ draft: Draft) {
        switch keyword {
        case "not", "additionalProperties": self = .schema
        case "additionalItems": self = .schema
        case "items": self = [.schema, .list]
        case "allOf", "anyOf", "oneOf": self = .list
        case "properties", "patternProperties", "definitions", "dependencies": self = .map
        case "contains" where draft >= .draft6, "propertyNames" where draft >= .draft6: self = .schema
        case "if" where draft >= .draft7, "then" where draft >= .draft7, "else" where draft >= .draft7: self = .schema
        case "unevaluatedItems" where draft >= .draft2019, "unevaluatedProperties" where draft >= .draft2019,
            "contentSchema" where draft >= .draft2019:
            self = .schema
        case "$defs" where draft >= .draft2019, "dependentSchemas" where draft >= .draft2019: self = .map
        case "prefixItems" where draft >= .draft2020: self = .list
        default: return nil
        }
    }
}
