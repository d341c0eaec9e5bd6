import CBLFleece

// Revisions that come from elsewhere, what remotes know, and conflicts.
extension Transaction {
    /// What became of a revision that exists elsewhere.
    package struct Inserted: Hashable, Sendable {
        /// How many revisions of its history were not known before.
        package let addedCount: Int
        package let sequence: UInt64
        package let isConflicted: Bool
        /// What was the current revision before, if the new one does not descend from it and it has not ended: in a tree, also where one of the
        /// two is a deletion.
        package var rival: RevisionID?
    }

    /// Adds a revision that was made elsewhere, with its history: the IDs from the revision itself back to its ancestors.
    /// `remote` is where it comes from, 0 for nowhere in particular; a revision that competes with ours is then kept beside it. With `ended`, a
    /// tombstone and its history, it takes the place of a branch of ours, which its owner has seen and given up. What is shared with somebody of whom
    /// nothing is noted is not pruned.
    @discardableResult
    package func insertExisting(
        _ id: String, in collection: CollectionName = .default, history: [RevisionID], body: FleeceData?, isDeleted: Bool = false,
        remote: UInt16 = 0, allowsConflicts: Bool = true, inPlaceOf ended: [RevisionID] = [], isShared: Bool = false
    ) throws -> Inserted {
        try DocumentRules.check(id: id)
        let tables = try tables(collection)
        if versioning == .vectors {
            if let body { try check(body) }
            return try insertExistingVectors(id, tables, history, body, isDeleted: isDeleted, remote: remote)
        }
        return try insertExisting(
            id, in: collection, replacing: record(id, in: tables), history: history, body: body, isDeleted: isDeleted, remote: remote,
            allowsConflicts: allowsConflicts, inPlaceOf: ended, isShared: isShared)
    }

    /// The same in a tree, where `old` is what is there.
    func insertExisting(
        _ id: String, in collection: CollectionName, replacing old: Record?, history: [RevisionID], body: FleeceData?, isDeleted: Bool,
        remote: UInt16 = 0, allowsConflicts: Bool = true, inPlaceOf ended: [RevisionID] = [], isShared: Bool = false
    ) throws -> Inserted {
        let tables = try tables(collection)
        var flags: RevisionTree.Flags = isDeleted ? [.deleted] : []
        if let body, try refersToBlobs(body) { flags.insert(.hasAttachments) }
        try propose(id, tables, history.first, parent: history.dropFirst().first, body, isDeleted: isDeleted)
        return try changeTree(id, tables, replacing: old) { tree in
            let former = tree.current?.id
            let received =
                if ended.isEmpty {
                    try tree.insert(
                        history: history, body: body, flags: flags, remote: remote, allowsConflicts: allowsConflicts, depth: treeDepth())
                } else {
                    try tree.insert(history: history, body: body, flags: flags, inPlaceOf: ended, depth: treeDepth())
                }
            let isKept = isShared && history.first.map { tree.keepShared($0) } ?? false
            return ((received, former), received.needsSave || isKept)
        } result: { change, sequence, tree in
            let (received, former) = change
            if received.addedCount > 0, let revision = history.first {
                noteRevision(id, tables, NotedRevision(revision, isDeleted: isDeleted, in: tree))
            }
            return Inserted(
                addedCount: received.addedCount, sequence: sequence, isConflicted: tree.isConflicted,
                rival: former.flatMap { $0 != history.first && tree.openLeaf($0) != nil ? $0 : nil })
        }
    }

    /// Settles a conflict: `winner` stays, `loser` goes or ends in a closed tombstone. With `merged` properties, a new revision on top of the
    /// winner has them. Gives the revision that is current then. What of the loser is not `shared` goes, where that is known.
    @discardableResult
    package func resolveConflict(
        _ id: String, in collection: CollectionName = .default, winner: RevisionID, loser: RevisionID, merged: FleeceData? = nil,
        mergedIsDeleted: Bool = false, prunesLoser: Bool = true, shared: Set<RevisionID>? = nil
    ) throws -> SavedRevision {
        let tables = try tables(collection)
        try propose(id, tables, nil, parent: winner, merged, isDeleted: mergedIsDeleted)
        if versioning == .vectors {
            return try resolveVectors(id, tables, winner: winner, loser: loser, merged: merged, mergedIsDeleted: mergedIsDeleted)
        }
        var merge: RevisionTree.Merged?
        if let merged {
            try check(merged)
            json.removeAll(keepingCapacity: true)
            merged.withRoot { _ = JSONWriter.write($0, keys: sharedKeys, style: .canonical, to: &json) }
            var flags: RevisionTree.Flags = mergedIsDeleted ? [.deleted] : []
            if try refersToBlobs(merged) { flags.insert(.hasAttachments) }
            merge = RevisionTree.Merged(body: merged, canonicalJSON: json.bytes, flags: flags)
        }
        let prunesLoser = try prunesLoser && !hasBranchingRemotes
        return try changeTree(id, tables) { tree in
            (try tree.resolveConflict(winner: winner, loser: loser, merged: merge, prunesLoser: prunesLoser, shared: shared), true)
        } result: { current, sequence, tree in
            noteRevision(id, tables, NotedRevision(current, isDeleted: tree[current]?.isDeleted ?? false, in: tree))
            return SavedRevision(id: current, sequence: sequence, isCreated: false, isNew: true)
        }
    }

