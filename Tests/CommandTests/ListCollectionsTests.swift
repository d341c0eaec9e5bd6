import CBLTestSupport
import Testing

@Suite(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)")) struct ListCollectionsTests {
    private let database = Fixtures.path("v4.x/revtrees_4.1.cblite2")

    @Test func collectionsAreCounted() throws {
        let result = try Program.run(["lscoll", database])
        #expect(
            result.output == """
                Collection  Documents  Deleted  Expiring
                ----------  ---------  -------  --------
                _default           16        2         1
                things              1        0         0
                CRM.People          1        1         0

                """)
        #expect(result.exitCode == 0)
    }

    @Test func programsGetJSONLines() throws {
        let result = try Program.run([database, "lscoll", "--json"])
        #expect(result.lines.count == 3)
        #expect(result.lines.last == #"{"collection":"CRM.People","documents":1,"deleted":1,"expiring":0}"#)
    }

    @Test(arguments: ["/nonexistent.cblite2", "/usr"])
    func whatCannotBeOpenedIsExitCodeThree(path: String) throws {
        let result = try Program.run(["lscoll", path])
        #expect(result.exitCode == 3)
        #expect(result.errors.hasPrefix("cblite: \(path): "))
        #expect(result.output.isEmpty)
    }

    @Test func aReaderThatWentAwayIsNoError() throws {
        let program = try RunningProgram(["lscoll", database])
        program.closeOutput()
        let result = program.finish()
        #expect(result.exitCode == 0)
        #expect(result.errors.isEmpty)
    }
}
