import CBLFleece

// The columns of a record. `version` is a vector, or a tree ID; `body` the current properties; `extra` NULL, or four zero bytes and a Fleece
// array, by remote ID, that may point into `body`; or still a revision tree.
extension VectorRevisions {
    /// The keys of an item of the array. They are too odd to be shared keys.
    enum Key: String {
        case properties = "."
        case version = "@"
        case flags = "&"
        case legacyParent = "~"

        /// A string of one byte as it lies in a slot.
        var slot: UInt16 { 0x4100 | UInt16(rawValue.utf8.first ?? 0) }
    }

    static let extraPrefix: [UInt8] = [0, 0, 0, 0]
    /// More than any database has remotes; a short array header counts that far.
    static let maximumRemote: UInt16 = 0x7FD

    /// Reads a record of a vector database, also one that was not saved since its document was a tree.
    package init(
        version: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer?, extra: UnsafeRawBufferPointer?, sequence: UInt64,
        flags: DocumentFlags, bodies: BodyKeeping = .copies
    ) throws(RevisionError) {
        let stored = try StoredVersion(column: version)
        let isTree = extra.map { !$0.starts(with: VectorRevisions.extraPrefix) } ?? body.map { RevisionTree.isLegacyBody($0) } ?? false
        if isTree, stored.treeID != nil {
            self.init(importing: try RevisionTree(body: body, extra: extra, sequence: sequence, flags: flags, bodies: bodies))
            return
        }
        self.init()
        let body = body ?? UnsafeRawBufferPointer(start: nil, count: 0)
        current = Revision(
            version: stored, properties: body.isEmpty ? .emptyDictionary : bodies.data(body),
            flags: flags.intersection([.deleted, .hasAttachments]))
        savedVersion = stored
        if let extra { try read(extra, body, bodies) }
        if flags.contains(.synced) { remotes[1] = current }
    }

    private mutating func read(_ extra: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer, _ bodies: BodyKeeping) throws(RevisionError)
    {
        guard extra.starts(with: VectorRevisions.extraPrefix) else { throw .corruptRevisions(reason: "a vector beside a tree") }
        let root = Value(root: body) ?? .undefined
        let result = bodies.data(extra, base: body).withRoot { value in
            Result { () throws(RevisionError) in
                guard let items = value.array, let first = items.first?.dictionary else {
                    throw RevisionError.corruptRevisions(reason: "there is no current one")
                }
                if let bytes = first.value(forKey: Key.legacyParent.rawValue, nil)?.dataBytes {
                    legacyParent = try RevisionID(binary: bytes)
                }
                var budget = WalkBudget(for: value)
                for (remote, item) in items.enumerated().dropFirst() where !item.isNull {
                    guard remote <= VectorRevisions.maximumRemote, let remote = UInt16(exactly: remote), let item = item.dictionary else {
                        throw RevisionError.corruptRevisions(reason: "item \(remote) is no revision")
                    }
                    remotes[remote] = try revision(item, current: root, &budget)
                }
            }
        }
        try result.get()
    }

    private func revision(_ item: DictionaryView, current root: Value, _ budget: inout WalkBudget) throws(RevisionError) -> Revision {
        guard let bytes = item.value(forKey: Key.version.rawValue, nil)?.dataBytes else {
            throw .corruptRevisions(reason: "a remote's revision has no version")
        }
        let flags = item.value(forKey: Key.flags.rawValue, nil)?.integer ?? 0
        var revision = Revision(
            version: try StoredVersion(column: bytes), properties: nil,
            flags: DocumentFlags(rawValue: UInt16(truncatingIfNeeded: flags & 7)))
        if let properties = item.value(forKey: Key.properties.rawValue, nil) {
            guard properties.dictionary != nil else { throw .corruptRevisions(reason: "a remote's properties are no dictionary") }
            if properties.isEqual(to: root) {
                revision.properties = current?.properties
            } else {
                revision.properties = try VectorRevisions.copy(properties, within: &budget)
            }
        }
        return revision
    }

    /// A value as an encoding of its own, without pointers to anywhere else. Shared keys stay as they are.
    static func copy(_ value: Value) throws(RevisionError) -> FleeceData {
        var budget = WalkBudget(for: value)
        return try copy(value, within: &budget)
    }

    private static func copy(_ value: Value, within budget: inout WalkBudget) throws(RevisionError) -> FleeceData {
        let encoder = FleeceEncoder()
        encoder.write(value, keys: nil, within: &budget)
        do { return try encoder.finish() } catch { throw .corruptRevisions(reason: "properties are damaged: \(error)") }
    }

    /// Takes over what a vector database keeps of a tree: the current revision and those of the remotes.
    package init(importing tree: RevisionTree) {
        func revision(_ revision: RevisionTree.Revision) -> Revision {
            var flags: DocumentFlags = []
            if revision.isDeleted { flags.insert(.deleted) }
            if revision.flags.contains(.hasAttachments) { flags.insert(.hasAttachments) }
            if revision.isConflict { flags.insert(.conflicted) }
            return Revision(version: .tree(revision.id), properties: revision.body, flags: flags)
        }
        guard let first = tree.current else { return }
        var imported = revision(first)
        if imported.properties == nil { imported.properties = .emptyDictionary }
        current = imported
        savedVersion = .tree(first.id)
        treeHistory = tree.history(of: 0)
        for remote in tree.remoteIDs where remote <= VectorRevisions.maximumRemote {
            guard let latest = tree.latest(onRemote: remote) else { continue }
            remotes[remote] = latest.id == first.id ? imported : revision(latest)
        }
    }
}
