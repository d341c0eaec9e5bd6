import CBLBase
import CBLStore

/// `getAttachment`: asks for the content of a blob.
package struct GetAttachment: Hashable, Sendable {
    package var digest: BlobDigest
    /// The document on whose account; gateways insist on it.
    package var documentID: String?
    package var compress: Bool

    package init(digest: BlobDigest, documentID: String?, compress: Bool) {
        self.digest = digest
        self.documentID = documentID
        self.compress = compress
    }

    init(_ wire: WireRequest) throws(MalformedMessage) {
        guard let digest = wire.properties["digest"].flatMap({ BlobDigest($0) }) else {
            throw MalformedMessage("missing or invalid digest")
        }
        self.init(digest: digest, documentID: wire.properties["docID"], compress: wire.properties.flag("compress"))
    }

    func encode(into wire: inout WireRequest) {
        wire.properties.append("digest", digest.description)
        wire.properties.append("docID", documentID)
        wire.properties.append("compress", if: compress)
    }
}

/// `proveAttachment`: asks for proof that the sender has a blob which the receiver has too.
package struct ProveAttachment: Hashable, Sendable {
    package var digest: BlobDigest
    package var nonce: [UInt8]

    package init(digest: BlobDigest, nonce: [UInt8]) {
        self.digest = digest
        self.nonce = nonce
    }

    init(_ wire: WireRequest) throws(MalformedMessage) {
        guard let digest = wire.properties["digest"].flatMap({ BlobDigest($0) }) else {
            throw MalformedMessage("missing or invalid digest")
        }
        guard (1...255).contains(wire.body.count) else { throw MalformedMessage("the nonce must have 1 to 255 bytes") }
        self.init(digest: digest, nonce: wire.body)
    }

    func encode(into wire: inout WireRequest) {
        wire.properties.append("digest", digest.description)
        wire.body = nonce
    }
}

/// The proof that one has a blob's content: a digest over the nonce's length, the nonce and the content.
///
///     var proof = PossessionProof(nonce: message.nonce)
///     try blobs.read(digest) { proof.update($0) }
///     reply.body = Array(proof.finish().utf8)
package struct PossessionProof {
    private var sha1 = SHA1()

    package init(nonce: [UInt8]) {
        sha1.update(UInt8(truncatingIfNeeded: nonce.count))
        sha1.update(nonce)
    }

    package mutating func update(_ content: UnsafeRawBufferPointer) { sha1.update(content) }
    package mutating func finish() -> String { "sha1-" + sha1.finish().base64 }
}
