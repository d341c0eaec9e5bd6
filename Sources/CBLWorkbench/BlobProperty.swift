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
                    encoder.writeBlob(blob, type: type)
                }
            }
        } catch let error as KeyPathError {
            throw WorkbenchError.noPlace(document: id, reason: "\(error)")
        }
        return try encoder.finish()
    }
}