    /// Whether it is replicated with a server of CouchDB's kind. These have branches of their own, and end them when they are told to.
    package var hasBranchingRemotes: Bool { get throws { try remotes().values.contains { $0.hasPrefix("http") } } }

    /// Forgets one leaf revision, and those of its ancestors that nothing else follows. The document goes with its last revision.
    package func purgeRevision(_ revision: RevisionID, of id: String, in collection: CollectionName = .default) throws {
        let tables = try tables(collection)
        guard let document = try document(id, in: collection) else { throw Transaction.missing(id) }
        guard var tree = try document.revisions().tree else { throw Transaction.needsTrees }
        guard tree.purge(revision) > 0 else { throw StoreError(.notFound, "document \"\(id)\" has no leaf revision \(revision)") }
        if tree.isEmpty {
            try purge(id, in: collection)
        } else {
            try changeTree(id, tables) {
                ($0.purge(revision), true)
            } result: { _, _, _ in
            }
        }
    }

    /// Keeps a revision that was pushed, so that what becomes of it here and there can be joined to it, however long that is.
    package func keepShared(_ revision: RevisionID, of id: String, in collection: CollectionName = .default) throws {
        let tables = try tables(collection)
        guard let old = try record(id, in: tables) else { return }
        try changeTree(id, tables, replacing: old) { tree in
            ((), tree.keepShared(revision, pushed: true))
        } result: { _, _, _ in
        }
    }

    /// Notes that a remote has a revision of ours.
    package func markPushed(_ revision: RevisionID, of id: String, in collection: CollectionName = .default, to remote: UInt16) throws {
        let tables = try tables(collection)
        // As a rule it is the current revision of a tree: then nothing has to be read.
        if remote == 1, versioning == .trees, try markSynced(revision, of: id, tables) { return }
        var noted = PushRecord.late
        if versioning == .vectors {
            _ = try changeVectors(id, tables) { revisions in
                noted = try revisions.markPushed(revision, toRemote: remote)
                return ((), noted == .record)
            }
        } else {
            try changeTree(id, tables) { tree in
                noted = try tree.markPushed(revision, toRemote: remote)
                return ((), noted == .record)
            } result: { _, _, _ in
            }
        }
        guard noted == .flag, let old = try record(id, in: tables) else { return }
        // Short for writing the whole tree: remote 1 has the current revision.
        let table = old.isInDeletedTable ? tables.deleted ?? tables.live : tables.live
        let sql = "UPDATE \(table.quotedName) SET flags = ((flags + 0x10000) | 8) WHERE key=? AND sequence=?"
        try connection.withStatement(sql) { statement in
            try statement.bind(id, 1)
            try statement.bind(Int64(bitPattern: old.sequence), 2)
            try statement.run()
        }
    }

    /// Marks a document as synced whose current revision is this one. False if there is none.
    private func markSynced(_ revision: RevisionID, of id: String, _ tables: CollectionTables) throws -> Bool {
        for table in tables.all {
            let isFound = try connection.withStatement(table.statements.markSynced) { statement in
                try statement.bind(id, 1)
                try revision.withBinary { try statement.bind(blob: $0, 2) }
                try statement.run()
                return connection.changes > 0
            }
            if isFound { return true }
        }
        return false
    }

    /// Notes that a remote refused a revision of ours for good. Only trees of 3.2 and later have room for that.
    package func markRejected(_ revision: RevisionID, of id: String, in collection: CollectionName = .default) throws {
        let tables = try tables(collection)
        guard versioning != .vectors else { return }
        try changeTree(id, tables) { tree in
            let isNoted = tree.isRejected(revision)
            try tree.markRejected(revision)
            return ((), !isNoted)
        } result: { _, _, _ in
        }
    }

