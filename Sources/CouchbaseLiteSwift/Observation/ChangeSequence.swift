/// Changes, one after another, for as long as somebody waits for the next one.
///
///     for await change in collection.changes() { print(change.documentIDs) }
///
/// What is changed is heard of from the moment in which an iterator is made, until that is gone or its task is cancelled. Changes that nobody has
/// asked for yet are kept.
public struct ChangeSequence<Element>: AsyncSequence {
    public typealias AsyncIterator = Iterator
    public typealias Failure = Never

    private let listen: (@escaping (Element) -> Void) -> ListenerToken

    /// `listen` adds a listener.
    package init(_ listen: @escaping (@escaping (Element) -> Void) -> ListenerToken) { self.listen = listen }

    public func makeAsyncIterator() -> Iterator {
        let (stream, continuation) = AsyncStream.makeStream(of: Unchecked<Element>.self, bufferingPolicy: .unbounded)
        let token = listen { continuation.yield(Unchecked($0)) }
        continuation.onTermination = { _ in token.remove() }
        return Iterator(stream.makeAsyncIterator(), Registration { continuation.finish() })
    }

    /// Listens as long as it exists. It is for one task at a time.
    public struct Iterator: AsyncIteratorProtocol {
        private var changes: AsyncStream<Unchecked<Element>>.Iterator
        private let registration: Registration

        fileprivate init(_ changes: AsyncStream<Unchecked<Element>>.Iterator, _ registration: Registration) {
            self.changes = changes
            self.registration = registration
        }

        /// Waits for the next change. Nil when the task is cancelled.
        public mutating func next() async -> Element? {
            defer { withExtendedLifetime(registration) {} }
            return await changes.next()?.value
        }
    }
}

/// Ends with the last copy of an iterator. The stream itself stays as long as there is a listener that could put something into it.
private final class Registration: Sendable {
    private let end: @Sendable () -> Void

    init(_ end: @escaping @Sendable () -> Void) { self.end = end }

    deinit { end() }
}

/// A queue for listeners that only pass on what they hear.
private let sequences = DispatchQueue(label: "CouchbaseLiteSwift.ChangeSequence")

extension Collection {
    /// What is committed to the collection from the beginning of the loop on, one change for each commit.
    public func changes() -> ChangeSequence<CollectionChange> {
        ChangeSequence { tell in self.addChangeListener(queue: sequences, listener: tell) }
    }

    /// What is committed to a document from the beginning of the loop on.
    public func documentChanges(for id: String) -> ChangeSequence<DocumentChange> {
        ChangeSequence { tell in self.addDocumentChangeListener(id: id, queue: sequences, listener: tell) }
    }
}

extension Query {
    /// The rows that there are, and those that there are after changes.
    public func changes() -> ChangeSequence<QueryChange> {
        ChangeSequence { tell in self.addChangeListener(withQueue: sequences, tell) }
    }
}
