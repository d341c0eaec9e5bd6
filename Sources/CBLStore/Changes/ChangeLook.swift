/// One look at the committed state of a file, and what it means to each subscriber. Nothing of it counts before the reading has ended well.
struct ChangeLook {
    let states: [CollectionName: CollectionState]
    let expired: [CollectionName: Int]
    private let snapshot: Snapshot
    private let removals: RemovalLog
    private var nextExpiration: Int64??
    private var documentIDs: [Range: [String]?] = [:]

    private struct Range: Hashable {
        let collection: CollectionName
        let previous: UInt64
    }

    /// `expired` is how many had expired before the snapshot was taken.
    init(_ snapshot: Snapshot, expired: [CollectionName: Int], removals: RemovalLog) throws {
        self.snapshot = snapshot
        self.expired = expired
        self.removals = removals
        states = try snapshot.collectionStates()
    }

    /// What a subscriber is to be told, and what it knows then.
    mutating func events(for subscriber: ChangeSubscriber) throws -> (events: [ChangeEvent], seen: ChangeSubscriber.Seen) {
        let interest = subscriber.interest
        var seen = subscriber.seen
        var events: [ChangeEvent] = []
        var changes = DatabaseChanges()
        for name in interest.collections ?? Set(states.keys) {
            guard let state = states[name] else { continue }
            // One that was deleted goes on with its sequences when it is made again.
            let old = seen.states.updateValue(state, forKey: name) ?? CollectionState()
            guard state != old || expired[name] != seen.expired[name] else { continue }
            if let change = try change(of: name, from: old, to: state, expiredBefore: seen.expired[name] ?? 0, interest) {
                changes.collections[name] = change
            }
        }
        seen.expired = expired
        let present = Set(states.keys)
        changes.created = present.subtracting(seen.present)
        changes.deleted = seen.present.subtracting(present)
        if let wanted = interest.collections {
            changes.created.formIntersection(wanted)
            changes.deleted.formIntersection(wanted)
        }
        seen.present = present
        if let id = interest.document, let (name, change) = changes.collections.first {
            changes.collections = [:]
            if change.documentIDs?.contains(id) ?? true || change.lacksPurged {
                let sequence = try snapshot.sequence(of: id, in: name)
                if sequence != seen.sequence {
                    var own = change
                    own.documentIDs = [id]
                    own.lacksPurged = false
                    changes.collections[name] = own
                }
                seen.sequence = sequence
            }
        }
        if !changes.isEmpty { events.append(.changed(changes)) }
        if interest.nextExpiration {
            let next = try knownNextExpiration()
            if seen.nextExpiration != .some(next) { events.append(.nextExpiration(next)) }
            seen.nextExpiration = .some(next)
        }
        return (events, seen)
    }

    private mutating func change(
        of name: CollectionName, from old: CollectionState, to state: CollectionState, expiredBefore: Int, _ interest: ChangeInterest
    ) throws -> DatabaseChanges.Collection? {
        var change = DatabaseChanges.Collection(previous: old.lastSequence, last: max(old.lastSequence, state.lastSequence))
        let expired = expired[name] ?? 0
        change.isPurged = interest.purges && (state.purges != old.purges || expired != expiredBefore)
        guard change.isChanged || change.isPurged else { return nil }
        guard interest.documentIDs else { return change }
        change.documentIDs = change.isChanged ? try changedIDs(in: name, after: change.previous) : []
        guard change.isPurged else { return change }
        var removed = removals.purged(from: name, after: old.purges, upTo: state.purges)
        change.lacksPurged = state.purges != old.purges.addingClamped(removed.count)
        let gone = removals.expired(from: name, after: expiredBefore, upTo: expired)
        change.lacksPurged = change.lacksPurged || expired != expiredBefore.addingClamped(gone.count)
        removed.merge(gone)
        guard let changed = change.documentIDs, let ids = removed.ids else {
            change.documentIDs = nil
            return change
        }
        var known = Set(changed)
        change.documentIDs = changed + ids.filter { known.insert($0).inserted }
        return change
    }

    private mutating func changedIDs(in name: CollectionName, after previous: UInt64) throws -> [String]? {
        let range = Range(collection: name, previous: previous)
        if let known = documentIDs[range] { return known }
        let ids = try snapshot.documentIDs(in: name, after: previous, upTo: states[name]?.lastSequence ?? 0)
        documentIDs[range] = .some(ids)
        return ids
    }

    private mutating func knownNextExpiration() throws -> Int64? {
        if let nextExpiration { return nextExpiration }
        let next = try states.keys.compactMap { try snapshot.nextExpiration(of: $0) }.min()
        nextExpiration = .some(next)
        return next
    }
}
