import CBLTestSupport
import FoundationEssentials
import Testing

/// Databases of 1.x at the prompt.
@Suite(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)")) struct Version1Tests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = try Fixtures.copy("v1.x/ios130/iosdb.cblite2", to: directory)
    }

    private func state() throws -> [String: Data] {
        var state: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
            state[name] = (try? Data(contentsOf: URL(filePath: path + "/" + name))) ?? Data()
        }
        return state
    }

    static let looks: [([String], String)] = [
        (["info"], "102 (1.3 or 1.4)"), (["ls", "-l"], "2-b9a637ed67"), (["cat", "doc1"], #""foo": "bar""#),
        (["revs", "doc1"], "1-8feb542236ef8bedaf555b57211c5c3e"), (["conflicts"], ""), (["changes"], "doc2"),
        (["query", "SELECT number FROM _ WHERE meta().id = 'doc2'"], "2"), (["schema"], "boolean"), (["stats", "number"], "2"),
        (["tree"], "_default"), (["check"], ""), (["sql", "SELECT docid FROM docs"], "doc1"), (["blob", "ls"], "text/plain"),
        (["blob", "get", "sha1-P1i5kI/sosq745/9BDR7kEghKps="], "attach1"), (["dump"], "local1"), (["export", "-"], "doc2"),
        (["lscoll"], "_default"), (["grep", "bar"], "doc1\tfoo\tbar"), (["cat", "--where", "number = 2"], "doc2"),
    ]

    @Test(arguments: looks) func everyCommandThatLooksLeavesEveryByte(words: [String], part: String) throws {
        let before = try state()
        let count = words.first == "blob" ? 2 : 1
        let result = try Program.run(Array(words.prefix(count)) + [path] + words.dropFirst(count))
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(part.isEmpty || result.output.contains(part), "\(result.output)")
        #expect(try state() == before)
    }

    @Test func whatWritesIsRefusedWithAWayOut() throws {
        let before = try state()
        let result = try Program.run(["put", path, "x", "{}"])
        #expect(result.exitCode == 3)
        #expect(result.errors.contains("can only be read") && result.errors.contains("--upgrade"))
        #expect(try state() == before)
    }

    @Test func aCopyIsAnUpgrade() throws {
        let new = directory.path + "/new.cblite2"
        #expect(try Program.run(["cp", path, new]).exitCode == 0)
        #expect(try Program.run(["diff", path, new]).exitCode == 0)
        #expect(try Program.run(["put", new, "x", "{}"]).exitCode == 0)
        #expect(try Program.run(["diff", path, Fixtures.path("v4.x/upgraded_1.3_by_4.1.cblite2")]).exitCode == 0)
    }

    @Test func anUpgradeInPlaceKeepsACopyUnlessToldOtherwise() throws {
        let result = try Program.run(["--upgrade", "put", path, "x", "{}"])
        #expect(result.exitCode == 0, "\(result.errors)")
        let kept = directory.path + "/iosdb.before-upgrade.cblite2"
        #expect(result.errors.contains(kept))
        #expect(try Program.run(["ls", path]).output.contains("x"))
        #expect(try Program.run(["info", kept]).output.contains("102 (1.3 or 1.4)"))
        #expect(try Program.run(["--upgrade", "--no-backup", "info", kept]).output.contains("503"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).count == 2)
    }

    @Test func aFileOf10IsAnArgumentAsABundleIs() throws {
        let file = try Version1File(at: directory.path + "/old.cblite", .file)
        try file.add("doc", "1-aa", #"{"n":1}"#)
        #expect(try Program.run([file.path, "ls"]).output == "doc\n")
        #expect(try Program.run(["query", file.path, "SELECT n FROM old"]).output.contains("1"))
        let upgraded = try Program.run(["--upgrade", "put", file.path, "x", "{}"])
        #expect(upgraded.exitCode == 3 && upgraded.errors.contains("copy it to a new one"))
        #expect(try Program.run(["cp", file.path, directory.path + "/new.cblite2"]).exitCode == 0)
        #expect(try Program.run(["cat", directory.path + "/new.cblite2", "doc"]).output.contains("\"n\": 1"))
    }
}
