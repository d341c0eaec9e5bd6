import CBLFleece
import CBLLanguage
import CBLReplication

/// A selector of CouchDB, `{"stars": {"$gte": 4}, "$or": […]}`, as the condition of a query: its names are names and its values are values there, so none
/// of it is ever read as text.
///
/// Where CouchDB compares values of different types by its order of types, SQL++ does by its own.
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

    static func condition(_ value: Value?) throws(RESTError) -> QueryExpression {
        guard let object = value?.dictionary else { throw .badRequest("the selector is missing, or is no object") }
        var selector = Selector()
        return try selector.all(of: object, .document([]), 0)
    }

    /// The name of a property, or the path to one: `address.city`; a point that belongs to a name has `\` before it.
    static func path(_ name: String) throws(RESTError) -> [String] {
        var (names, current, isEscaped) = ([String](), "", false)
        for character in name {
            if isEscaped {
                if character != "." { current.append("\\") }
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
            return Selector.equals(subject.expression, try Selector.literal(value))
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
            if type == "null" { return Selector.equals(left, QueryExpression(.null)) }
            return Selector.equals(QueryExpression(.function("type", [left])), QueryExpression(.string(type)))
        case "$exists":
            guard let isThere = value.boolean else { throw .badRequest("$exists is true or false") }
            return Selector.missing(left, isNot: isThere)
        case "$size":
            guard let count = value.integer, count >= 0 else { throw .badRequest("$size is a number of items") }
            let length = Selector.equals(QueryExpression(.function("array_length", [left])), QueryExpression(.integer(count)))
            return Selector.join(.and, [QueryExpression(.function("isarray", [left])), length], empty: true)
        case "$mod": return try modulo(value, left)
        default: return try Selector.comparison(name, value, left)
        }
    }

    private static func begins(_ left: QueryExpression, with prefix: String) -> QueryExpression {
        // What is no letter may mean something in a pattern.
        let escaped = prefix.map { $0.isASCII && !$0.isLetter && !$0.isNumber ? "\\\($0)" : "\($0)" }.joined()
        return QueryExpression(.function("regexp_contains", [left, QueryExpression(.string("^" + escaped))]))
    }

    private static func missing(_ left: QueryExpression, isNot: Bool) -> QueryExpression {
        QueryExpression(.operation(isNot ? .isNot : .is, [left, QueryExpression(.missing)]))
    }

    private static func equals(_ left: QueryExpression, _ right: QueryExpression) -> QueryExpression {
        right.node == .null ? QueryExpression(.operation(.is, [left, right])) : QueryExpression(.operation(.equal, [left, right]))
    }

    private static func comparison(_ name: String, _ value: Value, _ left: QueryExpression) throws(RESTError) -> QueryExpression {
        let right = try literal(value)
        let isNull = right.node == .null
        func compared(_ known: Operator) -> QueryExpression { QueryExpression(.operation(known, [left, right])) }
        let isValued = QueryExpression(.operation(.isValued, [left]))
        let isNullItself = equals(left, QueryExpression(.null))
        switch name {
        case "$eq": return equals(left, right)
        case "$ne": return join(.and, [missing(left, isNot: true), not(equals(left, right))], empty: true)
        // Null is less than everything; in SQL++ it is more.
        case "$gt": return isNull ? isValued : join(.and, [compared(.greater), isValued], empty: true)
        case "$gte": return isNull ? missing(left, isNot: true) : join(.and, [compared(.greaterOrEqual), isValued], empty: true)
        case "$lt": return isNull ? QueryExpression(.boolean(false)) : join(.or, [compared(.less), isNullItself], empty: false)
        case "$lte": return isNull ? isNullItself : join(.or, [compared(.lessOrEqual), isNullItself], empty: false)
        default: throw .badRequest("there is no operator \(name)")
        }
    }

    private mutating func list(_ name: String, _ value: Value, _ left: QueryExpression) throws(RESTError) -> QueryExpression {
        guard let array = value.array else { throw .badRequest("\(name) has an array of values") }
        var values: [QueryExpression] = []
        for item in array { values.append(try Selector.literal(item)) }
        if name == "$all" {
            let parts = values.map { QueryExpression(.function("array_contains", [left, $0])) }
            return Selector.join(.and, parts, empty: false)
        }
        // Of an array, one of its items is enough.
        variableCount += 1
        let variable = "item\(variableCount)"
        let item = QueryExpression(.variable(variable, PropertyPath([])))
        func isOne(_ of: QueryExpression) -> QueryExpression { Selector.join(.or, values.map { Selector.equals(of, $0) }, empty: false) }
        let holdsOne = QueryExpression(.quantified(.any, variable: variable, collection: left, predicate: isOne(item)))
        let isArray = QueryExpression(.function("isarray", [left]))
        let isAmong = Selector.join(.or, [isOne(left), Selector.join(.and, [isArray, holdsOne], empty: true)], empty: false)
        return name == "$in" ? isAmong : Selector.join(.and, [Selector.missing(left, isNot: true), Selector.not(isAmong)], empty: true)
    }

    private func modulo(_ value: Value, _ left: QueryExpression) throws(RESTError) -> QueryExpression {
        guard let array = value.array, array.count == 2, let divisor = array[0].integer, let rest = array[1].integer, divisor != 0 else {
            throw .badRequest("$mod has a divisor, which is not 0, and a remainder")
        }
        let remainder = QueryExpression(.operation(.modulo, [left, QueryExpression(.integer(divisor))]))
        let isNumber = QueryExpression(.function("isnumber", [left]))
        return Selector.join(.and, [isNumber, Selector.equals(remainder, QueryExpression(.integer(rest)))], empty: true)
    }

    private mutating func items(
        _ name: String, _ value: Value, _ left: QueryExpression, _ level: Int
    ) throws(RESTError) -> QueryExpression {
        variableCount += 1
        let variable = "item\(variableCount)"
        let predicate = try selector(name, value, .item(variable, []), level)
        return QueryExpression(
            .quantified(name == "$allMatch" ? .anyAndEvery : .any, variable: variable, collection: left, predicate: predicate))
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
