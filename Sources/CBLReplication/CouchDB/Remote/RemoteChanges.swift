import CBLFleece

/// What a server tells of the changes of its documents.
struct RemoteChanges {
    struct Row: Hashable {
        var sequence: RemoteSequence?
        let documentID: String
        /// The ends of the document's branches.
        let revisions: [String]
        let isDeleted: Bool
        /// The user may not see it any more.
        let losesAccess: Bool
    }

    var rows: [Row]
    /// All that were told of, with those that do not replicate: a page with as many as were asked for is not the last.
    var count: Int
    /// To go on behind; nil if the server does not say.
    var last: RemoteSequence?

    init(rows: [Row], count: Int, last: RemoteSequence?) { (self.rows, self.count, self.last) = (rows, count, last) }

    /// Of `{"results":[…],"last_seq":…}`.
    init(json: [UInt8]) throws {
        let encoder = FleeceEncoder()
        do { try json.withUnsafeBytes { try JSONParser.parse($0, into: encoder) } } catch {
            // A server that went away in the midst of it.
            throw SyncError.http(502, "the server's list of changes cannot be read: \(error)")
        }
        (rows, count, last) = try encoder.finish().withRoot { root throws(SyncError) in
            guard let results = root.dictionary?.value(forKey: "results", nil)?.array else {
                throw .http(502, "the server's list of changes has no results")
            }
            var rows: [Row] = []
            rows.reserveCapacity(results.count)
            for value in results { if let row = RemoteChanges.row(value) { rows.append(row) } }
            return (rows, results.count, root.dictionary?.value(forKey: "last_seq", nil).flatMap { RemoteSequence($0) })
        }
    }

    /// Nil if it is no document that replicates: a user of Sync Gateway, or a document of another program's own.
    fileprivate static func row(_ value: Value) -> Row? {
        guard let row = value.dictionary, let id = row.value(forKey: "id", nil)?.string, !id.isEmpty, !id.hasPrefix("_") else { return nil }
        let revisions = row.value(forKey: "changes", nil)?.array?.compactMap { $0.dictionary?.value(forKey: "rev", nil)?.string } ?? []
        let isDeleted = row.value(forKey: "deleted", nil)?.boolean ?? false
        let isRemoved = row.value(forKey: "removed", nil)?.array.map { !$0.isEmpty } ?? false
        return Row(
            sequence: row.value(forKey: "seq", nil).flatMap { RemoteSequence($0) }, documentID: id, revisions: revisions,
            isDeleted: isDeleted, losesAccess: row.value(forKey: "revoked", nil)?.boolean ?? false || isRemoved && !isDeleted)
    }
}

/// Changes that come one by one, each in a line of its own.
struct ChangeLines {
    /// So many lines have come that were of use.
    private(set) var count = 0
    private var rest: [UInt8] = []

    private static let longest = 1 << 24

    /// What comes is no such line: the server answers in another way.
    struct Other: Error {}

    /// Gives what is complete with this piece; nil if that is nothing.
    mutating func read(_ piece: UnsafeRawBufferPointer) throws -> RemoteChanges? {
        rest.append(contentsOf: piece)
        guard let end = rest.lastIndex(of: UInt8(ascii: "\n")) else {
            guard rest.count < ChangeLines.longest else { throw SyncError.http(502, "a line of the server's changes is too long") }
            return nil
        }
        var changes = RemoteChanges(rows: [], count: 0, last: nil)
        // Empty ones show that the server is there.
        for line in rest[..<end].split(separator: UInt8(ascii: "\n")) where line.contains(where: { $0 > 0x20 }) {
            do { try ChangeLines.add(Array(line), to: &changes) } catch  where count + changes.count == 0 { throw Other() }
        }
        rest.removeSubrange(...end)
        count += changes.count
        return changes.count > 0 ? changes : nil
    }

    private static func add(_ line: [UInt8], to changes: inout RemoteChanges) throws {
        try RemoteDatabase.parse(line).withRoot { root throws(SyncError) in
            guard let object = root.dictionary, object.value(forKey: "results", nil) == nil else {
                throw .http(502, "the server's changes do not come one by one")
            }
            let last = ["last_seq", "seq"].lazy.compactMap { object.value(forKey: $0, nil).flatMap { RemoteSequence($0) } }.first
            guard let last else { throw .http(502, "a change of the server's has no sequence") }
            changes.last = last
            changes.count += 1
            if let row = RemoteChanges.row(root) { changes.rows.append(row) }
        }
    }
}

/// Which changes are asked for.
struct ChangesRequest {
    enum Feed: String {
        case normal
        /// Waits until there is something.
        case longpoll
        /// Goes on, a line for each change.
        case continuous
    }

    var feed = Feed.normal
    var since: RemoteSequence?
    var limit: Int
    var skipsDeleted = false
    /// Whether documents are told of that the user may not see any more.
    var tellsRevocations = false
    /// Nil for all.
    var documentIDs: [String]?
    var filter: String?
    var parameters: [String: String] = [:]

    var waits: Bool { feed != .normal }

    /// So often a server that has nothing to say shows that it is there, in milliseconds. Gateways do it no more often than that.
    static let heartbeat = 30_000
    /// A feed that goes on ends when there was nothing for so long: if somebody in between holds back what is sent, it comes then at the latest.
    static let quiet = 3_000

    /// As CouchDB reads it, in the URL.
    var query: HTTPQueryItems {
        var items: HTTPQueryItems = [("feed", feed.rawValue), ("style", "all_docs"), ("limit", "\(limit)")]
        switch feed {
        case .normal: break
        case .longpoll: items.append(("heartbeat", "\(ChangesRequest.heartbeat)"))
        case .continuous: items.append(("timeout", "\(ChangesRequest.quiet)"))
        }
        if let since { items.append(("since", since.text)) }
        if skipsDeleted { items.append(("active_only", "true")) }
        if tellsRevocations { items.append(("revocations", "true")) }
        if let name = documentIDs == nil ? filter : "_doc_ids" {
            items.append(("filter", name))
            for (name, value) in parameters.sorted(by: { $0.key < $1.key }) { items.append((name, value)) }
        }
        return items
    }

    /// As Sync Gateway reads it, in the body.
    var body: [UInt8] {
        let encoder = FleeceEncoder()
        encoder.beginDictionary()
        for (name, value) in query {
            encoder.writeKey(name)
            switch name {
            case "limit", "heartbeat", "timeout": encoder.write(Int64(value) ?? 0)
            case "since": if let number = UInt64(value), number <= Int64.max { encoder.write(Int64(number)) } else { encoder.write(value) }
            case "active_only", "revocations": encoder.write(true)
            default: encoder.write(value)
            }
        }
        if let documentIDs {
            encoder.writeKey("doc_ids")
            encoder.beginArray()
            for id in documentIDs { encoder.write(id) }
            encoder.endArray()
        }
        encoder.endDictionary()
        return (try? encoder.finish().withRoot { Array($0.json().utf8) }) ?? Array("{}".utf8)
    }
}

typealias HTTPQueryItems = [(name: String, value: String)]

extension RemoteSequence {
    /// A string that means something to its server.
    init(string: String) {
        var text = ByteBuffer()
        JSONWriter.write(string: string, to: &text)
        json = text.string
    }

    /// As it stands in a URL: a string without its quotes, anything else as JSON.
    var text: String {
        guard json.utf8.first == UInt8(ascii: "\"") else { return json }
        let encoder = FleeceEncoder()
        guard (try? JSONParser.parse(json, into: encoder)) != nil, let value = try? encoder.finish() else { return json }
        return value.withRoot { $0.string } ?? json
    }
}
