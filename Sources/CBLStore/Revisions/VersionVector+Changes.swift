extension VersionVector {
    /// The vector of a revision that is made here, now, from the one that this vector belongs to.
    package func addingLocalVersion(_ clock: inout HybridClock, wallClock: UInt64) throws(RevisionError) -> VersionVector {
        let known = try self[.local].map { time throws(RevisionError) in
            try clock.seeStored(Version(time: time, source: .local), wallClock: wallClock)
        }
        let version = Version(time: clock.now(wallClock: wallClock, after: known ?? 0), source: .local)
        var seen: Set<SourceID> = [.local]
        // The older self of a merge's current version goes with the merge.
        let rest = versions.filter { seen.insert($0.source).inserted }
        return VersionVector(unchecked: [version] + rest, currentCount: 1)
    }

    /// The vector of a merge, made here and now, of two revisions in conflict.
    package func merged(
        with other: VersionVector, _ clock: inout HybridClock, wallClock: UInt64
    ) throws(RevisionError) -> VersionVector {
        guard let ours = current, let theirs = other.current else { throw .badHistory(reason: "there is nothing to merge") }
        guard ours.source != theirs.source else { throw .badHistory(reason: "both sides were made by \(ours.source)") }
        var known: UInt64 = 0
        for version in [ours, theirs] { known = max(known, try clock.seeStored(version, wallClock: wallClock)) }
        for time in [self[.local], other[.local]].compactMap({ $0 }) where !clock.see(time, wallClock: wallClock) {
            known = max(known, time)
        }
        let version = Version(time: clock.now(wallClock: wallClock, after: known), source: .local)
        let parents = [ours, theirs].sorted(by: VersionVector.isNewer)
        let rest = newest(with: other).filter { $0.key != .local && $0.key != ours.source && $0.key != theirs.source }
        return VersionVector(unchecked: [version] + parents + VersionVector.sorted(rest), currentCount: 3)
    }

    /// The vector after a conflict that this revision won unchanged.
    package func trivialMerge(loser: VersionVector) -> VersionVector {
        guard let current else { return loser }
        let newest = newest(with: loser)
        var front = [Version(time: newest[current.source] ?? current.time, source: current.source)]
        if isMerge, versions[..<currentCount].allSatisfy({ newest[$0.source] == self[$0.source] }) {
            front = Array(versions[..<currentCount])
        }
        let sources = Set(front.map(\.source))
        return VersionVector(
            unchecked: front + VersionVector.sorted(newest.filter { !sources.contains($0.key) }), currentCount: front.count)
    }

    /// The newest time of each source in either vector.
    private func newest(with other: VersionVector) -> [SourceID: UInt64] {
        Dictionary((versions + other.versions).map { ($0.source, $0.time) }, uniquingKeysWith: max)
    }

    private static func sorted(_ times: [SourceID: UInt64]) -> [Version] {
        times.map { Version(time: $0.value, source: $0.key) }.sorted(by: isNewer)
    }

    private static func isNewer(_ a: Version, _ b: Version) -> Bool {
        a.time != b.time ? a.time > b.time : a.source < b.source
    }
}

// Deltas between vectors, which only travel, are never stored.
extension VersionVector {
    /// The versions at the front that an older vector lacks; nil if it takes more than these to make this vector of it.
    package func delta(from older: VersionVector) -> VersionVector? {
        let count = versions.prefix { version in older[version.source].map { $0 < version.time } ?? true }.count
        guard count >= max(currentCount, 1) else { return nil }
        let delta = VersionVector(unchecked: Array(versions[..<count]), currentCount: currentCount)
        return older.applying(delta: delta) == self ? delta : nil
    }

    /// The newer vector that a delta was made from.
    package func applying(delta: VersionVector) -> VersionVector {
        let sources = Set(delta.versions.map(\.source))
        var seen: Set<SourceID> = []
        let rest = versions.filter { !sources.contains($0.source) && seen.insert($0.source).inserted }
        return VersionVector(unchecked: delta.versions + rest, currentCount: delta.currentCount)
    }
}
