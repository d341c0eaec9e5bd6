import CBLFleece

extension FleeceEncoder {
    /// What a document says of a blob among its properties; without one yet, what will stand there.
    package func writeBlob(_ blob: BlobFolder.Stored?, type: String) {
        beginDictionary()
        writeKey("@type")
        write("blob")
        writeKey("content_type")
        write(type)
        writeKey("digest")
        write(blob?.digest.description ?? "")
        writeKey("length")
        write(Int64(blob?.length ?? 0))
        endDictionary()
    }
}
