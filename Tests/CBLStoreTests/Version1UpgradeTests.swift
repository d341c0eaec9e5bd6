import CBLFleece
import CBLSQLite
import CBLStore
import CBLTestSupport
import FoundationEssentials
import Testing

/// Databases of 1.x, made into such as successors write.
@Suite struct Version1UpgradeTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private var target: String { directory.path + "/new.cblite2" }

    @discardableResult
    private func upgrade(_ path: String) throws -> [StoreError] {
        let database = try Database(path: path)
        defer { database.close() }
        let before = try ReadOnlyTests.state(of: database.path)
        let omitted = try database.copy(to: target)
        try #expect(ReadOnlyTests.state(of: database.path) == before)
        let new = try Database(path: target)
        defer { new.close() }
        try new.read { snapshot in
            #expect(snapshot.generation == .newest)
            let summary = try Checker(snapshot) { Issue.record("\($0.document ?? ""): \($0.message)") }.run()
            #expect(summary.problems == 0)
        }
        return omitted
    }

    @Test(.enabled(if: Fixtures.arePresent, Comment(rawValue: Fixtures.absence)))
    func theResultIsThatOfTheVendorsUpgrade() throws {
        try upgrade(Fixtures.path("v1.x/ios130/iosdb.cblite2"))
        let columns = "rowid, key, sequence, flags, hex(version), hex(body), expiration"
        func rows(_ path: String) throws -> [[String?]] {
            try RawDatabase(path + "/db.sqlite3").rows("SELECT \(columns) FROM kv_default ORDER BY rowid")
        }
        let copy = try Fixtures.copy("v4.x/upgraded_1.3_by_4.1.cblite2", to: directory)
        try #expect(rows(target) == rows(copy))
        let (ours, theirs) = (try Database(path: target), try Database(path: copy))
        for id in ["doc1", "doc2"] {
            func tree(_ database: Database) throws -> [String] {
                try database.read { snapshot in
                    guard case .tree(let tree)? = try snapshot.document(id)?.revisions() else { return [] }
                    return tree.revisions.map { "\($0.id) \($0.parent ?? -1) \($0.flags.rawValue) \($0.sequence)" }
                }
            }
            try #expect(tree(ours) == tree(theirs))
        }
        try #expect(Set(ours.blobs.list()) == Set(theirs.blobs.list()))
    }

    @Test(.enabled(if: Fixtures.arePresent, Comment(rawValue: Fixtures.absence)), arguments: Version1ReadingTests.fixtures)
    func whatReleasesWroteIsCarriedOver(_ fixture: String) throws {
        let path = try Fixtures.copy(fixture + ".cblite2", to: directory)
        try #expect(upgrade(path).isEmpty)
        let (old, new) = (try Database(path: path), try Database(path: target))
        func facts(_ database: Database) throws -> [String] {
            try database.read { snapshot in
                try ["doc1", "doc2"].map { id in
                    let document = try #require(try snapshot.document(id))
                    return
                        "\(document.revision) \(document.flags) \(document.body.withRoot { $0.json(keys: snapshot.sharedKeys, style: .canonical) })"
                } + snapshot.rawDocumentKeys(in: LocalDocuments.keyStore)
            }
        }
        try #expect(facts(old) == facts(new))
        try #expect(new.blobs.list().count == 2)
    }

    @Test func theWholeTreeComesAlong() throws {
        let file = try Version1File(at: directory.path + "/old.cblite2")
        let root = try file.add("doc", "1-aa", #"{"n":1}"#, isCurrent: false)
        try file.add("doc", "2-bb", #"{"n":2}"#, after: root)
        try file.add("doc", "2-cc", #"{"n":3,"deep":{"a":[1]}}"#, after: root)
        try file.add("doc", "2-dd", nil, after: root, isDeleted: true)
        let live = try file.add("gone", "1-aa", #"{"n":4}"#, isCurrent: false)
        try file.add("gone", "2-bb", "{}", after: live, isDeleted: true)
        try file.add("plain", "1-ff", #"{"n":5}"#)
        try file.add("nothing", "1-ff", nil)
        try file.database.execute("UPDATE docs SET expiry_timestamp=1800000000 WHERE docid='plain'")
        try file.database.execute("INSERT INTO info VALUES ('checkpoint/abcd', '17')")
        try file.database.execute("INSERT INTO localdocs VALUES ('_local/x', '3-local', '{\"a\":1}')")
        try file.add("_design/views", "1-aa", #"{"views":{}}"#)
        try file.add("_other", "1-aa", #"{"n":1}"#)
        let omitted = try upgrade(file.path)
        #expect(omitted.count == 1 && omitted[0].message.contains("\"_other\""))
        let database = try Database(path: target)
        try database.read { snapshot in
            let document = try #require(try snapshot.document("doc"))
            #expect(document.flags == .conflicted)
            guard case .tree(let tree) = try document.revisions() else { return #expect(Bool(false)) }
            #expect(tree.revisions.map(\.id.description) == ["2-cc", "2-dd", "2-bb", "1-aa"])
            let bodies = tree.revisions.map { $0.body?.withRoot { $0.json(keys: snapshot.sharedKeys) } }
            #expect(bodies == [#"{"n":3,"deep":{"a":[1]}}"#, nil, #"{"n":2}"#, #"{"n":1}"#])
            #expect(tree.conflicts.map(\.isConflict) == [true])
            try #expect(snapshot.document("gone")?.isDeleted == true)
            try #expect(snapshot.counts(of: .default).deleted == 1)
            try #expect(snapshot.document("plain")?.expiration == 1_800_000_000_000)
            let nothing = try #require(try snapshot.document("nothing"))
            #expect(nothing.body.withRoot { $0.json() } == "{}")
            try #expect(snapshot.lastSequence(of: .default) == 4)
            try #expect(snapshot.rawDocument("x", in: LocalDocuments.keyStore)?.body == Array(#"{"a":1}"#.utf8))
            try #expect(snapshot.designDocumentNames() == ["views"])
            try #expect(snapshot.designDocument("views") == Array(#"{"views":{}}"#.utf8))
            try #expect(snapshot.rawDocument("checkpoint/abcd", in: "_version1")?.body == Array("17".utf8))
        }
    }

    @Test func aFileOf10BecomesABundleWithBlobs() throws {
        let file = try Version1File(at: directory.path + "/old.cblite", .file)
        try file.add("doc", "1-aa", #"{"n":1}"#)
        try file.addAttachment("3F58B9908FECA2CABBE39FFD04347B9048212A9B.blob", Array("attach1".utf8))
        try file.database.execute(
            "INSERT INTO attachments VALUES (1, 'a', x'3F58B9908FECA2CABBE39FFD04347B9048212A9B', 'text/plain', 7, 1, 0, NULL)")
        let database = try Database(path: file.path)
        try #expect(database.copy(to: target).isEmpty)
        let new = try Database(path: target)
        try new.read { snapshot in
            let json = try snapshot.document("doc")?.body.withRoot { $0.json(keys: snapshot.sharedKeys) }
            #expect(json?.contains(#""_attachments":{"a":{"#) == true)
            try #expect(snapshot.document("doc")?.flags == .hasAttachments)
        }
        try #expect(new.blobs.list().map(\.description) == ["sha1-P1i5kI/sosq745/9BDR7kEghKps="])
        #expect(throws: StoreError.self) { try Database.upgradeVersion1(at: file.path, keepingOldAt: nil) }
    }

    @Test func inItsPlaceItKeepsItsIdentityAndTheOldOne() throws {
        let file = try Version1File(at: directory.path + "/old.cblite2")
        try file.add("doc", "1-aa", #"{"n":1}"#)
        try file.addAttachment("3F58B9908FECA2CABBE39FFD04347B9048212A9B.blob", Array("attach1".utf8))
        let identity = try Database(path: file.path).read { $0.publicUUID }
        let kept = directory.path + "/kept.cblite2"
        try #expect(Database.upgradeVersion1(at: file.path, keepingOldAt: kept) == [])
        let (new, old) = (try Database(path: file.path), try Database(path: kept))
        try new.read { snapshot in
            #expect(snapshot.publicUUID == identity && snapshot.generation == .newest)
            try #expect(snapshot.document("doc") != nil)
        }
        try #expect(old.isVersion1)
        // A second time there is nothing to do.
        try #expect(Database.upgradeVersion1(at: file.path, keepingOldAt: nil) == nil)
        old.close()
        new.close()
        // Without a name for it, the old one goes.
        try #expect(Database.upgradeVersion1(at: kept, keepingOldAt: nil) == [])
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(Set(names) == ["old.cblite2", "kept.cblite2"])
        try #expect(!Set(FileManager.default.contentsOfDirectory(atPath: kept)).contains("attachments"))
    }

    @Test func whatIsStoppedChangesNothing() throws {
        struct Stop: Error {}
        let file = try Version1File(at: directory.path + "/old.cblite2")
        try file.database.execute("BEGIN")
        for number in 0..<2000 { try file.add("doc\(number)", "1-aa", "{}") }
        try file.database.execute("COMMIT")
        let before = try ReadOnlyTests.state(of: file.path)
        #expect(throws: Stop.self) {
            try Database.upgradeVersion1(at: file.path, keepingOldAt: directory.path + "/kept.cblite2") { _, _ in throw Stop() }
        }
        try #expect(ReadOnlyTests.state(of: file.path) == before)
        try #expect(FileManager.default.contentsOfDirectory(atPath: directory.path) == ["old.cblite2"])
    }
}
