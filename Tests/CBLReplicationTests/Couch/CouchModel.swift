import CBLBase
import CBLFleece
import CBLStore
import CBLTestSupport
import CBLTransport
import Testing

@testable import CBLReplication

/// What a CouchDB server does, as its documentation has it: documents are trees of revisions, changes have opaque sequences. It answers in the process, in
/// its own words, and notes what a client does that no client may.
final class CouchModel {
    struct Revision {
        var parent: String?
        var isDeleted: Bool
        /// Properties in canonical JSON; nil of an ancestor that is only known by name.
        var body: String?
        var attachments: [String: Attachment] = [:]
    }

    struct Attachment: Equatable {
        var content: [UInt8]
        var generation: Int64
    }

    /// What servers of this kind differ in.
    struct Manners {
        var hasBulkGet = true
        var takesPostedChanges = true
        var takesMultipart = true
        var hasOpenRevisions = true
        var usesMD5 = true
        /// `7-g1AAA` instead of 7.
        var hasOpaqueSequences = true
        /// Otherwise, as most gateways, it takes what follows its current revision, and what ends a branch that it has.
        var takesConflicts = true
        /// So many revisions of a document it remembers on a branch.
        var longestHistory = Int.max
        /// Ancestors that are further away it does not name to who wants to push.
        var farthestAncestor = Int.max
    }

    let manners: Manners
    private(set) var documents: [String: [String: Revision]] = [:]
    private var sequences: [String: Int] = [:]
    private var locals: [String: (revision: Int, body: FleeceData)] = [:]
    private(set) var lastSequence = 0
    private(set) var violations: [String] = []
    /// So many attachments were sent with others.
    private(set) var togetherCount = 0
    /// Contents of attachments that came, by document and digest.
    private(set) var received: [String: Int] = [:]

    init(_ manners: Manners) { self.manners = manners }

    // Documents

    func leaves(_ id: String) -> [String] {
        let tree = documents[id] ?? [:]
        let parents = Set(tree.values.compactMap(\.parent))
        return tree.keys.filter { !parents.contains($0) }.sorted { a, b in
            let (aIsLive, bIsLive) = (!(tree[a]?.isDeleted ?? true), !(tree[b]?.isDeleted ?? true))
            if aIsLive != bIsLive { return aIsLive }
            let (first, second) = (CouchModel.generation(a), CouchModel.generation(b))
            return first == second ? a > b : first > second
        }
    }

    static func generation(_ revision: String) -> Int { Int(revision.prefix { $0 != "-" }) ?? 0 }

    /// Somebody else changes a document, or makes a conflict.
    func edit(_ id: String, parent: String?, body: String, isDeleted: Bool, attachments: [String: [UInt8]]) {
        let generation = parent.map(CouchModel.generation).map { $0 + 1 } ?? 1
        let name = "\(generation)-" + CouchModel.digest("\(parent ?? "")\(body)\(isDeleted)\(attachments.keys.sorted())")
        guard documents[id]?[name] == nil else { return }
        var revision = Revision(parent: parent, isDeleted: isDeleted, body: body)
        for (attachment, content) in attachments {
            let former = parent.flatMap { documents[id]?[$0]?.attachments[attachment] }
            revision.attachments[attachment] =
                former?.content == content ? former : Attachment(content: content, generation: Int64(generation))
        }
        documents[id, default: [:]][name] = revision
        note(id)
    }

    private static func digest(_ text: String) -> String {
        var text = text
        return text.withUTF8 { SHA1.digest(of: UnsafeRawBufferPointer($0)) }.withBytes { Hex.text(of: $0) }
    }

    private func note(_ id: String) {
        lastSequence += 1
        sequences[id] = lastSequence
    }

