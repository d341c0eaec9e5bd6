import CBLBase
import CBLLanguage
import CBLSQLite
import CBLStore
import Synchronization

/// Into what a table is divided.
struct ScanPieces: Sendable {
    /// How many rows a piece has, give or take deleted ones: enough that beginning it costs nothing.
    var length: Int64
    /// Below this, another connection takes longer to open than the scan takes.
    var fewestRows: Int64
    /// As much memory as the rows that a thread sorts may take, about half a million of them: of more, SQLite's sorter is the better one, which uses
    /// temporary files.
    var mostSortedBytes = 32 << 20

    static let standard = ScanPieces(length: 4096, fewestRows: 8192)
}

/// Reads a whole table in pieces, ranges of row numbers, on two threads if the state of the database can be seen twice. Each thread takes the
/// next piece that is left, so neither waits for the other.
struct TableScan: RowSource {
    /// Names of the parameters that say which rows a piece has.
    static let firstRow = "firstRow"
    static let lastRow = "lastRow"

    /// A statement with these parameters.
    let sql: String
    let rows: ClosedRange<Int64>
    let parameters: QueryParameters
    let query: TranslatedQuery
    let options: QueryOptions
    let pieces: ScanPieces

    /// The row numbers of a table, from the first to the last; nil if it is not large enough to be worth it.
    static func rows(of table: String, on snapshot: Snapshot, _ pieces: ScanPieces) throws -> ClosedRange<Int64>? {
        guard let first = try snapshot.connection.integer("SELECT min(rowid) FROM \(quoted(identifier: table))"),
            let last = try snapshot.connection.integer("SELECT max(rowid) FROM \(quoted(identifier: table))"), first > .min / 4,
            last < .max / 4, last - first >= pieces.fewestRows
        else { return nil }
        return first...last
    }

    /// The row numbers of a collection's live documents; nil for a table that is damaged, or whose numbers are out of all proportion.
    static func rows(of collection: CollectionName, on snapshot: Snapshot) throws -> ClosedRange<Int64>? {
        guard let table = snapshot.documentTables(of: collection)?.live else { return nil }
        do {
            return try rows(of: table, on: snapshot, ScanPieces(length: 1, fewestRows: 0))
        } catch let error as SQLiteError where error.isDamage {
            return nil
        }
    }

    func run<Sink: ScanSink>(on snapshot: Snapshot, _ sinks: [Sink]) throws -> ScanOutcome {
        guard let first = sinks.first else { return .finished }
        let pieces = Pieces(rows, length: pieces.length)
        guard sinks.count > 1, let twin = snapshot.twin else {
            try take(pieces, first, on: snapshot)
            return pieces.isRefused ? .refused : .finished
        }
        let other = Lent(scan: self, sink: sinks[1], twin: twin)
        let failure = Mutex<(any Error)?>(nil)
        let thread = WorkerThread { [pieces] in
            do {
                _ = try other.twin.read { try other.scan.take(pieces, other.sink, on: $0) }
            } catch {
                pieces.stop()
                failure.withLock { $0 = error }
            }
        }
        defer { thread.join() }
        do { try take(pieces, first, on: snapshot) } catch {
            pieces.stop()
            throw error
        }
        thread.join()
        if let error = failure.withLock({ $0 }) { throw error }
        return pieces.isRefused ? .refused : .finished
    }

    /// What the second thread works with. The first leaves it alone until that thread has ended.
    private struct Lent<Sink: ScanSink>: @unchecked Sendable {
        let scan: TableScan
        let sink: Sink
        let twin: SnapshotTwin
    }

    private func take(_ pieces: Pieces, _ sink: some ScanSink, on snapshot: Snapshot) throws {
        try snapshot.registerFunctions()
        try snapshot.expect(scan: true)
        let connection = snapshot.connection
        let statement = try connection.take(sql)
        defer { connection.keep(statement) }
        _ = try parameters.bind(to: statement, of: query)
        guard let first = statement.parameter("$_" + TableScan.firstRow),
            let last = statement.parameter("$_" + TableScan.lastRow)
        else { return }
        let watch = QueryWatch.ifNeeded(connection, options)
        while let (number, rows) = pieces.next() {
            try statement.bind(rows.lowerBound, first)
            try statement.bind(rows.upperBound, last)
            sink.begin(piece: number)
            try QueryWatch.watching(watch) { () throws(SQLiteError) in
                while try statement.step() {
                    if sink.add(statement) == .refuse { return pieces.refuse() }
                }
            }
            statement.reset()
        }
        if !pieces.isRefused { try sink.finish { try watch?.check() } }
    }
}

/// The pieces of a table that nobody has taken yet.
final class Pieces: Sendable {
    private let rows: ClosedRange<Int64>
    private let length: Int64
    private let taken = Atomic<Int>(0)
    private let wasStopped = Atomic<Bool>(false)
    private let wasRefused = Atomic<Bool>(false)

    init(_ rows: ClosedRange<Int64>, length: Int64) {
        self.rows = rows
        self.length = length
    }

    func next() -> (number: Int, rows: ClosedRange<Int64>)? {
        guard !wasStopped.load(ordering: .relaxed) else { return nil }
        let number = taken.add(1, ordering: .relaxed).oldValue
        let start = rows.lowerBound + Int64(number) * length
        guard start <= rows.upperBound else { return nil }
        return (number, start...min(start + length - 1, rows.upperBound))
    }

    func stop() { wasStopped.store(true, ordering: .relaxed) }

    var isStopped: Bool { wasStopped.load(ordering: .relaxed) }

    func refuse() {
        wasRefused.store(true, ordering: .relaxed)
        stop()
    }

    var isRefused: Bool { wasRefused.load(ordering: .acquiring) }
}
