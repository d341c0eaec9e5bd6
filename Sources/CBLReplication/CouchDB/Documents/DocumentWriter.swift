import CBLBase
import CBLFleece
import CBLFunctions
import CBLStore

/// Writes documents as clients see them: what they say, and around it what is known of them.
package struct DocumentWriter {
    package let options: DocumentOptions
    package let snapshot: Snapshot
    package let blobs: BlobFolder
    /// For contents that are not to be in the text.
    package var following: FollowingAttachments?

    package init(_ options: DocumentOptions, _ snapshot: Snapshot, _ blobs: BlobFolder) {
        self.options = options
        self.snapshot = snapshot
        self.blobs = blobs
    }

    /// One revision of a document, as it is to be written.
    package struct Subject {
        let id: String
        let revision: RevisionID
        let isDeleted: Bool
        let hasAttachments: Bool
        let sequence: UInt64
        let expiration: Int64?

        package init(id: String, revision: RevisionID, isDeleted: Bool, hasAttachments: Bool, sequence: UInt64, expiration: Int64?) {
            self.id = id
            self.revision = revision
            self.isDeleted = isDeleted
            self.hasAttachments = hasAttachments
            self.sequence = sequence
            self.expiration = expiration
        }
    }

    /// The current revision of a document.
    package func write(_ document: Document, to text: inout ByteBuffer) throws {
        let relatives = options.needsRelatives ? try KnownRevisions(document) : nil
        let subject = Subject(
            id: document.id, revision: document.revision, isDeleted: document.isDeleted,
            hasAttachments: document.flags.contains(.hasAttachments), sequence: document.sequence, expiration: document.expiration)
        try document.body.withRoot { try write(subject, $0, relatives, to: &text) }
    }

    /// Any revision. False if what it says is not kept.
    package func write(_ revision: StoredRevision, _ relatives: KnownRevisions, to text: inout ByteBuffer) throws -> Bool {
        guard let body = revision.shownBody else { return false }
        let document = relatives.document
        let subject = Subject(
            id: document.id, revision: revision.id, isDeleted: revision.isDeleted, hasAttachments: revision.flags.contains(.hasAttachments),
            sequence: revision.sequence, expiration: document.expiration)
        try body.withRoot { try write(subject, $0, relatives, to: &text) }
        return true
    }

    package func write(_ subject: Subject, _ body: Value, _ relatives: KnownRevisions?, to text: inout ByteBuffer) throws {
        guard body.dictionary != nil else { throw DocumentWriter.damaged(subject.id) }
        let start = text.count
        text.append("{\"_id\":")
        JSONWriter.write(string: subject.id, to: &text)
        text.append(",\"_rev\":\"")
        subject.revision.appendName(to: &text)
        text.append("\"")
        if subject.isDeleted { text.append(",\"_deleted\":true") }
        if subject.hasAttachments {
            try writeWithAttachments(subject, body, relatives, to: &text)
        } else if !JSONWriter.writeMembers(of: body, keys: snapshot.sharedKeys, isStrict: true, startingWithComma: true, to: &text) {
            throw DocumentWriter.damaged(subject.id)
        }
        try writeFacts(subject, relatives, to: &text)
        text.append("}")
        if text.count - start > DocumentWriter.longest {
            throw RESTError.tooLarge("document \"\(subject.id)\" with its attachments is too much for one answer: ask for them one by one")
        }
    }

    private static let longest = 1 << 28

    package static func damaged(_ id: String) -> RESTError { .damaged("document \"\(id)\" is damaged") }

    // Facts.

    private func writeFacts(_ subject: Subject, _ relatives: KnownRevisions?, to text: inout ByteBuffer) throws {
        if options.showsSequence {
            text.append(",\"_local_seq\":")
            text.append(decimal: subject.sequence)
        }
        if options.showsExpiration, let expiration = subject.expiration {
            text.append(",\"_exp\":")
            JSONWriter.write(string: DateText.preciseText(expiration), to: &text)
        }
        guard let relatives else { return }
        let history = relatives.history(of: subject.revision)
        if options.showsHistory {
            let ids = history.map(\.id)
            DocumentWriter.write(
                history: options.bridgesHistory ? bridged(ids) : ids, most: options.longestHistory, to: &text)
        }
        if options.showsRevisionStates { DocumentWriter.write(states: history, to: &text) }
        if options.showsConflicts {
            let others = relatives.leaves.filter { !$0.isDeleted && $0.id != subject.revision }
            guard !others.isEmpty else { return }
            text.append(",\"_conflicts\":")
            DocumentWriter.write(list: others.map(\.id.name), to: &text)
        }
    }

    /// Down to what the client has.
    private func bridged(_ ids: [RevisionID]) -> [RevisionID] {
        let known = Set(options.knownRevisions)
        guard let end = ids.firstIndex(where: { known.contains($0.name) }) else { return ids }
        return RevisionTree.connected(Array(ids[...end])).map { $0 + ids[(end + 1)...] } ?? ids
    }

    /// `{"start":3,"ids":["ccc","bbb","aaa"]}`; of versions, which are not counted, the IDs alone.
    package static func write(history: [RevisionID], most: Int, to text: inout ByteBuffer) {
        text.append(",\"_revisions\":{")
        guard let first = history.first, !first.isVersion else {
            text.append("\"ids\":")
            write(list: history.prefix(most).map(\.name), to: &text)
            return text.append("}")
        }
        // The place in the list says the generation: a gap ends it.
        let connected = history.enumerated().prefix { UInt64($0.element.generation) + UInt64($0.offset) == UInt64(first.generation) }
        text.append("\"start\":")
        text.append(decimal: UInt64(first.generation))
        text.append(",\"ids\":")
        write(list: connected.prefix(most).map { $0.element.digestName ?? "" }, to: &text)
        text.append("}")
    }

    private static func write(states history: [StoredRevision], to text: inout ByteBuffer) {
        text.append(",\"_revs_info\":[")
        for (place, revision) in history.enumerated() {
            if place > 0 { text.append(",") }
            text.append("{\"rev\":")
            JSONWriter.write(string: revision.id.name, to: &text)
            let status: StaticString = revision.isDeleted ? "deleted" : revision.shownBody == nil ? "missing" : "available"
            text.append(",\"status\":\"")
            text.append(status)
            text.append("\"}")
        }
        text.append("]")
    }

    package static func write(list: [String], to text: inout ByteBuffer) {
        text.append("[")
        for (place, item) in list.enumerated() {
            if place > 0 { text.append(",") }
            JSONWriter.write(string: item, to: &text)
        }
        text.append("]")
    }

    // Attachments.

    private func writeWithAttachments(_ subject: Subject, _ body: Value, _ relatives: KnownRevisions?, to text: inout ByteBuffer) throws {
        let encoder = FleeceEncoder()
        guard AttachmentEncoding.write(body, keys: snapshot.sharedKeys, generation: subject.revision.generation, into: encoder) else {
            return try writeMembers(subject, body, snapshot.sharedKeys, relatives, to: &text)
        }
        try encoder.finish().withRoot { try writeMembers(subject, $0, nil, relatives, to: &text) }
    }

    private func writeMembers(
        _ subject: Subject, _ body: Value, _ keys: SharedKeys?, _ relatives: KnownRevisions?, to text: inout ByteBuffer
    ) throws {
        guard let members = body.dictionary else { throw DocumentWriter.damaged(subject.id) }
        var budget = WalkBudget(for: body)
        for (key, value) in members {
            guard let name = key.keyBytes(keys) else { throw DocumentWriter.damaged(subject.id) }
            text.append(",")
            JSONWriter.write(string: name, to: &text)
            text.append(":")
            if name.elementsEqual("_attachments".utf8), let attachments = value.dictionary {
                let writer = AttachmentWriter(
                    blobs: blobs, options: options, keys: keys, known: knownGeneration(subject, relatives), following: following)
                try writer.write(attachments, to: &text)
            } else if !JSONWriter.write(value, keys: keys, isStrict: true, within: &budget, to: &text) {
                throw DocumentWriter.damaged(subject.id)
            }
        }
    }

    /// The generation of the newest ancestor that the client has; 0 if it has none.
    private func knownGeneration(_ subject: Subject, _ relatives: KnownRevisions?) -> UInt32 {
        guard let relatives, !options.knownRevisions.isEmpty else { return 0 }
        let known = Set(options.knownRevisions.compactMap(snapshot.revision(named:)))
        return relatives.history(of: subject.revision).first { known.contains($0.id) }?.id.generation ?? 0
    }
}
