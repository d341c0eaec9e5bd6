import CBLReplication
import CBLStore
import CBLTransport
import Synchronization

/// Loops of the tests: their threads are few, however many tests run at the same time.
package enum EngineLoops {
    package static let client = EventLoop()
    package static let server = EventLoop()
}

/// What came of a replicator.
package struct SyncOutcome: Sendable {
    package var failure: SyncFailure?
    package var pushed: [String] = []
    package var pulled: [String] = []
    package var errors: [DocumentEvent] = []
    package var connections = 0
    package var waits: [Int] = []
    package var status = SyncStatus()

    package init() {}

    package mutating func take(_ event: ReplicatorEvent) {
        switch event {
        case .status(let status): self.status = status
        case .document(let event, _):
            if event.error != nil {
                errors.append(event)
            } else if event.direction == .push {
                pushed.append(event.documentID)
            } else {
                pulled.append(event.documentID)
            }
        case .connected: connections += 1
        case .waiting(_, let seconds): waits.append(seconds)
        case .ended(let failure): self.failure = failure
        }
    }

    /// Nothing went wrong, and so many documents went each way.
    package func isFine(pushed: Int? = nil, pulled: Int? = nil) -> Bool {
        failure == nil && errors.isEmpty && (pushed ?? self.pushed.count) == self.pushed.count
            && (pulled ?? self.pulled.count) == self.pulled.count
    }
}

/// Runs a replicator to its end. `onEvent` sees each event on the loop, and may stop it.
package func synchronize(
    _ database: Database, _ settings: ReplicatorSettings, on loop: EventLoop = EngineLoops.client,
    onEvent: @escaping @Sendable (Replicator, ReplicatorEvent) -> Void = { _, _ in }
) async -> SyncOutcome {
    let (stream, continuation) = AsyncStream<ReplicatorEvent>.makeStream()
    let box = Mutex<Replicator?>(nil)
    let replicator = Replicator(database, settings, on: loop) { event in
        if let replicator = box.withLock({ $0 }) { onEvent(replicator, event) }
        continuation.yield(event)
        if case .ended = event { continuation.finish() }
    }
    box.withLock { $0 = replicator }
    replicator.start()
    var outcome = SyncOutcome()
    for await event in stream { outcome.take(event) }
    box.withLock { $0 = nil }
    return outcome
}
