import CBLFleece

/// What became of a document when a step was taken back.
package struct TakenBack: Sendable {
    package enum Action: Sendable {
        /// It is what it was.
        case reverted, undeleted, deleted
        /// It is there again, revisions and all.
        case restored
        /// It came with the step, and nobody else has heard of it.
        case purged
        case moved(from: CollectionName, String)
        /// Its expiration alone is what it was.
        case expiration
        /// Somebody has changed it since, or what it was in is gone.
        case leftAlone
    }

    package let action: Action
    package let collection: CollectionName
    package let id: String
    package var revision: RevisionID?
    /// What it has now.
    package var sequence: UInt64?
    /// What it had before the step.
    var sequenceBefore: UInt64?
}

extension Transaction {
    /// Gives the documents that some steps changed, the newest of the journal, what they were before, with new revisions. Whatever was changed
    /// since stays as it is. `ChangeJournal.finish` is to be told once it is committed.
    package func takeBack(_ steps: [ChangeJournal.Step], _ each: () throws -> Void = {}) throws -> [TakenBack] {
        let journal = self.journal
        self.journal = nil
        defer { self.journal = journal }
        var (sequences, results) = (NewSequences(), [TakenBack]())
        for step in steps.reversed() {
            for var change in step.folded.reversed() {
                try each()
                sequences.apply(to: &change)
                let taken = try takeBack(change)
                sequences.note(taken)
                results.append(taken)
            }
        }
        return results
    }

    private func takeBack(_ change: ChangeJournal.Change) throws -> TakenBack {
        let (collection, id) = change.place
        var taken = TakenBack(action: .leftAlone, collection: collection, id: id)
        guard hasCollection(change.collection), hasCollection(collection) else { return taken }
        let current = try record(id, in: tables(collection))
        guard current?.sequence == change.sequence else { return taken }
        if case .moved = change.kind {
            guard try record(change.id, in: tables(change.collection)) == nil else { return taken }
            taken = TakenBack(action: .moved(from: collection, id), collection: change.collection, id: change.id)
            taken.sequence = try move(id, from: collection, to: change.collection, newID: change.id)
        } else if case .expiration = change.kind {
            taken = TakenBack(action: .expiration, collection: collection, id: id)
            taken.sequence = change.sequence
        } else if let old = change.old {
            try restore(old, in: current, &taken)
        } else if let current {
            try removeNew(current, &taken)
        }
        taken.sequenceBefore = change.old?.sequence
        if let old = change.old, old.expiration != current?.expiration, taken.sequence != nil {
            try setExpiration(change.id, in: change.collection, old.expiration)
        }
        return taken
    }

    /// Puts what was there in the place of what is there.
    private func restore(_ old: Record, in current: Record?, _ taken: inout TakenBack) throws {
        guard let current else {
            taken = TakenBack(action: .restored, collection: taken.collection, id: taken.id)
            var (record, id) = (old, taken.id)
            let tables = try tables(taken.collection)
            record.sequence = try nextSequence(tables)
            record.subsequence = 0
            try id.withUTF8 { try insertMoved(UnsafeRawBufferPointer($0), tables, record) }
            taken.sequence = record.sequence
            return
        }
        let before = try Document(taken.id, in: taken.collection, old, source: sourceID)
        let isGone = current.flags.contains(.deleted)
        if before.isDeleted, isGone {
            taken = TakenBack(action: .deleted, collection: taken.collection, id: taken.id, sequence: current.sequence)
            return
        }
        let saved =
            before.isDeleted
            ? try delete(taken.id, in: taken.collection, body: before.body) : try save(taken.id, in: taken.collection, body: before.body)
        taken = TakenBack(
            action: before.isDeleted ? .deleted : isGone ? .undeleted : .reverted, collection: taken.collection, id: taken.id,
            revision: saved.id, sequence: saved.sequence)
    }

    /// Removes a document that was not there. One that replication has told others of leaves a tombstone, for them to hear.
    private func removeNew(_ current: Record, _ taken: inout TakenBack) throws {
        let isKnown = try versioning == .vectors ? !current.vectors(source: sourceID).remotes.isEmpty : !current.tree().remotes.isEmpty
        if !isKnown || current.flags.contains(.deleted) {
            taken = TakenBack(action: .purged, collection: taken.collection, id: taken.id)
            try purge(taken.id, in: taken.collection)
        } else {
            let saved = try delete(taken.id, in: taken.collection)
            taken = TakenBack(
                action: .deleted, collection: taken.collection, id: taken.id, revision: saved.id, sequence: saved.sequence)
        }
    }
}

extension ChangeJournal.Step {
    /// One change for each document: from what it was before the step to what the step left.
    fileprivate var folded: [ChangeJournal.Change] {
        struct Place: Hashable {
            let collection: CollectionName
            let id: [UInt8]
        }
        var result: [ChangeJournal.Change] = []
        var known: [Place: Int] = [:]
        for change in changes {
            let place = Place(collection: change.collection, id: Array(change.id.utf8))
            if case .moved(let collection, let id) = change.kind {
                known[place] = nil
                known[Place(collection: collection, id: Array(id.utf8))] = nil
                result.append(change)
            } else if let index = known[place] {
                let first = result[index]
                var kind = first.kind
                if case .expiration = kind { kind = change.kind }
                result[index] = ChangeJournal.Change(
                    kind: kind, collection: first.collection, id: first.id, old: first.old, sequence: change.sequence)
            } else {
                known[place] = result.count
                result.append(change)
            }
        }
        return result
    }
}

// What the journal is told.
extension Transaction {
    /// A save is about to replace `old`.
    func journalSave(_ id: UnsafeRawBufferPointer, _ tables: CollectionTables, replacing old: Record?, _ sequence: UInt64) {
        guard let journal else { return }
        let id = String(decoding: id, as: UTF8.self)
        journal.append(ChangeJournal.Change(kind: .saved, collection: tables.name, id: id, old: old, sequence: sequence))
    }

    /// Something other than a save is about to be done to a document.
    func journal(_ kind: ChangeJournal.Change.Kind, _ id: String, in tables: CollectionTables) throws {
        guard let journal, journal.isKeeping, let old = try record(id, in: tables) else { return }
        var sequence: UInt64?
        if case .expiration = kind { sequence = old.sequence }
        journal.append(ChangeJournal.Change(kind: kind, collection: tables.name, id: id, old: old, sequence: sequence))
    }

    /// Documents were inserted in bulk behind a sequence.
    func journalInsertions(_ tables: CollectionTables, count: Int, behind sequence: UInt64) throws {
        guard let journal, journal.isKeeping, count > 0 else { return }
        guard count <= journal.mostChanges else { return journal.giveUp() }
        try connection.withStatement("SELECT key, sequence FROM \(tables.live.quotedName) WHERE sequence > ?") { row in
            try row.bind(Int64(bitPattern: sequence), 1)
            while try row.step() {
                guard let id = row.string(0) else { continue }
                let sequence = UInt64(bitPattern: row.int64(1))
                journal.append(ChangeJournal.Change(kind: .saved, collection: tables.name, id: id, old: nil, sequence: sequence))
            }
        }
    }
}

extension Database {
    /// Has what is saved, deleted, purged and moved through this object from now on noted. What replication brings and what settles a conflict is
    /// not.
    package func setJournal(_ new: ChangeJournal?) { journal.withLock { $0 = new } }
}
