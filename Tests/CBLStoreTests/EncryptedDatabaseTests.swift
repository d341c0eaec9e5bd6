import CBLBase
import CBLFleece
import CBLTestSupport
import FoundationEssentials
import Glibc
import Testing

@testable import CBLSQLite
@testable import CBLStore

/// Databases of 2.0 and later that are encrypted: the vendor's, and our own.
@Suite struct EncryptedDatabaseTests {
    private let directory: TemporaryDirectory
    private let path: String
    private let keyBytes = Array("this is not a random key at all.".utf8)
    private let key: EncryptionKey

    init() throws {
        directory = try TemporaryDirectory(inMemory: true)
        path = directory.path + "/new.cblite2"
        key = try #require(keyBytes.withUnsafeBytes { EncryptionKey($0) })
    }

    private func opened(_ path: String, _ key: EncryptionKey?, _ access: Database.Options.Access = .readOnly) throws -> Database {
        var options = Database.Options(access: access)
        options.key = key
        return try Database(path: path, options: options)
    }

    private func put(_ database: Database, _ ids: Range<Int>) throws {
        try database.write { transaction in
            for number in ids {
                try transaction.save("doc\(number)", body: transaction.encode(json: #"{"n":\#(number),"marker":"MARKER \#(number)"}"#))
            }
        }
    }

    private func documents(_ database: Database) throws -> [String] {
        try database.read { snapshot in
            var options = ScanOptions(content: .everything)
            options.includesDeleted = true
            let cursor = try snapshot.scan(.default, options)
            var facts: [String] = []
            while try cursor.next() {
                let document = try cursor.document()
                facts.append("\(document.id) \(document.revision) \(document.body.withRoot { $0.json() })")
            }
            return facts
        }
    }

    private func expectHidden(_ path: String) throws {
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
            guard let bytes = try? Data(contentsOf: URL(filePath: path + "/" + name)) else { continue }
            #expect(bytes.firstRange(of: Data("MARKER".utf8)) == nil, "\(name)")
        }
    }

    // MARK: The vendor's

    static let fixtures: [(name: String, key: EncryptionKey, documents: Int, cipher: String)] = [
        ("Mac_2.5_AES256", Array("a different key than default....".utf8).withUnsafeBytes { EncryptionKey($0)! }, 99, "AES-256"),
        ("Mac_2.1_AES128", EncryptionKey(password: "password123"), 5, "AES-128"),
        ("upgrade_2.7_encrypted", Array("this is not a random key at all.".utf8).withUnsafeBytes { EncryptionKey($0)! }, 100, "AES-256"),
        ("upgrade_2.8_encrypted", Array("this is not a random key at all.".utf8).withUnsafeBytes { EncryptionKey($0)! }, 50, "AES-256"),
    ]

    @Test(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)"), arguments: 0..<4)
    func theVendorsAreReadAndChanged(_ index: Int) throws {
        let fixture = Self.fixtures[index]
        let copy = try Fixtures.copy("encrypted-ee/\(fixture.name).cblite2", to: directory)
        let bytes = try Data(contentsOf: URL(filePath: copy + "/db.sqlite3"))
        let before: [String]
        do {
            let database = try opened(copy, fixture.key)
            before = try documents(database)
            #expect(before.count == fixture.documents && database.cipherName == fixture.cipher)
            try #expect(database.read { try $0.integrityProblems(limit: 10) } == [])
        }
        try #expect(Data(contentsOf: URL(filePath: copy + "/db.sqlite3")) == bytes)
        do {
            let database = try opened(copy, fixture.key, .readWrite)
            try put(database, 0..<500)
            database.close()
        }
        let after = try documents(opened(copy, fixture.key))
        #expect(Set(before).isSubset(of: after) && after.count == fixture.documents + 500)
        try expectHidden(copy)
    }

    @Test(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)")) func theVendorsBlobIsRead() throws {
        let database = try opened(Fixtures.path("encrypted-ee/Mac_2.5_AES256.cblite2"), Self.fixtures[0].key)
        let digest = try #require(BlobDigest("sha1-QneWo5IYIQ0ZrbCG0hXPGC6jy7E="))
        try #expect(BlobTests.content(database.blobs, digest) == Array("This is a blob to store in the store!".utf8))
        #expect(database.blobs.size(of: digest) == 37)
    }

