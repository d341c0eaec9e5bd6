import CBLBase
import CBLFleece
import CBLStore
import CBLTransport

// Several revisions of a document, or all attachments of one, in one request.
extension RemoteDatabase {
    private func openRevisions(_ id: String, _ revisions: [String], _ query: HTTPQueryItems, accept: String) throws -> RemoteAnswer {
        func list(_ names: [String]) -> String {
            var text = ByteBuffer()
            DocumentWriter.write(list: names, to: &text)
            return text.string
        }
        var items = HTTPQuery()
        items.add("open_revs", list(revisions))
        items.add("revs", "true")
        for item in query { items.add(item.name, item.value) }
        var request = RemoteRequest("GET", [name, id], query: items)
        request.headers.set("Accept", accept)
        return try server.send(request)
    }

    /// Fetches several revisions of one document. Nil if the server has no such request.
    func revisions(_ wanted: [Wanted]) throws -> [(Wanted, Result<FleeceData, SyncError>)]? {
        guard let id = wanted.first?.id else { return [] }
        let answer = try openRevisions(id, wanted.map(\.revision), [], accept: "application/json")
        // Who does not know the parameter may have a document that is deleted.
        if [400, 404, 405, 406, 501].contains(answer.status) {
            _ = try? answer.readAll(most: 1 << 16)
            return nil
        }
        var open = Dictionary(wanted.map { ($0.revision, $0) }, uniquingKeysWith: { one, _ in one })
        var found: [(Wanted, Result<FleeceData, SyncError>)] = []
        // Or answers with the document itself.
        let isList = try json(answer).withRoot { root -> Bool in
            guard let results = root.array else { return false }
            for result in results {
                guard let document = result.dictionary?.value(forKey: "ok", nil), let members = document.dictionary,
                    let revision = members.value(forKey: "_rev", nil)?.string, let item = open.removeValue(forKey: revision)
                else { continue }
                let encoder = FleeceEncoder()
                encoder.write(document, keys: nil)
                found.append((item, .success(try encoder.finish())))
            }
            return true
        }
        guard isList else { return nil }
        return found + open.values.map { ($0, .failure(.http(404, "missing"))) }
    }

    /// Fetches all attachments that a revision has and an ancestor of it has not. Nil if the server does not send several at once.
    func newAttachments(of wanted: Wanted, since ancestor: String?, _ blobs: BlobFolder) throws -> [String: BlobFolder.Stored]? {
        var query: HTTPQueryItems = [("attachments", "true")]
        if let ancestor {
            var list = ByteBuffer()
            DocumentWriter.write(list: [ancestor], to: &list)
            query.append(("atts_since", list.string))
        }
        return try attachments(of: wanted, in: openRevisions(wanted.id, [wanted.revision], query, accept: "multipart/mixed"), blobs)
    }

    /// The same for a document that cannot stand in a path. Nil if the server does not send them so.
    func newAttachmentsByBody(of wanted: Wanted, since ancestor: String?, _ blobs: BlobFolder) throws -> [String: BlobFolder.Stored]? {
        var object = JSONObjectWriter(capacity: 256)
        object.begin()
        object.add("docs", objects: [wanted]) { item, entry in
            entry.add("id", item.id)
            entry.add("rev", item.revision)
            if let ancestor { entry.add("atts_since", list: [ancestor]) }
        }
        object.end()
        var items = HTTPQuery()
        items.add("revs", "true")
        items.add("attachments", "true")
        var request = RemoteRequest("POST", [name, "_bulk_get"], query: items, body: .json(object.buffer.withBytes { Array($0) }))
        request.headers.set("Accept", "multipart/mixed")
        return try attachments(of: wanted, in: server.send(request), takesInline: true, blobs)
    }

    private func attachments(
        of wanted: Wanted, in answer: RemoteAnswer, takesInline: Bool = false, _ blobs: BlobFolder
    ) throws -> [String: BlobFolder.Stored]? {
        guard answer.isSuccess, let type = answer.headers["Content-Type"].flatMap({ MediaType($0) }), type.isMultipart else {
            // What would come in another form is not looked at: it may be long.
            return nil
        }
        var documents = try MultipartReader(type)
        let opening = documents
        var parts: DocumentParts?
        var inner: MultipartReader?
        var plain: [UInt8] = []
        var found: [String: BlobFolder.Stored] = [:]
        try answer.forEachPiece { piece in
            try documents.read(piece) { event in
                switch event {
                case .part(let headers):
                    inner = try opening.nested(in: headers)
                    parts = inner == nil ? nil : DocumentParts(blobs, most: RemoteAnswer.longest, unpacks: true)
                    plain = ContentCoding.of(headers) == .identity ? [] : Array("{}".utf8)
                case .content(let bytes):
                    guard inner == nil else { return try inner?.read(bytes) { try parts?.take($0) } ?? () }
                    guard plain.count + bytes.count <= RemoteAnswer.longest else { throw SyncError.http(502, "a document is too long") }
                    plain.append(contentsOf: bytes)
                case .partEnd:
                    try inner?.finish()
                    let (document, attachments) = try parts?.finish() ?? (RemoteDatabase.parse(plain), [:])
                    try document.withRoot { root in
                        guard root.dictionary?.value(forKey: "_rev", nil)?.string == wanted.revision else { return }
                        found.merge(attachments) { one, _ in one }
                        if takesInline { found.merge(try RemoteDatabase.contents(in: root, blobs)) { one, _ in one } }
                    }
                case .end: break
                }
            }
        }
        try documents.finish()
        return found
    }

    /// Those that stand in the text of a document: short ones do, also where others follow it.
    private static func contents(in document: Value, _ blobs: BlobFolder) throws -> [String: BlobFolder.Stored] {
        guard let entries = document.dictionary?.value(forKey: AttachmentEncoding.property, nil)?.dictionary else { return [:] }
        var found: [String: BlobFolder.Stored] = [:]
        for (key, value) in entries {
            // What is packed is fetched by itself, and comes unpacked.
            guard let name = key.string, let entry = value.dictionary, entry.value(forKey: "encoding", nil) == nil,
                let content = entry.value(forKey: "data", nil)?.stringBytes.flatMap({ Base64.bytes(of: $0) })
            else { continue }
            found[name] = try content.withUnsafeBytes { try blobs.untilCommit.write($0) }
        }
        return found
    }
}
