import CBLBase
import CBLReplication
import CBLStore

/// Goes on pulling into a copy of a server's database while somebody works on it, with a database handle of its own.
final class RemoteFollower {
    private let database: Database
    private let replicator: Replicator
    /// Has one letter: how it ended.
    private let mailbox: Mailbox<SyncFailure?>
    private var hasEnded = false

    /// The database is closed at the end.
    init(_ database: Database, _ settings: ReplicatorSettings) throws {
        self.database = database
        let mailbox = try Mailbox<SyncFailure?>()
        self.mailbox = mailbox
        replicator = Replicator(database, settings) { if case .ended(let failure) = $0 { mailbox.put(failure) } }
        replicator.start()
    }

    /// Why it gave up. Told once.
    func failure() -> SyncFailure? {
        guard !hasEnded, let ended = mailbox.take(milliseconds: 0).first else { return nil }
        hasEnded = true
        return ended
    }

    func end() {
        replicator.stop()
        while !hasEnded { hasEnded = !mailbox.take(milliseconds: -1).isEmpty }
        database.close()
    }
}
