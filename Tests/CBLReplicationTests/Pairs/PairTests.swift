import CBLFleece
import CBLReplicationTestSupport
import CBLStore
import CBLTestSupport
import Testing

@testable import CBLReplication

/// Two databases that replicate with each other: real files on both sides, of both kinds of versioning.
@Suite struct PairTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func create(_ name: String, vectors: Bool = false) throws -> Database {
        try Database(
            path: "\(directory.path)/\(name).cblite2", options: .init(access: .create, upgrade: vectors ? .versionVectors : .none))
    }

    private func fill(_ database: Database, _ count: Int, padding: Int = 0, collection: CollectionName = .default) throws {
        try database.write { transaction in
            for number in 0..<count {
                let json = #"{"n":\#(number),"text":"\#(String(repeating: "x", count: padding))"}"#
                try transaction.save("doc-\(number)", in: collection, body: transaction.encode(json: json))
            }
        }
    }

    @Test func aHistoryReachesBackToWhatThePeerHas() throws {
        let (first, server) = (try create("a"), try create("s"))
        try fill(first, 1)
        try Pair(first, server, push: .once, pull: .off).run()
        // More revisions than a peer asks for, and than are kept: a history that ends before the peer's revision would make it a rival.
        for count in [30, 70] {
            try first.write { transaction in
                for number in 0..<count { try transaction.save("doc-0", body: transaction.encode(json: #"{"later":\#(number)}"#)) }
            }
            let push = try Pair(first, server, push: .once, pull: .off)
            try push.run()
            #expect(push.documents.map(\.error) == [nil])
            #expect(try documents(of: first) == documents(of: server))
        }
    }

    @Test(arguments: [false, true]) func aPushAndAPullCopyADatabase(_ vectors: Bool) throws {
        let (first, server, second) = (
            try create("a", vectors: vectors), try create("s", vectors: vectors), try create("b", vectors: vectors)
        )
        try fill(first, 700)
        try first.write { transaction in
            try transaction.delete("doc-5")
            try transaction.save("doc-6", body: transaction.encode(json: #"{"n":"six"}"#))
        }
        let version: ReplicationProtocol = vectors ? .v4 : .v3
        let push = try Pair(first, server, push: .once, pull: .off, version: version)
        try push.run()
        #expect(push.isClosed && push.failure == nil)
        #expect(push.requests["rev"] == 700)
        #expect(push.documents.count == 700 && push.documents.allSatisfy { $0.error == nil })
        #expect(try documents(of: first) == documents(of: server))

        let pull = try Pair(second, server, push: .off, pull: .once, version: version)
        try pull.run()
        #expect(pull.isClosed && pull.failure == nil)
        #expect(
            try documents(of: second).filter { !$0.value.contains(" true ") }
                == documents(of: server).filter { !$0.value.contains(" true ") })

        // Nothing is sent twice, and what is new is.
        let again = try Pair(first, server, push: .once, pull: .once, version: version)
        try again.run()
        #expect(again.requests["rev"] == nil && again.isClosed && again.failure == nil)
        try second.write { try $0.save("doc-7", body: $0.encode(json: #"{"n":"seven"}"#)) }
        let update = try Pair(second, server, push: .once, pull: .once, version: version)
        try update.run()
        #expect(update.requests["rev"] == 1)
        let last = try Pair(first, server, push: .once, pull: .once, version: version)
        try last.run()
        #expect(last.requests["rev"] == 1)
        #expect(try documents(of: first) == documents(of: server))
        try first.read { snapshot in
            try #expect(snapshot.changedDocuments(since: 0, limit: 1000, remote: 1).allSatisfy { $0.remoteRevision == $0.revision })
        }
    }

    @Test(
        .enabled(if: Fixtures.arePresent, "\(Fixtures.absence)"),
        arguments: ["v4.x/revtrees_4.1", "v4.x/vectors_4.1", "v3.x/db_3_0_0_names_100_with_deleted"])
    func databasesOfTheVendorsAreCopied(_ fixture: String) throws {
        let original = try Database(path: try Fixtures.copy(fixture + ".cblite2", to: directory), options: .readWrite)
        let vectors = try original.read { $0.versioning == .vectors }
        let version: ReplicationProtocol = vectors ? .v4 : .v3
        let server = try create("s", vectors: vectors)
        let push = try Pair(original, server, push: .once, pull: .off, version: version, remote: "ws://elsewhere/db")
        try push.run()
        #expect(push.failure == nil && push.isClosed)
        #expect(push.documents.compactMap(\.error).isEmpty)
        let (mine, theirs) = (try documents(of: original), try documents(of: server))
        #expect(mine == theirs)
        #expect(!theirs.isEmpty)
    }

    @Test(arguments: [false, true]) func conflictsAreSettledTheSameEverywhere(_ vectors: Bool) throws {
        let (first, server, second) = (
            try create("a", vectors: vectors), try create("s", vectors: vectors), try create("b", vectors: vectors)
        )
        let version: ReplicationProtocol = vectors ? .v4 : .v3
        func sync(_ database: Database, resolver: SyncResolver? = nil) throws -> Pair {
            let pair = try Pair(database, server, push: .once, pull: .once, version: version, resolver: resolver)
            try pair.run()
            #expect(pair.isClosed && pair.failure == nil)
            return pair
        }
        try fill(first, 6)
        _ = try sync(first)
        _ = try sync(second)
        for (database, name) in [(first, "first"), (second, "second")] {
            try database.write { transaction in
                for number in 0..<3 { try transaction.save("doc-\(number)", body: transaction.encode(json: #"{"by":"\#(name)"}"#)) }
                if name == "first" { try transaction.delete("doc-3") } else { try transaction.save("doc-3", body: .emptyDictionary) }
                try transaction.delete("doc-4")
            }
        }
        _ = try sync(first)
        let merging: SyncResolver = { conflict in
            guard conflict.documentID == "doc-0" else { return SyncResolution.standard(conflict) }
            return .merged(try DocumentProperties(json: #"{"by":"both"}"#))
        }
        _ = try sync(second, resolver: merging)
        _ = try sync(first)
        let (a, b, s) = (try documents(of: first), try documents(of: second), try documents(of: server))
        #expect(a == s && b == s)
        #expect(s.count == 6)
        #expect(s["doc-0"]?.contains("both") == true)
        #expect(s["doc-3"]?.contains(" true ") == true)
    }

    /// Two who meet a conflict at the same time, each with what a third party has of the other.
    @Test func twoDeletionsDoNotChangePlaces() throws {
        let (first, second) = (try create("a", vectors: true), try create("b", vectors: true))
        let (third, fourth) = (try create("c", vectors: true), try create("d", vectors: true))
        func push(_ from: Database, _ to: Database) throws { try replicate(from, to, push: .once, pull: .off) }
        func pull(_ to: Database, _ from: Database) throws { try replicate(to, from, push: .off, pull: .once) }
        try fill(first, 1)
        try push(first, second)
        try first.write { _ = try $0.delete("doc-0") }
        try push(first, third)
        try second.write { _ = try $0.delete("doc-0") }
        try push(second, fourth)
        let later = try documents(of: second)
        try pull(first, fourth)
        try pull(second, third)
        #expect(try documents(of: first) == later)
        #expect(try documents(of: second) == later)
        // Who has the earlier one takes the later one for newer.
        try push(second, third)
        #expect(try documents(of: third) == later)
    }

    @Test func aMergeThatWasMadeTwiceHasOneNameInTheEnd() throws {
        let (first, second, server) = (try create("a", vectors: true), try create("b", vectors: true), try create("s", vectors: true))
        let merging: SyncResolver = { _ in .merged(try DocumentProperties(json: #"{"by":"both"}"#)) }
        try fill(first, 1)
        try replicate(first, second, push: .once, pull: .off)
        try server.write { _ = try $0.save("doc-0", body: $0.encode(json: #"{"by":"server"}"#)) }
        try replicate(first, server, push: .off, pull: .once, resolver: merging)
        try replicate(second, server, push: .off, pull: .once, resolver: merging)
        let later = try documents(of: second)
        #expect(try documents(of: first) != later)
        for database in [first, second, first] { try replicate(database, server, push: .once, pull: .once, resolver: merging) }
        for database in [first, second, server] { #expect(try documents(of: database) == later) }
    }

    private func replicate(
        _ database: Database, _ peer: Database, push: ActiveSession.Mode, pull: ActiveSession.Mode, resolver: SyncResolver? = nil
    ) throws {
        let remote = "ws://\(ObjectIdentifier(peer).hashValue)/db"
        let pair = try Pair(database, peer, push: push, pull: pull, version: .v4, remote: remote, resolver: resolver)
        try pair.run()
        #expect(pair.isClosed && pair.failure == nil)
    }

    @Test(arguments: [false, true]) func blobsAndDeltasTravel(_ vectors: Bool) throws {
        let (first, server, second) = (
            try create("a", vectors: vectors), try create("s", vectors: vectors), try create("b", vectors: vectors)
        )
        let version: ReplicationProtocol = vectors ? .v4 : .v3
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let blob = try bytes.withUnsafeBytes { try first.blobs.write($0) }
        try first.write { transaction in
            let json =
                #"{"photo":{"@type":"blob","digest":"\#(blob.digest)","length":\#(blob.length)},"text":"\#(String(repeating: "long ", count: 80))"}"#
            try transaction.save("pictured", body: transaction.encode(json: json))
        }
        func sync(_ database: Database) throws -> Pair {
            let pair = try Pair(database, server, push: .once, pull: .once, version: version)
            try pair.run()
            #expect(pair.isClosed && pair.failure == nil && pair.documents.compactMap(\.error).isEmpty)
            return pair
        }
        _ = try sync(first)
        #expect(server.blobs.exists(blob.digest))
        _ = try sync(second)
        #expect(second.blobs.exists(blob.digest))
        try second.write { transaction in
            let json =
                #"{"photo":{"@type":"blob","digest":"\#(blob.digest)","length":\#(blob.length)},"text":"\#(String(repeating: "long ", count: 80))","more":1}"#
            try transaction.save("pictured", body: transaction.encode(json: json))
        }
        #expect(try sync(second).deltaCount == 1)
        // The server made no change itself, and the database does not keep what it could make a delta from.
        _ = try sync(first)
        #expect(try documents(of: first) == documents(of: second))
    }

    @Test(arguments: [true, false]) func deltasAreSentIfTheyAreAllowed(_ areAllowed: Bool) throws {
        let (first, server) = (try create("a"), try create("s"))
        func push() throws -> Pair {
            let pair = try Pair(first, server, push: .once, pull: .off) { $0.allowsDeltas = areAllowed }
            try pair.run()
            #expect(pair.isClosed && pair.failure == nil)
            return pair
        }
        try fill(first, 3, padding: 500)
        _ = try push()
        let text = String(repeating: "x", count: 500)
        try first.write { try $0.save("doc-1", body: $0.encode(json: #"{"n":"one","text":"\#(text)"}"#)) }
        #expect(try push().deltaCount == (areAllowed ? 1 : 0))
        #expect(try documents(of: first) == documents(of: server))
    }

    @Test func collectionsGoTheirOwnWays() throws {
        let (first, server) = (try create("a"), try create("s"))
        let names = [try CollectionName(name: "flowers"), try CollectionName(scope: "garden", name: "trees"), .default]
        for database in [first, server] {
            try database.write { transaction in for name in names where name != .default { try transaction.createCollection(name) } }
        }
        for name in names { try fill(first, 30, collection: name) }
        let pair = try Pair(first, server, push: .once, pull: .once, collections: names)
        try pair.run()
        #expect(pair.isClosed && pair.failure == nil)
        #expect(pair.requests["getCollections"] == 1 && pair.requests["rev"] == 90)
        for name in names { #expect(try documents(of: first, in: name) == documents(of: server, in: name)) }
    }

    @Test func aContinuousReplicationGoesOn() throws {
        let (first, server) = (try create("a"), try create("s"))
        try fill(first, 3)
        let pair = try Pair(first, server, push: .continuous, pull: .continuous)
        #expect(try pair.stores[0].pendingDocuments() == ["doc-0", "doc-1", "doc-2"])
        try pair.run()
        #expect(!pair.isClosed && pair.requests["rev"] == 3)
        try pair.stores[0].database.write { try $0.save("new", body: $0.encode(json: #"{"a":1}"#)) }
        #expect(try pair.stores[0].pendingDocuments() == ["new"])
        try pair.databaseChanged()
        #expect(try pair.stores[0].pendingDocuments().isEmpty)
        #expect(pair.requests["rev"] == 4)
        try server.write { try $0.save("theirs", body: $0.encode(json: #"{"b":1}"#)) }
        try pair.peerChanged()
        #expect(try documents(of: first) == documents(of: server))
        try pair.stop()
        #expect(pair.isClosed && pair.failure == nil)
        let body = try first.read { try $0.checkpoint(pair.stores[0].checkpointID) }
        #expect(Checkpoint(json: try #require(body)).local >= 4)
        #expect(try server.read { try $0.peerCheckpoint(pair.stores[0].checkpointID)?.body } == body)
    }

    @Test func aPeerSaysWhatItDoesNotHave() throws {
        let (first, server) = (try create("a"), try create("s"))
        let name = try CollectionName(name: "flowers")
        try first.write { try $0.createCollection(name) }
        let pair = try Pair(first, server, push: .once, pull: .once, collections: [name], exposed: [.default])
        try pair.run()
        #expect(pair.isClosed && pair.failure?.domain == .webSocket && pair.failure?.code == 404)
        #expect(pair.failure?.message.contains("flowers") == true)
    }

    @Test func documentsCanBeLimited() throws {
        let (first, server) = (try create("a"), try create("s"))
        try fill(server, 20)
        let pair = try Pair(first, server, push: .off, pull: .once) { $0.collections[0].documentIDs = ["doc-3", "doc-7"] }
        try pair.run()
        #expect(pair.isClosed && pair.failure == nil)
        #expect(try documents(of: first).keys.sorted() == ["doc-3", "doc-7"])
    }
}
