import CBLFleece

/// A schema, compiled: what it asks of a value, sorted by the kinds of values that it asks it of. Once the compiler is done it never changes.
final class SchemaNode: @unchecked Sendable {
    // Sendable: filled by the compiler before anybody else sees it. The bytes that it points into are kept by the program.

    let place: SchemaPlace
    /// The resource that it belongs to, for `$dynamicRef`.
    let resource: Int
    /// Whether it is the schema that nothing is valid by.
    var refusesAll = false
    var types: TypeSet = .all
    var values: ValueRules?
    var numbers: NumberRules?
    var strings: StringRules?
    var arrays: ArrayRules?
    var objects: ObjectRules?
    /// The schemas that apply to the same value.
    var combination: Combination?
    /// Whether 1.0 is no integer: so it was in draft 4.
    let integersHaveNoPoint: Bool
    /// Whether it looks at what other schemas have evaluated.
    var hasUnevaluated: Bool { arrays?.unevaluated != nil || objects?.unevaluated != nil }

    init(_ place: SchemaPlace) {
        self.place = place
        resource = place.resource.number
        integersHaveNoPoint = place.resource.dialect.draft == .draft4
    }

    /// Nodes refer to each other in circles: whoever has made or kept them all takes them apart in the end.
    static func part(_ nodes: [SchemaNode]) {
        for node in nodes {
            node.arrays = nil
            node.objects = nil
            node.combination = nil
        }
    }
}

/// The types of JSON. A number is an integer or another one, so that each value has one type.
struct TypeSet: OptionSet {
    let rawValue: UInt8

    static let null = TypeSet(rawValue: 1)
    static let boolean = TypeSet(rawValue: 2)
    static let integer = TypeSet(rawValue: 4)
    static let fraction = TypeSet(rawValue: 8)
    static let string = TypeSet(rawValue: 16)
    static let array = TypeSet(rawValue: 32)
    static let object = TypeSet(rawValue: 64)
    static let number: TypeSet = [.integer, .fraction]
    static let all = TypeSet(rawValue: 127)

    static let named: [(String, TypeSet)] = [
        ("null", .null), ("boolean", .boolean), ("integer", .integer), ("number", .number), ("string", .string), ("array", .array),
        ("object", .object),
    ]
}

/// `enum` and `const`.
final class ValueRules {
    var choices: [Value]?
    var constant: Value?
    /// How many steps it is worth to compare a value with all of them.
    private(set) var steps = 0

    func measure() {
        var buffer = ByteBuffer()
        for value in (choices ?? []) + (constant.map { [$0] } ?? []) { JSONWriter.write(value, keys: nil, to: &buffer) }
        steps = buffer.count / 64
    }
}

final class NumberRules {
    var minimum: Bound?
    var maximum: Bound?
    var exclusiveMinimum: Bound?
    var exclusiveMaximum: Bound?
    var factor: Factor?

    struct Bound {
        let value: Value
        let keyword: StaticString
    }
}

final class StringRules {
    var minimumLength: Int?
    var maximumLength: Int?
    /// The number of a pattern of the program.
    var pattern: Int?
    var format: Format?
}

final class ArrayRules {
    /// Schemas of the first items.
    var first: [SchemaNode] = []
    /// That of all others, and the keyword that says so.
    var rest: SchemaNode?
    var restKeyword: StaticString = "items"
    var minimumCount: Int?
    var maximumCount: Int?
    var areUnique = false
    var contains: SchemaNode?
    var minimumContained: Int?
    var maximumContained: Int?
    /// Whether items that `contains` found count as evaluated: since 2020.
    var containsEvaluates = false
    var unevaluated: SchemaNode?
}

final class ObjectRules {
    /// Those with a schema, by the bytes of their names.
    var properties: [Property] = []
    /// Required ones without a schema.
    var others: [Property] = []
    var patterns: [(pattern: Int, node: SchemaNode)] = []
    var additional: SchemaNode?
    var names: SchemaNode?
    var minimumCount: Int?
    var maximumCount: Int?
    var dependentNames: [(name: PropertyName, required: [PropertyName])] = []
    var dependentSchemas: [(name: PropertyName, node: SchemaNode, keyword: StaticString)] = []
    var unevaluated: SchemaNode?
    /// How many steps it is worth to look for all names.
    private(set) var steps = 0

    func measure() {
        let dependent = dependentNames.reduce(dependentSchemas.count) { $0 + 1 + $1.required.count }
        steps = (properties.count + others.count + dependent) / 8
    }

    struct Property {
        let name: PropertyName
        let node: SchemaNode?
        var isRequired: Bool
    }
}

/// A property that a schema names, in one of its places.
struct PropertyName {
    /// In the text of the schema.
    let bytes: UnsafeRawBufferPointer
    /// The same for all places with the same name.
    let number: Int
    /// Its own for each place: where it is in a value is guessed from where it was in the last one.
    let slot: Int

    var text: String { String(decoding: bytes, as: UTF8.self) }
}

final class Combination {
    var references: [SchemaNode] = []
    /// `$dynamicRef` and its like: the number of the anchor in the program, and where it leads if nothing around has that anchor.
    var dynamicReferences: [(anchor: Int, otherwise: SchemaNode)] = []
    var all: [SchemaNode] = []
    var any: [SchemaNode] = []
    var one: [SchemaNode] = []
    var not: SchemaNode?
    var condition: SchemaNode?
    var consequence: SchemaNode?
    var alternative: SchemaNode?
}
