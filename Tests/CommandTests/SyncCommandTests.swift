import CBLStore
import CBLTestSupport
import FoundationEssentials
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
        let events = try scratch.expect(["push", other], flags: ["--json"]).lines
        #expect(events.first?.hasPrefix(#"{"event":"connected","protocol":"BLIP_3+CBMobile_"#) ?? false)
        #expect(
            events.contains {
                $0.hasPrefix(#"{"event":"document","direction":"push","collection":"_default","id":"a","revision":"2-"#)
                    && $0.hasSuffix(#","deleted":true}"#)
            })
        #expect(events.contains { $0.hasPrefix(#"{"event":"status","activity":"busy","documents":"#) })
        #expect(events.last == #"{"event":"ended","pushed":2,"pulled":0,"failed":0,"conflicts":0,"filtered":0}"#)
        let again = try scratch.expect(["push", other], flags: ["--json"]).lines.last
        #expect(again == #"{"event":"ended","pushed":0,"pulled":0,"failed":0,"conflicts":0,"filtered":0}"#)
        #expect(try differences() == "")
    }

    /// One is written as a character, the other as two: to a database they are two.
    @Test func idsThatLookTheSameAreTwo() throws {
        let ids = ["caf\u{E9}", "cafe\u{301}", "\u{212B}", "\u{C5}", "A\u{30A}"]
        for (number, id) in ids.enumerated() { try scratch.expect(["put", id, #"{"n":\#(number)}"#]) }
        try scratch.expect(["push", other])
        #expect(try differences() == "")
        let third = scratch.directory.path + "/third.cblite2"
        #expect(try Program.run(["pull", third, other]).exitCode == 0)
        for (number, id) in ids.enumerated() {
            let found = try Program.run(["cat", "--raw", "--key", "n", third, id]).output
            #expect(found.contains(#""n":\#(number)}"#), "\(number): \(found)")
        }
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
        #expect(copied.exitCode == 0 && copied.errors.contains("\nCompleted 3 docs in "), "\(copied.errors)")
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
            (["export", "--bidi", "-"], 2, "--bidi is for replication"), (["export", "ws://127.0.0.1:1/db"], 1, "connection refused"),
            (["import", "ws://127.0.0.1:1/db"], 1, "connection refused"), (["push"], 2, "PEER is missing"),
            (["push", "x.cblite2", "--user", "ada"], 2, "--user is for servers"),
            (["export", "ws://127.0.0.1:1/db", "--where", "a"], 2, "--filter"),
        ] as [([String], Int32, String)])
    func mistakesAreExplained(words: [String], exitCode: Int32, message: String) throws {
        try scratch.expectFailure(words, exitCode: exitCode, message)
    }

    @Test func whatIsMisspeltIsNotMade() throws {
        try scratch.expect(["mkcoll", "garden.flowers"])
        #expect(try Program.run(["cp", scratch.path, other]).exitCode == 0)
        let new = scratch.directory.path + "/new.cblite2", none = scratch.directory.path + "/none.cblite2"
        for (words, exitCode, message) in [
            (["pull", scratch.path, none], 3, "none.cblite2: no such database"),
            (["pull", new, none], 3, "none.cblite2: no such database"),
            (["sync", "-C", "garden.flours", scratch.path, other], 1, "Did you mean \"garden.flowers\"?"),
            (["pull", "-C", "garden.flours", scratch.path, other], 1, "no collection \"garden.flours\""),
            (["pull", "-C", "garden.flours", new, other], 1, "no collection \"garden.flours\""),
            (["sync", "-C", "garden.flours", new, other], 1, "no collection \"garden.flours\""),
            (["sync", "-C", "garden.flours", scratch.path, none], 1, "no collection \"garden.flours\""),
            (["push", "-C", "garden.flours", scratch.path, none], 1, "no collection \"garden.flours\""),
            (["sync", scratch.path, scratch.path + "/"], 2, "a database cannot be replicated with itself"),
        ] as [([String], Int32, String)] {
            let result = try Program.run(words)
            #expect(result.exitCode == exitCode && result.errors.contains(message), "\(words): \(result.errors)")
        }
        for path in [new, none] { #expect(!FileManager.default.fileExists(atPath: path)) }
        #expect(try scratch.collections() == ["_default", "garden.flowers"])
        #expect(try Program.run(["lscoll", other]).output.contains("flours") == false)
        // What one side has is made on the other.
        #expect(try Program.run(["rmcoll", other, "garden.flowers"]).exitCode == 0)
        #expect(try Program.run(["sync", "-C", "garden.flowers", scratch.path, other]).exitCode == 0)
        #expect(try Program.run(["lscoll", other]).output.contains("garden.flowers"))
    }

    @Test func theResultOfADocumentThatIsRefusedIsTold() throws {
        try scratch.expect(["push", other])
        try scratch.expect(["put", "a", #"{"by":"us"}"#])
        #expect(try Program.run(["put", other, "a", #"{"by":"them"}"#]).exitCode == 0)
        let refused = try scratch.run(["push", other])
        #expect(refused.exitCode == 4 && refused.errors.contains("a: ") && refused.errors.contains("1 in conflict"))
        try scratch.expect(["sync", other])
        #expect(try differences() == "")
    }

    @Test func aServerOnceKnownNeedNotBeNamed() throws {
        let server = try SyncServer(scratch)
        try scratch.expect(["push", server.url])
        try scratch.expect(["put", "d", "{}"])
        let result = try scratch.expect(["push"])
        #expect(result.errors.contains("Pushing to \(server.url).") && result.errors.contains("Completed 1 doc "))
        let elsewhere = try Scratch()
        let second = try SyncServer(elsewhere)
        // It is removed with the last who knows it.
        try withExtendedLifetime(elsewhere) {
            try scratch.expect(["push", second.url])
            try scratch.expectFailure(["push"], exitCode: 2, "this database knows 2 servers")
        }
    }

    @Test func allCollectionsAreReplicatedOnRequest() throws {
        let flowers = try CollectionName(scope: "garden", name: "flowers")
        let server = try SyncServer(scratch, collections: [.default, flowers])
        try scratch.expect(["mkcoll", "garden.flowers"])
        try scratch.expect(["put", "rose", "{}", "-C", "garden.flowers"])
        let some = try scratch.expect(["push", server.url])
        #expect(some.errors.contains("Only the default collection is replicated, not \"garden.flowers\""))
        #expect(try server.documents(in: flowers).isEmpty)
        try scratch.expect(["push", server.url, "--all-collections"])
        #expect(try server.documents(in: flowers).keys.sorted() == ["rose"])
        try scratch.expect(["mkcoll", "weeds"])
        try scratch.expectFailure(["push", server.url, "-C", "*"], "the server has no collection \"weeds\"")
    }

    @Test func importAndExportAreReplicationsWithAServer() throws {
        let server = try SyncServer(scratch)
        try scratch.expect(["export", server.url])
        #expect(try server.documents().keys.sorted() == ["a", "b", "c"])
        try server.put("d", "{}")
        try scratch.expect(["import", server.url, "--idprefix", "x"])
        #expect(try scratch.ids().sorted() == ["a", "b", "c", "d"])
        let copied = try Program.run(["cp", "--limit", "1", server.url, other])
        #expect(copied.exitCode == 0 && copied.errors.contains("--limit has no meaning in a replication"))
        #expect(try differences() == "")
    }

    /// What a pull could not settle stays behind in every push, by its name.
    @Test func aPushNamesWhatIsInConflict() throws {
        try scratch.expect(["push", other])
        try scratch.expect(["put", "a", #"{"by":"us"}"#])
        #expect(try Program.run(["put", other, "a", #"{"by":"them"}"#]).exitCode == 0)
        #expect(try scratch.run(["pull", other, "--conflict", "1/0"]).exitCode == 4)
        for _ in 0..<2 {
            let pushed = try scratch.run(["push", other])
            #expect(
                pushed.exitCode == 4 && pushed.errors.contains("a: it is in conflict here with what came from there"), "\(pushed.errors)")
            #expect(pushed.errors.contains("1 in conflict"))
        }
        let events = try scratch.run(["push", other], flags: ["--json"])
        #expect(events.lines.contains { $0.contains(#""direction":"push","collection":"_default","id":"a""#) && $0.contains(#""code":8"#) })
    }

    /// Revision trees settle with one peer after the other: what is to be said then is no filter's doing.
    @Test func aConflictThatWasSettledWithAnotherPeerSaysSo() throws {
        let scratch = try Scratch(["d": "{}"])
        let peers = ["b", "c"].map { scratch.directory.path + "/\($0).cblite2" }
        for peer in peers { try scratch.expect(["push", peer]) }
        for (peer, count) in zip([scratch.path] + peers, [5, 2, 8]) {
            for number in 0..<count { #expect(try Program.run(["put", peer, "d", "{\"\(count)\":\(number)}"]).exitCode == 0) }
        }
        for peer in peers { try scratch.expect(["pull", peer]) }
        let first = try scratch.run(["sync", peers[0]])
        #expect(first.exitCode == 4 && first.errors.contains("d: it was changed on the other side too"))
        #expect(first.errors.contains("was here before a conflict with another peer was settled") && !first.errors.contains("filter"))
        try scratch.expect(["sync", peers[0], "--reset-checkpoint"])
        let bodies = try ([scratch.path] + peers[..<1]).map { try Program.run(["cat", $0, "d"]).output }
        #expect(Set(bodies).count == 1)
    }

    /// What happened is in files that `logcat` reads, of either form, and its report counts.
    @Test(arguments: [false, true]) func aReplicationWritesALog(isText: Bool) throws {
        let scratch = try Scratch(["a": #"{"n":1}"#, "b": #"{"n":2}"#])
        let (folder, other) = (scratch.directory.path + "/logs", scratch.directory.path + "/other.cblite2")
        let flags = ["--log-dir", folder] + (isText ? ["--log-text"] : [])
        #expect(try Program.run(["push", scratch.path, other, "--log-level", "verbose"] + flags).exitCode == 0)
        let gone = try Program.run(["push", scratch.path, "ws://127.0.0.1:1/none"] + flags)
        #expect(gone.exitCode != 0)
        let report = try Program.run(["logcat", "--report", folder]).output
        #expect(report.contains("\(other)") && report.contains(": 2 documents, ended"), "\(report)")
        #expect(report.contains("ws://127.0.0.1:1/none: 0 documents") && report.contains("What went wrong:"), "\(report)")
        let lines = try Program.run(["logcat", "--domain", "Sync", "--object", "Repl", folder]).output
        #expect(lines.contains("/Repl#1/ documentEnded (push) a 1-") && lines.contains("Connected!"), "\(lines)")
        #expect(try Program.run(["push", scratch.path, other, "--log-text"]).exitCode == 2)
        #expect(try Program.run(["push", scratch.path, other, "--log-dir", scratch.path + "/db.sqlite3"]).exitCode == 1)
    }
}
