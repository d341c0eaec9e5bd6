/// Anything that can be typed at the prompt as SQL++. Only `select` exists in the vendor's dialect; the others follow Couchbase Server's syntax.
public enum Statement: Sendable, Equatable {
    case select(Select)
    case insert(Insert)
    case update(Update)
    case delete(Delete)
    case createIndex(CreateIndex)
    case dropIndex(name: String, collection: CollectionPath?, ifExists: Bool)
    case createCollection(CollectionPath, ifNotExists: Bool)
    case dropCollection(CollectionPath, ifExists: Bool)

    /// `scope.name`, as written: `_` and `_default` are the default collection.
    public struct CollectionPath: Sendable, Hashable {
        public var scope: String?
        public var name: String
        public var range: SourceRange

        public init(scope: String? = nil, name: String, range: SourceRange = .none) {
            self.scope = scope
            self.name = name
            self.range = range
        }

        public static func == (one: CollectionPath, other: CollectionPath) -> Bool {
            one.scope == other.scope && one.name == other.name
        }

        public func hash(into hasher: inout Hasher) {
            hasher.combine(scope)
            hasher.combine(name)
        }
    }

    /// `INSERT INTO c (KEY, VALUE) VALUES (k, v), …` or `INSERT INTO c (KEY k, VALUE v) SELECT …`; `UPSERT` replaces what exists.
    public struct Insert: Sendable, Equatable {
        public enum Rows: Sendable, Equatable {
            case values([Row])
            /// The key and the value are expressions over the rows of the select, whose columns they name; without a value the row is the body.
            case select(key: Expression, value: Expression?, Select)
        }

        public struct Row: Sendable, Equatable {
            public var key: Expression
            public var value: Expression

            public init(key: Expression, value: Expression) {
                self.key = key
                self.value = value
            }
        }

        public var collection: CollectionPath
        public var rows: Rows
        /// `UPSERT`
        public var replaces: Bool

        public init(collection: CollectionPath, rows: Rows, replaces: Bool) {
            self.collection = collection
            self.rows = rows
            self.replaces = replaces
        }
    }

    /// `UPDATE c [AS a] SET path = e, … UNSET path, … WHERE … LIMIT n`
    public struct Update: Sendable, Equatable {
        public struct Assignment: Sendable, Equatable {
            public var path: PropertyPath
            public var value: Expression
            public var range: SourceRange

            public init(path: PropertyPath, value: Expression, range: SourceRange = .none) {
                self.path = path
                self.value = value
                self.range = range
            }
        }

        public var collection: CollectionPath
        public var alias: String?
        public var assignments: [Assignment] = []
        public var removals: [PropertyPath] = []
        /// What `META().expiration` is set to: milliseconds since 1970, or null for never.
        public var expiration: Expression?
        public var condition: Expression?
        public var limit: Expression?

        public init(collection: CollectionPath, alias: String? = nil) {
            self.collection = collection
            self.alias = alias
        }
    }

    /// `DELETE FROM c [AS a] WHERE … LIMIT n`
    public struct Delete: Sendable, Equatable {
        public var collection: CollectionPath
        public var alias: String?
        public var condition: Expression?
        public var limit: Expression?

        public init(collection: CollectionPath, alias: String? = nil, condition: Expression? = nil, limit: Expression? = nil) {
            self.collection = collection
            self.alias = alias
            self.condition = condition
            self.limit = limit
        }
    }

    /// `CREATE [FULLTEXT] INDEX name ON c (expressions) [UNNEST path] [WHERE condition] [WITH {…}]`
    public struct CreateIndex: Sendable, Equatable {
        public enum Kind: String, Sendable { case value, fullText, array }

        public var kind: Kind
        public var name: String
        public var collection: CollectionPath
        public var expressions: [Expression]
        /// The text of the expressions as typed: that is what an index row keeps.
        public var expressionText: String
        /// The levels of an array index: `contacts[].phones`.
        public var unnestPath: String?
        public var condition: Expression?
        public var conditionText: String?
        /// `language`, `ignoreDiacritics`, `disableStemming`, `stopWords`.
        public var options: [Expression.Member]
        public var ifNotExists: Bool

        public init(
            kind: Kind, name: String, collection: CollectionPath, expressions: [Expression], expressionText: String,
            unnestPath: String? = nil, condition: Expression? = nil, conditionText: String? = nil, options: [Expression.Member] = [],
            ifNotExists: Bool = false
        ) {
            self.kind = kind
            self.name = name
            self.collection = collection
            self.expressions = expressions
            self.expressionText = expressionText
            self.unnestPath = unnestPath
            self.condition = condition
            self.conditionText = conditionText
            self.options = options
            self.ifNotExists = ifNotExists
        }
    }
}
