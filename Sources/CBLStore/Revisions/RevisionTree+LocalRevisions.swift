import CBLFleece

extension RevisionTree {
    /// A revision that somebody made here: its ID, and whether the tree had none of that name.
    package struct Added: Hashable, Sendable {
        package let id: RevisionID
        package let isNew: Bool
    }

    /// Adds a revision made here from a parent, or the first one of a document.
    ///
    /// `canonicalJSON` says the same as `body`: it determines the ID. Of the flags, `deleted` and `hasAttachments` count. Without a parent a
    /// tombstone may be brought back to life, but nothing that lives is replaced.
    @discardableResult
    package mutating func addRevision(
        after parentID: RevisionID?, body: FleeceData, canonicalJSON: UnsafeRawBufferPointer, flags: Flags = []
    ) throws(RevisionError) -> Added {
        let parent = try parentIndex(parentID, isDeleting: flags.contains(.deleted))
        let parentID = parent.map { revisions[$0].id }
        guard
            let id = RevisionID.next(after: parentID, isDeleted: flags.contains(.deleted), canonicalJSON: canonicalJSON)
        else { throw .badHistory(reason: "there is no generation after \(parentID?.text ?? "none")") }
        // The same edit of the same revision made twice is one revision.
        if index(of: id) != nil { return Added(id: id, isNew: false) }
        if let parent, !revisions[parent].isLeaf { throw .conflict }
        if parent == nil, let current, !current.isDeleted { throw .conflict }
        insert(id, after: parent, flags: flags.intersection([.deleted, .hasAttachments]), body: body)
        sort()
        return Added(id: id, isNew: true)
    }

    /// Adds a tombstone without properties.
    @discardableResult
    package mutating func addTombstone(after parent: RevisionID?) throws(RevisionError) -> Added {
        let json: StaticString = "{}"
        return try addRevision(
            after: parent, body: .emptyDictionary, canonicalJSON: UnsafeRawBufferPointer(json.utf8Bytes), flags: .deleted)
    }

    /// Where a new revision goes; nil for a root.
    private func parentIndex(_ id: RevisionID?, isDeleting: Bool) throws(RevisionError) -> Int? {
        guard let current else {
            guard id == nil, !isDeleting else { throw .notFound }
            return nil
        }
        if let id {
            guard let parent = index(of: id) else { throw .conflict }
            return parent
        }
        guard !isDeleting else { throw .conflict }
        return current.isDeleted ? 0 : nil
    }

    /// Appends a leaf; the order is up to the caller.
    @discardableResult
    mutating func insert(_ id: RevisionID, after parent: Int?, flags: Flags, body: FleeceData?) -> Int {
        if let parent { revisions[parent].flags.remove(.leaf) }
        revisions.append(Revision(id: id, parent: parent, sequence: 0, flags: flags.union([.leaf, .new]), body: body))
        return revisions.count - 1
    }
}
