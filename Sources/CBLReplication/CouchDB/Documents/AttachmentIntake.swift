import CBLBase
import CBLFleece
import CBLStore

/// Turns the `_attachments` that a client sends into those that are stored: their contents become blobs, and what was not sent again is taken from the
/// revision that is changed.
package struct AttachmentIntake {
    package let blobs: BlobFolder
    /// Contents that came beside the document, by name.
    package var uploads: [String: BlobFolder.Stored] = [:]
    /// Of the new revision.
    package let generation: UInt32
    /// The attachments of the revision that is changed.
    package var former: FormerAttachments?
    /// Whether what is not known of an attachment is believed: of a revision that was made elsewhere.
    package var believes = false

    package init(
        blobs: BlobFolder, uploads: [String: BlobFolder.Stored] = [:], generation: UInt32, former: FormerAttachments? = nil,
        believes: Bool = false
    ) {
        self.blobs = blobs
        self.uploads = uploads
        self.generation = generation
        self.former = former
        self.believes = believes
    }

    package func write(_ entries: DictionaryView, to encoder: FleeceEncoder) throws {
        encoder.beginDictionary()
        for (key, value) in entries {
            guard let name = key.string, !name.isEmpty else { throw RESTError.badAttachment("an attachment has no name") }
            guard believes || !name.hasPrefix("_") else { throw RESTError.badRequest("the name of attachment \"\(name)\" begins with _") }
            guard let entry = value.dictionary else { throw RESTError.badAttachment("attachment \"\(name)\" is no object") }
            encoder.writeKey(name)
            try write(entry, name, to: encoder)
        }
        encoder.endDictionary()
    }

    private func write(_ entry: DictionaryView, _ name: String, to encoder: FleeceEncoder) throws {
        if let data = entry.value(forKey: "data", nil) {
            guard let text = data.stringBytes, let content = Base64.bytes(of: text) else {
                throw RESTError.badAttachment("the data of attachment \"\(name)\" is not Base64")
            }
            return write(entry, try content.withUnsafeBytes { try blobs.untilCommit.write($0) }, to: encoder)
        }
        let follows = entry.value(forKey: "follows", nil)?.boolean == true
        let isFetched = believes && !follows && uploads[name] != nil
        if isFetched || follows {
            guard let stored = uploads[name] else { throw RESTError.badAttachment("attachment \"\(name)\" does not follow") }
            let announced = entry.value(forKey: "encoded_length", nil)?.integer ?? entry.value(forKey: "length", nil)?.integer
            guard isFetched || announced == nil || announced == Int64(stored.length) else {
                throw RESTError.badAttachment("attachment \"\(name)\" has another length than it was said to have")
            }
            // What was fetched by itself came unpacked.
            if isFetched { return writeStub(entry, stored.digest, length: Int64(stored.length), to: encoder) }
            return write(entry, stored, to: encoder)
        }
        let known = believes ? AttachmentIntake.digest(entry).flatMap { blobs.exists($0) ? $0 : nil } : nil
        if known == nil, let former, former.write(name, type: entry.value(forKey: "content_type", nil)?.string, to: encoder) { return }
        guard let known else { throw RESTError.missingStub("there is no attachment \"\(name)\" that could stay as it is") }
        let isEncoded = entry.value(forKey: "encoding", nil)?.string == "gzip"
        writeStub(
            entry, known, length: entry.value(forKey: "length", nil)?.integer ?? 0,
            encodedLength: isEncoded ? entry.value(forKey: "encoded_length", nil)?.integer : nil, to: encoder)
    }

    /// Which content it is, if that is said in the way in which blobs are named here.
    static func digest(_ entry: DictionaryView) -> BlobDigest? {
        entry.value(forKey: "digest", nil)?.string.flatMap { BlobDigest($0) }
    }

    private func write(_ entry: DictionaryView, _ stored: BlobFolder.Stored, to encoder: FleeceEncoder) {
        let isEncoded = entry.value(forKey: "encoding", nil)?.string == "gzip"
        let length = isEncoded ? entry.value(forKey: "length", nil)?.integer ?? Int64(stored.length) : Int64(stored.length)
        writeStub(entry, stored.digest, length: length, encodedLength: isEncoded ? Int64(stored.length) : nil, to: encoder)
    }

    private func writeStub(
        _ entry: DictionaryView, _ digest: BlobDigest, length: Int64, encodedLength: Int64? = nil, to encoder: FleeceEncoder
    ) {
        let since = believes ? entry.value(forKey: "revpos", nil)?.integer : nil
        let stub = Stub(
            type: entry.value(forKey: "content_type", nil)?.string, digest: digest, length: length, encodedLength: encodedLength,
            generation: since.map { min(max($0, 1), Int64(generation)) } ?? Int64(generation))
        stub.write(to: encoder)
    }

    /// One that came by itself.
    package static func write(_ stored: BlobFolder.Stored, type: String, generation: UInt32, to encoder: FleeceEncoder) {
        Stub(type: type, digest: stored.digest, length: Int64(stored.length), encodedLength: nil, generation: Int64(generation))
            .write(to: encoder)
    }

    /// What is stored of an attachment, as 1.x has it in its files: the digests of revisions are made of it.
    private struct Stub {
        let type: String?
        let digest: BlobDigest
        let length: Int64
        /// Of what is stored in gzip.
        let encodedLength: Int64?
        let generation: Int64

        func write(to encoder: FleeceEncoder) {
            encoder.beginDictionary()
            encoder.writeKey("content_type")
            encoder.write(type ?? "application/octet-stream")
            encoder.writeKey("digest")
            encoder.write(digest.description)
            if let encodedLength {
                encoder.writeKey("encoding")
                encoder.write("gzip")
                encoder.writeKey("encoded_length")
                encoder.write(encodedLength)
            }
            encoder.writeKey("length")
            encoder.write(length)
            encoder.writeKey("revpos")
            encoder.write(generation)
            encoder.writeKey("stub")
            encoder.write(true)
            encoder.endDictionary()
        }
    }
}

