import CBLFleece
import CBLTestSupport
import FoundationEssentials
import Glibc
import Synchronization
import Testing

@testable import CBLStore

@Suite struct BlobTests {
    let directory: TemporaryDirectory
    let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path + "/new.cblite2"
    }

    static func content(_ blobs: BlobFolder, _ digest: BlobDigest) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try blobs.read(digest) { bytes.append(contentsOf: $0) }
        return bytes
    }

    @Test func contentIsFoundUnderItsDigest() throws {
        let database = try Database(path: path, options: .create)
        #expect(!FileManager.default.fileExists(atPath: path + "/Attachments"))
        let content = Array("hello blob".utf8)
        let stored = try content.withUnsafeBytes { try database.blobs.write($0) }
        #expect(stored.digest.description == "sha1-c2XTGPrFT86b4bdd8Xo4E/Zpuww=" && stored.isNew && stored.length == 10)
        #expect(FileManager.default.fileExists(atPath: path + "/Attachments/c2XTGPrFT86b4bdd8Xo4E_Zpuww=.blob"))
        try #expect(Self.content(database.blobs, stored.digest) == content)
        #expect(try !content.withUnsafeBytes { try database.blobs.write($0) }.isNew)
        try #expect(database.blobs.list() == [stored.digest])
        #expect(database.blobs.size(of: stored.digest) == 10)
        try #expect(FileManager.default.contentsOfDirectory(atPath: path + "/Attachments").count == 1)
    }

    @Test(arguments: [
        "", "sha1-", "md5-c2XTGPrFT86b4bdd8Xo4E/Zpuww=", "sha1-../../../../etc/passwd000000=", "sha1-c2XTGPrFT86b4bdd8Xo4E/Zpuww",
    ])
    func digestsThatAreNoneAreRefused(_ text: String) {
        #expect(BlobDigest(text) == nil)
    }

    @Test func largeContentPassesThroughInPieces() throws {
        let database = try Database(path: path, options: .create)
        let total = 64 << 20
        var left = total
        let stored = try database.blobs.write { (buffer: UnsafeMutableRawBufferPointer) throws(StoreError) -> Int in
            let count = min(left, buffer.count)
            #expect(buffer.count <= 1 << 20)
            if let start = buffer.baseAddress { memset(start, Int32(truncatingIfNeeded: left >> 20), count) }
            left -= count
            return count
        }
        #expect(stored.length == total)
        var seen = 0
        try database.blobs.read(stored.digest) { seen += $0.count }
        #expect(seen == total)
    }

    /// Whatever pieces it comes in, many of which are neither a page nor a whole number of them.
    @Test(arguments: [[1], [16_376], [131_072], [131_071, 2], [131_073], [400_000, 0, 7], [5, 262_144, 131_067], [0]])
    func contentComesInPiecesOfAnyLength(_ lengths: [Int]) throws {
        let database = try Database(path: path, options: .create)
        var random = SeededRandom(5)
        let writer = try BlobWriter(database.blobs)
        var content: [UInt8] = []
        for length in lengths + lengths + lengths {
            let piece = (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            try piece.withUnsafeBytes { try writer.append($0) }
            content += piece
        }
        #expect(writer.length == content.count)
        let stored = try writer.finish()
        #expect(stored.length == content.count)
        try #expect(Self.content(database.blobs, stored.digest) == content)
    }

    @Test func damagedContentIsNoticed() throws {
        let database = try Database(path: path, options: .create)
        let digest = try Array("hello blob".utf8).withUnsafeBytes { try database.blobs.write($0).digest }
        let file = path + "/Attachments/c2XTGPrFT86b4bdd8Xo4E_Zpuww=.blob"
        chmod(file, 0o600)
        try Data("hello blab".utf8).write(to: URL(filePath: file))
        #expect { try Self.content(database.blobs, digest) } throws: { ($0 as? StoreError)?.code == .corrupt }
        unlink(file)
        #expect { try Self.content(database.blobs, digest) } throws: { ($0 as? StoreError)?.code == .notFound }
    }

    @Test func compactionKeepsWhatIsReferredToAndWhatIsYoung() throws {
        let database = try Database(path: path, options: .create)
        var digests: [BlobDigest] = []
        for text in ["kept", "old", "young"] {
            digests.append(try Array(text.utf8).withUnsafeBytes { try database.blobs.write($0).digest })
        }
        try database.write { transaction in
            let json = "{\"deep\":[{\"photo\":{\"@type\":\"blob\",\"digest\":\"\(digests[0])\"}}]}"
            try transaction.save("a", body: transaction.encode(json: json))
            try #expect(transaction.document("a")?.flags == .hasAttachments)
        }
        for name in try FileManager.default.contentsOfDirectory(atPath: path + "/Attachments") {
            let file = path + "/Attachments/" + name
            if try Data(contentsOf: URL(filePath: file)) == Data("young".utf8) { continue }
            var times = [timespec(tv_sec: 1_000_000_000, tv_nsec: 0), timespec(tv_sec: 1_000_000_000, tv_nsec: 0)]
            utimensat(AT_FDCWD, file, &times, 0)
        }
        let result = try database.compact()
        #expect(result.blobsRemoved == 1 && result.blobBytesRemoved == 3)
        #expect(Set(try database.blobs.list()) == [digests[0], digests[2]])
    }

    @Test func aRevisionThatLosesItsBodyLosesItsBlobsToo() throws {
        let database = try Database(path: path, options: .create)
        let digest = try Array("photo".utf8).withUnsafeBytes { try database.blobs.write($0).digest }
        try database.write { transaction in
            try transaction.save("a", body: transaction.encode(json: #"{"photo":{"@type":"blob","digest":"\#(digest)"}}"#))
            try transaction.save("a", body: transaction.encode(json: "{}"))
        }
        let document = try #require(try database.read { try $0.document("a") })
        try #expect(document.revisions().tree?.revisions.map { $0.flags.contains(.hasAttachments) } == [false, false])
    }

    @Test func aCopyHasEverythingButTheIdentity() throws {
        let database = try Database(path: path, options: .create)
        try database.write { transaction in
            let digest = try Array("hello blob".utf8).withUnsafeBytes { try database.blobs.write($0).digest }
            try transaction.save("a", body: transaction.encode(json: "{\"@type\":\"blob\",\"digest\":\"\(digest)\"}"))
        }
        let target = directory.path + "/copy.cblite2"
        try database.copy(to: target)
        let copy = try Database(path: target)
        let (old, new) = try (database.read { ($0.publicUUID, $0.privateUUID) }, copy.read { ($0.publicUUID, $0.privateUUID) })
        #expect(old.0 != new.0 && old.1 != new.1 && new.0 != nil)
        try #expect(copy.blobs.list() == database.blobs.list())
        try #expect(GenerationTests.contents(copy) == GenerationTests.contents(database))
        #expect { try database.copy(to: target) } throws: { ($0 as? StoreError)?.code == .exists }
        try #expect(FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() == ["copy.cblite2", "new.cblite2"])
    }

    /// Where a file system has no files without names, they have another one meanwhile.
    @Test(arguments: [(true, true), (true, false), (false, true)])
    func aFileGetsItsNameAtTheEnd(namelessly: Bool, isLinkable: Bool) throws {
        let folder = try Folder(following: directory.path)
        var count = 0
        func temporary() -> String {
            count += 1
            return "incoming_\(count)"
        }
        func put(_ content: String, as name: String) throws -> Bool {
            let file = try folder.makeFile(temporarily: temporary, namelessly: namelessly)
            #expect((file.temporary == nil) == namelessly)
            try Array(content.utf8).withUnsafeBytes { try file.file.write($0) }
            let isNamed = folder.place(file, as: name, temporarily: temporary, isLinkable: isLinkable)
            if !isNamed, let left = file.temporary { folder.remove(left) }
            return isNamed
        }
        func text(_ name: String) -> String? { try? String(contentsOfFile: directory.path + "/" + name, encoding: .utf8) }
        try #expect(put("new", as: "a"))
        #expect(text("a") == "new")
        try #expect(put("newer", as: "a"))
        #expect(text("a") == "newer")
        // A link gives way itself, and what it leads to stays.
        try FileManager.default.createSymbolicLink(atPath: directory.path + "/link", withDestinationPath: directory.path + "/a")
        try #expect(put("own", as: "link"))
        #expect(text("link") == "own" && text("a") == "newer")
        try FileManager.default.createDirectory(atPath: directory.path + "/folder", withIntermediateDirectories: false)
        try #expect(!put("none", as: "folder"))
        try #expect(folder.names().sorted() == ["a", "folder", "link"])
        var status = stat()
        #expect(stat(directory.path + "/a", &status) == 0 && status.st_mode & 0o777 == 0o400)
    }

    @Test func aFolderOfBlobsThatWasTakenAwayIsMadeAnew() throws {
        let database = try Database(path: path, options: .create)
        let first = try Array("first".utf8).withUnsafeBytes { try database.blobs.write($0).digest }
        try FileManager.default.moveItem(atPath: path + "/Attachments", toPath: directory.path + "/elsewhere")
        #expect(!database.blobs.exists(first))
        let second = try Array("second".utf8).withUnsafeBytes { try database.blobs.write($0).digest }
        try #expect(database.blobs.list() == [second])
        try #expect(FileManager.default.contentsOfDirectory(atPath: directory.path + "/elsewhere") == [first.fileName])
    }

    // MARK: Blobs that get their names with the commit

    private func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path + "/Attachments") }

    static let secret = [UInt8](0..<32).withUnsafeBytes { EncryptionKey($0) }

    @Test(arguments: [nil, secret])
    func aBlobThatWaitsForACommitIsThereForThisProcess(_ key: EncryptionKey?) throws {
        var options = Database.Options.create
        options.key = key
        let database = try Database(path: path, options: options)
        options.access = .readWrite
        let other = try Database(path: path, options: options)
        let contents = (0..<40).map { Array("content \($0)".utf8) }
        let stored = try contents.map { try $0.withUnsafeBytes { try database.blobs.untilCommit.write($0) } }
        try #expect(names().allSatisfy { $0.hasPrefix("incoming_") } && names().count == 40)
        for (content, stored) in zip(contents, stored) {
            #expect(stored.isNew && database.blobs.exists(stored.digest) && other.blobs.size(of: stored.digest) == content.count)
            try #expect(Self.content(other.blobs, stored.digest) == content)
        }
        // Once more, in either way: it is there.
        try #expect(!contents[0].withUnsafeBytes { try database.blobs.untilCommit.write($0) }.isNew)
        try #expect(names().allSatisfy { $0.hasPrefix("incoming_") })
        // Who does not wait for a commit does not have to.
        try #expect(!contents[1].withUnsafeBytes { try other.blobs.write($0) }.isNew)
        try #expect(names().contains(stored[1].digest.fileName))
        _ = try Array("one more".utf8).withUnsafeBytes { try database.blobs.untilCommit.write($0) }
        // Whoever commits.
        try other.write { try $0.save("a", body: $0.encode(json: "{}")) }
        try #expect(names().count == 41 && names().allSatisfy { BlobDigest(fileName: $0) != nil })
        try #expect(Set(names()).isSuperset(of: stored.map(\.digest.fileName)))
        for (content, stored) in zip(contents, stored) { try #expect(Self.content(database.blobs, stored.digest) == content) }
    }

    @Test func aBlobThatNoCommitFollowsGetsItsNameWhenTheDatabaseIsClosed() throws {
        let database = try Database(path: path, options: .create)
        let stored = try Array("content".utf8).withUnsafeBytes { try database.blobs.untilCommit.write($0) }
        database.close()
        try #expect(names() == [stored.digest.fileName])
    }

    /// As when a client sends again what was interrupted, while the server still has the first attempt.
    @Test func ofTheSameBlobAtTheSameTimeOneFileIsLeft() async throws {
        let database = try Database(path: path, options: .create)
        let blobs = database.blobs.untilCommit
        for round in 0..<150 {
            let content = Array("content \(round)".utf8)
            let start = Barrier(2)
            await withTaskGroup { group in
                for _ in 0..<2 {
                    group.addTask {
                        start.wait()
                        _ = try? content.withUnsafeBytes { try blobs.write($0) }
                    }
                }
            }
        }
        try database.write { try $0.save("a", body: $0.encode(json: "{}")) }
        try #expect(names().count == 150 && names().allSatisfy { BlobDigest(fileName: $0) != nil })
    }

    /// Lets nobody go on before all have come; they spin, so that they go on at the same time.
    private final class Barrier: Sendable {
        private let missing: Atomic<Int>
        init(_ count: Int) { missing = Atomic(count) }
        func wait() {
            missing.subtract(1, ordering: .acquiringAndReleasing)
            // Where threads are few, some come after the others.
            for _ in 0..<100_000 where missing.load(ordering: .acquiring) > 0 {}
        }
    }

    @Test func aBlobThatIsWrittenMeanwhileWithoutWaitingHasItsName() throws {
        let database = try Database(path: path, options: .create)
        let writer = try BlobWriter(database.blobs.untilCommit)
        try Array("content".utf8).withUnsafeBytes { try writer.append($0) }
        let stored = try Array("content".utf8).withUnsafeBytes { try database.blobs.write($0) }
        try #expect(!writer.finish().isNew)
        try #expect(names() == [stored.digest.fileName])
    }

    /// As when somebody clears up what looks as if nobody would finish it.
    @Test func aCommitWhoseBlobsWereTakenAwayFailsOnce() throws {
        let database = try Database(path: path, options: .create)
        let stored = try Array("content".utf8).withUnsafeBytes { try database.blobs.untilCommit.write($0) }
        try FileManager.default.removeItem(atPath: path + "/Attachments/" + names()[0])
        #expect(!database.blobs.exists(stored.digest))
        #expect(throws: StoreError.self) { try database.write { try $0.save("a", body: $0.encode(json: "{}")) } }
        try database.write { try $0.save("b", body: $0.encode(json: "{}")) }
        let (lost, saved) = try database.read { (try $0.document("a"), try $0.document("b")) }
        #expect(lost == nil && saved != nil)
    }

    @Test(arguments: [
        ("6.1.0-13-amd64", true), ("5.8", true), ("5.10.0", true), ("5.7.19", false), ("4.19.0", false), ("", false), ("x.y", false),
    ])
    func kernelsThatTellOfFailures(release: String, tells: Bool) { #expect(FileSystemSync.tellsOfFailures(release) == tells) }

    @Test func soManyAsWaitAtMostGetTheirNamesBefore() throws {
        let database = try Database(path: path, options: .create)
        for number in 0..<2100 { _ = try Array("content \(number)".utf8).withUnsafeBytes { try database.blobs.untilCommit.write($0) } }
        try #expect(names().count { $0.hasPrefix("incoming_") } < 100 && names().count == 2100)
        database.close()
        try #expect(names().allSatisfy { BlobDigest(fileName: $0) != nil })
    }
}
