import CBLFleece
import CBLReplication
import CBLStore
import CBLTransport

/// Requests for one attachment of a document. Contents go from and to blobs piece by piece, so they may be larger than memory.
enum AttachmentRequests {
    static func get(_ call: RESTCall) throws {
        let keyspace = try call.keyspace()
        let id = call.place.document
        guard try !keyspace.isBeside(id) else { throw RESTError.noAttachment }
        try keyspace.check(id: id)
        let (attachment, revision) = try keyspace.database.read { snapshot in
            let found = try DocumentReading.find(call, id, in: keyspace, snapshot)
            guard let body = found.body else { throw RESTError.missing }
            let all = try FormerAttachments(body, generation: found.revision.generation, snapshot.sharedKeys)
            guard let attachment = all[call.place.rest] else { throw RESTError.noAttachment }
            return (attachment, found.revision.name)
        }
        guard try !call.isUnchanged(revision) else { return }
        let type = attachment.type ?? MediaType.bytes.essence
        // Clients of CouchDB say that they want JSON, whatever they ask for.
        if let type = MediaType(type), !call.accepted.contains(type), !call.accepted.contains(.json) {
            throw RESTError.notAcceptable("the attachment is \(type.essence)")
        }
        try send(attachment, keyspace.database.blobs, headers(revision: revision, type: type), call)
    }

    /// A page that somebody stored is not to be run as one of this server's.
    static func headers(revision: String, type: String) -> HTTPHeaders {
        ["Etag": "\"\(revision)\"", "Content-Type": type, "X-Content-Type-Options": "nosniff", "Content-Security-Policy": "sandbox"]
    }

    private static func send(_ attachment: StoredAttachment, _ blobs: BlobFolder, _ headers: HTTPHeaders, _ call: RESTCall) throws {
        guard let digest = attachment.digest, blobs.exists(digest) else { throw RESTError.noAttachment }
        let blob = try UncheckedBlob(blobs, digest)
        var headers = headers
        guard attachment.isEncoded else { return try send(blob, headers, call) }
        if call.request.headers["Range"] == nil, ContentCoding.preferred(call.request.headers, of: [.gzip]) == .gzip {
            headers.add("Content-Encoding", "gzip")
            return try send(blob, headers, call)
        }
        // How long it is unpacked, only its description says.
        try call.begin(200, headers: headers, length: nil)
        if !call.isHead { try attachment.read(from: blobs, decodes: true) { try call.write($0) } }
        call.exchange.end()
    }

    /// One that is longer is not read twice: whoever gets it looks at its digest.
    private static let longestChecked = 1 << 24

    static func send(_ blob: UncheckedBlob, _ headers: HTTPHeaders, _ call: RESTCall) throws {
        let length = blob.length
        var headers = headers
        headers.add("Accept-Ranges", "bytes")
        var range = 0..<length
        var status = 200
        if let wanted = call.request.headers["Range"].flatMap({ ByteRanges($0) }), call.wantsRange(of: headers) {
            switch wanted.choice(of: length, by: .couchbaseLite1) {
            case .whole, .parts: break
            case .part(let part): (status, range) = (206, part)
            case .nothing:
                headers.add("Content-Range", ContentRange(nil, of: length).description)
                try call.begin(416, headers: headers, length: 0)
                return call.exchange.end()
            }
        }
        if status == 206 { headers.add("Content-Range", ContentRange(range, of: length).description) }
        let reader = status == 200 && length <= longestChecked && !call.isHead ? try blob.check() : blob.unchecked()
        try call.begin(status, headers: headers, length: range.count)
        if !call.isHead { try send(reader, range, call) }
        call.exchange.end()
    }

    private static func send(_ reader: BlobReader, _ range: Range<Int>, _ call: RESTCall) throws {
        let space = UnsafeMutableRawBufferPointer.allocate(byteCount: min(1 << 17, max(1, range.count)), alignment: 16)
        defer { space.deallocate() }
        var position = range.lowerBound
        while position < range.upperBound {
            let part = UnsafeMutableRawBufferPointer(rebasing: space[..<min(space.count, range.upperBound - position)])
            let count = try reader.read(at: position, into: part)
            guard count > 0 else { throw RESTError.damaged("the attachment is shorter than it was") }
            try call.write(UnsafeRawBufferPointer(rebasing: part[..<count]))
            position += count
        }
    }

