import CBLFleece
import CBLStore

@testable import CBLReplication

// What must be so, whatever happened.
extension Simulation {
    /// Everybody has the same, as far as it is his business; nothing is lost, and what was deleted for good is still.
    func check() throws {
        for collection in collections.indices {
            let contents = try replicas.map { try $0.contents(collection) }
            for (number, list) in contents.enumerated() {
                for (id, state) in list { try checkBody(id, state, replicas[number], collection) }
            }
            if !climate.isToAgree { continue }
            if climate.usesGateway {
                for (number, list) in contents.enumerated() { try compare(list, replicas[number], collection) }
                for (id, document) in gateway.state.collections[collection].documents {
                    try checkFate("\(collection) \(id)", isDeleted: document.isDeleted)
                }
            } else {
                for (number, list) in contents.enumerated() where list != contents[0] {
                    for id in Set(list.keys).union(contents[0].keys).sorted() where list[id] != contents[0][id] {
                        throw fail(
                            "replica \(number), collection \(collection), \(id): \(text(list[id])) is not \(text(contents[0][id]))")
                    }
                }
                for (id, state) in contents[0] { try checkFate("\(collection) \(id)", isDeleted: state.isDeleted) }
            }
        }
        try checkThatNothingIsLost()
    }

    private func text(_ state: Replica.State?) -> String {
        guard let state else { return "nothing" }
        return "\(state.revision)\(state.isDeleted ? " deleted" : "")\(state.isConflicted ? " in conflict" : "") \(state.body.prefix(60))"
    }

    private func checkFate(_ key: String, isDeleted: Bool) throws {
        if graveyard.contains(key), !isDeleted { throw fail("\(key) was resurrected") }
        if !everDeleted.contains(key), isDeleted { throw fail("\(key) is deleted, though nobody did that") }
    }

    /// Nobody has a body that nobody wrote, and nobody lacks a blob.
    private func checkBody(_ id: String, _ state: Replica.State, _ replica: Replica, _ collection: Int) throws {
        let name = "replica \(replica.number), collection \(collection), \(id)"
        guard bodies.contains(state.body) else { throw fail("\(name): nobody wrote \(state.body)") }
        for digest in try ReceivedText.blobs(state.body) {
            guard let content = replica.blob(digest) else { throw fail("\(name) lacks a blob") }
            guard SessionEnd.digest(of: content) == digest else { throw fail("\(name): blob \(digest) has another content") }
        }
    }

    /// A replica's documents, and those of the gateway that are its business.
    private func compare(_ contents: [String: Replica.State], _ replica: Replica, _ collection: Int) throws {
        let way = replica.ways[collection]
        let target = gateway.state.collections[collection]
        for id in Set(contents.keys).union(target.documents.keys).sorted() {
            let key = "\(collection) \(id)"
            let name = "replica \(replica.number), collection \(collection), \(id)"
            let mine = contents[id]
            if let wanted = way.documentIDs, !wanted.contains(id) {
                if mine != nil, !replica.edited.contains(key) { throw fail("\(name) is here, though nobody asked for it") }
                continue
            }
            let staysHome = way.keepsSecrets && mine.map { Replica.isSecret($0.body) } ?? false
            guard let theirs = target.documents[id] else {
                let mayDiffer = target.purged.contains(id) || staysHome || !way.pushes
                if !mayDiffer { throw fail("\(name): the gateway does not have \(text(mine))") }
                continue
            }
            guard gateway.isVisible(theirs, to: replica.number) || theirs.isDeleted else {
                // Whoever has only a tombstone of it is told nothing of what it became where he does not see it. The same after a purge: no
                // gateway tells of it, and what is made of that name then was never his.
                let wasTold = !gateway.everPurged.contains(key)
                if let mine, !mine.isDeleted, way.pulls, way.purgesLost, climate.version != .v2, wasTold, !replica.edited.contains(key) {
                    throw fail("\(name) is still here, and access to it is lost")
                }
                continue
            }
            if way.takesNoSecrets, Replica.isSecret(String(decoding: theirs.body, as: UTF8.self)) { continue }
            if staysHome { continue }
            // No gateway tells of a purge. What another replica brings back then may be older than what was pushed from here before it.
            if let mine, gateway.everPurged.contains(key), try replica.knows(id, theirs.revision, collection), !mine.isConflicted {
                continue
            }
            // Who only pulls keeps what the gateway had of it, and cannot give it back.
            if !way.pushes, replica.edited.contains(key) || withdrawn.contains(key) { continue }
            if climate.hasChannels, theirs.isDeleted { continue }
            if !way.pulls, writers[key] != [replica.number] { continue }
            guard let mine else {
                // Of what was deleted before it was ever here, nothing need be known.
                if theirs.isDeleted { continue }
                throw fail("\(name) is missing")
            }
            let expected = Replica.State(
                revision: theirs.revision, isDeleted: theirs.isDeleted, body: try ReceivedText.canonical(theirs.body), isConflicted: false)
            guard mine == expected else { throw fail("\(name): \(text(mine)) is not \(text(expected))") }
        }
    }

    private func checkThatNothingIsLost() throws {
        guard !climate.hasChannels else { return }
        for key in created {
            let parts = key.split(separator: " ")
            guard let collection = Int(parts[0]) else { continue }
            let id = String(parts[1])
            let isThere = gateway.state.collections[collection].documents[id] != nil
            if isThere || gateway.state.collections[collection].purged.contains(id) { continue }
            let isSomewhere = try replicas.contains { try $0.contents(collection)[id] != nil }
            if !isSomewhere { throw fail("\(key) is lost") }
        }
    }

    /// What a checkpoint says to be here is here.
    func checkCheckpoint(_ body: [UInt8], _ replica: Replica, _ name: CollectionName, _ link: Link) throws {
        guard climate.isToAgree, link.route.server == nil, let collection = collections.firstIndex(of: name),
            replica.ways[collection].pulls,
            let remote = Checkpoint(json: body).remote, let place = GatewayEnd.place(remote)
        else { return }
        let target = gateway.state.collections[collection]
        // What was said last of each document counts.
        var latest: [String: GatewayModel.Entry] = [:]
        for entry in target.feeds[replica.number] { latest[entry.id] = entry }
        let announced = latest.values.filter { entry in
            guard entry.place <= place, let document = target.documents[entry.id], document.revision == entry.revision, entry.flags.isEmpty,
                gateway.isVisible(document, to: replica.number), !replica.ways[collection].takesNoSecrets,
                replica.ways[collection].documentIDs?.contains(entry.id) ?? true,
                gateway.everPurged.isEmpty
            else { return false }
            return true
        }
        if let missing = try replica.firstUnknown(of: announced.map { ($0.id, $0.revision) }, collection) {
            throw fail("the checkpoint of replica \(replica.number) says \(remote), but \(missing.id) \(missing.revision) is not here")
        }
    }
}

enum ReceivedText {
    /// A body as a client would store it.
    static func canonical(_ json: [UInt8]) throws -> String { try canonical(String(decoding: json, as: UTF8.self)) }

    static func canonical(_ json: String) throws -> String {
        let encoder = FleeceEncoder()
        _ = try fleece(json).withRoot { try ReceivedBody($0, into: encoder) }
        return try encoder.finish().withRoot { $0.json(style: .canonical) }
    }

    static func blobs(_ json: String) throws -> [BlobDigest] {
        let encoder = FleeceEncoder()
        return try fleece(json).withRoot { try ReceivedBody($0, into: encoder) }.blobs.map(\.digest)
    }
}
