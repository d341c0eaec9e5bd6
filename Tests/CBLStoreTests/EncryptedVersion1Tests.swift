import CBLBase
import CBLSystemNettle
import CBLTestSupport
import FoundationEssentials
import Glibc
import Testing

@testable import CBLSQLite
@testable import CBLStore

/// 1.x databases that the program `sqlcipher` has encrypted, against the same ones without encryption.
@Suite(.enabled(if: EncryptedVersion1File.canBeMade, Comment(rawValue: EncryptedVersion1File.absence)))
struct EncryptedVersion1Tests {
    private let directory: TemporaryDirectory
    private let key = EncryptionKey(password: "password123")
    private var hex: String { key.withBytes { Hex.text(of: $0) } }

    init() throws { directory = try TemporaryDirectory(inMemory: true) }

    private struct Pair {
        let plain: String
        let encrypted: String
        let main: String
    }

    private static let attachment = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 7) }

    /// Two databases with the same documents, of which the second is encrypted.
    private func pair(_ layout: Version1File.Layout = .bundle, _ statements: String = "") throws -> Pair {
        let ending = layout == .bundle ? ".cblite2" : ".cblite"
        let (plain, encrypted) = (directory.path + "/plain" + ending, directory.path + "/encrypted" + ending)
        do {
            let file = try Version1File(at: plain, layout)
            let root = try file.add("doc", "1-aa", #"{"n":1,"text":"Schön"}"#, isCurrent: false)
            try file.add("doc", "2-bb", #"{"n":[1,2,{"a":null}]}"#, after: root)
            try file.add("doc", "2-cc", #"{"n":3}"#, after: root)
            try file.add("gone", "1-dd", nil, isDeleted: true)
            for number in 0..<200 {
                try file.add("many\(number)", "1-ee", #"{"n":\#(number),"text":"\#(String(repeating: "x", count: 99))"}"#)
            }
            let digest = Self.attachment.withUnsafeBytes { SHA1.digest(of: $0) }
            if layout == .bundle {
                let stub = #"{"content_type":"a/b","digest":"sha1-\#(digest.base64)","length":1000,"revpos":1,"stub":true}"#
                try file.add("attached", "1-ff", #"{"_attachments":{"a":\#(stub)}}"#)
            } else {
                try file.add("attached", "1-ff", "{}")
                try file.database.execute(
                    "INSERT INTO attachments SELECT sequence, 'a', x'\(digest.hex)', 'a/b', 1000, 1, 0, NULL FROM revs WHERE revid='1-ff'")
            }
            try file.database.execute("INSERT INTO localdocs VALUES ('_local/x', '1-local', '{\"a\":1}')")
            try file.addAttachment(digest.hex.uppercased() + ".blob", Self.attachment)
        }
        if layout == .bundle { try FileManager.default.createDirectory(atPath: encrypted, withIntermediateDirectories: false) }
        let part = layout == .bundle ? "/db.sqlite3" : ""
        try EncryptedVersion1File.make(of: plain + part, at: encrypted + part, key: hex, statements)
        if layout == .file { try RawDatabase(plain).execute("PRAGMA user_version=102") }
        try encryptAttachments(
            layout == .bundle ? plain + "/attachments" : directory.path + "/plain attachments",
            layout == .bundle ? encrypted + "/attachments" : directory.path + "/encrypted attachments")
        return Pair(plain: plain, encrypted: encrypted, main: encrypted + part)
    }

    private func encryptAttachments(_ source: String, _ target: String) throws {
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: false)
        try Data("AES".utf8).write(to: URL(filePath: target + "/_encryption"))
        for name in try FileManager.default.contentsOfDirectory(atPath: source) {
            let content = try Array(Data(contentsOf: URL(filePath: source + "/" + name)))
            try Data(encrypted(content)).write(to: URL(filePath: target + "/" + name))
        }
    }

    /// As 1.x encrypts what is attached, block by block.
    private func encrypted(_ content: [UInt8]) -> [UInt8] {
        var context = aes256_ctx()
        key.withBytes { nettle_aes256_set_encrypt_key(&context, $0.baseAddress?.assumingMemoryBound(to: UInt8.self)) }
        var result = (0..<16).map { UInt8($0 * 11) }
        let count = 16 - content.count % 16
        let padded = content + [UInt8](repeating: UInt8(count), count: count)
        for start in stride(from: 0, to: padded.count, by: 16) {
            let block = zip(padded[start..<start + 16], result.suffix(16)).map { $0 ^ $1 }
            var output = [UInt8](repeating: 0, count: 16)
            nettle_aes256_encrypt(&context, 16, &output, block)
            result += output
        }
        return result
    }

    private func opened(_ path: String, _ key: EncryptionKey?, _ access: Database.Options.Access = .readOnly) throws -> Database {
        var options = Database.Options(access: access)
        options.key = key
        return try Database(path: path, options: options)
    }

    /// Everything that can be asked of a database.
    private func facts(_ database: Database) throws -> [String] {
        try database.read { snapshot in
            var facts: [String] = []
            for order in [ScanOptions.Order.id, .sequence] {
                var options = ScanOptions(order: order, content: .everything)
                options.includesDeleted = true
                let cursor = try snapshot.scan(.default, options)
                while try cursor.next() {
                    let document = try cursor.document()
                    let json = document.body.withRoot { $0.json(keys: snapshot.sharedKeys, style: .canonical) }
                    facts.append(
                        "\(document.id) \(document.revision) \(document.flags) \(document.sequence) \(json) \(try document.revisions())")
                }
            }
            for store in snapshot.rawStores() { facts += try snapshot.rawDocumentKeys(in: store).map { "\(store) \($0)" } }
            let summary = try Checker(snapshot) { facts.append("\($0.severity) \($0.message)") }.run()
            facts.append("\(summary)")
            facts += try database.blobs.list().map { "\($0) \(database.blobs.size(of: $0) ?? -1)" }.sorted()
            return facts
        }
    }

    @Test(arguments: [Version1File.Layout.bundle, .file]) func itHasWhatThePlainOneHas(_ layout: Version1File.Layout) throws {
        let pair = try pair(layout)
        let before = try ReadOnlyTests.state(of: directory.path)
        let (plain, encrypted) = (try opened(pair.plain, nil), try opened(pair.encrypted, key))
        let facts = try self.facts(encrypted)
        #expect(facts.count > 400)
        try #expect(facts == self.facts(plain))
        #expect(encrypted.isEncrypted && !plain.isEncrypted)
        // A second one, while the first is open, and one by the key that the password stands for.
        let bytes = try #require(Hex.bytes(of: hex)).withUnsafeBytes { EncryptionKey($0) }
        try #expect(self.facts(opened(pair.encrypted, bytes)) == facts)
        try #expect(encrypted.read { try $0.storageSpace(readsAll: true).bytes } > 0)
        plain.close()
        encrypted.close()
        try #expect(ReadOnlyTests.state(of: directory.path) == before)
    }

    @Test func whatDoesNotFitIsToldAtOnce() throws {
        let pair = try pair()
        func code(_ path: String, _ access: Database.Options.Access, _ key: EncryptionKey?) -> StoreError.Code? {
            (#expect(throws: StoreError.self) { try opened(path, key, access) })?.code
        }
        for access in [Database.Options.Access.readOnly, .readWrite, .create] {
            #expect(code(pair.encrypted, access, EncryptionKey(password: "other")) == .wrongKey)
            #expect(code(pair.encrypted, access, key.forAES128) == .wrongKey)
            #expect(code(pair.encrypted, access, nil) == .needsKey)
            #expect(code(pair.plain, access, key) == .wrongKey)
        }
        #expect(code(pair.encrypted, .readWrite, key) == .version1)
        let other = try opened(pair.encrypted, key)
        #expect(code(pair.encrypted, .readOnly, EncryptionKey(password: "other")) == .wrongKey)
        other.close()
        #expect(throws: StoreError.self) { try Salvage(from: pair.encrypted, to: directory.path + "/new.cblite2") { _ in }.run() }
    }

    @Test func theOlderDerivationIsTriedAsWell() throws {
        let older = EncryptionKey(password: "password123", .sha1).withBytes { Hex.text(of: $0) }
        let pair = try pair()
        let main = directory.path + "/older.cblite2/db.sqlite3"
        try FileManager.default.createDirectory(atPath: directory.path + "/older.cblite2", withIntermediateDirectories: false)
        try EncryptedVersion1File.make(of: pair.plain + "/db.sqlite3", at: main, key: older)
        try opened(directory.path + "/older.cblite2", key).read { try #expect($0.document("doc") != nil) }
    }

    @Test func otherSizesOfPagesAreRead() throws {
        let pair = try pair()
        let path = directory.path + "/large.cblite2"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let copying =
            "ATTACH \(sqlText(path + "/db.sqlite3")) AS e KEY \"x'\(hex)'\"; PRAGMA e.cipher_page_size=4096; CREATE TABLE e.t (a); PRAGMA key='';"
        _ = try Program.run(tool: "sqlcipher", [":memory:"], input: copying)
        let bytes = try Array(Data(contentsOf: URL(filePath: path + "/db.sqlite3")))
        let found = SQLCipher.fitting(key) { count, offset in
            offset + count <= bytes.count ? Array(bytes[offset..<offset + count]) : nil
        }
        #expect(found?.cipher.pageSize == 4096)
        _ = pair
    }

    /// A log that a crash left, whose checksums are those of what is encrypted.
    @Test func theLogOfACrashIsReadAndLeft() throws {
        let crashed = directory.path + "/crashed.cblite2"
        let pair = try pair(
            .bundle,
            """
            PRAGMA journal_mode=WAL;
            PRAGMA wal_autocheckpoint=0;
            PRAGMA writable_schema=ON;
            UPDATE docs SET docid='renamed' WHERE docid='many7';
            DELETE FROM localdocs;
            INSERT INTO docs (docid) VALUES ('another');
            .shell cp -r \(directory.path)/encrypted.cblite2 \(crashed)
            """)
        unlink(crashed + "/db.sqlite3-shm")
        #expect(FileManager.default.fileExists(atPath: crashed + "/db.sqlite3-wal"))
        let before = try ReadOnlyTests.state(of: crashed)
        try opened(crashed, key).read { snapshot in
            try #expect(snapshot.document("renamed") != nil && snapshot.document("many7") == nil)
            try #expect(snapshot.rawDocumentKeys(in: LocalDocuments.keyStore).isEmpty)
        }
        try #expect(ReadOnlyTests.state(of: crashed) == before)
        // What is damaged of it ends it, as SQLite has it, or is an error.
        let log = crashed + "/db.sqlite3-wal"
        let original = try Array(Data(contentsOf: URL(filePath: log)))
        var random = SeededRandom(23)
        for round in 0..<200 {
            var bytes = original
            bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            if round.isMultiple(of: 5) { bytes.removeLast(Int.random(in: 1..<bytes.count, using: &random)) }
            try Data(bytes).write(to: URL(filePath: log))
            guard let database = try? opened(crashed, key) else { continue }
            try? database.read { snapshot in
                let old = try snapshot.document("many7") != nil
                try #expect((snapshot.document("renamed") != nil) == !old)
                #expect(try snapshot.connection.strings("PRAGMA main.integrity_check").count > 0)
            }
        }
        _ = pair
    }

    /// A page in the log that is whole by its checksums and was encrypted with another key is an error where it is asked for.
    @Test func aForeignPageInTheLogIsAnError() throws {
        let crashed = directory.path + "/crashed.cblite2"
        _ = try pair(
            .bundle,
            """
            PRAGMA journal_mode=WAL;
            PRAGMA wal_autocheckpoint=0;
            PRAGMA writable_schema=ON;
            DELETE FROM localdocs;
            .shell cp -r \(directory.path)/encrypted.cblite2 \(crashed)
            """)
        unlink(crashed + "/db.sqlite3-shm")
        let log = crashed + "/db.sqlite3-wal"
        var bytes = try Array(Data(contentsOf: URL(filePath: log)))
        let frame = 24 + 1024
        for place in stride(from: 32, to: bytes.count, by: frame) { bytes[place + 24 + 500] ^= 1 }
        resealLog(&bytes, frame: frame)
        try Data(bytes).write(to: URL(filePath: log))
        #expect { try opened(crashed, key).read { try $0.rawDocumentKeys(in: LocalDocuments.keyStore) } } throws: {
            ($0 as? StoreError)?.code == .corrupt || ($0 as? SQLiteError)?.isCorrupt == true
        }
    }

    /// Makes the checksums of a log fit what is in it.
    private func resealLog(_ bytes: inout [UInt8], frame: Int) {
        func word(_ place: Int) -> UInt32 { bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) } }
        let isBigEndian = word(0) & 1 != 0
        var sum = LogChecksum(word(24), word(28))
        for place in stride(from: 32, to: bytes.count, by: frame) {
            bytes[place..<place + 8].withUnsafeBytes { sum.add($0, isBigEndian: isBigEndian) }
            bytes[place + 24..<place + frame].withUnsafeBytes { sum.add($0, isBigEndian: isBigEndian) }
            for (index, word) in [sum.first, sum.second].enumerated() {
                for byte in 0..<4 { bytes[place + 16 + index * 4 + byte] = UInt8(truncatingIfNeeded: word >> UInt32(24 - byte * 8)) }
            }
        }
    }

    /// What a crash left of a transaction before there were logs is undone in a copy, and stays encrypted there.
    @Test func aRollbackJournalIsPlayedBackInACopy() throws {
        let crashed = directory.path + "/crashed.cblite2"
        _ = try pair(
            .bundle,
            """
            PRAGMA journal_mode=DELETE;
            PRAGMA cache_size=2;
            PRAGMA writable_schema=ON;
            BEGIN;
            UPDATE docs SET docid=docid||'lost';
            UPDATE revs SET json=x'00';
            .shell cp -r \(directory.path)/encrypted.cblite2 \(crashed)
            """)
        let before = try ReadOnlyTests.state(of: crashed)
        #expect(before["db.sqlite3-journal"] != nil)
        let (found, expected) = (try facts(opened(crashed, key)), try facts(opened(directory.path + "/plain.cblite2", nil)))
        #expect(found.filter { $0.hasPrefix("many") } == expected.filter { $0.hasPrefix("many") })
        try #expect(ReadOnlyTests.state(of: crashed) == before)
    }

    @Test(arguments: [Version1File.Layout.bundle, .file]) func theConversionIsThatOfThePlainOne(_ layout: Version1File.Layout) throws {
        let pair = try pair(layout)
        func converted(_ path: String, _ key: EncryptionKey?, _ target: String) throws -> [String] {
            let database = try opened(path, key)
            defer { database.close() }
            try #expect(database.copy(to: target + ".same").isEmpty)
            let same = try self.facts(opened(target + ".same", key))
            try #expect(database.copy(to: target, key: .other(nil)).isEmpty)
            let facts = try self.facts(Database(path: target))
            #expect(facts == same)
            return facts
        }
        let (one, two) = (directory.path + "/one.cblite2", directory.path + "/two.cblite2")
        let converted1 = try converted(pair.encrypted, key, one)
        try #expect(converted1 == converted(pair.plain, nil, two))
        let digest = try #require(try Database(path: one).blobs.list().first)
        var content: [UInt8] = []
        try Database(path: one).blobs.read(digest) { content += $0 }
        #expect(content == Self.attachment)
    }

    @Test func inItsPlaceItIsReplaced() throws {
        let pair = try pair()
        let kept = directory.path + "/kept.cblite2"
        #expect(throws: StoreError.self) { try Database.upgradeVersion1(at: pair.encrypted, keepingOldAt: kept) }
        try #expect(Database.upgradeVersion1(at: pair.encrypted, key: key, keepingOldAt: kept) == [])
        try opened(pair.encrypted, key, .readWrite).read { try #expect($0.document("doc") != nil) }
        try opened(kept, key).read { try #expect($0.document("doc") != nil) }
    }

    @Test func attachmentsAreReadAtAnyPosition() throws {
        let pair = try pair()
        let database = try opened(pair.encrypted, key)
        let digest = try #require(try database.blobs.list().first)
        let reader = try UncheckedBlob(database.blobs, digest).check()
        #expect(reader.length == 1000)
        var random = SeededRandom(29)
        let files = database.files
        let folder = try #require(try database.blobs.folder())
        let name = try #require(try folder.names().first { $0.hasSuffix(".blob") })
        let blob = try #require(try files.openBlob(name, in: folder))
        for _ in 0..<500 {
            let (position, count) = (Int.random(in: 0...1010, using: &random), Int.random(in: 0...100, using: &random))
            var bytes = [UInt8](repeating: 0, count: count)
            let read = try blob.read(at: position, into: &bytes)
            #expect(Array(bytes[..<read]) == Array(Self.attachment.dropFirst(position).prefix(count)))
        }
    }

    @Test func damagedAttachmentsAreErrors() throws {
        let pair = try pair()
        let folder = pair.encrypted + "/attachments/"
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: folder).first { $0.hasSuffix(".blob") })
        let original = try Array(Data(contentsOf: URL(filePath: folder + name)))
        let digest = try #require(BlobDigest(version1FileName: name))
        func isWhole(_ bytes: [UInt8]) throws -> Bool {
            try Data(bytes).write(to: URL(filePath: folder + name))
            let database = try opened(pair.encrypted, key)
            defer { database.close() }
            do { try database.blobs.check(digest) } catch {
                #expect((error as? StoreError)?.code == .corrupt)
                return false
            }
            return true
        }
        #expect(try isWhole(original))
        for length in [0, 1, 15, 16, 17, 31, 32, 48, original.count - 16, original.count - 1] {
            #expect(try !isWhole(Array(original[..<length])), "\(length)")
        }
        for place in Array(stride(from: 0, to: original.count, by: 7)) + [original.count - 1] {
            var bytes = original
            bytes[place] ^= 4
            #expect(try !isWhole(bytes), "\(place)")
        }
    }

    @Test func flippedBitsAreErrorsAndNothingElse() throws {
        let pair = try pair()
        let original = try Array(Data(contentsOf: URL(filePath: pair.main)))
        let expected = Set(try facts(opened(pair.encrypted, key)).filter { $0.hasPrefix("many") })
        var random = SeededRandom(31)
        for round in 0..<300 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            }
            if round.isMultiple(of: 9) { bytes.removeLast(Int.random(in: 1..<bytes.count, using: &random)) }
            try Data(bytes).write(to: URL(filePath: pair.main))
            guard let found = try? facts(opened(pair.encrypted, key)) else { continue }
            // Proofs hold: there is no document that was not there.
            #expect(expected.isSuperset(of: found.filter { $0.hasPrefix("many") }))
        }
    }
}
