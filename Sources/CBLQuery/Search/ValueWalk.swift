import CBLBase
import CBLFleece
import CBLFunctions
import CBLLanguage

/// Looks for a pattern in the values of one document after another, or in the names of their properties: where they lie, and without making
/// anything of what does not match. Not for two threads at a time.
final class ValueWalk {
    enum Outcome { case nothing, found, endless }

    private enum Step {
        case key(Value)
        case name([UInt8])
        case item(Int)
    }

    private let matcher: TextMatcher
    private let searchesNames: Bool
    private let path: SearchPath?
    private let keys: SharedKeys
    /// Whether the pattern is in the name that a shared key stands for.
    private let keysThatMatch: [Bool]
    /// What is in the body of every document in which there is something to be found.
    let needed: ByteFinder?

    /// How many hits the document has, and what they are if they are kept.
    @exclusivity(unchecked) private(set) var count = 0
    @exclusivity(unchecked) private(set) var hits: [SearchHit] = []
    private let keepsHits: Bool
    private let stopsAtFirst: Bool

    @exclusivity(unchecked) private var steps: [Step] = []
    @exclusivity(unchecked) private var budget = WalkBudget(byteCount: 0)
    @exclusivity(unchecked) private var number = ByteBuffer(capacity: 64)

    init(_ search: ValueSearch, _ keys: SharedKeys) throws(RegularExpression.Failure) {
        let matcher = try TextMatcher(search.pattern)
        self.matcher = matcher
        self.keys = keys
        searchesNames = search.searchesNames
        path = search.path
        keepsHits = search.wants == .hits
        stopsAtFirst = search.wants == .documents
        guard searchesNames else {
            keysThatMatch = []
            needed = matcher.mayMatchNumbers || matcher.mayMatchBooleans ? nil : matcher.needed
            return
        }
        var matches: [Bool] = []
        for index in 0..<keys.count { matches.append(try keys.bytes(at: index).map(matcher.isFound) ?? false) }
        keysThatMatch = matches
        needed = matches.contains(true) ? nil : matcher.needed
    }

    /// Searches a document.
    func search(_ body: Value) throws(RegularExpression.Failure) -> Outcome {
        count = 0
        hits.removeAll(keepingCapacity: true)
        steps.removeAll(keepingCapacity: true)
        budget = WalkBudget(for: body)
        if let path { try follow(path.steps[...], from: body) } else { try walk(body, depth: 0) }
        return budget.isExhausted ? .endless : count > 0 ? .found : .nothing
    }

    private var isOver: Bool { budget.isExhausted || stopsAtFirst && count > 0 }

    /// Goes to the place, or places, where the search begins.
    private func follow(_ path: ArraySlice<SearchPath.Step>, from value: Value) throws(RegularExpression.Failure) {
        guard let step = path.first else { return try look(at: value, depth: path.startIndex) }
        guard budget.visit() else { return }
        let rest = path.dropFirst()
        switch step {
        case .name(let name):
            let member = name.withUnsafeBytes { value.dictionary?.value(forKey: $0, keys) }
            if let member { try follow(rest, from: member, .name(name)) }
        case .item(let index):
            guard let array = value.array else { return }
            let place = index < 0 ? array.count + index : index
            if array.indices.contains(place) { try follow(rest, from: array[place], .item(place)) }
        case .items:
            guard let array = value.array else { return }
            for (place, item) in array.enumerated() where !isOver { try follow(rest, from: item, .item(place)) }
        }
    }

    private func follow(_ path: ArraySlice<SearchPath.Step>, from value: Value, _ step: Step) throws(RegularExpression.Failure) {
        steps.append(step)
        defer { steps.removeLast() }
        try follow(path, from: value)
    }

