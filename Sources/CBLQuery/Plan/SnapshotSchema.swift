import CBLLanguage
import CBLSQLite
import CBLStore

/// What the translator asks about a database, answered from a snapshot of it, whatever generation the file is of.
package struct SnapshotSchema: QuerySchema {
    package let databaseName: String
    private let snapshot: Snapshot
    private let asTablesAre: Bool

    package init(_ snapshot: Snapshot) { self.init(snapshot, asTablesAre: false) }

    /// With `asTablesAre`, tombstones are looked for only in tables that may hold some, for what is run and not shown.
    init(_ snapshot: Snapshot, asTablesAre: Bool) {
        self.snapshot = snapshot
        self.asTablesAre = asTablesAre
        databaseName = snapshot.databaseName
    }

    package func collection(scope: String, name: String) -> QueryCollection? {
        guard let collection = try? CollectionName(scope: scope, name: name), let tables = snapshot.documentTables(of: collection) else {
            return nil
        }
        return QueryCollection(
            scope: scope, name: name, table: tables.live,
            tableWithDeleted: tables.deleted == nil ? tables.live : SnapshotSchema.view(ofTable: tables.live),
            // The vendor's library leaves tombstones out of the default collection in every file, and so do plans and texts that are compared.
            mayHoldDeleted: collection.isDefault && !asTablesAre || tables.mayHoldTombstones)
    }

    package var collectionNames: [String] { snapshot.collections().map(\.description) }

    package func fullTextTable(index: String, of collection: QueryCollection) -> String? {
        snapshot.fullTextTable(index: index, ofTable: collection.table)
    }

    package func vectorIndexes(of collection: QueryCollection) -> [QueryVectorIndex] { readVectorIndexes(of: collection, snapshot) }

    package func predictionTable(digest: String, of collection: QueryCollection) -> String? {
        snapshot.predictionTable(digest: digest, ofTable: collection.table)
    }

    package var offersEnterpriseFunctions: Bool { snapshot.offersEnterpriseFunctions }

    package func unnestTable(plainName: String) -> String? { snapshot.unnestTable(plainName: plainName) }

    /// `all_default` for `kv_default`.
    static func view(ofTable table: String) -> String { "all_\(table.dropFirst("kv_".utf8.count))" }
}

extension SnapshotSchema {
    /// Makes the views that queries of deleted documents read. They belong to the connection, and end with the transaction they were made in.
    static func makeViews(for query: TranslatedQuery, on snapshot: Snapshot) throws {
        for source in query.sources where source.readsDeleted && source.collection.tableWithDeleted != source.collection.table {
            guard let name = CollectionName(source.collection), let tables = snapshot.documentTables(of: name), let deleted = tables.deleted
            else { continue }
            // Columns by name, since their order differs from table to table. The indexes know live documents by their row: a tombstone that
            // happens to have the same number must not be taken for one.
            try snapshot.connection.execute(
                """
                CREATE TEMP VIEW IF NOT EXISTS \(quoted(identifier: source.collection.tableWithDeleted)) AS \
                SELECT \(tables.liveColumns), rowid AS rowid FROM main.\(quoted(identifier: tables.live)) UNION ALL \
                SELECT \(tables.deletedColumns), NULL AS rowid FROM main.\(quoted(identifier: deleted))
                """)
        }
    }
}

extension CollectionName {
    /// The collection as the store knows it.
    package init?(_ collection: QueryCollection) {
        guard let name = try? CollectionName(scope: collection.scope, name: collection.name) else { return nil }
        self = name
    }
}
