import CBLReplication
import CBLTransport

/// Requests for one document.
enum EdgeDocuments {
    static func get(_ call: RESTCall) throws {
        try DocumentReading.get(call)
        call.audit(call.isHead ? .documentMetadataRead : .documentRead, document: call.place.document)
    }

    static func post(_ call: RESTCall) throws {
        try check(call)
        try DocumentWriting.post(call)
    }

    static func put(_ call: RESTCall) throws {
        try check(call)
        try DocumentWriting.put(call)
    }

    /// Whoever forgets the revision might mean another one.
    static func delete(_ call: RESTCall) throws {
        guard try call.parentRevision() != nil else { throw RESTError.badRequest("the revision that is to be deleted is missing") }
        try DocumentWriting.delete(call)
    }

    private static func check(_ call: RESTCall) throws {
        guard let text = call.request.headers["Content-Type"] else { return }
        guard let type = MediaType(text), type.essence == MediaType.json.essence || type.isMultipart else {
            throw RESTError.badContentType("a document is application/json")
        }
    }
}
