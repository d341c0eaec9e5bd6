import CBLStore
import CBLTestSupport
import Testing

@testable import CBLReplication

/// Blobs that come in pieces from somebody who may lie about them.
@Suite struct ArrivingBlobTests {
    let directory: TemporaryDirectory
    let database: Database
    let content = Array("the content of a blob".utf8)
    let digest: BlobDigest

    init() throws {
        directory = try TemporaryDirectory()
        database = try Database(path: directory.path + "/a.cblite2", options: .create)
        let other = try Database(path: directory.path + "/b.cblite2", options: .create)
        digest = try content.withUnsafeBytes { try other.blobs.write($0) }.digest
    }

    private var files: [String] { get throws { try database.blobs.list().map(\.description) } }

    @Test(arguments: [1, 7, 100]) func piecesMakeABlob(_ size: Int) throws {
        let blob = ArrivingBlob(digest, length: UInt64(content.count), in: database.blobs)
        for start in stride(from: 0, to: content.count, by: size) { blob.append(Array(content[start..<min(start + size, content.count)])) }
        #expect(blob.finish() == nil)
        // It has its name when the document is committed that has it.
        try database.write { try $0.save("document", body: $0.encode(json: "{}")) }
        #expect(try files == [digest.description])
        let reader = try UncheckedBlob(database.blobs, digest).check()
        var bytes = [UInt8](repeating: 0, count: 4)
        #expect(try bytes.withUnsafeMutableBytes { try reader.read(at: 4, into: $0) } == 4)
        #expect(bytes == Array(content[4..<8]) && reader.length == content.count)
        #expect(try bytes.withUnsafeMutableBytes { try reader.read(at: content.count, into: $0) } == 0)
    }

    @Test func anotherContentIsRefused() throws {
        for (bytes, length) in [(Array(content.dropLast()), nil), (content + [0], UInt64(content.count)), ([], nil)] as [([UInt8], UInt64?)]
        {
            let blob = ArrivingBlob(digest, length: length, in: database.blobs)
            blob.append(bytes)
            #expect(blob.finish()?.code == 400)
            #expect(try files.isEmpty)
        }
    }

    @Test func aBlobThatIsNotThereIsAnError() throws {
        #expect(throws: StoreError.self) { try UncheckedBlob(database.blobs, digest) }
    }
}
