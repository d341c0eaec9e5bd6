import CBLReplication
import CBLStore
import CBLTransport

/// A document, and behind it the contents of its attachments as they are stored: a body of parts, by itself or within another.
struct DocumentBody {
    private let document: [UInt8]
    private let attachments: [FollowingAttachments.Part]
    private let first: HTTPHeaders
    private let writer = MultipartWriter("related")

    /// `headers` are those of the document's part besides its type.
    init(_ document: [UInt8], _ attachments: [FollowingAttachments.Part], _ headers: HTTPHeaders = [:]) {
        self.document = document
        self.attachments = attachments
        var first: HTTPHeaders = ["Content-Type": "application/json"]
        for field in headers.fields { first.add(field.name, field.value) }
        self.first = first
    }

    var contentType: String { writer.contentType }
    /// Nil if it is too much for a number.
    var length: Int? { writer.length(of: [(first, document.count)] + attachments.map { ($0.headers, $0.length) }) }

    /// The contents, to be opened before anything is sent: what is missing or damaged is an error as long as nothing was.
    func readers(_ blobs: BlobFolder) throws -> [BlobReader] { try attachments.map { try UncheckedBlob(blobs, $0.digest).check() } }

    func send(_ readers: [BlobReader], _ call: RESTCall) throws {
        try call.write(writer.opening(first))
        try call.write(document)
        for (part, reader) in zip(attachments, readers) {
            try call.write(writer.opening(part.headers))
            try reader.forEachPiece { try call.write($0) }
        }
        try call.write(writer.ending)
    }

    /// The whole answer.
    func answer(_ call: RESTCall, _ blobs: BlobFolder, _ headers: HTTPHeaders) throws {
        let readers = try readers(blobs)
        var headers = headers
        headers.set("Content-Type", contentType)
        try call.begin(200, headers: headers, length: length)
        if !call.isHead { try send(readers, call) }
        call.exchange.end()
    }
}
