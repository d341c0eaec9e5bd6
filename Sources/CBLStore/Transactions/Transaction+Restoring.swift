import CBLBase
import CBLFleece

// What a restored archive says of a database and its documents, written as it is said.
extension Transaction {
    /// Whether nothing has been put into the database yet.
    func isUnused() throws -> Bool {
        guard rawStores().allSatisfy({ (try? rawDocumentKeys(in: $0).isEmpty) == true }), collections() == [.default] else { return false }
        let counts = try counts(of: .default)
        return counts.live == 0 && counts.deleted == 0
    }

    /// Turns a database of revision trees into one of version vectors. Its documents follow when they are saved.
    func raiseVersioningToVectors() throws {
        guard versioning != .vectors else { return }
        guard generation >= .newest else {
            throw StoreError(.unsupported, "a database of format \(generation) cannot have version vectors; an upgrade would bring them")
        }
        try file.infoTable.set(StoredInfo.Key.versioning, integer: UInt64(Versioning.vectors.rawValue))
        try file.reloadInfo()
    }

    func setIdentity(publicUUID: UniqueID, privateUUID: UniqueID) throws {
        try file.infoTable.set(StoredInfo.Key.publicUUID, publicUUID)
        try file.infoTable.set(StoredInfo.Key.privateUUID, privateUUID)
        try file.reloadInfo()
    }

    /// How many generations of each branch of a revision tree are kept from now on.
    package func setPruneDepth(_ depth: Int) throws {
        try file.infoTable.set(StoredInfo.Key.maxRevTreeDepth, integer: UInt64(depth))
    }

    /// Writes the table of remotes anew.
    func setRemotes(_ remotes: [UInt16: String]) throws {
        let encoder = FleeceEncoder()
        encoder.beginDictionary()
        for (id, url) in remotes.sorted(by: { $0.key < $1.key }) {
            encoder.writeKey(url)
            encoder.write(Int64(id))
        }
        encoder.endDictionary()
        try encoder.withFinished { try file.infoTable.set(StoredInfo.Key.remotes, $0) }
    }

    /// Puts a document that is not there into a collection, with its sequence or, if it has none, the next one.
    func insertRestored(_ document: ArchivedDocument, _ tables: CollectionTables) throws {
        var document = document
        if document.sequence == nil {
            document.sequence = try nextSequence(tables)
            document.subsequence = 0
        }
        let sequence = document.sequence ?? 0
        try checkSequence(sequence, tables)
        if try lastSequence(of: tables.name) < sequence { try setLastSequence(sequence, tables) }
        let (outcome, flags) = try document.outcome(treeForm)
        let record = outcome.withColumns { version, body, extra in
            Record(
                flags: flags, subsequence: document.subsequence, sequence: sequence, version: version, body: body, extra: extra,
                expiration: document.expiration)
        }
        try document.id.withUTF8 { try insertMoved(UnsafeRawBufferPointer($0), tables, record) }
        if let expiration = document.expiration, tables.all.contains(where: { !$0.hasExpiration }) {
            try setExpiration(document.id, in: tables.name, expiration)
        }
    }

    /// Sequences up to this one are not to be given to other documents.
    func raiseLastSequence(_ sequence: UInt64, _ tables: CollectionTables) throws {
        try checkSequence(sequence, tables)
        if try lastSequence(of: tables.name) < sequence { try setLastSequence(sequence, tables) }
    }
}

extension ArchivedDocument {
    /// What goes into the columns of its record. Nothing is pruned or dropped.
    fileprivate func outcome(_ form: RevisionTree.Form) throws(StoreError) -> (SaveOutcome, DocumentFlags) {
        switch revisions {
        case .tree(let tree):
            // Of an archive that somebody wrote by hand.
            if zip(tree.revisions, tree.revisions.dropFirst()).contains(where: { RevisionTree.precedes($1, $0) }) {
                var sorted = tree
                sorted.sort()
                do {
                    let saved = try sorted.prepareSave(isNewRecord: true, depth: .max, form: form)
                    return (saved, flags.union(saved.flags))
                } catch {
                    throw StoreError(.corrupt, "document \"\(id)\" cannot be stored: \(error)")
                }
            }
            guard let current = tree.current else { throw StoreError(.corrupt, "document \"\(id)\" has no revision") }
            let encoded = tree.encoded(form)
            let outcome = SaveOutcome(
                version: current.id.binary, body: form == .withBodies ? FleeceData(encoded) : current.body ?? .emptyDictionary,
                extra: form == .withBodies ? nil : encoded, flags: flags, needsNewSequence: false)
            return (outcome, flags)
        case .vectors(let vectors):
            do { return (try vectors.prepareSave(), flags) } catch {
                throw StoreError(.corrupt, "document \"\(id)\" cannot be stored: \(error)")
            }
        }
    }
}
