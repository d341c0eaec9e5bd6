import CBLFleece
import CBLStore
import CBLTestSupport

@testable import CBLReplication

/// The gateway's end of one client's connection.
final class GatewayEnd: End {
    private enum Pending {
        case changes(collection: Int, [GatewayModel.Entry], sequences: [RemoteSequence])
        case revision(collection: Int, GatewayModel.Entry, RemoteSequence, isDelta: Bool)
        case blob(Incoming, BlobDigest)
        case proof(Incoming, BlobDigest, nonce: [UInt8])
    }

    private struct Incoming {
        var collection: Int
        var message: RevisionMessage
        var body: [UInt8]
        var number: UInt64?
        var digests: [BlobDigest]
    }

    private struct Feed {
        var position: GatewayModel.Place
        var isContinuous: Bool
        var wantsRevocations: Bool
        var activeOnly: Bool
        var documentIDs: Set<String>?
        var replaces: Bool
        var late: [GatewayModel.Entry] = []
        var saidCaughtUp = false
        var unanswered = 0
        var acceptsDeltas = false
    }

    let gateway: GatewayModel
    let user: Int
    unowned let link: Link
    private var feeds: [Int: Feed] = [:]
    private var hasCollections: Bool?
    private var pending: [UInt64: Pending] = [:]
    private var random: SeededRandom
    /// How often each revision was refused over this connection.
    private(set) var refusals: [String: Int] = [:]

    init(_ gateway: GatewayModel, user: Int, link: Link, seed: UInt64) {
        self.gateway = gateway
        self.user = user
        self.link = link
        random = SeededRandom(seed)
        gateway.connections.append(self)
    }

    private var climate: Climate { gateway.climate }
    /// Protocol 2 has no bit for what left a user's channels: a revision says so.
    private var tellsOfRemovals: Bool { climate.version == .v2 }
    /// Now and then it has a bad moment.
    private func isBadMoment(_ one: Int) -> SyncError? {
        guard climate.refuses, !gateway.isFair, gateway.random.below(one) == 0 else { return nil }
        return .http(gateway.random.element(of: [408, 429, 502, 503, 504]), "a bad moment")
    }

    private func wire(_ content: SyncRequest.Content, _ collection: Int, noReply: Bool = false) -> WireRequest {
        var wire = SyncRequest(content, collection: hasCollections == true ? collection : nil).wire
        if noReply { wire.isNoReply = true }
        return wire
    }

    private func ask(_ request: WireRequest, _ what: Pending) throws { pending[try link.send(request, from: .server)] = what }
    private func tell(_ request: WireRequest) throws { _ = try link.send(request, from: .server) }
    private func reply(_ reply: WireReply, to number: UInt64?) throws { if let number { try link.send(reply, to: number, from: .server) } }

    func receive(_ packet: Packet) throws {
        switch packet {
        case .request(let wire, let number): try receive(wire, number)
        case .reply(let reply, let number): try replied(reply, number)
        }
    }

    private func receive(_ wire: WireRequest, _ number: UInt64?) throws {
        let request = try SyncRequest(wire)
        if case .getCollections(let message) = request.content {
            hasCollections = true
            let items = message.items.enumerated().map { place, item in
                guard let stored = gateway.state.collections[place].checkpoints[item.checkpointID] else { return CollectionsReply.Item.new }
                return .checkpoint(revision: "0-\(stored.revision)", body: stored.body)
            }
            return try reply(CollectionsReply(items: items).wire, to: number)
        }
        if hasCollections == nil { hasCollections = false }
        guard (request.collection != nil) == hasCollections else { throw MalformedMessage("collection property does not fit") }
        try receive(request, request.collection ?? 0, number)
    }

