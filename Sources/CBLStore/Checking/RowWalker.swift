import CBLSQLite

/// Reads all rows of a table that can be read, in spite of damaged pages: where the way from the front ends, it comes from the back, and
/// halves what lies between until only what is really damaged is left out.
struct RowWalker {
    let connection: Connection
    let table: String
    /// What to select besides the rowid, which is column 0.
    let columns: String
    /// A damaged number can make the gap between two rows look like billions of rows: then it gives up in time.
    private static let mostAttempts = 5_000

    /// Calls `row` for each row, and `gap` for each range of rowids that something unreadable lies in. Errors other than damage are thrown.
    func forEach(
        in rows: ClosedRange<Int64> = Int64.min...Int64.max, _ row: (Statement) throws -> Void, gap: (ClosedRange<Int64>) throws -> Void
    ) throws {
        let forward = try prepare("rowid >= ?1 AND rowid <= ?2", isDescending: false)
        guard let stopped = try walk(forward, rows, row), stopped <= rows.upperBound else { return }
        let backward = try prepare("rowid >= ?1 AND rowid <= ?2", isDescending: true)
        var attempts = 0
        // Ranges still to be looked at, the lowest last.
        var ranges = [stopped...rows.upperBound]
        var gaps: [ClosedRange<Int64>] = []
        while let range = ranges.popLast() {
            attempts += 1
            if attempts > RowWalker.mostAttempts {
                gaps.append(range)
                continue
            }
            guard let low = try walk(forward, range, row), low <= range.upperBound else { continue }
            guard let high = try walk(backward, low...range.upperBound, row), high >= low else { continue }
            guard low < high else {
                gaps.append(low...high)
                continue
            }
            // Half the sum, which itself may not fit into an integer.
            let middle = (low >> 1) + (high >> 1) + (low & high & 1)
            ranges.append((middle + 1)...high)
            ranges.append(low...middle)
        }
        for range in RowWalker.joined(gaps) { try gap(range) }
    }

    private func prepare(_ condition: String, isDescending: Bool) throws(SQLiteError) -> Statement {
        try connection.prepare(
            "SELECT rowid, \(columns) FROM \(table) NOT INDEXED WHERE \(condition) ORDER BY rowid\(isDescending ? " DESC" : "")")
    }

    /// Reads a range; nil if it was read to its end, otherwise the rowid next to the last one that could be read.
    private func walk(_ statement: Statement, _ range: ClosedRange<Int64>, _ row: (Statement) throws -> Void) throws -> Int64? {
        let isDescending = statement.sql.hasSuffix("DESC")
        try statement.bind(range.lowerBound, 1)
        try statement.bind(range.upperBound, 2)
        defer { statement.reset() }
        var next = isDescending ? range.upperBound : range.lowerBound
        do {
            while try statement.step() {
                let id = statement.int64(0)
                // A page that is linked twice gives its rows twice.
                guard isDescending ? id <= next : id >= next else { return next }
                try row(statement)
                guard id != (isDescending ? range.lowerBound : range.upperBound) else { return nil }
                next = isDescending ? id - 1 : id + 1
            }
            return nil
        } catch let error as SQLiteError where error.isDamage {
            return next
        }
    }

    private static func joined(_ gaps: [ClosedRange<Int64>]) -> [ClosedRange<Int64>] {
        var joined: [ClosedRange<Int64>] = []
        for gap in gaps.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = joined.last, last.upperBound != Int64.max, gap.lowerBound <= last.upperBound + 1 {
                joined[joined.count - 1] = last.lowerBound...max(last.upperBound, gap.upperBound)
            } else {
                joined.append(gap)
            }
        }
        return joined
    }
}

extension SQLiteError {
    /// What a damaged page can be answered with: also sizes that no memory is enough for, reads behind the end of the file, and a disk that fails.
    package var isDamage: Bool { isCorrupt || code == 7 || code == 18 || extendedCode == 522 || extendedCode == SQLiteError.failedRead }
}
