import CBLFleece
import CBLStore
import CBLTestSupport
import Testing

/// What a replication asks of a database: changes, acquaintances, notes and checkpoints, on files that the vendor's library made.
@Suite(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)"))
struct SyncingTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func open(_ fixture: String) throws -> Database {
        try Database(path: try Fixtures.copy("\(fixture).cblite2", to: directory), options: .readWrite)
    }

    @Test(arguments: ["v2.x/upgrade_2.7", "v3.x/db_3_0_0_names_100_with_deleted", "v4.x/revtrees_4.1", "v4.x/vectors_4.1"])
    func changesAreAllDocumentsInTheirOrder(_ fixture: String) throws {
        let database = try open(fixture)
        try database.read { snapshot in
            let all = try snapshot.changedDocuments(since: 0, limit: 10_000, remote: 1)
            let counts = try snapshot.counts(of: .default)
            #expect(all.count == counts.live + counts.deleted)
            #expect(zip(all, all.dropFirst()).allSatisfy { $0.sequence < $1.sequence })
            var paged: [ChangedDocument] = []
            while case let next = try snapshot.changedDocuments(since: paged.last?.sequence ?? 0, limit: 7, remote: 1), !next.isEmpty {
                paged += next
            }
            #expect(paged == all)
            for change in all {
                let document = try #require(try snapshot.document(change.id))
                #expect(change.revision == snapshot.global(document.revision) && change.isDeleted == document.isDeleted)
                try #expect(change.remoteRevision == document.revisions().latest(onRemote: 1).map { snapshot.global($0.id) })
                #expect(snapshot.local(change.revision) == document.revision)
            }
            let conflicts = Set(try snapshot.conflictedDocuments())
            #expect(conflicts.isSuperset(of: all.filter(\.isConflicted).map(\.id)))
        }
    }

    @Test func treesKnowWhatTheyHave() throws {
        let database = try open("v4.x/revtrees_4.1")
        try database.read { snapshot in
            let document = try #require(try snapshot.document("pulled"))
            let current = document.revision
            try #expect(document.revisions().acquaintance(with: current, remote: 1) == .known(isNoted: true))
            try #expect(document.revisions().acquaintance(with: current, remote: 2) == .known(isNoted: false))
            let newer = try RevisionID(parsing: "4-dddd")
            guard case .unknown(let ancestors) = try document.revisions().acquaintance(with: newer, remote: 1) else {
                throw StoreError(.notFound, "known")
            }
            #expect(ancestors.first == current)
            try #expect(document.revisions().currentDescends(from: RevisionID(parsing: "1-aaaa")))
            try #expect(!document.revisions().currentDescends(from: newer))
            try #expect(document.revisions().verdict(on: current, parent: nil) == .known)
            try #expect(document.revisions().verdict(on: newer, parent: current) == .wanted)
            try #expect(document.revisions().verdict(on: newer, parent: nil) == .conflict(with: current))
            try #expect(document.revisions().historyToSend(limit: 2, knownToReceiver: []).treeIDs.map(\.text) == ["3-cccc", "2-bbbb"])
            try #expect(document.revisions().historyToSend(limit: 9, knownToReceiver: [RevisionID(parsing: "2-bbbb")]).treeIDs.count == 2)
            try #expect(document.revisions().historyToSend(limit: 1, knownToReceiver: [RevisionID(parsing: "1-aaaa")]).treeIDs.count == 3)
            let tombstone = try #require(try snapshot.document("gone"))
            try #expect(tombstone.revisions().verdict(on: newer, parent: nil) == .wanted)
            try #expect(tombstone.revisions().base(tombstone.revision) == nil)
            let conflicted = try #require(try snapshot.document("conflicted"))
            try #expect(conflicted.revisions().competitor?.revision.text == "2-ffff0000")
            try #expect(
                conflicted.revisions().base(try RevisionID(parsing: "2-ffff0000"))?.withRoot { $0.json(keys: snapshot.sharedKeys) } != nil)
        }
    }

    @Test func vectorsKnowWhatTheyHave() throws {
        let database = try open("v4.x/vectors_4.1")
        let history = try RevisionHistory(parsing: "1889a6b0c0de0005@ZegpoldZegpoldZegpoldA")
        let theirs = try #require(history.revision)
        try database.write { transaction in
            try transaction.insertExisting("two", history: history, body: .emptyDictionary, remote: 1)
            let saved = try transaction.save("two", body: .emptyDictionary)
            let document = try #require(try transaction.document("two"))
            try #expect(document.revisions().acquaintance(with: theirs, remote: 1) == .known(isNoted: true))
            try #expect(document.revisions().currentDescends(from: theirs))
            try #expect(
                document.revisions().acquaintance(with: RevisionID(parsing: "1889a6b0c0de0001@ZegpoldZegpoldZegpoldA"), remote: 1)
                    == .known(isNoted: true))
            let newer = try RevisionID(parsing: "1889a6b0c0de0006@ZegpoldZegpoldZegpoldA")
            try #expect(document.revisions().acquaintance(with: newer, remote: 1) == .unknown(ancestors: [saved.id, theirs]))
            try #expect(document.revisions().verdict(on: newer, parent: saved.id) == .wanted)
            try #expect(document.revisions().verdict(on: newer, parent: nil) == .conflict(with: saved.id))
            try #expect(document.revisions().verdict(on: theirs, parent: nil) == .known)
            #expect(transaction.global(saved.id).text.hasSuffix(transaction.sourceID.description))
            #expect(transaction.local(transaction.global(saved.id)) == saved.id)
            try transaction.noteLatest(saved.id, of: "two", onRemote: 1)
            try #expect(transaction.document("two")?.revisions().latest(onRemote: 1)?.id == saved.id)
            // Each base once, and no tombstone.
            try #expect(transaction.document("two")?.revisions().acquaintance(with: newer, remote: 1) == .unknown(ancestors: [saved.id]))
            try transaction.delete("two")
            try #expect(transaction.document("two")?.revisions().acquaintance(with: newer, remote: 1) == .unknown(ancestors: [saved.id]))
        }
    }

    @Test func aTreeIDAndTheVersionThatStandsForItAreOne() throws {
        let database = try open("v4.x/upgraded_2.7_to_vectors")
        try database.write { transaction in
            let legacy = try RevisionID(parsing: "1abcd000000@Revision+Tree+Encoding")
            let untouched = try #require(try transaction.document("doc-002"))
            try #expect(untouched.revision.text == "1-abcd" && untouched.revisions().currentDescends(from: legacy))
            try #expect(untouched.revisions().verdict(on: legacy, parent: nil) == .known)
            let theirs = try RevisionID(parsing: "1889a6b0c0de0005@ZegpoldZegpoldZegpoldA")
            try #expect(untouched.revisions().verdict(on: theirs, parent: legacy) == .wanted)
            try #expect(untouched.revisions().acquaintance(with: theirs, remote: 3) == .unknown(ancestors: [untouched.revision]))
            try transaction.save("doc-002", body: .emptyDictionary)
            let edited = try #require(try transaction.document("doc-002"))
            try #expect(edited.revisions().currentDescends(from: legacy))
            try #expect(edited.revisions().currentDescends(from: try RevisionID(parsing: "1-abcd")))
            try #expect(!edited.revisions().currentDescends(from: RevisionID(parsing: "2-abcd")))
        }
    }

    @Test func aNoteIsAsIfItHadBeenPulled() throws {
        let database = try open("v4.x/revtrees_4.1")
        try database.write { transaction in
            let saved = try transaction.save("noted", body: transaction.encode(json: #"{"a":1}"#))
            let next = try transaction.save("noted", body: transaction.encode(json: #"{"a":2}"#))
            try transaction.noteLatest(next.id, of: "noted", onRemote: 2)
            try #expect(transaction.document("noted")?.revisions().latest(onRemote: 2)?.id == next.id)
            // A late one is ignored.
            try transaction.noteLatest(saved.id, of: "noted", onRemote: 2)
            try #expect(transaction.document("noted")?.revisions().latest(onRemote: 2)?.id == next.id)
            #expect(throws: StoreError.self) { try transaction.noteLatest(RevisionID(parsing: "9-ffff"), of: "noted", onRemote: 2) }
        }
    }

    @Test(arguments: ["v2.x/upgrade_2.7", "v3.x/db_3_0_0_names_100_with_deleted", "v4.x/revtrees_4.1"], [UInt16(1), 2])
    func whatARemoteGotIsNoted(_ fixture: String, _ remote: UInt16) throws {
        let database = try open(fixture)
        try database.write { transaction in
            func latest() throws -> RevisionID? {
                let known = try transaction.document("mine")?.revisions().latest(onRemote: remote)?.id
                let change = try transaction.changedDocuments(since: 0, limit: 10_000, remote: remote).first { $0.id == "mine" }
                #expect(change?.remoteRevision == known)
                return known
            }
            let first = try transaction.save("mine", body: transaction.encode(json: #"{"a":1}"#)).id
            try #expect(latest() == nil)
            try transaction.markPushed(first, of: "mine", to: remote)
            try #expect(latest() == first)
            // It was changed while it was on its way.
            let second = try transaction.save("mine", body: transaction.encode(json: #"{"a":2}"#)).id
            try #expect(latest() == first)
            let third = try transaction.save("mine", body: transaction.encode(json: #"{"a":3}"#)).id
            try transaction.markPushed(second, of: "mine", to: remote)
            try #expect(latest() == second)
            #expect(throws: StoreError.self) { try transaction.markPushed(RevisionID(parsing: "3-abcd"), of: "mine", to: remote) }
            #expect(throws: StoreError.self) { try transaction.markPushed(third, of: "nobody", to: remote) }
            let tombstone = try transaction.delete("mine").id
            try transaction.markPushed(tombstone, of: "mine", to: remote)
            try #expect(latest() == tombstone)
        }
    }

    /// Its tombstone came while our revision was on its way, and then it took ours.
    @Test(arguments: [UInt16(1), 2]) func whoTookOurRevisionIsNoRivalAnyMore(_ remote: UInt16) throws {
        let database = try open("v4.x/revtrees_4.1")
        try database.write { transaction in
            let ours = try transaction.save("mine", body: transaction.encode(json: #"{"a":1}"#)).id
            try transaction.insertExisting(
                "mine", history: [RevisionID(parsing: "2-bbbb"), RevisionID(parsing: "1-aaaa")], body: .emptyDictionary, isDeleted: true,
                remote: remote, allowsConflicts: true)
            try #expect(transaction.document("mine")?.isConflicted == true)
            try transaction.markPushed(ours, of: "mine", to: remote)
            try #expect(transaction.document("mine")?.isConflicted == false)
            try #expect(!transaction.conflictedDocuments().contains("mine"))
        }
    }

    @Test func whatARemoteRefusedIsNoted() throws {
        let database = try open("v4.x/revtrees_4.1")
        try database.write { transaction in
            let first = try transaction.save("refused", body: transaction.encode(json: #"{"a":1}"#))
            try transaction.markRejected(first.id, of: "refused")
            try #expect(transaction.document("refused")?.revisions().tree?.isRejected(first.id) == true)
            // It is no business of other remotes.
            let change = try transaction.changedDocuments(since: 0, limit: 1000, remote: 1).first { $0.id == "refused" }
            #expect(change?.remoteRevision == nil)
        }
    }

    @Test func aConflictIsWithOneRemote() throws {
        let database = try open("v4.x/revtrees_4.1")
        try database.read { snapshot in
            func change(_ remote: UInt16) throws -> ChangedDocument? {
                try snapshot.changedDocuments(since: 0, limit: 1000, remote: remote).first { $0.id == "conflicted" }
            }
            #expect(try change(1)?.isConflicted == true)
            #expect(try change(2)?.isConflicted == false)
            try #expect(snapshot.conflictedDocuments().contains("conflicted"))
        }
    }

    @Test(arguments: ["v2.x/upgrade_2.7", "v4.x/revtrees_4.1", "v4.x/vectors_4.1"])
    func checkpointsAreKept(_ fixture: String) throws {
        let database = try open(fixture)
        try database.write { transaction in
            try transaction.setCheckpoint("cp-1", Array("{}".utf8))
            try #expect(transaction.setPeerCheckpoint("cp-2", revision: "", [1]) == "1-cc")
            try #expect(transaction.setPeerCheckpoint("cp-2", revision: "1-cc", [2]) == "2-cc")
            #expect(throws: StoreError.self) { try transaction.setPeerCheckpoint("cp-2", revision: "1-cc", [3]) }
            #expect(throws: StoreError.self) { try transaction.setPeerCheckpoint("cp-3", revision: "1-cc", [3]) }
        }
        try database.read { snapshot in
            try #expect(snapshot.checkpoint("cp-1") == Array("{}".utf8))
            try #expect(snapshot.checkpoint("cp-2") == nil)
            let peer = try #require(try snapshot.peerCheckpoint("cp-2"))
            #expect(peer.revision == "2-cc" && peer.body == [2])
        }
    }

    @Test func aPeersCheckpointOfTheVendorsIsRead() throws {
        let database = try open("v3.x/upgrade_3.1_peerCheckpoints")
        try database.read { snapshot in
            let id = try #require(try snapshot.rawDocumentKeys(in: "peerCheckpoints").first)
            let stored = try #require(try snapshot.peerCheckpoint(id))
            #expect(stored.revision == "1-cc" && String(decoding: stored.body, as: UTF8.self) == #"{"remote":100}"#)
        }
    }
}
