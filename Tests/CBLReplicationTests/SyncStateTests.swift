import CBLFleece
import CBLSQLite
import CBLStore
import CBLTestSupport
import Testing

@testable import CBLReplication

@Suite(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)")) struct SyncStateTests {
    @Test(arguments: ["v4.x/revtrees_4.1", "v4.x/vectors_4.1"]) func whatTheRemoteHasIsNotPending(fixture: String) throws {
        let database = try Database(path: Fixtures.path(fixture + ".cblite2"))
        try database.read { snapshot in
            let states = try snapshot.syncStates(lookingAtMost: 10_000)
            let first = try #require(states.first { $0.remote == 1 && $0.collection.isDefault })
            var known = 0
            var total = 0
            var options = ScanOptions(content: .everything)
            options.includesDeleted = true
            let cursor = try snapshot.scan(.default, options)
            while let document = try cursor.next(reading: { $0 }) {
                total += 1
                let latest = try document.revisions().latest(onRemote: 1)
                // What waits for a conflict to be settled is not sent either.
                if latest?.id == document.revision || latest?.competes ?? false { known += 1 }
            }
            #expect(first.isExact)
            #expect(first.pending == total - known)
            #expect(known > 0)
            // The one who would push it says the same.
            #expect(try ReplicatedDatabase(database, remote: 1).pendingDocuments().count == first.pending)
        }
    }

    @Test func moreThanIsLookedAtIsEstimated() throws {
        let states = try Database(path: Fixtures.path("v4.x/revtrees_4.1.cblite2")).read { try $0.syncStates(lookingAtMost: 3) }
        let first = try #require(states.first)
        #expect(!first.isExact && first.pending >= 18)
    }

    /// What a client leaves: the number of the remote, and a checkpoint under the name that the vendor's library gives it.
    @Test func documentsBehindTheCheckpointArePending() throws {
        let directory = try TemporaryDirectory()
        let database = try Database(path: directory.path + "/db.cblite2", options: .create)
        let url = "wss://sync.example.com:4984/mydb/_blipsync"
        try database.write { transaction in
            for number in 1...6 { try transaction.save("doc\(number)", body: transaction.encode(json: "{}")) }
            try transaction.connection.withStatement("INSERT INTO kv_info (key, body) VALUES ('remotes', ?)") { statement in
                try statement.bind(blob: encoded(remotes: url), 1)
                try statement.run()
            }
            let uuid = try #require(transaction.privateUUID)
            let id = try CheckpointScope(remote: url).checkpointID(privateUUID: uuid)
            let json = #"{"time":1700000000,"local":2,"localCompleted":[0,3,5,1],"remote":77}"#
            try transaction.putRaw(RawDocument(key: id, meta: nil, body: Array(json.utf8)), in: "checkpoints")
        }
        try database.read { snapshot in
            let states = try snapshot.syncStates(lookingAtMost: 100)
            let state = try #require(states.first)
            #expect(states.count == 1 && state.remote == 1 && state.collection == .default)
            #expect(state.checkpoint?.local == 2 && state.time == 1_700_000_000 && state.checkpoint?.remote?.json == "77")
            // 3, 4 and 6.
            #expect(state.pending == 3 && state.isExact)
            #expect(try snapshot.syncStates(lookingAtMost: 2).first.map { $0.pending == 4 && !$0.isExact } == true)
        }
    }

    /// `{url: 1}`
    private func encoded(remotes url: String) throws -> [UInt8] {
        let encoder = FleeceEncoder()
        encoder.beginDictionary()
        encoder.writeKey(url)
        encoder.write(Int64(1))
        encoder.endDictionary()
        return try encoder.finish().withBytes { Array($0) }
    }
}
