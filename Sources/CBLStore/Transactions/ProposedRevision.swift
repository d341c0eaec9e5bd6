import CBLFleece

/// Who sent a revision that was not made here.
package struct RevisionOrigin: Hashable, Sendable {
    /// The remote that it was pulled from; nil if somebody who connected to us has pushed it.
    package var url: String?
    /// Who is logged in there, or here, as far as is known.
    package var user: String?
    /// What the pull is limited to; empty for all.
    package var channels: [String]

    package init(url: String? = nil, user: String? = nil, channels: [String] = []) {
        self.url = url
        self.user = user
        self.channels = channels
    }
}

/// A revision that is about to be stored, for who may refuse it. It must not leave the call that it is given to.
package struct ProposedRevision {
    package let documentID: String
    package let collection: CollectionName
    /// Nil if it is to get its ID when it is stored.
    package let revision: RevisionID?
    package let parent: RevisionID?
    package let isDeleted: Bool
    package let properties: FleeceData
    package let keys: SharedKeys
    /// What is there now, be it deleted.
    package let current: Document?
    /// Nil if it is made here.
    package let origin: RevisionOrigin?
}

/// Looks at each revision before it is stored, inside the transaction. What it throws is thrown by whatever stores the revision; who wants to say
/// that the document is not allowed throws a `StoreError` with the code `refused`.
package typealias RevisionGuard = @Sendable (ProposedRevision) throws -> Void

extension Database {
    /// Has each revision looked at that is saved through this object, or pulled into it, from the next transaction on. What is purged, archived or
    /// written in bulk is not.
    package func setRevisionGuard(_ new: RevisionGuard?) { revisionGuard.withLock { $0 = new } }
}

extension Transaction {
    /// Asks about a revision that is made here, once nothing else stands against it. `old` is the row that it replaces.
    func propose(
        _ id: UnsafeRawBufferPointer, _ tables: CollectionTables, replacing old: Record?, _ revision: Revision, parent: RevisionID?
    ) throws {
        guard let ask = revisionGuard else { return }
        let id = String(decoding: id, as: UTF8.self)
        let current = try old.map { try Document(id, in: tables.name, $0, source: sourceID) }
        try ask(
            ProposedRevision(
                documentID: id, collection: tables.name, revision: nil, parent: parent, isDeleted: revision.isDeleted,
                properties: revision.body, keys: sharedKeys, current: current, origin: origin))
    }

    /// Asks about a revision that exists elsewhere, or settles a conflict, unless it is here already.
    func propose(
        _ id: String, _ tables: CollectionTables, _ revision: RevisionID?, parent: RevisionID?, _ body: FleeceData?, isDeleted: Bool
    ) throws {
        guard let ask = revisionGuard, let body else { return }
        let current = try record(id, in: tables).map { try Document(id, in: tables.name, $0, source: sourceID) }
        if let revision, let current, case .known = try current.revisions().acquaintance(with: revision, remote: 0) { return }
        try ask(
            ProposedRevision(
                documentID: id, collection: tables.name, revision: revision, parent: parent, isDeleted: isDeleted, properties: body,
                keys: sharedKeys, current: current, origin: origin))
    }
}
