import CBLSQLite
import CBLSystemSQLite

/// Adds up what each piece of a scan counted.
final class CountedRows: ScanSink {
    @exclusivity(unchecked) fileprivate private(set) var sums: [Int64]

    init(columnCount: Int) { sums = [Int64](repeating: 0, count: columnCount) }

    func begin(piece: Int) {}

    func add(_ row: some ScanRow) -> ScanVerdict {
        for column in sums.indices {
            if case .integer(let count) = row.value(Int32(column)) { sums[column] += count }
        }
        return .goOn
    }
}

/// The one row of a query that counts.
final class CountRow: ComputedRows {
    private let sums: [Int64]
    private var isBefore = true

    init(_ sums: [Int64]) { self.sums = sums }

    init(adding parts: [CountedRows]) {
        sums = (parts.first?.sums.indices ?? 0..<0).map { column in parts.reduce(0) { $0 + $1.sums[column] } }
    }

    func next() -> Bool? {
        defer { isBefore = false }
        return isBefore
    }

    subscript(column: Int) -> SQLValue { .integer(sums[column]) }
}

enum SQLiteArithmetic {
    /// Up to 3.42 `sum` and `avg` add one float to the other; later releases keep account of what is lost on the way.
    static let addsFloatsPlainly = sqlite3_libversion_number() < 3_043_000
}
