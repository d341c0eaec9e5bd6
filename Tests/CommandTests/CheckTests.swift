import CBLTestSupport
import FoundationEssentials
import Testing

/// `cblite check` as people and scripts meet it.
@Suite(.enabled(if: Fixtures.arePresent, Comment(rawValue: Fixtures.absence))) struct CheckTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func copy(_ fixture: String) throws -> String { try Fixtures.copy(fixture + ".cblite2", to: directory) }

    /// A fixture with a document whose body is no Fleece, and one with a wrong flag.
    private func damaged() throws -> String {
        let path = try copy("v4.x/revtrees_4.1")
        let sql = "UPDATE kv_default SET body=x'FFFF' WHERE key='alice'; UPDATE kv_default SET flags=flags|2 WHERE key='hist'"
        let result = try Program.run(["sql", "--writeable", path, sql])
        #expect(result.exitCode == 0)
        return path
    }

    @Test(
        .enabled(if: Fixtures.arePresent, "\(Fixtures.absence)"),
        arguments: [
            ("encrypted-ee/Mac_2.5_AES256.cblite2", "the database is encrypted"), ("none.cblite2", "no such database"),
        ])
    func whatIsSoundButOfAnotherKindIsNotSalvaged(fixture: String, reason: String) throws {
        let directory = try TemporaryDirectory()
        let result = try Program.run(["check", "--salvage", directory.path + "/new.cblite2", Fixtures.path(fixture)])
        #expect(result.errors.contains(reason))
        #expect(result.exitCode == 3)
    }

    @Test func aSoundDatabaseGivesNoOutput() throws {
        let result = try Program.run(["check", Fixtures.path("v4.x/revtrees_4.1.cblite2")])
        #expect(result.exitCode == 0)
        #expect(result.output == "")
        #expect(result.errors == "Checked 18 documents, 3 deleted, 3 collections, 20 indexes, 1 blob: no problems.\n")
    }

    @Test func everyFindingIsALine() throws {
        let path = try damaged()
        let result = try Program.run(["check", path])
        #expect(result.exitCode == 1)
        #expect(result.lines.contains { $0.hasPrefix("error: document \"alice\": its body is damaged") })
        #expect(result.lines.contains { $0.hasPrefix("error: document \"hist\": its flag \"conflicted\" is set") })
        let json = try Program.run(["check", "--json", path])
        #expect(json.exitCode == 1)
        #expect(json.lines.count == result.lines.count)
        #expect(
            json.lines.contains {
                $0.hasPrefix(#"{"severity":"error","kind":"body","collection":"_default","document":"alice","message":"#)
            })
    }

    @Test func readingGoesOnPastADamagedDocument() throws {
        let path = try damaged()
        for arguments in [["cat", "--raw", path, "*"], ["ls", "--body", "--raw", path], ["export", path, "-"]] {
            let result = try Program.run(arguments)
            #expect(result.exitCode == 1, "\(arguments)")
            #expect(result.lines.count == 15, "\(arguments)")
            #expect(result.errors.contains("document \"alice\" is damaged"), "\(arguments)")
        }
    }

    @Test func aRepairCopiesFirstAndChecksAgain() throws {
        let path = try damaged()
        let result = try Program.run(["check", "--repair", path])
        #expect(result.exitCode == 1)
        #expect(result.errors.contains(".before-repair.cblite2"))
        let backup = path.replacing(".cblite2", with: ".before-repair.cblite2")
        #expect(FileManager.default.fileExists(atPath: backup + "/db.sqlite3"))
        let left = try Program.run(["check", path])
        #expect(left.lines.count == 1)
        #expect(try Program.run(["check", "--repair", "--drop-damaged", "--no-backup", path]).exitCode == 0)
        #expect(try Program.run(["check", path]).exitCode == 0)
        #expect(try Program.run(["check", backup]).exitCode == 1)
    }

    @Test func aSoundDatabaseIsNotCopied() throws {
        let path = try copy("v4.x/revtrees_4.1")
        #expect(try Program.run(["check", "--repair", path]).exitCode == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["revtrees_4.1.cblite2"])
    }

    @Test func aFileThatIsCutOffCanBeSalvaged() throws {
        let path = try copy("v3.x/words_db")
        let file = path + "/db.sqlite3"
        let bytes = try Data(contentsOf: URL(filePath: file))
        try bytes.prefix(bytes.count * 9 / 10).write(to: URL(filePath: file))
        let check = try Program.run(["check", path])
        #expect(check.exitCode == 1 && check.errors.contains("--salvage") && !check.errors.contains("--repair"), "\(check.errors)")
        #expect(check.lines.contains("error: db.sqlite3: it is cut off: 1419264 of 1576960 bytes are there"), "\(check.output)")
        // Nothing is copied for a repair that cannot be.
        let refused = try Program.run(["check", "--repair", path])
        #expect(refused.exitCode == 1 && refused.errors.contains("--salvage"), "\(refused.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["words_db.cblite2"])
        // What is there can be read.
        let listing = try Program.run(["cat", "--raw", "-C", "words", path, "*"])
        #expect(listing.exitCode == 1 || listing.lines.count == 300)
        #expect(listing.lines.count > 20)
        #expect(listing.errors.contains("the database is damaged"))
        let target = directory.path + "/rescued.cblite2"
        let result = try Program.run(["check", "--salvage", target, "--drop-damaged", path])
        #expect(result.exitCode == 1)
        #expect(result.lines.contains("error: document \"extwords/word12\": it could not be decoded"))
        #expect(result.errors.contains("Salvaged 318 documents") && result.errors.contains("Checked 318 documents"), "\(result.errors)")
        #expect(try Program.run(["check", target]).exitCode == 0)
        let withDamage = directory.path + "/with-damage.cblite2"
        #expect(try Program.run(["check", "--salvage", withDamage, path]).errors.contains("--drop-damaged"))
        #expect(try Program.run(["check", "--repair", withDamage]).errors.contains("--drop-damaged"))
        #expect(try Program.run(["check", "--repair", "--no-backup", "--drop-damaged", withDamage]).exitCode == 0)
        #expect(try Program.run(["ls", "-C", "words", target]).lines.count > 20)
        #expect(try Program.run(["check", "--salvage", target, path]).errors.contains("already"))
    }

    /// The first sixteen bytes, or all of the header: what stands behind them tells what the file is.
    @Test(arguments: [16, 100]) func aFileWithoutItsFirstBytesCanBeSalvaged(count: Int) throws {
        for fixture in ["v3.x/words_db", "v4.x/revtrees_4.1"] {
            let path = try copy(fixture)
            defer { try? FileManager.default.removeItem(atPath: path) }
            let before = try Program.run(["ls", "-C", "*", path])
            var random = SeededRandom(UInt64(count))
            let noise = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            let file = URL(filePath: path + "/db.sqlite3")
            try (Data(noise) + Data(contentsOf: file).dropFirst(count)).write(to: file)
            #expect(try Program.run(["check", path]).exitCode == 3)
            let target = directory.path + "/rescued-\(count).cblite2"
            defer { try? FileManager.default.removeItem(atPath: target) }
            let result = try Program.run(["check", "--salvage", target, path])
            #expect(result.exitCode == 0, "\(fixture): \(result.output) \(result.errors)")
            #expect(try Program.run(["check", target]).exitCode == 0)
            #expect(try Program.run(["ls", "-C", "*", target]).output.count == before.output.count)
        }
    }

    @Test(arguments: [["check"], ["check", "--no-backup", "x.cblite2"], ["check", "--drop-damaged", "x.cblite2"]])
    func wrongUseIsExplained(_ arguments: [String]) throws {
        #expect(try Program.run(arguments).exitCode == 2)
    }

    @Test func whatCannotBeOpenedIsExitCode3() throws {
        #expect(try Program.run(["check", directory.path + "/none.cblite2"]).exitCode == 3)
        #expect(try Program.run(["check", directory.path]).exitCode == 3)
    }
}
