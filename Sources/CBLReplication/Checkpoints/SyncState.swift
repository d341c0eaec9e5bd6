import CBLBase
import CBLStore

/// How far a collection has been replicated with a remote database, as far as the file tells.
package struct SyncState: Sendable {
    package let remote: UInt16
    package let collection: CollectionName
    /// Nil if none is kept, or one of a replication with filters, whose names cannot be found out.
    package let checkpoint: Checkpoint?
    /// When it was saved, in seconds since 1970, if it says so.
    package let time: Int64?
    /// How many documents have a current revision that the remote is not known to have.
    package let pending: Int
    /// Whether they were looked at one by one. Otherwise there can be fewer.
    package let isExact: Bool
}

extension Snapshot {
    /// The states of all remotes and all collections that have to do with each other. No more than so many documents are looked at for each.
    package func syncStates(lookingAtMost limit: Int) throws -> [SyncState] {
        let remotes = try remotes().sorted { $0.key < $1.key }
        guard !remotes.isEmpty else { return [] }
        var uuids = [privateUUID].compactMap { $0 }
        // A copy goes on with the checkpoints of the original.
        if let previous = try previousPrivateUUID { uuids.append(previous) }
        return try remotes.flatMap { number, url in
            try collections().compactMap { collection -> SyncState? in
                let found = try checkpoint(of: collection, with: url, uuids)
                let checkpoint = found.map { Checkpoint(json: $0) }
                let (pending, synced, isExact) = try pendingCount(of: collection, remote: number, since: checkpoint, limit)
                // Nothing says that this collection is replicated with that remote.
                if checkpoint == nil, synced == 0, isExact || !collection.isDefault { return nil }
                return SyncState(
                    remote: number, collection: collection, checkpoint: checkpoint, time: found.flatMap { Checkpoint.time(json: $0) },
                    pending: pending,
                    isExact: isExact)
            }
        }
    }

    private func checkpoint(of collection: CollectionName, with url: String, _ uuids: [UniqueID]) throws -> [UInt8]? {
        for (pushes, pulls) in [(true, true), (true, false), (false, true)] {
            let scope = CheckpointScope(collection: collection, pushes: pushes, pulls: pulls, remote: url)
            for (number, uuid) in uuids.enumerated() {
                let ids = try number == 0 ? [scope.checkpointID(privateUUID: uuid)] : scope.formerCheckpointIDs(previousUUID: uuid)
                for id in ids { if let body = try checkpoint(id) { return body } }
            }
        }
        return nil
    }

    /// Documents behind the checkpoint that a push would send; and how many the remote is known to have.
    private func pendingCount(
        of collection: CollectionName, remote: UInt16, since checkpoint: Checkpoint?, _ limit: Int
    ) throws -> (pending: Int, synced: Int, isExact: Bool) {
        let last = try lastSequence(of: collection)
        let checkpoint = checkpoint ?? Checkpoint()
        guard last > checkpoint.local else { return (0, 0, true) }
        let behind = Int(clamping: last - checkpoint.local)
        // Without an index by sequence all documents would have to be read to find these.
        guard try hasSequenceIndex(of: collection) ? behind <= limit : isSmall(collection, limit) else { return (behind, 0, false) }
        var (pending, synced) = (0, 0)
        try forEachChange(in: collection, since: checkpoint.local, remote: remote) { document in
            if document.isPending(checkpoint) { pending += 1 }
            if document.remoteRevision == document.revision { synced += 1 }
        } damaged: { document in
            if document.isPending(checkpoint) { pending += 1 }
        }
        return (pending, synced, true)
    }
}
