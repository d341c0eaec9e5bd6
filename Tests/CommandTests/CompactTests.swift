import CBLTestSupport
import FoundationEssentials
import Glibc
import Testing

@Suite(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)")) struct CompactTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    static let databases = [
        "v2.x/upgrade_2.7.cblite2", "v2.x/upgrade_2.8_index.cblite2", "v3.x/db_3_0_0_names_100_with_deleted.cblite2",
        "v3.x/words_db.cblite2", "v3.x/upgrade_3.1_peerCheckpoints.cblite2", "v4.x/revtrees_4.1.cblite2", "v4.x/vectors_4.1.cblite2",
        "v4.x/types_4.1.cblite2", "v4.x/upgraded_2.8_index_by_4.1.cblite2", "v4.x/upgraded_3.0_by_4.1.cblite2",
    ]

    @Test(arguments: databases) func documentsAndIndexesStayAsTheyAre(fixture: String) throws {
        let path = try Fixtures.copy(fixture, to: directory)
        let documents = ["changes", path, "--json"]
        let before = try Program.run(documents).output
        let integrity = ["sql", path, "PRAGMA integrity_check"]
        let result = try Program.run(["compact", path])
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(result.output.contains("Size before:") && result.output.contains("Size after:"))
        #expect(try Program.run(documents).output == before)
        #expect(try Program.run(integrity).output.contains("ok"))
    }

    @Test func indexesThatReferToRowsAreNotBrokenByAVacuum() throws {
        let path = try Fixtures.copy("v4.x/revtrees_4.1.cblite2", to: directory)
        let rows = ["sql", path, "SELECT rowid, key FROM kv_default ORDER BY rowid"]
        // Gaps that a vacuum would close.
        for id in ["alice", "empty"] { _ = try Program.run(["purge", path, id]) }
        let before = try Program.run(rows).output
        #expect(try Program.run(["compact", path]).exitCode == 0)
        #expect(try Program.run(rows).output == before)
    }

    @Test func oldTreesGetShorterAndDeletionsAreForgotten() throws {
        let path = try Fixtures.copy("v4.x/revtrees_4.1.cblite2", to: directory)
        let result = try Program.run(["compact", path, "--prune", "5", "--purgeDeleted", "--json"])
        #expect(result.output.contains(#""documentsPruned":1"#), "\(result.output)")
        #expect(result.output.contains(#""documentsPurged":3"#), "\(result.output)")
        #expect(try Program.run(["revs", path, "hist", "--json"]).lines.count == 5)
    }

    @Test func onlyBlobsThatNobodyNeedsGo() throws {
        let path = try Fixtures.copy("v4.x/revtrees_4.1.cblite2", to: directory)
        let folder = path + "/Attachments/"
        let kept = try #require(FileManager.default.contentsOfDirectory(atPath: folder).first)
        for name in ["AAAAAAAAAAAAAAAAAAAAAAAAAAA=.blob", "BBBBBBBBBBBBBBBBBBBBBBBBBBA=.blob", "notes.txt"] {
            #expect(FileManager.default.createFile(atPath: folder + name, contents: Data("x".utf8)))
            // The second one is young.
            guard name.hasPrefix("A") || name.hasPrefix("n") else { continue }
            var times = [timespec(tv_sec: 1_000_000_000, tv_nsec: 0), timespec(tv_sec: 1_000_000_000, tv_nsec: 0)]
            utimensat(AT_FDCWD, folder + name, &times, 0)
        }
        let result = try Program.run(["compact", path, "--json"])
        #expect(result.output.contains(#""blobsRemoved":1,"blobBytesRemoved":1"#), "\(result.output)")
        let left = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        #expect(left == [kept, "BBBBBBBBBBBBBBBBBBBBBBBBBBA=.blob", "notes.txt"].sorted())
    }

    @Test func indexesBuiltAnewAreWhole() throws {
        let path = try Fixtures.copy("v4.x/revtrees_4.1.cblite2", to: directory)
        let documents = try Program.run(["changes", path, "--json"]).output
        #expect(try Program.run(["reindex", path]).exitCode == 0)
        #expect(try Program.run(["sql", path, "PRAGMA integrity_check"]).output.contains("ok"))
        #expect(try Program.run(["changes", path, "--json"]).output == documents)
    }

    @Test func aDatabaseWithoutBlobsNeedsNoFolderForThem() throws {
        let path = try Fixtures.copy("v3.x/words_db.cblite2", to: directory)
        try? FileManager.default.removeItem(atPath: path + "/Attachments")
        let result = try Program.run(["compact", path, "--json"])
        #expect(result.exitCode == 0 && result.output.contains(#""blobsRemoved":0"#))
        #expect(!FileManager.default.fileExists(atPath: path + "/Attachments"))
    }

    @Test func nothingIsCompactedWithoutADatabase() throws {
        #expect(try Program.run(["compact", directory.path + "/none.cblite2"]).exitCode == 3)
        #expect(try Program.run(["compact", directory.path + "/none.cblite2", "--prune", "0"]).exitCode == 2)
    }
}
