import CBLBase
import Testing

@Suite struct PathTextTests {
    @Test(arguments: [
        ("", "", "", ""), ("a", "a", "", "a"), ("/a/b", "b", "/a/", "b"), ("a/b/", "b", "a/b/", ""), ("/", "/", "/", ""),
        // A mark behind a slash makes another `Character` of it.
        ("a/\u{301}b", "\u{301}b", "a/", "\u{301}b"),
    ])
    func pathsAreTakenApartAtEverySlash(path: String, name: String, directory: String, last: String) {
        #expect(PathText.name(path).utf8.elementsEqual(name.utf8))
        #expect(PathText.split(path).directory.utf8.elementsEqual(directory.utf8))
        #expect(PathText.split(path).name.utf8.elementsEqual(last.utf8))
        #expect(PathText.hasSlash(path) == path.utf8.contains(0x2F))
    }

    @Test func foldersComeFromOutside() {
        #expect(PathText.folders(of: "/a/b/c") == ["/a", "/a/b"])
        #expect(PathText.folders(of: "a") == [])
    }

    @Test func endingsAreComparedByBytes() {
        #expect(PathText.hasEnding(".json", "a.json") && !PathText.hasEnding(".json", "a.jso"))
        #expect(PathText.without(".json", "a.json") == "a" && PathText.without(".json", "a.b") == "a.b")
        #expect(PathText.hasEnding("\u{301}", "e\u{301}"))
    }
}
