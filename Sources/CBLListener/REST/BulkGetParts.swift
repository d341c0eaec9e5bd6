import CBLBase
import CBLFleece
import CBLReplication
import CBLStore
import CBLTransport

/// `_bulk_get` for clients that take its answer in several parts, as Sync Gateway gives it: a part for each revision, and in that, if it has attachments
/// that do not stand in the text, one for each of these. Contents go from blobs to the client piece by piece.
struct BulkGetParts {
    let call: RESTCall
    let keyspace: Keyspace
    let options: DocumentOptions
    private let outer = MultipartWriter("mixed")

    init(_ call: RESTCall, _ keyspace: Keyspace, _ options: DocumentOptions) {
        self.call = call
        self.keyspace = keyspace
        self.options = options
    }

    /// Whether a client takes parts, and has not said that it takes JSON.
    static func areWanted(_ accepted: AcceptedTypes) -> Bool {
        guard !accepted.names(.json) else { return false }
        return ["mixed", "related"].contains { accepted.names(MediaType("multipart", $0)) }
    }

    /// One revision, read and not sent yet.
    private struct Item {
        let id: String
        let revision: String?
        var text: [UInt8] = []
        var attachments: [FollowingAttachments.Part] = []
        var isError = false
    }

    func answer(_ docs: ArrayView) throws {
        try call.begin(200, headers: ["Content-Type": outer.contentType], length: nil)
        for order in docs {
            for item in try keyspace.database.read({ items(order.dictionary, $0) }) { try send(item) }
        }
        try call.write(outer.ending)
        call.exchange.end()
    }

    private func items(_ order: DictionaryView?, _ snapshot: Snapshot) -> [Item] {
        let id = order?.value(forKey: "id", nil)?.string ?? ""
        let name = order?.value(forKey: "rev", nil)?.string
        do {
            guard !id.isEmpty else { throw RESTError.badID("a document is asked for by its id") }
            var options = options
            if let known = order?.value(forKey: "atts_since", nil)?.array { options.knownRevisions = try known.strings("atts_since") }
            return try items(id, name, options, snapshot)
        } catch {
            return [failure(RESTError(error), id, name)]
        }
    }

    private func items(_ id: String, _ name: String?, _ options: DocumentOptions, _ snapshot: Snapshot) throws -> [Item] {
        if try keyspace.isBeside(id) {
            guard let stored = try snapshot.besideDocument(id, name) else { throw RESTError.missing }
            var text = ByteBuffer(capacity: 1024)
            try BesideDocuments.write(stored, as: id, options, to: &text)
            return [Item(id: id, revision: stored.revision, text: Array(text.bytes))]
        }
        guard let document = try snapshot.document(id, in: keyspace.collection) else { throw RESTError.missing }
        var writer = DocumentWriter(options, snapshot, keyspace.database.blobs)
        var items: [Item] = []
        try OpenRevisions.forEach(name.map { [$0] }, latest: call.parameters.flag("latest"), document, snapshot) { found, relatives in
            guard case .revision(let revision) = found, let relatives else { return items.append(failure(.missing, id, name)) }
            let following = options.includesAttachments ? FollowingAttachments() : nil
            writer.following = following
            var text = ByteBuffer(capacity: 1024)
            guard try writer.write(revision, relatives, to: &text) else {
                return items.append(failure(.missing, id, revision.id.name))
            }
            items.append(Item(id: id, revision: revision.id.name, text: Array(text.bytes), attachments: following?.parts ?? []))
        }
        return items
    }

    private func failure(_ problem: RESTError, _ id: String, _ revision: String?) -> Item {
        var object = JSONObjectWriter(capacity: 128)
        object.begin()
        object.add("id", id)
        if let revision { object.add("rev", revision) }
        problem.write(to: &object)
        object.end()
        return Item(id: id, revision: revision, text: Array(object.buffer.bytes), isError: true)
    }

    private func send(_ item: Item) throws {
        let body = DocumentBody(item.text, item.attachments)
        let readers: [BlobReader]
        // What is missing or damaged is an error of its own, and the others come all the same.
        do { readers = try body.readers(keyspace.database.blobs) } catch {
            return try send(failure(RESTError(error), item.id, item.revision))
        }
        var headers: HTTPHeaders = ["X-Doc-ID": PercentEncoding.component(item.id)]
        if let revision = item.revision { headers.add("X-Rev-ID", revision) }
        guard !item.attachments.isEmpty else {
            headers.add("Content-Type", item.isError ? "application/json; error=\"true\"" : "application/json")
            try call.write(outer.opening(headers))
            return try call.write(item.text)
        }
        headers.add("Content-Type", body.contentType)
        try call.write(outer.opening(headers))
        try body.send(readers, call)
    }
}
