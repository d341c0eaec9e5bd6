import CBLTestSupport
import FoundationEssentials
import Testing

/// What holds of databases in bad circumstances, once more for encrypted ones.
@Suite(.serialized) struct EncryptedSuitesTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func encrypted(_ work: () throws -> Void) throws {
        try Program.$databaseKey.withValue(Program.DatabaseKey(in: directory.path)) { try work() }
    }

    @Test func theyAreEncrypted() throws {
        try encrypted {
            let path = directory.path + "/new.cblite2"
            #expect(try Program.run(["--create", "put", path, "doc", #"{"text":"MARKER"}"#]).exitCode == 0)
            #expect(try Program.run(["cat", "--raw", path, "doc"]).output.contains("MARKER"))
            #expect(try Program.run(["info", "--json", path]).output.contains(#""encryption":"AES-256""#))
            let bytes = try Data(contentsOf: URL(filePath: path + "/db.sqlite3"))
            #expect(bytes.firstRange(of: Data("MARKER".utf8)) == nil)
        }
    }

    @Test func aKillLeavesThemWhole() throws {
        try encrypted { try CrashTests().whatWasReportedDoneIsThere() }
        try encrypted { try CrashTests().aCopyIsThereWholeOrNotAtAll() }
        try encrypted { try CrashTests().halfABlobIsCollectedByCompact() }
        try encrypted { try CrashTests().anInterruptedImportLeavesNothing() }
        try encrypted { try CrashTests().vectorIndexesAreKeptWhole() }
    }

    /// The numbers of a vector stand in no file, in whatever form an index has them.
    @Test func vectorsAreHidden() throws {
        let numbers: [Float] = [1234.5, -0.015625, 98765, 7]
        let bytes = numbers.flatMap { number in withUnsafeBytes(of: number.bitPattern.littleEndian) { Array($0) } }
        func isShown(_ path: String) throws -> Bool {
            try FileManager.default.subpathsOfDirectory(atPath: path).contains { name in
                (try? Data(contentsOf: URL(filePath: path + "/" + name)))?.firstRange(of: Data(bytes)) != nil
            }
        }
        func fill(_ path: String) throws {
            #expect(try Program.run(["--create", "put", path, "doc", #"{"v":[1234.5,-0.015625,98765,7],"t":"text"}"#]).exitCode == 0)
            let flags = ["--vector", "--dimensions", "4", "--centroids", "1", "--encoding", "none"]
            #expect(try Program.run(["mkindex"] + flags + [path, "near", "v"]).exitCode == 0)
            #expect(try Program.run(["mkindex"] + flags + ["--lazy", path, "meaning", "t"]).exitCode == 0)
            let program = "while read -r line; do echo '[1234.5,-0.015625,98765,7]'; done"
            #expect(try Program.run(["embed", path, "meaning", "--command", program]).exitCode == 0)
            for expression in ["v", "t"] {
                let query = "SELECT META().id FROM _ ORDER BY APPROX_VECTOR_DISTANCE(\(expression), [1,2,3,4]) LIMIT 3"
                #expect(try Program.run(["query", "--json", path, query]).lines == [#"{"id":"doc"}"#])
            }
            #expect(try Program.run(["check", path]).exitCode == 0)
        }
        let plain = directory.path + "/plain.cblite2"
        try fill(plain)
        #expect(try isShown(plain))
        try encrypted {
            let path = directory.path + "/hidden.cblite2"
            try fill(path)
            #expect(try !isShown(path))
        }
    }

    /// Without the import, for which the disk is too small: pages have less room.
    private static let cases = FullDiskTests.cases.filter { $0.fixture == nil && $0.words[0] != "import" }

    @Test(.enabled(if: SmallDisk.isAllowed, "\(SmallDisk.absence)"), arguments: cases, [0, 40_000])
    func aFullDiskDoesNotDamageThem(command: FullDiskTests.Case, free: Int) throws {
        try encrypted { try FullDiskTests().nothingIsDamaged(command: command, free: free) }
    }

    @Test(.enabled(if: SmallDisk.isAllowed, "\(SmallDisk.absence)"), arguments: ["rekey", "decrypt"])
    func aFullDiskLeavesTheOldKey(command: String) throws {
        try encrypted {
            let disk = try SmallDisk(kilobytes: 4096)
            let path = disk.path + "/small.cblite2"
            let documents = (0..<400).map { "{\"_id\":\"doc\($0)\",\"text\":\"\(String(repeating: "0123456789", count: 300))\"}\n" }
                .joined()
            #expect(try Program.run(["--create", "import", path, "-"], input: documents).exitCode == 0)
            let before = try Program.run(["cat", "--raw", path, "*"]).output
            let names = try FileManager.default.contentsOfDirectory(atPath: disk.path)
            try Data(String(repeating: "77", count: 32).utf8).write(to: URL(filePath: directory.path + "/other.key"))
            try disk.fill(leaving: 200_000)
            let flags = command == "rekey" ? ["--new-key=:@\(directory.path)/other.key"] : []
            let result = try Program.run([command] + flags + [path])
            #expect(result.exitCode == 1 && (result.errors.contains("full") || result.errors.contains("No space left")), "\(result.errors)")
            #expect(try Program.run(["cat", "--raw", path, "*"]).output == before)
            disk.empty()
            #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path) == names)
            #expect(try Program.run(["cat", "--raw", path, "*"]).output == before)
            #expect(try Program.run([command] + flags + [path]).exitCode == 0)
        }
    }

    @Test func manyProcessesWorkOnThem() throws {
        try encrypted { try ManyProcessesTests().nobodysWorkIsLost() }
    }
}

