import CBLSystemSQLite

/// A compiled SQL statement. Columns count from 0 and parameters from 1, as in SQLite.
///
/// Bytes that a column hands out lie in SQLite's memory and are valid until the next `step` or `reset`.
package final class Statement {
    package let sql: String
    package let handle: OpaquePointer
    /// Whether the connection has lent it to somebody.
    @exclusivity(unchecked) var isLent = false

    init(_ sql: String, on connection: Connection, isKept: Bool = true) throws(SQLiteError) {
        var handle: OpaquePointer?
        let flags = isKept ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
        let (code, isWhole) = sql.withCString { text in
            var tail: UnsafePointer<CChar>?
            let code = sqlite3_prepare_v3(connection.handle, text, -1, flags, &handle, &tail)
            // SQLite ends a text at its first NUL, so nothing may be behind one either.
            let rest = UnsafeBufferPointer(start: text, count: sql.utf8.count)[(tail.map { $0 - text } ?? 0)...]
            return (code, rest.allSatisfy { $0 == 0x20 || $0 == 0x0A || $0 == 0x3B })
        }
        guard code == SQLITE_OK else { throw connection.error(code, sql: sql) }
        guard let handle, isWhole else {
            sqlite3_finalize(handle)
            throw SQLiteError(extendedCode: SQLITE_MISUSE, message: handle == nil ? "no statement" : "more than one statement", sql: sql)
        }
        self.sql = sql
        self.handle = handle
    }

    private init(_ handle: OpaquePointer, _ sql: String) {
        self.sql = sql
        self.handle = handle
    }

    /// The first statement of a text, nil if only blanks or comments are there, and how many bytes it takes.
    static func first(in text: UnsafeBufferPointer<UInt8>, on connection: Connection) throws(SQLiteError) -> (Statement?, length: Int) {
        guard let start = UnsafeRawPointer(text.baseAddress)?.assumingMemoryBound(to: CChar.self) else { return (nil, 0) }
        var handle: OpaquePointer?
        var tail: UnsafePointer<CChar>?
        let code = sqlite3_prepare_v3(connection.handle, start, Int32(clamping: text.count), 0, &handle, &tail)
        let length = tail.map { $0 - start } ?? text.count
        let sql = String(decoding: text.prefix(length), as: UTF8.self)
        guard code == SQLITE_OK else { throw connection.error(code, sql: sql) }
        return (handle.map { Statement($0, sql) }, length)
    }

    deinit { sqlite3_finalize(handle) }

    // SQLite keeps what the statement belongs to as long as the statement is there.
    private func error(_ code: Int32) -> SQLiteError { SQLiteError(code, on: sqlite3_db_handle(handle), sql: sql) }

    /// Goes to the next row; false when there is none.
    @discardableResult
    package func step() throws(SQLiteError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code:
            let error = error(code)
            sqlite3_reset(handle)
            throw error
        }
    }

    /// Runs a statement that gives no rows to its end, and makes it ready to run again.
    package func run() throws(SQLiteError) {
        while try step() {}
        sqlite3_reset(handle)
    }

    package func reset() { sqlite3_reset(handle) }
    package func clearBindings() { sqlite3_clear_bindings(handle) }

    /// Whether running it leaves the database as it was.
    package var isReadOnly: Bool { sqlite3_stmt_readonly(handle) != 0 }

    package enum Counter: Sendable { case fullScanSteps, sorts, automaticIndexRows, machineSteps }

    /// What running it took, since it was compiled or the counter was last taken.
    package func take(_ counter: Counter) -> Int {
        let code =
            switch counter {
            case .fullScanSteps: SQLITE_STMTSTATUS_FULLSCAN_STEP
            case .sorts: SQLITE_STMTSTATUS_SORT
            case .automaticIndexRows: SQLITE_STMTSTATUS_AUTOINDEX
            case .machineSteps: SQLITE_STMTSTATUS_VM_STEP
            }
        return Int(sqlite3_stmt_status(handle, code, 1))
    }

    // Binding

    /// The number of a named parameter, with its `$`, `:` or `@`; nil if the statement has none of that name.
    package func parameter(_ name: String) -> Int32? {
        let index = name.withCString { sqlite3_bind_parameter_index(handle, $0) }
        return index > 0 ? index : nil
    }

    package func bindNull(_ index: Int32) throws(SQLiteError) {
        try check(sqlite3_bind_null(handle, index))
    }

    /// The value of a column of another statement's row, as it is.
    package func bind(_ column: Int32, of row: Statement, _ index: Int32) throws(SQLiteError) {
        try check(sqlite3_bind_value(handle, index, sqlite3_column_value(row.handle, column)))
    }

    package func bind(_ value: Int64?, _ index: Int32) throws(SQLiteError) {
        guard let value else { return try bindNull(index) }
        try check(sqlite3_bind_int64(handle, index, value))
    }

    package func bind(_ value: Double, _ index: Int32) throws(SQLiteError) {
        try check(sqlite3_bind_double(handle, index, value))
    }

    package func bind(_ text: String?, _ index: Int32) throws(SQLiteError) {
        guard var text else { return try bindNull(index) }
        let code = text.withUTF8 {
            sqlite3_bind_text64(
                handle, index, UnsafeRawPointer($0.baseAddress)?.assumingMemoryBound(to: CChar.self) ?? emptyText, UInt64($0.count),
                cblite_sqlite_transient(), UInt8(SQLITE_UTF8))
        }
        try check(code)
    }

    /// Binds bytes as text. SQLite copies them, unless `staysInPlace`: then they must, until the statement is reset.
    package func bind(text bytes: UnsafeRawBufferPointer, _ index: Int32, staysInPlace: Bool = false) throws(SQLiteError) {
        let text = bytes.baseAddress?.assumingMemoryBound(to: CChar.self) ?? emptyText
        let destructor = staysInPlace ? nil : cblite_sqlite_transient()
        try check(sqlite3_bind_text64(handle, index, text, UInt64(bytes.count), destructor, UInt8(SQLITE_UTF8)))
    }

    /// Binds bytes as a blob; nil as NULL. SQLite copies them, unless `staysInPlace`.
    package func bind(blob bytes: UnsafeRawBufferPointer?, _ index: Int32, staysInPlace: Bool = false) throws(SQLiteError) {
        guard let bytes else { return try bindNull(index) }
        // A NULL pointer would bind NULL where an empty blob is meant.
        guard let start = bytes.baseAddress, !bytes.isEmpty else { return try check(sqlite3_bind_zeroblob(handle, index, 0)) }
        let destructor = staysInPlace ? nil : cblite_sqlite_transient()
        try check(sqlite3_bind_blob64(handle, index, start, UInt64(bytes.count), destructor))
    }

    package func bind(blob bytes: [UInt8]?, _ index: Int32) throws(SQLiteError) {
        guard let bytes else { return try bindNull(index) }
        var result: Result<Void, SQLiteError> = .success(())
        bytes.withUnsafeBytes { buffer in
            do throws(SQLiteError) { try bind(blob: buffer, index) } catch { result = .failure(error) }
        }
        try result.get()
    }

    private func check(_ code: Int32) throws(SQLiteError) {
        if code != SQLITE_OK { throw error(code) }
    }

    // Columns

    package var columnCount: Int32 { sqlite3_column_count(handle) }
    package func columnName(_ column: Int32) -> String { sqlite3_column_name(handle, column).map { String(cString: $0) } ?? "" }

    package enum ColumnKind: Sendable { case null, integer, real, text, blob }

    package func kind(_ column: Int32) -> ColumnKind {
        switch type(column) {
        case SQLITE_INTEGER: .integer
        case SQLITE_FLOAT: .real
        case SQLITE_TEXT: .text
        case SQLITE_BLOB: .blob
        default: .null
        }
    }

    /// `SQLITE_INTEGER`, `SQLITE_FLOAT`, `SQLITE_TEXT`, `SQLITE_BLOB` or `SQLITE_NULL`.
    package func type(_ column: Int32) -> Int32 { sqlite3_column_type(handle, column) }
    package func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }
    package func int64(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }
    package func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

    /// The column's text; nil if it is NULL. Bytes that are not UTF-8 are replaced.
    package func string(_ column: Int32) -> String? {
        text(column).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The column's text in place; nil if it is NULL.
    package func text(_ column: Int32) -> UnsafeRawBufferPointer? {
        guard let start = sqlite3_column_text(handle, column) else { return nil }
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
    }

    /// The column's bytes in place; nil if it is NULL, empty for an empty blob.
    package func blob(_ column: Int32) -> UnsafeRawBufferPointer? {
        if let start = sqlite3_column_blob(handle, column) {
            return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
        }
        return isNull(column) ? nil : UnsafeRawBufferPointer(start: nil, count: 0)
    }

    /// The number of bytes of a text or blob, without reading overflow pages.
    package func byteCount(_ column: Int32) -> Int { Int(sqlite3_column_bytes(handle, column)) }
}

// What text of no bytes is bound as: SQLite takes a NULL pointer for NULL.
private nonisolated(unsafe) let emptyText: UnsafePointer<CChar> = {
    let text = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
    text.initialize(to: 0)
    return UnsafePointer(text)
}()
