import QueryEngine

/// Prints the rows of a query as they are found. Hot: the benchmarks of queries.
struct ResultPrinter {
    let session: Session
    let format: ResultFormat
    var usesJSON5 = false
    /// Rows to pass over before the first one that is printed, and how many to print.
    var offset = 0
    var limit = Int.max

    /// Gives the number of rows that were printed.
    func print(_ rows: QueryRows) throws -> Int {
        let renderer = format.renderer(for: session, json5: usesJSON5)
        let row = ResultRow(count: rows.columnCount, keys: rows.sharedKeys)
        let isWatched = session.output.isTerminal
        var sinceShown = Stopwatch()
        try renderer.begin(rows.titles)
        var count = 0
        var left = offset
        while count < limit, try rows.next() {
            if left > 0 {
                left -= 1
                continue
            }
            count += 1
            for column in row.cells.indices { row.cells[column] = rows[column] }
            try renderer.add(row)
            // Somebody is waiting: what there is shows itself a few times a second.
            if isWatched, sinceShown.seconds > 0.2 {
                try renderer.catchUp()
                try session.output.flush()
                sinceShown = Stopwatch()
            }
        }
        try renderer.finish()
        return count
    }

    /// Prints rows that were kept.
    func print(_ rows: RecordedRows) throws {
        let renderer = format.renderer(for: session, json5: usesJSON5)
        let row = ResultRow(count: rows.titles.count, keys: nil)
        try renderer.begin(rows.titles)
        for index in 0..<rows.count {
            try rows.withRow(index) { columns in
                for (column, value) in columns.enumerated() { row.cells[column] = value.isUndefined ? .missing : QueryValue(value) }
                try renderer.add(row)
            }
        }
        try renderer.finish()
    }
}
