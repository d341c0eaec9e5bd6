import CBLStore
import CBLTestSupport
import FoundationEssentials
import Testing

/// What is left of damaged 1.x files.
@Suite struct Version1SalvageTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory(inMemory: true) }

    /// Documents with a second revision each, which are in the last pages of the table.
    private func file(_ count: Int) throws -> String {
        let path = directory.path + "/old.cblite2"
        let file = try Version1File(at: path)
        try file.database.execute("BEGIN")
        var first: [Int] = []
        for number in 0..<count {
            first.append(
                try file.add("doc\(number)", "1-aa", #"{"n":\#(number),"text":"\#(String(repeating: "x", count: 300))"}"#, isCurrent: false)
            )
        }
        for number in 0..<count {
            let text = String(repeating: "y", count: 300)
            try file.add("doc\(number)", "2-bb", #"{"n":\#(number),"text":"\#(text)"}"#, after: first[number])
        }
        try file.database.execute("INSERT INTO localdocs VALUES ('_local/x', '1-local', '{\"a\":1}'); COMMIT")
        return path
    }

    private func leaves(_ table: String, of path: String) throws -> [Int] {
        try RawDatabase(path + "/db.sqlite3").rows(
            "SELECT pageno FROM dbstat WHERE name=? AND pagetype='leaf' ORDER BY path", [.text(table)]
        ).compactMap { $0.first?.flatMap { Int($0) } }
    }

    private func damage(_ pages: [Int], of path: String) throws {
        let main = path + "/db.sqlite3"
        var bytes = try Data(contentsOf: URL(filePath: main))
        for page in pages { bytes.replaceSubrange((page - 1) * 4096..<page * 4096, with: Data(repeating: 0x55, count: 4096)) }
        try bytes.write(to: URL(filePath: main))
    }

    private func salvage(_ path: String) throws -> (contents: [String: String], findings: [Finding], summary: Salvage.Summary) {
        let target = directory.path + "/new.cblite2"
        var findings: [Finding] = []
        let summary = try Salvage(from: path, to: target) { findings.append($0) }.run()
        #expect(try CheckerTests.findings(target) == [])
        #expect(summary.lost == findings.count)
        return (try GenerationTests.contents(Database(path: target)), findings, summary)
    }

    @Test(
        .enabled(if: Fixtures.arePresent, "\(Fixtures.absence)"),
        arguments: [
            "android120/androiddb", "android130/androiddb", "ios120/iosdb", "ios130/iosdb", "ios140/iosdb", "net120/netdb", "net130/netdb",
        ])
    func ofASoundFileNothingIsLost(_ name: String) throws {
        let path = Fixtures.path("v1.x/\(name).cblite2")
        let copy = directory.path + "/copy.cblite2"
        let database = try Database(path: path)
        defer { database.close() }
        _ = try database.copy(to: copy) { _, _ in }
        let salvaged = try salvage(path)
        #expect(salvaged.findings == [])
        #expect(try salvaged.contents == GenerationTests.contents(Database(path: copy)))
    }

    @Test func whatALostPageHeldIsNamed() throws {
        let path = try file(400)
        let leaves = try leaves("revs", of: path)
        try damage([leaves[leaves.count - 3], leaves[leaves.count - 8]], of: path)
        let (contents, findings, summary) = try salvage(path)
        #expect(summary.documents == 400)
        #expect(contents.count == 400)
        let older = contents.filter { $0.value.contains("1-aa") }
        #expect(older.count > 10)
        #expect(older.allSatisfy { $0.value.contains("xxx") })
        // For each of them, what is lost and what is in its place.
        #expect(findings.count == 2 * older.count)
        #expect(Set(findings.map { "\(CollectionName.default) \($0.document ?? "")" }) == Set(older.keys))
    }

    @Test func theIDsOfLostRowsComeFromTheirIndex() throws {
        let path = try file(1000)
        let leaves = try leaves("docs", of: path)
        try damage([leaves[0], leaves[2]], of: path)
        let (contents, findings, summary) = try salvage(path)
        #expect(findings == [])
        #expect(summary.documents == 1000)
        #expect(contents.count == 1000)
    }

    @Test func whatComesWithoutItsTablesIsRefused() throws {
        let path = directory.path + "/old.cblite2"
        let file = try Version1File(at: path)
        try file.database.execute("DROP TABLE docs")
        #expect(throws: StoreError.self) { try salvage(path) }
        #expect(!FileManager.default.fileExists(atPath: directory.path + "/new.cblite2"))
    }

    @Test func flippedBitsDoNoMoreHarmThanTheyMust() throws {
        let path = try file(40)
        let main = path + "/db.sqlite3"
        let original = try Data(contentsOf: URL(filePath: main))
        var random = SeededRandom(29)
        var most = 0
        for round in 0..<60 {
            var bytes = original
            for _ in 0..<3 { bytes[Int.random(in: 100..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random) }
            if round.isMultiple(of: 9) { bytes.removeLast(Int.random(in: 1..<bytes.count / 2, using: &random)) }
            try bytes.write(to: URL(filePath: main))
            let target = directory.path + "/\(round).cblite2"
            do {
                most = max(most, try Salvage(from: path, to: target, report: { _ in }).run().documents)
            } catch is StoreError {
                // There was nothing to be had.
            }
            #expect(try Data(contentsOf: URL(filePath: main)) == bytes)
        }
        #expect(most == 40)
    }
}