/// The attachments of a revision that is there, also those that its properties have as blobs.
package struct FormerAttachments {
    private let properties: FleeceData
    private let keys: SharedKeys?

    package init(_ body: FleeceData, generation: UInt32, _ keys: SharedKeys) throws {
        let encoder = FleeceEncoder()
        let hasBlobs = body.withRoot { AttachmentEncoding.write($0, keys: keys, generation: generation, into: encoder) }
        (properties, self.keys) = hasBlobs ? (try encoder.finish(), nil) : (body, keys)
    }

    private func withEntry<Result>(_ name: String, _ body: (DictionaryView) throws -> Result) rethrows -> Result? {
        try properties.withRoot { root in
            let entries = root.dictionary?.value(forKey: "_attachments", keys)?.dictionary
            return try entries?.value(forKey: name, keys)?.dictionary.map(body)
        }
    }

    package subscript(name: String) -> StoredAttachment? { withEntry(name) { StoredAttachment($0, keys) } }

    /// Of the content, unpacked; nil if that is not said.
    func length(of name: String) -> Int64? {
        withEntry(name) { $0.value(forKey: "length", keys)?.integer } ?? nil
    }

    /// Writes one as it is, but for what it is called to be. False if there is none of that name.
    package func write(_ name: String, type: String?, to encoder: FleeceEncoder) -> Bool {
        let written: Void? = withEntry(name) { entry in
            encoder.beginDictionary()
            for (key, value) in entry {
                guard let member = key.keyString(keys), member != "stub", type == nil || member != "content_type" else { continue }
                encoder.writeKey(member)
                encoder.write(value, keys: keys)
            }
            if let type {
                encoder.writeKey("content_type")
                encoder.write(type)
            }
            encoder.writeKey("stub")
            encoder.write(true)
            encoder.endDictionary()
        }
        return written != nil
    }

    /// Writes all but one.
    package func writeOthers(than name: String, to encoder: FleeceEncoder) {
        let names = properties.withRoot { root in
            root.dictionary?.value(forKey: "_attachments", keys)?.dictionary?.compactMap { $0.key.keyString(keys) } ?? []
        }
        for other in names where other != name {
            encoder.writeKey(other)
            if !write(other, type: nil, to: encoder) { encoder.writeNull() }
        }
    }
}
