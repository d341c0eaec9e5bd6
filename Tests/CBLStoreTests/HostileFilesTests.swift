import CBLBase
import CBLTestSupport
import FoundationEssentials
import Glibc
import Testing

@testable import CBLStore

/// The gate to a bundle's files: what it opens, hands out, copies and removes.
@Suite struct HostileFilesTests {
    let directory: TemporaryDirectory
    let victim: Victim
    let path: String
    let database: Database
    let digest: BlobDigest
    private var file: String { path + "/Attachments/" + digest.fileName }

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path + "/db.cblite2"
        database = try Database(path: path, options: .create)
        digest = try database.blobs.write("hello blob")
        victim = try Victim(in: directory, names: [digest.fileName, "incoming_abcdef"])
    }

    private func replaceBlob(_ content: [UInt8]) throws {
        unlink(file)
        try Data(content).write(to: URL(filePath: file))
    }

    @Test(arguments: Intruder.allCases.filter { $0 != .file }) func onlyFilesAreOpened(_ intruder: Intruder) throws {
        try intruder.place(at: file, victim)
        var pieces = 0
        #expect { try database.blobs.read(digest) { _ in pieces += 1 } } throws: { ($0 as? StoreError)?.code == .corrupt }
        #expect(pieces == 0 && !database.blobs.exists(digest) && database.blobs.size(of: digest) == nil)
        #expect(database.blobs.hasForeignFile(for: digest))
        #expect(try database.blobs.list().isEmpty)
        #expect(try database.copy(to: directory.path + "/copy.cblite2").count == 1)
    }

    @Test(arguments: [
        [], Array("hello blo".utf8), Array("hello blob!".utf8), Array("hello blab".utf8), [UInt8](repeating: 0, count: 600_000),
    ])
    func notAByteOfAnotherContentLeaves(_ content: [UInt8]) throws {
        try replaceBlob(content)
        var pieces = 0
        #expect { try database.blobs.read(digest) { _ in pieces += 1 } } throws: { ($0 as? StoreError)?.code == .corrupt }
        #expect(pieces == 0)
        let omitted = try database.copy(to: directory.path + "/copy.cblite2")
        #expect(omitted.count == 1 && omitted[0].message.contains(digest.description))
        #expect(try Database(path: directory.path + "/copy.cblite2").blobs.list().isEmpty)
    }

    @Test func contentOfEverySizeAroundAPieceComesWhole() throws {
        for size in [0, 1, BlobFolder.pieceSize - 1, BlobFolder.pieceSize, BlobFolder.pieceSize + 1, 2 * BlobFolder.pieceSize, 700_001] {
            let content = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            let stored = try content.withUnsafeBytes { try database.blobs.write($0) }
            try #expect(BlobTests.content(database.blobs, stored.digest) == content)
        }
    }

    /// To close another descriptor of the main file would drop all locks that SQLite has on it.
    @Test func aBlobThatIsTheMainFileByAnotherNameIsNotOpened() throws {
        unlink(file)
        #expect(link(path + "/db.sqlite3", file) == 0)
        #expect { try database.blobs.check(digest) } throws: { ($0 as? StoreError)?.code == .corrupt }
    }

    @Test func aBlobThatIsToBeStoredTakesThePlaceOfALink() throws {
        try Intruder.linkToFile.place(at: file, victim)
        let before = try victim.state()
        #expect(try Array("hello blob".utf8).withUnsafeBytes { try database.blobs.write($0) }.isNew)
        try #expect(BlobTests.content(database.blobs, digest) == Array("hello blob".utf8))
        #expect(try victim.state() == before)
    }

    @Test(arguments: Intruder.allCases.filter { $0 != .folder }) func compactionStaysInTheBundle(_ intruder: Intruder) throws {
        try intruder.place(at: path + "/Attachments", victim)
        let before = try victim.state()
        #expect(throws: StoreError.self) { try database.compact() }
        #expect(throws: StoreError.self) { try database.repair() }
        #expect(throws: StoreError.self) { try Array("new".utf8).withUnsafeBytes { try database.blobs.write($0) } }
        #expect(try victim.state() == before)
    }

    @Test func holesStayHoles() throws {
        let size: off_t = 1 << 33
        try replaceBlob(Array("start".utf8))
        let descriptor = open(file, O_RDWR | O_CLOEXEC)
        pwrite(descriptor, "middle", 6, size / 2)
        ftruncate(descriptor, size)
        close(descriptor)
        let folder = try #require(try database.blobs.folder())
        let source = try #require(try folder.openFile(digest.fileName))
        try FileCopy.copy(source, into: Folder(following: directory.path), as: "copied")
        var facts = stat()
        #expect(stat(directory.path + "/copied", &facts) == 0)
        #expect(facts.st_size == size && facts.st_blocks * 512 < 1 << 20)
        let copied = try #require(try Folder(following: directory.path).openFile("copied"))
        for (place, text) in [(0, "start"), (Int(size) / 2, "middle"), (100, "\0\0"), (Int(size) - 2, "\0\0")] {
            var bytes = [UInt8](repeating: 1, count: text.utf8.count)
            try #expect(copied.read(at: place, into: &bytes) == bytes.count && bytes == Array(text.utf8))
        }
    }

    @Test func whatIsAlreadyThereIsNeverTakenForOurs() throws {
        let target = directory.path + "/new.cblite2"
        for name in ["new.cblite2_TEMP", "new.cblite2_TEMP-abcdef"] {
            try Intruder.linkToFolder.place(at: directory.path + "/" + name, victim)
        }
        let before = try victim.state()
        try Database.appearing(at: target) { unfinished in
            var facts = stat()
            #expect(lstat(unfinished, &facts) == 0 && facts.st_mode & 0o7777 == 0o700)
            try Database(path: unfinished, options: .create).close()
        }
        #expect(try Database(path: target).read { $0.collections().count } == 1)
        #expect(try victim.state() == before)
    }

    @Test(arguments: [Intruder.folder, .file, .linkToNothing, .linkToFolder])
    func whatAppearsMeanwhileIsNotReplaced(_ intruder: Intruder) throws {
        let target = directory.path + "/new.cblite2"
        let before = try victim.state()
        #expect { try Database.appearing(at: target) { _ in try intruder.place(at: target, victim) } } throws: {
            ($0 as? StoreError)?.code == .exists
        }
        #expect { try Database.appearing(at: target) { _ in Issue.record("it is there") } } throws: { ($0 as? StoreError)?.code == .exists }
        #expect(try victim.state() == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() == ["db.cblite2", "new.cblite2", "victim"])
    }

    @Test func whatFailsLeavesNothing() throws {
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try Database.appearing(at: directory.path + "/new.cblite2") { unfinished in
                let database = try Database(path: unfinished, options: .create)
                _ = try Array("blob".utf8).withUnsafeBytes { try database.blobs.write($0) }
                database.close()
                throw Stop()
            }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() == ["db.cblite2", "victim"])
    }

    @Test func onlyWhatLooksLikeALeftoverIsRemoved() throws {
        let theirs = directory.path + "/db.cblite2_TEMP"
        try FileManager.default.createDirectory(atPath: theirs, withIntermediateDirectories: true)
        try "x".write(toFile: theirs + "/db.sqlite3", atomically: false, encoding: .utf8)
        try "x".write(toFile: theirs + "/notes.txt", atomically: false, encoding: .utf8)
        let ours = directory.path + "/db.cblite2_TEMP-abcdef"
        try FileManager.default.createDirectory(atPath: ours + "/Attachments", withIntermediateDirectories: true)
        try "x".write(toFile: ours + "/db.sqlite3", atomically: false, encoding: .utf8)
        try "x".write(toFile: ours + "/Attachments/" + digest.fileName, atomically: false, encoding: .utf8)
        try Intruder.linkToFolder.place(at: directory.path + "/db.cblite2_TEMP-ghijkl", victim)
        for name in ["db.cblite2_TEMP", "db.cblite2_TEMP-abcdef", "db.cblite2_TEMP-ghijkl"] { try makeOld(directory.path + "/" + name) }
        let before = try victim.state()
        #expect(try database.repair().leftovers == 1)
        #expect(!FileManager.default.fileExists(atPath: ours) && FileManager.default.fileExists(atPath: theirs + "/notes.txt"))
        #expect(FileManager.default.fileExists(atPath: theirs + "/db.sqlite3"))
        // With a link in it, it is nobody's leftover.
        try FileManager.default.removeItem(atPath: theirs + "/notes.txt")
        try Intruder.linkToFolder.place(at: theirs + "/Attachments", victim)
        try makeOld(theirs)
        #expect(try database.repair().leftovers == 0)
        #expect(try victim.state() == before)
    }

    @Test func aBackupHasNoLinks() throws {
        let other = try database.blobs.write("other")
        try Intruder.linkToFile.place(at: file, victim)
        try database.backUp(to: directory.path + "/backup.cblite2")
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path + "/backup.cblite2/Attachments") == [other.fileName])
    }

    @Test func aSalvageKeepsDamagedBlobsAndNoLinks() throws {
        let damaged = try database.blobs.write("other")
        unlink(path + "/Attachments/" + damaged.fileName)
        try "changed".write(toFile: path + "/Attachments/" + damaged.fileName, atomically: false, encoding: .utf8)
        try Intruder.linkToFile.place(at: file, victim)
        database.close()
        var findings: [Finding] = []
        let target = directory.path + "/salvaged.cblite2"
        _ = try Salvage(from: path, to: target) { findings.append($0) }.run()
        #expect(findings.contains { $0.kind == .blob && $0.subject == digest.description })
        #expect(try FileManager.default.contentsOfDirectory(atPath: target + "/Attachments") == [damaged.fileName])
    }
}

extension BlobFolder {
    fileprivate func write(_ text: String) throws -> BlobDigest { try Array(text.utf8).withUnsafeBytes { try write($0).digest } }
}
