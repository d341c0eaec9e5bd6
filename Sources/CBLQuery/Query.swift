import CBLFleece
import CBLLanguage
import CBLSQLite
import CBLStore

/// A query that has been understood: checked against a database, and translated to what SQLite runs.
///
///     try database.read { snapshot in
///         let query = try Query("SELECT name FROM hotels WHERE city = $city", on: snapshot)
///         let rows = try query.run(on: snapshot, parameters: QueryParameters(json: #"{"city": "Berlin"}"#))
///         while try rows.next() { print(rows[0].string ?? "") }
///     }
///
/// Nothing of it changes, and it may be run any number of times, on any thread and on later snapshots: what its first run has found out about the way to run it
/// is kept. The compiled statements stay with the connections.
package final class Query: Sendable {
    package enum Language: Sendable { case sqlpp, json }

    /// The text it was made from, if it was.
    package let text: String?
    package let language: Language
    /// Nil only for a query that was given as SQL.
    package let select: Select?
    package let translated: TranslatedQuery
    /// For which state of the database's schema the translation holds.
    let schemaVersion: Int64
    let decisions = QueryDecisions()
    /// Where what runs is not what is shown: see `ShortCut`.
    private let shortCut: String?
    /// Whether it searches a full-text index.
    let matchesText: Bool
    // What can be known before it is run, for those who run it often.
    private let mayReadPagesOnce: Bool
    private let readsDeleted: Bool
    let mayBeCounted: Bool
    let mayBeScanned: Bool

    /// The titles of the columns.
    package var titles: [String] { translated.titles }
    /// The SQL that the query means.
    package var sql: String { translated.sql }

    /// Reads a query's text and checks it against the database. Throws `QueryError`, with all that is wrong.
    package convenience init(_ text: String, _ language: Language = .sqlpp, on snapshot: Snapshot) throws {
        let select = language == .json ? try Select(json: text) : try Select(sqlpp: text)
        try self.init(select, text: text, language, on: snapshot)
    }

    /// A query whose text has been read already.
    package convenience init(_ select: Select, text: String? = nil, _ language: Language = .sqlpp, on snapshot: Snapshot) throws {
        let translated = try Translator(schema: SnapshotSchema(snapshot)).translate(select)
        self.init(translated, select, text: text, language, on: snapshot)
    }

    /// A translation, made by whomever.
    package convenience init(_ translated: TranslatedQuery, on snapshot: Snapshot) {
        self.init(translated, nil, text: nil, .sqlpp, on: snapshot)
    }

    private init(_ translated: TranslatedQuery, _ select: Select?, text: String?, _ language: Language, on snapshot: Snapshot) {
        self.text = text
        self.language = language
        self.select = select
        self.translated = translated
        var sql = translated.sql
        matchesText = sql.withUTF8 { UnsafeRawBufferPointer($0).contains(" MATCH ") }
        schemaVersion = snapshot.schemaVersion
        shortCut = snapshot.mayHoldTreesInBodies ? nil : ShortCut.sql(for: translated.runningSQL ?? translated.sql)
        mayReadPagesOnce = select.map { Query.mayReadPagesOnce($0, translated) } ?? false
        readsDeleted = translated.sources.contains(where: \.readsDeleted)
        let searchesVectors = !translated.vectorTables.isEmpty
        mayBeCounted = searchesVectors ? false : select.map { CountShortCut.fits($0, translated) } ?? false
        mayBeScanned = searchesVectors ? false : select.map { ScanPlan.fits($0, translated) } ?? false
    }

    /// Runs it. Rows are found as they are asked for; the snapshot must not end before.
    package func run(
        on snapshot: Snapshot, parameters: QueryParameters = .none, options: QueryOptions = QueryOptions()
    ) throws -> QueryRows {
        let query = try current(on: snapshot)
        try snapshot.registerFunctions()
        for index in try Query.offerVectorTables(query.translated, on: snapshot) { VectorWarnings.warn(index) }
        if query.readsDeleted { try SnapshotSchema.makeViews(for: query.translated, on: snapshot) }
        let counting = options.pieces == nil || !query.mayBeCounted ? nil : query.decisions.counting(for: query, on: snapshot)
        let sql = query.shortCut ?? counting ?? query.translated.runningSQL ?? query.sql
        let readsPagesOnce = try query.readsPagesOnce(running: sql, on: snapshot)
        try snapshot.expect(scan: readsPagesOnce)
        let rows = try QueryRows(
            query, sql: sql, readsPagesOnce: readsPagesOnce, on: snapshot, options: options,
            plan: try ScanPlan(query, running: sql, on: snapshot, parameters: parameters, options: options))
        try rows.bind(parameters)
        return rows
    }

    /// Whether no page is needed twice, unless it sorts by an index.
    private static func mayReadPagesOnce(_ select: Select, _ translated: TranslatedQuery) -> Bool {
        // What an index keeps of a model is found in any order.
        translated.sources.count == 1 && select.sources.count <= 1 && !translated.usesModels && select.groupBy.isEmpty && !select.isDistinct
    }

    /// SQLite's sorter takes as much memory as pages do: with little of it, it works in the processor's own cache, and who interrupts it does
    /// not wait until ten megabytes are sorted.
    private func readsPagesOnce(running sql: String, on snapshot: Snapshot) throws -> Bool {
        guard mayReadPagesOnce, let select else { return false }
        return try select.orderBy.isEmpty
            || !snapshot.isSmallFile(below: ScanPieces.standard.fewestRows) && decisions.readsWholeTable(running: sql, on: snapshot)
    }

    /// The query in JSON: as it was given, or made from the tree.
    package var json: String? { language == .json ? text : select?.jsonForm() }

    /// This query, or a translation of it anew if the schema has changed: the collections and indexes it was made for may be gone.
    func current(on snapshot: Snapshot) throws -> Query {
        if snapshot.schemaVersion == schemaVersion { return self }
        return try decisions.renewed(for: snapshot.schemaVersion) { try translatedAnew(on: snapshot) }
    }

    /// From the text on, as if nothing was known.
    func translatedAnew(on snapshot: Snapshot) throws -> Query {
        if let text { return try Query(text, language, on: snapshot) }
        if let select { return try Query(select, on: snapshot) }
        return self
    }
}

/// What is quicker to run than what a query says, and means the same.
enum ShortCut {
    /// For `SELECT *`, whose column is `fl_result(fl_root(_.body))`, the column `body` itself: the functions would copy each document twice.
    /// Not for files whose bodies can be trees.
    static func sql(for sql: String) -> String? {
        let start = "SELECT fl_result(fl_root("
        let end = ".body))"
        guard sql.hasPrefix(start) else { return nil }
        let rest = sql.utf8.dropFirst(start.utf8.count)
        let alias: Substring.UTF8View
        if rest.first == UInt8(ascii: "\"") {
            guard let close = rest.dropFirst().firstIndex(of: UInt8(ascii: "\"")) else { return nil }
            alias = rest[...close]
        } else {
            alias = rest.prefix {
                $0 | 0x20 >= UInt8(ascii: "a") && $0 | 0x20 <= UInt8(ascii: "z") || $0 == UInt8(ascii: "_") || $0 >= 0x30 && $0 <= 0x39
            }
        }
        let tail = rest[alias.endIndex...]
        guard tail.starts(with: end.utf8) else { return nil }
        return "SELECT \(Substring(alias)).body\(Substring(tail.dropFirst(end.utf8.count)))"
    }
}
