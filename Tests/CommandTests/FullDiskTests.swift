import CBLTestSupport
import FoundationEssentials
import Glibc
import Testing

/// A disk that has no room left, or little: whatever a command does not manage, it says, and leaves everything as it was.
@Suite(.serialized, .enabled(if: SmallDisk.isAllowed, "\(SmallDisk.absence)"))
struct FullDiskTests {
    struct Case: CustomTestStringConvertible {
        let words: [String]
        var input = ""
        var fixture: String?
        var testDescription: String { words.joined(separator: " ") + (fixture.map { " (\($0))" } ?? "") }
    }

    private static let text = String(repeating: "0123456789", count: 10_000)

    static let cases = [
        Case(words: ["put", "@", "doc1", "-"], input: "{\"text\":\"\(text)\"}"), Case(words: ["rm", "@", "doc1"]),
        Case(words: ["mkcoll", "@", "new.collection"]), Case(words: ["purge", "@", "doc*"]), Case(words: ["compact", "@"]),
        Case(words: ["blob", "put", "@", "doc1", "picture", "-"], input: String(repeating: text, count: 30)),
        Case(words: ["import", "@", "-"], input: (0..<20).map { "{\"_id\":\"new\($0)\",\"text\":\"\(text)\"}\n" }.joined()),
        Case(words: ["cp", "@", "DISK/copy.cblite2"]), Case(words: ["export", "@", "DISK/text.jsonl"]),
        Case(words: ["--upgrade", "mkcoll", "@", "_default"], fixture: "v2.x/upgrade_2.8.cblite2"),
        Case(words: ["--upgrade", "mkcoll", "@", "_default"], fixture: "v3.x/db_3_0_0_names_100_with_deleted.cblite2"),
    ].filter { $0.fixture == nil || Fixtures.arePresent }

    @Test(arguments: cases, [0, 16_384, 40_000, 120_000])
    func nothingIsDamaged(command: Case, free: Int) throws {
        let disk = try SmallDisk(kilobytes: 4096)
        let path = disk.path + "/small.cblite2"
        if let fixture = command.fixture {
            let elsewhere = try TemporaryDirectory()
            try FileManager.default.copyItem(atPath: Fixtures.copy(fixture, to: elsewhere), toPath: path)
        } else {
            let documents = (0..<40).map { "{\"_id\":\"doc\($0)\",\"text\":\"\(FullDiskTests.text.prefix(1000))\"}\n" }.joined()
            #expect(try Program.run(["--create", "import", path, "-"], input: documents).exitCode == 0)
        }
        let words = command.words.map { $0 == "@" ? path : $0.hasPrefix("DISK/") ? disk.path + $0.dropFirst(4) : $0 }
        let before = try documents(path)
        let names = try FileManager.default.contentsOfDirectory(atPath: disk.path)
        try disk.fill(leaving: free)
        let result = try Program.run(words, input: command.input)
        #expect([0, 1].contains(result.exitCode))
        if result.exitCode != 0 {
            #expect(result.errors.contains("full") || result.errors.contains("No space left"), "\(result.errors)")
            // Reading works without any space, and finds what there was.
            #expect(try documents(path) == before)
        }
        disk.empty()
        if result.exitCode != 0 {
            #expect(try documents(path) == before)
            #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path) == names, "something was left behind")
            let again = try Program.run(words, input: command.input)
            #expect(again.exitCode == 0, "\(again.errors)")
        }
        let check = try Program.run(["check", path])
        #expect(check.exitCode == 0, "\(check.output)")
        #expect(try Program.run(["put", path, "later", "{}"]).exitCode == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: path).filter { $0 != "Attachments" } == ["db.sqlite3"])
    }

    private func documents(_ path: String) throws -> String {
        let result = try Program.run(["ls", "--json", "--del", "--body", path])
        #expect(result.exitCode == 0, "\(result.errors)")
        return result.output
    }

    /// SQLite then undoes the whole transaction. What follows in the script was meant as a part of it, and must not be done by itself.
    @Test func aTransactionEndsAsAWhole() throws {
        let disk = try SmallDisk(kilobytes: 4096)
        let path = disk.path + "/d.cblite2"
        #expect(try Program.run(["--create", "put", path, "before", "{}"]).exitCode == 0)
        // More than the cache holds, so that the log fills the disk before the end.
        let puts = (0..<160).map { "put x\($0) {\"text\":\"\(FullDiskTests.text)\"}\n" }.joined()
        let result = try Program.run(["--writeable", "--keep-going", path], input: "begin\n\(puts)put after {}\ncommit\nput later {}\n")
        #expect(result.exitCode == 1)
        #expect(result.errors.contains("the disk is full"))
        #expect(
            result.errors.hasSuffix("cblite: d: the transaction has ended, and all of its changes are undone\n"),
            "\(result.errors.suffix(300))")
        #expect(try Program.run(["ls", path]).output == "before\n")
        #expect(try Program.run(["check", path]).exitCode == 0)
    }
}
