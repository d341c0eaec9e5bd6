import CBLFleece

/// What is asked of a view.
///
///     var query = ViewQuery()
///     query.startKey = ["JP"]
///     query.endKey = ["JP", [:]]
///     query.groupLevel = 2
package struct ViewQuery: Sendable {
    package enum UpdateMode: Sendable { case before, never, after }

    /// The ends of a range. In a descending query `startKey` is the upper one.
    package var startKey: QueryKey?
    package var endKey: QueryKey?
    /// Among rows with the key at an end, where to start and to end. Heeded at ends that are part of the range.
    package var startKeyDocumentID: String?
    package var endKeyDocumentID: String?
    package var inclusiveStart = true
    package var inclusiveEnd = true
    /// Only rows with these keys, in this order.
    package var keys: [QueryKey]?
    /// Puts the upper end of the range behind all keys that begin as it does: 1 for a string or an array that it begins with, more for the last
    /// item of an array.
    package var prefixMatchLevel = 0
    package var descending = false
    package var skip = 0
    package var limit: Int?
    /// Whether to reduce; nil if the view can, and the query is none for texts or a box.
    package var reduces: Bool?
    /// Rows with equal keys become one.
    package var group = false
    /// Rows whose keys are arrays with the same first items become one; 0 for none, or whole keys.
    package var groupLevel = 0
    /// Whether rows are to have documents: the row's own, or the one whose `_id` is in the value.
    package var includesDocuments = false
    package var updateMode = UpdateMode.before
    package var postFilter: (@Sendable (ViewRow) throws -> Bool)?
    package var sort: [ViewSort] = []
    package var fullText: FullTextRequest?
    /// Only rows whose shapes share more than an edge with it.
    package var box: ViewRectangle?
    package var cancellation: ViewCancellation?

    package init(startKey: QueryKey? = nil, endKey: QueryKey? = nil, keys: [QueryKey]? = nil) {
        self.startKey = startKey
        self.endKey = endKey
        self.keys = keys
    }

    func check(_ view: ViewDefinition) throws {
        func refuse(_ reason: String) -> ViewError { .badRequest(reason) }
        guard skip >= 0, limit ?? 0 >= 0 else { throw refuse("skip and limit cannot be negative") }
        guard groupLevel >= 0, prefixMatchLevel >= 0 else { throw refuse("a level cannot be negative") }
        if reduces == true, view.reduction == nil { throw refuse("the view \"\(view.name)\" has no reduce function") }
        if reduces == false, group || groupLevel > 0 { throw refuse("rows that are grouped are reduced") }
        if fullText != nil, box != nil { throw refuse("a query is for texts or for a box, not for both") }
        let isSpecial = fullText != nil || box != nil
        if isSpecial, reduces == true || group || groupLevel > 0 { throw refuse("a query for texts or a box gives the rows themselves") }
        if isSpecial, keys != nil || startKey != nil || endKey != nil { throw refuse("a query for texts or a box has no keys") }
        if let box, !box.isSound { throw refuse("the box is none") }
        if keys != nil, startKey != nil || endKey != nil { throw refuse("a query has keys, or a range of them") }
    }

    /// Whether its rows are groups, without documents of their own.
    package func isGrouped(_ view: ViewDefinition) -> Bool {
        if fullText != nil || box != nil { return false }
        return group || groupLevel > 0 || reduces ?? (view.reduction != nil)
    }
}

/// A key as it is asked for. Strings, numbers, arrays and so on can stand for themselves.
package struct QueryKey: Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Without shared keys.
    package let data: FleeceData

    package init(json: String) throws {
        let encoder = FleeceEncoder()
        try JSONParser.parse(json, into: encoder)
        data = try encoder.finish()
    }

    package init(_ value: Value, keys: SharedKeys? = nil) throws {
        let encoder = FleeceEncoder()
        encoder.write(value, keys: keys)
        data = try encoder.finish()
    }

    private init(_ write: (FleeceEncoder) -> Void) {
        let encoder = FleeceEncoder()
        write(encoder)
        // Only numbers that are none can fail.
        data = (try? encoder.finish()) ?? FleeceData([0x30, 0x00])
    }

    package static let null = QueryKey { $0.writeNull() }
    package init(_ text: String) { self.init { $0.write(text) } }
    package init(_ number: Int64) { self.init { $0.write(number) } }
    package init(_ number: Double) { self.init { $0.write(number) } }
    package init(_ items: [QueryKey]) {
        self.init { encoder in
            encoder.beginArray()
            for item in items { item.data.withRoot { encoder.write($0, keys: nil) } }
            encoder.endArray()
        }
    }

    package init(stringLiteral value: String) { self.init(value) }
    package init(integerLiteral value: Int64) { self.init(value) }
    package init(floatLiteral value: Double) { self.init(value) }
    package init(booleanLiteral value: Bool) { self.init { $0.write(value) } }
    package init(arrayLiteral items: QueryKey...) { self.init(items) }
    package init(dictionaryLiteral members: (String, QueryKey)...) {
        self.init { encoder in
            encoder.beginDictionary()
            for (name, item) in members {
                encoder.writeKey(name)
                item.data.withRoot { encoder.write($0, keys: nil) }
            }
            encoder.endDictionary()
        }
    }
}

/// An order for the rows of a result: by a part of them, as `value.name`, `key[1]` or `id`.
package struct ViewSort: Sendable {
    package var path: String
    package var descending: Bool

    package init(_ path: String, descending: Bool = false) {
        self.path = path
        self.descending = descending
    }
}

/// Words to look for in the texts that a view emitted, in the syntax of FTS4.
package struct FullTextRequest: Sendable {
    package var text: String
    /// Only texts that were emitted with this language; nil for all.
    package var language: String?
    /// Best matches first; otherwise by sequence.
    package var ranks = true
    package var snippets = false

    package init(_ text: String, language: String? = nil) {
        self.text = text
        self.language = language
    }
}
