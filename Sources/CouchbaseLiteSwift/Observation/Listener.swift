import Foundation
import Synchronization

/// A value that the program hands from one thread to another: what is in it is the program's own business.
package struct Unchecked<Value>: @unchecked Sendable {
    package let value: Value
    package init(_ value: Value) { self.value = value }
}

/// A closure of the program and the queue that it is to be called on, until it is removed.
package final class Listener<Change>: Sendable {
    private let handler: Mutex<Unchecked<(Change) -> Void>?>
    private let queue: DispatchQueue

    package init(_ queue: DispatchQueue?, _ handler: @escaping (Change) -> Void) {
        self.queue = queue ?? .main
        self.handler = Mutex(Unchecked(handler))
    }

    package func remove() { handler.withLock { $0 = nil } }

    /// Calls it soon, unless it is removed before.
    package func tell(_ change: Change) {
        let change = Unchecked(change)
        queue.async { [self] in
            let handler = handler.withLock { $0 }
            handler?.value(change.value)
        }
    }
}

/// All who want to hear of the same thing.
package final class Listeners<Change>: Sendable {
    private let all = Mutex<[ObjectIdentifier: Listener<Change>]>([:])

    package init() {}

    package var isEmpty: Bool { all.withLock { $0.isEmpty } }

    package func add(_ queue: DispatchQueue?, _ handler: @escaping (Change) -> Void) -> ListenerToken {
        let listener = Listener(queue, handler)
        let key = ObjectIdentifier(listener)
        all.withLock { $0[key] = listener }
        return ListenerToken { [weak self] in
            listener.remove()
            _ = self?.all.withLock { $0.removeValue(forKey: key) }
        }
    }

    package func tell(_ change: Change) {
        for listener in all.withLock({ Array($0.values) }) { listener.tell(change) }
    }
}
