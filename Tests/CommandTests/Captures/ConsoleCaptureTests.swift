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

    @Test func theCookbookShowsWhatIsPrinted() throws {
        let path = Fixtures.package + "/docs/cookbook.md"
        #expect(try ConsoleDocument(path: path).play() >= 150)
        let recipes = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n### ").dropFirst()
        #expect(recipes.count >= 20)
        for recipe in recipes {
            let title = recipe.prefix { $0 != "\n" }
            #expect(recipe.contains("\n```\n$ "), "\(title)")
        }
    }

    @Test func theChapterOnHTTPShowsWhatIsPrinted() throws {
        #expect(try CurlDocument(path: Fixtures.package + "/docs/rest.md").play() >= 40)
    }

    @Test func theChapterOnEdgeServersShowsWhatIsPrinted() throws {
        #expect(try CurlDocument(path: Fixtures.package + "/docs/edge.md", port: 59840, hasConfiguration: true).play() >= 14)
    }
}
