import CBLBase
import CBLLanguage
import CBLStore
import Synchronization

/// What a live query has rows in.
package protocol LiveRows: Equatable, Sendable {
    /// None.
    init(titles: [String])
    /// What is left of a query's rows.
    init(_ rows: QueryRows) throws
}

extension RecordedRows: LiveRows {}
extension KeptRows: LiveRows {}

package typealias LiveQuery = ObservedQuery<RecordedRows>

/// A query that is run again when a change, by whichever process, touches what it reads, and tells when its rows are different.
///
///     let live = try LiveQuery(query, on: database) { event in
///         if case .result(let result) = event { print(result.rows.count, result.difference) }
///     }
///     …
///     live.stop()
///
/// The handler is called on a thread that it has in common with other live queries of the file; never twice at a time.
package final class ObservedQuery<Rows: LiveRows>: Sendable {
    package enum Event: Sendable {
        case result(Result)
        /// A run failed. One that had rows before tries again with the next change; but if a collection is gone that the query reads, this is the
        /// last event.
        case failure(any Error)
    }

    package struct Result: Sendable {
        package let rows: Rows
        /// The result before. For the first one, and after a change of parameters, it has no rows.
        package let previous: Rows
        package let unboundParameters: [String]
    }

    package typealias Timing = LiveTiming

    private let runner: LiveRunner<Rows>

    package init(
        _ query: Query, on database: Database, parameters: QueryParameters = .none, timing: Timing = Timing(),
        handler: @escaping @Sendable (Event) -> Void
    ) throws {
        runner = LiveRunner(query, database, parameters, timing, handler)
        try runner.start()
    }

    deinit { stop() }

    /// Runs the query with other parameters, at once. Its result is told in any case.
    package func setParameters(_ parameters: QueryParameters) { runner.setParameters(parameters) }

    /// Ends it, and a run that may be under way. When this returns, the handler is not called any more, and not running either; unless it is
    /// the handler that has called this.
    package func stop() { runner.stop() }
}

extension ObservedQuery.Result where Rows == RecordedRows {
    /// What is different from the result before, whose rows it counts.
    package var difference: RowDifference { RowDifference(from: previous, to: rows) }
}

/// What a live query does: hears of changes on the hub's thread, and runs on one of those for such work.
private final class LiveRunner<Rows: LiveRows>: @unchecked Sendable {
    // Sendable: `parameters`, `current` and `isHopeless` are touched on the queue alone, the rest is constant or behind the mutex.

    private struct State {
        var schedule: LiveSchedule
        /// The first run, and that after a change of parameters.
        var parameters: QueryParameters?
        var isStopped = false
    }

    private enum Step {
        case begin(QueryParameters)
        case run
        case wait(Instant)
    }

    private let database: Database
    private let query: Query
    private let collections: Set<CollectionName>
    private let handler: @Sendable (ObservedQuery<Rows>.Event) -> Void
    private let state: Mutex<State>
    private let subscription: ChangeSubscription
    private let queue: SerialQueue
    private let cancellation = QueryCancellation()
    private var parameters = QueryParameters.none
    private var current: LiveState<Rows>?
    /// What never had rows does not get any by a change of documents.
    private var isHopeless = false

    init(
        _ query: Query, _ database: Database, _ parameters: QueryParameters, _ timing: LiveTiming,
        _ handler: @escaping @Sendable (ObservedQuery<Rows>.Event) -> Void
    ) {
        self.query = query
        self.database = database
        self.handler = handler
        collections = Set(query.translated.sources.compactMap { CollectionName($0.collection) })
        subscription = ChangeSubscription(database, ChangeInterest(collections: collections, purges: true, isPassedOn: true))
        queue = SerialQueue(on: database.changeWorkers)
        state = Mutex(State(schedule: LiveSchedule(start: .now, timing), parameters: parameters))
    }

    func start() throws {
        // Before the first run: what is changed from now on is either seen by that, or heard of.
        try subscription.start { self.hear($0) }
        queue.perform { self.work() }
    }

