import CBLBase
import CBLTestSupport
import FoundationEssentials
import Testing

@testable import CBLStore

@Suite struct EncryptionKeyTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path + "/a.cblite2" }
    private let key = EncryptionKey(password: "password123")

    init() throws { directory = try TemporaryDirectory() }

    private func options(_ access: Database.Options.Access) -> Database.Options {
        var options = Database.Options(access: access)
        options.key = key
        return options
    }

    private func hex(_ key: EncryptionKey) -> String { key.withBytes { Hex.text(of: $0) } }

    @Test func passwordsMakeTheKeysOfReleases() {
        #expect(hex(key) == "ad3470ce03363552b20a4a70a4aec02cb7439f6202e75b231ab57f2d5e716909")
        #expect(hex(EncryptionKey(password: "password123", .sha1)) == "7ecec9cc8d4efbebcbf537a3169f61d9db05971a9fec9761ff37fdb1f09f862d")
        #expect(hex(EncryptionKey(password: "pässwörd ☃")) == "9c13b9976d3f518a339bce6539fcc245bbecbc83213982487af88fe0ae17e67a")
        #expect(hex(key.forAES128) == "ad3470ce03363552b20a4a70a4aec02c")
        #expect(key.cipher == .aes256 && key.forAES128.cipher == .aes128)
    }

    @Test func keysHaveTheLengthsOfCiphers() {
        for count in 0...40 {
            let bytes = [UInt8](repeating: 7, count: count)
            #expect((bytes.withUnsafeBytes { EncryptionKey($0) } != nil) == (count == 16 || count == 32), "\(count)")
        }
    }

    @Test func keysAreEqualByTheirBytes() {
        func key(_ last: UInt8) -> EncryptionKey? { ([UInt8](repeating: 7, count: 31) + [last]).withUnsafeBytes { EncryptionKey($0) } }
        #expect(key(1) == key(1))
        #expect(key(1) != key(2))
        #expect(self.key != self.key.forAES128)
    }

    @Test func keysAreInNoDescription() throws {
        let bytes = Array("a different key than default....".utf8)
        let key = try #require(bytes.withUnsafeBytes { EncryptionKey($0) })
        var options = Database.Options()
        options.key = key
        let files = FileAccess(path: path, options)
        var texts = ["\(key)", String(reflecting: key), "\(options)", String(reflecting: options), "\(files)"]
        for subject in [key, options, files, [key]] as [Any] {
            var dumped = ""
            dump(subject, to: &dumped)
            texts.append(dumped)
        }
        let error = #expect(throws: StoreError.self) { try Database(path: path, options: options) }
        texts.append("\(try #require(error))")
        for text in texts {
            #expect(!text.contains("different") && !text.contains("[97, 32") && !text.contains("61206469"), "\(text)")
        }
        #expect(texts[0] == "key (not shown)")
    }

    @Test(arguments: [Database.Options.Access.readOnly, .readWrite, .create])
    func aKeyForWhatIsNotEncryptedIsNotPassedOver(_ access: Database.Options.Access) throws {
        try Database(path: path, options: .create).close()
        let before = try Data(contentsOf: URL(filePath: path + "/db.sqlite3"))
        let error = #expect(throws: StoreError.self) { try Database(path: path, options: options(access)) }
        #expect(error?.code == .wrongKey && error?.message == "the database is not encrypted: open it without a key")
        // Not even where the file is open already, and is not looked at again.
        for options in [Database.Options.readOnly, .readWrite] {
            let database = try Database(path: path, options: options)
            defer { database.close() }
            #expect { try Database(path: path, options: self.options(access)) } throws: { ($0 as? StoreError)?.code == .wrongKey }
            #expect(try database.read { $0.collections() } == [.default])
        }
        #expect(try Data(contentsOf: URL(filePath: path + "/db.sqlite3")) == before)
    }

    @Test func whatAnInterruptedCreationLeftIsEncryptedAsWell() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try Data().write(to: URL(filePath: path + "/db.sqlite3"))
        try Database(path: path, options: options(.create)).close()
        #expect { try Database(path: path) } throws: { ($0 as? StoreError)?.code == .needsKey }
        #expect { try Database(path: directory.path + "/b.cblite2", options: options(.readWrite)) } throws: {
            ($0 as? StoreError)?.code == .notFound
        }
    }

    @Test(
        .enabled(if: Fixtures.arePresent, "\(Fixtures.absence)"), arguments: [Database.Options.Access.readOnly, .readWrite, .create])
    func encryptedFilesSaySoWithAndWithoutKey(_ access: Database.Options.Access) throws {
        try FileManager.default.copyItem(atPath: Fixtures.path("encrypted-ee/Mac_2.1_AES128.cblite2"), toPath: path)
        var wrong = options(access)
        wrong.key = EncryptionKey(password: "password124")
        for (options, code) in [(wrong, StoreError.Code.wrongKey), (Database.Options(access: access), .needsKey)] {
            let error = #expect(throws: StoreError.self) { try Database(path: path, options: options) }
            #expect(error?.code == code)
        }
    }

    /// What opens files looks itself, whoever may have forgotten to.
    @Test func nothingIsOpenedPastTheKey() throws {
        let database = try Database(path: path, options: .create)
        let blob = try Array("content".utf8).withUnsafeBytes { try database.blobs.write($0) }
        let folder = try #require(try database.blobs.folder())
        let plain = FileAccess(database.bundle, .readWrite)
        let keyed = FileAccess(database.bundle, .readWrite, key: key)
        #expect(try plain.openBlob(blob.digest.fileName, in: folder)?.length == 7)
        #expect(throws: StoreError.self) { try keyed.openBlob(blob.digest.fileName, in: folder) }
        #expect(throws: StoreError.self) { try keyed.makeBlob(in: folder) }
        #expect(throws: StoreError.self) { try keyed.connect() }
        #expect(throws: StoreError.self) { try BlobFolder(keyed).check(blob.digest) }
        #expect(throws: StoreError.self) { try Array("other".utf8).withUnsafeBytes { try BlobFolder(keyed).write($0) } }
        #expect(try database.blobs.list() == [blob.digest])
    }
}
