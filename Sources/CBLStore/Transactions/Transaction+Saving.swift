import CBLFleece

/// What a save came to.
package struct SavedRevision: Hashable, Sendable {
    package let id: RevisionID
    package let sequence: UInt64
    /// Whether there was no document, or only its tombstone.
    package let isCreated: Bool
    /// False if the revision was there already, as when the same edit of the same revision is made twice.
    package let isNew: Bool
}

/// Which revision the caller believes to change.
package enum Parent: Hashable, Sendable {
    /// Whatever is there, even nothing: the last writer wins.
    case current
    /// There is no document yet, or it was deleted.
    case none
    /// This one. If it is not a current one any more, the save is a conflict.
    case revision(RevisionID)
}

extension Transaction {
    /// Saves a document's properties as a new revision. `body` is a dictionary with the database's shared keys: see `encode` and `encoder`.
    @discardableResult
    package func save(
        _ id: String, in collection: CollectionName = .default, body: FleeceData, parent: Parent = .current
    ) throws -> SavedRevision {
        try save(id, tables(collection), Revision(body: body, isDeleted: false), parent: parent)
    }

    /// The same with bytes that stay the caller's.
    @discardableResult
    package func save(
        _ id: String, in collection: CollectionName = .default, body: UnsafeRawBufferPointer, parent: Parent = .current
    ) throws -> SavedRevision {
        try save(id, in: collection, body: FleeceData(lent: body), parent: parent)
    }

    /// Replaces a document by a tombstone, with properties if `body` is given.
    @discardableResult
    package func delete(
        _ id: String, in collection: CollectionName = .default, parent: Parent = .current, body: FleeceData = .emptyDictionary
    ) throws -> SavedRevision {
        try save(id, tables(collection), Revision(body: body, isDeleted: true), parent: parent)
    }

    /// Saves new properties of a document as it was read, which is not read again. If it has changed since, that is a conflict.
    @discardableResult
    package func save(_ document: Document, body: FleeceData, parent: Parent = .current) throws -> SavedRevision {
        try save(document, Revision(body: body, isDeleted: false), parent: parent)
    }

    /// Replaces a document by a tombstone, likewise.
    @discardableResult
    package func delete(_ document: Document, parent: Parent = .current, body: FleeceData = .emptyDictionary) throws -> SavedRevision {
        try save(document, Revision(body: body, isDeleted: true), parent: parent)
    }

    private func save(_ document: Document, _ revision: Revision, parent: Parent) throws -> SavedRevision {
        let tables = try tables(document.collection)
        var id = document.id
        return try id.withUTF8 {
            try save(UnsafeRawBufferPointer($0), tables, replacing: document.record, revision, parent: parent)
        }
    }

    /// What a new revision says.
    struct Revision {
        let body: FleeceData
        let isDeleted: Bool
    }

    private func save(_ id: String, _ tables: CollectionTables, _ revision: Revision, parent: Parent) throws -> SavedRevision {
        var id = id
        try DocumentRules.check(id: id)
        return try id.withUTF8 { try save(UnsafeRawBufferPointer($0), tables, revision, parent: parent) }
    }

    func save(_ id: UnsafeRawBufferPointer, _ tables: CollectionTables, _ revision: Revision, parent: Parent) throws -> SavedRevision {
        // Whether there is none tells the insertion; who may refuse it wants to know before.
        if parent == .none, !revision.isDeleted, revisionGuard == nil, try !hasTombstones(tables) {
            do { return try save(id, tables, replacing: nil, revision, parent: parent) } catch let error as StoreError
                where error.code == .conflict
            {}
        }
        return try save(id, tables, replacing: try record(id, in: tables), revision, parent: parent)
    }

    /// Whether a document that is saved anew may have been deleted before.
    private func hasTombstones(_ tables: CollectionTables) throws -> Bool {
        guard let table = tables.deleted, !mayHoldTombstones(tables) else { return true }
        return try connection.integer(table.statements.any) != nil
    }

    private func save(
        _ id: UnsafeRawBufferPointer, _ tables: CollectionTables, replacing old: Record?, _ revision: Revision, parent: Parent
    ) throws -> SavedRevision {
        let bytes = revision.body.bytes
        guard let root = Value(root: bytes) else { throw StoreError(.invalidDocument, "the body is not Fleece") }
        if let problem = DocumentRules.problem(withBody: root, sharedKeys) { throw StoreError(.invalidDocument, problem) }
        let hasAttachments = BlobReferences.exist(in: bytes, root, sharedKeys)
        if revision.isDeleted && old?.flags.contains(.deleted) ?? true && parent == .current {
            throw Transaction.missing(String(decoding: id, as: UTF8.self))
        }
        do {
            if versioning == .vectors {
                return try saveVectors(id, tables, old, revision, hasAttachments: hasAttachments, parent: parent)
            }
            json.removeAll(keepingCapacity: true)
            _ = JSONWriter.write(root, keys: sharedKeys, style: .canonical, to: &json)
            return try saveTree(id, tables, old, revision, hasAttachments: hasAttachments, parent: parent)
        } catch let error as RevisionError {
            throw Transaction.refused(error, String(decoding: id, as: UTF8.self))
        }
    }

    private func saveTree(
        _ id: UnsafeRawBufferPointer, _ tables: CollectionTables, _ old: Record?, _ revision: Revision, hasAttachments: Bool, parent: Parent
    ) throws -> SavedRevision {
        var tree = try old?.tree() ?? RevisionTree()
        let parentID: RevisionID? =
            switch parent {
            case .current: tree.current?.id
            case .none: nil
            case .revision(let id): id
            }
        var flags: RevisionTree.Flags = []
        if revision.isDeleted { flags.insert(.deleted) }
        if hasAttachments { flags.insert(.hasAttachments) }
        let isCreated = !revision.isDeleted && old?.flags.contains(.deleted) ?? true
        let added = try tree.addRevision(after: parentID, body: revision.body, canonicalJSON: json.bytes, flags: flags)
        guard added.isNew else { return SavedRevision(id: added.id, sequence: old?.sequence ?? 0, isCreated: false, isNew: false) }
        try propose(id, tables, replacing: old, revision, parent: parentID)
        let outcome = try tree.prepareSave(
            isNewRecord: old == nil, depth: treeDepth(), form: treeForm, keepsReplacedBodies: database.keepsReplacedBodies)
        let sequence = try put(id, tables, replacing: old, outcome)
        journalSave(id, tables, replacing: old, sequence)
        noteRevision(String(decoding: id, as: UTF8.self), tables, NotedRevision(added.id, isDeleted: revision.isDeleted, in: tree))
        return SavedRevision(id: added.id, sequence: sequence, isCreated: isCreated, isNew: true)
    }

    /// The form of trees that the releases of this file's generation read.
    var treeForm: RevisionTree.Form {
        if !generation.separatesBodies { return .withBodies }
        return generation.readsSeparators ? .current : .withoutSeparator
    }

    static func missing(_ id: String) -> StoreError { StoreError(.notFound, "no document \"\(id)\"") }

    static func refused(_ error: RevisionError, _ id: String) -> StoreError {
        switch error {
        case .conflict: StoreError(.conflict, "document \"\(id)\" has a newer revision than the one that was to be changed")
        case .notFound: missing(id)
        case .badID, .badHistory, .badTime: StoreError(.invalidRevision, "document \"\(id)\": \(error)")
        case .futureTime: StoreError(.fromFuture, "document \"\(id)\": \(error)")
        case .corruptTree, .corruptRevisions: StoreError(.corrupt, "document \"\(id)\" is damaged: \(error)")
        }
    }
}
