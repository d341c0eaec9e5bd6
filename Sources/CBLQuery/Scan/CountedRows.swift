import CBLSQLite
import CBLSystemSQLite

/// Adds up what each piece of a scan counted.
final class CountedRows: ScanSink {
    @exclusivity(unchecked) fileprivate private(set) var sums: [Int64] = []

    func begin(piece: Int) {}

    func add(_ row: CBLSQLite.Statement) -> ScanVerdict {
        if sums.isEmpty { sums = [Int64](repeating: 0, count: Int(row.columnCount)) }
        for column in sums.indices { sums[column] += row.int64(Int32(column)) }
        return .goOn
    }
}

/// The one row of a query that counts.
final class CountRow: ComputedRows {
    private let sums: [Int64]
    private var isBefore = true

    init(_ parts: [CountedRows]) {
        let width = parts.map(\.sums.count).max() ?? 0
        sums = (0..<width).map { column in parts.reduce(0) { $0 + ($1.sums.isEmpty ? 0 : $1.sums[column]) } }
    }

    func next() -> Bool {
        defer { isBefore = false }
        return isBefore
    }

    subscript(column: Int) -> SQLValue { .integer(sums[column]) }
}

enum SQLiteArithmetic {
    /// Up to 3.42 `sum` and `avg` add one float to the other; later releases keep account of what is lost on the way.
    static let addsFloatsPlainly = sqlite3_libversion_number() < 3_043_000
}
