import CBLFleece

extension VectorRevisions {
    /// Makes a new current revision, edited here from the one that the caller started from. Without a parent a tombstone may be brought back to
    /// life, but nothing that lives is replaced. Of the flags, `deleted` and `hasAttachments` count.
    @discardableResult
    package mutating func addRevision(
        after parent: RevisionID?, properties: FleeceData, flags: DocumentFlags = [], clock: inout HybridClock, wallClock: UInt64
    ) throws(RevisionError) -> RevisionID {
        let isDeleting = flags.contains(.deleted)
        if let current {
            if let parent {
                guard names(parent, current.version) else { throw .conflict }
            } else {
                guard current.isDeleted, !isDeleting else { throw .conflict }
            }
        } else if parent != nil || isDeleting {
            throw .notFound
        }
        let vector = try (current?.version.vector ?? VersionVector()).addingLocalVersion(&clock, wallClock: wallClock)
        if let treeID = current?.version.treeID { legacyParent = treeID }
        setCurrent(Revision(version: .vector(vector), properties: properties, flags: flags.intersection([.deleted, .hasAttachments])))
        // What competed may have been an older version of this database's own.
        endSettledConflicts()
        guard let id = current?.id else { throw .notFound }
        return id
    }

    /// What became of a revision that exists elsewhere.
    package enum Received: Hashable, Sendable {
        /// It is the current one now.
        case current
        /// It was known, or is an ancestor of the current one: only what the remote has was noted.
        case known
        /// It competes with the current one.
        case conflict
        /// Nothing is to be saved.
        case ignored
    }

    /// Takes in a revision that exists elsewhere. Its history names this database by `*`. `remote` is where it comes from, 0 for nowhere: then
    /// a conflict is an error. `keys` are the database's, for comparing properties.
    package mutating func insert(
        history new: RevisionHistory, properties: FleeceData, flags: DocumentFlags, remote: UInt16 = 0, keys: SharedKeys? = nil,
        clock: inout HybridClock, wallClock: UInt64
    ) throws(RevisionError) -> Received {
        guard new.revision != nil else { throw .badHistory(reason: "it is empty") }
        let wasConflicted = isConflicted
        defer { if wasConflicted { tellIfSettled() } }
        guard remote <= VectorRevisions.maximumRemote else { throw .badHistory(reason: "remote \(remote) is too many") }
        try clock.see(new.vector, known: current?.version.vector ?? VersionVector(), wallClock: wallClock)
        var received = Revision(
            version: new.vector.isEmpty ? new.treeIDs.first.map { .tree($0) } ?? .vector(new.vector) : .vector(new.vector),
            properties: properties, flags: flags.intersection([.deleted, .hasAttachments]))
        let isSameMerge = isSameMerge(new.vector, received, keys)
        let order = isSameMerge ? orderOfMerges(new.vector) : order(of: new, received, remote: remote)
        if remote == 0, order == .conflict { throw .conflict }
        if remote == 0, order != .newer { return order == .older && claimsToKnowCurrent(new.vector) ? contradict(new.vector) : .ignored }
        switch order {
        case .newer:
            // A tree ID never replaces a vector: there it is turned into the version that stands for it.
            if let id = received.version.treeID, current?.version.vector.isEmpty == false {
                received.version = .vector(received.version.converted)
                legacyParent = id
            } else {
                legacyParent = received.version.treeID == nil ? new.treeIDs.first ?? current?.version.treeID ?? legacyParent : nil
            }
            let known = current?.version.vector ?? VersionVector()
            setCurrent(received)
            treeHistory = new.vector.isEmpty ? new.treeIDs : []
            keepKnowledge(of: known)
            if remote != 0 { remotes[remote] = received }
            endSettledConflicts()
            return .current
        case .same:
            received.properties = current?.properties
            remotes[remote] = received
            return .known
        case .older:
            // What comes late, over a second connection, is not what the remote has now.
            if remotes[remote]?.version.vector.order(relativeTo: new.vector) != .newer { remotes[remote] = received }
            if isSameMerge { keepKnowledge(of: new.vector) }
            return .known
        case .conflict:
            received.flags.insert(.conflicted)
            remotes[remote] = received
            return .conflict
        }
    }

    /// Whether a received revision is the current one by another name: two databases have settled a conflict alike, and neither knew of it.
    private func isSameMerge(_ vector: VersionVector, _ received: Revision, _ keys: SharedKeys?) -> Bool {
        guard let current, vector.isMerge, current.version.vector.isMerge,
            Set(vector.merged) == Set(current.version.vector.merged),
            vector.order(relativeTo: current.version.vector) == .conflict
        else { return false }
        return received.isDeleted == current.isDeleted && VectorRevisions.areEqual(received, current, keys)
    }

    /// How the same merge, made elsewhere, stands to the current revision. The later one stays, everywhere: if each side kept its own, the
    /// document would go by two names for ever. The later one knows of the other then, so that it is taken by those who have that.
    private func orderOfMerges(_ other: VersionVector) -> RevisionOrder {
        guard let ours = current?.version.vector.current, let theirs = other.current else { return .newer }
        return isLater(theirs, than: ours) ? .newer : .older
    }

