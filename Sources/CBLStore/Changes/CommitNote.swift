/// What a transaction changes, as far as that is known without looking at the file: so that those of this process who want to know of it can be told
/// at once.
struct CommitNote {
    struct Change {
        let keyStore: String
        /// Before it.
        let start: CollectionState
        /// How many documents got the sequences behind that, one after another, without a gap.
        var saved = 0
        /// Which they are, if anybody wants to know.
        var ids: [String] = []
        var lastSequence: UInt64
        var purges: Int

        /// Whether each sequence has its document, and there is nothing to be told that was not noted.
        var isWhole: Bool { lastSequence == start.lastSequence &+ UInt64(saved) }
    }

    /// Whether it says which documents it was.
    let hasIDs: Bool

    /// Of each key store, those of tombstones among them.
    private(set) var changes: [Change] = []
    /// Whether something was changed of which only a look can tell.
    private(set) var isPartial = false
    /// How many rows had been purged of the collections of which this transaction purges some.
    private var purgesBefore: [CollectionName: Int] = [:]
    /// The earliest of the expirations that were set, in milliseconds since 1970.
    private var expiration: Int64?

    init(hasIDs: Bool) { self.hasIDs = hasIDs }

    mutating func setPartial() { isPartial = true }

    /// What is stored of a key store, the first time that somebody asks for it.
    mutating func begin(_ keyStore: String, _ state: CollectionState) {
        guard !changes.contains(where: { $0.keyStore == keyStore }) else { return }
        changes.append(Change(keyStore: keyStore, start: state, lastSequence: state.lastSequence, purges: state.purges))
    }

    mutating func save(_ id: UnsafeRawBufferPointer, _ sequence: UInt64, in keyStore: String) {
        guard !isPartial else { return }
        guard let place = changes.firstIndex(where: { $0.keyStore == keyStore }) else { return setPartial() }
        changes[place].saved += 1
        guard hasIDs else { return }
        guard changes[place].ids.count < RemovalLog.mostIDs else { return setPartial() }
        changes[place].ids.append(String(decoding: id, as: UTF8.self))
    }

    mutating func expire(at time: Int64) { expiration = min(expiration ?? .max, time) }

    /// What is stored of a key store now.
    mutating func end(_ keyStore: String, lastSequence: UInt64, purges: Int) {
        guard let place = changes.firstIndex(where: { $0.keyStore == keyStore }) else { return setPartial() }
        changes[place].lastSequence = lastSequence
        changes[place].purges = purges
    }

    /// Of which collections rows were purged, and how many.
    var purges: [CollectionName: Int] {
        var purges: [CollectionName: Int] = [:]
        for change in changes where change.purges != change.start.purges {
            if let name = CollectionName(anyKeyStore: change.keyStore) { purges[name, default: 0] += change.purges - change.start.purges }
        }
        return purges
    }

    mutating func begin(purges: Int, of name: CollectionName) { purgesBefore[name] = purges }

    /// What a transaction inside this one changed.
    mutating func merge(_ inner: CommitNote) {
        isPartial = isPartial || inner.isPartial
        if let time = inner.expiration { expire(at: time) }
        for change in inner.changes {
            guard let place = changes.firstIndex(where: { $0.keyStore == change.keyStore }) else {
                changes.append(change)
                continue
            }
            changes[place].saved += change.saved
            changes[place].ids += change.ids
            changes[place].lastSequence = change.lastSequence
            changes[place].purges = change.purges
        }
        if changes.contains(where: { $0.ids.count > RemovalLog.mostIDs }) { setPartial() }
    }

    /// What is to be told; nil if that is not known.
    func told(_ removals: Removals) -> Told? {
        guard !isPartial, removals.expired.isEmpty, removals.collections.isEmpty else { return nil }
        var told: [CollectionName: Told.Collection] = [:]
        for change in changes where change.lastSequence != change.start.lastSequence || change.purges != change.start.purges {
            guard change.isWhole, let name = CollectionName(anyKeyStore: change.keyStore) else { return nil }
            told[name, default: Told.Collection()].purges += change.purges - change.start.purges
            guard change.keyStore == name.keyStore else { continue }
            told[name]?.start = change.start.lastSequence
            told[name]?.last = change.lastSequence
            told[name]?.ids = change.ids
        }
        for name in told.keys { told[name]?.purgesBefore = purgesBefore[name] }
        guard hasIDs else { return Told(collections: told, hasIDs: false, expiration: expiration) }
        for (name, removed) in removals.purged {
            guard let purged = removed.ids, removed.count == told[name]?.purges else { return nil }
            told[name]?.purged = purged
        }
        // Purges of which nobody has said what they were.
        guard told.allSatisfy({ $0.value.purges == removals.purged[$0.key]?.count ?? 0 }) else { return nil }
        return Told(collections: told, hasIDs: true, expiration: expiration)
    }

    /// What one commit did.
    struct Told {
        var collections: [CollectionName: Collection]
        /// Whether it is known which documents it was.
        var hasIDs: Bool
        /// The earliest of the expirations that were set.
        var expiration: Int64?
    }
}

extension CommitNote.Told {
    /// What one commit did to a collection.
    struct Collection {
        /// The last sequence before, and now; nil if nothing was saved.
        var start: UInt64?
        var last: UInt64?
        /// How many rows went.
        var purges = 0
        /// And how many had gone before; nil if none went.
        var purgesBefore: Int?
        var ids: [String] = []
        var purged: [String] = []

        /// All documents, each once, as a look tells them: in the order of their sequences, then those that were purged.
        var documentIDs: [String] {
            if purged.isEmpty { return savedIDs }
            let saved = savedIDs
            var known = Set(saved)
            return saved + purged.filter { known.insert($0).inserted }
        }

        /// Those that have a new sequence, and were not purged after all.
        var savedIDs: [String] {
            if ids.count < 2, purged.isEmpty { return ids }
            var known = Set(purged)
            return ids.reversed().filter { known.insert($0).inserted }.reversed()
        }

        /// The last sequence of one of them, `.some(nil)` if it was purged; nil if it is none of them.
        func sequence(of id: String) -> UInt64?? {
            if purged.contains(id) { return .some(nil) }
            guard let place = ids.lastIndex(of: id), let start else { return nil }
            return .some(start + UInt64(place) + 1)
        }
    }
}