/// An encrypted copy of each fixture is for every command what the fixture is.
@Suite(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)")) struct EncryptedFixtureTests {
    static let fixtures = ["v2.x", "v3.x", "v4.x"].flatMap { folder in
        let names = (try? FileManager.default.contentsOfDirectory(atPath: Fixtures.path(folder))) ?? []
        return names.filter { $0.hasSuffix(".cblite2") }.sorted().map { folder + "/" + $0 }
    }

    private static let commands = [
        ["lscoll", "--json"], ["ls", "-l", "--raw", "--del"], ["cat", "--raw", "@", "*"], ["changes", "--json", "--body"],
        ["blob", "ls", "--verify"],
        ["dump", "--identity"], ["check"], ["lsindex"], ["schema"], ["conflicts"],
        ["select", "--raw", "@", "meta().id, meta().sequence, * FROM _ ORDER BY meta().id"],
        ["sql", "--json", "@", "SELECT name, sql FROM sqlite_master ORDER BY name"],
    ]

    @Test(arguments: fixtures) func commandsGiveTheSame(_ fixture: String) throws {
        let directory = try TemporaryDirectory(inMemory: true)
        let plain = try Fixtures.copy(fixture, to: directory)
        let folder = directory.path + "/encrypted"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let encrypted = folder + "/" + (plain.split(separator: "/").last ?? "")
        try FileManager.default.copyItem(atPath: plain, toPath: encrypted)
        // Whoever opens a database for writing mends what an upgrade of the vendor's left.
        try #require(try Program.run(["--writeable", "lscoll", plain]).exitCode == 0)
        let key = try Program.DatabaseKey(in: directory.path)
        let made = try Program.run(["encrypt", "--new-key=:@" + key.file, encrypted])
        try #require(made.exitCode == 0, "\(made.errors)")
        for command in Self.commands {
            func result(_ path: String) throws -> [String] {
                let words = command.contains("@") ? command.map { $0 == "@" ? path : $0 } : command + [path]
                let result = try Program.run(words)
                return [result.output, result.errors, "\(result.exitCode)"].map { $0.replacing(path, with: "PATH") }
            }
            let expected = try result(plain)
            let found = try Program.$databaseKey.withValue(key) { try result(encrypted) }
            #expect(found == expected, "\(command)")
        }
        // Back in clear, it is as it was.
        #expect(try Program.run(["--key=:@" + key.file, "decrypt", encrypted]).exitCode == 0)
        let difference = try Program.run(["diff", "--revs", plain, encrypted])
        #expect(difference.exitCode == 0, "\(difference.output)")
    }
}
