import CBLFunctions
import CBLLanguage
import CBLSQLite
import CBLStore

/// A search in one full-text index, without a query around it.
///
///     let search = try FullTextSearch("barr* OR unesc*", in: index, on: snapshot)
///     while let hit = try search.next() { print(hit.rank, hit.id) }
package final class FullTextSearch {
    package struct Hit: Sendable {
        package let id: String
        /// The sum, over words and properties, of how large a share of all occurrences is in this document.
        package let rank: Double
        /// The indexed texts; nil where the document has none.
        package let texts: [String?]
        package let matches: [FullTextMatch]
    }

    /// The paths of the indexed properties.
    package let properties: [String]
    private let statement: CBLSQLite.Statement

    /// The documents that match, the best ones first. The query is in SQLite's language: words, `"phrases"`, `prefix*`, `AND`, `OR`, `NOT`.
    package init(_ query: String, in index: StoredIndex, limit: Int? = nil, on snapshot: Snapshot) throws {
        guard index.kind == .fullText, let name = index.tableName, let collection = index.collection,
            let tables = snapshot.documentTables(of: collection), let properties = snapshot.fullTextColumns(of: name)
        else { throw QueryFailure.refused("\"\(index.name)\" is not a full-text index") }
        try snapshot.registerFunctions()
        let table = quoted(identifier: name)
        self.properties = properties
        let columns = properties.map { ", \(table).\(quoted(identifier: $0))" }.joined()
        statement = try snapshot.connection.prepare(
            """
            SELECT document.key, rank(matchinfo(\(table))) AS rank, offsets(\(table))\(columns) \
            FROM \(table) JOIN \(quoted(identifier: tables.live)) AS document ON document.rowid = \(table).docid \
            WHERE \(table) MATCH ? AND (document.flags & 1) = 0 ORDER BY rank DESC, document.key LIMIT \(limit ?? -1)
            """)
        try statement.bind(query, 1)
    }

    /// Nil when there are no more.
    package func next() throws -> Hit? {
        do {
            guard try FullTextQuery.run({ try statement.step() }) else { return nil }
        } catch let error as SQLiteError {
            throw error.queryFailure ?? error
        }
        let texts = properties.indices.map { statement.string(3 + Int32($0)) }
        let matches = statement.text(2).map { FullTextMatch.matches($0) } ?? []
        return Hit(id: statement.string(0) ?? "", rank: statement.double(1), texts: texts, matches: matches)
    }
}
