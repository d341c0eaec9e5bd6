import CBLFleece
import CBLSQLite
import CBLStore
import CBLTestSupport
import Testing

@Suite struct WritingTests {
    let directory: TemporaryDirectory
    let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path + "/new.cblite2"
    }

    @Test func aNewDatabaseHasExactlyTheSchemaOfTheSpecification() throws {
        try Database(path: path, options: .create).close()
        let connection = try Connection(path: path + "/db.sqlite3", mode: .readOnly)
        let columns =
            "key TEXT PRIMARY KEY,  sequence INTEGER,  flags INTEGER DEFAULT 0,  version BLOB,  body BLOB,  expiration INTEGER,  extra BLOB"
        var expected = [
            "CREATE TABLE kvmeta (name TEXT PRIMARY KEY, lastSeq INTEGER DEFAULT 0, purgeCnt INTEGER DEFAULT 0) WITHOUT ROWID"
        ]
        for table in ["kv_default", "kv_del_default", "kv_info"] {
            expected.append("CREATE TABLE \"\(table)\" (  \(columns))")
            expected.append("CREATE INDEX \"\(table)_expiration\" ON \"\(table)\" (expiration) WHERE expiration not null")
        }
        try #expect(connection.strings("SELECT sql FROM sqlite_master WHERE sql NOT NULL ORDER BY rowid") == expected)
        try #expect(connection.integer("PRAGMA user_version") == 503)
        try #expect(connection.integer("PRAGMA auto_vacuum") == 2)
        try #expect(connection.strings("PRAGMA journal_mode") == ["wal"])
        try #expect(
            connection.strings("SELECT key FROM kv_info ORDER BY rowid")
                == ["publicUUID", "privateUUID", "versioning", "maxRowidWithDeletedInDefault"])
        try #expect(connection.strings("SELECT hex(body) FROM kv_info WHERE key='versioning'") == ["0000000000000001"])
    }

    // From documents that the vendor's library made: `empty`, `nosave-same`, `gone`, `reborn`.
    @Test func revisionIDsAreThoseOfTheVendor() throws {
        let database = try Database(path: path, options: .create)
        try database.write { transaction in
            let empty = try transaction.save("empty", body: .emptyDictionary)
            #expect(empty.id.description == "1-a5bb2524156f3e56dcc4e5c52c73c46f82c2efb0")
            #expect(empty.sequence == 1 && empty.isCreated)
            let first = try transaction.save("x", body: transaction.encode(json: #"{"x":1}"#))
            #expect(first.id.description == "1-6f9a1fe5dfad0377e089c5e8e0afab815938295d")
            let gone = try transaction.delete("x", parent: .revision(first.id))
            #expect(gone.id.description == "2-dc8ae8fff2b5a6e692dc625c86e5968bf7370fc8")
            let reborn = try transaction.save("x", body: transaction.encode(json: #"{"x":2}"#), parent: .none)
            #expect(reborn.id.description == "3-ea61942ed31bb77f439d5cdc1ebb6fa07eb6ee4e")
            #expect(reborn.sequence == 4 && reborn.isCreated)
        }
        try database.read { snapshot in
            let document = try #require(try snapshot.document("x"))
            try #expect(document.revisions().tree?.revisions.count == 3 && !document.isDeleted)
            #expect(document.body.withRoot { $0.json(keys: snapshot.sharedKeys) } == #"{"x":2}"#)
            try #expect(snapshot.lastSequence(of: .default) == 4)
            // One row went to the tombstones, one came back.
            try #expect(snapshot.purgeCount(of: .default) == 2)
            try #expect(snapshot.counts(of: .default).live == 2)
        }
    }

    @Test func aStaleParentIsAConflict() throws {
        let database = try Database(path: path, options: .create)
        let first = try database.write { try $0.save("a", body: $0.encode(json: #"{"n":1}"#)) }
        try database.write { try $0.save("a", body: $0.encode(json: #"{"n":2}"#), parent: .revision(first.id)) }
        #expect { try database.write { try $0.save("a", body: $0.encode(json: #"{"n":3}"#), parent: .revision(first.id)) } } throws: {
            ($0 as? StoreError)?.code == .conflict
        }
        #expect { try database.write { try $0.save("a", body: $0.encode(json: #"{"n":3}"#), parent: .none) } } throws: {
            ($0 as? StoreError)?.code == .conflict
        }
        #expect { try database.write { try $0.delete("a", parent: .revision(first.id)) } } throws: {
            ($0 as? StoreError)?.code == .conflict
        }
        #expect { try database.write { try $0.delete("b") } } throws: { ($0 as? StoreError)?.code == .notFound }
        try database.write { try $0.save("a", body: $0.encode(json: #"{"n":4}"#)) }
        try database.read { try #expect($0.lastSequence(of: .default) == 3) }
    }

    @Test func whatAFailedTransactionDidIsForgotten() throws {
        struct Stop: Error {}
        let database = try Database(path: path, options: .create)
        #expect(throws: Stop.self) {
            try database.write { transaction in
                try transaction.save("a", body: transaction.encode(json: #"{"wrong":1}"#))
                throw Stop()
            }
        }
        try database.write { transaction in
            #expect(transaction.sharedKeys.count == 0)
            try #expect(transaction.document("a") == nil)
            try #expect(transaction.save("b", body: transaction.encode(json: #"{"right":1}"#)).sequence == 1)
        }
        try database.read { #expect($0.sharedKeys.index(ofKey: "right") == 0) }
    }

    @Test(arguments: [#"{"_id":"x"}"#, #"{"_rev":1}"#, #"{"_deleted":true}"#, #"{"":1}"#, "[1]", "7"]) func badBodiesAreRefused(
        _ json: String
    ) throws {
        let database = try Database(path: path, options: .create)
        #expect { try database.write { try $0.save("a", body: $0.encode(json: json)) } } throws: {
            ($0 as? StoreError)?.code == .invalidDocument
        }
    }

    @Test(arguments: ["", "_a", "a\u{1}", "a\0", String(repeating: "x", count: 241)]) func badIDsAreRefused(_ id: String) throws {
        let database = try Database(path: path, options: .create)
        #expect { try database.write { try $0.save(id, body: .emptyDictionary) } } throws: { ($0 as? StoreError)?.code == .invalidDocument }
    }

    @Test func twoOpenDatabasesSeeEachOthersChanges() throws {
        let one = try Database(path: path, options: .create)
        let two = try Database(path: path, options: .readWrite)
        for n in 0..<10 {
            let (first, second) = n.isMultiple(of: 2) ? (one, two) : (two, one)
            try first.write { try $0.save("d\(n)", body: $0.encode(json: "{\"key\(n)\":\(n)}")) }
            try second.read { snapshot in
                let document = try #require(try snapshot.document("d\(n)"))
                #expect(document.sequence == UInt64(n + 1))
                #expect(document.body.withRoot { $0.json(keys: snapshot.sharedKeys) } == "{\"key\(n)\":\(n)}")
            }
        }
    }
}
