import CBLBase
import CBLTestSupport
import CBLWorkbench
import FoundationEssentials
import Testing

/// Databases in ZIP files, as people send them.
@Suite struct PackedDatabaseTests {
    private let scratch: Scratch
    private var folder: String { scratch.directory.path + "/" }

    init() throws { scratch = try Scratch(["a": #"{"n":1,"text":"\#(String(repeating: "word ", count: 400))"}"#, "b": #"{"n":2}"#]) }

    /// What `zip` writes, and what it does not.
    private struct Zip {
        var bytes: [UInt8] = []
        private var list: [UInt8] = []
        private var count = 0

        private static func number(_ value: Int, _ size: Int) -> [UInt8] { (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }

        mutating func add(
            _ name: String, _ content: [UInt8], method: Int = 8, flags: Int = 0, mode: Int = 0o100644, size: Int? = nil,
            checksum: UInt32? = nil, start: Int? = nil, isLarge: Bool = false
        ) throws {
            let packed = method == 8 ? try Self.deflated(content) : content
            var sum = Checksum()
            content.withUnsafeBytes { sum.update($0) }
            let size = size ?? content.count
            let here = start ?? bytes.count
            let common =
                Self.number(20, 2) + Self.number(flags, 2) + Self.number(method, 2) + Self.number(0, 4)
                + Self.number(Int(checksum ?? sum.value), 4)
            bytes += Self.number(0x0403_4B50, 4) + common + Self.number(packed.count, 4) + Self.number(size, 4)
            bytes += Self.number(name.utf8.count, 2) + Self.number(0, 2) + Array(name.utf8) + packed
            let extra = isLarge ? Self.number(1, 2) + Self.number(24, 2) + [size, packed.count, here].flatMap { Self.number($0, 8) } : []
            list += Self.number(0x0201_4B50, 4) + Self.number(3 << 8 | 20, 2) + common
            list += [packed.count, size].flatMap { Self.number(isLarge ? 0xFFFF_FFFF : $0, 4) }
            list += Self.number(name.utf8.count, 2) + Self.number(extra.count, 2) + Self.number(0, 6) + Self.number(mode << 16, 4)
            list += Self.number(isLarge ? 0xFFFF_FFFF : here, 4) + Array(name.utf8) + extra
            count += 1
        }

        private static func deflated(_ bytes: [UInt8]) throws -> [UInt8] {
            let compressor = try Compressor(.raw)
            var result: [UInt8] = []
            bytes.withUnsafeBytes { compressor.encode($0, .finish) { result += $0 } }
            return result
        }

        func finished(isLarge: Bool = false, comment: String = "") -> [UInt8] {
            var all = bytes + list
            if isLarge {
                let end = all.count
                all += Self.number(0x0606_4B50, 4) + Self.number(44, 8) + Self.number(45, 2) + Self.number(45, 2) + Self.number(0, 8)
                all += [count, count, list.count, bytes.count].flatMap { Self.number($0, 8) }
                all += Self.number(0x0706_4B50, 4) + Self.number(0, 4) + Self.number(end, 8) + Self.number(1, 4)
            }
            all += Self.number(0x0605_4B50, 4) + Self.number(0, 4)
            all += [count, count].flatMap { Self.number(isLarge ? 0xFFFF : $0, 2) }
            all += [list.count, bytes.count].flatMap { Self.number(isLarge ? 0xFFFF_FFFF : $0, 4) }
            return all + Self.number(comment.utf8.count, 2) + Array(comment.utf8)
        }
    }

    private func main(of path: String) throws -> [UInt8] { try Array(Data(contentsOf: URL(filePath: path + "/db.sqlite3"))) }

    private func write(_ zip: [UInt8], _ name: String = "backup.zip") throws -> String {
        try Data(zip).write(to: URL(filePath: folder + name))
        return folder + name
    }

    private func privateFolders() -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder + "tmp")) ?? []).filter { $0.hasPrefix("cblite-zip-") }
    }

    private func run(_ words: [String], input: String = "") throws -> Program.Result {
        try FileManager.default.createDirectory(atPath: folder + "tmp", withIntermediateDirectories: true)
        return try Program.run(words, input: input, environment: ["TMPDIR": folder + "tmp"])
    }

    @Test(arguments: [0, 8], [false, true]) func aDatabaseInAZipFileIsRead(method: Int, isLarge: Bool) throws {
        var zip = Zip()
        try zip.add("Documents/", [], method: 0, mode: 0o40755)
        try zip.add("Documents/travel.cblite2/db.sqlite3", main(of: scratch.path), method: method, isLarge: isLarge)
        try zip.add("Documents/travel.cblite2/Attachments/x.blob", [1, 2, 3], method: method)
        try zip.add("__MACOSX/Documents/travel.cblite2/db.sqlite3", [9], method: method)
        let path = try write(zip.finished(isLarge: isLarge, comment: "PK\u{5}\u{6} sent by Ada"))
        let before = try Data(contentsOf: URL(filePath: path))
        for name in [path, path + "/Documents/travel.cblite2", path + "/travel.cblite2/", path + "/travel.cblite2/db.sqlite3"] {
            #expect(try run(["ls", name]).output == "a\nb\n", "\(name)")
        }
        #expect(try run([path], input: "ls\nuse \(path)\nls\nSELECT sum(n) AS s FROM _;\n").output == "a\nb\na\nb\n3\n")
        let listed = try run(["--json", path], input: "databases\n").output
        #expect(listed.contains(#""path":"\#(path)""#), "\(listed)")
        #expect(try run(["diff", scratch.path, path]).exitCode == 0)
        #expect(try run(["cp", path, folder + "copy.cblite2"]).exitCode == 0)
        #expect(try run(["cat", folder + "copy.cblite2", "b", "--raw"]).output.contains(#""n":2"#))
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
        #expect(privateFolders() == [])
    }

