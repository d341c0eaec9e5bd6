import CBLBase
import CBLFleece
import CBLStore
import CBLTransport

/// Makes of a revision, as a server has sent it, what is stored: its attachments become blobs, and those that are not here are fetched.
struct RevisionArrival {
    let store: ReplicatedDatabase
    let remote: RemoteDatabase

    enum Outcome {
        case revision(ReceivedRevision)
        /// The user may not see the document any more.
        case lost
        /// It cannot be stored, or is not to be.
        case failed(SyncError)
    }

    /// An error that is thrown is not the revision's fault: it is to come again.
    func receive(_ wanted: RemoteDatabase.Wanted, _ value: Value) throws -> Outcome {
        do {
            return try outcome(wanted, value)
        } catch let error as RESTError {
            return .failed(.http(error.status, error.reason.map { "\(error.name): \($0)" } ?? error.name))
        } catch let error as MalformedMessage {
            return .failed(.http(400, error.reason))
        }
    }

    private func outcome(_ wanted: RemoteDatabase.Wanted, _ value: Value) throws -> Outcome {
        if value.dictionary?.value(forKey: "_removed", nil)?.boolean == true { return .lost }
        let document = try IncomingDocument(value)
        guard document.id == wanted.id, document.revision == wanted.revision else {
            return .failed(.http(502, "the server has sent something else"))
        }
        let history: [RevisionID]
        switch RevisionArrival.history(of: document, wanted.revision) {
        case .success(let ids): history = ids
        case .failure(let error): return .failed(error)
        }
        let encoder = FleeceEncoder()
        encoder.beginDictionary()
        document.writeProperties(to: encoder)
        if let attachments = document.attachments, !attachments.isEmpty, !document.isDeleted {
            encoder.writeKey(AttachmentEncoding.property)
            try intake(attachments, of: wanted, history).write(attachments, to: encoder)
        }
        encoder.endDictionary()
        let properties = try encoder.finish()
        let stored = FleeceEncoder()
        let body = try properties.withRoot { try ReceivedBody($0, into: stored, leavesOutSame: true) }
        let missing = body.badDigest ?? body.blobs.first { !store.database.blobs.exists($0.digest) }?.digest.description
        if let missing { return .failed(.http(404, "the document refers to a blob that the server does not have: \(missing)")) }
        let data = body.isAsItCame ? properties : try stored.finish()
        var message = RevisionMessage(documentID: wanted.id, history: RevisionHistory(treeIDs: history))
        message.isDeleted = document.isDeleted
        guard try store.accepts(message, data) else { return .failed(.filteredOut) }
        return .revision(ReceivedRevision(message: message, properties: DocumentProperties(data), allowsConflict: true))
    }

    private static func history(of document: IncomingDocument, _ revision: String) -> Result<[RevisionID], SyncError> {
        let names = document.history ?? [revision]
        guard names.first == revision else { return .failure(.http(502, "the history that the server tells is another revision's")) }
        var ids: [RevisionID] = []
        for name in names {
            guard let id = try? RevisionID(name: name), !id.isVersion else {
                return .failure(
                    .http(
                        501,
                        "a database cannot hold the revision \(name): what follows the number is too long, or has characters that cannot be in it"
                    ))
            }
            ids.append(id)
        }
        guard ids.count > 1 || ids[0].generation == 1 || document.history != nil else {
            return .failure(.http(502, "the server does not tell what revision \(revision) was made from"))
        }
        return .success(ids)
    }

    // Attachments

    private func intake(_ entries: DictionaryView, of wanted: RemoteDatabase.Wanted, _ history: [RevisionID]) throws -> AttachmentIntake {
        let blobs = store.database.blobs
        let base = try former(of: wanted.id, history)
        var intake = AttachmentIntake(blobs: blobs, generation: history[0].generation, former: base?.attachments, believes: true)
        let needed = entries.compactMap { key, value -> (name: String, entry: DictionaryView)? in
            guard let name = key.string, let entry = value.dictionary, entry.value(forKey: "data", nil) == nil else { return nil }
            if let digest = AttachmentIntake.digest(entry), blobs.exists(digest) { return nil }
            if let base, base.attachments[name] != nil, isUnchanged(name, entry, since: base) { return nil }
            return (name, entry)
        }
        let together = try fetchTogether(needed, of: entries, wanted, since: base)
        for (name, entry) in needed {
            let stored = try together[name] ?? attachment(name, of: wanted, blobs)
            // A digest of what is packed says nothing of the content.
            if let digest = AttachmentIntake.digest(entry), digest != stored.digest, entry.value(forKey: "encoding", nil) == nil {
                throw SyncError.http(502, "attachment \"\(name)\" has another content than its digest says")
            }
            if let length = entry.value(forKey: "length", nil)?.integer, length != Int64(stored.length) {
                throw SyncError.http(502, "attachment \"\(name)\" has \(stored.length) bytes instead of \(length)")
            }
            intake.uploads[name] = stored
        }
        return intake
    }

