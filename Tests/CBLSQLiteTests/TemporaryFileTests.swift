import CBLTestSupport
import Foundation
import Testing

@testable import CBLSQLite

/// What SQLite sorts in is given up when the statement has ended, and nobody waits for it.
@Suite struct TemporaryFileTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// The descriptor of the largest temporary file, and what it leads to, while a statement sorts so many kilobytes.
    private func sort(kilobytes: Int, _ connection: Connection) throws -> (descriptor: String, name: String, size: UInt64) {
        try connection.execute("DROP TABLE IF EXISTS t")
        for setting in ["cache_size=2000", "synchronous=off"] { try connection.execute("PRAGMA " + setting) }
        try connection.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b BLOB)")
        try connection.execute(
            "WITH r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < \(kilobytes)) INSERT INTO t SELECT i, randomblob(1000) FROM r")
        try connection.execute("PRAGMA cache_size=5")
        let before = Set(try temporaryFiles().map(\.name))
        return try connection.withStatement("SELECT b, a FROM t ORDER BY b") { statement in
            #expect(try statement.step())
            let made = try temporaryFiles().filter { !before.contains($0.name) }
            return try #require(made.max { $0.size < $1.size })
        }
    }

    private func temporaryFiles() throws -> [(descriptor: String, name: String, size: UInt64)] {
        let folder = "/proc/self/fd/"
        return try FileManager.default.contentsOfDirectory(atPath: folder).compactMap { descriptor in
            guard let name = leadsTo(descriptor), name.contains("etilqs") else { return nil }
            var status = stat()
            guard stat(folder + descriptor, &status) == 0 else { return nil }
            return (descriptor, name, UInt64(status.st_size))
        }
    }

    private func leadsTo(_ descriptor: String) -> String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + descriptor)
    }

    @Test func aLargeOneIsClosedAside() async throws {
        let connection = try Connection(path: directory.path + "/a.db", mode: .create)
        for _ in 0..<3 {
            let file = try sort(kilobytes: 3000, connection)
            let start = ContinuousClock.now
            let isOpen = leadsTo(file.descriptor) == file.name
            // A machine that stands still for so long has closed it meanwhile.
            if ContinuousClock.now - start < .milliseconds(40) { #expect(isOpen && file.size > 1 << 20) }
            let end = start + .seconds(60)
            while leadsTo(file.descriptor) == file.name, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(10)) }
            #expect(leadsTo(file.descriptor) != file.name)
        }
        #expect(try connection.strings("PRAGMA integrity_check") == ["ok"])
    }

    @Test func aSmallOneIsClosedAtOnce() throws {
        let connection = try Connection(path: directory.path + "/a.db", mode: .create)
        let file = try sort(kilobytes: 600, connection)
        #expect(file.size > 0 && file.size < 1 << 20)
        #expect(leadsTo(file.descriptor) != file.name)
    }
}