    // MARK: Our own

    @Test func whatIsWrittenIsAsDescribed() throws {
        let expected: [String]
        do {
            let database = try opened(path, key, .create)
            try put(database, 0..<1000)
            expected = try documents(database)
            // With a log, as another process or a crash finds it.
            let copy = directory.path + "/copy.cblite2"
            try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: false)
            for part in ["db.sqlite3", "db.sqlite3-wal"] {
                try FileManager.default.copyItem(atPath: path + "/" + part, toPath: copy + "/" + part)
            }
            try #expect(ReferenceDecryption(key: keyBytes).frameCount(copy + "/db.sqlite3-wal") > 20)
            try expectReference(copy, expected)
            try #expect(documents(opened(copy, key)) == expected)
            try #expect(documents(opened(copy, key, .readWrite)) == expected)
            try expectHidden(path)
            database.close()
        }
        try expectHidden(path)
        try expectReference(path, expected)
        let bytes = try Array(Data(contentsOf: URL(filePath: path + "/db.sqlite3")).prefix(24))
        #expect(bytes[16...] == [0x10, 0, 2, 2, 12, 64, 32, 32])
    }

    /// The clear file that the description makes of it is a sound database with the same documents.
    private func expectReference(_ path: String, _ expected: [String]) throws {
        let clear = directory.path + "/clear.cblite2"
        try? FileManager.default.removeItem(atPath: clear)
        try FileManager.default.createDirectory(atPath: clear, withIntermediateDirectories: false)
        try Data(ReferenceDecryption(key: keyBytes).database(path)).write(to: URL(filePath: clear + "/db.sqlite3"))
        try #expect(RawDatabase(clear + "/db.sqlite3").rows("PRAGMA integrity_check") == [["ok"]])
        try #expect(documents(Database(path: clear)) == expected)
    }

    @Test(arguments: [0, 1, 15, 16, 17, 4079, 4080, 4081, 4095, 4096, 4097, 8191, 8192, 8193, 262_144, 300_001])
    func blobsAreAsDescribed(length: Int) throws {
        let content = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let database = try opened(path, key, .create)
        let stored = try content.withUnsafeBytes { try database.blobs.write($0) }
        #expect(stored.length == length && stored.isNew)
        let file = path + "/Attachments/" + stored.digest.fileName
        try #expect(ReferenceDecryption(key: keyBytes).blob(file) == content)
        try #expect(FileManager.default.attributesOfItem(atPath: file)[.size] as? Int == (length / 16 + 1) * 16 + 32)
        // In pieces, it is the same file of the same length, which is there already.
        let writer = try BlobWriter(database.blobs)
        for start in stride(from: 0, to: length, by: 1000) {
            try content[start..<min(length, start + 1000)].withUnsafeBytes { try writer.append($0) }
        }
        try #expect(!writer.finish().isNew)
        let other = try opened(path, key)
        try #expect(BlobTests.content(other.blobs, stored.digest) == content)
        #expect(other.blobs.size(of: stored.digest) == length)
        let reader = try UncheckedBlob(other.blobs, stored.digest).unchecked()
        for position in [0, 1, 15, 16, 4000, 4095, 4096, 4097, length / 2, max(0, length - 1), length, length + 1] {
            for count in [1, 16, 100, 5000] {
                var part = [UInt8](repeating: 0, count: count)
                let got = try part.withUnsafeMutableBytes { try reader.read(at: position, into: $0) }
                #expect(Array(part[..<got]) == Array(content.dropFirst(position).prefix(count)), "\(position), \(count)")
            }
        }
    }

    @Test func damagedBlobsAreToldApart() throws {
        let content = [UInt8](repeating: 7, count: 10_000)
        let database = try opened(path, key, .create)
        let digest = try content.withUnsafeBytes { try database.blobs.write($0).digest }
        let file = path + "/Attachments/" + digest.fileName
        let whole = try Data(contentsOf: URL(filePath: file))
        for damaged in [
            whole.dropLast(), whole.dropLast(16), whole.prefix(40), whole.prefix(0), whole.prefix(100) + Data([9]) + whole.dropFirst(101),
        ] {
            try FileManager.default.removeItem(atPath: file)
            try Data(damaged).write(to: URL(filePath: file))
            let error = #expect(throws: StoreError.self) { try BlobTests.content(database.blobs, digest) }
            #expect(error?.code == .corrupt)
        }
    }

    // MARK: Keys

    @Test func theKeyMustFit() throws {
        try put(opened(path, EncryptionKey(password: "password123"), .create), 0..<10)
        func code(_ key: EncryptionKey?, _ access: Database.Options.Access = .readOnly) -> StoreError.Code? {
            do { _ = try opened(path, key, access) } catch { return (error as? StoreError)?.code }
            return nil
        }
        let derived = try #require(Hex.bytes(of: "ad3470ce03363552b20a4a70a4aec02cb7439f6202e75b231ab57f2d5e716909")).withUnsafeBytes {
            EncryptionKey($0)
        }
        for access in [Database.Options.Access.readOnly, .readWrite, .create] {
            #expect(code(EncryptionKey(password: "password123"), access) == nil)
            #expect(code(derived, access) == nil)
            #expect(code(EncryptionKey(password: "password124"), access) == .wrongKey)
            #expect(code(key, access) == .wrongKey)
            #expect(code(nil, access) == .needsKey)
        }
        let plain = directory.path + "/plain.cblite2"
        _ = try Database(path: plain, options: .create)
        let error = #expect(throws: StoreError.self) { try opened(plain, key) }
        #expect(error?.code == .wrongKey)
    }

    /// Also by who has it open himself: nobody looks at the first bytes then.
    @Test func withoutKeyItIsRefusedThoughItIsOpen() throws {
        let database = try opened(path, key, .create)
        for access in [Database.Options.Access.readOnly, .readWrite, .create] {
            let error = #expect(throws: StoreError.self) { try opened(path, nil, access) }
            #expect(error?.code == .needsKey)
        }
        try put(database, 0..<1)
    }

    @Test func anOlderDerivationIsTriedToo() throws {
        let old = try #require(Hex.bytes(of: "7ecec9cc8d4efbebcbf537a3169f61d9db05971a9fec9761ff37fdb1f09f862d")).withUnsafeBytes {
            EncryptionKey($0)
        }
        try put(opened(path, old, .create), 0..<10)
        try #expect(documents(opened(path, EncryptionKey(password: "password123"))).count == 10)
    }

    @Test func aDamagedFirstPageIsNoWrongKey() throws {
        try put(opened(path, key, .create), 0..<2000)
        let file = path + "/db.sqlite3"
        let whole = try Data(contentsOf: URL(filePath: file))
        for place in [0, 4090] {
            var bytes = whole
            bytes[place] ^= 1
            try bytes.write(to: URL(filePath: file))
            let error = #expect(throws: StoreError.self) { try opened(path, key, .readWrite) }
            #expect(error?.code == .corrupt, "\(place)")
            let other = #expect(throws: StoreError.self) { try opened(path, EncryptionKey(password: "x"), .readWrite) }
            #expect(other?.code == .wrongKey, "\(place)")
        }
    }

    @Test(arguments: [0, 17, 20, 50, 3000, 4090]) func aDamagedFileIsSalvaged(_ place: Int) throws {
        let expected: [String]
        do {
            let database = try opened(path, key, .create)
            try put(database, 0..<2000)
            expected = try documents(database)
            database.close()
        }
        var bytes = try Data(contentsOf: URL(filePath: path + "/db.sqlite3"))
        bytes[place] ^= 0xFF
        try bytes.write(to: URL(filePath: path + "/db.sqlite3"))
        let target = directory.path + "/saved.cblite2"
        // The list of tables is on the first page: where that is lost, so is all.
        do { _ = try Salvage(from: path, to: target, key: key) { _ in }.run() } catch {
            #expect(place == 4090 || place == 3000, "\(place): \(error)")
            return
        }
        try #expect(documents(opened(target, key)) == expected)
        try expectHidden(target)
    }

    // MARK: Damage

    /// Whatever is in the files, it is an error or not, and nothing else.
    @Test func randomDamageIsSurvived() throws {
        let copy = directory.path + "/copy.cblite2"
        try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: false)
        do {
            let database = try opened(path, key, .create)
            try put(database, 0..<300)
            for part in ["db.sqlite3", "db.sqlite3-wal"] {
                try FileManager.default.copyItem(atPath: path + "/" + part, toPath: copy + "/" + part)
            }
        }
        let parts = try ["db.sqlite3", "db.sqlite3-wal"].map { try Array(Data(contentsOf: URL(filePath: copy + "/" + $0))) }
        var random = SeededRandom(17)
        var (read, refused) = (0, 0)
        try repeatWithin(seconds: 2) {
            for (name, bytes) in zip(["db.sqlite3", "db.sqlite3-wal"], parts) {
                let changed = random.below(2) == 0 ? Mutation.mutated(bytes, &random) : Array(bytes.prefix(random.below(bytes.count + 1)))
                try Data(changed).write(to: URL(filePath: copy + "/" + name))
            }
            do {
                let database = try opened(copy, key)
                _ = try documents(database)
                _ = try database.read { try $0.integrityProblems(limit: 3) }
                read += 1
            } catch is StoreError { refused += 1 }
            _ = try? Salvage(from: copy, to: directory.path + "/s\(read + refused).cblite2", key: key) { _ in }.run()
            try? FileManager.default.removeItem(atPath: directory.path + "/s\(read + refused).cblite2")
        }
        #expect(read > 0 && refused > 0)
    }

    /// A log that is not over what is encrypted is neither believed nor written over.
    @Test func aLogOfAnotherKindIsKept() throws {
        let copy = directory.path + "/copy.cblite2"
        try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: false)
        let inMain: Int
        do {
            try put(opened(path, key, .create), 0..<50)
            inMain = try documents(opened(path, key)).count
            let database = try opened(path, key, .readWrite)
            try put(database, 50..<60)
            for part in ["db.sqlite3", "db.sqlite3-wal"] {
                try FileManager.default.copyItem(atPath: path + "/" + part, toPath: copy + "/" + part)
            }
        }
        // As a layer would have it that leaves SQLite's own sums.
        var log = try Array(Data(contentsOf: URL(filePath: copy + "/db.sqlite3-wal")))
        for frame in stride(from: 32, to: log.count, by: 24 + 4096) { log[frame + 20] ^= 0x55 }
        try Data(log).write(to: URL(filePath: copy + "/db.sqlite3-wal"))
        for access in [Database.Options.Access.readOnly, .readWrite, .create] {
            let error = #expect(throws: StoreError.self) { try opened(copy, key, access) }
            #expect(error?.code == .corrupt && error?.message.contains("write-ahead log") == true)
        }
        try #expect(Array(Data(contentsOf: URL(filePath: copy + "/db.sqlite3-wal"))) == log)
        let saved = directory.path + "/saved.cblite2"
        var findings: [String] = []
        _ = try Salvage(from: copy, to: saved, key: key) { findings.append($0.message) }.run()
        #expect(findings.contains { $0.contains("log") })
        try #expect(documents(opened(saved, key)).count == inMain)
        // A log that a kill left in the middle of its first commit has none.
        try Data(log.prefix(32 + 24 + 4096)).write(to: URL(filePath: copy + "/db.sqlite3-wal"))
        try #expect(documents(opened(copy, key, .readWrite)).count == inMain)
    }

    /// A file whose schema nobody would run: encrypting it is refused, and it is read as without encryption.
    @Test func aForeignSchemaIsNotRun() throws {
        do {
            let database = try opened(path, key, .create)
            try put(database, 0..<5)
            database.close()
        }
        // Made as a stranger would who has the key.
        let clear = directory.path + "/clear.sqlite3"
        try Data(ReferenceDecryption(key: keyBytes).database(path)).write(to: URL(filePath: clear))
        try RawDatabase(clear).execute("CREATE TRIGGER evil AFTER INSERT ON kv_default BEGIN DELETE FROM kvmeta; END")
        let bytes = try Array(Data(contentsOf: URL(filePath: clear)))
        try Data(ReferenceDecryption(key: keyBytes).sealed(bytes)).write(to: URL(filePath: path + "/db.sqlite3"))
        try #expect(documents(opened(path, key)).count == 5)
        let error = #expect(throws: StoreError.self) { try opened(path, key, .readWrite) }
        #expect(error?.code == .foreignSchema)
        try opened(path, key).copy(to: directory.path + "/copy.cblite2")
        try #expect(documents(opened(directory.path + "/copy.cblite2", key, .readWrite)).count == 5)
    }

    // MARK: Another key

    @Test func aKeyIsChangedAndTheDatabaseGoesOn() throws {
        let database = try opened(path, nil, .create)
        try put(database, 0..<1000)
        let content = [UInt8](repeating: 9, count: 9000)
        let digest = try content.withUnsafeBytes { try database.blobs.write($0).digest }
        let expected = try documents(database)
        let identity = try database.read { $0.publicUUID }
        var expectedCount = 1000
        for next in [key, EncryptionKey(password: "other"), EncryptionKey(password: "third"), nil, key, nil] {
            try database.changeKey(to: next)
            #expect(database.isEncrypted == (next != nil))
            try #expect(Array(documents(database).prefix(1)) == Array(expected.prefix(1)))
            try #expect(BlobTests.content(database.blobs, digest) == content)
            try #expect(database.read { $0.publicUUID } == identity)
            try put(database, expectedCount..<expectedCount + 1)
            expectedCount += 1
            try #expect(documents(database).count == expectedCount)
            try #expect(database.read { try $0.integrityProblems(limit: 5) } == [])
            if next != nil { try expectHidden(path) }
            // Another one with the new key sees the same, but not with the old one.
            try #expect(documents(opened(path, next)).count == expectedCount)
            let error = #expect(throws: StoreError.self) { try opened(path, EncryptionKey(password: "none of them")) }
            #expect(error?.code == .wrongKey)
        }
        database.close()
        try #expect(FileManager.default.contentsOfDirectory(atPath: directory.path) == ["new.cblite2"])
        try #expect(documents(opened(path, nil)).count == expectedCount)
    }

    @Test func othersStandInTheWay() throws {
        let database = try opened(path, nil, .create)
        try put(database, 0..<10)
        do {
            let other = try opened(path, nil, .readWrite)
            let error = #expect(throws: StoreError.self) { try database.changeKey(to: key) }
            #expect(error?.code == .busy)
            other.close()
        }
        try database.changeKey(to: key)
        let error = #expect(throws: StoreError.self) { try database.write { _ in try database.changeKey(to: nil) } }
        #expect(error?.code == .transactionOpen)
        try #expect(documents(database).count == 10)
        let reader = try opened(path, key)
        #expect(throws: StoreError.self) { try reader.changeKey(to: nil) }
    }

    @Test func whatIsStoppedLeavesTheOldOne() throws {
        struct Stop: Error {}
        let database = try opened(path, key, .create)
        try put(database, 0..<3000)
        let expected = try documents(database)
        #expect(throws: Stop.self) { try database.changeKey(to: nil) { _, _ in throw Stop() } }
        try #expect(documents(database) == expected && database.isEncrypted)
        try put(database, 3000..<3001)
        try #expect(FileManager.default.contentsOfDirectory(atPath: directory.path) == ["new.cblite2"])
    }

    @Test func copiesHaveAnyKey() throws {
        let database = try opened(path, nil, .create)
        try put(database, 0..<500)
        let digest = try [UInt8](repeating: 1, count: 5000).withUnsafeBytes { try database.blobs.write($0).digest }
        let expected = try documents(database)
        var source = database
        for (number, next) in [key, EncryptionKey(password: "a"), nil].enumerated() {
            let target = directory.path + "/copy\(number).cblite2"
            try #expect(source.copy(to: target, key: .other(next)).isEmpty)
            source = try opened(target, next, .readWrite)
            try #expect(documents(source) == expected)
            try #expect(BlobTests.content(source.blobs, digest).count == 5000)
            let same = directory.path + "/same\(number).cblite2"
            try source.copy(to: same)
            try #expect(documents(opened(same, next)) == expected)
            let backup = directory.path + "/backup\(number).cblite2"
            try source.backUp(to: backup)
            try #expect(documents(opened(backup, next)) == expected)
        }
    }
}