    private func attachment(_ name: String, of wanted: RemoteDatabase.Wanted, _ blobs: BlobFolder) throws -> BlobFolder.Stored {
        do { return try remote.attachment(name, of: wanted.id, wanted.revision, blobs) } catch let error as SyncError
            where error.domain == .http
        {
            throw SyncError.http(error.code, "attachment \"\(name)\" of document \"\(wanted.id)\": \(error.message)")
        }
    }

    /// Longer ones come one by one: they can be gone on with where a connection broke.
    private static let mostTogether: Int64 = 8 << 20

    /// Fetches several attachments with one request, if a server would send these and no others. What does not come so comes by itself.
    private func fetchTogether(
        _ needed: [(name: String, entry: DictionaryView)], of entries: DictionaryView, _ wanted: RemoteDatabase.Wanted, since base: Base?
    ) throws -> [String: BlobFolder.Stored] {
        if !needed.isEmpty, !RemoteDatabase.isPlain(wanted.id) {
            do { return try remote.newAttachmentsByBody(of: wanted, since: base?.name, store.database.blobs) ?? [:] } catch
                where RevisionArrival.isDamage(error)
            {
                return [:]
            }
        }
        guard needed.count > 1, remote.abilities.withLock({ $0.sendsAttachmentsTogether }) else { return [:] }
        var length: Int64 = 0
        for (_, entry) in needed {
            length += min(max(entry.value(forKey: "length", nil)?.integer ?? .max, 0), RevisionArrival.mostTogether + 1)
        }
        guard length <= RevisionArrival.mostTogether else { return [:] }
        let sent = entries.count { _, value in
            base.map { value.dictionary?.value(forKey: "revpos", nil)?.integer ?? .max > Int64($0.generation) } ?? true
        }
        guard sent == needed.count else { return [:] }
        do {
            if let found = try remote.newAttachments(of: wanted, since: base?.name, store.database.blobs) { return found }
            remote.abilities.withLock { $0.sendsAttachmentsTogether = false }
        } catch  where RevisionArrival.isDamage(error) {
            // One by one it goes on.
        }
        return [:]
    }

    /// Whether an answer was cut off on its way, or says what it may not.
    private static func isDamage(_ error: any Error) -> Bool {
        if let error = error as? TransportError { return error.persistence != .permanent }
        return error is MultipartFailure || error is Decompressor.Failure || error is JSONError || error is RESTError
    }

    /// Whether an attachment is still what it was. Digests do not tell, since servers take them of what is packed.
    private func isUnchanged(_ name: String, _ entry: DictionaryView, since base: Base) -> Bool {
        guard let generation = entry.value(forKey: "revpos", nil)?.integer, generation <= Int64(base.generation) else { return false }
        guard let length = entry.value(forKey: "length", nil)?.integer else { return true }
        return base.attachments.length(of: name).map { $0 == length } ?? true
    }

    /// The nearest ancestor whose content is here.
    private struct Base {
        let name: String
        let generation: UInt32
        let attachments: FormerAttachments
    }

    private func former(of id: String, _ history: [RevisionID]) throws -> Base? {
        try store.database.read { snapshot in
            guard let document = try? snapshot.document(id, in: store.collection), let relatives = try? KnownRevisions(document) else {
                return nil
            }
            guard let base = history.lazy.compactMap({ relatives[$0] }).first(where: { $0.shownBody != nil }), let body = base.shownBody
            else { return nil }
            return Base(
                name: base.id.name, generation: base.id.generation,
                attachments: try FormerAttachments(body, generation: base.id.generation, snapshot.sharedKeys))
        }
    }
}
