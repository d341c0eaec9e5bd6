internal import CBLStore
import Foundation

extension Database {
    /// Stores a blob without a document. Compaction removes those that no document refers to.
    public func saveBlob(blob: Blob) throws {
        let core = try openCore()
        try translatingErrors { try core.step { try blob.store(in: self, $0) } }
    }

    /// The blob that a dictionary stands for, such as one that has come as JSON; nil if the database does not have it.
    public func getBlob(properties: [String: Any]) throws -> Blob? {
        programmerErrorUnless(
            Blob.isBlob(properties: properties), .invalidArgument, "The dictionary does not stand for a blob: see Blob.isBlob(properties:)."
        )
        let core = try openCore()
        guard let text = properties[Blob.blobDigestProperty] as? String, let digest = BlobDigest(text),
            let length = core.blobs.size(of: digest)
        else { return nil }
        return Blob(text, length: UInt64(length), contentType: properties[Blob.blobContentType] as? String, in: self)
    }
}