    private func receive(_ request: SyncRequest, _ index: Int, _ number: UInt64?) throws {
        switch request.content {
        case .getCheckpoint(let message):
            guard let stored = gateway.state.collections[index].checkpoints[message.client] else {
                return try reply(SyncError.http(404, "missing").reply, to: number)
            }
            try reply(CheckpointReply(revision: "0-\(stored.revision)", body: stored.body).wire, to: number)
        case .setCheckpoint(let message):
            let current = gateway.state.collections[index].checkpoints[message.client]?.revision ?? 0
            guard message.revision == (current == 0 ? "" : "0-\(current)") else {
                return try reply(SyncError.http(current == 0 ? 404 : 409, "Document update conflict").reply, to: number)
            }
            gateway.state.collections[index].checkpoints[message.client] = (current + 1, message.body)
            try reply(WireReply(properties: ["rev": "0-\(current + 1)"]), to: number)
        case .subChanges(let message): try subscribe(message, index, number)
        case .proposeChanges(let message):
            let items = message.entries.map { entry in
                isBadMoment(100).flatMap(\.httpStatus).map { .refused(status: $0) } ?? gateway.verdict(entry, index)
            }
            var answer = ProposalReply(items: items)
            answer.options.acceptsDeltas = climate.usesDeltas
            try reply(answer.wire, to: number)
        case .rev(let message): try take(message, index, number)
        case .getAttachment(let message):
            if let error = isBadMoment(5) { return try reply(error.reply, to: number) }
            let content = gateway.blobs[message.digest]
            try reply(content.map { WireReply(body: $0) } ?? SyncError.http(404).reply, to: number)
        case .getRev(let message):
            if let error = isBadMoment(20) { return try reply(error.reply, to: number) }
            guard let document = gateway.state.collections[index].documents[message.documentID], !document.isDeleted else {
                return try reply(SyncError.http(404, "Deleted").reply, to: number)
            }
            guard gateway.isVisible(document, to: user) else { return try reply(SyncError.http(403).reply, to: number) }
            try reply(WireReply(properties: ["rev": document.revision.text], body: document.body), to: number)
        default: throw MalformedMessage("a client does not send \(request.profile)")
        }
    }

    private func subscribe(_ message: SubChanges, _ index: Int, _ number: UInt64?) throws {
        if message.isContinuous, message.documentIDs != nil {
            return try reply(SyncError.http(400, "docIDs filter is not supported for continuous pulls").reply, to: number)
        }
        guard feeds[index] == nil else { return try reply(SyncError.http(500, "a feed is active already").reply, to: number) }
        guard let position = GatewayEnd.place(message.since) else { return try reply(SyncError.http(400, "bad since").reply, to: number) }
        feeds[index] = Feed(
            position: position, isContinuous: message.isContinuous, wantsRevocations: message.wantsRevocations,
            activeOnly: message.activeOnly, documentIDs: message.documentIDs.map { Set($0) }, replaces: message.acceptsReplacements)
        try reply(.empty, to: number)
    }

    /// Where `since` says to go on: `5`, `"3:5"`, or behind the low one of `"2::5"` and `"2:3:5"`.
    static func place(_ since: RemoteSequence?) -> GatewayModel.Place? {
        guard let since else { return .init(sequence: 0) }
        let parts = since.json.filter { $0 != "\"" }.split(separator: ":", omittingEmptySubsequences: false).map { UInt64($0) }
        guard let first = parts.first ?? nil else { return nil }
        return parts.count == 2 ? .init(sequence: first, triggered: parts[1] ?? 0) : .init(sequence: first)
    }

    private func sequence(_ place: GatewayModel.Place, isLate: Bool) -> RemoteSequence {
        let text: String
        let hole = gateway.state.hole.flatMap { $0 < place.sequence ? $0 : nil }
        if place.triggered != .max {
            // Sync Gateway does not name what is complete where the document is older than that. What fills the hole is missed then by those who
            // stop in this moment, which no client can know.
            text = (hole.map { "\($0 - 1):" } ?? "") + "\(place.sequence):\(place.triggered)"
        } else if isLate {
            text = "\(place.sequence - 1)::\(place.sequence)"
        } else if let hole {
            text = "\(hole - 1)::\(place.sequence)"
        } else {
            return RemoteSequence(place.sequence)
        }
        return RemoteSequence(json: "\"\(text)\"") ?? RemoteSequence(place.sequence)
    }

