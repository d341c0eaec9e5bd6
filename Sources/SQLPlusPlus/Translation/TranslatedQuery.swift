/// A query as SQLite gets it, and what its rows mean.
public struct TranslatedQuery: Sendable {
    public var sql: String
    /// The titles of the columns, all different.
    public var titles: [String]
    /// Columns that come before them: a row ID and the offsets of full-text matches.
    public var hiddenColumns: Int
    /// The parameters' names, without `$`. In the SQL they are `$_name`.
    public var parameters: [String]
    public var sources: [Source]
    public var isAggregate: Bool

    public struct Source: Sendable, Hashable {
        public var alias: String
        public var collection: QueryCollection
        public var readsDeleted: Bool

        public init(alias: String, collection: QueryCollection, readsDeleted: Bool) {
            self.alias = alias
            self.collection = collection
            self.readsDeleted = readsDeleted
        }
    }

    public init(
        sql: String, titles: [String], hiddenColumns: Int = 0, parameters: [String] = [], sources: [Source] = [], isAggregate: Bool = false
    ) {
        self.sql = sql
        self.titles = titles
        self.hiddenColumns = hiddenColumns
        self.parameters = parameters
        self.sources = sources
        self.isAggregate = isAggregate
    }
}
