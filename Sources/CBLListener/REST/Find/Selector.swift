import CBLFleece
import CBLLanguage
import CBLReplication

/// A selector of CouchDB, `{"stars": {"$gte": 4}, "$or": […]}`, as the condition of a query: its names are names and its values are values there, so none
/// of it is ever read as text.
///
/// In CouchDB's order of types null, false and true come first, then numbers, texts, arrays and objects. SQL++ has booleans among numbers, and null behind
/// texts: what is asked for besides makes up for that, and leaves an index of use.
struct Selector {
    /// What a part of a selector is about.
    private enum Subject {
        case document([String])
        /// The item of an array, or what is inside it.
        case item(String, [String])

        func appending(_ names: [String]) -> Subject {
            switch self {
            case .document(let path): .document(path + names)
            case .item(let variable, let path): .item(variable, path + names)
            }
        }

        var expression: QueryExpression {
            switch self {
            case .document(let path): QueryExpression(.property(PropertyPath(path.map { .name($0) })))
            case .item(let variable, let path): QueryExpression(.variable(variable, PropertyPath(path.map { .name($0) })))
            }
        }

        var isWholeDocument: Bool { if case .document(let path) = self { path.isEmpty } else { false } }
    }

    private static let mostLevels = 50
    private var variableCount = 0

    /// Whether false and 0 are told apart. In the condition of an index they are not: what asks for more than the condition finds the index.
    private let tellsBooleans: Bool

    static func condition(_ value: Value?, tellsBooleans: Bool = true) throws(RESTError) -> QueryExpression {
        guard let object = value?.dictionary else { throw .badRequest("the selector is missing, or is no object") }
        var selector = Selector(tellsBooleans: tellsBooleans)
        return try selector.all(of: object, .document([]), 0)
    }