    private func insert(_ document: Value, contents: [String: [UInt8]]) -> String? {
        guard let members = document.dictionary, let id = members.value(forKey: "_id", nil)?.string,
            let name = members.value(forKey: "_rev", nil)?.string, let revisions = members.value(forKey: "_revisions", nil)?.dictionary,
            let start = revisions.value(forKey: "start", nil)?.integer, let ids = revisions.value(forKey: "ids", nil)?.array
        else {
            violations.append("a revision has no name or no history: \(document.json())")
            return "bad_request"
        }
        let history = ids.enumerated().compactMap { place, id in id.string.map { "\(Int(start) - place)-\($0)" } }
        guard history.first == name, history.count == ids.count, history.count <= start else {
            violations.append("the history of \(id) \(name) is \(history)")
            return "bad_request"
        }
        guard documents[id]?[name]?.body == nil else { return nil }
        let leaves = leaves(id)
        if !manners.takesConflicts, let current = leaves.first {
            let isDeleted = members.value(forKey: "_deleted", nil)?.boolean ?? false
            let parent = history.dropFirst().first { documents[id]?[$0] != nil }
            guard parent == current || isDeleted && parent.map(leaves.contains) ?? false else { return "conflict" }
        }
        var revision = Revision(parent: history.dropFirst().first, isDeleted: members.value(forKey: "_deleted", nil)?.boolean ?? false)
        revision.body = CouchModel.properties(document)
        if let entries = members.value(forKey: "_attachments", nil)?.dictionary {
            for (key, value) in entries {
                guard let attachment = key.string, let entry = value.dictionary else { return "bad_request" }
                let generation = entry.value(forKey: "revpos", nil)?.integer ?? Int64(CouchModel.generation(name))
                if let content = content(entry, contents[attachment]) {
                    received["\(id) \(CouchModel.digest(String(decoding: content, as: UTF8.self)))", default: 0] += 1
                    revision.attachments[attachment] = Attachment(content: content, generation: generation)
                    continue
                }
                // A stub is an ancestor's.
                guard let former = history.dropFirst().lazy.compactMap({ self.documents[id]?[$0]?.attachments[attachment] }).first else {
                    violations.append("\(id) \(name) has a stub of an attachment that is not here: \(attachment)")
                    return "missing_stub"
                }
                revision.attachments[attachment] = former
            }
        }
        documents[id, default: [:]][name] = revision
        for (child, parent) in zip(history, history.dropFirst()) {
            if documents[id]?[child]?.parent == nil { documents[id]?[child]?.parent = parent }
            if documents[id]?[parent] == nil { documents[id]?[parent] = Revision(parent: nil, isDeleted: false, body: nil) }
        }
        note(id)
        return nil
    }

    private func content(_ entry: DictionaryView, _ followed: [UInt8]?) -> [UInt8]? {
        if let data = entry.value(forKey: "data", nil)?.stringBytes { return Base64.bytes(of: data) }
        guard entry.value(forKey: "follows", nil)?.boolean == true else { return nil }
        if followed == nil { violations.append("an attachment does not follow") }
        return followed
    }

    /// What a document says, without the names that begin with an underscore.
    static func properties(_ document: Value) -> String {
        let encoder = FleeceEncoder()
        encoder.beginDictionary()
        if let members = document.dictionary {
            for (key, value) in members {
                guard let name = key.string, !name.hasPrefix("_") else { continue }
                encoder.writeKey(name)
                encoder.write(value, keys: nil)
            }
        }
        encoder.endDictionary()
        return (try? encoder.finish().withRoot { $0.json(style: .canonical) }) ?? "damaged"
    }
}

// Requests

extension CouchModel {
    typealias Answer = (status: Int, type: String, body: [UInt8])

