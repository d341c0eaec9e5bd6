import CouchbaseLiteClassic
import Testing

/// The code of the library's guides, as it stands there: the other files of this folder are made from them.
@Suite struct GuideTests {}

/// Runs the samples of a guide, in a process of their own: their databases are where those of a program are that says nothing about it.
func runGuide(_ samples: () async throws -> Void) async throws {
    let folder = try TemporaryFolder()
    setenv("XDG_DATA_HOME", folder.path, 1)
    try #require(FileManager.default.changeCurrentDirectoryPath(folder.path))
    try await samples()
    withExtendedLifetime(folder) {}
}