    /// Shortens revision trees to `depth` generations. Gives the number of documents that got shorter. `progress` is called for each document
    /// that is looked at.
    @discardableResult
    package func pruneTrees(
        in collection: CollectionName = .default, toDepth depth: Int, progress: () throws -> Void = {}
    ) throws -> Int {
        let tables = try tables(collection)
        var count = 0
        for id in try documents(in: collection, withMoreRevisionsThan: depth, progress, where: { _ in true }) {
            try progress()
            try changeTree(id, tables, depth: depth) { tree in
                let before = tree.revisions.count
                var pruned = tree
                _ = try pruned.prepareSave(isNewRecord: false, depth: depth, form: treeForm)
                if pruned.revisions.count < before { count += 1 }
                return ((), pruned.revisions.count < before)
            } result: { _, _, _ in
            }
        }
        return count
    }

    /// Drops what `Database.keepsReplacedBodies` has kept.
    func dropReplacedBodies(in collection: CollectionName, progress: () throws -> Void) throws {
        let tables = try tables(collection)
        for id in try documents(in: collection, withMoreRevisionsThan: 1, progress, where: \.hasReplacedBodies) {
            try progress()
            try changeTree(id, tables, keepsReplacedBodies: false) { _ in
                ((), true)
            } result: { _, _, _ in
            }
        }
    }

    private func documents(
        in collection: CollectionName, withMoreRevisionsThan count: Int, _ progress: () throws -> Void,
        where isWanted: (RevisionTree) throws -> Bool
    ) throws -> [String] {
        guard versioning != .vectors else { return [] }
        var ids: [String] = []
        var options = ScanOptions(order: .stored, content: .everything)
        options.includesDeleted = true
        let cursor = try scan(collection, options)
        while try cursor.next() {
            try progress()
            // A tree has at least eleven bytes for each revision.
            guard (cursor.extraBytes?.count ?? Int.max) > count * 11 else { continue }
            if let tree = try cursor.revisionsInPlace().tree, tree.revisions.count > count, try isWanted(tree) { ids.append(cursor.id) }
        }
        return ids
    }

    /// The number of a remote, a new one if it has none yet.
    package func remoteID(of url: String) throws -> UInt16 {
        let known = try remotes()
        if let id = known.first(where: { $0.value == url })?.key { return id }
        guard let id = UInt16(exactly: Int(known.keys.max() ?? 0) + 1) else { throw StoreError(.unsupported, "there are too many remotes") }
        try setRemotes(known.merging([id: url], uniquingKeysWith: { old, _ in old }))
        return id
    }

    /// Reads a document's tree, lets `change` change it, and saves it if that says so.
    @discardableResult
    private func changeTree<Change, Result>(
        _ id: String, _ tables: CollectionTables, depth: Int? = nil, keepsReplacedBodies: Bool? = nil,
        _ change: (inout RevisionTree) throws -> (Change, needsSave: Bool), result: (Change, _ sequence: UInt64, RevisionTree) -> Result
    ) throws -> Result {
        guard let old = try record(id, in: tables) else { throw Transaction.missing(id) }
        return try changeTree(
            id, tables, replacing: old, depth: depth, keepsReplacedBodies: keepsReplacedBodies, change, result: result)
    }

    /// The same where `old` is what is there.
    private func changeTree<Change, Result>(
        _ id: String, _ tables: CollectionTables, replacing old: Record?, depth: Int? = nil, keepsReplacedBodies: Bool? = nil,
        _ change: (inout RevisionTree) throws -> (Change, needsSave: Bool), result: (Change, _ sequence: UInt64, RevisionTree) -> Result
    ) throws -> Result {
        guard versioning != .vectors else { throw Transaction.needsTrees }
        do {
            var tree = try old?.tree() ?? RevisionTree()
            let (change, needsSave) = try change(&tree)
            guard needsSave else { return result(change, old?.sequence ?? 0, tree) }
            let outcome = try tree.prepareSave(
                isNewRecord: old == nil, depth: depth ?? treeDepth(), form: treeForm,
                keepsReplacedBodies: keepsReplacedBodies ?? database.keepsReplacedBodies)
            var id = id
            let sequence = try id.withUTF8 { try put(UnsafeRawBufferPointer($0), tables, replacing: old, outcome) }
            return result(change, sequence, tree)
        } catch let error as RevisionError {
            throw Transaction.refused(error, id)
        }
    }

    func check(_ body: FleeceData) throws(StoreError) {
        guard let root = Value(root: body.bytes) else { throw StoreError(.invalidDocument, "the body is not Fleece") }
        if let problem = DocumentRules.problem(withBody: root, sharedKeys) { throw StoreError(.invalidDocument, problem) }
    }

    func refersToBlobs(_ body: FleeceData) throws(StoreError) -> Bool {
        try check(body)
        return body.withRoot { BlobReferences.exist(in: body.bytes, $0, sharedKeys) }
    }

    static var needsTrees: StoreError { StoreError(.unsupported, "the document has version vectors, and no revision tree") }
}
