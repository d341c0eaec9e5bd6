import CBLBase
import CBLFleece
import CBLFunctions

/// Checks values by a program, one after another, on one thread. Hot: once per schema and value.
///
/// Between calls it keeps what is worth keeping: where the properties were in the last value, their numbers in the table of keys, and the regular
/// expressions that were used.
final class Evaluator {
    let program: SchemaProgram
    let stepLimit: Int
    @exclusivity(unchecked) var keys: SharedKeys?
    /// For each name its number in the table of keys, or -1.
    private let keyNumbers: UnsafeMutablePointer<Int>
    /// For each slot of a property the pair where it was last.
    private let guesses: UnsafeMutablePointer<Int>
    var expressions: [RegularExpression?]

    @exclusivity(unchecked) private(set) var steps = 0
    @exclusivity(unchecked) private var depth = 0
    /// How many schemas lead to this one on the same value.
    @exclusivity(unchecked) private var depthOnValue = 0
    /// The resources that schemas led through, if it matters.
    @exclusivity(unchecked) private(set) var scope: [Int] = []
    @exclusivity(unchecked) private(set) var error: JSONSchemaError?
    /// When regular expressions have had their time, in this check together.
    @exclusivity(unchecked) var patternDeadline: Instant?
    var patternPatience = Duration.seconds(10)

    // What is kept for messages: see Evaluator+Reporting.
    @exclusivity(unchecked) var isCollecting = false
    @exclusivity(unchecked) var failures: [JSONSchema.Failure] = []
    @exclusivity(unchecked) var failureLimit = 0
    @exclusivity(unchecked) var path: [PathStep] = []

    private let usesScope: Bool
    private let tracksMembers: Bool
    /// Deeper than any document, and not so deep that a thread's stack would not do.
    private static let depthLimit = 1000

    convenience init(_ schema: JSONSchema) { self.init(schema.program, stepLimit: schema.stepLimit) }

    init(_ program: SchemaProgram, stepLimit: Int) {
        self.program = program
        self.stepLimit = stepLimit
        keyNumbers = .allocate(capacity: max(program.names.count, 1))
        keyNumbers.initialize(repeating: -1, count: max(program.names.count, 1))
        guesses = .allocate(capacity: max(program.slotCount, 1))
        guesses.initialize(repeating: 0, count: max(program.slotCount, 1))
        expressions = Array(repeating: nil, count: program.patterns.count)
        usesScope = !program.dynamicTargets.isEmpty
        tracksMembers = program.tracksMembers
    }

    deinit {
        keyNumbers.deallocate()
        guesses.deallocate()
    }

    func isValid(_ value: Value, _ keys: SharedKeys?) throws(JSONSchemaError) -> Bool {
        begin(keys)
        let isValid = check(program.root, value, nil)
        if let error { throw error }
        return isValid
    }

    func failures(of value: Value, _ keys: SharedKeys?, limit: Int) throws(JSONSchemaError) -> [JSONSchema.Failure] {
        begin(keys)
        isCollecting = true
        failureLimit = limit
        defer {
            isCollecting = false
            failures = []
            path.removeAll()
        }
        _ = check(program.root, value, nil)
        if let error { throw error }
        return failures
    }

    private func begin(_ keys: SharedKeys?) {
        steps = stepLimit
        depth = 0
        depthOnValue = 0
        error = nil
        patternDeadline = nil
        if usesScope { scope.removeAll() }
        guard keys !== self.keys else { return }
        self.keys = keys
        for (number, name) in program.names.enumerated() { keyNumbers[number] = keys?.index(ofKey: name) ?? -1 }
    }

    /// The value of a property.
    @inline(__always)
    func property(_ name: PropertyName, of dictionary: DictionaryView) -> Value? {
        let number = keyNumbers[name.number]
        if number >= 0, let value = dictionary.value(forSharedKey: number, probablyAt: &guesses[name.slot]) { return value }
        return dictionary.value(forStringKey: name.bytes, probablyAt: &guesses[name.slot])
    }

