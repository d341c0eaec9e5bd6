import CBLFleece
import CBLStore
import CBLTransport
import Synchronization

/// A database on a server, by what a replicator asks of it. What the server answers instead is an error.
final class RemoteDatabase: Sendable {
    /// What was found out about a server on the way, so that it is not asked again for what it does not have.
    struct Abilities {
        var takesPostedChanges = true
        var hasBulkGet = true
        var takesMultipart = true
        /// Several revisions of a document at once.
        var hasOpenRevisions = true
        /// All attachments of a revision at once.
        var sendsAttachmentsTogether = true
        /// Changes as they happen, one after the other.
        var streamsChanges = true
        /// Documents that the user may not see any more. Others than gateways since 3.0 know nothing of this.
        var tellsRevocations = false
    }

    let server: any RemoteServer
    /// For requests that wait until something happens: they are interrupted without harm to others.
    let feedServer: any RemoteServer
    /// As it stands in URLs: with the names of scope and collection behind points.
    let name: String
    let abilities = Mutex(Abilities())

    init(_ server: any RemoteServer, feed: any RemoteServer, _ database: String, _ collection: CollectionName) {
        self.server = server
        feedServer = feed
        let suffix = collection.isDefault ? "" : ".\(collection.scope).\(collection.name)"
        name = database.hasSuffix(suffix) ? database : database + suffix
    }

    /// What is known of a server by what it calls itself.
    func learn(from headers: HTTPHeaders) {
        guard let name = headers["Server"], name.hasPrefix(RemoteDatabase.gatewayPrefix) else { return }
        let version = name.dropFirst(RemoteDatabase.gatewayPrefix.count).prefix { $0.isASCII && $0.isNumber }
        abilities.withLock { $0.tellsRevocations = (Int(version) ?? 0) >= 3 }
    }

    private static let gatewayPrefix = "Couchbase Sync Gateway/"

    // Requests

    func request(
        _ method: String, _ path: [String], _ query: HTTPQueryItems = [], _ body: RemoteRequest.Body = .none, waits: Bool = false
    ) throws -> RemoteAnswer {
        var items = HTTPQuery()
        for item in query { items.add(item.name, item.value) }
        var request = RemoteRequest(method, [name] + path, query: items, body: body)
        request.headers.set("Accept", "application/json")
        return try (waits ? feedServer : server).send(request)
    }

    /// The answer as JSON, if it is a success.
    func json(_ answer: RemoteAnswer, most: Int = RemoteAnswer.longest) throws -> FleeceData {
        guard answer.isSuccess else { throw RemoteDatabase.failure(answer) }
        return try RemoteDatabase.parse(try answer.readAll(most: most))
    }

    static func parse(_ bytes: [UInt8]) throws(SyncError) -> FleeceData {
        let encoder = FleeceEncoder()
        do {
            try bytes.withUnsafeBytes { try JSONParser.parse($0, into: encoder) }
            return try encoder.finish()
        } catch { throw .http(502, "what the server answers is not JSON: \(error)") }
    }

    /// Why it was no success, in the server's words.
    static func failure(_ answer: RemoteAnswer) -> SyncError {
        let body = (try? answer.readAll(most: 1 << 16)).flatMap { try? parse($0) }
        let reason = body?.withRoot { root -> String? in
            let words = ["error", "reason"].compactMap { root.dictionary?.value(forKey: $0, nil)?.string }
            return words.isEmpty ? nil : words.joined(separator: ": ")
        }
        return .http(answer.status, reason ?? HTTPStatus.phrase(answer.status))
    }

    // The database itself

    /// That it is there, and what server it is.
    func greet() throws -> HTTPHeaders {
        let answer = try request("GET", [])
        guard answer.isSuccess else { throw RemoteDatabase.failure(answer) }
        _ = try answer.readAll(most: 1 << 20)
        return answer.headers
    }

    func create() throws {
        var answer = try request("PUT", [])
        // Gateways want a configuration. With an empty one they take the bucket of that name.
        if answer.status == 400 {
            _ = try? answer.readAll(most: 1 << 16)
            answer = try request("PUT", [], [], .json(Array("{}".utf8)))
        }
        // It is there, or it cannot be made over this API, and then the next request tells.
        guard answer.isSuccess || [412, 405, 403].contains(answer.status) else { throw RemoteDatabase.failure(answer) }
    }

    /// Whether an ID can stand in a path. Some servers decode twice, and take a slash in front or one or two points for something else.
    static func isPlain(_ id: String) -> Bool {
        !id.utf8.contains(UInt8(ascii: "%")) && !id.hasPrefix("/") && id != "." && id != ".."
    }

    // Checkpoints

    /// Nil if there is none.
    func localDocument(_ id: String) throws -> FleeceData? {
        let answer = try request("GET", ["_local", id])
        if answer.status == 404 { return nil }
        return try json(answer, most: 1 << 20)
    }

    /// Gives the new revision; nil if it is not the one that was named which is there.
    func putLocalDocument(_ id: String, _ body: [UInt8]) throws -> String? {
        let answer = try request("PUT", ["_local", id], [], .json(body))
        if answer.status == 409 || answer.status == 404 { return nil }
        return try json(answer, most: 1 << 20).withRoot { $0.dictionary?.value(forKey: "rev", nil)?.string } ?? ""
    }

    // Changes

