import CBLStore

// What a database has that a remote does not: what a push would send, and what it would leave behind.
extension ReplicatedDatabase {
    /// The documents with changes that a push would send, in the order of the changes.
    package func pendingDocuments() throws -> [String] {
        try database.read { snapshot in
            let checkpoint = try snapshot.checkpoint(checkpointID).map { Checkpoint(json: $0) } ?? Checkpoint()
            var pending: [String] = []
            try snapshot.forEachChange(in: collection, since: checkpoint.local, remote: remote) { document in
                if document.isPending(checkpoint), try isToBePushed(document, snapshot) { pending.append(document.id) }
            } damaged: { document in
                if document.isPending(checkpoint), documentIDs?.contains(document.id) ?? true { pending.append(document.id) }
            }
            return pending
        }
    }
}

extension ReplicatedDatabase {
    /// Whether a push would send a document.
    package func isPending(_ id: String) throws -> Bool {
        try database.read { snapshot in
            guard let sequence = try snapshot.document(id, in: collection)?.sequence, sequence > 0 else { return false }
            let checkpoint = try snapshot.checkpoint(checkpointID).map { Checkpoint(json: $0) } ?? Checkpoint()
            let found = try snapshot.changes(in: collection, since: sequence - 1, limit: 1, remote: remote)
            if let damaged = found.damaged.first { return damaged.isPending(checkpoint) && documentIDs?.contains(id) ?? true }
            guard sequence > checkpoint.local, let document = found.readable.first, document.isPending(checkpoint) else { return false }
            return try isToBePushed(document, snapshot)
        }
    }
}

extension ReplicatorSettings {
    /// A collection as a replicator with these settings would see it, for questions about what is pending. Nothing is written.
    package func replicated(_ name: CollectionName, of database: Database) throws -> ReplicatedDatabase? {
        guard let wanted = collections.first(where: { $0.name == name }) else { return nil }
        let peer = try SessionPlan.peerID(self)
        let number = try database.read { try $0.remotes() }.first { $0.value == peer }?.key
        let store = try SessionPlan.store(wanted, database, peer: peer, number: number ?? 0)
        guard case .couch(let couch) = self.peer else { return store }
        var plain = store.withoutNotes
        plain.checkpointID = try CouchCheckpointScope(wanted, couch, pushes: true, in: database).id()
        return plain
    }
}

extension ChangedDocument {
    /// Whether the remote is not known to have the current revision.
    var isNewToRemote: Bool { remoteRevision != revision }

    /// Whether a push has to do with it at all: not while the remote's revision competes with it, nor when its time has come.
    var isPushable: Bool { !isConflicted && !isExpired }

    /// Whether a push would send it, filters aside. A pusher decides by the same.
    func isPending(_ checkpoint: Checkpoint) -> Bool {
        isPushable && isNewToRemote && !checkpoint.completed.contains(sequence)
    }
}

extension DamagedChange {
    /// A push tries it again each time.
    func isPending(_ checkpoint: Checkpoint) -> Bool { !checkpoint.completed.contains(sequence) }
}

extension Snapshot {
    private static var page: Int { 1000 }

    /// The number under which documents note what a peer has, which is named as people name it: the URL of a server's database, or the path of
    /// another one. Nil if nothing is known of it.
    package func remoteNumber(of peer: String) throws -> UInt16? {
        try remotes().filter { SyncEndpoint.removed(from: $0.value) == peer }.map(\.key).min()
    }

    /// How many documents have changed since they came from a peer or were pushed to it, in all collections: what would be lost with the database.
    /// With conflicts, and with what is damaged.
    package func changedCount(sincePushedTo peer: String) throws -> Int {
        guard let remote = try remoteNumber(of: peer) else { return 0 }
        var count = 0
        for collection in collections() {
            try forEachChange(in: collection, since: 0, remote: remote) { document in
                if document.isNewToRemote { count += 1 }
            } damaged: { _ in
                count += 1
            }
        }
        return count
    }

    /// The documents that a push leaves behind in silence, since what came from this very peer competes with them.
    package func conflicts(with peer: String, in collection: CollectionName = .default) throws -> [String] {
        guard let remote = try remoteNumber(of: peer) else { return [] }
        return try conflictedDocuments(in: collection).filter {
            try withRevisions(of: $0, in: collection) { revisions in
                let latest = revisions.latest(onRemote: remote)?.id
                return revisions.competitors.contains { $0.revision == latest }
            } ?? false
        }
    }

    /// All documents that changed after a sequence, a page at a time; of each page those that are damaged come last.
    func forEachChange(
        in collection: CollectionName, since: UInt64, remote: UInt16, _ body: (ChangedDocument) throws -> Void,
        damaged: (DamagedChange) throws -> Void
    ) throws {
        var last = since
        while true {
            let documents = try changes(in: collection, since: last, limit: Snapshot.page, remote: remote)
            for document in documents.readable { try body(document) }
            for document in documents.damaged { try damaged(document) }
            guard let next = documents.lastSequence, documents.count == Snapshot.page else { return }
            last = next
        }
    }
}
