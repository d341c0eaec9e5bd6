import CBLBase
import CBLFleece
import CBLStore
import CBLTransport

/// Takes the parts of a multipart body as they come: the document first, then the contents of attachments, which go into blobs.
package final class DocumentParts {
    /// A content that came, and what it may be known by.
    private struct Content {
        let name: String?
        let stored: BlobFolder.Stored
        let md5: [UInt8]
    }

    private var contents: [Content] = []
    private let blobs: BlobFolder
    private let mostJSON: Int
    /// Told how many bytes of the document are in memory.
    private let holding: (Int) throws -> Void
    /// Whether contents that come packed are unpacked.
    private let unpacks: Bool
    private var decoder: ContentDecoder?
    private var json: [UInt8] = []
    private var coding = ContentCoding.identity
    private var count = 0
    private var writer: BlobWriter?
    private var md5 = MD5()
    private var name: String?

    package init(_ blobs: BlobFolder, most: Int, unpacks: Bool = false, holding: @escaping (Int) throws -> Void = { _ in }) {
        self.holding = holding
        self.blobs = blobs
        self.unpacks = unpacks
        mostJSON = most
    }

    package func take(_ event: MultipartReader.Event) throws {
        switch event {
        case .part(let headers): try begin(headers)
        case .content(let bytes):
            if let writer {
                md5.update(bytes)
                guard let decoder else { return try writer.append(bytes) }
                return try decoder.decode(bytes) { try writer.append($0) }
            }
            guard json.count + bytes.count <= mostJSON else {
                throw RESTError.tooLarge("the document is longer than \(mostJSON) bytes")
            }
            try holding(json.count + bytes.count)
            json.append(contentsOf: bytes)
        case .partEnd:
            guard let writer else { return }
            try decoder?.finish()
            contents.append(Content(name: name, stored: try writer.finish(), md5: md5.finish()))
            self.writer = nil
        case .end: break
        }
    }

    private func begin(_ headers: HTTPHeaders) throws {
        count += 1
        guard count > 1 else {
            guard let coding = ContentCoding.of(headers) else { throw RESTError.badRequest("the document is packed in an unknown way") }
            return self.coding = coding
        }
        name = headers["Content-Disposition"].flatMap { ContentDisposition($0)?.fileName }
        writer = try BlobWriter(blobs.untilCommit)
        decoder = nil
        guard unpacks else { return }
        guard let coding = ContentCoding.of(headers) else { throw RESTError.badAttachment("an attachment is packed in an unknown way") }
        decoder = try coding.decoder(mostBytes: .max)
    }

    /// The text of the document, unpacked.
    private func text() throws -> [UInt8] {
        guard let decoder = try coding.decoder(mostBytes: mostJSON) else { return json }
        var text: [UInt8] = []
        try json.withUnsafeBytes { packed in
            try decoder.decode(packed) { piece in
                try holding(json.count + text.count + piece.count)
                text.append(contentsOf: piece)
            }
        }
        try decoder.finish()
        return text
    }

    /// The document, and the contents of its attachments by their names, when all has come.
    package func finish() throws -> (document: FleeceData, attachments: [String: BlobFolder.Stored]) {
        let encoder = FleeceEncoder()
        try text().withUnsafeBytes { try JSONParser.parse($0, into: encoder) }
        let document = try encoder.finish()
        let attachments = try document.withRoot { root in
            try DocumentParts.match(contents, root.dictionary?.value(forKey: "_attachments", nil)?.dictionary)
        }
        return (document, attachments)
    }

    /// Finds out which content is which attachment: by its name, by its digest, or because nothing else is left.
    private static func match(_ contents: [Content], _ entries: DictionaryView?) throws -> [String: BlobFolder.Stored] {
        var waiting: [String: String?] = [:]
        for (key, value) in entries.map({ AnySequence($0) }) ?? AnySequence([]) {
            guard let name = key.string, let entry = value.dictionary, entry.value(forKey: "follows", nil)?.boolean == true else {
                continue
            }
            waiting[name] = .some(entry.value(forKey: "digest", nil)?.string)
        }
        guard waiting.count == contents.count else {
            throw RESTError.badAttachment("\(contents.count) attachments follow, and not \(waiting.count)")
        }
        var matched: [String: BlobFolder.Stored] = [:]
        for content in contents {
            let md5 = "md5-" + content.md5.withUnsafeBytes { Base64.text(of: $0) }
            let byName = content.name.flatMap { waiting[$0] == nil ? nil : $0 }
            let byDigest = { waiting.first { $0.value == content.stored.digest.description || $0.value == md5 }?.key }
            guard let name = byName ?? byDigest() ?? (waiting.count == 1 ? waiting.first?.key : nil) else {
                throw RESTError.badAttachment("it cannot be told which attachment a part of the body is")
            }
            waiting[name] = nil
            matched[name] = content.stored
        }
        return matched
    }
}
