import CBLFleece
import CBLStore
import CBLTestSupport
import Testing

@Suite(.enabled(if: Fixtures.arePresent, Comment(rawValue: Fixtures.absence))) struct VectorDatabaseTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test func documentsGetVersionsOfThisDatabase() throws {
        let path = directory.path + "/new.cblite2"
        let database = try Database(path: path, options: .init(access: .create, upgrade: .versionVectors))
        var first: RevisionID?
        try database.write { transaction in
            #expect(transaction.versioning == .vectors)
            let saved = try transaction.save("a", body: transaction.encode(json: #"{"n":1}"#))
            first = saved.id
            #expect(saved.id.version?.source == .local)
            try transaction.save("a", body: transaction.encode(json: #"{"n":2}"#), parent: .revision(saved.id))
            try transaction.save("empty", body: .emptyDictionary)
            try #expect(transaction.connection.integer("SELECT count(*) FROM kv_default WHERE body IS NULL AND extra IS NULL") == 1)
        }
        let stale = try #require(first)
        #expect { try database.write { try $0.save("a", body: .emptyDictionary, parent: .revision(stale)) } } throws: {
            ($0 as? StoreError)?.code == .conflict
        }
        try database.write { transaction in
            try transaction.delete("a")
            let back = try transaction.save("a", body: transaction.encode(json: #"{"n":3}"#), parent: .none)
            #expect(back.sequence == 5 && back.isCreated)
            let counts = try transaction.bulk { bulk in
                try BulkTests.save(0..<100, 1, in: bulk, transaction)
                return bulk
            }
            #expect(counts.createdCount == 100)
        }
        try database.read { snapshot in
            try #expect(snapshot.document("a")?.revisions().vectors?.current?.version.vector.versions.count == 1)
            try #expect(snapshot.counts(of: .default).live == 102)
        }
    }

    @Test func revisionsOfOthersCompeteAndAreMerged() throws {
        let path = try Fixtures.copy("v4.x/upgraded_2.7_to_vectors.cblite2", to: directory)
        let database = try Database(path: path, options: .readWrite)
        let theirs = try RevisionHistory(parsing: "1889a6b0c0de0000@ZegpoldZegpoldZegpoldA")
        try database.write { transaction in
            let remote = try transaction.remoteID(of: "ws://example.com/db")
            // Still a tree, as 2.7 left it.
            let old = try #require(try transaction.document("doc-002"))
            try #expect(old.revision.description == "1-abcd" && old.revisions().tree != nil)
            let mine = try transaction.save("doc-002", body: transaction.encode(json: #"{"side":"local"}"#))
            let inserted = try transaction.insertExisting(
                "doc-002", history: theirs, body: transaction.encode(json: #"{"side":"remote"}"#), remote: remote)
            #expect(inserted == .conflict)
            let document = try #require(try transaction.document("doc-002"))
            try #expect(
                document.isConflicted && document.revision == mine.id && document.revisions().vectors?.legacyParent?.description == "1-abcd"
            )
            let other = try #require(theirs.revision)
            let merged = try transaction.resolveConflict(
                "doc-002", winner: other, loser: mine.id, merged: transaction.encode(json: #"{"side":"both"}"#))
            #expect(merged.id != mine.id)
        }
        try database.read { snapshot in
            let document = try #require(try snapshot.document("doc-002"))
            #expect(!document.isConflicted)
            try #expect(document.revisions().vectors?.current?.version.vector.versions.count == 3)
            #expect(document.body.withRoot { $0.json(keys: snapshot.sharedKeys) } == #"{"side":"both"}"#)
        }
    }

    @Test func aTreeThatIsInConflictIsResolved() throws {
        let path = try Fixtures.copy("v3.x/upgrade_3.1_peerCheckpoints.cblite2", to: directory)
        let database = try Database(path: path, options: .readWrite)
        let name = try CollectionName(parsing: "loopback.test")
        try database.write { transaction in
            let remote = try transaction.remoteID(of: "ws://cli/")
            #expect(remote == 1)
            let document = try #require(try transaction.document("0000001", in: name))
            let base = document.revision
            let mine = try transaction.save("0000001", in: name, body: transaction.encode(json: #"{"side":"local"}"#))
            let theirs = try RevisionID(parsing: "\(base.generation + 1)-ffff0000")
            let inserted = try transaction.insertExisting(
                "0000001", in: name, history: [theirs, base], body: transaction.encode(json: #"{"side":"remote"}"#), remote: remote)
            #expect(inserted.isConflicted && inserted.addedCount == 1)
            #expect(inserted.sequence == mine.sequence + 1)
            try transaction.resolveConflict("0000001", in: name, winner: theirs, loser: mine.id)
            try #expect(transaction.document("0000001", in: name)?.revision == theirs)
            try #expect(transaction.document("0000001", in: name)?.isConflicted == false)
        }
        // The library of this generation reads trees without a separator behind the remotes.
        let extra = try database.read { snapshot in
            let cursor = try snapshot.scan(name, ScanOptions(content: .everything))
            while try cursor.next() { if cursor.id == "0000001" { return Array(cursor.extraBytes ?? .init(start: nil, count: 0)) } }
            return []
        }
        #expect(extra.suffix(8).prefix(6).elementsEqual([0, 0, 0, 0, 0, 1]))
    }
}
