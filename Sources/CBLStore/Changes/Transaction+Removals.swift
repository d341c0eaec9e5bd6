import CBLSQLite

// What a transaction tells the hub.
extension Transaction {
    /// Who comes after the commit reads what it left, and misses nothing.
    private var hub: ChangeHub? { database.file.presentHub }
    /// Before 3.0, the file counts no purges; then it is known only here.
    var notesPurges: Bool { wantsRemovedIDs || !generation.countsPurges }
    var wantsRemovedIDs: Bool { hub?.wantsDocumentIDs ?? false }

    /// A document was purged, or has gone elsewhere; nil for one without a name.
    func notePurged(_ id: String?, from collection: CollectionName) {
        if notesPurges { removals.notePurged(id, from: collection) }
    }

    func countKnownPurges(_ count: Int, in keyStore: String) {
        guard notesPurges else { return }
        if let name = CollectionName(anyKeyStore: keyStore) { removals.countPurged(count, from: name) }
    }

    /// Before the outermost transaction is committed. Gives what is to be taken back if that fails.
    func noteRemovals() throws -> Int? {
        guard isOutermost else { return nil }
        if !generation.countsPurges { removals.takePurgedForExpired() }
        guard let hub, hub.wantsDocumentIDs, !removals.purged.isEmpty else { return nil }
        var noted: [CollectionName: (removed: RemovalLog.Removed, end: Int)] = [:]
        for (name, removed) in removals.purged where hasCollection(name) { noted[name] = (removed, try purgeCount(of: name)) }
        return hub.removals.notePurged(noted)
    }

    /// The collections are there again.
    func takeBackDeletions() {
        guard !removals.collections.isEmpty else { return }
        database.file.deletions.withLock { deletions in
            for name in removals.collections {
                if let place = deletions.lastIndex(of: name) { deletions.remove(at: place) }
            }
        }
    }

    /// The outermost transaction is just being committed: what the kernel tells of that is nothing new.
    func willCommit() {
        guard note != nil, let hub else { return }
        committing = hub
        hub.beginCommit()
    }

    func hasNotCommitted() {
        committing?.endCommit()
        committing = nil
    }

    /// After it.
    func tellOfCommit() {
        defer { hasNotCommitted() }
        guard let hub else { return }
        hub.removals.noteExpired(removals.expired, keepsIDs: hub.wantsDocumentIDs)
        if hub === committing, let told = note?.told(removals), hub.tell(told) { return }
        hub.signal()
    }
}
