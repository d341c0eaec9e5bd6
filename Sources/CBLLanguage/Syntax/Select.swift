/// A `SELECT`, or the bare list of expressions that defines an index.
package struct Select: Sendable, Equatable {
    /// Nothing but expressions, without the word `SELECT`: in text only.
    package var isBareList = false
    package var isDistinct = false
    /// What is selected. Empty only in the JSON form: then the document's ID and sequence.
    package var results: [Result] = []
    /// Empty in a bare list, and in the JSON form for the default collection.
    package var sources: [Source] = []
    package var condition: QueryExpression?
    package var groupBy: [QueryExpression] = []
    package var having: QueryExpression?
    package var orderBy: [Ordering] = []
    package var limit: QueryExpression?
    package var offset: QueryExpression?
    package var range: SourceRange = .none

    package init() {}

    /// What a text says that is a single expression; nil for all others.
    package var onlyExpression: QueryExpression? {
        guard isBareList, results.count == 1, results[0].alias == nil else { return nil }
        return results[0].expression
    }

    package static func == (one: Select, other: Select) -> Bool {
        one.isDistinct == other.isDistinct && one.results == other.results && one.sources == other.sources
            && one.condition == other.condition && one.groupBy == other.groupBy && one.having == other.having
            && one.orderBy == other.orderBy && one.limit == other.limit && one.offset == other.offset
    }

    package struct Result: Sendable, Equatable {
        package var expression: QueryExpression
        package var alias: String?

        package init(_ expression: QueryExpression, alias: String? = nil) {
            self.expression = expression
            self.alias = alias
        }
    }

    package struct Ordering: Sendable, Equatable {
        package var expression: QueryExpression
        /// `ASC` or `DESC` as typed, or nil.
        package var direction: String?

        package var isDescending: Bool { direction?.lowercased() == "desc" }

        package init(_ expression: QueryExpression, direction: String? = nil) {
            self.expression = expression
            self.direction = direction
        }
    }

    /// An item of `FROM`.
    package struct Source: Sendable {
        package enum Origin: Sendable, Equatable {
            /// `scope.name`; both are nil only in the JSON form, where an item may have nothing but an alias.
            case collection(scope: String?, name: String?)
            case unnest(QueryExpression)
        }

        package var origin: Origin
        package var alias: String?
        /// What stands before `JOIN`, as typed (`left outer`); `INNER` for `JOIN` alone; nil for the first source and an `UNNEST`.
        package var join: String?
        package var on: QueryExpression?
        package var range: SourceRange

        package init(
            _ origin: Origin, alias: String? = nil, join: String? = nil, on: QueryExpression? = nil, range: SourceRange = .none
        ) {
            self.origin = origin
            self.alias = alias
            self.join = join
            self.on = on
            self.range = range
        }
    }
}

extension Select.Source: Equatable {
    package static func == (one: Select.Source, other: Select.Source) -> Bool {
        one.origin == other.origin && one.alias == other.alias && one.join == other.join && one.on == other.on
    }
}
