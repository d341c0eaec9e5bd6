import CBLFleece

// Revisions that a person puts where they want them.
extension Transaction {
    /// Adds a revision below a chosen one, nil for none. Where that is no leaf, or nothing may be beside the document that lives, it is a conflict;
    /// with `allowsConflict` it is made all the same, and competes. A document with version vectors has one place for a new revision: behind the
    /// current one.
    @discardableResult
    package func addRevision(
        _ id: String, in collection: CollectionName = .default, after parent: RevisionID?, body: FleeceData, isDeleted: Bool = false,
        allowsConflict: Bool = false
    ) throws -> SavedRevision {
        let document = try document(id, in: collection)
        guard versioning != .vectors else {
            if let parent, let document, document.revision != parent, try document.knows(parent) {
                throw StoreError(
                    .unsupported,
                    "the database has version vectors: a new revision of document \"\(id)\" follows the current one, \(document.revision), and no other"
                )
            }
            return try addLeaf(id, in: collection, after: parent, body, isDeleted)
        }
        do { return try addLeaf(id, in: collection, after: parent, body, isDeleted) } catch let error as StoreError
            where error.code == .conflict && allowsConflict
        {}
        guard let tree = try document?.revisions().tree else { throw Transaction.needsTrees }
        var history: [RevisionID] = []
        if let parent {
            guard let index = tree.index(of: parent) else {
                throw StoreError(.notFound, "document \"\(id)\" has no revision \(parent)")
            }
            history = tree.history(of: index)
        }
        try check(body)
        json.removeAll(keepingCapacity: true)
        body.withRoot { _ = JSONWriter.write($0, keys: sharedKeys, style: .canonical, to: &json) }
        guard let new = RevisionID.next(after: parent, isDeleted: isDeleted, canonicalJSON: json.bytes) else {
            throw StoreError(.invalidRevision, "document \"\(id)\": nothing can follow \(parent?.text ?? "")")
        }
        let inserted = try insertExisting(id, in: collection, history: [new] + history, body: body, isDeleted: isDeleted)
        return SavedRevision(id: new, sequence: inserted.sequence, isCreated: false, isNew: inserted.addedCount > 0)
    }

    private func addLeaf(
        _ id: String, in collection: CollectionName, after parent: RevisionID?, _ body: FleeceData, _ isDeleted: Bool
    ) throws -> SavedRevision {
        let parent: Parent = parent.map { .revision($0) } ?? .none
        if isDeleted { return try delete(id, in: collection, parent: parent, body: body) }
        return try save(id, in: collection, body: body, parent: parent)
    }

    /// Ends a document's conflict, whatever the number of its branches: `winner` is what remains, or the base of what is merged.
    @discardableResult
    package func settleAll(
        _ id: String, in collection: CollectionName = .default, winner: RevisionID, merged: FleeceData? = nil, mergedIsDeleted: Bool = false
    ) throws -> SavedRevision {
        guard let document = try document(id, in: collection) else { throw Transaction.missing(id) }
        let revisions = try document.revisions()
        let competing = revisions.competitors.map(\.revision)
        guard !competing.isEmpty else { throw StoreError(.notFound, "document \"\(id)\" is not in conflict") }
        guard winner == document.revision || competing.contains(winner) else {
            throw StoreError(.notFound, "\(winner) is none of the revisions of document \"\(id)\" that compete")
        }
        guard versioning != .vectors else {
            let opponent = winner == document.revision ? competing[0] : winner
            let settlement: Settlement =
                if let merged { mergedIsDeleted ? .deleted : .merged(merged) } else { winner == document.revision ? .local : .remote }
            let settled = try settle(id, in: collection, local: document.revision, remote: opponent, settlement)
            return try settleRest(of: id, in: collection, with: settled.revision, competing.filter { $0 != opponent })
        }
        let losers = ([document.revision] + competing).filter { $0 != winner }
        var saved: SavedRevision?
        for (place, loser) in losers.enumerated() {
            let isLast = place == losers.count - 1
            saved = try resolveConflict(
                id, in: collection, winner: winner, loser: loser, merged: isLast ? merged : nil, mergedIsDeleted: isLast && mergedIsDeleted)
        }
        guard let saved else { throw Transaction.missing(id) }
        return saved
    }
}

extension Document {
    fileprivate func knows(_ revision: RevisionID) throws(StoreError) -> Bool {
        try storedRevisions().contains { $0.id == revision }
    }
}