    // Revisions that come

    private func take(_ message: RevisionMessage, _ index: Int, _ number: UInt64?) throws {
        if let error = isBadMoment(60) { return try reply(error.reply, to: number) }
        var body = message.body
        if let source = message.deltaSource {
            guard let document = gateway.state.collections[index].documents[message.documentID], !message.isDeleted,
                let base = document.revision == source ? (document.isDeleted ? nil : document.body) : document.bodies[source],
                gateway.random.below(10) > 0 || gateway.isFair,
                let applied = try? fleece(String(decoding: base, as: UTF8.self)).withRoot({ base in
                    let encoder = FleeceEncoder()
                    try Delta.apply(String(decoding: body, as: UTF8.self), to: base, into: encoder)
                    return try encoder.finish().withRoot { Array($0.json().utf8) }
                })
            else { return try reply(SyncError.http(422, "the delta does not fit").reply, to: number) }
            body = applied
        }
        let digests = try GatewayEnd.stubs(body)
        try store(Incoming(collection: index, message: message, body: body, number: number, digests: digests))
    }

    /// The digests in `_attachments`.
    static func stubs(_ body: [UInt8]) throws -> [BlobDigest] {
        try fleece(String(decoding: body, as: UTF8.self)).withRoot { root in
            guard let list = root.dictionary?.value(forKey: "_attachments", nil)?.dictionary else { return [] }
            return list.compactMap { $0.value.dictionary?.value(forKey: "digest", nil)?.string.flatMap { BlobDigest($0) } }
        }
    }

    /// Gets what is missing of a revision before it stores it.
    private func store(_ incoming: Incoming) throws {
        var incoming = incoming
        guard let digest = incoming.digests.popLast() else {
            let error = gateway.store(incoming.message, body: incoming.body, incoming.collection)
            if error?.code == 403 {
                refusals["\(incoming.collection) \(incoming.message.documentID) \(incoming.message.revision?.text ?? "")", default: 0] += 1
            }
            return try reply(error?.reply ?? .empty, to: incoming.number)
        }
        guard gateway.blobs[digest] != nil else {
            let message = GetAttachment(digest: digest, documentID: incoming.message.documentID, compress: false)
            return try ask(wire(.getAttachment(message), incoming.collection), .blob(incoming, digest))
        }
        let nonce = (0..<20).map { _ in UInt8(random.below(256)) }
        try ask(
            wire(.proveAttachment(ProveAttachment(digest: digest, nonce: nonce)), incoming.collection),
            .proof(incoming, digest, nonce: nonce))
    }

    private func replied(_ answer: WireReply, _ number: UInt64) throws {
        switch pending.removeValue(forKey: number) {
        case .blob(let incoming, let digest)?:
            guard !answer.isError, SessionEnd.digest(of: answer.body) == digest else { throw MalformedMessage("the blob is wrong") }
            gateway.blobs[digest] = answer.body
            try store(incoming)
        case .proof(let incoming, let digest, let nonce)?:
            var proof = PossessionProof(nonce: nonce)
            (gateway.blobs[digest] ?? []).withUnsafeBytes { proof.update($0) }
            guard String(decoding: answer.body, as: UTF8.self) == proof.finish() else { throw MalformedMessage("the proof is wrong") }
            try store(incoming)
        case .changes(let collection, let told, let sequences)?:
            feeds[collection]?.unanswered -= 1
            guard !answer.isError else { return }
            let reply = try ChangesReply(answer)
            if reply.options.acceptsDeltas { feeds[collection]?.acceptsDeltas = true }
            for (place, entry) in told.enumerated() {
                guard case .wanted(let ancestors) = reply[place] else { continue }
                guard !entry.flags.losesAccess || tellsOfRemovals else {
                    throw MalformedMessage("\(entry.id) was taken away, and is wanted all the same")
                }
                try send(entry, sequences[place], collection, ancestors, deltas: feeds[collection]?.acceptsDeltas ?? false)
            }
        case .revision(let collection, let entry, let sequence, let isDelta)?:
            guard answer.isError else { return }
            // Status 422: all of it, then.
            if isDelta, SyncError(answer).code == 422 { try send(entry, sequence, collection, [], deltas: false) }
        case nil: throw MalformedMessage("an answer to nothing")
        }
    }

