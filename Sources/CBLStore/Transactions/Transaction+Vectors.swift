import CBLFleece

// Documents of a database with version vectors. What was a revision tree becomes vectors when it is saved.
extension Transaction {
    /// Makes a new revision of a document.
    func saveVectors(
        _ id: UnsafeRawBufferPointer, _ tables: CollectionTables, _ old: Record?, _ revision: Revision, hasAttachments: Bool, parent: Parent
    ) throws -> SavedRevision {
        var revisions = try old?.vectors(source: sourceID) ?? VectorRevisions()
        let parentID: RevisionID? =
            switch parent {
            case .current: revisions.current?.id
            case .none: nil
            case .revision(let id): id
            }
        var flags: DocumentFlags = revision.isDeleted ? [.deleted] : []
        if hasAttachments { flags.insert(.hasAttachments) }
        let isCreated = !revision.isDeleted && old?.flags.contains(.deleted) ?? true
        let saved = try revisions.addRevision(
            after: parentID, properties: revision.body, flags: flags, clock: &writer.clock,
            wallClock: writer.wallClock())
        try propose(id, tables, replacing: old, revision, parent: parentID)
        let sequence = try put(id, tables, replacing: old, revisions.prepareSave())
        journalSave(id, tables, replacing: old, sequence)
        noteRevision(String(decoding: id, as: UTF8.self), tables, NotedRevision(saved, isDeleted: revision.isDeleted, in: revisions))
        return SavedRevision(id: saved, sequence: sequence, isCreated: isCreated, isNew: true)
    }

    /// Adds a revision that was made elsewhere to a database with version vectors. Its history may name this database by `*` or by its UUID.
    @discardableResult
    package func insertExisting(
        _ id: String, in collection: CollectionName = .default, history: RevisionHistory, body: FleeceData, isDeleted: Bool = false,
        remote: UInt16 = 0
    ) throws -> VectorRevisions.Received {
        try DocumentRules.check(id: id)
        return try insert(id, tables(collection), history, body, isDeleted: isDeleted, remote: remote).change
    }

    /// Notes that a remote has a version that the current one knows of.
    func noteLatestVersion(_ revision: RevisionID, of id: String, in collection: CollectionName, onRemote remote: UInt16) throws {
        _ = try changeVectors(id, tables(collection)) { try ($0.noteLatest(revision, onRemote: remote), true) }
    }

    /// Notes that a remote has deleted a document, which is here without knowing of that: it does now, and is newer.
    package func noteDeletion(_ revision: RevisionID, of id: String, in collection: CollectionName, onRemote remote: UInt16) throws {
        _ = try changeVectors(id, tables(collection)) { try ($0.noteDeletion(revision, onRemote: remote), true) }
    }

    func insertExistingVectors(
        _ id: String, _ tables: CollectionTables, _ ids: [RevisionID], _ body: FleeceData?, isDeleted: Bool, remote: UInt16
    ) throws -> Inserted {
        let history: RevisionHistory
        do { history = try RevisionHistory(ids) } catch { throw Transaction.refused(error, id) }
        let result = try insert(id, tables, history, body ?? .emptyDictionary, isDeleted: isDeleted, remote: remote)
        let isNew = result.change == .current || result.change == .conflict
        return Inserted(addedCount: isNew ? 1 : 0, sequence: result.sequence, isConflicted: result.revisions.isConflicted)
    }

    private func insert(
        _ id: String, _ tables: CollectionTables, _ history: RevisionHistory, _ body: FleeceData, isDeleted: Bool, remote: UInt16
    ) throws -> (change: VectorRevisions.Received, sequence: UInt64, revisions: VectorRevisions) {
        var flags: DocumentFlags = isDeleted ? [.deleted] : []
        if try refersToBlobs(body) { flags.insert(.hasAttachments) }
        let revision = asLocal(history).revision
        try propose(id, tables, revision, parent: history.treeIDs.first, body, isDeleted: isDeleted)
        let result = try changeVectors(id, tables, mayCreate: true) { revisions in
            let received = try revisions.insert(
                history: asLocal(history), properties: body, flags: flags, remote: remote, keys: sharedKeys, clock: &writer.clock,
                wallClock: writer.wallClock())
            return (received, received != .ignored)
        }
        if let revision, result.change == .current || result.change == .conflict {
            noteRevision(id, tables, NotedRevision(revision, isDeleted: isDeleted, in: result.revisions))
        }
        return result
    }

