import CBLSQLite

/// What takes the rows of a scan in. Each thread has one of its own.
protocol ScanSink: AnyObject, SendableMetatype {
    /// The rows that follow are those of a piece of the table. A thread takes its pieces in their order.
    func begin(piece: Int)
    func add(_ row: CBLSQLite.Statement) -> ScanVerdict
    /// There are no more rows for this sink. Called on the thread that it was filled by.
    func finish()
}

extension ScanSink {
    func finish() {}
}

enum ScanVerdict {
    case goOn
    /// This is not for this sink: it would take too much memory, or give another result than SQLite does.
    case refuse
}

/// Rows that are there when the first is asked for. Values are valid until the next row.
protocol ComputedRows: AnyObject {
    func next() -> Bool
    subscript(column: Int) -> SQLValue { get }
}
