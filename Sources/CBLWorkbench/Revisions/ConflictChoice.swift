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
        let stored = try document.storedRevisions()
        func isRemotes(_ id: RevisionID) -> Bool { stored.contains { $0.id == id && !$0.remotes.isEmpty } }
        // What stays follows the server's revision, if that is the current one: it may take nothing else.
        let isSwapped = versioning == .trees && isRemotes(document.revision) && !isRemotes(opponent)
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
