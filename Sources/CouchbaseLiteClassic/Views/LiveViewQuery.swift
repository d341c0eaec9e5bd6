internal import CBLViews
import CouchbaseLiteSwift
import Synchronization

import class CouchbaseLiteSwift.Collection

/// A view query that runs again when its collection changes, by whichever thread or process, and tells when its rows are different.
///
///     let live = try query.live()
///     let token = live.addChangeListener { change in print(change.rows?.count ?? 0) }
///
/// It begins with the first listener, and ends with `stop()`, when nobody has it or a token of it any more, or with the database.
public final class LiveViewQuery: Sendable {
    private struct State {
        var live: LiveView?
        var end: ServiceEnd?
        var latest: ViewQueryChange?
    }

    private let query: PreparedViewQuery
    private let listeners = Listeners<ViewQueryChange>()
    private let state = Mutex(State())

    init(_ query: PreparedViewQuery) { self.query = query }

    deinit { stop() }

    /// The view that is asked.
    public var view: View { query.view }

    /// The rows of the last run; nil before the first one.
    public var rows: ViewResult? { state.withLock { $0.latest?.rows } }

    /// Begins. That it has begun already is no error. Throws what keeps it from running at all, as options that do not go together.
    public func start() throws {
        let database = view.collection.database
        _ = try view.collection.openCore()
        try translatingViewErrors {
            try state.withLock { state in
                guard state.live == nil else { return }
                let collection = view.collection
                let end = ServiceEnd(self)
                guard database.services.add(end) else { throw ViewError.closed }
                do {
                    state.live = try LiveView(query.definition, query.core, on: query.store.index, options: ViewStore.options()) {
                        [weak self] event in self?.hear(event, collection)
                    }
                    state.end = end
                } catch {
                    database.services.remove(end)
                    throw error
                }
            }
        }
    }

    /// Ends. It can begin again.
    public func stop() {
        let (live, end) = state.withLock { state in
            defer { (state.live, state.end, state.latest) = (nil, nil, nil) }
            return (state.live, state.end)
        }
        live?.stop()
        if let end { view.collection.database.services.remove(end) }
    }

    /// Has the listener called on a queue, by default the main one, with the rows that there are, and whenever they are different.
    public func addChangeListener(queue: DispatchQueue? = nil, listener: @escaping (ViewQueryChange) -> Void) -> ListenerToken {
        let single = Listener(queue, listener)
        let token = listeners.add(deliveries) { single.tell($0) }
        do {
            // What is there already, and then what comes.
            if let latest = state.withLock({ $0.latest }) { single.tell(latest) }
            try start()
        } catch {
            single.tell(ViewQueryChange(error: error as NSError))
        }
        return ListenerToken { [self] in
            single.remove()
            token.remove()
            withExtendedLifetime(self) {}
        }
    }

    /// The same for async code: the rows that there are, and those that there are after changes.
    public func changes() -> ChangeSequence<ViewQueryChange> {
        ChangeSequence { tell in self.addChangeListener(queue: deliveries, listener: tell) }
    }

    private func hear(_ event: LiveView.Event, _ collection: Collection) {
        let change: ViewQueryChange
        switch event {
        case .result(let result):
            let difference = result.difference
            let old = ViewResult(RowMemory(collection, result.previous))
            let new = ViewResult(RowMemory(collection, result.rows))
            change = ViewQueryChange(
                rows: new, added: difference.added.map { new[$0] }, removed: difference.removed.map { old[$0] })
            state.withLock { if $0.live != nil { $0.latest = change } }
        case .failure(let error):
            do {
                try translatingViewErrors { throw error }
                return
            } catch { change = ViewQueryChange(error: error as NSError) }
        }
        listeners.tell(change)
    }
}

/// For listeners that only pass on what they hear.
private let deliveries = DispatchQueue(label: "CouchbaseLiteClassic.LiveViewQuery")

/// What has become of the rows of a live query.
public struct ViewQueryChange: @unchecked Sendable {
    // Sendable: errors do not change.

    /// All rows that there are now; nil if they could not be read.
    public var rows: ViewResult?
    /// Those of them that were not there before.
    public var added: [ViewQueryRow] = []
    /// Those that were there before, and are not any more.
    public var removed: [ViewQueryRow] = []
    /// Why there are no rows. The next change is another attempt.
    public var error: NSError?
}

/// Ends a live query with its database, which does not keep it.
private final class ServiceEnd: DatabaseService {
    private let query: Mutex<Weak>

    private struct Weak { weak var query: LiveViewQuery? }

    init(_ query: LiveViewQuery) { self.query = Mutex(Weak(query: query)) }

    package func stopForClosing() { query.withLock { $0.query }?.stop() }
}
