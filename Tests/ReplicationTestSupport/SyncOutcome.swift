import DocumentStore
import Replication
import Synchronization
import Transport

/// Loops of the tests: their threads are few, however many tests run at the same time.
public enum EngineLoops {
    public static let client = EventLoop()
    public static let server = EventLoop()
}

/// What came of a replicator.
public struct SyncOutcome: Sendable {
    public var failure: SyncFailure?
    public var pushed: [String] = []
    public var pulled: [String] = []
    public var errors: [DocumentEvent] = []
    public var connections = 0
    public var waits: [Int] = []
    public var status = SyncStatus()

    public init() {}

    public mutating func take(_ event: ReplicatorEvent) {
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
    public func isFine(pushed: Int? = nil, pulled: Int? = nil) -> Bool {
        failure == nil && errors.isEmpty && (pushed ?? self.pushed.count) == self.pushed.count
            && (pulled ?? self.pulled.count) == self.pulled.count
    }
}

/// Runs a replicator to its end. `onEvent` sees each event on the loop, and may stop it.
public func synchronize(
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
