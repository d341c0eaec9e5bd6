internal import CBLStore
import Synchronization

/// Subscriptions that somebody keeps, as they end when nobody does.
final class Subscriptions: Sendable {
    private let subscriptions = Mutex([ObjectIdentifier: ChangeSubscription]())

    func add(_ subscription: ChangeSubscription) { subscriptions.withLock { $0[ObjectIdentifier(subscription)] = subscription } }

    func remove(_ subscription: ChangeSubscription) {
        _ = subscriptions.withLock { $0.removeValue(forKey: ObjectIdentifier(subscription)) }
    }
}
