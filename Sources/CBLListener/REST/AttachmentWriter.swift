import CBLFleece
import CBLStore

/// Writes `_attachments`: what describes them, and their contents if those are wanted.
struct AttachmentWriter {
    let blobs: BlobFolder
    let options: DocumentOptions
    let keys: SharedKeys?
    /// The generation of what the client has; contents that are not newer are not sent.
    let known: UInt32

    func write(_ attachments: DictionaryView, to text: inout ByteBuffer) throws {
        text.append("{")
        var needsComma = false
        for (key, value) in attachments {
            guard let name = key.keyBytes(keys) else { continue }
            if needsComma { text.append(",") }
            needsComma = true
            JSONWriter.write(string: name, to: &text)
            text.append(":")
            guard let entry = value.dictionary else {
                _ = JSONWriter.write(value, keys: keys, to: &text)
                continue
            }
            try write(entry: entry, to: &text)
        }
        text.append("}")
    }

    private func write(entry: DictionaryView, to text: inout ByteBuffer) throws {
        let revision = entry.value(forKey: "revpos", keys)?.integer ?? 0
        guard options.includesAttachments else { return writeStub(entry, to: &text) }
        if known > 0, revision <= Int64(known) {
            text.append("{\"stub\":true,\"revpos\":")
            text.append(decimal: revision)
            return text.append("}")
        }
        let attachment = StoredAttachment(entry, keys)
        guard let digest = attachment.digest, let length = blobs.size(of: digest) else { return writeStub(entry, to: &text) }
        guard length <= AttachmentWriter.longestInline else {
            throw RESTError.tooLarge("an attachment of \(length) bytes is too long for JSON: ask for it by itself")
        }
        var content: [UInt8] = []
        try attachment.read(from: blobs, decodes: !options.keepsEncoding) { content.append(contentsOf: $0) }
        text.append("{\"data\":")
        content.withUnsafeBytes { JSONWriter.write(data: $0, to: &text) }
        let isDecoded = attachment.isEncoded && !options.keepsEncoding
        for (key, value) in entry {
            guard let name = key.keyString(keys), name != "stub", name != "data" else { continue }
            guard !isDecoded || name != "encoding" && name != "encoded_length" && name != "length" else { continue }
            write(name, value, to: &text)
        }
        if isDecoded {
            text.append(",\"length\":")
            text.append(decimal: UInt64(content.count))
        }
        text.append("}")
    }

    private static let longestInline = 1 << 26

    private func writeStub(_ entry: DictionaryView, to text: inout ByteBuffer) {
        text.append("{\"stub\":true")
        for (key, value) in entry {
            guard let name = key.keyString(keys), name != "stub" else { continue }
            guard options.keepsEncoding || name != "encoding" && name != "encoded_length" else { continue }
            write(name, value, to: &text)
        }
        text.append("}")
    }

    private func write(_ name: String, _ value: Value, to text: inout ByteBuffer) {
        text.append(",")
        JSONWriter.write(string: name, to: &text)
        text.append(":")
        _ = JSONWriter.write(value, keys: keys, to: &text)
    }
}

/// What is known of an attachment, and where its content is.
struct StoredAttachment {
    let digest: BlobDigest?
    let type: String?
    /// Whether the blob is the content in gzip, which it is described as.
    let isEncoded: Bool

    init(_ entry: DictionaryView, _ keys: SharedKeys?) {
        digest = entry.value(forKey: "digest", keys)?.string.flatMap { BlobDigest($0) }
        type = entry.value(forKey: "content_type", keys)?.string
        isEncoded = entry.value(forKey: "encoding", keys)?.string == "gzip"
    }

    /// Gives the content to `take`, piece by piece.
    func read(from blobs: BlobFolder, decodes: Bool, _ take: (UnsafeRawBufferPointer) throws -> Void) throws {
        guard let digest else { throw RESTError.noAttachment }
        try blobs.read(digest, take)
    }
}
