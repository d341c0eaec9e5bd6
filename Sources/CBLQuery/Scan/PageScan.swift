import CBLBase
import CBLLanguage
import CBLSQLite
import CBLStore
import Synchronization

/// Where the rows of a scan come from.
protocol RowSource {
    /// Has every row taken in by one of the sinks: by the first alone if there is no second.
    func run<Sink: ScanSink>(on snapshot: Snapshot, _ sinks: [Sink]) throws -> ScanOutcome
}

enum ScanOutcome {
    case finished
    /// By a sink.
    case refused
    /// This source cannot tell the rows as SQLite does.
    case unsure
}

/// Reads a whole table from its pages, on two threads: the second one needs no connection of its own, for the first holds the state for both.
struct PageScan: RowSource {
    private let program: RowProgram
    private let parameters: QueryParameters
    private let options: QueryOptions
    private let pages: PageSource
    private let leaves: TableLeaves

    /// How many pages a thread takes at a time.
    private static let mostInPiece = 32
    /// For fewer, a second thread is not worth it.
    private static let fewestForTwo = 128

    /// Nil where the table cannot be read so.
    init?(_ program: RowProgram, of table: String, _ parameters: QueryParameters, _ options: QueryOptions, on snapshot: Snapshot) throws {
        guard let table = try snapshot.pages(ofTable: table) else { return nil }
        self.program = program
        self.parameters = parameters
        self.options = options
        pages = table.source
        leaves = table.leaves
    }

    func run<Sink: ScanSink>(on snapshot: Snapshot, _ sinks: [Sink]) throws -> ScanOutcome {
        guard let first = sinks.first, let evaluator = RowEvaluator(program, parameters, pages, on: snapshot) else { return .unsure }
        let groups = leaves.groups(ofAtMost: PageScan.mostInPiece)
        guard !groups.isEmpty else { return .unsure }
        let pieces = Pieces(0...Int64(groups.count - 1), length: 1)
        guard sinks.count > 1, leaves.pages.count >= PageScan.fewestForTwo,
            let second = RowEvaluator(program, parameters, pages, on: snapshot)
        else {
            return try take(pieces, groups, first, evaluator, snapshot.connection)
        }
        let other = Lent(sink: sinks[1], evaluator: second, connection: snapshot.connection)
        let result = Mutex<Result<ScanOutcome, any Error>>(.success(.finished))
        let thread = WorkerThread { [self] in
            do {
                let outcome = try take(pieces, groups, other.sink, other.evaluator, other.connection)
                result.withLock { $0 = .success(outcome) }
            } catch {
                pieces.stop()
                result.withLock { $0 = .failure(error) }
            }
        }
        defer { thread.join() }
        let outcome: ScanOutcome
        do { outcome = try take(pieces, groups, first, evaluator, snapshot.connection) } catch {
            pieces.stop()
            throw error
        }
        thread.join()
        let others = try result.withLock { try $0.get() }
        if outcome == .unsure || others == .unsure { return .unsure }
        return outcome == .finished && others == .finished && !pieces.isRefused ? .finished : .refused
    }

    /// The rows one after another, as they are asked for.
    func rows(on snapshot: Snapshot) -> PageRows? {
        RowEvaluator(program, parameters, pages, on: snapshot).map {
            PageRows($0, leaves, columnCount: program.columns.count, snapshot, QueryWatch.ifNeeded(snapshot.connection, options))
        }
    }

    /// What the second thread works with. The first leaves it alone until that thread has ended.
    private struct Lent<Sink: ScanSink>: @unchecked Sendable {
        let sink: Sink
        let evaluator: RowEvaluator
        let connection: Connection
    }

    /// A piece is a group of the table's leaves.
    private func take<Sink: ScanSink>(
        _ pieces: Pieces, _ groups: [Range<Int>], _ sink: Sink, _ rows: RowEvaluator, _ connection: Connection
    ) throws -> ScanOutcome {
        let watch = QueryWatch.ifNeeded(connection, options)
        func check() throws {
            try watch?.check()
            if connection.isInterrupted { throw QueryFailure.cancelled }
        }
        while let (number, _) = pieces.next() {
            try check()
            sink.begin(piece: number)
            let group = leaves.pages[groups[number]]
            rows.expect(group)
            for leaf in group {
                guard rows.begin(leaf) else {
                    pieces.stop()
                    return .unsure
                }
                loop: while true {
                    switch rows.next() {
                    case .row:
                        let verdict = sink.add(rows)
                        if rows.isUnsure {
                            pieces.stop()
                            return .unsure
                        }
                        if verdict == .refuse {
                            pieces.refuse()
                            return .refused
                        }
                    case .end: break loop
                    case .unsure:
                        pieces.stop()
                        return .unsure
                    }
                }
            }
        }
        if !pieces.isStopped { try sink.finish(check) }
        return .finished
    }
}
