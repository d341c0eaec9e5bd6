import CBLFleece
import CBLReplication
import CBLStore

/// Stores what clients send, inside a transaction: edits, and revisions that were made elsewhere.
struct DocumentEditor {
    let transaction: Transaction
    let keyspace: Keyspace
    /// Contents that came beside the document, by name.
    var uploads: [String: BlobFolder.Stored] = [:]
    /// Whether an edit of what is no leaf begins a branch, instead of being refused.
    var allowsConflict = false
    /// Whom the functions of design documents are told of that have to agree; nil if they are not asked.
    let author: Visitor?
    /// Why the one who sends them may not store design documents.
    let missingForDesigns: String?

    init(_ transaction: Transaction, _ keyspace: Keyspace, for call: RESTCall, uploads: [String: BlobFolder.Stored] = [:]) throws {
        self.transaction = transaction
        self.keyspace = keyspace
        self.uploads = uploads
        missingForDesigns = call.missingForDesigns(of: keyspace)
        let isAsked = call.service.settings.edge == nil && keyspace.hasDesignDocuments
        author = try isAsked && keyspace.served.validation.isNeeded(transaction) ? call.visitor : nil
    }

    private var collection: CollectionName { keyspace.collection }

    /// Makes a new revision below `parent`, and gives its name.
    func save(_ document: IncomingDocument, as id: String, parent: String?) throws -> String {
        if try keyspace.isBeside(id, transaction) { return try saveBeside(document, id, parent) }
        try keyspace.check(id: id)
        let stored = try transaction.document(id, in: collection)
        let parent = try self.parent(parent, of: stored)
        let base = parent ?? (stored?.isDeleted == true ? stored?.revision : nil)
        try document.withVersion { try validate($0, as: id, replacing: parent, of: stored) }
        let body = try body(of: document, generation: (base?.generation ?? 0) + 1, former: { try former(base, of: stored) })
        let saved = try transaction.saveAsVersion1(
            id, in: collection, replacing: stored, after: parent, body: body, isDeleted: document.isDeleted, allowsConflict: allowsConflict)
        try expire(id, document.expiration)
        return saved.id.name
    }

    /// Whether a document has nothing but properties: if there is none yet, it can be saved with many others.
    func canSaveAsNew(_ document: IncomingDocument, _ id: String) throws -> Bool {
        guard author == nil else { return false }
        guard document.revision == nil, !document.isDeleted, document.attachments?.isEmpty ?? true else { return false }
        guard case .unchanged = document.expiration else { return false }
        return try !keyspace.isBeside(id, transaction)
    }

    func saveAsNew(_ document: IncomingDocument, as id: String, _ first: FirstRevisions, _ place: Int) throws -> RevisionID {
        try keyspace.check(id: id)
        encode(document)
        return try first.save(id, place)
    }

    private func encode(_ document: IncomingDocument) {
        transaction.encoder.reset()
        transaction.encoder.beginDictionary()
        document.writeProperties(to: transaction.encoder)
        transaction.encoder.endDictionary()
    }

    /// Stores a revision that was made elsewhere, with its history, and gives its name.
    func insert(_ document: IncomingDocument, as id: String) throws -> String {
        guard let name = document.revision else { throw RESTError.badID("a revision that was made elsewhere has a _rev") }
        if try keyspace.isBeside(id, transaction) { return try insertBeside(document, id, name) }
        try keyspace.check(id: id)
        guard transaction.versioning != .vectors else {
            throw RESTError.badRequest(
                "the database has version vectors: revisions with a tree of others come into it by replication only, or as edits")
        }
        let history = try self.history(of: document, name)
        try validate(document, as: id, history)
        let former = { () throws -> FormerAttachments? in
            guard let stored = try transaction.document(id, in: collection) else { return nil }
            let relatives = try KnownRevisions(stored)
            guard let base = history.lazy.compactMap({ relatives[$0] }).first, let body = base.shownBody else { return nil }
            return try FormerAttachments(body, generation: base.id.generation, transaction.sharedKeys)
        }
        let body = try body(of: document, generation: history[0].generation, believes: true, former: former)
        try transaction.insertExisting(id, in: collection, history: history, body: body, isDeleted: document.isDeleted)
        try expire(id, document.expiration)
        return history[0].name
    }

