import Synchronization

/// Stands for a listener that was added. Without it the listener stays; `remove()` ends it.
public class ListenerToken: @unchecked Sendable {
    private let end: Mutex<(@Sendable () -> Void)?>

    package init(_ end: @escaping @Sendable () -> Void) { self.end = Mutex(end) }

    /// The listener is not called any more. To remove it again does nothing.
    public func remove() {
        let end = end.withLock { end in
            defer { end = nil }
            return end
        }
        end?()
    }
}