    static func put(_ call: RESTCall) throws {
        guard let type = call.request.headers["Content-Type"] else { throw RESTError.badAttachment("an attachment has a Content-Type") }
        let writer = try BlobWriter(call.keyspace().database.blobs)
        try call.readBody { try writer.append($0) }
        try change(call, 201, to: .content(try writer.finish(), type: type))
    }

    static func delete(_ call: RESTCall) throws { try change(call, 200, to: .nothing) }

    private static func change(_ call: RESTCall, _ status: Int, to new: DocumentEditor.NewAttachment) throws {
        let keyspace = try call.keyspace()
        let id = call.place.document
        guard try !keyspace.isBeside(id) else { throw RESTError.badAttachment("\(id) cannot have attachments") }
        try keyspace.check(id: id)
        let parent = try call.parentRevision()
        let revision = try keyspace.database.write { transaction in
            try DocumentEditor(transaction, keyspace, for: call).change(call.place.rest, of: id, parent: parent, to: new)
        }
        let location: String?? = status == 201 ? .some(nil) : nil
        try DocumentWriting.answer(call, status, id, revision, ["Etag": "\"\(revision)\""], location: location)
    }
}

extension RESTCall {
    /// Whether a part is wanted of what has this tag.
    fileprivate func wantsRange(of headers: HTTPHeaders) -> Bool {
        HTTPConditions(request.headers).wantsRange(of: HTTPValidators(tag: headers["Etag"].flatMap { EntityTag(header: $0) }))
    }
}

extension DocumentEditor {
    enum NewAttachment {
        case content(BlobFolder.Stored, type: String)
        case nothing
    }

    /// Makes a revision that differs from `parent` in one attachment, and gives its name.
    func change(_ name: String, of id: String, parent: String?, to new: NewAttachment) throws -> String {
        let stored = try transaction.document(id, in: keyspace.collection)
        let parent = try self.parent(parent, of: stored)
        if let stored, parent == nil, !stored.isDeleted { throw RESTError.conflict() }
        guard stored != nil || parent == nil else { throw RESTError.missing }
        let base = try parent.flatMap { parent in try stored.flatMap { try KnownRevisions($0)[parent] } }
        if parent != nil, base?.flags.contains(.leaf) != true { throw RESTError.conflict() }
        let body = base?.shownBody ?? .emptyDictionary
        let generation = (parent ?? stored?.revision)?.generation ?? 0
        let former = try FormerAttachments(body, generation: generation, transaction.sharedKeys)
        if case .nothing = new, former[name] == nil { throw RESTError.noAttachment }
        guard !name.hasPrefix("blob_/") else {
            throw RESTError.badAttachment("\"\(name)\" is a blob among the properties of the document: change these")
        }
        let properties = try self.properties(body, former, name, new, generation: generation + 1)
        try properties.withRoot { root in
            try validate(
                DocumentValidation.Version(body: root, keys: transaction.sharedKeys, revision: parent?.name ?? "", isDeleted: false),
                as: id, replacing: parent, of: stored)
        }
        let saved = try transaction.saveAsVersion1(id, in: keyspace.collection, after: parent, body: properties)
        return saved.id.name
    }

    private func properties(
        _ body: FleeceData, _ former: FormerAttachments, _ name: String, _ new: NewAttachment, generation: UInt32
    ) throws -> FleeceData {
        let encoder = FleeceEncoder()
        encoder.beginDictionary()
        body.withRoot { root in
            for (key, value) in root.dictionary.map({ AnySequence($0) }) ?? AnySequence([]) {
                guard let member = key.keyBytes(transaction.sharedKeys), !member.elementsEqual("_attachments".utf8) else { continue }
                encoder.writeKey(member)
                encoder.write(value, keys: transaction.sharedKeys)
            }
        }
        encoder.writeKey("_attachments")
        encoder.beginDictionary()
        former.writeOthers(than: name, to: encoder)
        if case .content(let stored, let type) = new {
            encoder.writeKey(name)
            AttachmentIntake.write(stored, type: type, generation: generation, to: encoder)
        }
        encoder.endDictionary()
        encoder.endDictionary()
        return try transaction.adopt(withAttachments: encoder.finish())
    }
}
