import CBLTestSupport
import Testing

@Suite struct RestoredDifferenceTests {
    /// A restored database is another one, so what the first calls `*` has a name in the second. They are the same revisions all the same.
    @Test(.enabled(if: Fixtures.arePresent, Comment(rawValue: Fixtures.absence)), arguments: ["v4.x/vectors_4.1", "v4.x/revtrees_4.1"])
    func aRestoredDatabaseHasTheSameRevisions(_ name: String) throws {
        let directory = try TemporaryDirectory()
        let original = try Fixtures.copy(name + ".cblite2", to: directory)
        let (archive, restored) = (directory.path + "/archive", directory.path + "/restored.cblite2")
        #expect(try Program.run(["dump", original, archive]).exitCode == 0)
        #expect(try Program.run(["restore", restored, archive]).exitCode == 0)
        let same = try Program.run(["diff", "--revs", original, restored])
        #expect(same.exitCode == 0 && same.output.isEmpty, "\(same.output)")

        #expect(try Program.run(["put", restored, "alice", "{}"]).exitCode == 0)
        let different = try Program.run(["diff", "--revs", original, restored])
        #expect(different.exitCode == 1)
        #expect(different.lines.contains { $0.hasPrefix("~ alice") })
        #expect(different.lines.count == 2)
    }
}