    /// All that is in a collection.
    private func walk(_ value: Value, depth: Int) throws(RegularExpression.Failure) {
        guard budget.visit(), depth <= CBLFleece.Limits.depth else { return }
        if let dictionary = value.dictionary {
            guard budget.enter(dictionary) else { return }
            for (key, member) in dictionary where !isOver {
                steps.append(.key(key))
                if searchesNames { try lookAtName(key, member) }
                try look(at: member, depth: depth + 1)
                steps.removeLast()
            }
        } else if let array = value.array {
            for (index, item) in array.enumerated() {
                if isOver { break }
                steps.append(.item(index))
                try look(at: item, depth: depth + 1)
                steps.removeLast()
            }
        }
    }

    private func look(at value: Value, depth: Int) throws(RegularExpression.Failure) {
        switch value.kind {
        case .dictionary, .array: try walk(value, depth: depth)
        case .string where !searchesNames:
            guard let text = value.stringBytes, budget.spend(text.count &+ 16), try matcher.isFound(in: text) else { return }
            try add(text: text)
        case .integer, .double:
            guard budget.visit(), !searchesNames, matcher.mayMatchNumbers else { return }
            number.removeAll()
            JSONWriter.write(value, keys: nil, to: &number)
            if try matcher.isFound(in: number.bytes) { try add(json: number.bytes) }
        case .boolean:
            guard budget.visit(), !searchesNames, matcher.mayMatchBooleans else { return }
            let word: StaticString = value.boolean == true ? "true" : "false"
            guard try matcher.isAll(of: word) else { return }
            try add(json: UnsafeRawBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
        default: _ = budget.visit()
        }
    }

    private func lookAtName(_ key: Value, _ value: Value) throws(RegularExpression.Failure) {
        if let index = key.integer {
            guard keysThatMatch.indices.contains(Int(clamping: index)), keysThatMatch[Int(index)] else { return }
        } else {
            guard let name = key.stringBytes, budget.spend(name.count), try matcher.isFound(in: name) else { return }
        }
        count += 1
        if keepsHits { try keep(name: key, value) }
    }

    private func add(text: UnsafeRawBufferPointer) throws(RegularExpression.Failure) {
        count += 1
        guard keepsHits else { return }
        var string = String(decoding: text, as: UTF8.self)
        let matches = try matcher.matches(in: &string)
        hits.append(SearchHit(path: pathText, content: .text(string), matches: matches))
    }

    private func add(json text: UnsafeRawBufferPointer) throws(RegularExpression.Failure) {
        count += 1
        guard keepsHits else { return }
        let matches = try matcher.matches(in: text)
        hits.append(SearchHit(path: pathText, content: .json(String(decoding: text, as: UTF8.self)), matches: matches))
    }

    private func keep(name key: Value, _ value: Value) throws(RegularExpression.Failure) {
        var name = key.keyString(keys) ?? ""
        let path = pathText
        let shown = Lexer.name(name)
        var matches = try matcher.matches(in: &name)
        // In backquotes, of which those within are doubled.
        let start = path.utf8.count - shown.utf8.count + (shown == name ? 0 : 1)
        if name.utf8.contains(UInt8(ascii: "`")) { matches = [] }
        hits.append(
            SearchHit(
                path: path, content: content(of: value), matches: matches.map { $0.lowerBound + start..<$0.upperBound + start }))
    }

    private func content(of value: Value) -> SearchHit.Content {
        switch value.kind {
        case .dictionary: return .object
        case .array: return .array
        case .string: return .text(value.string ?? "")
        default:
            number.removeAll()
            JSONWriter.write(value, keys: nil, to: &number)
            return .json(number.string)
        }
    }

    private var pathText: String {
        var text = ""
        for step in steps {
            switch step {
            case .item(let index): text += "[\(index)]"
            case .key(let key): append(key.keyString(keys) ?? "", to: &text)
            case .name(let name): append(String(decoding: name, as: UTF8.self), to: &text)
            }
        }
        return text
    }

    private func append(_ name: String, to path: inout String) {
        if !path.isEmpty { path += "." }
        path += Lexer.name(name)
    }
}
