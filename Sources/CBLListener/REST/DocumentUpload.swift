import CBLFleece
import CBLReplication
import CBLStore
import CBLTransport

/// What comes with a request to store a document: the document, and the contents of attachments behind it. These go into blobs as they come.
struct DocumentUpload {
    let document: FleeceData
    private(set) var attachments: [String: BlobFolder.Stored] = [:]

    init(_ call: RESTCall, _ keyspace: Keyspace) throws {
        guard let type = call.request.headers["Content-Type"].flatMap({ MediaType($0) }), type.isMultipart else {
            document = try call.object()
            return
        }
        let parts = DocumentParts(keyspace.database.blobs, most: call.service.settings.maximumBody) { try call.hold($0) }
        var reader = try MultipartReader(type)
        try call.readBody { try reader.read($0, parts.take) }
        try reader.finish()
        (document, attachments) = try parts.finish()
    }
}