    private func history(of document: IncomingDocument, _ name: String) throws -> [RevisionID] {
        let names = document.history ?? [name]
        // CouchDB and PouchDB go by the history where it does not begin with the _rev.
        return try names.map { name in
            do { return try RevisionID(name: name) } catch { throw RESTError.badID("\(error)") }
        }
    }

    /// The revision that is to be changed, by its name.
    func parent(_ name: String?, of stored: Document?) throws -> RevisionID? {
        guard let name else { return nil }
        if let id = transaction.revision(named: name) { return id }
        guard stored != nil else { throw RESTError.missing }
        throw name.first?.isNumber == true && name.contains("-") ? RESTError.conflict() : RESTError.badID("\"\(name)\" is no revision")
    }

    private func former(_ base: RevisionID?, of stored: Document?) throws -> FormerAttachments? {
        guard let base, let stored else { return nil }
        return try body(of: base, in: stored).map { try FormerAttachments($0, generation: base.generation, transaction.sharedKeys) }
    }

    private func body(of revision: RevisionID, in stored: Document) throws -> FleeceData? {
        revision == stored.revision ? stored.body : try KnownRevisions(stored)[revision]?.shownBody
    }

    // What design documents have against it

    private func validate(_ document: IncomingDocument, as id: String, _ history: [RevisionID]) throws {
        guard author != nil else { return }
        let stored = try transaction.document(id, in: collection)
        let known = try stored.map { try KnownRevisions($0) }
        let base = history.dropFirst().first { known?[$0] != nil }
        try document.withVersion { try validate($0, as: id, replacing: base, of: stored) }
    }

    /// Throws what the functions of design documents have against a document in the place of one of its revisions.
    func validate(_ new: DocumentValidation.Version, as id: String, replacing base: RevisionID?, of stored: Document?) throws {
        guard let author else { return }
        func check(_ old: DocumentValidation.Version?) throws {
            try keyspace.served.validation.check(new, replacing: old, as: id, of: keyspace.served.name, by: author, transaction)
        }
        guard let base, let stored, let body = try body(of: base, in: stored) else { return try check(nil) }
        let isDeleted = try base == stored.revision ? stored.isDeleted : KnownRevisions(stored)[base]?.isDeleted ?? false
        try body.withRoot {
            try check(
                DocumentValidation.Version(body: $0, keys: transaction.sharedKeys, revision: base.name, isDeleted: isDeleted))
        }
    }

    /// What is to be stored.
    private func body(
        of document: IncomingDocument, generation: UInt32, believes: Bool = false, former: () throws -> FormerAttachments?
    ) throws -> FleeceData {
        guard let attachments = document.attachments, !attachments.isEmpty, !document.isDeleted else {
            encode(document)
            return try transaction.encoder.finish()
        }
        let intake = AttachmentIntake(
            blobs: keyspace.database.blobs, uploads: uploads, generation: generation, former: try former(), believes: believes)
        let encoder = FleeceEncoder()
        encoder.beginDictionary()
        document.writeProperties(to: encoder)
        encoder.writeKey("_attachments")
        try intake.write(attachments, to: encoder)
        encoder.endDictionary()
        return try transaction.adopt(withAttachments: encoder.finish())
    }

    private func expire(_ id: String, _ expiration: IncomingDocument.Expiration) throws {
        switch expiration {
        case .unchanged: break
        case .never: try transaction.setExpiration(id, in: collection, nil)
        case .at(let time): try transaction.setExpiration(id, in: collection, time)
        }
    }
}

extension IncomingDocument {
    /// As design documents see it.
    fileprivate func withVersion(_ work: (DocumentValidation.Version) throws -> Void) throws {
        try work(DocumentValidation.Version(body: value, keys: nil, revision: revision ?? "", isDeleted: isDeleted))
    }
}

extension Transaction {
    /// Properties with `_attachments`, as they are stored: those that only repeat a blob go.
    func adopt(withAttachments properties: FleeceData) throws -> FleeceData {
        encoder.reset()
        do { _ = try properties.withRoot { try ReceivedBody($0, into: encoder) } } catch let error as MalformedMessage {
            throw RESTError.badRequest(error.reason)
        }
        return try encoder.finish()
    }
}
