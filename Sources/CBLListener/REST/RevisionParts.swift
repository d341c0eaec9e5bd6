import CBLFleece
import CBLReplication
import CBLStore
import CBLTransport

/// Several revisions in one body of parts. As with CouchDB, whose replicator relies on it, they come with their attachments unless these are declined: a
/// revision that has some is itself a body of parts, the document and what follows it.
struct RevisionParts {
    /// A part, which may be a body of parts itself.
    private enum Part {
        case text([UInt8])
        case body(DocumentBody)

        /// Nil if it is too much for a number.
        var length: Int? {
            switch self {
            case .text(let bytes): bytes.count
            case .body(let body): body.length
            }
        }
    }

    private let outer = MultipartWriter("mixed")
    private var parts: [(headers: HTTPHeaders, part: Part)] = []

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
        var writer = writer
        let following = FollowingAttachments()
        if writer.options.includesAttachments { writer.following = following }
        guard case .revision(let revision) = item, let relatives, try writer.write(revision, relatives, to: &text) else {
            text.removeAll()
            OpenRevisions.writeMissing(item, to: &text)
            return parts.append((["Content-Type": "application/json; error=\"true\""], .text(Array(text.bytes))))
        }
        guard !following.parts.isEmpty else { return parts.append((["Content-Type": "application/json"], .text(Array(text.bytes)))) }
        let body = DocumentBody(Array(text.bytes), following.parts)
        parts.append((["Content-Type": body.contentType], .body(body)))
    }

    private func send(_ call: RESTCall, _ blobs: BlobFolder) throws {
        let readers = try parts.map { part -> [BlobReader] in
            if case .body(let body) = part.part { try body.readers(blobs) } else { [] }
        }
        let lengths = parts.compactMap { part in part.part.length.map { (headers: part.headers, length: $0) } }
        let length = lengths.count == parts.count ? outer.length(of: lengths) : nil
        try call.begin(200, headers: ["Content-Type": outer.contentType], length: length)
        guard !call.isHead else { return call.exchange.end() }
        for ((headers, part), readers) in zip(parts, readers) {
            try call.write(outer.opening(headers))
            switch part {
            case .text(let bytes): try call.write(bytes)
            case .body(let body): try body.send(readers, call)
            }
        }
        try call.write(outer.ending)
        call.exchange.end()
    }
}
