import CBLBase
import CBLFleece
import CBLStore
import CBLTransport

/// Writes `_attachments`: what describes them, and their contents if those are wanted.
package struct AttachmentWriter {
    package let blobs: BlobFolder
    package let options: DocumentOptions
    package let keys: SharedKeys?
    /// The generation of what the client has; contents that are not newer are not sent.
    package let known: UInt32
    /// Where the contents go that are too long for the text; without it they are in it.
    package var following: FollowingAttachments?

    package func write(_ attachments: DictionaryView, to text: inout ByteBuffer) throws {
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
            try write(entry: entry, String(decoding: name, as: UTF8.self), to: &text)
        }
        text.append("}")
    }

    private func write(entry: DictionaryView, _ attachmentName: String, to text: inout ByteBuffer) throws {
        let revision = entry.value(forKey: "revpos", keys)?.integer ?? 0
        guard options.includesAttachments else { return writeStub(entry, to: &text) }
        if known > 0, revision <= Int64(known) {
            text.append("{\"stub\":true,\"revpos\":")
            text.append(decimal: revision)
            return text.append("}")
        }
        let attachment = StoredAttachment(entry, keys)
        if let known = options.knownAttachments[attachmentName], isSame(attachment, known) {
            text.append("{\"stub\":true,\"digest\":")
            JSONWriter.write(string: known.digest, to: &text)
            text.append(",\"revpos\":")
            text.append(decimal: known.generation)
            return text.append("}")
        }
        guard let digest = attachment.digest, let length = blobs.size(of: digest) else { return writeStub(entry, to: &text) }
        if let following, length >= FollowingAttachments.shortest {
            following.add(attachmentName, attachment, digest, length)
            return write(entry, instead: "follows", to: &text)
        }
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

    private func isSame(_ attachment: StoredAttachment, _ known: KnownAttachment) -> Bool {
        if known.digest == attachment.digest?.description { return true }
        guard known.digest.hasPrefix("md5-"), let digest = attachment.digest else { return false }
        var md5 = MD5()
        guard (try? blobs.read(digest) { md5.update($0) }) != nil else { return false }
        return known.digest == "md5-" + md5.finish().withUnsafeBytes { Base64.text(of: $0) }
    }

    private static let longestInline = 1 << 26

    private func writeStub(_ entry: DictionaryView, to text: inout ByteBuffer) { write(entry, instead: "stub", to: &text) }

    /// What describes it, and where its content is.
    private func write(_ entry: DictionaryView, instead word: StaticString, to text: inout ByteBuffer) {
        let isComplete = options.keepsEncoding || following != nil
        text.append("{\"")
        text.append(word)
        text.append("\":true")
        for (key, value) in entry {
            guard let name = key.keyString(keys), name != "stub", name != "follows" else { continue }
            guard isComplete || name != "encoding" && name != "encoded_length" else { continue }
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
package struct StoredAttachment {
    package let digest: BlobDigest?
    package let type: String?
    /// Whether the blob is the content in gzip, which it is described as.
    package let isEncoded: Bool

    package init(_ entry: DictionaryView, _ keys: SharedKeys?) {
        digest = entry.value(forKey: "digest", keys)?.string.flatMap { BlobDigest($0) }
        type = entry.value(forKey: "content_type", keys)?.string
        isEncoded = entry.value(forKey: "encoding", keys)?.string == "gzip"
    }

    /// Gives the content to `take`, piece by piece.
    package func read(from blobs: BlobFolder, decodes: Bool, _ take: (UnsafeRawBufferPointer) throws -> Void) throws {
        guard let digest else { throw RESTError.noAttachment }
        guard isEncoded, decodes, let decoder = try ContentCoding.gzip.decoder(mostBytes: BlobFolder.longest) else {
            return try blobs.read(digest, take)
        }
        try blobs.read(digest) { try decoder.decode($0, take) }
        try decoder.finish()
    }
}

/// The contents that are sent behind a document, in parts of their own.
package final class FollowingAttachments {
    /// What is shorter stands in the text.
    package static let shortest = 2048

    package struct Part: Sendable {
        let name: String
        package let digest: BlobDigest
        package let length: Int
        package let headers: HTTPHeaders
    }

    package private(set) var parts: [Part] = []

    package init() {}

    package func add(_ name: String, _ attachment: StoredAttachment, _ digest: BlobDigest, _ length: Int) {
        var headers: HTTPHeaders = [
            "Content-Disposition": ContentDisposition.attachment(name), "Content-Type": attachment.type ?? MediaType.bytes.essence,
            "Content-Length": "\(length)",
        ]
        if attachment.isEncoded { headers.add("Content-Encoding", "gzip") }
        parts.append(Part(name: name, digest: digest, length: length, headers: headers))
    }
}
