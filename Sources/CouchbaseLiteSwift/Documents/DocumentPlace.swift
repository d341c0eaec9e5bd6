package import CBLStore
import Synchronization

/// Where a document stands in the database: which revision of which collection it is. A save changes that.
package final class DocumentPlace: @unchecked Sendable {
    // Sendable: everything is guarded by the lock.

    private struct State {
        var collection: Collection?
        /// The row that it was read from, if that is not known to have changed.
        var row: CBLStore.Document?
        package var revision: RevisionID?
        var sequence: UInt64 = 0
        var isDeleted = false
    }

    private let state: Mutex<State>
    /// Whether a filter looks at the document, which it may not change.
    let isLent: Bool

    /// Of a document that was never saved.
    init() {
        state = Mutex(State())
        isLent = false
    }

    package init(_ row: CBLStore.Document, in collection: Collection, isLent: Bool = false) {
        state = Mutex(
            State(
                collection: collection, row: row, revision: row.revision, sequence: row.sequence, isDeleted: row.isDeleted))
        self.isLent = isLent
    }

    /// Of a revision that is not in a row of its own.
    package init(revision: RevisionID?, in collection: Collection, isDeleted: Bool = false, isLent: Bool = false) {
        state = Mutex(State(collection: collection, row: nil, revision: revision, sequence: 0, isDeleted: isDeleted))
        self.isLent = isLent
    }

    init(copying other: DocumentPlace) {
        state = Mutex(other.state.withLock { $0 })
        isLent = false
    }

    var collection: Collection? { state.withLock { $0.collection } }
    var revision: RevisionID? { state.withLock { $0.revision } }
    var sequence: UInt64 { state.withLock { $0.sequence } }
    var isDeleted: Bool { state.withLock { $0.isDeleted } }
    /// Trees know no times.
    var timestamp: UInt64 { revision?.version?.time ?? 0 }

    /// What a save of it is to follow.
    var base: (row: CBLStore.Document?, revision: RevisionID?) { state.withLock { ($0.row, $0.revision) } }

    package func update(_ saved: SavedRevision, in collection: Collection, isDeleted: Bool) {
        state.withLock {
            $0 = State(collection: collection, row: nil, revision: saved.id, sequence: saved.sequence, isDeleted: isDeleted)
        }
    }

    /// Stands where another one stands.
    func adopt(_ other: DocumentPlace) {
        let adopted = other.state.withLock { $0 }
        state.withLock { $0 = adopted }
    }

    /// The history of the current revision as text.
    func history(of id: String) -> String? {
        guard let revision, let collection else { return nil }
        let history = try? collection.read { snapshot in
            try snapshot.document(id, in: collection.coreName)?.revisions().historyToSend(limit: nil, knownToReceiver: [])
        }
        return history.map(\.description) ?? revision.text
    }
}
