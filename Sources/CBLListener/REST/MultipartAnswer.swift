import CBLReplication
import CBLStore
import CBLTransport

/// A document, and behind it the contents of its attachments as they are stored.
enum MultipartAnswer {
    static func send(
        _ document: UnsafeRawBufferPointer, _ attachments: [FollowingAttachments.Part], _ blobs: BlobFolder, _ headers: HTTPHeaders,
        _ call: RESTCall
    ) throws {
        let writer = MultipartWriter("related")
        let first: HTTPHeaders = ["Content-Type": "application/json", "Content-Length": "\(document.count)"]
        let length = writer.length(of: [(first, document.count)] + attachments.map { ($0.headers, $0.length) })
        // What is missing or damaged is an error as long as nothing was sent.
        let readers = try attachments.map { try UncheckedBlob(blobs, $0.digest).check() }
        var headers = headers
        headers.set("Content-Type", writer.contentType)
        try call.begin(200, headers: headers, length: length)
        guard !call.isHead else { return call.exchange.end() }
        try writer.opening(first).withUnsafeBytes { try call.write($0) }
        try call.write(document)
        for (part, reader) in zip(attachments, readers) {
            try writer.opening(part.headers).withUnsafeBytes { try call.write($0) }
            try reader.forEachPiece { try call.write($0) }
        }
        try writer.ending.withUnsafeBytes { try call.write($0) }
        call.exchange.end()
    }
}