    // Revisions that go

    private func send(
        _ entry: GatewayModel.Entry, _ sequence: RemoteSequence, _ collection: Int, _ ancestors: [RevisionID], deltas: Bool
    ) throws {
        func refuse(_ status: Int) throws {
            try tell(
                wire(
                    .norev(NoRevisionMessage(documentID: entry.id, revision: entry.revision, sequence: sequence, status: status)),
                    collection
                ))
        }
        guard var document = gateway.state.collections[collection].documents[entry.id] else { return try refuse(404) }
        if let old = document.tombstones[entry.revision] {
            document = GatewayModel.Document(history: old, isDeleted: true, body: Array("{}".utf8), sequence: 0)
        }
        if entry.flags == .removed, tellsOfRemovals {
            let history = RevisionHistory(treeIDs: [entry.revision])
            let body = Array(#"{"_removed":true}"#.utf8)
            let message = RevisionMessage(documentID: entry.id, history: history, sequence: sequence, body: body)
            return try tell(wire(.rev(message), collection, noReply: true))
        }
        let isReplaced = document.revision != entry.revision
        guard gateway.isVisible(document, to: user) || document.isDeleted else { return try refuse(404) }
        if isReplaced {
            guard feeds[collection]?.replaces ?? false else { return try refuse(404) }
            if random.below(2) == 0 { return try refuse(random.element(of: [404, 410])) }
        }
        if !gateway.isFair, climate.refuses, random.below(100) == 0 { return try refuse(503) }
        var history = document.history
        if !climate.usesVectors {
            let end = history.treeIDs.firstIndex(where: ancestors.contains)
            history.treeIDs = Array(history.treeIDs.prefix((end ?? 19) + 1))
        }
        var message = RevisionMessage(documentID: entry.id, history: history, sequence: sequence, body: document.body)
        if isReplaced { message.replaces = entry.revision }
        message.isDeleted = document.isDeleted
        let hasBlobs = String(decoding: document.body, as: UTF8.self).contains("_attachments")
        if deltas, climate.usesDeltas, !message.isDeleted, let base = ancestors.first, let old = document.bodies[base],
            let from = try? fleece(String(decoding: old, as: UTF8.self)),
            let to = try? fleece(String(decoding: document.body, as: UTF8.self)),
            let delta = try? from.withRoot({ from in try to.withRoot { try Delta.create(from: from, to: $0) } })
        {
            message.deltaSource = base
            // Now and then it does not fit.
            message.body = Array((random.below(10) == 0 ? #"{"nowhere":{"a":1}}"# : delta).utf8)
        }
        guard hasBlobs || message.deltaSource != nil else { return try tell(wire(.rev(message), collection, noReply: true)) }
        try ask(
            wire(.rev(message), collection), .revision(collection: collection, entry, sequence, isDelta: message.deltaSource != nil))
    }

    // Changes

    /// Something happened whose place is behind what was told already.
    func noteLate(_ entry: GatewayModel.Entry, _ collection: Int) {
        guard let feed = feeds[collection], feed.isContinuous || !feed.saidCaughtUp, entry.place < feed.position else { return }
        feeds[collection]?.late.append(entry)
    }

    private func isTrue(_ entry: GatewayModel.Entry, _ feed: Feed, _ collection: Int) -> Bool {
        if let documentIDs = feed.documentIDs, !documentIDs.contains(entry.id) { return false }
        guard let document = gateway.state.collections[collection].documents[entry.id] else { return false }
        if entry.flags == .deleted || entry.flags == [.deleted, .removed] {
            if feed.activeOnly, !feed.saidCaughtUp { return false }
            // That it left a user's channels by its deletion a gateway tells as long as it has not come back to them, whatever it became elsewhere.
            let isLast = gateway.state.collections[collection].feeds[user].last { $0.id == entry.id }?.place == entry.place
            return document.revision == entry.revision || isLast && !gateway.isVisible(document, to: user)
        }
        if !entry.flags.isEmpty {
            guard !gateway.isVisible(document, to: user) else { return false }
            return tellsOfRemovals ? entry.flags == .removed : feed.wantsRevocations
        }
        return document.revision == entry.revision && gateway.isVisible(document, to: user)
    }

    private func isReady(_ feed: Feed) -> Bool { feed.unanswered < 5 && (feed.isContinuous || !feed.saidCaughtUp) }

    /// What was not told yet. That is short.
    private func start(of feed: Feed, in list: [GatewayModel.Entry]) -> Int {
        var start = list.count
        while start > 0, feed.position < list[start - 1].place { start -= 1 }
        return start
    }

    /// What comes next of a feed; nil if there is nothing to say.
    private func next(_ feed: inout Feed, _ collection: Int) -> (entries: [GatewayModel.Entry], late: Int)? {
        guard isReady(feed) else { return nil }
        var entries = feed.late.filter { isTrue($0, feed, collection) }
        feed.late = []
        let late = entries.count
        let list = gateway.state.collections[collection].feeds[user]
        for entry in list[start(of: feed, in: list)...] {
            guard entries.count < climate.gatewayBatch + late else { break }
            feed.position = entry.place
            if isTrue(entry, feed, collection) { entries.append(entry) }
        }
        return entries.isEmpty && feed.saidCaughtUp ? nil : (entries, late)
    }

    var hasWork: Bool {
        for (collection, feed) in feeds where isReady(feed) {
            if !feed.saidCaughtUp || feed.late.contains(where: { isTrue($0, feed, collection) }) { return true }
            let list = gateway.state.collections[collection].feeds[user]
            if list[start(of: feed, in: list)...].contains(where: { isTrue($0, feed, collection) }) { return true }
        }
        return false
    }

    var isCongested: Bool { false }

    func work() throws {
        for collection in feeds.keys.sorted() {
            guard var feed = feeds[collection] else { continue }
            let found = next(&feed, collection)
            feeds[collection] = feed
            guard let (entries, late) = found else { continue }
            guard !entries.isEmpty else {
                feeds[collection]?.saidCaughtUp = true
                var message = wire(.changes(ChangesMessage(entries: [])), collection, noReply: true)
                message.body = Array("null".utf8)
                return try tell(message)
            }
            let sequences = entries.enumerated().map { sequence($1.place, isLate: $0 < late) }
            let list = zip(entries, sequences).map { entry, sequence in
                let flags = tellsOfRemovals && entry.flags == .removed ? [] : entry.flags
                return ChangesMessage.Entry(sequence: sequence, documentID: entry.id, revision: entry.revision, flags: flags)
            }
            feeds[collection]?.unanswered += 1
            return try ask(
                wire(.changes(ChangesMessage(entries: list)), collection), .changes(collection: collection, entries, sequences: sequences))
        }
    }

    var isIdle: Bool { pending.isEmpty }

    func knows(_ message: RevisionMessage, _ collection: Int) -> Bool {
        gateway.state.collections[collection].documents[message.documentID]?.revision == message.revision
    }

    /// A gateway keeps what it was given.
    func hasLacked(_ message: RevisionMessage, _ collection: Int, since step: Int) -> Bool { false }

    func disconnected(_ error: SyncError?) { gateway.connections.removeAll { $0 === self } }
}
