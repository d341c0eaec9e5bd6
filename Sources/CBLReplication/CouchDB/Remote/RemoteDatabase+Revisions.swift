import CBLFleece
import CBLStore
import CBLTransport

// Revisions and attachments on their way here.
extension RemoteDatabase {
    /// A revision that is wanted.
    struct Wanted: Hashable {
        let id: String
        let revision: String
        /// Those of the document that are here: what came with them need not come again.
        var ancestors: [String] = []
        /// What the server has of the document: the ends of its branches, the current one first.
        var leaves: [String] = []
        /// Whether all of these are deletions.
        var isGone = false
    }

    /// What became of it.
    typealias Fetched = (Wanted, Result<Value, SyncError>) throws -> Void

    /// Fetches several revisions at once, and gives each with what the server says of it. False if the server has no such request.
    func bulkGet(_ wanted: [Wanted], _ take: Fetched) throws -> Bool {
        var object = JSONObjectWriter(capacity: 128 * wanted.count)
        object.begin()
        object.add("docs", objects: wanted) { item, entry in
            entry.add("id", item.id)
            entry.add("rev", item.revision)
            if !item.ancestors.isEmpty { entry.add("revs_from", list: item.ancestors) }
        }
        object.end()
        let body = RemoteRequest.Body.json(object.buffer.withBytes { Array($0) })
        var items = HTTPQuery()
        items.add("revs", "true")
        var request = RemoteRequest("POST", [name, "_bulk_get"], query: items, body: body)
        request.headers.set("Accept", "application/json, multipart/mixed")
        let answer = try server.send(request)
        // A document has this name where the request is not known.
        if [400, 404, 405, 406, 415, 501].contains(answer.status) {
            _ = try? answer.readAll(most: 1 << 16)
            return false
        }
        guard answer.isSuccess else { throw RemoteDatabase.failure(answer) }
        var open = Dictionary(wanted.map { (RevisionName(id: $0.id, revision: $0.revision), $0) }, uniquingKeysWith: { one, _ in one })
        func give(_ value: Value) throws {
            guard let (name, result) = RemoteDatabase.outcome(value), let item = open.removeValue(forKey: name) else { return }
            try take(item, result)
        }
        if let type = answer.headers["Content-Type"].flatMap({ MediaType($0) }), type.isMultipart {
            try RemoteDatabase.forEachPart(answer, type) { try $0.withRoot(give) }
        } else {
            try json(answer).withRoot { root in
                guard let results = root.dictionary?.value(forKey: "results", nil)?.array else {
                    throw SyncError.http(502, "the server's answer has no results")
                }
                for result in results {
                    guard let docs = result.dictionary?.value(forKey: "docs", nil)?.array else { continue }
                    for doc in docs { try give(doc) }
                }
            }
        }
        for item in open.values { try take(item, .failure(.http(502, "the server has sent something else"))) }
        return true
    }

    private struct RevisionName: Hashable {
        let id: String
        let revision: String
    }

    /// A document, one as `ok`, or an `error` in its place.
    private static func outcome(_ value: Value) -> (RevisionName, Result<Value, SyncError>)? {
        guard let object = value.dictionary else { return nil }
        func text(_ entry: DictionaryView, _ name: String) -> String? { entry.value(forKey: name, nil)?.string }
        let document = object.value(forKey: "ok", nil) ?? value
        if let entry = document.dictionary, let id = text(entry, "_id"), let revision = text(entry, "_rev") {
            return (RevisionName(id: id, revision: revision), .success(document))
        }
        let failure = object.value(forKey: "error", nil)?.dictionary ?? object
        guard let id = text(failure, "id"), let revision = text(failure, "rev") else { return nil }
        let status = failure.value(forKey: "status", nil)?.integer.flatMap { Int(exactly: $0) } ?? 404
        let words = [text(failure, "error"), text(failure, "reason")].compactMap { $0 }.joined(separator: ": ")
        return (RevisionName(id: id, revision: revision), .failure(.http(status, words)))
    }

    /// The parts of a body of several, each of which is JSON.
    private static func forEachPart(_ answer: RemoteAnswer, _ type: MediaType, _ take: (FleeceData) throws -> Void) throws {
        var reader = try MultipartReader(type)
        var part: [UInt8] = []
        var headers = HTTPHeaders()
        try answer.forEachPiece { piece in
            try reader.read(piece) { event in
                switch event {
                case .part(let opening): (headers, part) = (opening, [])
                case .content(let bytes):
                    guard part.count + bytes.count <= RemoteAnswer.longest else { throw SyncError.http(502, "a document is too long") }
                    part.append(contentsOf: bytes)
                case .partEnd: try take(parse(unpacked(part, headers)))
                case .end: break
                }
            }
        }
        try reader.finish()
    }

    private static func unpacked(_ bytes: [UInt8], _ headers: HTTPHeaders) throws -> [UInt8] {
        guard let coding = ContentCoding.of(headers) else { throw SyncError.http(502, "a document is packed in an unknown way") }
        guard let decoder = try coding.decoder(mostBytes: RemoteAnswer.longest) else { return bytes }
        var text: [UInt8] = []
        try bytes.withUnsafeBytes { try decoder.decode($0) { text.append(contentsOf: $0) } }
        try decoder.finish()
        return text
    }

    /// Fetches one revision.
    func get(_ wanted: Wanted) throws -> Result<FleeceData, SyncError> {
        var query: HTTPQueryItems = [("rev", wanted.revision), ("revs", "true")]
        if !wanted.ancestors.isEmpty {
            var list = ByteBuffer()
            DocumentWriter.write(list: wanted.ancestors, to: &list)
            query.append(("revs_from", list.string))
        }
        let answer = try request("GET", [wanted.id], query)
        guard answer.isSuccess else {
            let failure = RemoteDatabase.failure(answer)
            // These say something of the revision, anything else of the server.
            guard [400, 403, 404, 410].contains(answer.status) else { throw failure }
            return .failure(failure)
        }
        return .success(try json(answer))
    }

    // Attachments

    private static let mostAttempts = 4

    /// Fetches the content of an attachment into a blob. A connection that breaks is made again, and goes on where it was.
    func attachment(_ name: String, of id: String, _ revision: String, _ blobs: BlobFolder) throws -> BlobFolder.Stored {
        let blobs = blobs.untilCommit
        var writer = try BlobWriter(blobs)
        var tag: String?
        var attempt = 1
        while true {
            var items = HTTPQuery()
            items.add("rev", revision)
            // One component, whatever slashes are in it: a gateway knows no path of more.
            var request = RemoteRequest("GET", [self.name, id, name], query: items)
            if let tag, writer.length > 0 {
                request.headers.set("Range", "bytes=\(writer.length)-")
                request.headers.set("If-Match", tag)
            }
            let answer = try server.send(request)
            guard answer.isSuccess else { throw RemoteDatabase.failure(answer) }
            if answer.status != 206, writer.length > 0 { writer = try BlobWriter(blobs) }
            // What has a length is sent as it is stored, and can be gone on with.
            tag = answer.headers["Content-Length"] == nil ? nil : answer.headers["Etag"]
            do {
                try answer.forEachPiece { try writer.append($0) }
                return try writer.finish()
            } catch let error as TransportError where error.persistence != .permanent && attempt < RemoteDatabase.mostAttempts {
                attempt += 1
            }
        }
    }
}