    /// The name of a property, or the path to one: `address.city`; a point that belongs to a name has `\` before it, as has a `$` at its beginning.
    static func path(_ name: String) throws(RESTError) -> [String] {
        var (names, current, isEscaped) = ([String](), "", false)
        for character in name {
            if isEscaped {
                if character != ".", character != "$" || !current.isEmpty { current.append("\\") }
                current.append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "." {
                names.append(current)
                current = ""
            } else {
                current.append(character)
            }
        }
        if isEscaped { current.append("\\") }
        names.append(current)
        guard !names.contains("") else { throw .badRequest("\"\(name)\" is no path of a property") }
        return names
    }

    // MARK: Combinations

    private mutating func all(of object: DictionaryView, _ subject: Subject, _ level: Int) throws(RESTError) -> QueryExpression {
        guard level < Selector.mostLevels else { throw .badRequest("the selector is nested too deep") }
        var parts: [QueryExpression] = []
        for (key, value) in object {
            guard let name = key.string else { continue }
            if name.hasPrefix("$") {
                parts.append(try operation(name, value, subject, level + 1))
            } else {
                parts.append(try field(value, subject.appending(Selector.path(name)), level + 1))
            }
        }
        return Selector.join(.and, parts, empty: true)
    }

    private mutating func field(_ value: Value, _ subject: Subject, _ level: Int) throws(RESTError) -> QueryExpression {
        guard let object = value.dictionary, !object.isEmpty else {
            return equals(subject.expression, try Selector.literal(value))
        }
        return try all(of: object, subject, level)
    }

    private static func join(_ known: Operator, _ parts: [QueryExpression], empty: Bool) -> QueryExpression {
        guard let first = parts.first else { return QueryExpression(.boolean(empty)) }
        return parts.count == 1 ? first : QueryExpression(.operation(known, parts))
    }

    private mutating func each(_ name: String, _ value: Value, _ subject: Subject, _ level: Int) throws(RESTError) -> [QueryExpression] {
        guard let array = value.array else { throw .badRequest("\(name) has an array of selectors") }
        var parts: [QueryExpression] = []
        for item in array { parts.append(try selector(name, item, subject, level)) }
        return parts
    }

    private mutating func selector(_ name: String, _ value: Value, _ subject: Subject, _ level: Int) throws(RESTError) -> QueryExpression {
        guard let object = value.dictionary else { throw .badRequest("\(name) has a selector") }
        return try all(of: object, subject, level)
    }

    /// True where the other is not: also where that is neither true nor false, because something is not there.
    private static func not(_ expression: QueryExpression) -> QueryExpression {
        QueryExpression(
            .conditional(
                test: nil, branches: [.init(when: expression, then: QueryExpression(.boolean(false)))],
                otherwise: QueryExpression(.boolean(true))))
    }

    // MARK: Operators

    private mutating func operation(
        _ name: String, _ value: Value, _ subject: Subject, _ level: Int
    ) throws(RESTError) -> QueryExpression {
        switch name {
        case "$and": return Selector.join(.and, try each(name, value, subject, level), empty: true)
        case "$or": return Selector.join(.or, try each(name, value, subject, level), empty: false)
        case "$nor": return Selector.not(Selector.join(.or, try each(name, value, subject, level), empty: false))
        case "$not": return Selector.not(try selector(name, value, subject, level))
        default: break
        }
        guard !subject.isWholeDocument else { throw .badRequest("\(name) is about a property") }
        let left = subject.expression
        switch name {
        case "$elemMatch", "$allMatch": return try items(name, value, left, level)
        case "$in", "$nin", "$all": return try list(name, value, left)
        case "$regex":
            guard let pattern = value.string else { throw .badRequest("$regex has a pattern") }
            return QueryExpression(.function("regexp_contains", [left, QueryExpression(.string(pattern))]))
        case "$beginsWith":
            guard let prefix = value.string else { throw .badRequest("$beginsWith has the text that is in front") }
            return Selector.begins(left, with: prefix)
        case "$type":
            guard let type = value.string else { throw .badRequest("$type has the name of a type") }
            if type == "null" { return equals(left, QueryExpression(.null)) }
            return Selector.compared(.equal, Selector.call("type", left), QueryExpression(.string(type)))
        case "$exists":
            guard let isThere = value.boolean else { throw .badRequest("$exists is true or false") }
            return Selector.missing(left, isNot: isThere)
        case "$size":
            guard let count = value.integer, count >= 0 else { throw .badRequest("$size is a number of items") }
            let length = Selector.compared(.equal, Selector.call("array_length", left), QueryExpression(.integer(count)))
            return Selector.both(Selector.call("isarray", left), length)
        case "$mod": return try modulo(value, left)
        default: return try comparison(name, value, left)
        }
    }

    private static func begins(_ left: QueryExpression, with prefix: String) -> QueryExpression {
        // What is no letter may mean something in a pattern.
        let escaped = prefix.map { $0.isASCII && !$0.isLetter && !$0.isNumber ? "\\\($0)" : "\($0)" }.joined()
        return QueryExpression(.function("regexp_contains", [left, QueryExpression(.string("^" + escaped))]))
    }

    static func missing(_ left: QueryExpression, isNot: Bool) -> QueryExpression {
        QueryExpression(.operation(isNot ? .isNot : .is, [left, QueryExpression(.missing)]))
    }

    private static func compared(_ known: Operator, _ left: QueryExpression, _ right: QueryExpression) -> QueryExpression {
        QueryExpression(.operation(known, [left, right]))
    }

    static func both(_ one: QueryExpression, _ other: QueryExpression) -> QueryExpression { join(.and, [one, other], empty: true) }

    private static func call(_ function: String, _ argument: QueryExpression) -> QueryExpression {
        QueryExpression(.function(function, [argument]))
    }

    private func equals(_ left: QueryExpression, _ right: QueryExpression) -> QueryExpression {
        switch right.node {
        case .null: Selector.compared(.is, left, right)
        case .boolean where tellsBooleans: Selector.both(Selector.compared(.equal, left, right), Selector.call("isboolean", left))
        case .integer(0) where tellsBooleans, .integer(1) where tellsBooleans, .float(0) where tellsBooleans, .float(1) where tellsBooleans:
            Selector.both(Selector.compared(.equal, left, right), Selector.call("isnumber", left))
        default: Selector.compared(.equal, left, right)
        }
    }

    private func comparison(_ name: String, _ value: Value, _ left: QueryExpression) throws(RESTError) -> QueryExpression {
        let right = try Selector.literal(value)
        switch name {
        case "$eq": return equals(left, right)
        case "$ne": return Selector.both(Selector.missing(left, isNot: true), Selector.not(equals(left, right)))
        case "$gt": return greater(left, right)
        case "$gte": return Selector.join(.or, [greater(left, right), equals(left, right)], empty: false)
        case "$lt": return less(left, right)
        case "$lte": return Selector.join(.or, [less(left, right), equals(left, right)], empty: false)
        default: throw .badRequest("there is no operator \(name)")
        }
    }

    private func less(_ left: QueryExpression, _ right: QueryExpression) -> QueryExpression {
        let isNull = equals(left, QueryExpression(.null))
        let isBoolean = Selector.call("isboolean", left)
        switch right.node {
        case .null: return QueryExpression(.boolean(false))
        case .boolean(let isTrue):
            return isTrue ? Selector.join(.or, [isNull, equals(left, QueryExpression(.boolean(false)))], empty: false) : isNull
        case .array(let items):
            let isLower = Selector.join(
                .and,
                [
                    Selector.missing(left, isNot: true), Selector.not(Selector.call("isarray", left)),
                    Selector.not(Selector.call("isobject", left)),
                ], empty: true)
            return items.isEmpty
                ? isLower
                : Selector.join(
                    .or, [isLower, Selector.both(Selector.call("isarray", left), Selector.compared(.less, left, right))], empty: false)
        case .dictionary(let members):
            let isLower = Selector.both(Selector.missing(left, isNot: true), Selector.not(Selector.call("isobject", left)))
            return members.isEmpty
                ? isLower
                : Selector.join(
                    .or, [isLower, Selector.both(Selector.call("isobject", left), Selector.compared(.less, left, right))], empty: false)
        case .string: return Selector.join(.or, [Selector.compared(.less, left, right), isNull], empty: false)
        default:
            // Which are 0 and 1.
            let booleans =
                !tellsBooleans
                ? [] : [false, true].map { Selector.both(Selector.compared(.equal, left, QueryExpression(.boolean($0))), isBoolean) }
            return Selector.join(.or, [Selector.compared(.less, left, right), isNull] + booleans, empty: false)
        }
    }

    private func greater(_ left: QueryExpression, _ right: QueryExpression) -> QueryExpression {
        let isValued = QueryExpression(.operation(.isValued, [left]))
        let isBoolean = Selector.call("isboolean", left)
        switch right.node {
        case .null: return isValued
        case .boolean(let isTrue): return Selector.both(isValued, Selector.not(isTrue ? isBoolean : equals(left, right)))
        case .array(let items):
            let more = items.isEmpty ? Selector.not(Selector.compared(.equal, left, right)) : Selector.compared(.greater, left, right)
            return Selector.join(.or, [Selector.call("isobject", left), Selector.both(Selector.call("isarray", left), more)], empty: false)
        case .dictionary(let members):
            return Selector.both(
                Selector.call("isobject", left),
                members.isEmpty ? Selector.not(Selector.compared(.equal, left, right)) : Selector.compared(.greater, left, right))
        case .string: return Selector.both(Selector.compared(.greater, left, right), isValued)
        default:
            let isNoBoolean = tellsBooleans ? [Selector.not(isBoolean)] : []
            return Selector.join(.and, [Selector.compared(.greater, left, right), isValued] + isNoBoolean, empty: true)
        }
    }

    private mutating func list(_ name: String, _ value: Value, _ left: QueryExpression) throws(RESTError) -> QueryExpression {
        guard let array = value.array else { throw .badRequest("\(name) has an array of values") }
        var values: [QueryExpression] = []
        for item in array { values.append(try Selector.literal(item)) }
        let isArray = Selector.call("isarray", left)
        if name == "$all" {
            let parts = values.isEmpty ? [QueryExpression(.boolean(false))] : values.map { any(of: [$0], in: left) }
            return Selector.join(.and, [isArray] + parts, empty: false)
        }
        // Of an array, one of its items is enough.
        let isOne = Selector.join(.or, values.map { equals(left, $0) }, empty: false)
        let isAmong = Selector.join(.or, [isOne, Selector.both(isArray, any(of: values, in: left))], empty: false)
        return name == "$in" ? isAmong : Selector.both(Selector.missing(left, isNot: true), Selector.not(isAmong))
    }

    /// Whether one of these values is in an array. SQL++ looks for texts and numbers with a function of its own, which finds neither arrays nor objects.
    private mutating func any(of values: [QueryExpression], in left: QueryExpression) -> QueryExpression {
        let variable = newVariable()
        let item = QueryExpression(.variable(variable, PropertyPath([])))
        let parts = values.map { value in
            let isEqual = equals(item, value)
            switch value.node {
            case .array, .dictionary: return Selector.both(isEqual, Selector.missing(item, isNot: true))
            default: return isEqual
            }
        }
        return QueryExpression(
            .quantified(.any, variable: variable, collection: left, predicate: Selector.join(.or, parts, empty: false)))
    }

    private mutating func newVariable() -> String {
        variableCount += 1
        return "item\(variableCount)"
    }

    private func modulo(_ value: Value, _ left: QueryExpression) throws(RESTError) -> QueryExpression {
        guard let array = value.array, array.count == 2, let divisor = array[0].integer, let rest = array[1].integer, divisor != 0 else {
            throw .badRequest("$mod has a divisor, which is not 0, and a remainder")
        }
        let remainder = Selector.compared(
            .equal, Selector.compared(.modulo, left, QueryExpression(.integer(divisor))), QueryExpression(.integer(rest)))
        let isWhole = Selector.compared(.equal, Selector.call("floor", left), left)
        return Selector.join(.and, [Selector.call("isnumber", left), isWhole, remainder], empty: true)
    }

    private mutating func items(
        _ name: String, _ value: Value, _ left: QueryExpression, _ level: Int
    ) throws(RESTError) -> QueryExpression {
        let variable = newVariable()
        let isArray = Selector.call("isarray", left)
        var predicate = try selector(name, value, .item(variable, []), level)
        // Whatever is compared: see `any(of:in:)`.
        predicate = Selector.both(predicate, Selector.missing(QueryExpression(.variable(variable, PropertyPath([]))), isNot: true))
        let isEvery = name == "$allMatch"
        let quantified = QueryExpression(
            .quantified(isEvery ? .every : .any, variable: variable, collection: left, predicate: predicate))
        // "ANY AND EVERY" counts no nulls.
        let hasSome = Selector.compared(.greater, Selector.call("array_length", left), QueryExpression(.integer(0)))
        return Selector.join(.and, isEvery ? [isArray, hasSome, quantified] : [isArray, quantified], empty: true)
    }

    private static func literal(_ value: Value, _ level: Int = 0) throws(RESTError) -> QueryExpression {
        guard level < mostLevels else { throw .badRequest("a value in the selector is nested too deep") }
        switch value.kind {
        case .boolean: return QueryExpression(.boolean(value.boolean == true))
        case .integer:
            if let integer = value.integer { return QueryExpression(.integer(integer)) }
            return QueryExpression(.unsigned(value.unsigned ?? 0))
        case .double: return QueryExpression(.float(value.double ?? 0))
        case .string: return QueryExpression(.string(value.string ?? ""))
        case .array:
            var items: [QueryExpression] = []
            if let array = value.array { for item in array { items.append(try literal(item, level + 1)) } }
            return QueryExpression(.array(items))
        case .dictionary:
            var members: [QueryExpression.Member] = []
            if let object = value.dictionary {
                for (key, member) in object { members.append(QueryExpression.Member(key.string ?? "", try literal(member, level + 1))) }
            }
            return QueryExpression(.dictionary(members))
        case .null, .undefined, .data: return QueryExpression(.null)
        }
    }
}
