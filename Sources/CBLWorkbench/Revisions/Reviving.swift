import CBLFleece
import CBLStore

// Properties of earlier revisions that become current again. A document is given as it was read in the same transaction.
extension Transaction {
    /// What a deleted document comes back with.
    package enum Revival {
        /// What it had last, if that is still kept.
        case lastProperties
        /// What its tombstone says.
        case tombstone
        /// With the database's shared keys.
        case properties(FleeceData)
    }

    /// Makes a deleted document live again.
    ///
    /// A tree keeps the properties of a revision that replication may need; vectors keep those of each remote's latest one.
    @discardableResult
    package func undelete(_ document: Document, with revival: Revival = .lastProperties) throws -> SavedRevision {
        guard document.isDeleted else { throw WorkbenchError.notDeleted(document: document.id) }
        let body =
            switch revival {
            case .properties(let body): body
            case .tombstone: document.body
            case .lastProperties: try lastProperties(of: document)
            }
        return try save(document, body: body)
    }

    private func lastProperties(of document: Document) throws -> FleeceData {
        let revisions = try document.storedRevisions()
        guard let body = revisions.first(where: { !$0.flags.contains(.deleted) && $0.body != nil })?.body else {
            throw WorkbenchError.propertiesGone(document: document.id, revisionCount: revisions.count)
        }
        return body
    }

    /// Gives a document the properties of an earlier revision, whose ID begins with `name`.
    @discardableResult
    package func revert(_ document: Document, to name: String) throws -> SavedRevision {
        let wanted = try document.storedRevision(named: name)
        guard !wanted.isCurrent else { throw WorkbenchError.isCurrent(wanted.id) }
        guard !wanted.flags.contains(.deleted) else { throw WorkbenchError.isDeletion(wanted.id) }
        guard let body = wanted.body else { throw WorkbenchError.notKept(wanted.id, document: document.id) }
        return try save(document, body: body)
    }
}
