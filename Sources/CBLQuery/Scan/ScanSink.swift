import CBLSQLite

/// What takes the rows of a scan in. Each thread has one of its own.
protocol ScanSink: AnyObject, SendableMetatype {
    /// The rows that follow are those of a piece of the table. A thread takes its pieces in their order.
    func begin(piece: Int)
    func add(_ row: some ScanRow) -> ScanVerdict
    /// There are no more rows for this sink. Called on the thread that it was filled by; asks from time to time whether it is to go on.
    func finish(_ check: () throws -> Void) throws
}

extension ScanSink {
    func finish(_ check: () throws -> Void) {}
}

/// A row of a scan. Its values are valid until the next one.
protocol ScanRow {
    func value(_ column: Int32) -> SQLValue
}

extension CBLSQLite.Statement: ScanRow {
    @inline(__always)
    func value(_ column: Int32) -> SQLValue { SQLValue(self, column) }
}

enum ScanVerdict {
    case goOn
    /// This is not for this sink: it would take too much memory, or give another result than SQLite does.
    case refuse
}

/// Rows that are found without SQLite. Values are valid until the next row.
protocol ComputedRows: AnyObject {
    /// Nil if SQLite has to go on behind the rows that were given.
    func next() throws -> Bool?
    subscript(column: Int) -> SQLValue { get }
}
