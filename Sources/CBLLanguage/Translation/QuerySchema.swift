import CBLVectors

/// What the translation of a query has to know about the database. Whoever has one open answers; `AssumedSchema` answers without one.
package protocol QuerySchema {
    /// The name that stands for the default collection, unless a collection has it.
    var databaseName: String { get }

    /// Nil if there is no such collection. The default collection is `_default` in the scope `_default`.
    func collection(scope: String, name: String) -> QueryCollection?

    /// The collections there are, as they are written in a query, for suggestions.
    var collectionNames: [String] { get }

    /// The table of a full-text index, such as `kv_default::by\Street`; nil if there is no such index on the collection.
    func fullTextTable(index: String, of collection: QueryCollection) -> String?

    /// The table that an array index keeps for a path: `plainName` is `kv_default:unnest:contacts`, with levels as `contacts[].phones`.
    /// Nil if there is none.
    func unnestTable(plainName: String) -> String?

    /// The vector indexes of a collection, sorted by name.
    func vectorIndexes(of collection: QueryCollection) -> [QueryVectorIndex]

    /// The table in which a predictive index of the collection keeps a model's answers; nil if there is none. The digest is that of
    /// `PredictionCall`.
    func predictionTable(digest: String, of collection: QueryCollection) -> String?

    /// Whether whoever asks has the functions that the vendor has in its Enterprise Edition only.
    var offersEnterpriseFunctions: Bool { get }
}

extension QuerySchema {
    package var offersEnterpriseFunctions: Bool { false }
    package func vectorIndexes(of collection: QueryCollection) -> [QueryVectorIndex] { [] }
    package func predictionTable(digest: String, of collection: QueryCollection) -> String? { nil }
}

/// A vector index, as queries find it.
package struct QueryVectorIndex: Sendable, Hashable {
    package var name: String
    /// The indexed expression in JSON, as `QueryExpression.jsonForm` writes it.
    package var expression: String
    package var metric: VectorMetric
    /// `kv_.words:vector:words_index`
    package var table: String

    package init(name: String, expression: String, metric: VectorMetric, table: String) {
        self.name = name
        self.expression = expression
        self.metric = metric
        self.table = table
    }
}

/// A collection, and where its documents are.
package struct QueryCollection: Sendable, Hashable {
    package var scope: String
    package var name: String
    /// `kv_default`, `kv_.s.c` with capitals escaped.
    package var table: String
    /// The view of live and deleted documents, `all_default`; the table itself where the generation keeps both there.
    package var tableWithDeleted: String
    /// The table may hold deleted documents: a query has to leave them out.
    package var mayHoldDeleted: Bool

    package init(scope: String, name: String, table: String, tableWithDeleted: String, mayHoldDeleted: Bool) {
        self.scope = scope
        self.name = name
        self.table = table
        self.tableWithDeleted = tableWithDeleted
        self.mayHoldDeleted = mayHoldDeleted
    }

    package var isDefault: Bool { scope == "_default" && name == "_default" }
}