    /// How a received revision stands to the current one.
    private func order(of new: RevisionHistory, _ received: Revision, remote: UInt16) -> RevisionOrder {
        guard let current else { return .newer }
        let vector = current.version.vector
        let order = new.order(relativeTo: history)
        // Deleted here as there, and created anew there without knowing of it.
        if order == .conflict, current.isDeleted, let stored = remotes[remote], stored.version == current.version,
            !vector.sharesVersion(with: new.vector), !history.treeIDs.prefix(1).contains(where: new.treeIDs.contains)
        {
            return .newer
        }
        // Each claims to know the other, since a version that beat one of them was changed elsewhere: the later one stays.
        if order == .conflict, let theirs = new.vector.current, let ours = vector.current, vector.order(relativeTo: theirs) == .newer,
            claimsToKnowCurrent(new.vector)
        {
            return isLater(theirs, than: ours) ? .newer : .older
        }
        return order
    }

    /// What a push left out as long as it was in conflict can be pushed, if nothing competes with it any more: it counts as changed.
    private mutating func tellIfSettled() {
        if !isConflicted { savedVersion = nil }
    }

    private func claimsToKnowCurrent(_ vector: VersionVector) -> Bool {
        current?.version.vector.current.map { vector.order(relativeTo: $0) == .newer } ?? false
    }

    /// Somebody offers what he takes for newer, and is wrong. He was told of the current revision when his own did not know of it, or claimed so
    /// then: it counts as changed, so that he is told again and looks at its vector.
    private mutating func contradict(_ vector: VersionVector) -> Received {
        keepKnowledge(of: vector)
        savedVersion = nil
        return .known
    }

    /// What the former revision knew, by its own edits or because it has beaten others, the one that takes its place knows too. So what a document
    /// knows only grows, whichever versions win on the way: that is why replicas come to an end, and to the same one. Who still has what was beaten
    /// takes the winner without being asked, and where two claim to have beaten each other the later one stays.
    private mutating func keepKnowledge(of old: VersionVector) {
        guard let vector = current?.version.vector, !vector.isEmpty else { return }
        // Its own name stays.
        let rest = old.versions.filter { $0.source != vector.current?.source && vector[$0.source] ?? 0 < $0.time }
        guard !rest.isEmpty else { return }
        current?.version = .vector(vector.trivialMerge(loser: VersionVector(unchecked: rest, currentCount: 1)))
    }

    /// A revision that competed with the last current one does not compete with one that knows of both: it is settled. The same where it is newer
    /// than what won over the other remote's: then it takes that one's place.
    mutating func endSettledConflicts() {
        for remote in remoteIDs {
            guard let revision = remotes[remote], revision.isConflicted else { continue }
            let theirs: RevisionHistory =
                switch revision.version {
                case .vector(let vector): RevisionHistory(vector: vector)
                case .tree(let id): RevisionHistory(treeIDs: [id])
                }
            switch history.order(relativeTo: theirs) {
            case .same, .newer: remotes[remote]?.flags.remove(.conflicted)
            case .older where !theirs.vector.isEmpty && revision.properties != nil:
                let known = current?.version.vector ?? VersionVector()
                remotes[remote]?.flags.remove(.conflicted)
                setCurrent(
                    Revision(version: revision.version, properties: revision.properties, flags: revision.flags.subtracting(.conflicted)))
                keepKnowledge(of: known)
                return endSettledConflicts()
            case .older, .conflict: continue
            }
        }
    }

    static func areEqual(_ a: Revision, _ b: Revision, _ keys: SharedKeys?) -> Bool {
        let (left, right) = (a.properties ?? .emptyDictionary, b.properties ?? .emptyDictionary)
        return left === right || left.withRoot { left in right.withRoot { right in left.isEqual(to: right, keys, keys) } }
    }

    mutating func setCurrent(_ revision: Revision) {
        current = revision
        treeHistory = []
    }

    /// Whether an ID means a stored version: a tree ID also means the version that stands for it.
    func names(_ id: RevisionID, _ version: StoredVersion) -> Bool {
        id == version.id || (!id.isVersion && version.id == RevisionID(Version(legacy: id)))
    }

    /// Notes that a remote has our current revision.
    package mutating func markPushed(_ id: RevisionID, toRemote remote: UInt16) throws(RevisionError) -> PushRecord {
        guard (1...VectorRevisions.maximumRemote).contains(remote), var current, names(id, current.version) else { throw .notFound }
        current.flags.remove(.conflicted)
        // The flag would leave the conflict in the record that this ends.
        let wasConflicted = remotes[remote]?.isConflicted ?? false
        remotes[remote] = current
        if wasConflicted { tellIfSettled() }
        return remote == 1 && !wasConflicted ? .flag : .record
    }

    /// Notes that a remote has a tombstone that the current revision did not know of: it follows it now.
    mutating func noteDeletion(_ id: RevisionID, onRemote remote: UInt16) throws(RevisionError) {
        guard (1...VectorRevisions.maximumRemote).contains(remote), let version = id.version, let current, current.version.treeID == nil
        else { throw .notFound }
        guard remotes[remote] == nil, current.version.vector.order(relativeTo: version) == .older else { throw .conflict }
        keepKnowledge(of: VersionVector(version))
        remotes[remote] = Revision(version: .vector(VersionVector(version)), properties: nil, flags: .deleted)
    }

    /// Notes that a remote has a version that the current one knows of, whose properties are not here any more: it is the parent to name.
    mutating func noteLatest(_ id: RevisionID, onRemote remote: UInt16) throws(RevisionError) {
        guard (1...VectorRevisions.maximumRemote).contains(remote), let version = id.version, knows(id) else { throw .notFound }
        let wasConflicted = isConflicted
        remotes[remote] = Revision(version: .vector(VersionVector(version)), properties: nil, flags: [])
        if wasConflicted { tellIfSettled() }
    }
}
