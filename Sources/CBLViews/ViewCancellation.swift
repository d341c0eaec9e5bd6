import Synchronization

/// Ends indexing and queries from another thread. Once cancelled, it stays so.
package final class ViewCancellation: Sendable {
    private let isRequested = Atomic<Bool>(false)
    private let poll: (@Sendable () -> Bool)?

    /// `poll` is asked now and then, for those who can only set a flag.
    package init(polling poll: (@Sendable () -> Bool)? = nil) { self.poll = poll }

    /// One that is cancelled with another at the latest.
    convenience init(after other: ViewCancellation?) {
        if let other { self.init(polling: { other.isCancelled }) } else { self.init() }
    }

    package func cancel() { isRequested.store(true, ordering: .releasing) }

    package var isCancelled: Bool { isRequested.load(ordering: .relaxed) || poll?() == true }
}
