import CBLTestSupport
import Testing

/// A document whose row and revision tree say different things of its revision: it is named, and a replication comes to its end without it.
@Suite struct HostileVersionTests {
    @Test(arguments: ["12", "9223372036854775807", "-5", "1.5", "'text'", "x'01'", "NULL", "'1-abcdef'"], ["pull", "push", "sync"])
    func aReplicationEnds(_ version: String, _ command: String) throws {
        let directory = try TemporaryDirectory()
        let (path, other) = (directory.path + "/hostile.cblite2", directory.path + "/other.cblite2")
        for (database, id) in [(path, "bad"), (path, "good"), (other, "own")] {
            try #require(try Program.run(["--create", "put", database, id, #"{"a":1}"#]).exitCode == 0)
        }
        let changed = try Program.run(["sql", "--writeable", path, "UPDATE kv_default SET version = \(version) WHERE key = 'bad'"])
        try #require(changed.exitCode == 0, "\(changed.errors)")
        let result = try Program.run([command] + (command == "pull" ? [other, path] : [path, other]))
        #expect(!result.timedOut && result.exitCode == 1)
        #expect((result.output + result.errors).contains("document \"bad\" is damaged"), "\(result.output)\(result.errors)")
        #expect(try Program.run(["ls", other]).output.contains("good"))
        #expect(try !Program.run(["ls", other]).output.contains("bad"))
    }
}
