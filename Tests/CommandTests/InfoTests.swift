import CBLTestSupport
import FoundationEssentials
import Glibc
import Testing

@Suite struct InfoTests {
    private struct Answer: Decodable {
        struct Warning: Decodable { let code: String, text: String }
        struct Remote: Decodable {
            struct Checkpoint: Decodable { let local: Int }
            struct State: Decodable { let collection: String, pending: Int, pendingIsExact: Bool, checkpoint: Checkpoint? }
            let number: Int, url: String, collections: [State]
        }
        struct Collection: Decodable { let name: String, documents: Int, deleted: Int, expiring: Int, conflicted: Int? }
        let size: Int, schema: Int, releases: String, versioning: String, modified: Int, lastChange: String?, nextExpiration: Int?
        let blobs: Int?, blobSize: Int?
        let remotes: [Remote], collections: [Collection], warnings: [Warning]
    }

    private func answer(_ path: String) throws -> Answer {
        let result = try Program.run(["info", "--json", path])
        #expect(result.exitCode == 0, "\(result.errors)")
        return try JSONDecoder().decode(Answer.self, from: Data(result.output.utf8))
    }

    @Test(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)")) func thePageTellsWhatIsThereAndWhatIsWrong() throws {
        let path = Fixtures.path("v4.x/vectors_4.1.cblite2")
        let answer = try answer(path)
        #expect(answer.schema == 503 && answer.versioning == "vectors")
        #expect(answer.nextExpiration == 4_102_444_800_000)
        #expect(answer.warnings.map(\.code) == ["conflicts"])
        #expect(answer.lastChange?.hasPrefix("2026-") == true)
        #expect(answer.remotes.map(\.url) == ["wss://example.com/db", "ws://other.example:4984/x"])
        #expect(answer.remotes[0].collections.first?.pendingIsExact == true)
        let lines = try Program.run(["info", path]).lines
        #expect(lines.contains { $0.hasPrefix("Format:      503 (3.2.2–4.1), version vectors") })
        #expect(lines.contains { $0.hasPrefix("Remote #1:   wss://example.com/db") })
        #expect(lines.contains { $0.hasPrefix("Warning:     1 document is in conflict") })
        #expect(lines.contains { $0.hasPrefix("CRM.People          1        1") })
    }

    @Test func missingBlobsAreWarnedOf() throws {
        let scratch = try Scratch(["old": "{}", "kept": "{}"])
        try scratch.expect(["blob", "put", "kept", "picture", "-"], input: "some bytes")
        #expect(try answer(scratch.path).warnings.map(\.code) == [])
        try FileManager.default.removeItem(atPath: scratch.path + "/Attachments")
        #expect(try answer(scratch.path).warnings.map(\.code) == ["missingBlobs"])
        #expect(try Program.run(["info", scratch.path]).output.contains("Warning:     1 blob is missing that documents refer to."))
    }

    @Test func veryManyBlobsAreNotLookedAt() throws {
        let scratch = try Scratch(["d": "{}"])
        let folder = scratch.path + "/Attachments"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        func makeBlobs(_ numbers: Range<Int>) {
            for number in numbers { close(open("\(folder)/\(100_000_000 + number)AAAAAAAAAAAAAAAAAA=.blob", O_CREAT | O_WRONLY, 0o400)) }
        }
        makeBlobs(0..<20_000)
        try Data([1]).write(to: URL(filePath: folder + "/no blob"))
        #expect(try answer(scratch.path).blobs == 20_000)
        #expect(try scratch.expect(["info"]).output.contains(", and 0 bytes in 20,000 blobs\n"))
        makeBlobs(20_000..<20_001)
        #expect(try answer(scratch.path).blobs == nil && answer(scratch.path).blobSize == nil)
        #expect(try scratch.expect(["info"]).output.contains(", and more than 0 bytes in more than 20,000 blobs\n"))
        #expect(try scratch.expect(["info", "-v"]).output.contains(", and 0 bytes in 20,001 blobs\n"))
    }

    /// A page of the documents is overwritten. Which ones are theirs depends on how the import was divided into transactions.
    @Test func aDamagedDatabaseIsDescribedAsFarAsItCanBe() throws {
        let scratch = try Scratch()
        let lines = (0..<2000).map { #"{"n": \#($0), "text": "some words that take up room"}"# }
        #expect(try Program.run(["import", scratch.path, "-"], input: lines.joined(separator: "\n")).exitCode == 0)
        let file = scratch.path + "/db.sqlite3"
        var bytes = try Data(contentsOf: URL(filePath: file))
        let pages = stride(from: bytes.count / 8192 * 4096, to: bytes.count, by: 4096).map { $0..<$0 + 4096 }
        let page = try #require(pages.first { String(decoding: bytes[$0], as: UTF8.self).contains("words that take") })
        bytes.replaceSubrange(page, with: repeatElement(0x5A, count: page.count))
        try bytes.write(to: URL(filePath: file))
        let result = try Program.run(["info", "--json", scratch.path])
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(result.output.contains(#""code":"damaged""#))
        // What can be read still has a shape.
        let schema = try Program.run(["schema", "--json", scratch.path])
        #expect(schema.exitCode == 1)
        #expect(schema.output.contains(#""name":"text""#))
    }

    @Test func columnsOfNothingAreLeftOut() throws {
        let scratch = try Scratch(["a": "{}"])
        let lines = try scratch.expect(["info"], environment: ["LC_ALL": "C"]).lines
        #expect(lines.contains { $0.split(separator: " ") == ["Collection", "Documents"] })
        try scratch.expect(["rm", "a"])
        #expect(try scratch.expect(["info"]).lines.contains { $0.split(separator: " ") == ["Collection", "Documents", "Deleted"] })
        #expect(try scratch.expect(["info"], flags: ["-v"]).output.contains("Shared keys: 0"))
    }
}
