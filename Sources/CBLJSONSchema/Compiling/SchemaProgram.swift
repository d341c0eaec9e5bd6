import CBLFleece

/// All that was compiled of a schema. It never changes, and any thread may read it.
final class SchemaProgram: @unchecked Sendable {
    // Sendable: filled before anybody else sees it.

    let root: SchemaNode
    let nodeCount: Int
    /// The text that nodes point into.
    let documents: [FleeceData]
    let patterns: [Pattern]
    /// Names of properties, each once.
    let names: [UnsafeRawBufferPointer]
    let slotCount: Int
    /// Whether anything asks what was evaluated by other schemas.
    let tracksMembers: Bool
    /// For each anchor that is looked for dynamically its schema in each resource.
    let dynamicTargets: [[SchemaNode?]]
    private let nodes: [SchemaNode]

    init(
        root: SchemaNode, nodes: [SchemaNode], documents: [FleeceData], patterns: [Pattern], names: [UnsafeRawBufferPointer],
        slotCount: Int,
        dynamicTargets: [[SchemaNode?]]
    ) {
        self.root = root
        self.nodes = nodes
        nodeCount = nodes.count
        self.documents = documents
        self.patterns = patterns
        self.names = names
        self.slotCount = slotCount
        self.dynamicTargets = dynamicTargets
        tracksMembers = nodes.contains { $0.hasUnevaluated }
    }

    deinit { SchemaNode.part(nodes) }
}

/// A regular expression of a schema, and where it stands.
final class Pattern {
    let bytes: UnsafeRawBufferPointer
    let place: SchemaPlace
    /// The expression itself, if it is of the kind that needs no library.
    let simple: SimplePattern?

    init(bytes: UnsafeRawBufferPointer, place: SchemaPlace) {
        self.bytes = bytes
        self.place = place
        simple = SimplePattern(bytes)
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }
}
