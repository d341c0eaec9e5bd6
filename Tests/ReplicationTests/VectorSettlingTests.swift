import DocumentStore
import Fleece
import TestSupport
import Testing

@testable import Replication

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
        var message = RevisionMessage(
            documentID: "d", history: RevisionHistory(vector: VersionVector(version)), body: Array((body ?? "{}").utf8))
        message.isDeleted = body == nil
        guard case .inserted(let results) = store(nil).perform(.insert([ReceivedRevision(message: message, allowsConflict: true)])) else {
            throw StoreError(.unsupported, "nothing was inserted")
        }
        #expect(results == [.inserted(isConflict: true)])
        return (RevisionID(mine), RevisionID(version))
    }

    private func store(_ resolution: SyncResolution?) -> DatabaseStore {
        var store = DatabaseStore(database, remote: 1)
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
        try database.read { document.currentDescends(from: $0.local(id)) }
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

    @Test(arguments: [true, false]) func ofTwoDeletionsTheLaterStays(isOursLater: Bool) throws {
        let sides = try conflict(isOursLater ? .earlier : .later, ours: nil, nil)
        let settled = try settle(nil)
        #expect(settled.isNew == isOursLater)
        #expect(settled.revision == (isOursLater ? sides.ours : sides.theirs))
    }
}
