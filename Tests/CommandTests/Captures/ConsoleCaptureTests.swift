import CBLTestSupport
import Testing

/// What the documentation shows is what the program prints.
@Suite struct ConsoleCaptureTests {
    @Test func theReadmeShowsWhatIsPrinted() throws {
        let count = try ConsoleDocument(path: Fixtures.package + "/README.md").play()
        #expect(count >= 30)
    }

    @Test func theChapterOnTheShellShowsWhatIsPrinted() throws {
        #expect(try ConsoleDocument(path: Fixtures.package + "/docs/shell.md").play() >= 4)
    }

    @Test func theChapterOnHTTPShowsWhatIsPrinted() throws {
        #expect(try CurlDocument(path: Fixtures.package + "/docs/rest.md").play() >= 40)
    }

    @Test func theChapterOnEdgeServersShowsWhatIsPrinted() throws {
        #expect(try CurlDocument(path: Fixtures.package + "/docs/edge.md", port: 59840, hasConfiguration: true).play() >= 14)
    }
}
