import TestSupport
import Testing

/// `push`, `pull`, `sync` and `cp --replicate`, between databases of this machine; what servers answer is for the tests of the engine.
@Suite struct SyncCommandTests {
    private let scratch: Scratch
    private let other: String

    init() throws {
        scratch = try Scratch(["a": #"{"n":1}"#, "b": #"{"n":2}"#, "c": #"{"n":3}"#])
        other = scratch.directory.path + "/other.cblite2"
    }

    private func differences() throws -> String { try Program.run(["diff", scratch.path, other]).output }

    @Test func onlyWhatChangedIsSent() throws {
        #expect(try scratch.expect(["push", other]).errors.hasPrefix("Completed 3 docs in "))
        #expect(try differences() == "")
        try scratch.expect(["rm", "a"])
        try scratch.expect(["put", "b", #"{"n":"two"}"#])
        try scratch.expect(["push", other], #"{"pushed":2,"pulled":0,"failed":0}"# + "\n", flags: ["--json"])
        try scratch.expect(["push", other], #"{"pushed":0,"pulled":0,"failed":0}"# + "\n", flags: ["--json"])
        #expect(try differences() == "")
    }

    @Test func aSyncGoesBothWays() throws {
        try scratch.expect(["push", other])
        try scratch.expect(["put", "mine", "{}"])
        #expect(try Program.run(["put", other, "theirs", "{}"]).exitCode == 0)
        // The two one-way replications before have checkpoints of their own; nothing is sent twice all the same.
        let result = try scratch.expect(["sync", "-v", other])
        #expect(result.errors.contains("Pushed mine") && result.errors.contains("Pulled theirs"))
        #expect(result.errors.contains("Completed 2 docs in "))
        #expect(try differences() == "")
    }

    @Test func aPullMakesTheDatabaseAndItsCollection() throws {
        try scratch.expect(["put", "rose", #"{"red":true}"#], flags: ["--create"])
        try scratch.expect(["mkcoll", "garden.flowers"])
        try scratch.expect(["mv", "rose", "garden.flowers"])
        let pulled = try Program.run(["pull", "-C", "_default,garden.flowers", other, scratch.path])
        #expect(pulled.exitCode == 0 && pulled.errors.hasPrefix("Completed 4 docs in "), "\(pulled.errors)")
        #expect(try Program.run(["ls", "-C", "garden.flowers", other]).output == "rose\n")
        let third = scratch.directory.path + "/third.cblite2"
        let copied = try Program.run(["cp", "--replicate", scratch.path, third])
        #expect(copied.exitCode == 0 && copied.errors.hasPrefix("Completed 3 docs in "), "\(copied.errors)")
    }

    @Test(
        arguments: [
            (["push", "elsewhere"], 2, "elsewhere: a peer is ws://"),
            (["push", "ws://localhost:4984"], 2, "the name of the database is missing"),
            (["push", "ws://127.0.0.1:1/db"], 1, "connection refused"), (["push", "ftp://host/db"], 2, "a peer is ws://"),
            (["push", "ws://127.0.0.1:1/db", "--user", "ada"], 2, "the password is missing"),
            (["push", "ws://127.0.0.1:1/db", "--header", "nothing"], 2, "--header needs a name"),
            (["push", "ws://127.0.0.1:1/db", "--cacert", "/nonexistent.pem"], 1, "/nonexistent.pem: "),
            (["push", "-x", "nowhere.cblite2"], 3, "no such database"),
            (["push", "-C", "flowers", "x.cblite2"], 1, "no collection \"flowers\""),
            (["export", "--bidi", "-"], 2, "--bidi is for replication"), (["export", "ws://127.0.0.1:1/db"], 2, "with push"),
        ] as [([String], Int32, String)])
    func mistakesAreExplained(words: [String], exitCode: Int32, message: String) throws {
        try scratch.expectFailure(words, exitCode: exitCode, message)
    }

    @Test func theResultOfADocumentThatIsRefusedIsTold() throws {
        try scratch.expect(["push", other])
        try scratch.expect(["put", "a", #"{"by":"us"}"#])
        #expect(try Program.run(["put", other, "a", #"{"by":"them"}"#]).exitCode == 0)
        let refused = try scratch.run(["push", other])
        #expect(refused.exitCode == 1 && refused.errors.contains("a: ") && refused.errors.contains("1 failed"))
        try scratch.expect(["sync", other])
        #expect(try differences() == "")
    }
}
