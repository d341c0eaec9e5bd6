/// Anything that can be typed at the prompt as SQL++. Only `select` exists in the vendor's dialect; the others follow Couchbase Server's syntax.
package enum Statement: Sendable, Equatable {
    case select(Select)
    case insert(Insert)
    case update(Update)
    case delete(Delete)
    case createIndex(CreateIndex)
    case dropIndex(name: String, collection: CollectionPath?, ifExists: Bool)
    case createCollection(CollectionPath, ifNotExists: Bool)
    case dropCollection(CollectionPath, ifExists: Bool)

    /// `scope.name`, as written: `_` and `_default` are the default collection.
    package struct CollectionPath: Sendable, Hashable {
        package var scope: String?
        package var name: String
        package var range: SourceRange

        package init(scope: String? = nil, name: String, range: SourceRange = .none) {
            self.scope = scope
            self.name = name
            self.range = range
        }

        package static func == (one: CollectionPath, other: CollectionPath) -> Bool {
            one.scope == other.scope && one.name == other.name
        }

        package func hash(into hasher: inout Hasher) {
            hasher.combine(scope)
            hasher.combine(name)
        }
    }

    /// `INSERT INTO c (KEY, VALUE) VALUES (k, v), …` or `INSERT INTO c (KEY k, VALUE v) SELECT …`; `UPSERT` replaces what exists.
    package struct Insert: Sendable, Equatable {
        package enum Rows: Sendable, Equatable {
            case values([Row])
            /// The key and the value are expressions over the rows of the select, whose columns they name; without a value the row is the body.
            case select(key: QueryExpression, value: QueryExpression?, Select)
        }

        package struct Row: Sendable, Equatable {
            package var key: QueryExpression
            package var value: QueryExpression

            package init(key: QueryExpression, value: QueryExpression) {
                self.key = key
                self.value = value
            }
        }

        package var collection: CollectionPath
        package var rows: Rows
        /// `UPSERT`
        package var replaces: Bool

        package init(collection: CollectionPath, rows: Rows, replaces: Bool) {
            self.collection = collection
            self.rows = rows
            self.replaces = replaces
        }
    }

    /// `UPDATE c [AS a] SET path = e, … UNSET path, … WHERE … LIMIT n`
    package struct Update: Sendable, Equatable {
        package struct Assignment: Sendable, Equatable {
            package var path: PropertyPath
            package var value: QueryExpression
            package var range: SourceRange

            package init(path: PropertyPath, value: QueryExpression, range: SourceRange = .none) {
                self.path = path
                self.value = value
                self.range = range
            }
        }

        package var collection: CollectionPath
        package var alias: String?
        package var assignments: [Assignment] = []
        package var removals: [PropertyPath] = []
        /// What `META().expiration` is set to: milliseconds since 1970, or null for never.
        package var expiration: QueryExpression?
        package var condition: QueryExpression?
        package var limit: QueryExpression?

        package init(collection: CollectionPath, alias: String? = nil) {
            self.collection = collection
            self.alias = alias
        }
    }

    /// `DELETE FROM c [AS a] WHERE … LIMIT n`
    package struct Delete: Sendable, Equatable {
        package var collection: CollectionPath
        package var alias: String?
        package var condition: QueryExpression?
        package var limit: QueryExpression?

        package init(collection: CollectionPath, alias: String? = nil, condition: QueryExpression? = nil, limit: QueryExpression? = nil) {
            self.collection = collection
            self.alias = alias
            self.condition = condition
            self.limit = limit
        }
    }

    /// `CREATE [FULLTEXT] INDEX name ON c (expressions) [UNNEST path] [WHERE condition] [WITH {…}]`
    package struct CreateIndex: Sendable, Equatable {
        package enum Kind: String, Sendable { case value, fullText, array }

        package var kind: Kind
        package var name: String
        package var collection: CollectionPath
        package var expressions: [QueryExpression]
        /// The text of the expressions as typed: that is what an index row keeps.
        package var expressionText: String
        /// The levels of an array index: `contacts[].phones`.
        package var unnestPath: String?
        package var condition: QueryExpression?
        package var conditionText: String?
        /// `language`, `ignoreDiacritics`, `disableStemming`, `stopWords`.
        package var options: [QueryExpression.Member]
        package var ifNotExists: Bool

        package init(
            kind: Kind, name: String, collection: CollectionPath, expressions: [QueryExpression], expressionText: String,
            unnestPath: String? = nil, condition: QueryExpression? = nil, conditionText: String? = nil,
            options: [QueryExpression.Member] = [],
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
