import CBLFleece

// Revisions as 1.x makes them: on every branch, and named by its own digest, so that the same edit has the same name in its files and in these.
extension Transaction {
    /// Makes a new revision of a document below `parent`. Without one the document must be new, or deleted; the tombstone is its parent then. Where
    /// something was made of the parent already it is a conflict; with `allowsConflict` a branch begins there all the same.
    ///
    /// Where versions are vectors it is saved as everything else is.
    @discardableResult
    package func saveAsVersion1(
        _ id: String, in collection: CollectionName = .default, after parent: RevisionID?, body: FleeceData, isDeleted: Bool = false,
        allowsConflict: Bool = false
    ) throws -> SavedRevision {
        try DocumentRules.check(id: id)
        return try saveAsVersion1(
            id, in: collection, replacing: document(id, in: collection), after: parent, body: body, isDeleted: isDeleted,
            allowsConflict: allowsConflict)
    }

    /// The same for who has read what is there; nil if there is nothing.
    package func saveAsVersion1(
        _ id: String, in collection: CollectionName, replacing document: Document?, after parent: RevisionID?, body: FleeceData,
        isDeleted: Bool, allowsConflict: Bool
    ) throws -> SavedRevision {
        guard versioning != .vectors else {
            return try addRevision(id, in: collection, after: parent, body: body, isDeleted: isDeleted)
        }
        try check(body)
        json.removeAll(keepingCapacity: true)
        body.withRoot { _ = JSONWriter.write($0, keys: sharedKeys, style: .canonical, to: &json) }
        let tree = try document?.revisions().tree
        let place = try place(of: parent, in: tree, isDeleting: isDeleted, allowsConflict: allowsConflict, id)
        guard let new = RevisionID.nextOfVersion1(after: place.parent, isDeleted: isDeleted, canonicalJSON: json.bytes) else {
            throw StoreError(.invalidRevision, "document \"\(id)\": nothing can follow \(place.parent?.text ?? "")")
        }
        // Who changes what was changed meanwhile is told so, even if it is the same change.
        guard place.isFree else { throw Transaction.refused(.conflict, id) }
        if tree?.index(of: new) != nil, let document {
            return SavedRevision(id: new, sequence: document.sequence, isCreated: false, isNew: false)
        }
        let history = [new] + (place.parent.map { [$0] } ?? [])
        let inserted = try insertExisting(
            id, in: collection, replacing: document?.record, history: history, body: body, isDeleted: isDeleted)
        return SavedRevision(
            id: new, sequence: inserted.sequence, isCreated: !isDeleted && document?.isDeleted ?? true, isNew: true)
    }

    /// Below which revision a new one stands, and whether it may.
    private func place(
        of parent: RevisionID?, in tree: RevisionTree?, isDeleting: Bool, allowsConflict: Bool, _ id: String
    ) throws(StoreError) -> (parent: RevisionID?, isFree: Bool) {
        guard let tree, let current = tree.current else {
            guard parent == nil, !isDeleting else { throw Transaction.missing(id) }
            return (nil, true)
        }
        if let parent {
            guard let revision = tree[parent] else { throw Transaction.refused(.conflict, id) }
            return (parent, revision.isLeaf || allowsConflict)
        }
        guard !isDeleting else { throw current.isDeleted ? Transaction.missing(id) : Transaction.refused(.conflict, id) }
        return current.isDeleted ? (current.id, true) : (nil, allowsConflict)
    }
}
