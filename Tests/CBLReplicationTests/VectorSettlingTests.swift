import CBLFleece
import CBLStore
import CBLTestSupport
import Testing

@testable import CBLReplication

/// Conflicts between versions: what is made anew, and what stays under its name.
@Suite struct VectorSettlingTests {
    private let directory: TemporaryDirectory
    private let database: Database

    init() throws {
        directory = try TemporaryDirectory()
        database = try Database(path: "\(directory.path)/a.cblite2", options: .init(access: .create, upgrade: .versionVectors))
    }

    private enum Theirs: CaseIterable {
        case earlier, later
    }

    /// A document in conflict: what is here, and what the remote has.
    private func conflict(_ theirs: Theirs, ours: String?, _ body: String?) throws -> (ours: RevisionID, theirs: RevisionID) {
        let saved = try database.write { transaction in
            let saved = try transaction.save("d", body: transaction.encode(json: ours ?? "{}"))
            return ours == nil ? try transaction.delete("d") : saved
        }
        let mine = try database.read { try #require($0.global(saved.id).version) }
        // A second earlier or later.
        let time = theirs == .earlier ? mine.time - 1_000_000_000 : mine.time + 1_000_000_000
        let version = Version(time: time, source: try #require(SourceID(Array(repeating: 7, count: SourceID.byteCount))))
        #expect(try insert(VersionVector(version), body, remote: 1) == .inserted(isConflict: true))
        return (RevisionID(mine), RevisionID(version))
    }

    private func insert(_ vector: VersionVector, _ body: String?, remote: UInt16) throws -> Insertion {
        var message = RevisionMessage(documentID: "d", history: RevisionHistory(vector: vector), body: Array((body ?? "{}").utf8))
        message.isDeleted = body == nil
        let received = ReceivedRevision(message: message, allowsConflict: true)
        guard case .inserted(let results) = ReplicatedDatabase(database, remote: remote).perform(.insert([received])) else {
            throw StoreError(.unsupported, "nothing was inserted")
        }
        return try #require(results.first)
    }

    private func store(_ resolution: SyncResolution?) -> ReplicatedDatabase {
        var store = ReplicatedDatabase(database, remote: 1)
        if let resolution { store.resolver = { _ in resolution } }
        return store
    }

    /// Whether there is something new to be pushed; and what is current then.
    private func settle(_ resolution: SyncResolution?) throws -> (isNew: Bool, document: Document, revision: RevisionID) {
        guard case .resolved(let isNew) = store(resolution).perform(.resolveConflict(documentID: "d")) else {
            throw StoreError(.conflict, "it is not settled")
        }
        return try database.read { snapshot in
            let document = try #require(try snapshot.document("d"))
            #expect(!document.isConflicted)
            #expect(try store(nil).pendingDocuments() == (isNew ? ["d"] : []))
            return (isNew, document, snapshot.global(document.revision))
        }
    }

    private func knows(_ document: Document, _ id: RevisionID) throws -> Bool {
        try database.read { try document.revisions().currentDescends(from: $0.local(id)) }
    }

    @Test func theLaterOneStaysAsItIs() throws {
        let sides = try conflict(.earlier, ours: #"{"by":"us"}"#, #"{"by":"them"}"#)
        let settled = try settle(nil)
        #expect(settled.isNew)
        #expect(settled.revision == sides.ours)
        #expect(try knows(settled.document, sides.theirs))
    }

    @Test func whatTheRemoteHasStaysAsItIs() throws {
        for theirs in Theirs.allCases {
            let sides = try conflict(theirs, ours: #"{"by":"us"}"#, nil)
            let settled = try settle(.remote)
            #expect(!settled.isNew)
            #expect(settled.revision == sides.theirs)
            #expect(try knows(settled.document, sides.ours))
            try database.write { _ = try $0.purge("d") }
        }
    }

    /// Who has the later one and knows both would go on taking that for the winner.
    @Test func anEarlierOneThatWinsIsMadeAnew() throws {
        let sides = try conflict(.later, ours: #"{"by":"us"}"#, #"{"by":"them"}"#)
        let settled = try settle(.local)
        #expect(settled.isNew)
        #expect(settled.revision != sides.ours && settled.revision != sides.theirs)
        #expect(try knows(settled.document, sides.ours))
        #expect(try knows(settled.document, sides.theirs))
        let body = try database.read { snapshot in settled.document.body.withRoot { $0.json(keys: snapshot.sharedKeys) } }
        #expect(body == #"{"by":"us"}"#)
        let made = try #require(settled.revision.version), theirs = try #require(sides.theirs.version)
        #expect(made.isLater(than: theirs))
    }

    /// What the second remote sends is current. That the first one's competes with it is not the second one's matter: a session would not know that
    /// this is what its peer has.
    @Test func whatIsCurrentIsNoConflictWithItsSender() throws {
        let sides = try conflict(.later, ours: #"{"by":"us"}"#, #"{"by":"them"}"#)
        let mine = try #require(sides.ours.version), source = try #require(SourceID(Array(repeating: 8, count: SourceID.byteCount)))
        let vector = try VersionVector([Version(time: mine.time + 2_000_000_000, source: source), mine])
        #expect(try insert(vector, #"{"by":"others"}"#, remote: 2) == .inserted(isConflict: false))
        let document = try #require(try database.read { try $0.document("d") })
        #expect(document.isConflicted)
        try #expect(document.revisions().latest(onRemote: 2)?.id == document.revision)
    }

    @Test(arguments: [true, false]) func ofTwoDeletionsTheLaterStays(isOursLater: Bool) throws {
        let sides = try conflict(isOursLater ? .earlier : .later, ours: nil, nil)
        let settled = try settle(nil)
        #expect(settled.isNew == isOursLater)
        #expect(settled.revision == (isOursLater ? sides.ours : sides.theirs))
    }
}
