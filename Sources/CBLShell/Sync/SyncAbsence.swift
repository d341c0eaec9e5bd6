import CBLReplication
import CBLStore

/// A change of ours that the other side refused, because the document was changed there too.
struct MetConflict {
    let documentID: String
    let collection: CollectionName
    /// What was refused.
    let revision: RevisionID?
}

/// What became of what was in the way of a push. A pull beside it may have brought that.
enum SyncAbsence: Equatable {
    /// It is here, beside ours.
    case isHere
    /// It is here: a deletion, in a protocol where that is no conflict; or the other way round.
    case isBesideDeletion
    /// It is here, and something else has taken the place of what was refused.
    case isSettled
    case isKeptBack
    /// It is an old acquaintance: a revision tree settles with one peer after the other, and the last one has the word.
    case wasHere
    case wasHereOrIsKeptBack

    /// Of several, what asks most of the person.
    init(_ met: [MetConflict], _ settings: ReplicatorSettings, _ snapshot: Snapshot) throws {
        var found: [SyncAbsence] = []
        for conflict in met {
            if let presence = try SyncAbsence.presence(of: conflict, snapshot) { found.append(presence) }
        }
        if let presence = [SyncAbsence.isHere, .isBesideDeletion].first(where: found.contains) {
            self = presence
        } else if found.count == met.count, !met.isEmpty {
            self = .isSettled
        } else {
            try self.init(settings, snapshot)
        }
    }

    /// Nil if there is nothing here that was in the way.
    private static func presence(of conflict: MetConflict, _ snapshot: Snapshot) throws -> SyncAbsence? {
        guard let document = try? snapshot.document(conflict.documentID, in: conflict.collection) else { return .isSettled }
        if document.isConflicted { return .isHere }
        if let revision = conflict.revision, snapshot.global(document.revision) != revision { return .isSettled }
        let others = try document.storedRevisions().filter { $0.flags.isOpenLeaf && !$0.isCurrent }
        return others.isEmpty ? nil : .isBesideDeletion
    }

    /// Why a pull did not bring it.
    private init(_ settings: ReplicatorSettings, _ snapshot: Snapshot) throws {
        let isFiltered = settings.collections.contains {
            !$0.channels.isEmpty || !$0.documentIDs.isEmpty || $0.filter != nil || $0.pullFilter != nil
        }
        if case .database = settings.peer, !isFiltered {
            self = .wasHere
        } else {
            self = try snapshot.versioning != .vectors && snapshot.remotes().count > 1 ? .wasHereOrIsKeptBack : .isKeptBack
        }
    }

    /// What there is to say of it.
    var words: String {
        let settled = "was here before a conflict with another peer was settled"
        return switch self {
        case .isHere: "\"conflicts\" lists what is left, and \"resolve\" settles it."
        case .isBesideDeletion:
            "One side has deleted what the other has changed, and both go on. A rule settles that: \"sync --conflict remote --reset-checkpoint\", "
                + "or another one."
        case .isSettled:
            "What the other side has came meanwhile, and goes before what was refused: the next \"sync\" tells what came of it."
        case .isKeptBack:
            "What the other side has did not come: a filter leaves it out, or the user may not see it. These documents stay behind."
        case .wasHere: "What the other side has did not come again: it \(settled). \"sync --reset-checkpoint\" compares everything again."
        case .wasHereOrIsKeptBack:
            "What the other side has did not come: it \(settled), or a filter leaves it out, or the user may not see it. "
                + "\"sync --reset-checkpoint\" compares everything again."
        }
    }
}
