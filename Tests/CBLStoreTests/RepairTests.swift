import CBLSQLite
import CBLTestSupport
import Testing

@testable import CBLStore

/// What a check calls repairable is mended, and nothing else is changed.
@Suite struct RepairTests {
    let checker: CheckerTests

    init() throws { checker = try CheckerTests() }

    @Test(arguments: CheckerTests.bundles) func aSoundFileKeepsItsDocuments(_ bundle: SoundBundle) throws {
        let path = try bundle.make(in: checker.directory)
        let before = try GenerationTests.contents(Database(path: path))
        do {
            let database = try Database(path: path, options: .readWrite)
            let summary = try database.repair()
            #expect(summary == Database.RepairSummary())
            database.close()
        }
        #expect(try GenerationTests.contents(Database(path: path)) == before)
        #expect(try CheckerTests.findings(path) == [])
    }

    @Test(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)"), arguments: CheckerTests.damages) func whatIsRepairableIsMended(
        _ damage: CheckerTests.Damage
    ) throws {
        let path = try checker.damaged("v4.x/revtrees_4.1", damage.sql)
        let before = try CheckerTests.findings(path).filter { $0.repair != .automatic }
        do {
            let database = try Database(path: path, options: .readWrite)
            let summary = try database.repair()
            #expect(summary.failures == [])
            #expect(summary.dropped == [])
            database.close()
        }
        let after = try CheckerTests.findings(path)
        #expect(after.filter { $0.repair == .automatic } == [])
        // What cannot be mended is neither more nor less than before.
        #expect(Set(after.compactMap(\.document)) == Set(before.compactMap(\.document)))
    }

    @Test(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)")) func undecodableDocumentsAreDroppedOnlyIfToldTo() throws {
        let path = try checker.damaged("v4.x/revtrees_4.1", "UPDATE kv_default SET body=x'7001FFFF' WHERE key='alice'")
        let database = try Database(path: path, options: .readWrite)
        #expect(try database.repair().dropped == [])
        let purges = try database.read { try $0.purgeCount(of: .default) }
        #expect(try database.repair(.init(dropsDamaged: true)).dropped.map(\.id) == ["alice"])
        #expect(try database.read { try $0.purgeCount(of: .default) } == purges + 1)
        database.close()
        #expect(try CheckerTests.findings(path) == [])
    }

    @Test(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)")) func theVendorsSwappedTombstonesAreMended() throws {
        let path = try Fixtures.copy("v4.x/upgraded_3.0_by_4.1.cblite2", to: checker.directory)
        let database = try Database(path: path, options: .readWrite)
        _ = try database.repair()
        database.close()
        #expect(try CheckerTests.findings(path) == [])
    }

    @Test(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)")) func aCopyKeepsIdentityAndDamage() throws {
        let path = try checker.damaged("v4.x/revtrees_4.1", "UPDATE kv_default SET flags=flags|2 WHERE key='alice'")
        let database = try Database(path: path)
        let copy = checker.directory.path + "/copy.cblite2"
        try database.backUp(to: copy)
        let identity = try database.read { $0.publicUUID }
        #expect(try Database(path: copy).read { $0.publicUUID } == identity)
        #expect(try CheckerTests.findings(copy) == CheckerTests.findings(path))
        #expect(throws: StoreError.self) { try database.backUp(to: copy) }
    }

    @Test(arguments: CheckerTests.bundles) func aSalvageLosesNothingOfASoundFile(_ bundle: SoundBundle) throws {
        let target = checker.directory.path + "/salvaged.cblite2"
        let source = try bundle.make(in: checker.directory)
        var findings: [Finding] = []
        let summary = try Salvage(from: source, to: target) { findings.append($0) }.run()
        #expect(findings.filter { $0.subject != "SharedKeys" } == [])
        #expect(summary.lost == findings.count)
        #expect(try GenerationTests.contents(Database(path: target)) == GenerationTests.contents(Database(path: source)))
        #expect(try Database(path: target).read { $0.generation } == Database(path: source).read { $0.generation })
        #expect(try CheckerTests.findings(target) == [])
    }
}
