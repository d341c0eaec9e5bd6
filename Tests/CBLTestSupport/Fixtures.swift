import FoundationEssentials

/// The databases that other programs wrote, and the reference vectors. They lie beside the package, and are not part of it.
///
///     @Test(.enabled(if: Fixtures.arePresent, Fixtures.absence)) func …
package enum Fixtures {
    /// The package's own folder.
    package static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path
    private static let shared = package + "/../shared"

    package static let arePresent = FileManager.default.fileExists(atPath: shared + "/fixtures/README.md")
    package static let absence = "the folder ../shared/fixtures is not there"

    /// The path of a fixture, for example `v4.x/revtrees_4.1.cblite2`. Never opened in place for writing: see `copy`.
    package static func path(_ name: String) -> String { shared + "/fixtures/" + name }

    /// The path of reference vectors, for example `blip`.
    package static func vectors(_ name: String) -> String { shared + "/vectors/" + name }

    /// The lines of a text fixture. There are some: with none, whoever goes through them would test nothing.
    package static func lines(_ name: String) throws -> [String] {
        let lines = try String(contentsOfFile: path(name), encoding: .utf8).split(separator: "\n").map(String.init)
        guard !lines.isEmpty else { throw CocoaError(.fileReadCorruptFile) }
        return lines
    }

    /// Copies a bundle into a directory, writable, and gives the copy's path.
    package static func copy(_ name: String, to directory: TemporaryDirectory) throws -> String {
        let target = directory.path + "/" + URL(filePath: name).lastPathComponent
        try FileManager.default.copyItem(atPath: path(name), toPath: target)
        try makeWritable(target)
        return target
    }

    private static func makeWritable(_ path: String) throws {
        var isDirectory = false
        _ = FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
        try FileManager.default.setAttributes([.posixPermissions: isDirectory ? 0o755 : 0o644], ofItemAtPath: path)
        guard isDirectory else { return }
        for name in try FileManager.default.contentsOfDirectory(atPath: path) { try makeWritable(path + "/" + name) }
    }
}
