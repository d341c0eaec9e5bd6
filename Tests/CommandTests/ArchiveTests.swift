import CBLTestSupport
import FoundationEssentials
import Glibc
import Testing

@Suite(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)")) struct ArchiveTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func path(_ name: String) -> String { directory.path + "/" + name }

    /// Without the header, which tells the generation, the digest that covers it, and the SQL of indexes, in which generations differ.
    private func content(_ archive: String) -> [String] {
        archive.split(separator: "\n").dropFirst().map { line in
            if line.hasPrefix(#"{"index":"#) { return line.components(separatedBy: #","sql":["#)[0] }
            return line.hasPrefix(#"{"end":true"#) ? String(line.prefix { $0 != "s" }) : String(line)
        }
    }

    static let databases = [
        "v2.x/upgrade_2.7.cblite2", "v2.x/upgrade_2.8.cblite2", "v2.x/upgrade_2.8_index.cblite2",
        "v3.x/db_3_0_0_names_100_with_deleted.cblite2", "v3.x/upgrade_3.1_peerCheckpoints.cblite2", "v3.x/words_db.cblite2",
        "v4.x/revtrees_4.1.cblite2", "v4.x/types_4.1.cblite2", "v4.x/upgraded_1.3_by_4.1.cblite2", "v4.x/upgraded_2.7_to_vectors.cblite2",
        "v4.x/upgraded_2.8_index_by_4.1.cblite2", "v4.x/upgraded_3.0_by_4.1.cblite2", "v4.x/upgraded_3.1_by_4.1.cblite2",
        "v4.x/vectors_4.1.cblite2",
    ]

    @Test(arguments: databases) func aRestoredDatabaseIsTheOneThatWasDumped(fixture: String) throws {
        let (original, archive, copy) = (Fixtures.path(fixture), path("archive"), path("copy.cblite2"))
        #expect(try Program.run(["dump", original, archive]).exitCode == 0)
        let restored = try Program.run(["restore", copy, archive])
        #expect(restored.exitCode == 0, "\(restored.errors)")
        #expect(!restored.errors.contains("left out"), "\(restored.errors)")
        let text = try String(contentsOfFile: archive, encoding: .utf8)
        #expect(try content(Program.run(["dump", copy]).output) == content(text))
        #expect(try Program.run(["diff", original, copy]).output.isEmpty)
        #expect(try Program.run(["lscoll", copy]).output == Program.run(["lscoll", original]).output)
        #expect(try Program.run(["info", "indexes", copy]).output == Program.run(["info", "indexes", original]).output)
    }

    @Test func withItsIdentityEveryRevisionHasTheSameName() throws {
        let (original, copy) = (Fixtures.path("v4.x/vectors_4.1.cblite2"), path("copy.cblite2"))
        let archive = try Program.run(["dump", original, "--identity"])
        #expect(try Program.run(["restore", copy, "--identity"], inputBytes: archive.outputBytes).exitCode == 0)
        #expect(try Program.run(["changes", copy, "--json"]).output == Program.run(["changes", original, "--json"]).output)
        // Without it in the archive, it cannot be had.
        let plain = try Program.run(["dump", original])
        let refused = try Program.run(["restore", path("other.cblite2"), "--identity"], inputBytes: plain.outputBytes)
        #expect(refused.exitCode == 1 && refused.errors.contains("line 1"))
    }

    @Test func collectionsCanBeChosen() throws {
        let original = Fixtures.path("v4.x/revtrees_4.1.cblite2")
        let archive = try Program.run(["dump", original, "-C", "things,CRM.People"])
        #expect(archive.lines.count { $0.hasPrefix(#"{"collection":"#) } == 2)
        #expect(!archive.output.contains(#""doc":"alice""#) && !archive.output.contains(#""raw":"#))
        let all = try Program.run(["dump", original])
        let copy = path("copy.cblite2")
        #expect(try Program.run(["restore", copy, "--collection", "things"], inputBytes: all.outputBytes).exitCode == 0)
        #expect(try Program.run(["ls", copy, "-C", "things"]).output == "t1\n")
        #expect(try Program.run(["ls", copy]).output.isEmpty)
        let unknown = try Program.run(["dump", original, "-C", "thing"])
        #expect(unknown.exitCode == 1 && unknown.errors.contains("no collection \"thing\""))
    }

    @Test func collectionsAreCopiedWithAllTheyHave() throws {
        let (original, copy) = (Fixtures.path("v4.x/revtrees_4.1.cblite2"), path("copy.cblite2"))
        let result = try Program.run(["cp", "--collection", "CRM.People,_default", original, copy])
        #expect(result.exitCode == 0, "\(result.errors)")
        for collection in ["CRM.People", "_default"] {
            let words = ["changes", "--json", "-C", collection]
            #expect(try Program.run(words + [copy]).output == Program.run(words + [original]).output)
        }
        #expect(!(try Program.run(["lscoll", copy]).output.contains("things")))
        #expect(try Program.run(["blob", "ls", copy]).output == Program.run(["blob", "ls", original]).output)
        // The third one joins them.
        #expect(try Program.run(["cp", "-C", "things", original, copy]).exitCode == 0)
        #expect(try Program.run(["lscoll", copy]).output == Program.run(["lscoll", original]).output)
    }

    @Test func aDatabaseThatHoldsSomethingIsNotOverwritten() throws {
        let target = try Fixtures.copy("v4.x/types_4.1.cblite2", to: directory)
        let archive = try Program.run(["dump", Fixtures.path("v4.x/revtrees_4.1.cblite2")])
        let before = try Program.run(["dump", target]).output
        let refused = try Program.run(["restore", target], inputBytes: archive.outputBytes)
        #expect(refused.exitCode == 1 && refused.errors.contains("--merge"))
        #expect(try Program.run(["dump", target]).output == before)
        #expect(try Program.run(["restore", target, "--merge"], inputBytes: archive.outputBytes).exitCode == 0)
        #expect(try Program.run(["cat", target, "alice"]).exitCode == 0)
    }

    @Test(arguments: ["v4.x/revtrees_4.1.cblite2", "v4.x/vectors_4.1.cblite2", "v2.x/upgrade_2.7.cblite2"])
    func mergingTheSameAgainChangesNothing(fixture: String) throws {
        let archive = try Program.run(["dump", Fixtures.path(fixture)]).outputBytes
        let copy = path("copy.cblite2")
        #expect(try Program.run(["restore", copy], inputBytes: archive).exitCode == 0)
        let before = try Program.run(["dump", copy]).output
        let result = try Program.run(["restore", copy, "--merge", "--json"], inputBytes: archive)
        #expect(result.exitCode == 0)
        for fact in [#""documents":0,"#, #""documentsUpdated":0,"#, #""conflicts":0,"#] {
            #expect(result.output.contains(fact), "\(result.output)")
        }
        #expect(try Program.run(["dump", copy]).output == before)
    }

    @Test func vectorsDoNotGoIntoTreesButTreesGoAmongVectors() throws {
        let (trees, vectors) = (Fixtures.path("v4.x/types_4.1.cblite2"), Fixtures.path("v4.x/vectors_4.1.cblite2"))
        let treeCopy = path("trees.cblite2")
        #expect(try Program.run(["restore", treeCopy], inputBytes: Program.run(["dump", trees]).outputBytes).exitCode == 0)
        let refused = try Program.run(["restore", "--merge", treeCopy], inputBytes: Program.run(["dump", vectors]).outputBytes)
        #expect(refused.exitCode == 1 && refused.errors.contains("version vectors"))
        let vectorCopy = path("vectors.cblite2")
        #expect(try Program.run(["restore", vectorCopy], inputBytes: Program.run(["dump", vectors]).outputBytes).exitCode == 0)
        #expect(try Program.run(["restore", "--merge", vectorCopy], inputBytes: Program.run(["dump", trees]).outputBytes).exitCode == 0)
        let words = ["cat", "-C", "types", "--raw"]
        #expect(try Program.run(words + [vectorCopy, "*"]).output == Program.run(words + [trees, "*"]).output)
    }

    @Test func damagedArchivesLeaveNothingBehind() throws {
        let archive = try Program.run(["dump", Fixtures.path("v4.x/revtrees_4.1.cblite2")]).outputBytes
        var random = SeededRandom(11)
        for round in 0..<24 {
            var damaged = archive
            if round.isMultiple(of: 2) {
                damaged = Array(archive.prefix(Int.random(in: 0..<archive.count - 1, using: &random)))
            } else {
                damaged[Int.random(in: 0..<archive.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            }
            let result = try Program.run(["restore", path("copy.cblite2")], inputBytes: damaged)
            #expect(result.exitCode == 1)
            #expect(result.errors.hasPrefix("cblite: standard input: line "), "\(result.errors)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
        }
    }

    @Test func anInterruptedRestoreLeavesNothingBehind() throws {
        let archive = try Program.run(["dump", Fixtures.path("v3.x/words_db.cblite2"), path("archive")])
        #expect(archive.exitCode == 0)
        #expect(mkfifo(path("pipe"), 0o600) == 0)
        let program = try RunningProgram(["restore", path("copy.cblite2"), path("pipe")])
        let pipe = open(path("pipe"), O_WRONLY)
        let bytes = try Data(contentsOf: URL(filePath: path("archive"))).prefix(1_000_000)
        _ = bytes.withUnsafeBytes { write(pipe, $0.baseAddress, $0.count) }
        program.send(signal: SIGINT)
        let result = program.finish()
        close(pipe)
        #expect(result.exitCode == 130)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() == ["archive", "pipe"])
    }

    @Test func missingBlobsAreToldOf() throws {
        let original = try Fixtures.copy("v4.x/revtrees_4.1.cblite2", to: directory)
        try FileManager.default.removeItem(atPath: original + "/Attachments")
        let result = try Program.run(["dump", original])
        #expect(result.exitCode == 0)
        #expect(result.errors.contains("no blob sha1-"))
        let restored = try Program.run(["restore", path("copy.cblite2"), "--json"], inputBytes: result.outputBytes)
        #expect(restored.output.contains(#""documents":21"#) && restored.output.contains(#""blobs":0"#))
    }

    @Test func archivesThatAreNoneAreRefused() throws {
        for text in ["", "\n", "{}", "[1]", "hello", #"{"archive":"cblite","version":2,"versioning":"trees"}"#] {
            let result = try Program.run(["restore", path("copy.cblite2")], input: text)
            #expect(result.exitCode == 1, "\(text)")
            #expect(result.errors.contains(text.isEmpty ? "the archive is empty" : "line "), "\(text)")
        }
        #expect(try Program.run(["restore", path("copy.cblite2"), path("none")]).exitCode == 1)
        #expect(try Program.run(["dump", path("none.cblite2")]).exitCode == 3)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
    }
}
