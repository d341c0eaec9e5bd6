import CBLBase
import CBLFunctions
import CBLLanguage
import CBLSQLite
import CBLStore

/// The documents that a full-text index finds, read from their pages: many pages at once, as it is known which they are. Of an encrypted file each would
/// be decrypted alone otherwise, which takes as long as sixteen. Hot: the benchmark `fts`.
struct TextScan: RowSource {
    private let search: TranslatedQuery.TextSearch
    private let query: Query
    private let parameters: QueryParameters
    private let options: QueryOptions
    private let pages: TablePages

    /// Nil where the table cannot be read so.
    init?(
        _ search: TranslatedQuery.TextSearch, of table: String, _ query: Query, _ parameters: QueryParameters, _ options: QueryOptions,
        on snapshot: Snapshot
    ) throws {
        guard let pages = try snapshot.pages(ofTable: table) else { return nil }
        self.search = search
        self.query = query
        self.parameters = parameters
        self.options = options
        self.pages = pages
    }

    func run<Sink: ScanSink>(on snapshot: Snapshot, _ sinks: [Sink]) throws -> ScanOutcome {
        guard let sink = sinks.first, let rows = try rows(on: snapshot) else { return .unsure }
        sink.begin(piece: 0)
        while true {
            switch try rows.advance() {
            case .row:
                let verdict = sink.add(rows.row)
                if rows.row.isUnsure { return .unsure }
                if verdict == .refuse { return .refused }
            case .unsure: return .unsure
            case .end:
                try sink.finish(rows.check)
                return .finished
            }
        }
    }

    /// The rows one after another, as they are asked for.
    func rows(on snapshot: Snapshot) throws -> TextRows? {
        guard let row = RowEvaluator(search.program, parameters, pages.source, on: snapshot) else { return nil }
        let statement = try snapshot.connection.take(search.sql)
        _ = try parameters.bind(to: statement, of: query.translated)
        return TextRows(
            row, pages.leaves, columnCount: search.program.columns.count, statement, snapshot,
            QueryWatch.ifNeeded(snapshot.connection, options))
    }
}

/// The rows of a query that a full-text index finds, in its order. The snapshot holds the state that is read; where a row cannot be told as SQLite does,
/// SQLite goes on.
final class TextRows: ComputedRows {
    let row: RowEvaluator
    private let leaves: TableLeaves
    private let statement: CBLSQLite.Statement
    private let snapshot: Snapshot
    private let watch: QueryWatch?
    private let columnCount: Int
    private let values: UnsafeMutablePointer<SQLValue>
    /// What the index has found and was not given yet is behind `place`, and what there is room for in memory before `end`.
    @exclusivity(unchecked) private var numbers: [Int64] = []
    @exclusivity(unchecked) private var place = 0
    @exclusivity(unchecked) private var end = 0
    /// How many are looked for before their documents are. It begins with few, for who wants no more.
    @exclusivity(unchecked) private var wanted = 64
    @exclusivity(unchecked) private var isLast = false

    private static let most = 4096

    init(
        _ row: RowEvaluator, _ leaves: TableLeaves, columnCount: Int, _ statement: CBLSQLite.Statement, _ snapshot: Snapshot,
        _ watch: QueryWatch?
    ) {
        self.row = row
        self.leaves = leaves
        self.statement = statement
        self.snapshot = snapshot
        self.watch = watch
        self.columnCount = columnCount
        values = .allocate(capacity: max(columnCount, 1))
        values.initialize(repeating: .null, count: columnCount)
    }

    deinit {
        values.deallocate()
        watch?.detach()
        snapshot.connection.keep(statement)
    }

    func next() throws -> Bool? {
        switch try advance() {
        case .row:
            for column in 0..<columnCount { values[column] = row.value(Int32(truncatingIfNeeded: column)) }
            return row.isUnsure ? nil : true
        case .end: return false
        case .unsure: return nil
        }
    }

    subscript(column: Int) -> SQLValue { values[column] }

    /// Goes to the next row that fulfils the rest of the condition.
    func advance() throws -> RowEvaluator.Next {
        while true {
            while place < end {
                place += 1
                switch row.find(numbers[place - 1], in: leaves) {
                case .row: return .row
                case .end: break
                case .unsure: return .unsure
                }
            }
            try check()
            if place == numbers.count {
                if isLast { return .end }
                try look()
                if numbers.isEmpty { return .end }
            }
            guard let count = row.gather(numbers[place...], in: leaves) else { return .unsure }
            end = place + count
        }
    }

    /// Has the index find more.
    private func look() throws {
        numbers.removeAll(keepingCapacity: true)
        (place, end) = (0, 0)
        try FullTextQuery.run {
            try QueryWatch.watching(watch) { () throws(SQLiteError) in
                while numbers.count < wanted, !isLast {
                    if try statement.step() { numbers.append(statement.int64(0)) } else { isLast = true }
                }
            }
        }
        wanted = min(2 * wanted, TextRows.most)
    }

    func check() throws {
        try watch?.check()
        if snapshot.isInterrupted { throw QueryFailure.cancelled }
    }
}
