import CBLFleece
import CBLFunctions

/// Makes a program of a schema: finds every schema that it leads to, and reads the keywords of each.
final class SchemaCompiler {
    let library: SchemaLibrary
    let formats: FormatRule
    private var nodes: [SchemaNode] = []
    private var nodesByPlace: [UnsafeRawPointer: SchemaNode] = [:]
    /// Nodes whose keywords have not been read: a queue, since references may form long chains.
    private var unread: [SchemaNode] = []
    private var patterns: [Pattern] = []
    private var patternsByText: [String: Int] = [:]
    private var names: [UnsafeRawBufferPointer] = []
    private var namesByText: [String: Int] = [:]
    private var slotCount = 0
    private var anchors: [String] = []

    init(library: SchemaLibrary, formats: FormatRule) {
        self.library = library
        self.formats = formats
    }

    func compile(_ root: SchemaPlace) throws(JSONSchemaError) -> SchemaProgram {
        do throws(JSONSchemaError) {
            return try program(root)
        } catch {
            SchemaNode.part(nodes)
            throw error
        }
    }

    private func program(_ root: SchemaPlace) throws(JSONSchemaError) -> SchemaProgram {
        let rootNode = try node(at: root)
        try readAll()
        // What nothing leads to may be wrong as well, and whoever wrote it wants to know.
        for place in library.ownSchemas {
            _ = try node(at: place)
            try readAll()
        }
        // Which schema a dynamic reference leads to is known when a value is checked: each that it could be is compiled. That may bring more.
        var targets: [[SchemaNode?]] = []
        var resourceCount = -1
        var anchorCount = -1
        while resourceCount != library.resources.count || anchorCount != anchors.count {
            (resourceCount, anchorCount) = (library.resources.count, anchors.count)
            targets = []
            for anchor in anchors {
                var row: [SchemaNode?] = []
                for resource in library.resources {
                    let place = resource.dynamicAnchors[anchor].flatMap { library.place(of: $0) }
                    row.append(try place.map { place throws(JSONSchemaError) in try node(at: place) })
                }
                targets.append(row)
            }
            try readAll()
        }
        return SchemaProgram(
            root: rootNode, nodes: nodes, documents: library.documents, patterns: patterns, names: names, slotCount: slotCount,
            dynamicTargets: targets)
    }

    private func readAll() throws(JSONSchemaError) {
        while let node = unread.popLast() { try KeywordReader(node, self).read() }
    }

    // What keywords need

    func node(at place: SchemaPlace) throws(JSONSchemaError) -> SchemaNode {
        if let known = nodesByPlace[place.value.place] { return known }
        let node = SchemaNode(place)
        nodesByPlace[place.value.place] = node
        nodes.append(node)
        unread.append(node)
        return node
    }

    /// The schema that is the value of a keyword, or a part of it.
    func node(of part: SchemaPlace) throws(JSONSchemaError) -> SchemaNode {
        try node(at: library.place(of: part.value) ?? part)
    }

    func target(of reference: String, from place: SchemaPlace, keyword: String) throws(JSONSchemaError) -> SchemaPlace {
        try library.target(of: reference, from: place, keyword: keyword)
    }

    func anchor(_ name: String, at place: SchemaPlace) throws(JSONSchemaError) -> Int {
        if let known = anchors.firstIndex(of: name) { return known }
        // There is a row for each of them, with a place for each resource.
        guard anchors.count < 200 else { throw .invalid(place: place.text, reason: "there are too many dynamic anchors") }
        anchors.append(name)
        return anchors.count - 1
    }

    func pattern(_ bytes: UnsafeRawBufferPointer, at place: SchemaPlace) throws(JSONSchemaError) -> Int {
        let text = String(decoding: bytes, as: UTF8.self)
        if let known = patternsByText[text] { return known }
        do throws(RegularExpression.Failure) {
            _ = try RegularExpression(bytes, over: .characters)
        } catch {
            throw .invalid(place: place.text, reason: error.message)
        }
        patterns.append(Pattern(bytes: bytes, place: place))
        patternsByText[text] = patterns.count - 1
        return patterns.count - 1
    }

    func name(_ bytes: UnsafeRawBufferPointer) -> PropertyName {
        let text = String(decoding: bytes, as: UTF8.self)
        let number = namesByText[text] ?? names.count
        if number == names.count {
            names.append(bytes)
            namesByText[text] = number
        }
        slotCount += 1
        return PropertyName(bytes: names[number], number: number, slot: slotCount - 1)
    }
}
