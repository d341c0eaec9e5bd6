import Synchronization

/// A state of the database that is read from call to call, until `end`, whatever is committed meanwhile. Any thread may use it; they take turns.
///
///     let open = try OpenSnapshot(of: database)
///     let rows = try open.use { try query.run(on: $0) }
///     …
///     try open.use { _ in try rows.next() }
///     open.end()
///
/// It keeps a connection busy, and the log from being emptied. When the database is closed, it ends.
package final class OpenSnapshot: @unchecked Sendable {
    // Sendable: everything that changes is guarded by the lock.

    private let database: Database
    private let lock = Mutex(())
    private var state: (snapshot: Snapshot, session: ReaderPool.Session)?
    private var beforeEnd: (() -> Void)?

    /// Sees what is committed now. A transaction that this thread has open cannot be seen from here.
    package init(of database: Database) throws {
        self.database = database
        do {
            let (session, reader) = try database.readers.lend(to: self)
            state = (Snapshot(reader, of: database), session)
        } catch {
            throw StoreError.translating(error, path: database.path)
        }
    }

    deinit { end() }

    /// Lends the state. Fails as `notOpen` when it has ended.
    package func use<Result>(_ work: (Snapshot) throws -> Result) throws -> Result { try begin { (try work($0), nil) } }

    /// The same for what goes on from call to call, and has to be given up before the connection goes back: running statements are. The second
    /// thing that `work` gives does that, under the lock.
    package func begin<Result>(_ work: (Snapshot) throws -> (Result, beforeEnd: (() -> Void)?)) throws -> Result {
        try lock.withLock { _ in
            guard let (snapshot, session) = state else { throw StoreError.closed(database.path) }
            do {
                let (result, beforeEnd) = try work(snapshot)
                try database.readers.check(session)
                if let beforeEnd { self.beforeEnd = beforeEnd }
                return result
            } catch {
                throw StoreError.translating(error, path: database.path)
            }
        }
    }

    /// Gives the connection back. To end it again does nothing.
    package func end() { lock.withLock { _ in finish() } }

    /// Ends it, unless it is just being used.
    func endIfIdle() -> Bool { lock.withLockIfAvailable { _ in finish() } != nil }

    private func finish() {
        guard let (snapshot, session) = state else { return }
        beforeEnd?()
        beforeEnd = nil
        state = nil
        database.readers.takeBack(snapshot.file, of: session)
    }
}
