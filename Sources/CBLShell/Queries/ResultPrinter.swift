import CBLQuery

/// Prints the rows of a query as they are found. Hot: the benchmarks of queries.
struct ResultPrinter {
    let session: Session
    let format: ResultFormat
    var usesJSON5 = false
    var guardsFormulas = false
    /// Rows to pass over before the first one that is printed, and how many to print.
    var offset = 0
    var limit = Int.max
    /// A screen shows no more rows than these, and more are not looked for.
    var screenLimit: Int?
    /// The columns that are whole documents, and are spread over columns on a screen.
    var stars: Set<Int> = []
    /// The columns that are IDs of documents.
    var idColumns: Set<Int> = []

    /// What was printed.
    struct Outcome {
        var count = 0
        /// The screen's limit left something out.
        var isCut = false
    }

    private func renderer(_ titles: [String]) -> any ResultRenderer {
        let renderer = format.renderer(for: session, json5: usesJSON5, guardsFormulas: guardsFormulas)
        (renderer as? TableRenderer)?.idTitles.formUnion(idColumns.filter(titles.indices.contains).map { titles[$0] })
        guard session.output.isTerminal, format == .table || format == .line, !stars.isEmpty else { return renderer }
        return SpreadingRenderer(renderer, stars: stars, session: session)
    }

    func print(_ rows: QueryRows) throws -> Outcome {
        let renderer = renderer(rows.titles)
        let row = ResultRow(count: rows.columnCount, keys: rows.sharedKeys)
        var showing = RowShowing(renderer, on: session)
        try renderer.begin(rows.titles)
        var outcome = Outcome()
        var left = offset
        while outcome.count < limit, try rows.next() {
            if left > 0 {
                left -= 1
                continue
            }
            if outcome.count == screenLimit {
                outcome.isCut = true
                rows.finish()
                break
            }
            outcome.count += 1
            for column in row.cells.indices { row.cells[column] = rows[column] }
            try showing.add(row)
        }
        try renderer.finish()
        return outcome
    }

    /// Prints rows that were kept.
    func print(_ rows: RecordedRows) throws {
        let renderer = renderer(rows.titles)
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

/// Gives rows to a renderer. Where somebody waits for them at a screen, what there is shows itself a few times a second.
struct RowShowing {
    private let renderer: any ResultRenderer
    private let session: Session
    private let isWatched: Bool
    /// Begins with the first row: before that there is nothing to be shown.
    private var sinceShown: Stopwatch?

    init(_ renderer: any ResultRenderer, on session: Session) {
        (self.renderer, self.session) = (renderer, session)
        isWatched = session.output.isTerminal
    }

    @inline(__always)
    mutating func add(_ row: ResultRow) throws {
        try renderer.add(row)
        guard isWatched else { return }
        guard let clock = sinceShown else { return sinceShown = Stopwatch() }
        if clock.seconds > 0.2 {
            try renderer.catchUp()
            try session.output.flush()
            sinceShown = Stopwatch()
        }
    }
}
