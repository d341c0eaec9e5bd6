/// A way for a second thread to read the state of the database that a snapshot shows, on a connection of its own.
///
///     let twin = snapshot.twin
///     … on another thread:
///     let sum = try twin?.read { snapshot in try snapshot.connection.integer("SELECT …") }
///
/// It must not be used after the snapshot has ended.
package struct SnapshotTwin: Sendable {
    private let position: ReaderPool.Position
    private let database: Database

    fileprivate init(_ position: ReaderPool.Position, _ database: Database) {
        self.position = position
        self.database = database
    }

    /// Gives nil, and does nothing, if somebody has written in the meantime: the state cannot be begun with any more then.
    package func read<Result>(_ work: (Snapshot) throws -> Result) throws -> Result? {
        do {
            return try database.readers.read(at: position) { try work(Snapshot($0, of: database)) }
        } catch {
            throw StoreError.translating(error, path: database.path)
        }
    }
}

extension Snapshot {
    /// Nil in a transaction that writes, and where the database is read in a way that allows of one connection only.
    package var twin: SnapshotTwin? { file.position.map { SnapshotTwin($0, database) } }
}
