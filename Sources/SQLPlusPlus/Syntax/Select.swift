/// A `SELECT`, or the bare list of expressions that defines an index.
public struct Select: Sendable, Equatable {
    /// Nothing but expressions, without the word `SELECT`: in text only.
    public var isBareList = false
    public var isDistinct = false
    /// What is selected. Empty only in the JSON form: then the document's ID and sequence.
    public var results: [Result] = []
    /// Empty in a bare list, and in the JSON form for the default collection.
    public var sources: [Source] = []
    public var condition: Expression?
    public var groupBy: [Expression] = []
    public var having: Expression?
    public var orderBy: [Ordering] = []
    public var limit: Expression?
    public var offset: Expression?
    public var range: SourceRange = .none

    public init() {}

    public static func == (one: Select, other: Select) -> Bool {
        one.isDistinct == other.isDistinct && one.results == other.results && one.sources == other.sources
            && one.condition == other.condition && one.groupBy == other.groupBy && one.having == other.having
            && one.orderBy == other.orderBy && one.limit == other.limit && one.offset == other.offset
    }

    public struct Result: Sendable, Equatable {
        public var expression: Expression
        public var alias: String?

        public init(_ expression: Expression, alias: String? = nil) {
            self.expression = expression
            self.alias = alias
        }
    }

    public struct Ordering: Sendable, Equatable {
        public var expression: Expression
        /// `ASC` or `DESC` as typed, or nil.
        public var direction: String?

        public var isDescending: Bool { direction?.lowercased() == "desc" }

        public init(_ expression: Expression, direction: String? = nil) {
            self.expression = expression
            self.direction = direction
        }
    }

    /// An item of `FROM`.
    public struct Source: Sendable {
        public enum Origin: Sendable, Equatable {
            /// `scope.name`; both are nil only in the JSON form, where an item may have nothing but an alias.
            case collection(scope: String?, name: String?)
            case unnest(Expression)
        }

        public var origin: Origin
        public var alias: String?
        /// What stands before `JOIN`, as typed (`left outer`); `INNER` for `JOIN` alone; nil for the first source and an `UNNEST`.
        public var join: String?
        public var on: Expression?
        public var range: SourceRange

        public init(
            _ origin: Origin, alias: String? = nil, join: String? = nil, on: Expression? = nil, range: SourceRange = .none
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
    public static func == (one: Select.Source, other: Select.Source) -> Bool {
        one.origin == other.origin && one.alias == other.alias && one.join == other.join && one.on == other.on
    }
}
