import CBLFleece

// A record's life: read into a tree, changed, saved.
extension RevisionTree {
    /// Reads the tree of a record, of 2.x or later. `flags` are the record's: one of them says that remote #1 has the current revision.
    package init(
        body: UnsafeRawBufferPointer?, extra: UnsafeRawBufferPointer?, sequence: UInt64, flags: DocumentFlags, bodies: BodyKeeping = .copies
    ) throws(RevisionError) {
        if let extra {
            try self.init(extra: extra, body: body, sequence: sequence, bodies: bodies)
        } else if let body, RevisionTree.isLegacyBody(body) {
            try self.init(legacyBody: body, sequence: sequence, bodies: bodies)
        } else {
            throw .corruptTree(offset: 0, reason: "there is none")
        }
        if flags.contains(.synced) {
            setLatest(0, onRemote: 1)
            keepBody(of: 0)
        }
    }

    /// Prunes, drops the bodies that nobody needs, and gives what is to be written.
    package mutating func prepareSave(
        isNewRecord: Bool, depth: Int = defaultDepth, form: Form = .current, keepsReplacedBodies: Bool = false
    ) throws(RevisionError) -> SaveOutcome {
        prune(toDepth: depth)
        sort()
        guard let current else { throw .notFound }
        guard revisions.count <= RevisionTree.maximumCount else { throw .badHistory(reason: "there are too many revisions") }
        var flags: DocumentFlags = []
        if current.isDeleted { flags.insert(.deleted) }
        if isConflicted { flags.insert(.conflicted) }
        if revisions.contains(where: { $0.flags.contains(.hasAttachments) }) { flags.insert(.hasAttachments) }
        if !keepsReplacedBodies { dropReplacedBodies() }
        let tree = encoded(form)
        let body = form == .withBodies ? FleeceData(tree) : current.body ?? (current.isDeleted ? .emptyDictionary : nil)
        return SaveOutcome(
            version: current.id.binary, body: body, extra: form == .withBodies ? nil : tree, flags: flags,
            needsNewSequence: isNewRecord || revisions.contains { $0.sequence == 0 })
    }

    /// Tells the tree which sequence its save was given.
    package mutating func didSave(sequence: UInt64) {
        recordSequence = sequence
        for index in revisions.indices {
            if revisions[index].sequence == 0 { revisions[index].sequence = sequence }
            revisions[index].flags.remove(.new)
        }
    }

    /// Whether there are bodies of revisions that are no leaves, and serve nobody as a base.
    var hasReplacedBodies: Bool { revisions.contains { isReplaced($0) && $0.body != nil } }

    private mutating func dropReplacedBodies() {
        for index in revisions.indices where isReplaced(revisions[index]) {
            revisions[index].body = nil
            revisions[index].flags.remove(.hasAttachments)
        }
    }

    private func isReplaced(_ revision: Revision) -> Bool { revision.flags.isDisjoint(with: [.leaf, .new, .keepBody]) }
}
