import CBLFleece
import CBLFunctions
import CBLLanguage
import CBLSQLite
import CBLStore
import Synchronization

/// An expression of SQL++ over one document, wherever that is: in a database, or still on its way into one. It is compiled once.
///
///     let condition = try DocumentExpression("city = 'Paris' AND META().id LIKE 'hotel%'", .condition)
///     if try condition.isTrue(of: .init(id: "hotel_1", body: properties)) { … }
///
/// It has a database of its own, in memory, of a single row that is the document. Any thread may use it; they take turns.
package final class DocumentExpression: Sendable {
    package enum Purpose: Sendable {
        /// Only whether it is true is asked for.
        case condition
        case value
    }

    /// What an expression is about.
    package struct Subject {
        package var id: String
        /// Without it, `META().revisionID` is MISSING.
        package var revision: RevisionID?
        package var sequence: UInt64
        package var isDeleted: Bool
        package var expiration: Int64?
        package var body: FleeceData
        /// Those that the names in the body refer to.
        package var keys: SharedKeys?

        package init(
            id: String, revision: RevisionID? = nil, sequence: UInt64 = 0, isDeleted: Bool = false, expiration: Int64? = nil,
            body: FleeceData, keys: SharedKeys? = nil
        ) {
            self.id = id
            self.revision = revision
            self.sequence = sequence
            self.isDeleted = isDeleted
            self.expiration = expiration
            self.body = body
            self.keys = keys
        }
    }

    package let text: String
    /// Whether it asks if the document is deleted, and so has an opinion on tombstones.
    package let looksAtDeletion: Bool
    private let row: Row
    private let turn = Mutex(())

    /// Throws `QueryError`, with all that is wrong.
    package convenience init(_ text: String, _ purpose: Purpose) throws {
        try self.init(DocumentExpression.parse(text), text: text, purpose)
    }

    /// One that has been read already.
    package init(_ expression: QueryExpression, text: String = "", _ purpose: Purpose) throws {
        self.text = text
        var select = Select()
        select.sources = [Select.Source(.collection(scope: nil, name: "_"))]
        switch purpose {
        case .condition:
            select.results = [Select.Result(QueryExpression(.integer(1)))]
            select.condition = expression
        case .value: select.results = [Select.Result(expression)]
        }
        let translated = try Translator(schema: SingleRowSchema()).translate(select)
        if let name = translated.parameters.first {
            throw QueryError(.unknownParameter, "there is nothing that $\(name) could stand for", range: expression.range)
        }
        looksAtDeletion = translated.sources.contains { $0.readsDeleted }
        row = try Row(translated.sql)
    }

    private static func parse(_ text: String) throws(QueryError) -> QueryExpression {
        let select = try Select(sqlpp: text)
        guard select.isBareList, select.results.count == 1, let result = select.results.first, result.alias == nil else {
            throw QueryError(.meaning, "one expression is expected here, not a list or a statement", range: select.range)
        }
        return result.expression
    }

    /// Whether the condition holds. What is not there is MISSING, and a condition that comes to that does not hold.
    package func isTrue(of subject: Subject) throws -> Bool {
        try turn.withLock { _ in try row.evaluate(subject) { $0 != nil } }
    }

    /// Lends the value to `body`, which must not keep it.
    package func value<Result: Sendable>(of subject: Subject, _ body: (QueryValue) throws -> Result) throws -> Result {
        try turn.withLock { _ in try row.evaluate(subject) { try body($0 ?? .missing) } }
    }
}

/// The database of one row.
private final class Row: @unchecked Sendable {
    // Sendable: whoever uses it has waited for their turn.
    private let context: FunctionContext
    private let update: CBLSQLite.Statement
    private let select: CBLSQLite.Statement
    // Statements do not keep their connection.
    private let connection: Connection

    init(_ sql: String) throws {
        let connection = try Connection.inMemory()
        context = FunctionContext()
        context.revisionText = { version in (try? RevisionID(column: version))?.description }
        try SQLFunctions.register(on: connection, context: context)
        try connection.execute(script: "PRAGMA case_sensitive_like=true; PRAGMA journal_mode=OFF")
        try connection.execute(
            """
            CREATE TABLE \(SingleRowSchema.table) (key TEXT, sequence INTEGER, flags INTEGER, version BLOB, body BLOB, expiration INTEGER, \
            extra BLOB)
            """)
        try connection.execute("INSERT INTO \(SingleRowSchema.table) (key) VALUES (NULL)")
        update = try connection.prepare(
            "UPDATE \(SingleRowSchema.table) SET key=?1, sequence=?2, flags=?3, version=?4, body=?5, expiration=?6")
        do { select = try connection.prepare(sql) } catch {
            if let failure = error.queryFailure { throw failure }
            throw error
        }
        self.connection = connection
    }

    /// Gives the first column; nil if there is no row.
    func evaluate<Result>(_ subject: DocumentExpression.Subject, _ body: (QueryValue?) throws -> Result) throws -> Result {
        context.sharedKeys = subject.keys
        try update.bind(subject.id, 1)
        try update.bind(Int64(clamping: subject.sequence), 2)
        try update.bind(Int64(subject.isDeleted ? DocumentFlags.deleted.rawValue : 0), 3)
        if let revision = subject.revision {
            try revision.withBinary { bytes in try update.bind(blob: bytes, 4) }
        } else {
            try update.bindNull(4)
        }
        try subject.body.withBytes { bytes in try update.bind(blob: bytes, 5) }
        try update.bind(subject.expiration, 6)
        try update.run()
        defer { select.reset() }
        do { return try body(select.step() ? QueryValue(column: 0, of: select) : nil) } catch let error as SQLiteError {
            throw error.queryFailure ?? error
        }
    }
}

/// A schema whose one collection is a table of one row, deleted or not.
private struct SingleRowSchema: QuerySchema {
    static let table = "kv_default"

    var databaseName: String { "" }
    var collectionNames: [String] { [] }

    func collection(scope: String, name: String) -> QueryCollection? {
        guard scope == "_default", name == "_default" else { return nil }
        return QueryCollection(
            scope: scope, name: name, table: SingleRowSchema.table, tableWithDeleted: SingleRowSchema.table, mayHoldDeleted: false)
    }

    func fullTextTable(index: String, of collection: QueryCollection) -> String? { nil }
    func unnestTable(plainName: String) -> String? { nil }
}
