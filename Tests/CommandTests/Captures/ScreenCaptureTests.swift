import CBLTestSupport
import FoundationEssentials
import Testing

/// The interactive shell as it looks: see `ScreenScript`.
@Suite struct ScreenCaptureTests {
    private static let folder = Fixtures.package + "/Tests/CommandTests/Screens/"
    private static let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter { $0.hasSuffix(".txt") }
        .sorted()

    @Test(arguments: names) func looksAsItDid(name: String) throws {
        try ScreenScript(path: ScreenCaptureTests.folder + name).play()
    }

    @Test func screensAreThere() { #expect(ScreenCaptureTests.names.count >= 12) }
}
