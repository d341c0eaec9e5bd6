import CBLBase
import Glibc
import Synchronization

/// Purges documents when their time has come, on a thread that sleeps until then, or until somebody commits something.
///
/// It ends when the database is closed, and keeps it from going away before.
struct ExpirationKeeper {
    private let database: Database
    private let watcher: Watcher

    /// Looks are no closer together than this, however much is written.
    private static let pause: useconds_t = 50_000
    /// How long it waits after something went wrong, a full disk for example.
    private static let patience = 60_000

    static func start(_ database: Database) throws {
        // One thread makes it and another has it from then on.
        nonisolated(unsafe) let keeper = ExpirationKeeper(database: database, watcher: try database.watch())
        _ = WorkerThread { keeper.run() }
    }

    private func run() {
        while !watcher.isCancelled {
            let wait: Int?
            do { wait = try purge() } catch { wait = ExpirationKeeper.patience }
            usleep(ExpirationKeeper.pause)
            guard watcher.waitForSign(milliseconds: wait) else { return }
        }
    }

    /// Purges what has expired. Gives how long it is until the next document does, in milliseconds.
    private func purge() throws -> Int? {
        while true {
            let next = try database.readCommitted { snapshot in
                try snapshot.collections().compactMap { try snapshot.nextExpiration(of: $0) }.min()
            }
            guard let next else { return nil }
            let now = Transaction.now
            // The clock may be set back meanwhile.
            if next > now { return Int(min(next.subtractingReportingOverflow(now).partialValue, 24 * 60 * 60 * 1000)) }
            try database.write { transaction in
                for name in transaction.collections() { try transaction.purgeExpired(in: name, now: now) }
            }
        }
    }
}

extension Database {
    /// Has documents purged in time from now on, until the database is closed.
    package func keepExpirations() throws {
        guard !isReadOnly, !keepsExpirations.exchange(true, ordering: .relaxed) else { return }
        try ExpirationKeeper.start(self)
    }
}