    func setParameters(_ parameters: QueryParameters) {
        state.withLock { $0.parameters = parameters }
        queue.perform { self.work() }
    }

    func stop() {
        state.withLock { $0.isStopped = true }
        cancellation.cancel()
        subscription.cancel()
        queue.cancel()
    }

    private func hear(_ event: ChangeEvent) {
        switch event {
        case .changed:
            if state.withLock({ $0.schedule.change(at: .now) }) { queue.perform { self.work() } }
        case .alarm: queue.perform { self.work() }
        case .failed(let error):
            subscription.cancel()
            queue.perform { self.tell(.failure(error)) }
        case .nextExpiration, .closed: break
        }
    }

    /// Does what is to be done now.
    private func work() {
        while let step = nextStep() {
            switch step {
            case .begin(let parameters):
                self.parameters = parameters
                current = nil
                isHopeless = false
                runQuery()
            case .run: if isHopeless { state.withLock { $0.schedule.run() } } else { runQuery() }
            case .wait(let due): return subscription.setAlarm(after: due - .now)
            }
        }
    }

    private func nextStep() -> Step? {
        state.withLock { state in
            if state.isStopped { return nil }
            if let parameters = state.parameters.take() { return .begin(parameters) }
            return state.schedule.due.map { $0 <= .now ? .run : .wait($0) }
        }
    }

    /// Whether it is only that another process is at work on the files just now. Reading has waited a while for it already.
    private static func passes(_ error: any Error) -> Bool { (error as? StoreError)?.code == .busy }

    private func runQuery() {
        // Before it reads: what is committed from now on needs another run.
        state.withLock { $0.schedule.run() }
        do {
            let start = Instant.now
            let (state, unbound) = try read()
            self.state.withLock { $0.schedule.took(.now - start) }
            let previous = current
            current = state
            guard previous.map({ state.isNews(after: $0) }) ?? true else { return }
            let old = previous?.rows ?? Rows(titles: query.titles)
            tell(.result(ObservedQuery<Rows>.Result(rows: state.rows, previous: old, unboundParameters: unbound)))
        } catch  where LiveRunner.passes(error) {
            _ = state.withLock { $0.schedule.change(at: .now) }
        } catch let error as MissingCollection {
            tell(.failure(StoreError(.notFound, "collection \"\(error.name)\", which the query reads, was deleted", path: database.path)))
            state.withLock { $0.isStopped = true }
            subscription.cancel()
        } catch {
            isHopeless = current == nil
            tell(.failure(error))
        }
    }

    private struct MissingCollection: Error {
        let name: CollectionName
    }

    private func read() throws -> (LiveState<Rows>, unbound: [String]) {
        try database.read { snapshot in
            var state = LiveState(rows: Rows(titles: query.titles))
            for name in collections {
                guard snapshot.hasCollection(name) else { throw MissingCollection(name: name) }
                state.lastSequence &+= try snapshot.lastSequence(of: name)
                state.purges &+= try snapshot.purgeCount(of: name)
            }
            // The documents are as they were: so are the rows.
            if let current, current.lastSequence == state.lastSequence, current.purges == state.purges { return (current, []) }
            let rows = try query.run(on: snapshot, parameters: parameters, options: QueryOptions(cancellation: cancellation))
            state.rows = try Rows(rows)
            return (state, rows.unboundParameters)
        }
    }

    private func tell(_ event: ObservedQuery<Rows>.Event) {
        if !state.withLock(\.isStopped) { handler(event) }
    }
}

/// What a live query remembers of a run.
struct LiveState<Rows: LiveRows> {
    var rows: Rows
    /// Sums over the collections that the query reads.
    var lastSequence: UInt64 = 0
    var purges = 0

    /// Whether the observer should hear of this run after the one before.
    func isNews(after old: LiveState) -> Bool {
        (purges != old.purges || lastSequence != old.lastSequence) && rows != old.rows
    }
}
