internal import CBLFleece
internal import CBLStore
import Foundation

/// Writes properties as a database stores them. Blobs that it does not have yet are stored on the way.
struct PropertyWriter {
    let encoder: FleeceEncoder
    /// Nil for values that go nowhere, such as the parameters of a query: blobs that no database has are written with their content.
    let database: Database?
    /// In which the blobs are stored, too.
    var transaction: Transaction?

    func write(_ item: Item) throws {
        switch item {
        case .null: encoder.writeNull()
        case .boolean(let flag): encoder.write(flag)
        case .integer(let number): encoder.write(number)
        case .unsigned(let number): encoder.write(number)
        case .float(let number): encoder.write(number)
        case .double(let number): encoder.write(number)
        case .string(let text): encoder.write(text)
        case .array(let array): try array.storage.write(to: self)
        case .dictionary(let dictionary): try dictionary.storage.write(to: self)
        case .blob(let blob): try write(blob)
        }
    }

    /// A value as it is stored somewhere.
    func write(_ value: Value, of source: StoredValues) throws {
        if let owner = source.database, let database, !owner.hasSameFile(as: database) {
            var hasBlobs = value.kind == .data
            BlobReferences.forEach(in: value, source.keys) { _, _ in hasBlobs = true }
            if hasBlobs { throw PropertyWriter.foreignBlob }
        }
        encoder.write(value, keys: source.keys)
    }

    static var foreignBlob: NSError {
        libraryError(
            CBLError.unexpectedError,
            "A document contains a blob that was saved to a different database. The save operation cannot complete.")
    }

    private func write(_ blob: Blob) throws {
        if let database { try blob.store(in: database, transaction) }
        encoder.beginDictionary()
        encoder.writeKey(Blob.typeProperty)
        encoder.write(Blob.blobType)
        if let type = blob.contentType {
            encoder.writeKey(Blob.blobContentType)
            encoder.write(type)
        }
        if let digest = blob.digest {
            encoder.writeKey(Blob.blobDigestProperty)
            encoder.write(digest)
        }
        if database == nil, blob.digest == nil, let content = blob.content {
            encoder.writeKey(Blob.contentProperty)
            content.withUnsafeBytes { encoder.writeData($0) }
        }
        if blob.length > 0 {
            encoder.writeKey(Blob.blobLengthProperty)
            encoder.write(blob.length)
        }
        encoder.endDictionary()
    }
}
