/// `cblite blob ls|get|put`: commands about the blobs that documents refer to.
enum BlobCommand {
    static let declaration = CommandDeclaration(
        "blob", group: .looking,
        summary: "List blobs, take them out, and put them in",
        discussion: """
            A blob is content of any size and kind, as a picture. It lies beside the documents, and a property of a document refers to it: \
            an object with "@type": "blob" and the digest of the content.
            """,
        database: .reads,
        examples: [
            .init("cblite blob ls travel.cblite2", "Every blob, its size, its type and its documents."),
            .init("cblite blob get travel.cblite2 hotel_1 photo -o photo.jpg", "The blob of a property, into a file."),
        ],
        subcommands: [BlobListCommand.declaration, BlobGetCommand.declaration, BlobPutCommand.declaration],
        run: nil)
}
