import CBLFleece
import CBLSQLite
import CBLStore
import CBLTestSupport
import FoundationEssentials
import Testing

/// Databases of 1.x, as everything reads them that reads databases.
@Suite struct Version1ReadingTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    static func json(_ document: Document?) -> String? { document?.body.withRoot { $0.json(keys: nil) } }

    private func bundle() throws -> Version1File { try Version1File(at: directory.path + "/old.cblite2") }

    static let fixtures = [
        "v1.x/android120/androiddb", "v1.x/android130/androiddb", "v1.x/ios120/iosdb", "v1.x/ios130/iosdb", "v1.x/ios140/iosdb",
        "v1.x/net120/netdb", "v1.x/net130/netdb",
    ]

    @Test(.enabled(if: Fixtures.arePresent, Comment(rawValue: Fixtures.absence)), arguments: fixtures)
    func whatReleasesWroteIsReadAndLeftAsItIs(_ fixture: String) throws {
        let path = try Fixtures.copy(fixture + ".cblite2", to: directory)
        let before = try ReadOnlyTests.state(of: path)
        do {
            let database = try Database(path: path)
            defer { database.close() }
            try database.read { snapshot in
                #expect(snapshot.generation.isVersion1)
                try #expect(snapshot.counts(of: .default).live == 2)
                try #expect(snapshot.lastSequence(of: .default) == 4)
                #expect(snapshot.publicUUID != nil && snapshot.privateUUID != nil)
                let document = try #require(try snapshot.document("doc1"))
                #expect(document.flags == .hasAttachments)
                #expect(document.sequence == 2)
                guard case .tree(let tree) = try document.revisions() else { return #expect(Bool(false)) }
                #expect(tree.revisions.map(\.id.generation) == [2, 1])
                #expect(tree.revisions[1].parent == nil && tree.revisions[0].parent == 1)
                let digests = document.body.withRoot { root in
                    var digests: [String] = []
                    BlobReferences.forEach(in: root, nil) { digest, _ in digests.append(digest) }
                    return digests
                }
                let digest = try #require(digests.first.flatMap { BlobDigest($0) })
                try database.blobs.check(digest)
                try #expect(snapshot.rawDocumentKeys(in: LocalDocuments.keyStore) == ["local1"])
            }
            try #expect(ReadOnlyTests.readEverything(path) == 4)
            let summary = try database.read { snapshot in try Checker(snapshot) { Issue.record("\($0.message)") }.run() }
            #expect(summary.documents == 2 && summary.blobs == 2)
        }
        try #expect(ReadOnlyTests.state(of: path) == before)
    }

    @Test func aConflictHasItsWinnerByTheRuleOf1x() throws {
        let file = try bundle()
        let root = try file.add("doc", "1-aa", #"{"n":1}"#, isCurrent: false)
        try file.add("doc", "2-bb", #"{"n":2}"#, after: root)
        try file.add("doc", "2-cc", #"{"n":3}"#, after: root)
        try file.add("doc", "2-dd", nil, after: root, isDeleted: true)
        // By number, not by text.
        try file.add("ten", "9-ff", #"{"n":9}"#)
        try file.add("ten", "10-00", #"{"n":10}"#)
        let database = try Database(path: file.path)
        try database.read { snapshot in
            let document = try #require(try snapshot.document("doc"))
            #expect(document.flags == .conflicted)
            #expect(Self.json(document) == #"{"n":3}"#)
            guard case .tree(let tree) = try document.revisions() else { return #expect(Bool(false)) }
            #expect(tree.revisions.map(\.id.description) == ["2-cc", "2-dd", "2-bb", "1-aa"])
            #expect(tree.conflicts.map(\.id.description) == ["2-bb"])
            #expect(tree.revisions[1].flags.contains([.deleted, .closed]))
            #expect(tree.revisions[2].body?.withRoot { $0.json() } == #"{"n":2}"#)
            try #expect(Self.json(snapshot.document("ten")) == #"{"n":10}"#)
        }
    }

    @Test func deletedDocumentsAndTheirBranchesAreTold() throws {
        let file = try bundle()
        let root = try file.add("gone", "1-aa", #"{"n":1}"#, isCurrent: false)
        try file.add("gone", "2-bb", "{}", after: root, isDeleted: true)
        try file.add("there", "1-cc", #"{"n":2}"#)
        let database = try Database(path: file.path)
        try database.read { snapshot in
            let counts = try snapshot.counts(of: .default)
            #expect(counts.live == 1 && counts.deleted == 1)
            var options = ScanOptions(order: .sequence)
            var cursor = try snapshot.scan(.default, options)
            try #expect(cursor.next() && cursor.id == "there")
            try #expect(!cursor.next())
            options.onlyDeleted = true
            cursor = try snapshot.scan(.default, options)
            try #expect(cursor.next() && cursor.id == "gone" && cursor.isDeleted)
        }
    }

    @Test func whatSuccessorsCannotNameGetsANameOfItsOwn() throws {
        let file = try bundle()
        try file.add("odd", "3-notHex", #"{"n":1}"#)
        try file.add("bare", "nothing", #"{"n":1}"#)
        let database = try Database(path: file.path)
        try database.read { snapshot in
            let odd = try #require(try snapshot.document("odd"))
            #expect(odd.revision.generation == 3)
            #expect(odd.revision.withDigest(\.count) == 20)
            try #expect(snapshot.document("bare")?.revision.generation == 1)
        }
    }

    @Test(arguments: [
        (#"{"n":1"#, "{}"), ("", "{}"), ("[1]", "{}"), ("{}", "{}"), ("null", "{}"), (#"{"n":1} x"#, "{}"),
        (#" {"a":[1,2.5,null]} "#, #"{"a":[1,2.5,null]}"#),
    ]) func aBodyThatIsNoneIsEmpty(_ json: String, _ expected: String) throws {
        let file = try bundle()
        try file.add("doc", "1-aa", json)
        let database = try Database(path: file.path)
        try database.read { try #expect(Self.json($0.document("doc")) == expected) }
    }

    @Test func treesThatCannotBeRightAreReadAllTheSame() throws {
        let file = try bundle()
        // Two that are each other's parents, one of a parent that is not there, a leaf with a child, and one that nothing follows.
        let one = try file.add("loop", "2-aa", "{}", isCurrent: false)
        let two = try file.add("loop", "3-bb", #"{"n":1}"#, after: one)
        try file.database.execute("UPDATE revs SET parent=\(two) WHERE sequence=\(one)")
        try file.add("orphan", "2-aa", #"{"n":2}"#, after: 4711)
        let leaf = try file.add("child", "1-aa", #"{"n":3}"#)
        try file.add("child", "2-bb", #"{"n":4}"#, after: leaf)
        try file.add("stray", "1-aa", #"{"n":5}"#)
        try file.add("stray", "2-bb", #"{"n":6}"#, isCurrent: false)
        try file.add("none", "1-aa", #"{"n":7}"#, isCurrent: false)
        let database = try Database(path: file.path)
        var found: [String] = []
        try database.read { snapshot in
            for (id, json) in [("loop", #"{"n":1}"#), ("orphan", #"{"n":2}"#), ("child", #"{"n":4}"#), ("stray", #"{"n":5}"#)] {
                let document = try #require(try snapshot.document(id))
                #expect(Self.json(document) == json)
                guard case .tree(let tree) = try document.revisions() else { return #expect(Bool(false)) }
                try tree.checkInvariants()
            }
            try #expect(snapshot.document("none") == nil)
            _ = try Checker(snapshot) { found.append("\($0.document ?? ""): \($0.message)") }.run()
        }
        for message in [
            "loop: revision 2-aa is not later than its parent, 3-bb",
            "orphan: the parent of revision 2-aa, sequence 4711, is none of its revisions",
            "child: revision 1-aa is marked as a leaf, but others follow it",
            "stray: revision 2-bb is not marked as a leaf, but none follows it: it may be the winner",
            "none: none of its revisions is marked as a leaf, so that it is not there",
        ] {
            #expect(found.contains(message), "\(found)")
        }
    }

    @Test func aFileOf10IsReadWithItsAttachments() throws {
        let file = try Version1File(at: directory.path + "/old.cblite", .file)
        let content = Array("attach1".utf8)
        // The SHA-1 of the content; Android wrote lower-case names.
        let digest = "3f58b9908feca2cabbe39ffd04347b9048212a9b"
        let sequence = try file.add("doc", "1-aa", #"{"n":1}"#)
        try file.add("empty", "1-bb", "{}")
        try file.addAttachment(digest + ".blob", content)
        let key = stride(from: 0, to: 40, by: 2).compactMap { UInt8(digest.dropFirst($0).prefix(2), radix: 16) }
        for document in [sequence, sequence + 1] {
            try file.database.rows(
                "INSERT INTO attachments VALUES (?, 'a \"name\"', ?, 'text/plain', 7, 1, 0, NULL)",
                [.integer(Int64(document)), .bytes(key)])
        }
        try file.database.execute("INSERT INTO replicators VALUES ('abcd', 1, '17')")
        let attachments =
            #""_attachments":{"a \"name\"":{"content_type":"text/plain","digest":"sha1-P1i5kI/sosq745/9BDR7kEghKps=","length":7,"revpos":1,"stub":true}}"#
        for path in [file.path, directory.path + "/link.cblite"] {
            if path != file.path { try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "old.cblite") }
            let database = try Database(path: path)
            try database.read { snapshot in
                let document = try #require(try snapshot.document("doc"))
                #expect(document.flags == .hasAttachments)
                #expect(Self.json(document) == "{\(attachments),\"n\":1}")
                try #expect(Self.json(snapshot.document("empty")) == "{\(attachments)}")
                try database.blobs.check(#require(BlobDigest("sha1-P1i5kI/sosq745/9BDR7kEghKps=")))
                try #expect(snapshot.rawDocument("abcd", in: "checkpoints")?.body == Array("17".utf8))
                let summary = try Checker(snapshot) { Issue.record("\($0.message)") }.run()
                #expect(summary.documents == 2 && summary.blobs == 1)
            }
        }
    }

    @Test func expirationsAreInMilliseconds() throws {
        let file = try bundle()
        try file.add("doc", "1-aa", "{}")
        try file.add("stays", "1-aa", "{}")
        try file.database.execute("UPDATE docs SET expiry_timestamp=1800000000 WHERE docid='doc'")
        let database = try Database(path: file.path)
        try database.read { snapshot in
            try #expect(snapshot.document("doc")?.expiration == 1_800_000_000_000)
            try #expect(snapshot.nextExpiration(of: .default) == 1_800_000_000_000)
            try #expect(snapshot.expiringCount(of: .default) == 1)
        }
    }

    @Test func aLogThatWasLeftIsReadAndLeft() throws {
        let path = directory.path + "/copy.cblite2"
        do {
            let file = try Version1File(at: directory.path + "/old.cblite2", hasLog: true)
            try file.add("doc", "1-aa", #"{"n":1}"#)
            try FileManager.default.copyItem(atPath: file.path, toPath: path)
            try FileManager.default.removeItem(atPath: path + "/db.sqlite3-shm")
        }
        let before = try ReadOnlyTests.state(of: path)
        #expect(before["db.sqlite3-wal"] != nil)
        do {
            let database = try Database(path: path)
            try database.read { try #expect(Self.json($0.document("doc")) == #"{"n":1}"#) }
        }
        try #expect(ReadOnlyTests.state(of: path) == before)
    }

    @Test func nothingCanBeWritten() throws {
        let file = try bundle()
        try file.add("doc", "1-aa", "{}")
        for options in [Database.Options.readWrite, .create] {
            #expect { try Database(path: file.path, options: options) } throws: { ($0 as? StoreError)?.code == .version1 }
        }
    }

    @Test func otherTablesAndStoragesAreNamed() throws {
        let file = try bundle()
        try file.database.execute("ALTER TABLE revs ADD COLUMN more INTEGER AS (abs(sequence)) VIRTUAL")
        #expect { try Database(path: file.path) } throws: { ($0 as? StoreError)?.code == .foreignSchema }
        try file.database.execute("DROP TABLE revs")
        #expect { try Database(path: file.path) } throws: { ($0 as? StoreError)?.code == .notADatabase }
        let forest = directory.path + "/forest.cblite2"
        try FileManager.default.createDirectory(atPath: forest, withIntermediateDirectories: true)
        try Data("x".utf8).write(to: URL(filePath: forest + "/db.forest.0"))
        #expect { try Database(path: forest) } throws: { ($0 as? StoreError)?.message.contains("ForestDB") == true }
    }
}
