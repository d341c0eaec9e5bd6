import CBLBase
import CBLFleece
import CBLLanguage
import CBLReplication
import CBLStore

/// What `_find` is asked: a selector, and what is to be done with the documents that it selects.
struct FindQuery {
    var condition: QueryExpression
    var fields: FieldList?
    /// As they were named.
    private(set) var fieldNames: [String] = []
    private(set) var order: [(name: String, direction: String)] = []
    var limit = FindQuery.usualLimit
    /// How many are passed over, those of earlier pages too.
    var skip = 0
    /// The index that somebody wants to be used: its design document, as it was written, and perhaps its name.
    private(set) var wish: [String] = []
    private var sorted: [(property: QueryExpression, isDescending: Bool)] = []

    static let usualLimit = 25

    init(_ root: Value) throws(RESTError) {
        guard let members = root.dictionary else { throw .badJSON("the body is not an object") }
        condition = try Selector.condition(members.value(forKey: "selector", nil))
        if let fields = members.value(forKey: "fields", nil), fields.kind != .null {
            guard let array = fields.array else { throw .badParameter("fields is an array") }
            let names = try array.strings("fields")
            self.fields = names.isEmpty ? nil : try FieldList(names)
            fieldNames = names
        }
        limit = try FindQuery.count("limit", members) ?? FindQuery.usualLimit
        skip = try FindQuery.count("skip", members) ?? 0
        if let bookmark = members.value(forKey: "bookmark", nil)?.string, bookmark != "nil", !bookmark.isEmpty {
            guard let place = Int(bookmark), place >= 0 else { throw .badParameter("the bookmark is none of this server") }
            skip = skip.addingReportingOverflow(place).partialValue
        }
        guard skip >= 0 else { throw .badParameter("skip is too much") }
        try readOrdering(members.value(forKey: "sort", nil))
        let wish = members.value(forKey: "use_index", nil)
        self.wish = wish?.array?.compactMap(\.string) ?? (wish?.string).map { [$0] } ?? []
    }

    private static func count(_ name: String, _ members: DictionaryView) throws(RESTError) -> Int? {
        guard let value = members.value(forKey: name, nil), value.kind != .null else { return nil }
        guard let number = value.integer, number >= 0 else { throw .badParameter("\(name) is a number") }
        return Int(clamping: number)
    }

    /// `["name", {"stars": "desc"}]`
    private mutating func readOrdering(_ value: Value?) throws(RESTError) {
        guard let value, value.kind != .null else { return }
        guard let array = value.array else { throw .badParameter("sort is an array") }
        for item in array {
            var (name, direction) = (item.string, "asc")
            if let object = item.dictionary, object.count == 1, let entry = object.first(where: { _ in true }) {
                (name, direction) = (entry.key.string, entry.value.string ?? "")
            }
            guard let name, direction == "asc" || direction == "desc" else {
                throw .badParameter("sort has names, or objects like {\"name\": \"desc\"}")
            }
            order.append((name, direction))
            let property = QueryExpression(.property(PropertyPath(try Selector.path(name).map { .name($0) })))
            sorted.append((property, direction == "desc"))
            // As with an index of CouchDB, which only has documents that have what it is of.
            if property != FindQuery.id {
                condition = Selector.both(condition, Selector.missing(property, isNot: true))
            }
        }
    }

    private static let id = QueryExpression(.property(PropertyPath([.name("_id")])))

    var isSorted: Bool { !sorted.isEmpty }

    /// The query for the IDs of the documents. SQL++ has null and booleans in other places of its order: `byTypes` puts them where CouchDB has them, which
    /// no index can.
    func select(from collection: CollectionName, byTypes: Bool = false) -> Select {
        var select = basis(collection)
        select.condition = condition
        for (property, isDescending) in sorted {
            let direction = isDescending ? "DESC" : nil
            if byTypes, property != FindQuery.id { select.orderBy.append(Select.Ordering(FindQuery.rank(property), direction: direction)) }
            select.orderBy.append(Select.Ordering(property, direction: direction))
        }
        // Among equals their IDs decide.
        if let last = sorted.last, last.property != FindQuery.id {
            select.orderBy.append(Select.Ordering(FindQuery.id, direction: last.isDescending ? "DESC" : nil))
        }
        select.limit = QueryExpression(.integer(Int64(limit)))
        select.offset = QueryExpression(.integer(Int64(skip)))
        return select
    }

    /// Queries of which one has a row if null or a boolean is among what it sorts by. An index tells at once.
    func typeSelects(from collection: CollectionName) -> [Select] {
        sorted.filter { $0.property != FindQuery.id }.flatMap { property, _ in
            let booleans = [false, true].map { QueryExpression(.operation(.equal, [property, QueryExpression(.boolean($0))])) }
            let tests = [
                QueryExpression(.operation(.is, [property, QueryExpression(.null)])),
                Selector.both(QueryExpression(.operation(.or, booleans)), QueryExpression(.function("isboolean", [property]))),
            ]
            return tests.map { test in
                var select = basis(collection)
                select.condition = Selector.both(condition, test)
                select.limit = QueryExpression(.integer(1))
                return select
            }
        }
    }

    private func basis(_ collection: CollectionName) -> Select {
        var select = Select()
        select.results = [Select.Result(FindQuery.id)]
        if !collection.isDefault { select.sources = [Select.Source(.collection(scope: collection.scope, name: collection.name))] }
        return select
    }

    /// null, false and true, all else.
    private static func rank(_ property: QueryExpression) -> QueryExpression {
        func branch(_ test: QueryExpression, _ rank: Int64) -> QueryExpression.Branch {
            QueryExpression.Branch(when: test, then: QueryExpression(.integer(rank)))
        }
        return QueryExpression(
            .conditional(
                test: nil,
                branches: [
                    branch(QueryExpression(.operation(.is, [property, QueryExpression(.null)])), 0),
                    branch(QueryExpression(.function("isboolean", [property])), 1),
                ], otherwise: QueryExpression(.integer(2))))
    }
}

/// The properties that are wanted of documents.
struct FieldList {
    private var members: [(name: String, inner: FieldList?)] = []

    init(_ names: [String]) throws(RESTError) {
        for name in names { add(try Selector.path(name)[...]) }
    }

    private init() {}

    private mutating func add(_ path: ArraySlice<String>) {
        guard let name = path.first else { return }
        let rest = path.dropFirst()
        guard let place = members.firstIndex(where: { $0.name == name }) else {
            var inner = FieldList()
            inner.add(rest)
            return members.append((name, rest.isEmpty ? nil : inner))
        }
        // Who wants all of it wants its parts.
        if rest.isEmpty { members[place].inner = nil } else { members[place].inner?.add(rest) }
    }

    func write(_ object: DictionaryView, to text: inout ByteBuffer) {
        text.append("{")
        var needsComma = false
        for (name, inner) in members {
            guard let value = object.value(forKey: name, nil), inner == nil || value.dictionary != nil else { continue }
            if needsComma { text.append(",") }
            needsComma = true
            JSONWriter.write(string: name, to: &text)
            text.append(":")
            if let inner, let part = value.dictionary {
                inner.write(part, to: &text)
            } else {
                JSONWriter.write(value, keys: nil, to: &text)
            }
        }
        text.append("}")
    }
}
