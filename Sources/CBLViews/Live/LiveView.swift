import CBLBase
import CBLStore
import Synchronization

/// A query of a view that is run again when documents of its collection change, by whichever process, and tells when its rows are different.
///
///     let live = try LiveView(byCity, query, on: index) { event in
///         if case .result(let result) = event { print(result.rows.count, result.difference) }
///     }
///     …
///     live.stop()
///
/// The handler is called on a thread that it has in common with other live queries of the file; never twice at a time. It ends with `stop`, when
/// nobody holds it any more, or when the database is closed.
package final class LiveView: Sendable {
    package enum Event: Sendable {
        case result(Result)
        /// A run failed. The next change is another attempt, unless the collection is gone.
        case failure(any Error)
    }

    package struct Result: Sendable {
        package let rows: ViewRowList
        /// The rows before; none the first time.
        package let previous: ViewRowList

        package var difference: ViewRowDifference { ViewRowDifference(from: previous, to: rows) }
    }

    private let runner: LiveViewRunner

    package init(
        _ view: ViewDefinition, _ query: ViewQuery = ViewQuery(), on index: ViewIndex, timing: LiveTiming = LiveTiming(),
        options: IndexingOptions = IndexingOptions(), handler: @escaping @Sendable (Event) -> Void
    ) throws {
        try query.check(view)
        runner = LiveViewRunner(view, query, index, timing, options, handler)
        try runner.start()
    }

    deinit { stop() }

    /// Ends it, and a run that may be under way. When this returns, the handler is not called any more, and not running either; unless it is the
    /// handler that has called this.
    package func stop() { runner.stop() }
}

/// What is different in later rows, as numbers of rows.
package struct ViewRowDifference: Sendable, Equatable {
    package var removed: [Int] = []
    package var added: [Int] = []

    package var isEmpty: Bool { removed.isEmpty && added.isEmpty }

    /// What both begin and end with is the same; of the rest, rows that one has and the other has not.
    package init(from old: ViewRowList, to new: ViewRowList) {
        var start = 0
        while start < old.count, start < new.count, old.isSame(start, as: start, of: new) { start += 1 }
        var (oldEnd, newEnd) = (old.count, new.count)
        while oldEnd > start, newEnd > start, old.isSame(oldEnd - 1, as: newEnd - 1, of: new) {
            (oldEnd, newEnd) = (oldEnd - 1, newEnd - 1)
        }
        var left: [ViewRowList.Identity: [Int]] = [:]
        for row in start..<oldEnd { left[old.identity(row), default: []].append(row) }
        for row in start..<newEnd {
            let identity = new.identity(row)
            if left[identity]?.popLast() == nil { added.append(row) }
        }
        removed = left.values.flatMap { $0 }.sorted()
    }
}

private final class LiveViewRunner: Sendable {
    private struct State {
        var schedule: LiveSchedule
        var rows: ViewRowList?
        var isFirst = true
        var isStopped = false
    }

    private enum Step {
        case run
        case wait(Instant)
    }

    private let view: ViewDefinition
    private let query: ViewQuery
    private let index: ViewIndex
    private let options: IndexingOptions
    private let handler: @Sendable (LiveView.Event) -> Void
    private let state: Mutex<State>
    private let subscription: ChangeSubscription
    private let queue: SerialQueue
    private let cancellation: ViewCancellation

    init(
        _ view: ViewDefinition, _ query: ViewQuery, _ index: ViewIndex, _ timing: LiveTiming, _ options: IndexingOptions,
        _ handler: @escaping @Sendable (LiveView.Event) -> Void
    ) {
        self.view = view
        self.index = index
        self.handler = handler
        let outer = query.cancellation
        cancellation = ViewCancellation(after: outer)
        var (query, options) = (query, options)
        query.cancellation = cancellation
        options.cancellation = cancellation
        self.query = query
        self.options = options
        subscription = ChangeSubscription(
            index.database, ChangeInterest(collections: [view.collection], purges: true, isPassedOn: true))
        queue = SerialQueue(on: index.database.changeWorkers)
        state = Mutex(State(schedule: LiveSchedule(start: .now, timing)))
    }

    func start() throws {
        // Before the first run: what is changed from now on is either seen by that, or heard of.
        try subscription.start { [weak self] in self?.hear($0) }
        queue.perform { [weak self] in self?.work() }
    }

    func stop() {
        state.withLock { $0.isStopped = true }
        cancellation.cancel()
        subscription.cancel()
        queue.cancel()
    }

    private func hear(_ event: ChangeEvent) {
        switch event {
        case .changed(let changes):
            if changes.deleted.contains(view.collection) {
                return end(StoreError(.notFound, "collection \"\(view.collection)\" was deleted"))
            }
            if state.withLock({ $0.schedule.change(at: .now) }) { queue.perform { [weak self] in self?.work() } }
        case .alarm: queue.perform { [weak self] in self?.work() }
        case .failed(let error): end(error)
        case .nextExpiration, .closed: break
        }
    }

    private func end(_ error: any Error) {
        queue.perform { [weak self] in
            guard let self else { return }
            tell(.failure(error))
            state.withLock { $0.isStopped = true }
            subscription.cancel()
        }
    }

    private func work() {
        while let step = nextStep() {
            switch step {
            case .run: run()
            case .wait(let due): return subscription.setAlarm(after: due - .now)
            }
        }
    }

    private func nextStep() -> Step? {
        state.withLock { state in
            if state.isStopped { return nil }
            if state.isFirst {
                state.isFirst = false
                return .run
            }
            return state.schedule.due.map { $0 <= .now ? .run : .wait($0) }
        }
    }

    private func run() {
        // Before it reads: what is committed from now on needs another run.
        state.withLock { $0.schedule.run() }
        do {
            let start = Instant.now
            let rows = try index.rows(view, query, options: options)
            state.withLock { $0.schedule.took(.now - start) }
            let previous = state.withLock { state in
                defer { state.rows = rows }
                return state.rows
            }
            if previous != rows { tell(.result(LiveView.Result(rows: rows, previous: previous ?? ViewRowList()))) }
        } catch let error as StoreError where error.code == .busy {
            // Another process is at work on the files just now.
            _ = state.withLock { $0.schedule.change(at: .now) }
        } catch {
            tell(.failure(error))
        }
    }

    private func tell(_ event: LiveView.Event) {
        if !state.withLock(\.isStopped) { handler(event) }
    }
}