    /// Inside a database, its own changes are marked `*`.
    private func asLocal(_ history: RevisionHistory) -> RevisionHistory { history.replacing(sourceID, by: .local) }

    func resolveVectors(
        _ id: String, _ tables: CollectionTables, winner: RevisionID, loser: RevisionID, merged: FleeceData?, mergedIsDeleted: Bool
    ) throws -> SavedRevision {
        var merge: VectorRevisions.Merged?
        if let merged {
            var flags: DocumentFlags = mergedIsDeleted ? [.deleted] : []
            if try refersToBlobs(merged) { flags.insert(.hasAttachments) }
            merge = VectorRevisions.Merged(properties: merged, flags: flags)
        }
        let result = try changeVectors(id, tables) { revisions in
            let id = try revisions.resolveConflict(
                winner: winner, loser: loser, merged: merge, keys: sharedKeys, clock: &writer.clock, wallClock: writer.wallClock())
            return (id, true)
        }
        noteRevision(
            id, tables, NotedRevision(result.change, isDeleted: result.revisions.current?.isDeleted ?? false, in: result.revisions))
        return SavedRevision(id: result.change, sequence: result.sequence, isCreated: false, isNew: true)
    }

    /// Reads what a document remembers, lets `change` change it, and saves it if that says so.
    func changeVectors<Change>(
        _ id: String, _ tables: CollectionTables, mayCreate: Bool = false,
        _ change: (inout VectorRevisions) throws -> (Change, needsSave: Bool)
    ) throws -> (change: Change, sequence: UInt64, revisions: VectorRevisions) {
        guard versioning == .vectors else { throw StoreError(.unsupported, "the database has revision trees, and no version vectors") }
        let old = try record(id, in: tables)
        guard old != nil || mayCreate else { throw Transaction.missing(id) }
        do {
            var revisions = try old?.vectors(source: sourceID) ?? VectorRevisions()
            let (change, needsSave) = try change(&revisions)
            guard needsSave else { return (change, old?.sequence ?? 0, revisions) }
            let outcome = try revisions.prepareSave()
            var id = id
            let sequence = try id.withUTF8 { try put(UnsafeRawBufferPointer($0), tables, replacing: old, outcome) }
            return (change, sequence, revisions)
        } catch let error as RevisionError {
            throw Transaction.refused(error, id)
        }
    }
}

extension RevisionHistory {
    /// A history given as a list: versions, the current one first, and tree IDs behind them.
    init(_ ids: [RevisionID]) throws(RevisionError) {
        let versions = ids.compactMap(\.version)
        guard ids.prefix(versions.count).allSatisfy(\.isVersion) else { throw .badHistory(reason: "a version follows a tree ID") }
        self.init(
            vector: versions.isEmpty ? VersionVector() : try VersionVector(versions), treeIDs: Array(ids.dropFirst(versions.count)))
    }
}

extension Transaction.NotedRevision {
    init(_ revision: RevisionID, isDeleted: Bool, in revisions: VectorRevisions) {
        self.init(
            revision: revision, isDeleted: isDeleted, isCurrent: revisions.current?.id == revision, isConflict: revisions.isConflicted)
    }

    init(_ revision: RevisionID, isDeleted: Bool, in tree: RevisionTree) {
        self.init(revision: revision, isDeleted: isDeleted, isCurrent: tree.current?.id == revision, isConflict: tree.isConflicted)
    }
}