    @Test func nothingInItIsChanged() throws {
        var zip = Zip()
        try zip.add("travel.cblite2/db.sqlite3", main(of: scratch.path))
        let path = try write(zip.finished())
        for words in [["put", path, "c", "{}"], ["--writeable", path], ["rm", path, "a"], ["compact", path]] {
            let result = try run(words, input: "ls\n")
            #expect(result.exitCode == 3 && result.errors.contains("can only be read"), "\(words) \(result.errors)")
        }
        #expect(privateFolders() == [])
    }

    @Test func severalAreToldApart() throws {
        var zip = Zip()
        for name in ["a/x.cblite2", "b/x.cblite2", "y.cblite2"] { try zip.add(name + "/db.sqlite3", main(of: scratch.path)) }
        let path = try write(zip.finished())
        let result = try run(["ls", path])
        #expect(result.exitCode == 3 && result.errors.contains("there are 3 databases in it"))
        #expect(result.errors.contains("\(path)/a/x.cblite2"))
        #expect(try run(["ls", path + "/x.cblite2"]).errors.contains("there are 2 databases in it"))
        #expect(try run(["ls", path + "/b/x.cblite2"]).output == "a\nb\n")
        #expect(try run(["ls", path + "/y.cblite2"]).output == "a\nb\n")
        #expect(try run(["ls", path + "/z.cblite2"]).errors.contains("there is no \"z.cblite2\" in it"))
        var top = Zip()
        try top.add("db.sqlite3", main(of: scratch.path))
        try top.add("notes.txt", [1])
        #expect(try run(["ls", try write(top.finished(), "top.zip")]).output == "a\nb\n")
    }

    @Test func whatIsWrongIsSaid() throws {
        func fails(_ text: String, _ make: (inout Zip, [UInt8]) throws -> Void) throws {
            var zip = Zip()
            try make(&zip, try main(of: scratch.path))
            let result = try run(["ls", try write(zip.finished())])
            #expect(result.exitCode == 3 && result.errors.contains(text), "\(text): \(result.errors)")
            #expect(privateFolders() == [])
        }
        let name = "t.cblite2/db.sqlite3"
        try fails("there is no database in it") { try $0.add("readme.txt", $1) }
        try fails("there is no database in it") { try $0.add("../t.cblite2/db.sqlite3", $1) }
        try fails("there is no database in it") { try $0.add("/etc/t.cblite2/db.sqlite3", $1) }
        try fails("there is no database in it") { try $0.add(name, $1, mode: 0o120777) }
        try fails("encrypted with a password") { try $0.add(name, $1, flags: 1) }
        try fails("packed by method 12") { try $0.add(name, $1, method: 12) }
        try fails("another checksum") { try $0.add(name, $1, checksum: 7) }
        try fails("cannot be unpacked") { try $0.add(name, $1, size: 100) }
        try fails("longer than its list") { try $0.add(name, $1, method: 0, size: 100) }
        try fails("not where it should be") { try $0.add(name, $1, start: 5) }
        try fails("is cut off") { try $0.add(name, $1, start: 1 << 30) }
        try fails("free in") { try $0.add(name, $1, size: 1 << 60, isLarge: true) }
        try fails("in it twice") { zip, bytes in
            for _ in 0..<2 { try zip.add(name, bytes) }
        }
        #expect(try run(["ls", try write(Array("PK but nothing else".utf8))]).errors.contains("no list of contents"))
        #expect(try run(["ls", folder + "none.zip"]).exitCode == 3)
    }

    /// Any bytes of it may be others, or missing.
    @Test(arguments: 1...4) func damageNeverLeadsOut(seed: Int) throws {
        var zip = Zip()
        try zip.add("t.cblite2/db.sqlite3", Array(repeating: 7, count: 3000))
        try zip.add("t.cblite2/Attachments/b", [1, 2, 3], method: 0)
        let whole = zip.finished(isLarge: seed % 2 == 0)
        var random = SeededRandom(UInt64(seed))
        for round in 0..<400 {
            var bytes = whole
            for _ in 0...random.below(3) { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
            if random.below(4) == 0 { bytes.removeLast(random.below(bytes.count)) }
            let path = try write(bytes)
            guard let packed = try? PackedDatabases(path) else { continue }
            let target = folder + "out-\(round)"
            for database in packed.databases { try? packed.unpack(database, to: target) { _ in } }
            try? FileManager.default.removeItem(atPath: target)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["backup.zip", "scratch.cblite2"])
    }

    /// What other programs make is read.
    @Test(.enabled(if: Program.isInstalled("python3"), "there is no Python")) func othersZipFilesAreRead() throws {
        let packed = try #require(
            try Program.run(tool: "python3", ["-m", "zipfile", "-c", folder + "made.zip", scratch.path]))
        #expect(packed.exitCode == 0, "\(packed.errors)")
        #expect(try run(["ls", folder + "made.zip"]).output == "a\nb\n")
    }

    @Test func whatAKilledProgramLeftIsRemoved() throws {
        var zip = Zip()
        try zip.add("t.cblite2/db.sqlite3", main(of: scratch.path))
        let path = try write(zip.finished())
        let stale = folder + "tmp/cblite-zip-AAAAAA"
        try FileManager.default.createDirectory(atPath: stale, withIntermediateDirectories: true)
        try Data().write(to: URL(filePath: stale + "/lock"))
        #expect(try run(["ls", path]).exitCode == 0)
        #expect(privateFolders() == [])
    }
}
