// Publishers of what changes, for a program that has a module like Combine. The library cannot have them itself: it has no dependencies, and whether it
// sees a module that only the program depends on would be left to the order of the build. So this file belongs into a target of the program that
// depends on both. It needs no changes.

import CouchbaseLiteSwift
import Foundation

#if canImport(Combine)
    import Combine
#else
    import OpenCombine
#endif

extension CouchbaseLiteSwift.Collection {
    /// What is committed to the collection, told on the queue. There is a listener as long as there is a subscription; it never completes.
    public func changePublisher(on queue: DispatchQueue = .main) -> AnyPublisher<CollectionChange, Never> {
        ListenerPublisher(queue) { tell in self.addChangeListener(queue: queue, listener: tell) }.eraseToAnyPublisher()
    }

    /// What is committed to a document, told on the queue. There is a listener as long as there is a subscription; it never completes.
    public func documentChangePublisher(for id: String, on queue: DispatchQueue = .main) -> AnyPublisher<DocumentChange, Never> {
        ListenerPublisher(queue) { tell in self.addDocumentChangeListener(id: id, queue: queue, listener: tell) }.eraseToAnyPublisher()
    }
}

extension Query {
    /// The rows that there are, and those that there are after changes, told on the queue. It never completes.
    public func changePublisher(on queue: DispatchQueue = .main) -> AnyPublisher<QueryChange, Never> {
        ListenerPublisher(queue) { tell in self.addChangeListener(withQueue: queue, tell) }.eraseToAnyPublisher()
    }
}

extension Replicator {
    /// What becomes of the replicator, told on the queue. It never completes.
    public func changePublisher(on queue: DispatchQueue = .main) -> AnyPublisher<ReplicatorChange, Never> {
        ListenerPublisher(queue) { tell in self.addChangeListener(withQueue: queue, tell) }.eraseToAnyPublisher()
    }

    /// The documents that are replicated, or cannot be, told on the queue. It never completes.
    public func documentReplicationPublisher(on queue: DispatchQueue = .main) -> AnyPublisher<DocumentReplication, Never> {
        ListenerPublisher(queue) { tell in self.addDocumentReplicationListener(withQueue: queue, tell) }.eraseToAnyPublisher()
    }
}

/// Has a listener of its own for each subscription.
private struct ListenerPublisher<Output>: Publisher {
    typealias Failure = Never

    private let queue: DispatchQueue
    private let listen: (@escaping (Output) -> Void) -> ListenerToken

    /// `listen` adds a listener, which is called on the queue.
    init(_ queue: DispatchQueue, _ listen: @escaping (@escaping (Output) -> Void) -> ListenerToken) {
        self.queue = queue
        self.listen = listen
    }

    func receive<Downstream: Subscriber>(subscriber: Downstream) where Downstream.Input == Output, Downstream.Failure == Never {
        let subscription = ListenerSubscription(AnySubscriber(subscriber), queue)
        subscriber.receive(subscription: subscription)
        subscription.begin(listen)
    }
}

/// Passes on what a listener hears, as far as it is asked for. The rest waits.
private final class ListenerSubscription<Output>: Subscription, @unchecked Sendable {
    // Sendable: what changes is guarded by the lock.

    private let lock = NSLock()
    private let queue: DispatchQueue
    private var subscriber: AnySubscriber<Output, Never>?
    private var token: ListenerToken?
    private var demand = Subscribers.Demand.none
    private var waiting: [Output] = []
    private var isPassing = false

    init(_ subscriber: AnySubscriber<Output, Never>, _ queue: DispatchQueue) {
        self.subscriber = subscriber
        self.queue = queue
    }

    func begin(_ listen: (@escaping (Output) -> Void) -> ListenerToken) {
        // Who has had enough at once needs no listener.
        guard lock.withLock({ subscriber != nil }) else { return }
        let token = listen { [weak self] in self?.hear($0) }
        let isLate = lock.withLock {
            if subscriber != nil { self.token = token }
            return subscriber == nil
        }
        if isLate { token.remove() }
    }

    func request(_ more: Subscribers.Demand) {
        let isMore = lock.withLock {
            demand += more
            return !waiting.isEmpty && demand > .none
        }
        if isMore { queue.async { self.pass() } }
    }

    func cancel() {
        let (former, _) = lock.withLock {
            defer {
                token = nil
                subscriber = nil
                waiting = []
            }
            // The subscriber is let go of without the lock.
            return (token, subscriber)
        }
        former?.remove()
    }

    private func hear(_ value: Output) {
        lock.withLock { if subscriber != nil { waiting.append(value) } }
        pass()
    }

    /// One after another, whatever queue it is.
    private func pass() {
        let isFirst = lock.withLock {
            defer { isPassing = true }
            return !isPassing
        }
        guard isFirst else { return }
        while let (subscriber, value) = next() {
            let more = subscriber.receive(value)
            lock.withLock { demand += more }
        }
    }

    private func next() -> (AnySubscriber<Output, Never>, Output)? {
        lock.withLock {
            guard let subscriber, demand > .none, !waiting.isEmpty else {
                isPassing = false
                return nil
            }
            demand -= 1
            return (subscriber, waiting.removeFirst())
        }
    }
}