    func changes(_ request: ChangesRequest) throws -> RemoteChanges {
        if posts(request) {
            let answer = try self.request("POST", ["_changes"], request.query, .json(request.body), waits: request.waits)
            // Some let readers of a database post nothing.
            guard [401, 403, 405].contains(answer.status), request.documentIDs == nil else { return try changes(answer) }
            let failure = RemoteDatabase.failure(answer)
            let again = try self.request("GET", ["_changes"], request.query, waits: request.waits)
            guard again.isSuccess else { throw [401, 403, 405].contains(again.status) ? failure : RemoteDatabase.failure(again) }
            abilities.withLock { $0.takesPostedChanges = false }
            return try changes(again)
        }
        return try changes(self.request("GET", ["_changes"], request.query, waits: request.waits))
    }

    /// Gateways read in a URL alone that they are to tell of lost access, and in a body alone more IDs than a URL has room for.
    private func posts(_ request: ChangesRequest) -> Bool {
        abilities.withLock { $0.takesPostedChanges } && (!request.tellsRevocations || request.documentIDs != nil)
    }

    /// Gives changes as they come, until the server has told nothing for a while. False if it does not do that.
    func follow(_ request: ChangesRequest, _ take: (RemoteChanges) throws -> Void) throws -> Bool {
        let posts = posts(request)
        let body = posts ? RemoteRequest.Body.json(request.body) : .none
        let answer = try self.request(posts ? "POST" : "GET", ["_changes"], request.query, body, waits: true)
        guard answer.isSuccess else {
            let failure = RemoteDatabase.failure(answer)
            guard [400, 404, 405, 406, 501].contains(answer.status) else { throw failure }
            return false
        }
        var lines = ChangeLines()
        do {
            try answer.forEachPiece { piece in
                guard let changes = try lines.read(piece) else { return }
                try take(changes)
            }
        } catch is ChangeLines.Other {
            return false
        }
        return lines.count > 0
    }

    private func changes(_ answer: RemoteAnswer) throws -> RemoteChanges {
        guard answer.isSuccess else { throw RemoteDatabase.failure(answer) }
        return try RemoteChanges(json: answer.readAll())
    }

    // Pushing

    /// What a server lacks of a document's revisions, and what it has that they may descend from.
    struct Difference {
        var missing: [String]
        var ancestors: [String]
    }

    /// Of these revisions, by document; documents of which nothing is missing are left out.
    func difference(_ revisions: [(id: String, revisions: [String])]) throws -> ByDocument<Difference> {
        let encoder = FleeceEncoder()
        encoder.beginDictionary()
        for entry in revisions {
            encoder.writeKey(entry.id)
            RemoteDatabase.write(entry.revisions, to: encoder)
        }
        encoder.endDictionary()
        let body = try encoder.finish().withRoot { Array($0.json().utf8) }
        let answer = try json(request("POST", ["_revs_diff"], [], .json(body)))
        return try answer.withRoot { root throws(SyncError) in
            guard let documents = root.dictionary else { throw .http(502, "the server's list of missing revisions is no object") }
            var differences: ByDocument<Difference> = [:]
            for (key, value) in documents {
                guard let id = key.string, let entry = value.dictionary else { continue }
                func list(_ name: String) -> [String] { entry.value(forKey: name, nil)?.array?.compactMap(\.string) ?? [] }
                differences[id] = Difference(missing: list("missing"), ancestors: list("possible_ancestors"))
            }
            return differences
        }
    }

    /// Why a document was not stored.
    struct Rejection {
        let id: String
        let error: SyncError
    }

    /// Stores revisions that were made here, and gives those that the server does not take.
    func store(_ documents: [UInt8]) throws -> [Rejection] {
        let answer = try json(request("POST", ["_bulk_docs"], [], .json(documents)))
        return answer.withRoot { root in
            (root.array.map { Array($0) } ?? []).compactMap { item in
                guard let item = item.dictionary, let error = item.value(forKey: "error", nil)?.string else { return nil }
                let id = item.value(forKey: "id", nil)?.string ?? ""
                let status = item.value(forKey: "status", nil)?.integer.flatMap { Int(exactly: $0) } ?? RemoteDatabase.status(of: error)
                let reason = item.value(forKey: "reason", nil)?.string
                return Rejection(id: id, error: .http(status, reason.map { "\(error): \($0)" } ?? error))
            }
        }
    }

    /// Which status a word stands for that comes without one.
    private static func status(of error: String) -> Int {
        switch error {
        case "unauthorized": 401
        case "forbidden": 403
        case "missing", "not_found": 404
        case "conflict": 409
        default: 502
        }
    }

    /// What the server has of a revision's attachments; nothing if it does not say.
    func attachments(of id: String, _ revision: String) throws -> [String: KnownAttachment] {
        guard case .success(let document) = try get(Wanted(id: id, revision: revision)) else { return [:] }
        return document.withRoot { root in
            guard let entries = root.dictionary?.value(forKey: AttachmentEncoding.property, nil)?.dictionary else { return [:] }
            var known: [String: KnownAttachment] = [:]
            for (key, value) in entries {
                guard let name = key.string, let entry = value.dictionary, let digest = entry.value(forKey: "digest", nil)?.string,
                    let generation = entry.value(forKey: "revpos", nil)?.integer
                else { continue }
                known[name] = KnownAttachment(digest: digest, generation: generation)
            }
            return known
        }
    }

    static func write(_ list: [String], to encoder: FleeceEncoder) {
        encoder.beginArray()
        for item in list { encoder.write(item) }
        encoder.endArray()
    }
}
