import CBLFleece
import CBLReplication
import CBLStore
import CBLTransport

/// Requests for one property of a document: its value in JSON, or a blob's content.
enum EdgeProperties {
    static func get(_ call: RESTCall) throws {
        let keyspace = try call.keyspace()
        let id = call.place.document
        try keyspace.check(id: id)
        let found = try keyspace.database.read { snapshot -> (Content, revision: String)? in
            let found = try DocumentReading.find(call, id, in: keyspace, snapshot)
            guard let body = found.body else { throw RESTError.missing }
            return try body.withRoot { try content(of: call.place.rest, $0, snapshot) }.map { ($0, found.revision.name) }
        }
        call.audit(.documentRead, document: id)
        // What 1.x calls an attachment has the same path here.
        guard let (content, revision) = found else { return try AttachmentRequests.get(call) }
        guard try !call.isUnchanged(revision) else { return }
        switch content {
        case .json(let json):
            try json.withUnsafeBytes { try call.answer(headers: ["Etag": "\"\(revision)\""], json: $0) }
        case .blob(let digest, let type):
            var headers = AttachmentRequests.headers(revision: revision, type: type ?? MediaType.bytes.essence)
            if isRunByBrowsers(type) { headers.add("Content-Disposition", "attachment") }
            guard keyspace.database.blobs.exists(digest) else { throw RESTError.noAttachment }
            try AttachmentRequests.send(UncheckedBlob(keyspace.database.blobs, digest), headers, call)
        }
    }

    private enum Content {
        case json([UInt8])
        case blob(BlobDigest, type: String?)
    }

    private static func content(of name: String, _ root: Value, _ snapshot: Snapshot) throws -> Content? {
        guard let value = root.dictionary?.value(forKey: name, snapshot.sharedKeys) else { return nil }
        if let blob = value.dictionary, blob.value(forKey: "@type", snapshot.sharedKeys)?.string == "blob",
            let digest = blob.value(forKey: "digest", snapshot.sharedKeys)?.string.flatMap({ BlobDigest($0) })
        {
            return .blob(digest, type: blob.value(forKey: "content_type", snapshot.sharedKeys)?.string)
        }
        var text = ByteBuffer()
        guard JSONWriter.write(value, keys: snapshot.sharedKeys, to: &text) else { throw RESTError.damaged("the property is damaged") }
        return .json(Array(text.bytes))
    }

    /// Whether a browser would run what is in it, as a page of this server.
    private static func isRunByBrowsers(_ type: String?) -> Bool {
        guard let essence = type.flatMap({ MediaType($0) })?.essence else { return false }
        return essence.hasSuffix("html") || essence.hasSuffix("xml") || essence.hasSuffix("javascript") || essence.hasSuffix("ecmascript")
    }

    static func put(_ call: RESTCall) throws {
        let keyspace = try call.keyspace()
        try check(call, keyspace)
        let parent = try call.parentRevision()
        let type = call.request.headers["Content-Type"] ?? MediaType.bytes.essence
        let new: NewValue
        if MediaType(type)?.essence == MediaType.json.essence {
            new = .json(try RESTCall.parse(try call.body()))
        } else {
            let writer = try BlobWriter(keyspace.database.blobs)
            let longest = call.service.settings.longestBlob
            var length = 0
            try call.readBody { piece in
                length += piece.count
                guard length <= longest else { throw RESTError.tooLarge("a blob has \(longest) bytes at most") }
                try writer.append(piece)
            }
            new = .blob(try writer.finish(), type: type)
        }
        try change(call, keyspace, parent, 201, to: new)
    }

    static func delete(_ call: RESTCall) throws {
        let keyspace = try call.keyspace()
        try check(call, keyspace)
        try change(call, keyspace, try call.parentRevision(), 200, to: .nothing)
    }

    private static func check(_ call: RESTCall, _ keyspace: Keyspace) throws {
        guard try !keyspace.isBeside(call.place.document) else { throw RESTError.badRequest("this document has no properties of its own") }
        try keyspace.check(id: call.place.document)
        guard !call.place.rest.hasPrefix("_") else { throw RESTError.badRequest("no property begins with an underscore") }
    }

    private enum NewValue {
        case json(FleeceData)
        case blob(BlobFolder.Stored, type: String)
        case nothing
    }

    private static func change(_ call: RESTCall, _ keyspace: Keyspace, _ parent: String?, _ status: Int, to new: NewValue) throws {
        let id = call.place.document
        let name = call.place.rest
        let expiration = try call.expiration()
        let revision = try keyspace.database.write { transaction -> String in
            let stored = try transaction.document(id, in: keyspace.collection)
            let isThere = stored.map { !$0.isDeleted } ?? false
            guard stored != nil || parent == nil else { throw RESTError.missing }
            let revision = try DocumentEditor(transaction, keyspace, for: call).parent(parent, of: stored)
            if isThere, revision != stored?.revision { throw RESTError.conflict() }
            guard isThere || parent == nil || revision == stored?.revision else { throw RESTError.conflict() }
            let former = isThere ? stored?.body : nil
            let encoder = FleeceEncoder()
            let had = write(name, new, over: former, transaction.sharedKeys, to: encoder)
            if case .nothing = new, !had { throw RESTError.notFound("there is no property \"\(name)\"") }
            let body = try transaction.adopt(withAttachments: encoder.finish())
            let saved = try transaction.saveAsVersion1(id, in: keyspace.collection, after: revision, body: body)
            if let expiration { try transaction.setExpiration(id, in: keyspace.collection, expiration) }
            return saved.id.name
        }
        call.audit(parent == nil ? .documentCreated : .documentUpdated, document: id)
        try DocumentWriting.answer(call, status, id, revision, ["Etag": "\"\(revision)\""], expiration: expiration)
    }

    /// Writes a body that differs in one property. Whether the former one had that.
    private static func write(
        _ name: String, _ new: NewValue, over former: FleeceData?, _ keys: SharedKeys, to encoder: FleeceEncoder
    ) -> Bool {
        var had = false
        encoder.beginDictionary()
        former?.withRoot { root in
            for (key, value) in root.dictionary.map({ AnySequence($0) }) ?? AnySequence([]) {
                guard let member = key.keyBytes(keys) else { continue }
                if member.elementsEqual(name.utf8) {
                    had = true
                    continue
                }
                encoder.writeKey(member)
                encoder.write(value, keys: keys)
            }
        }
        switch new {
        case .nothing: break
        case .json(let data):
            encoder.writeKey(name)
            data.withRoot { encoder.write($0, keys: nil) }
        case .blob(let stored, let type):
            encoder.writeKey(name)
            encoder.writeBlob(stored, type: type)
        }
        encoder.endDictionary()
        return had
    }
}
