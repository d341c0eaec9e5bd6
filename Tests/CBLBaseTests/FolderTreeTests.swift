import CBLBase
import CBLTestSupport
import Glibc
import Testing

@Suite struct FolderTreeTests {
    private let place: TemporaryDirectory
    private var path: String { place.path }

    init() throws { place = try TemporaryDirectory() }

    private func write(_ name: String) { close(open(path + "/" + name, O_CREAT | O_WRONLY, 0o600)) }

    @Test func foldersAreMadeWithThoseTheyLieIn() throws {
        try FolderTree.make(path + "/a/b/c/")
        #expect(FolderTree.isFolder(path + "/a/b/c"))
        // What is there is left alone.
        write("a/b/c/file")
        try FolderTree.make(path + "/a/b/c")
        #expect(try FolderTree.names(in: path + "/a/b/c") == ["file"])
    }

    @Test func whatCannotBeMadeIsNamed() throws {
        write("file")
        for (name, code) in [("file", EEXIST), ("file/below", ENOTDIR)] {
            let failure = try #require(throws: FolderTree.Failure.self) { try FolderTree.make(path + "/" + name) }
            #expect(failure.path == path + "/" + name && failure.errno == code)
            #expect(failure.description == "\(path)/\(name): \(SystemCall.message(code))")
        }
        let failure = try #require(throws: FolderTree.Failure.self) { try FolderTree.make("") }
        #expect(failure.errno == ENOENT)
    }

    @Test func namesAreThoseOfAllThatIsThere() throws {
        for name in ["b", ".hidden", "ä"] { write(name) }
        symlink("nowhere", path + "/link")
        #expect(try FolderTree.names(in: path).sorted() == [".hidden", "b", "link", "ä"])
        for (name, code) in [("none", ENOENT), ("b", ENOTDIR)] {
            let failure = try #require(throws: FolderTree.Failure.self) { _ = try FolderTree.names(in: path + "/" + name) }
            #expect(failure.errno == code)
        }
    }

    /// A link is removed, and what it leads to is not.
    @Test func removingFollowsNoLink() throws {
        for name in ["kept/inside", "gone/deep/deeper"] { try FolderTree.make(path + "/" + name) }
        write("kept/inside/file")
        write("gone/deep/deeper/file")
        symlink(path + "/kept", path + "/gone/link")
        symlink(path + "/kept/inside/file", path + "/gone/deep/fileLink")
        FolderTree.remove(path + "/gone")
        #expect(try FolderTree.names(in: path) == ["kept"])
        #expect(try FolderTree.names(in: path + "/kept/inside") == ["file"])
        symlink(path + "/kept", path + "/link")
        #expect(FolderTree.isFolder(path + "/link") && !FolderTree.isFolder(path + "/link", itself: true))
        FolderTree.remove(path + "/link")
        FolderTree.remove(path + "/never was")
        #expect(try FolderTree.names(in: path) == ["kept"])
    }

    @Test func nothingStaysOpen() throws {
        try FolderTree.make(path + "/a/b")
        let before = try FolderTree.names(in: "/proc/self/fd").count
        for _ in 0..<300 {
            _ = try FolderTree.names(in: path)
            _ = try? FolderTree.names(in: path + "/none")
        }
        FolderTree.remove(path + "/a")
        // Other tests open and close theirs meanwhile.
        #expect(try FolderTree.names(in: "/proc/self/fd").count < before + 200)
    }
}
