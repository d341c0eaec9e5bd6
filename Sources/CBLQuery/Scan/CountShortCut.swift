import CBLLanguage
import CBLStore

/// How a query that only counts can be run in a file whose tables of live documents hold nothing else, as files of 3.1 and later say of
/// themselves: without asking every document whether it is deleted. SQLite then counts entries of an index where it can, and reads no
/// document. For other queries that could be another order of rows.
enum CountShortCut {
    /// Whether a query is such a one.
    static func fits(_ select: Select, _ translated: TranslatedQuery) -> Bool {
        select.groupBy.isEmpty && select.having == nil && !select.isDistinct && !select.results.isEmpty && select.orderBy.isEmpty
            && select.results.allSatisfy { GroupShape.aggregate($0.expression)?.function == .count }
            && translated.sources.allSatisfy { !$0.readsDeleted } && translated.sources.contains { $0.collection.isDefault }
    }

    /// Whether all that is asked for is how many documents there are.
    static func countsRows(_ select: Select) -> Bool {
        guard select.condition == nil, select.groupBy.isEmpty, select.having == nil, select.limit == nil, select.offset == nil,
            select.sources.count <= 1, !select.results.isEmpty
        else { return false }
        return select.results.allSatisfy {
            if let (function, argument) = GroupShape.aggregate($0.expression) { function == .count && argument == nil } else { false }
        }
    }

    /// Nil if the query has to be run as it is.
    static func sql(for query: Query, on snapshot: Snapshot) -> String? {
        guard query.mayBeCounted, let select = query.select, snapshot.documentTables(of: .default)?.mayHoldTombstones == false else {
            return nil
        }
        return try? Translator(schema: SnapshotSchema(snapshot, asTablesAre: true)).translate(select).sql
    }
}
