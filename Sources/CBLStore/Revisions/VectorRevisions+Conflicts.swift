import CBLFleece

extension VectorRevisions {
    /// The properties that settle a conflict.
    package struct Merged {
        package var properties: FleeceData
        package var flags: DocumentFlags

        package init(properties: FleeceData, flags: DocumentFlags = []) {
            self.properties = properties
            self.flags = flags
        }
    }

    /// Settles a conflict between the current revision and a remote's. With merged properties that are not the winner's, a new version is made
    /// of both; else the winner stays and takes in what the loser knew. Gives the ID of what is current then.
    @discardableResult
    package mutating func resolveConflict(
        winner: RevisionID, loser: RevisionID, merged: Merged?, keys: SharedKeys? = nil, clock: inout HybridClock, wallClock: UInt64
    ) throws(RevisionError) -> RevisionID {
        guard let local = current else { throw .notFound }
        let localWins = names(winner, local.version)
        guard localWins || names(loser, local.version) else { throw .conflict }
        let theirs = localWins ? loser : winner
        guard let remote = remoteIDs.first(where: { remotes[$0].map { $0.isConflicted && names(theirs, $0.version) } ?? false }),
            var other = remotes[remote]
        else { throw .notFound }
        var result = localWins ? local : other
        result.flags.remove(.conflicted)
        var change = merged
        if let merged, merged.flags.contains(.deleted) == result.isDeleted {
            let proposed = Revision(version: result.version, properties: merged.properties, flags: merged.flags)
            if VectorRevisions.areEqual(proposed, result, keys) { change = nil }
        }

        let (mine, others) = (local.version, other.version)
        if let change {
            result.properties = change.properties
            result.flags = change.flags.intersection([.deleted, .hasAttachments])
            result.version = .vector(try VectorRevisions.merge(mine, others, &clock, wallClock: wallClock))
        } else if localWins {
            result.version = .vector(try VectorRevisions.localWins(mine, others, &clock, wallClock: wallClock))
        } else if mine.treeID == nil || others.treeID == nil {
            result.version = .vector(VectorRevisions.trivialMerge(winner: others, loser: mine))
        }
        switch result.version {
        case .vector: legacyParent = others.treeID ?? mine.treeID ?? legacyParent
        case .tree: legacyParent = nil
        }
        other.flags.remove(.conflicted)
        remotes[remote] = other
        setCurrent(result)
        endSettledConflicts()
        guard let id = current?.id else { throw .notFound }
        return id
    }

    /// Two versions of one source cannot be merged as vectors; that happens when both stand for tree IDs.
    private static func haveOneSource(_ a: StoredVersion, _ b: StoredVersion) -> Bool {
        a.converted.current?.source == b.converted.current?.source
    }

    private static func merge(
        _ a: StoredVersion, _ b: StoredVersion, _ clock: inout HybridClock, wallClock: UInt64
    ) throws(RevisionError) -> VersionVector {
        guard haveOneSource(a, b), a.converted.current?.source == .revisionTree else {
            return try a.converted.merged(with: b.converted, &clock, wallClock: wallClock)
        }
        return try VersionVector().addingLocalVersion(&clock, wallClock: wallClock)
    }

    private static func localWins(
        _ local: StoredVersion, _ remote: StoredVersion, _ clock: inout HybridClock, wallClock: UInt64
    ) throws(RevisionError) -> VersionVector {
        if local.treeID != nil, remote.treeID != nil { return local.converted }
        guard haveOneSource(local, remote) else { return trivialMerge(winner: local, loser: remote) }
        let version = try VersionVector().addingLocalVersion(&clock, wallClock: wallClock)
        return VersionVector(unchecked: version.versions + remote.converted.versions.prefix(1), currentCount: 1)
    }

    private static func trivialMerge(winner: StoredVersion, loser: StoredVersion) -> VersionVector {
        winner.converted.trivialMerge(loser: loser.converted)
    }
}
