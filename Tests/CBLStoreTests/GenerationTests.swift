import CBLFleece
import CBLSQLite
import CBLStore
import CBLTestSupport
import Testing

/// Files of every generation are written as what they are, and upgraded when asked.
@Suite struct GenerationTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// ID, revision, sequence, flags and body of every document.
    static func contents(_ database: Database) throws -> [String: String] {
        try database.read { snapshot in
            var contents: [String: String] = [:]
            for name in snapshot.collections() {
                var options = ScanOptions(content: .everything)
                options.includesDeleted = true
                let cursor = try snapshot.scan(name, options)
                while try cursor.next() {
                    let document = try cursor.document()
                    let body = document.body.withRoot { $0.json(keys: snapshot.sharedKeys, style: .canonical) }
                    contents["\(name) \(document.id)"] = "\(document.revision) \(document.sequence) \(document.flags.rawValue) \(body)"
                }
            }
            return contents
        }
    }

    static let bundles =
        SoundBundle.own.filter { !$0.testDescription.contains("vectors") }
        + SoundBundle.fixtures(
            [
                "v2.x/upgrade_2.7": 302, "v2.x/upgrade_2.8": 302, "v3.x/db_3_0_0_names_100_with_deleted": 400, "v3.x/words_db": 500,
                "v3.x/upgrade_3.1_peerCheckpoints": 500, "v4.x/upgraded_1.3_by_4.1": 503, "v4.x/upgraded_3.0_by_4.1": 503,
            ] as KeyValuePairs)

    @Test(arguments: bundles) func aFileStaysOfItsGeneration(_ bundle: SoundBundle) throws {
        let path = try bundle.make(in: directory)
        let generation = try #require(bundle.generation)
        let before = try Self.contents(Database(path: path))
        let schema = try Connection(path: path + "/db.sqlite3", mode: .readOnly, parameters: ["immutable=1"]).strings(
            "SELECT sql FROM sqlite_master")
        var revisions: [String] = []
        do {
            let database = try Database(path: path, options: .readWrite)
            try database.write { transaction in
                let last = try transaction.lastSequence(of: .default)
                let one = try transaction.save("zz-new", body: transaction.encode(json: #"{"new key":1,"newKey":2}"#))
                let two = try transaction.save("zz-new", body: transaction.encode(json: #"{"newKey":3}"#))
                let gone = try transaction.delete("zz-new")
                let back = try transaction.save("zz-new", body: transaction.encode(json: #"{"newKey":4}"#))
                try transaction.save("zz-dead", body: .emptyDictionary)
                try transaction.delete("zz-dead")
                revisions = [back, gone, two, one].map(\.id.description)
                #expect(back.sequence == last + 4)
            }
            database.close()
        }
        let connection = try Connection(path: path + "/db.sqlite3", mode: .readOnly)
        try #expect(connection.integer("PRAGMA user_version") == Int64(generation))
        try #expect(
            connection.strings("SELECT sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_stat%'")
                == schema.filter { !$0.contains("sqlite_stat") })

        let database = try Database(path: path)
        let problems = try database.read { try $0.integrityProblems() }
        #expect(problems == [])
        try database.read { snapshot in
            let document = try #require(try snapshot.document("zz-new"))
            try #expect(document.revisions().tree?.history(of: 0).map(\.description) == revisions)
            #expect(document.body.withRoot { $0.json(keys: snapshot.sharedKeys) } == #"{"newKey":4}"#)
            try #expect(snapshot.document("zz-dead")?.isDeleted == true)
        }
        var after = try Self.contents(database)
        after["_default zz-new"] = nil
        after["_default zz-dead"] = nil
        #expect(after == before)
    }

    @Test(arguments: bundles) func anUpgradeKeepsEveryDocument(_ bundle: SoundBundle) throws {
        let path = try bundle.make(in: directory)
        let before = try Self.contents(Database(path: path))
        try Database(path: path, options: .init(access: .readWrite, upgrade: .newest)).close()
        let database = try Database(path: path)
        try #expect(Self.contents(database) == before)
        try database.read { snapshot in
            #expect(snapshot.generation == .newest && snapshot.versioning == .trees)
            let deleted = try snapshot.counts(of: .default).deleted
            try #expect(snapshot.connection.integer("SELECT count(*) FROM kv_del_default") == Int64(deleted))
            try #expect(snapshot.connection.integer("SELECT count(*) FROM kv_default WHERE flags & 1") == 0)
            try #expect(snapshot.connection.integer("SELECT count(*) FROM kv_del_default WHERE typeof(expiration) = 'blob'") == 0)
        }
    }

    @Test(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)")) func damagedTombstonesAreRepairedWhenOpenedForWriting() throws {
        let path = try Fixtures.copy("v4.x/upgraded_3.0_by_4.1.cblite2", to: directory)
        try Database(path: path, options: .readWrite).close()
        let connection = try Connection(path: path + "/db.sqlite3", mode: .readOnly)
        try #expect(connection.integer("SELECT count(*) FROM kv_del_default WHERE typeof(expiration) = 'blob' OR extra IS NULL") == 0)
    }

    @Test func twoWayMovesOfAnUpgradedDatabaseKeepExpirations() throws {
        let path = directory.path + "/new.cblite2"
        let database = try Database(path: path, options: .create)
        try database.write { transaction in
            try transaction.save("a", body: .emptyDictionary)
            try #expect(transaction.setExpiration("a", Transaction.now + 1_000_000))
            try transaction.delete("a")
        }
        try database.read { try #expect($0.document("a")?.expiration != nil) }
        try database.write { transaction in
            try transaction.save("a", body: .emptyDictionary)
            try transaction.setExpiration("a", Transaction.now - 1)
            try #expect(transaction.purgeExpired() == 1)
            try #expect(transaction.document("a") == nil)
            try #expect(transaction.purgeCount(of: .default) == 2)
        }
    }
}
