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
    private var ordering: [Select.Ordering] = []

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
            let path = PropertyPath(try Selector.path(name).map { .name($0) })
            ordering.append(Select.Ordering(QueryExpression(.property(path)), direction: direction == "desc" ? "DESC" : nil))
        }
    }

    /// The query for the IDs of the documents.
    func select(from collection: CollectionName) -> Select {
        var select = Select()
        select.results = [Select.Result(QueryExpression(.property(PropertyPath([.name("_id")]))))]
        if !collection.isDefault { select.sources = [Select.Source(.collection(scope: collection.scope, name: collection.name))] }
        select.condition = condition
        select.orderBy = ordering
        select.limit = QueryExpression(.integer(Int64(limit)))
        select.offset = QueryExpression(.integer(Int64(skip)))
        return select
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
