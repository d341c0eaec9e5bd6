import CBLFleece
import CBLStore

/// Which side of a conflict a person takes.
package enum ConflictChoice {
    /// The revision whose ID begins so.
    case revision(String)
    /// The one made here.
    case local
    /// The one that came by replication, if there is only one.
    case remote
    /// Properties that replace all, with the database's shared keys.
    case merged(FleeceData)
}

extension Transaction {
    /// Settles a document's conflict, with all that compete. The document is as it was read in the same transaction.
    @discardableResult
    package func settle(_ document: Document, _ choice: ConflictChoice) throws -> SavedRevision {
        let competing = try document.revisions().competitors.map(\.revision)
        guard !competing.isEmpty else { throw WorkbenchError.notInConflict(document: document.id) }
        let (opponent, settlement) = try sides(of: document, competing, choice)
        // What stays follows the server's revision: it may take nothing else. Branches of CouchDB's kind do not tell which of them that is, but as a rule it
        // is the one that came last, and it may be the current one.
        let stored = try document.storedRevisions()
        func sequence(_ id: RevisionID) -> UInt64 { stored.first { $0.id == id }?.sequence ?? 0 }
        let isSwapped = try versioning == .trees && hasBranchingRemotes && sequence(document.revision) > sequence(opponent)
        let settled = try settle(
            document.id, in: document.collection, local: isSwapped ? opponent : document.revision,
            remote: isSwapped ? document.revision : opponent, isSwapped ? settlement.swapped : settlement)
        return try settleRest(of: document.id, in: document.collection, with: settled.revision, competing.filter { $0 != opponent })
    }

    /// The competing revision that is settled with, and how.
    private func sides(
        of document: Document, _ competing: [RevisionID], _ choice: ConflictChoice
    ) throws -> (opponent: RevisionID, settlement: Settlement) {
        switch choice {
        case .local: return (competing[0], .local)
        case .merged(let body): return (competing[0], .merged(body))
        case .remote:
            guard competing.count == 1 else { throw WorkbenchError.severalCompete(among: [document.revision] + competing) }
            return (competing[0], .remote)
        case .revision(let name):
            let named = try document.storedRevision(named: name)
            if named.isCurrent { return (competing[0], .local) }
            guard competing.contains(named.id) else {
                throw WorkbenchError.noPartInConflict(named.id, among: [document.revision] + competing)
            }
            return (named.id, .remote)
        }
    }
}
