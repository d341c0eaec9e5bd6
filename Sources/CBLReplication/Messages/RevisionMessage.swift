import CBLStore

/// `rev`: a revision of a document.
package struct RevisionMessage: Hashable, Sendable {
    package var documentID: String
    /// The revision with what it descends from.
    package var history: RevisionHistory
    /// The sender's sequence. Required where it was asked for.
    package var sequence: RemoteSequence?
    package var isDeleted = false
    /// The receiver must refuse it if it would compete with another.
    package var forbidsConflict = false
    /// The sender has settled a conflict against the receiver's branch: the tombstone that ends it, and what that descends from.
    package var endedBranch: [RevisionID] = []
    /// The body is a delta to this revision's.
    package var deltaSource: RevisionID?
    /// The revision that was asked for, and is not to be had any more.
    package var replaces: RevisionID?
    /// The sender failed at the last moment.
    package var senderError: String?
    /// JSON: the document's properties, or the delta.
    package var body: [UInt8]
    /// The sender does not care what becomes of it.
    package var isNoReply = false
    /// The blobs that the document refers to. Not sent: the sender knows by them what it may be asked for.
    package var blobs: [BlobDigest] = []

    package init(documentID: String, history: RevisionHistory, sequence: RemoteSequence? = nil, body: [UInt8] = []) {
        self.documentID = documentID
        self.history = history
        self.sequence = sequence
        self.body = body
    }

    package var revision: RevisionID? { history.revision }
    /// What a document's ID may have in bytes, in whatever message. It is shown, and kept.
    static let idLengths = 1...255

    init(_ wire: WireRequest) throws(MalformedMessage) {
        let properties = wire.properties
        guard let id = properties["id"], RevisionMessage.idLengths.contains(id.utf8.count) else {
            throw MalformedMessage("rev: missing or invalid document ID")
        }
        guard let revision = properties["rev"], !revision.isEmpty else { throw MalformedMessage("rev: missing revision") }
        documentID = id
        do {
            history = try RevisionMessage.history(revision, properties["history"] ?? "")
            deltaSource = try properties["deltaSrc"].map { try RevisionID(parsing: $0) }
            endedBranch = try RevisionMessage.branch(properties["deleted_branch"] ?? "")
            replaces = try properties["replacedRev"].map { try RevisionID(parsing: $0) }
        } catch {
            throw MalformedMessage("rev: \(error)")
        }
        if let text = properties["sequence"], !text.isEmpty {
            guard let sequence = RemoteSequence(json: text) else { throw MalformedMessage("rev: the sequence is not JSON") }
            self.sequence = sequence
        }
        isDeleted = properties.flag("deleted")
        forbidsConflict = properties.flag("noconflicts")
        senderError = properties["error"]
        body = wire.body
        isNoReply = wire.isNoReply
    }

    /// A tree's ancestors stand behind the revision; of a vector, what stands before the semicolon was merged.
    private static func history(_ revision: String, _ history: String) throws(RevisionError) -> RevisionHistory {
        let id = try RevisionID(parsing: revision)
        guard !history.isEmpty else { return id.isVersion ? try RevisionHistory(parsing: revision) : RevisionHistory(treeIDs: [id]) }
        let separator = id.isVersion && !history.contains(";") ? "; " : ", "
        return try RevisionHistory(parsing: revision + separator + history)
    }

    private static func branch(_ text: String) throws(RevisionError) -> [RevisionID] {
        guard !text.isEmpty else { return [] }
        return try RevisionHistory(parsing: text).treeIDs
    }

    /// The property `history`; empty if nothing is known of the past.
    private var historyText: String {
        if history.vector.isEmpty { return history.treeIDs.dropFirst().map(\.text).joined(separator: ",") }
        let text = history.description
        guard let end = text.firstIndex(where: { $0 == "," || $0 == ";" }) else { return "" }
        let rest = text[text.index(after: end)...].drop { $0 == " " }
        return rest.split(separator: " ").joined()
    }

    func encode(into wire: inout WireRequest) {
        wire.isCompressed = true
        wire.isNoReply = isNoReply
        wire.properties.append("id", documentID)
        wire.properties.append("rev", history.revision?.text)
        let past = historyText
        if !past.isEmpty { wire.properties.append("history", past) }
        wire.properties.append("sequence", sequence?.json)
        wire.properties.append("deleted", if: isDeleted, "1")
        wire.properties.append("noconflicts", if: forbidsConflict)
        if !endedBranch.isEmpty { wire.properties.append("deleted_branch", endedBranch.map(\.text).joined(separator: ",")) }
        wire.properties.append("deltaSrc", deltaSource?.text)
        wire.properties.append("replacedRev", replaces?.text)
        wire.properties.append("error", senderError)
        wire.body = body
    }
}

/// `norev`: a revision that was promised will not come.
package struct NoRevisionMessage: Hashable, Sendable {
    package var documentID: String
    /// Nil if the peer wrote something that cannot be a revision.
    package var revision: RevisionID?
    package var sequence: RemoteSequence?
    /// A status as of HTTP.
    package var status: Int
    package var reason: String?

    package init(documentID: String, revision: RevisionID?, sequence: RemoteSequence?, status: Int, reason: String? = nil) {
        self.documentID = documentID
        self.revision = revision
        self.sequence = sequence
        self.status = status
        self.reason = reason
    }

    init(_ wire: WireRequest) throws(MalformedMessage) {
        guard let id = wire.properties["id"], RevisionMessage.idLengths.contains(id.utf8.count) else {
            throw MalformedMessage("norev: missing or invalid document ID")
        }
        documentID = id
        revision = wire.properties["rev"].flatMap { try? RevisionID(parsing: $0) }
        sequence = (wire.properties["sequence"] ?? wire.properties["seq"]).flatMap { RemoteSequence(json: $0) }
        status = wire.properties.integer("error") ?? 500
        reason = wire.properties["reason"]
    }

    func encode(into wire: inout WireRequest) {
        wire.isNoReply = true
        wire.properties.append("id", documentID)
        wire.properties.append("rev", revision?.text)
        wire.properties.append("sequence", sequence?.json)
        wire.properties.append("error", String(status))
        wire.properties.append("reason", reason)
    }
}

/// `getRev`: asks a gateway for a document's current revision. If that is a tombstone, the answer is 404 (HTTP).
package struct GetRevision: Hashable, Sendable {
    package var documentID: String

    package init(documentID: String) { self.documentID = documentID }

    init(_ wire: WireRequest) throws(MalformedMessage) {
        guard let id = wire.properties["id"] else { throw MalformedMessage("getRev: missing document ID") }
        documentID = id
    }

    func encode(into wire: inout WireRequest) { wire.properties.append("id", documentID) }
}
