import CBLBase
import CBLLanguage
import CBLStore
import Synchronization

/// A query that is run again when a change, by whichever process, touches what it reads, and tells when its rows are different.
///
///     let live = try LiveQuery(query, on: database) { event in
///         if case .result(let result) = event { print(result.rows.count, result.difference) }
///     }
///     …
///     live.stop()
///
/// It has a thread of its own, on which the handler is called.
package final class LiveQuery: Sendable {
    package enum Event: Sendable {
        case result(Result)
        /// A run failed. One that had rows before tries again with the next change.
        case failure(any Error)
    }

    package struct Result: Sendable {
        package let rows: RecordedRows
        /// What is different from the result before. For the first one, and after a change of parameters, all rows are added.
        package let difference: RowDifference
        /// The result before, whose rows `difference` counts.
        package let previous: RecordedRows
        package let unboundParameters: [String]
    }

    /// How changes are put together: see the defaults.
    package struct Timing: Sendable {
        package var quiet: Duration
        package var delay: Duration

        package init(quiet: Duration = .milliseconds(250), delay: Duration = .milliseconds(500)) {
            self.quiet = quiet
            self.delay = delay
        }
    }

    private let runner: LiveRunner
    private let thread: WorkerThread

    package init(
        _ query: Query, on database: Database, parameters: QueryParameters = .none, timing: Timing = Timing(),
        handler: @escaping @Sendable (Event) -> Void
    ) throws {
        let runner = try LiveRunner(query, database, parameters, timing, handler)
        self.runner = runner
        thread = WorkerThread { runner.run() }
    }

    deinit { stop() }

    /// Runs the query with other parameters, at once. Its result is told in any case.
    package func setParameters(_ parameters: QueryParameters) { runner.setParameters(parameters) }

    /// Ends it, and a run that may be under way. When this returns, the handler is not called any more, and not running either; unless it is
    /// the handler that has called this.
    package func stop() {
        runner.stop()
        if !thread.isCurrent { thread.join() }
    }
}

/// What the thread of a live query does.
private final class LiveRunner: @unchecked Sendable {
    // Sendable: everything but the mailbox is touched by the thread alone.

    private struct Mailbox {
        var isStopped = false
        var parameters: QueryParameters?
    }

    private let database: Database
    private let query: Query
    private let collections: Set<CollectionName>
    private let handler: @Sendable (LiveQuery.Event) -> Void
    private let mailbox = Mutex(Mailbox())
    private let watcher: Watcher
    private let cancelWaiting: @Sendable () -> Void
    private let wake: @Sendable () -> Void
    private let cancellation = QueryCancellation()
    private var schedule: LiveSchedule
    private var parameters: QueryParameters
    private var current: LiveState?

    init(
        _ query: Query, _ database: Database, _ parameters: QueryParameters, _ timing: LiveQuery.Timing,
        _ handler: @escaping @Sendable (LiveQuery.Event) -> Void
    ) throws {
        self.query = query
        self.database = database
        self.parameters = parameters
        self.handler = handler
        collections = Set(query.translated.sources.compactMap { CollectionName($0.collection) })
        // Before the first run: what is changed from now on is either seen by that, or heard of.
        watcher = try database.watch(noticingPurges: true)
        cancelWaiting = watcher.canceller
        wake = watcher.waker
        schedule = LiveSchedule(start: .now, quiet: timing.quiet, delay: timing.delay)
    }

    func setParameters(_ parameters: QueryParameters) {
        mailbox.withLock { $0.parameters = parameters }
        wake()
    }

    func stop() {
        mailbox.withLock { $0.isStopped = true }
        cancellation.cancel()
        cancelWaiting()
    }

    private var isStopped: Bool { mailbox.withLock(\.isStopped) }

    func run() {
        runQuery()
        while !isStopped {
            if let new = mailbox.withLock({ $0.parameters.take() }) {
                parameters = new
                current = nil
                runQuery()
                continue
            }
            if let due = schedule.due, due <= .now {
                runQuery()
                continue
            }
            do {
                if try watcher.wait(milliseconds: schedule.due.map { max(1, Int((($0 - .now) / .milliseconds(1)).rounded(.up))) }) {
                    hearOfChanges()
                } else if watcher.isCancelled {
                    return
                }
            } catch  where LiveRunner.passes(error) {
                continue
            } catch {
                tell(.failure(error))
                return
            }
        }
    }

    /// Whether it is only that another process is at work on the files just now. Reading has waited a while for it already.
    private static func passes(_ error: any Error) -> Bool { (error as? StoreError)?.code == .busy }

    private func hearOfChanges() {
        // What never had rows does not get any by a change of documents.
        guard current != nil, !collections.isDisjoint(with: watcher.changes.keys) || !collections.isDisjoint(with: watcher.purged) else {
            return
        }
        schedule.change(at: .now)
    }

    private func runQuery() {
        schedule.run()
        do {
            let (state, unbound) = try read()
            let previous = current
            current = state
            guard previous.map({ state.isNews(after: $0) }) ?? true else { return }
            let old = previous?.rows ?? RecordedRows(titles: state.rows.titles)
            tell(
                .result(
                    LiveQuery.Result(
                        rows: state.rows, difference: RowDifference(from: old, to: state.rows), previous: old, unboundParameters: unbound)))
        } catch  where LiveRunner.passes(error) {
            schedule.change(at: .now)
        } catch {
            tell(.failure(error))
        }
    }

    private func read() throws -> (LiveState, unbound: [String]) {
        try database.read { snapshot in
            var state = LiveState(rows: RecordedRows(titles: query.titles))
            for name in collections where snapshot.hasCollection(name) {
                state.lastSequence &+= try snapshot.lastSequence(of: name)
                state.purges &+= try snapshot.purgeCount(of: name)
            }
            // The documents are as they were: so are the rows.
            if let current, current.lastSequence == state.lastSequence, current.purges == state.purges { return (current, []) }
            let rows = try query.run(on: snapshot, parameters: parameters, options: QueryOptions(cancellation: cancellation))
            state.rows = try RecordedRows(rows)
            return (state, rows.unboundParameters)
        }
    }

    private func tell(_ event: LiveQuery.Event) {
        if !isStopped { handler(event) }
    }
}

/// What a live query remembers of a run.
struct LiveState {
    var rows: RecordedRows
    /// Sums over the collections that the query reads.
    var lastSequence: UInt64 = 0
    var purges = 0

    /// Whether the observer should hear of this run after the one before.
    func isNews(after old: LiveState) -> Bool {
        (purges != old.purges || lastSequence != old.lastSequence) && rows != old.rows
    }
}
