import CBLStore

// Conflicts that a pull brings, or finds, and the rule that was given for them.
extension CouchPuller {
    struct Conflict {
        let received: RevisionID
        /// What was the current revision here, where one of the two is a deletion.
        let rival: RevisionID?
        let there: Branches

        /// Whether what was received is what the server shows of the document.
        var isWithCurrent: Bool { received.name == there.leaves.first }
    }

    /// What a row says of a document that the server has.
    struct Branches {
        /// The current one first.
        let leaves: [String]
        /// Whether all of these are deletions.
        let isGone: Bool
    }

    /// Whether a revision that came and what was here are two wishes. Branches that have ended are none: so the document has to be deleted there
    /// altogether; and a deletion of ours that the server knows was outlived by something there.
    func conflict(
        _ wanted: RemoteDatabase.Wanted, _ message: RevisionMessage, isConflict: Bool, beside rival: RevisionID?
    ) throws -> Conflict? {
        guard !keepsConflicts, let received = message.revision else { return nil }
        let there = Branches(leaves: wanted.leaves, isGone: wanted.isGone)
        if let rival, let document = try store.database.read({ try $0.document(wanted.id, in: store.collection) }) {
            let isRivalDeleted = try document.revisions().openLeaf(rival)?.isDeleted
            let competes = message.isDeleted ? wanted.isGone && isRivalDeleted == false : isRivalDeleted == true
            if competes, !wanted.leaves.contains(rival.name) {
                return Conflict(received: received, rival: rival, there: there)
            }
        }
        if isConflict { return Conflict(received: received, rival: nil, there: there) }
        // What could not be settled before is beside what goes on from there.
        return wanted.isGone ? try leftConflict(wanted.id, there) : nil
    }

    /// What is in conflict though nothing new comes: it came without a rule, or it could not be settled when it did.
    func leftConflicts(_ rows: [RemoteChanges.Row]) throws -> ByDocument<Conflict> {
        var conflicts: ByDocument<Conflict> = [:]
        try store.database.read { snapshot in
            for row in rows {
                conflicts[row.documentID] = leftConflict(row.documentID, Branches(leaves: row.revisions, isGone: row.isDeleted), snapshot)
            }
        }
        return conflicts
    }

    private func leftConflict(_ id: String, _ there: Branches) throws -> Conflict? {
        try store.database.read { leftConflict(id, there, $0) }
    }

    private func leftConflict(_ id: String, _ there: Branches, _ snapshot: Snapshot) -> Conflict? {
        let relatives = try? snapshot.document(id, in: store.collection).map { try KnownRevisions($0) }
        guard let leaves = relatives?.leaves.filter({ $0.flags.isOpenLeaf }), leaves.count > 1 else { return nil }
        func isThere(_ revision: StoredRevision) -> Bool { there.leaves.contains(revision.id.name) }
        // Of branches that are here and there none says where it was made; but what was made there came last, as a rule.
        let live = leaves.filter { !$0.isDeleted }.sorted { isThere($0) == isThere($1) ? $0.sequence < $1.sequence : isThere($1) }
        if live.count > 1, let received = live.last { return Conflict(received: received.id, rival: nil, there: there) }
        guard let shown = leaves.first(where: { $0.id.name == there.leaves.first }), !shown.isDeleted || there.isGone,
            let rival = leaves.first(where: { $0.isDeleted != shown.isDeleted && !isThere($0) })
        else { return nil }
        return Conflict(received: shown.id, rival: rival.id, there: there)
    }

    /// Ends conflicts, by the rule that was given. Whatever is thrown, they are found again.
    func settle(_ conflicts: ByDocument<Conflict>) throws {
        let conflicts = conflicts.sorted
        guard !conflicts.isEmpty else { return }
        try progress.alone(with: conflicts.map(\.id)) { try settle(conflicts) }
    }

    private func settle(_ conflicts: [(id: String, value: Conflict)]) throws {
        var shared = try sharedRevisions(conflicts.map(\.id))
        for (id, conflict) in conflicts {
            shared[id]?.insert(conflict.received)
            var next: Conflict? = conflict
            var count = 0
            do {
                // There may be more than two branches.
                while let pair = next, count < CouchPuller.mostBranches {
                    try store.resolve(id, received: pair.received, rival: pair.rival, shared: shared[id])
                    next = try leftConflict(id, conflict.there)
                    count += 1
                }
            } catch {
                report(id, conflict.received, false, ReplicatedDatabase.translate(error))
            }
        }
    }

    private static let mostBranches = 100

    /// What the server has of the branches of documents, above what they have in common. A row of its changes does not say it: it may be older
    /// than what was pushed since. Nothing of documents that have no trees.
    private func sharedRevisions(_ ids: [String]) throws -> ByDocument<Set<RevisionID>> {
        var branches: ByDocument<Set<RevisionID>> = [:]
        try store.database.read { snapshot in
            for id in ids {
                guard let document = try snapshot.document(id, in: store.collection), try document.revisions().tree != nil else { continue }
                let relatives = try KnownRevisions(document)
                let histories = relatives.leaves.filter { $0.flags.isOpenLeaf }.map { Set(relatives.history(of: $0.id).map(\.id)) }
                guard let first = histories.first else { continue }
                let common = histories.reduce(first) { $0.intersection($1) }
                branches[id] = histories.reduce(first) { $0.union($1) }.subtracting(common)
            }
        }
        let asked = branches.sorted.map { (id: $0.id, revisions: $0.value.map(\.name).sorted()) }.filter { !$0.revisions.isEmpty }
        guard !asked.isEmpty else { return branches }
        let differences: ByDocument<RemoteDatabase.Difference>
        do { differences = try remote.difference(asked) } catch let error as SyncError
            where [401, 403, 404, 405].contains(error.httpStatus)
        {
            // Who may not ask that has pushed nothing.
            for (id, _) in branches.sorted { branches[id] = [] }
            return branches
        }
        for (id, revisions) in branches.sorted {
            let missing = Set(differences[id]?.missing ?? [])
            branches[id] = revisions.filter { !missing.contains($0.name) }
        }
        return branches
    }
}