    /// Ends the check with an error. False, so that whoever finds it out can return it.
    @inline(never)
    func stop(_ reason: JSONSchemaError) -> Bool {
        if error == nil { error = reason }
        // Whatever is still to be checked ends at once.
        steps = 0
        return false
    }

    @inline(__always)
    func takeSteps(_ count: Int) -> Bool {
        steps &-= count
        return steps > 0 || stop(.tooManySteps(stepLimit))
    }

    /// Whether a value is valid by a schema. `members` collects which of its members are evaluated, if somebody wants to know.
    func check(_ node: SchemaNode, _ value: Value, _ members: EvaluatedMembers?) -> Bool {
        steps &-= 1
        guard steps > 0 else { return stop(.tooManySteps(stepLimit)) }
        if node.refusesAll {
            _ = report(node, "false", "nothing is allowed here")
            return false
        }
        var isValid = true
        if node.types != .all, node.types.isDisjoint(with: type(of: value, node)) {
            guard reportType(node, value) else { return false }
            isValid = false
        }
        if let rules = node.values, !check(rules, node, value) {
            guard isCollecting else { return false }
            isValid = false
        }
        switch value.kind {
        case .integer, .double:
            if let rules = node.numbers, !check(rules, node, value) { isValid = false }
        case .string:
            if let rules = node.strings, !check(rules, node, value) { isValid = false }
        default: break
        }
        if !isValid, !isCollecting { return false }
        // What has no other schemas in it ends here.
        if node.arrays == nil, node.objects == nil, node.combination == nil { return isValid }
        return checkParts(node, value, members) && isValid
    }

    private func checkParts(_ node: SchemaNode, _ value: Value, _ members: EvaluatedMembers?) -> Bool {
        guard depth < Evaluator.depthLimit else {
            return stop(depthOnValue > program.nodeCount ? .endless(place: node.place.text) : .tooDeep)
        }
        depth &+= 1
        defer { depth &-= 1 }
        let enters = usesScope && scope.last != node.resource
        if enters { scope.append(node.resource) }
        defer { if enters { scope.removeLast() } }

        let known = tracksMembers && node.hasUnevaluated ? EvaluatedMembers() : members
        var isValid = true
        if let combination = node.combination, !check(combination, node, value, known) {
            guard isCollecting else { return false }
            isValid = false
        }
        if let rules = node.objects, let dictionary = value.dictionary, !check(rules, node, value, dictionary, known) {
            guard isCollecting else { return false }
            isValid = false
        }
        if let rules = node.arrays, let array = value.array, !check(rules, node, value, array, known) {
            guard isCollecting else { return false }
            isValid = false
        }
        if let members, let known, members !== known { members.formUnion(known) }
        return isValid
    }

    /// Another schema for the same value.
    @inline(__always)
    func checkSame(_ node: SchemaNode, _ value: Value, _ members: EvaluatedMembers?) -> Bool {
        // More schemas than there are lead here: one of them leads to itself.
        guard depthOnValue <= program.nodeCount else { return stop(.endless(place: node.place.text)) }
        depthOnValue &+= 1
        defer { depthOnValue &-= 1 }
        return check(node, value, members)
    }

    /// A schema for a member of the value.
    @inline(__always)
    func checkMember(_ node: SchemaNode, _ value: Value, _ step: @autoclosure () -> PathStep) -> Bool {
        let outer = depthOnValue
        depthOnValue = 0
        if isCollecting { path.append(step()) }
        let isValid = check(node, value, nil)
        if isCollecting { path.removeLast() }
        depthOnValue = outer
        return isValid
    }

    private func type(of value: Value, _ node: SchemaNode) -> TypeSet {
        switch value.kind {
        case .undefined, .null: return .null
        case .boolean: return .boolean
        case .integer: return .integer
        case .double:
            guard let double = value.double, double.rounded() == double else { return .fraction }
            return node.integersHaveNoPoint && double.magnitude < 0x1p63 ? .fraction : .integer
        // Binary data is text in JSON.
        case .string, .data: return .string
        case .array: return .array
        case .dictionary: return .object
        }
    }
}
