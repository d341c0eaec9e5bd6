import CBLSQLite
import CBLSystemSQLite

/// Registers on a connection everything that the schema of a `.cblite2` file may name: functions, collations, the tokenizer `unicodesn` and
/// the table-valued function `fl_each`. A connection that lacks them can neither write to an indexed collection nor check its indexes.
///
///     let context = FunctionContext(sharedKeys: keys)
///     try SQLFunctions.register(on: connection, context: context)
package enum SQLFunctions {
    /// Keeps the context until the connection is closed.
    package static func register(on connection: Connection, context: FunctionContext) throws {
        try EachTable.register(on: connection, context: context)
        for rows in tables { try FunctionRow.register(rows, on: connection, context: context) }
        let code = ArrayAggregate.register(on: connection.handle, Unmanaged.passUnretained(context).toOpaque())
        if code != SQLITE_OK { throw connection.error(code) }
        Collations.register(on: connection)
        try TokenizerModule.register(on: connection)
    }

    /// Registers the collations alone, each when it is first named: SQLite may want one merely to count the rows of an index. It costs nothing.
    package static func registerCollations(on connection: Connection) { Collations.register(on: connection) }

    /// Registers the tokenizer `unicodesn` alone.
    package static func registerTokenizer(on connection: Connection) throws { try TokenizerModule.register(on: connection) }

    /// What expressions of a schema may call.
    package static let names = Set(tables.joined().map { "\($0.name)" }).union(["array_agg"])

    private static let tables = [
        DocumentFunctions.rows, ArrayFunctions.rows, ConditionalFunctions.rows, TypeFunctions.rows, StringFunctions.rows,
        RegexFunctions.rows,
        NumberFunctions.rows, DateFunctions.rows, VectorFunctions.rows, PredictionFunction.rows, RankFunction.rows,
    ]
}
