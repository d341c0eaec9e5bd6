import CBLFleece
import CBLReplication
import CBLStore
import CBLTransport

/// Requests that read a document.
enum DocumentReading {
    static func get(_ call: RESTCall) throws {
        let keyspace = try call.keyspace()
        let id = call.place.document
        if try keyspace.isBeside(id) { return try BesideDocuments.get(call) }
        try keyspace.check(id: id)
        if let which = call.parameters["open_revs"] { return try OpenRevisions.answer(call, which) }
        let options = try DocumentOptions(call.parameters)
        let following = options.includesAttachments && !call.accepted.names(.json) ? FollowingAttachments() : nil
        var text = ByteBuffer(capacity: 4096)
        let revision = try keyspace.database.read { snapshot -> String in
            let shown = try find(call, id, in: keyspace, snapshot)
            let revision = shown.revision.name
            // What the client has need not be written.
            if call.request.headers["If-None-Match"] == "\"\(revision)\"" { return revision }
            var writer = DocumentWriter(options, snapshot, keyspace.database.blobs)
            writer.following = following
            switch shown {
            case .current(let document): try writer.write(document, to: &text)
            case .stored(let stored, let relatives):
                guard try writer.write(stored, relatives, to: &text) else { throw RESTError.missing }
            }
            return revision
        }
        guard try !call.isUnchanged(revision) else { return }
        let headers: HTTPHeaders = ["Etag": "\"\(revision)\""]
        guard let parts = following?.parts, !parts.isEmpty else { return try call.answer(headers: headers, json: text.bytes) }
        let body = DocumentBody(Array(text.bytes), parts, ["Content-Length": "\(text.count)"])
        try body.answer(call, keyspace.database.blobs, headers)
    }

    enum Found {
        case current(Document)
        case stored(StoredRevision, KnownRevisions)

        var revision: RevisionID {
            switch self {
            case .current(let document): document.revision
            case .stored(let stored, _): stored.id
            }
        }

        /// What it says; nil if that is not kept.
        var body: FleeceData? {
            switch self {
            case .current(let document): document.body
            case .stored(let stored, _): stored.shownBody
            }
        }
    }

    /// The revision that a request names, or the current one. What it says is here.
    static func find(_ call: RESTCall, _ id: String, in keyspace: Keyspace, _ snapshot: Snapshot) throws -> Found {
        guard let document = try snapshot.document(id, in: keyspace.collection) else { throw RESTError.missing }
        guard let named = call.parameters["rev"] else {
            guard !document.isDeleted else { throw RESTError.deleted }
            return .current(document)
        }
        guard let revision = snapshot.revision(named: named) else { throw RESTError.missing }
        if revision == document.revision { return .current(document) }
        let relatives = try KnownRevisions(document)
        // Who asks for the latest gets what was made of that revision.
        let isLatest = call.parameters["latest"] == "true"
        guard let stored = isLatest ? relatives.leaves(below: revision).first : relatives[revision], stored.shownBody != nil else {
            throw RESTError.missing
        }
        return .stored(stored, relatives)
    }
}

extension Keyspace {
    /// Whether a document is kept beside the collections: it is a local one, or a design document of a file that has these apart.
    func isBeside(_ id: String) throws -> Bool {
        if id.hasPrefix(LocalDocuments.prefix) { return true }
        guard hasDesignDocuments, id.hasPrefix(DesignDocuments.prefix) else { return false }
        return try !database.read { $0.generation.isVersion1 }
    }

    /// Refuses what cannot be a document's ID.
    func check(id: String) throws(RESTError) {
        guard !id.hasPrefix(DesignDocuments.prefix) else { return }
        var id = id
        if let problem = id.withUTF8({ DocumentRules.problem(withID: UnsafeRawBufferPointer($0)) }) { throw .badID(problem) }
    }
}
