import CBLSQLite
import CBLStore

/// The rows of a query that neither counts nor groups nor sorts, read from the pages of its table when they are asked for. Hot: the benchmark `star`.
///
/// The snapshot holds the state that is read. Where a row cannot be told as SQLite does, SQLite goes on.
final class PageRows: ComputedRows {
    private let rows: RowEvaluator
    private let leaves: TableLeaves
    private let snapshot: Snapshot
    private let watch: QueryWatch?
    private let columnCount: Int
    private let values: UnsafeMutablePointer<SQLValue>
    @exclusivity(unchecked) private var leaf = -1

    init(_ rows: RowEvaluator, _ leaves: TableLeaves, columnCount: Int, _ snapshot: Snapshot, _ watch: QueryWatch?) {
        self.rows = rows
        self.leaves = leaves
        self.snapshot = snapshot
        self.watch = watch
        self.columnCount = columnCount
        values = .allocate(capacity: max(columnCount, 1))
        values.initialize(repeating: .null, count: columnCount)
        rows.expect(leaves.pages[...])
    }

    deinit { values.deallocate() }

    func next() throws -> Bool? {
        while true {
            if leaf >= 0 {
                switch rows.next() {
                case .row:
                    for column in 0..<columnCount { values[column] = rows.value(Int32(truncatingIfNeeded: column)) }
                    return rows.isUnsure ? nil : true
                case .unsure: return nil
                case .end: break
                }
            }
            guard leaf + 1 < leaves.pages.count else { return false }
            leaf += 1
            try watch?.check()
            if snapshot.isInterrupted { throw QueryFailure.cancelled }
            guard rows.begin(leaves.pages[leaf]) else { return nil }
        }
    }

    subscript(column: Int) -> SQLValue { values[column] }
}