    private static func json(_ status: Int, _ text: String) -> Answer { (status, "application/json", Array(text.utf8)) }
    private static let missing = json(404, #"{"error":"not_found","reason":"missing"}"#)

    private static func quoted(_ text: String) -> String {
        var buffer = ByteBuffer()
        JSONWriter.write(string: text, to: &buffer)
        return buffer.string
    }

    func answer(_ request: RemoteRequest) throws -> Answer {
        let path = Array(request.path.dropFirst())
        let body = try body(request)
        switch (request.method, path.first, path.count) {
        case ("GET", nil, _): return Self.json(200, #"{"db_name":"db"}"#)
        case ("POST", "_changes", 1) where !manners.takesPostedChanges: return Self.json(405, #"{"error":"method_not_allowed"}"#)
        case (_, "_changes", 1): return changes(request.query)
        case ("POST", "_bulk_get", 1): return manners.hasBulkGet ? try bulkGet(body) : Self.missing
        case ("POST", "_revs_diff", 1): return try difference(body)
        case ("POST", "_bulk_docs", 1): return try store(body)
        case (_, "_local", 2): return try local(request.method, path[1], body)
        case ("GET", let id?, 1) where request.query["open_revs"] != nil && manners.hasOpenRevisions:
            return try openRevisions(id, request)
        case ("GET", let id?, 1):
            // Without a revision it is the one that wins.
            return document(id, request.query["rev"] ?? leaves(id).first ?? "").map { Self.json(200, $0) } ?? Self.missing
        case ("GET", let id?, _):
            let name = path.dropFirst().joined(separator: "/")
            guard let content = documents[id]?[request.query["rev"] ?? ""]?.attachments[name]?.content else { return Self.missing }
            return (200, "application/octet-stream", content)
        case ("PUT", _, 1): return try upload(request, body)
        default:
            violations.append("there is no request \(request.method) \(path)")
            return Self.json(400, "{}")
        }
    }

    private func body(_ request: RemoteRequest) throws -> [UInt8] {
        switch request.body {
        case .none: return []
        case .json(let bytes): return bytes
        case .product(let product, _):
            var bytes: [UInt8] = []
            var space = [UInt8](repeating: 0, count: 777)
            while case let count = try space.withUnsafeMutableBytes({ try product.next($0) }), count > 0 { bytes += space[..<count] }
            if product.length != bytes.count { violations.append("a body is longer or shorter than it was said to be") }
            return bytes
        }
    }

    private func sequence(_ number: Int) -> String { manners.hasOpaqueSequences ? "\"\(number)-g1AAAA\"" : "\(number)" }

    private func changes(_ query: HTTPQuery) -> Answer {
        guard query["style"] == "all_docs", let limit = query["limit"].flatMap({ Int($0) }) else {
            violations.append("changes are asked for without style or limit")
            return Self.json(400, "{}")
        }
        let since = query["since"].map(Self.generation) ?? 0
        let rows = sequences.filter { $0.value > since }.sorted { $0.value < $1.value }.prefix(limit)
        let texts = rows.map { id, number in
            let leaves = leaves(id)
            let isDeleted = leaves.first.flatMap { documents[id]?[$0]?.isDeleted } ?? false
            let revisions = leaves.map { #"{"rev":"\#($0)"}"# }.joined(separator: ",")
            return
                #"{"seq":\#(sequence(number)),"id":\#(Self.quoted(id)),"changes":[\#(revisions)]\#(isDeleted ? #","deleted":true"# : "")}"#
        }
        let last = sequence(rows.last?.value ?? max(since, limit > rows.count ? lastSequence : 0))
        return Self.json(200, #"{"results":[\#(texts.joined(separator: ","))],"last_seq":\#(last)}"#)
    }

    private func openRevisions(_ id: String, _ request: RemoteRequest) throws -> Answer {
        func list(_ name: String) throws -> [String] {
            guard let text = request.query[name] else { return [] }
            return try RemoteDatabase.parse(Array(text.utf8)).withRoot { $0.array?.compactMap(\.string) ?? [] }
        }
        let names = try list("open_revs")
        if request.headers["Accept"]?.contains("multipart/mixed") != true {
            let results = names.map { name in document(id, name).map { #"{"ok":\#($0)}"# } ?? #"{"missing":"\#(name)"}"# }
            return Self.json(200, "[\(results.joined(separator: ","))]")
        }
        let ancestors = try list("atts_since")
        var body: [UInt8] = []
        func add(_ text: String) { body += Array(text.utf8) }
        for name in names {
            // What came with an ancestor is not sent again.
            let known = ancestors.filter { documents[id]?[$0] != nil }.map(Self.generation).max() ?? 0
            let sent = (documents[id]?[name]?.attachments ?? [:]).filter { $0.value.generation > known }.sorted { $0.key < $1.key }
            guard let text = document(id, name, following: Set(sent.map(\.key))) else {
                add("--outer\r\nContent-Type: application/json; error=\"true\"\r\n\r\n{\"missing\":\"\(name)\"}\r\n")
                continue
            }
            guard !sent.isEmpty else {
                add("--outer\r\nContent-Type: application/json\r\n\r\n\(text)\r\n")
                continue
            }
            add("--outer\r\nContent-Type: multipart/related; boundary=\"inner\"\r\n\r\n")
            add("--inner\r\nContent-Type: application/json\r\n\r\n\(text)\r\n")
            for (attachment, value) in sent {
                add("--inner\r\nContent-Disposition: attachment; filename=\"\(attachment)\"\r\n\r\n")
                body += value.content
                add("\r\n")
                togetherCount += 1
            }
            add("--inner--\r\n")
        }
        add("--outer--")
        return (200, "multipart/mixed; boundary=\"outer\"", body)
    }

    /// A revision with its history, attachments as stubs, but for those that follow. Nil if what it says is not known.
    private func document(_ id: String, _ name: String, following: Set<String> = []) -> String? {
        guard let revision = documents[id]?[name], let body = revision.body else { return nil }
        var history = [name]
        while history.count < manners.longestHistory, let parent = documents[id]?[history.last ?? ""]?.parent { history.append(parent) }
        let ids = history.map { "\"\($0.drop { $0 != "-" }.dropFirst())\"" }.joined(separator: ",")
        var text = #"{"_id":\#(Self.quoted(id)),"_rev":"\#(name)","_revisions":{"start":\#(Self.generation(name)),"ids":[\#(ids)]}"#
        if revision.isDeleted { text += #","_deleted":true"# }
        if !revision.attachments.isEmpty {
            let entries = revision.attachments.sorted { $0.key < $1.key }.map { name, attachment in
                #"\#(Self.quoted(name)):{"content_type":"x/y","digest":"\#(digest(attachment.content))","length":\#(attachment.content.count),"#
                    + #""revpos":\#(attachment.generation),"\#(following.contains(name) ? "follows" : "stub")":true}"#
            }
            text += #","_attachments":{\#(entries.joined(separator: ","))}"#
        }
        return text + (body == "{}" ? "" : ",") + body.dropFirst()
    }

    func digest(_ content: [UInt8]) -> String {
        content.withUnsafeBytes { bytes in
            guard manners.usesMD5 else { return "sha1-" + SHA1.digest(of: bytes).withBytes { Base64.text(of: $0) } }
            var md5 = MD5()
            md5.update(bytes)
            return "md5-" + md5.finish().withUnsafeBytes { Base64.text(of: $0) }
        }
    }

    private func bulkGet(_ body: [UInt8]) throws -> Answer {
        let texts = try RemoteDatabase.parse(body).withRoot { root in
            (root.dictionary?.value(forKey: "docs", nil)?.array).map { Array($0) }?.compactMap { item -> String? in
                guard let id = item.dictionary?.value(forKey: "id", nil)?.string,
                    let name = item.dictionary?.value(forKey: "rev", nil)?.string
                else { return nil }
                let result =
                    document(id, name).map { #"{"ok":\#($0)}"# }
                    ?? #"{"error":{"id":\#(Self.quoted(id)),"rev":"\#(name)","error":"not_found","reason":"missing"}}"#
                return #"{"id":\#(Self.quoted(id)),"docs":[\#(result)]}"#
            }
        }
        return Self.json(200, #"{"results":[\#((texts ?? []).joined(separator: ","))]}"#)
    }

    private func difference(_ body: [UInt8]) throws -> Answer {
        let entries = try RemoteDatabase.parse(body).withRoot { root -> [String] in
            guard let members = root.dictionary else { return [] }
            return members.compactMap { key, value -> String? in
                let id = key.string ?? ""
                let names = value.array?.compactMap(\.string) ?? []
                let missing = names.filter { documents[id]?[$0] == nil }
                guard !missing.isEmpty else { return nil }
                let ancestors = leaves(id).filter { leaf in
                    let distances = missing.map { Self.generation($0) - Self.generation(leaf) }
                    return !names.contains(leaf) && distances.contains { $0 > 0 && $0 <= manners.farthestAncestor }
                }
                func list(_ names: [String]) -> String { names.map { "\"\($0)\"" }.joined(separator: ",") }
                let more = ancestors.isEmpty ? "" : #","possible_ancestors":[\#(list(ancestors))]"#
                return #"\#(Self.quoted(id)):{"missing":[\#(list(missing))]\#(more)}"#
            }
        }
        return Self.json(200, "{\(entries.joined(separator: ","))}")
    }

    private func store(_ body: [UInt8]) throws -> Answer {
        let failures = try RemoteDatabase.parse(body).withRoot { root -> [String] in
            if root.dictionary?.value(forKey: "new_edits", nil)?.boolean != false { violations.append("documents are stored as edits") }
            return (root.dictionary?.value(forKey: "docs", nil)?.array).map { Array($0) }?.compactMap { item -> String? in
                guard let error = insert(item, contents: [:]) else { return nil }
                let id = item.dictionary?.value(forKey: "_id", nil)?.string ?? ""
                return #"{"id":\#(Self.quoted(id)),"error":"\#(error)"}"#
            } ?? []
        }
        return Self.json(201, "[\(failures.joined(separator: ","))]")
    }

    private func upload(_ request: RemoteRequest, _ body: [UInt8]) throws -> Answer {
        guard manners.takesMultipart else { return Self.json(415, #"{"error":"bad_content_type"}"#) }
        guard let type = request.allHeaders["Content-Type"].flatMap({ MediaType($0) }), request.query["new_edits"] == "false" else {
            violations.append("a document is stored as an edit")
            return Self.json(400, "{}")
        }
        var parts: [(headers: HTTPHeaders, content: [UInt8])] = []
        var reader = try MultipartReader(type)
        try body.withUnsafeBytes { bytes in
            try reader.read(bytes) { event in
                switch event {
                case .part(let headers): parts.append((headers, []))
                case .content(let piece): parts[parts.count - 1].content.append(contentsOf: piece)
                case .partEnd, .end: break
                }
            }
        }
        try reader.finish()
        guard let first = parts.first else { return Self.json(400, "{}") }
        var contents: [String: [UInt8]] = [:]
        for part in parts.dropFirst() {
            let name = part.headers["Content-Disposition"].flatMap { ContentDisposition($0)?.fileName } ?? ""
            contents[name] = part.content
        }
        let error = try RemoteDatabase.parse(first.content).withRoot { insert($0, contents: contents) }
        return error.map { Self.json($0 == "conflict" ? 409 : 412, #"{"error":"\#($0)"}"#) } ?? Self.json(201, #"{"ok":true}"#)
    }

    private func local(_ method: String, _ id: String, _ body: [UInt8]) throws -> Answer {
        let current = locals[id]
        guard method == "PUT" else {
            guard let current else { return Self.missing }
            let text = current.body.withRoot { $0.json() }
            return Self.json(200, #"{"_rev":"0-\#(current.revision)",\#(text.dropFirst())"#)
        }
        let new = try RemoteDatabase.parse(body)
        let named = new.withRoot { $0.dictionary?.value(forKey: "_rev", nil)?.string }
        guard named == current.map({ "0-\($0.revision)" }) else { return Self.json(409, #"{"error":"conflict"}"#) }
        let encoder = FleeceEncoder()
        encoder.beginDictionary()
        new.withRoot { root in
            for (key, value) in root.dictionary.map({ AnySequence($0) }) ?? AnySequence([]) where key.string != "_rev" {
                encoder.writeKey(key.string ?? "")
                encoder.write(value, keys: nil)
            }
        }
        encoder.endDictionary()
        let revision = (current?.revision ?? 0) + 1
        locals[id] = (revision, try encoder.finish())
        return Self.json(201, #"{"ok":true,"rev":"0-\#(revision)"}"#)
    }
}
