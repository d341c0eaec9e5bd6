import CBLStore
import CBLTestSupport
import Testing

@testable import CBLReplication

/// What a database has that a remote does not.
@Suite struct PendingTests {
    private let directory: TemporaryDirectory
    private let database: Database
    private let peer = "ws://localhost:4984/db"

    init() throws {
        directory = try TemporaryDirectory()
        database = try Database(path: directory.path + "/a.cblite2", options: .create)
    }

    @Test func aServerIsKnownByWhatPeopleCallIt() throws {
        try database.write { transaction in
            try #expect(transaction.remoteNumber(of: peer) == nil)
            let number = try transaction.remoteID(of: peer + SyncEndpoint.path)
            try #expect(transaction.remoteNumber(of: peer) == number)
            try #expect(transaction.remoteNumber(of: peer + "2") == nil)
        }
    }

    @Test(arguments: ["ws://h/db/_blipsync", "ws://h/db", "ws://h/_blipsync/db"]) func onlyTheLastComponentIsTakenAway(url: String) {
        #expect(SyncEndpoint.removed(from: url) == (url.hasSuffix("_blipsync") ? "ws://h/db" : url))
    }

    @Test func changesAreCountedUntilTheyArePushed() throws {
        let name = try CollectionName(parsing: "people.names")
        try database.write { transaction in
            let remote = try transaction.remoteID(of: peer + SyncEndpoint.path)
            try transaction.createCollection(name)
            let pushed = try transaction.save("pushed", body: .emptyDictionary)
            try transaction.markPushed(pushed.id, of: "pushed", to: remote)
            try transaction.save("new", body: .emptyDictionary)
            try transaction.save("elsewhere", in: name, body: .emptyDictionary)
            try #expect(transaction.changedCount(sincePushedTo: peer) == 2)
            try transaction.delete("pushed")
            try #expect(transaction.changedCount(sincePushedTo: peer) == 3)
            // Nothing was ever to be pushed there.
            try #expect(transaction.changedCount(sincePushedTo: "ws://localhost:4984/other") == 0)
        }
    }

    @Test func whatCompetesWithAnotherRemoteIsNoObstacle() throws {
        try database.write { transaction in
            let remote = try transaction.remoteID(of: peer + SyncEndpoint.path)
            let other = try transaction.remoteID(of: "ws://localhost:4984/other/_blipsync")
            let base = try transaction.save("d", body: .emptyDictionary)
            try transaction.save("d", body: transaction.encode(json: #"{"by":"us"}"#))
            let theirs = try transaction.encode(json: #"{"by":"them"}"#)
            try transaction.insertExisting("d", history: [revision("2-ffff"), base.id], body: theirs, remote: other)
            try #expect(transaction.conflicts(with: peer).isEmpty)
            try #expect(transaction.conflicts(with: "ws://localhost:4984/other") == ["d"])
            // Of several that compete, any one is enough.
            try transaction.insertExisting("d", history: [revision("2-eeee"), base.id], body: theirs, remote: remote)
            try #expect(transaction.conflicts(with: peer) == ["d"])
            try #expect(transaction.conflicts(with: "ws://localhost:4984/other") == ["d"])
        }
    }
}
