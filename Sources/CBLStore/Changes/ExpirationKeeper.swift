import CBLBase
import Synchronization

/// Purges documents when their time has come: the hub says when that is.
///
/// It ends when the database is closed, and keeps it from going away before.
final class ExpirationKeeper: Sendable {
    private let database: Database
    private let subscription: ChangeSubscription
    // Purging waits for whoever is writing, and the hub's thread must not.
    private let queue: SerialQueue
    private let longestSleep: Duration

    /// How long it waits after something went wrong, a full disk for example.
    private static let patience = Duration.seconds(60)

    init(_ database: Database, longestSleep: Duration) {
        self.database = database
        self.longestSleep = longestSleep
        var interest = ChangeInterest(collections: [], isPassedOn: true)
        interest.nextExpiration = true
        subscription = ChangeSubscription(database, interest)
        queue = SerialQueue(on: database.changeWorkers)
    }

    func start() throws {
        try subscription.start { event in
            switch event {
            case .nextExpiration(let next): if let next { self.sleep(until: next) }
            case .alarm: self.queue.perform { self.purge() }
            case .changed, .failed, .closed: break
            }
        }
    }

    private func sleep(until next: Int64) {
        let wait = next.subtractingReportingOverflow(database.wallClockMilliseconds)
        let left = wait.overflow ? (next < 0 ? .zero : longestSleep) : Duration.milliseconds(wait.partialValue)
        subscription.setAlarm(after: min(max(.zero, left), longestSleep))
    }

    /// Purges what has expired. What expires next, the hub tells when this is committed.
    private func purge() {
        do {
            let next = try database.readCommitted { snapshot in
                try snapshot.collections().compactMap { try snapshot.nextExpiration(of: $0) }.min()
            }
            guard let next else { return }
            let now = database.wallClockMilliseconds
            if next > now { return sleep(until: next) }
            try database.purgeExpired(now)
        } catch {
            subscription.setAlarm(after: ExpirationKeeper.patience)
        }
    }
}

extension Database {
    /// Has documents purged in time from now on, until the database is closed. Nobody tells if the time of day is set anew, or goes on while the
    /// machine sleeps: it is looked at again after `longestSleep`.
    package func keepExpirations(longestSleep: Duration = .seconds(60)) throws {
        guard !isReadOnly, !keepsExpirations.exchange(true, ordering: .relaxed) else { return }
        try ExpirationKeeper(self, longestSleep: longestSleep).start()
    }

    /// Since 1970, by the clock of this database.
    fileprivate var wallClockMilliseconds: Int64 { writer.map { Int64($0.wallClock() / 1_000_000) } ?? Transaction.now }

    /// Purges what has expired and is still there: a timer comes a little late. For who must not see it any more.
    package func purgeWhatIsDue() throws {
        guard keepsExpirations.load(ordering: .relaxed) else { return }
        let now = wallClockMilliseconds
        let isDue = try read { snapshot in try snapshot.collections().contains { try snapshot.nextExpiration(of: $0) ?? .max <= now } }
        if isDue { try purgeExpired(now) }
    }

    fileprivate func purgeExpired(_ now: Int64) throws {
        try write { transaction in for name in transaction.collections() { try transaction.purgeExpired(in: name, now: now) } }
    }
}
