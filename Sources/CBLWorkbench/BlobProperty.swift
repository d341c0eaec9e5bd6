import CBLFleece
import CBLStore

extension Document {
    /// The document's properties with a blob at a place among them. Without a blob yet, this says whether there is such a place.
    package func body(
        with blob: BlobFolder.Stored?, type: String, at path: KeyPath, _ keys: SharedKeys, into encoder: FleeceEncoder
    ) throws -> FleeceData {
        encoder.reset()
        do {
            try body.withRoot { root in
                try path.replace(in: root, keys: keys, into: encoder) { encoder in
                    encoder.beginDictionary()
                    encoder.writeKey("@type")
                    encoder.write("blob")
                    encoder.writeKey("content_type")
                    encoder.write(type)
                    encoder.writeKey("digest")
                    encoder.write(blob?.digest.description ?? "")
                    encoder.writeKey("length")
                    encoder.write(Int64(blob?.length ?? 0))
                    encoder.endDictionary()
                }
            }
        } catch let error as KeyPathError {
            throw WorkbenchError.noPlace(document: id, reason: "\(error)")
        }
        return try encoder.finish()
    }
}
