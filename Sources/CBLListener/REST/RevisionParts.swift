import CBLFleece
import CBLReplication
import CBLStore
import CBLTransport

/// Several revisions in one body of parts. As with CouchDB, whose replicator relies on it, they come with their attachments unless these are declined: a
/// revision that has some is itself a body of parts, the document and what follows it.
struct RevisionParts {
    private enum Piece {
        case text([UInt8])
        case blob(FollowingAttachments.Part)

        var length: Int {
            switch self {
            case .text(let bytes): bytes.count
            case .blob(let part): part.length
            }
        }
    }

    private let outer = MultipartWriter("mixed")
    private var pieces: [Piece] = []

    static func answer(_ call: RESTCall, _ keyspace: Keyspace, _ wanted: [String]?, _ options: DocumentOptions) throws {
        var options = options
        options.includesAttachments = call.parameters["attachments"] != "false"
        var body = RevisionParts()
        try keyspace.database.read { snapshot in
            let document = try snapshot.document(call.place.document, in: keyspace.collection)
            guard document != nil || wanted != nil else { throw RESTError.missing }
            let writer = DocumentWriter(options, snapshot, keyspace.database.blobs)
            try OpenRevisions.forEach(wanted, latest: call.parameters["latest"] == "true", document, snapshot) { item, relatives in
                try body.add(item, relatives, writer)
            }
        }
        try body.send(call, keyspace.database.blobs)
    }

    private mutating func add(_ item: OpenRevisions.Item, _ relatives: KnownRevisions?, _ writer: DocumentWriter) throws {
        var text = ByteBuffer()
        let json: HTTPHeaders = ["Content-Type": "application/json"]
        var writer = writer
        let following = FollowingAttachments()
        if writer.options.includesAttachments { writer.following = following }
        guard case .revision(let revision) = item, let relatives, try writer.write(revision, relatives, to: &text) else {
            text.removeAll()
            OpenRevisions.writeMissing(item, to: &text)
            return pieces.append(.text(outer.opening(["Content-Type": "application/json; error=\"true\""]) + Array(text.bytes)))
        }
        guard !following.parts.isEmpty else { return pieces.append(.text(outer.opening(json) + Array(text.bytes))) }
        let inner = MultipartWriter("related")
        pieces.append(.text(outer.opening(["Content-Type": inner.contentType]) + inner.opening(json) + Array(text.bytes)))
        for part in following.parts {
            pieces.append(.text(inner.opening(part.headers)))
            pieces.append(.blob(part))
        }
        pieces.append(.text(inner.ending))
    }

    private func send(_ call: RESTCall, _ blobs: BlobFolder) throws {
        // What is missing or damaged is an error as long as nothing was sent.
        var readers: [BlobReader] = []
        for case .blob(let part) in pieces { readers.append(try UncheckedBlob(blobs, part.digest).check()) }
        var waiting = readers[...]
        let length = pieces.reduce(outer.ending.count) { $0 + $1.length }
        try call.begin(200, headers: ["Content-Type": outer.contentType], length: length)
        guard !call.isHead else { return call.exchange.end() }
        for piece in pieces {
            switch piece {
            case .text(let bytes): try bytes.withUnsafeBytes { try call.write($0) }
            case .blob: try waiting.popFirst()?.forEachPiece { try call.write($0) }
            }
        }
        try outer.ending.withUnsafeBytes { try call.write($0) }
        call.exchange.end()
    }
}
