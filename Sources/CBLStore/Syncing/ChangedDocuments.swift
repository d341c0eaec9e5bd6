import CBLSQLite

/// A document that changed, and what a replication must know of it. Revisions are named as other databases name them.
package struct ChangedDocument: Hashable, Sendable {
    package let id: String
    package let sequence: UInt64
    package let revision: RevisionID
    package let isDeleted: Bool
    /// The revision of the remote that was asked for competes with the current one. (Another remote's is no obstacle.)
    package let isConflicted: Bool
    /// Its time has come, though nobody has removed it yet.
    package let isExpired: Bool
    package let bodySize: Int
    /// The latest revision known on the remote that was asked for.
    package let remoteRevision: RevisionID?
}

/// A document that changed, and of which nothing can be read but that.
package struct DamagedChange: Hashable, Sendable {
    package let id: String
    package let sequence: UInt64
    /// What is wrong with it.
    package let problem: String
}

/// Changes in the order of their sequences. Those that cannot be read are in a list of their own, so that one does not hide the others.
package struct ChangedDocuments: Sendable {
    package var readable: [ChangedDocument] = []
    package var damaged: [DamagedChange] = []

    package var count: Int { readable.count + damaged.count }
    /// All up to here were looked at; nil if there are none.
    package var lastSequence: UInt64? {
        guard let last = readable.last?.sequence else { return damaged.last?.sequence }
        return max(last, damaged.last?.sequence ?? 0)
    }
}

extension Snapshot {
    /// The documents of a collection that changed after a sequence, tombstones too, in the order of their sequences. A damaged one is an error.
    package func changedDocuments(
        in collection: CollectionName = .default, since: UInt64, limit: Int, remote: UInt16, now: Int64 = Transaction.now
    ) throws -> [ChangedDocument] {
        let changes = try changes(in: collection, since: since, limit: limit, remote: remote, now: now)
        if let damaged = changes.damaged.first { throw StoreError(.corrupt, damaged.problem) }
        return changes.readable
    }

    /// The same, with those that are damaged.
    package func changes(
        in collection: CollectionName = .default, since: UInt64, limit: Int, remote: UInt16, now: Int64 = Transaction.now
    ) throws -> ChangedDocuments {
        var options = ScanOptions(order: .sequence, content: .everything)
        options.includesDeleted = true
        options.since = since
        options.limit = limit
        let cursor = try scan(collection, options)
        defer { cursor.close() }
        var changes = ChangedDocuments()
        while try cursor.next() {
            do {
                changes.readable.append(try change(at: cursor, remote: remote, now: now))
            } catch let error as StoreError where error.code == .corrupt {
                changes.damaged.append(DamagedChange(id: cursor.id, sequence: cursor.sequence, problem: error.message))
            }
        }
        return changes
    }

    private func change(at cursor: DocumentCursor, remote: UInt16, now: Int64) throws -> ChangedDocument {
        let id = cursor.id
        let known = remote == 0 ? nil : try cursor.revisionsInPlace().latest(onRemote: remote)
        return ChangedDocument(
            id: id, sequence: cursor.sequence, revision: global(try cursor.revision()), isDeleted: cursor.isDeleted,
            isConflicted: known?.competes ?? false, isExpired: cursor.expiration.map { $0 <= now } ?? false,
            bodySize: cursor.bodySize, remoteRevision: known.map { global($0.id) })
    }

    /// The documents that wait for somebody to settle a conflict.
    package func conflictedDocuments(in collection: CollectionName = .default) throws -> [String] {
        var options = ScanOptions(order: .id, content: .id)
        options.includesDeleted = true
        options.onlyConflicts = true
        let cursor = try scan(collection, options)
        defer { cursor.close() }
        var ids: [String] = []
        while try cursor.next() { ids.append(cursor.id) }
        return ids
    }
}

// The own versions are stored as `*`, and known to others by the database's UUID.
extension Snapshot {
    /// What others call a revision.
    package func global(_ id: RevisionID) -> RevisionID { replace(.local, by: sourceID, in: id) }
    package func global(_ history: RevisionHistory) -> RevisionHistory { history.replacing(.local, by: sourceID) }
    /// What a revision that others name is called here.
    package func local(_ id: RevisionID) -> RevisionID { replace(sourceID, by: .local, in: id) }

    private func replace(_ source: SourceID, by other: SourceID, in id: RevisionID) -> RevisionID {
        guard let version = id.version, version.source == source else { return id }
        return RevisionID(Version(time: version.time, source: other))
    }
}
