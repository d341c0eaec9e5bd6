import CBLTestSupport
import FoundationEssentials
import Testing

@testable import CBLShell

@Suite struct VersionTests {
    @Test func theChangelogBeginsWithThisVersion() throws {
        let changes = try String(contentsOfFile: Fixtures.package + "/CHANGELOG.md", encoding: .utf8)
        let newest = try #require(changes.split(separator: "\n").first { $0.hasPrefix("## ") })
        #expect(newest.hasPrefix("## \(Shell.version) ("))
    }

    @Test func withoutAnyArgumentsNotEvenItsOwnNameItFails() {
        #expect(Shell.run([]) == ExitCode.failure.rawValue)
    }
}
