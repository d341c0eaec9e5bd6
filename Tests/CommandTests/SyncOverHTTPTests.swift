import CBLTestSupport
import CBLTransport
import Glibc
import Testing

/// `push`, `pull`, `sync` and `cp` with servers at `http://`, which speak CouchDB's protocol.
@Suite(.timeLimit(.minutes(10))) struct SyncOverHTTPTests {
    private let scratch: Scratch
    private var directory: String { scratch.directory.path }

    init() throws { scratch = try Scratch(["a": #"{"n":1}"#, "b": #"{"n":2}"#]) }

    private func run(_ words: [String], environment: [String: String] = [:]) throws -> Program.Result {
        try Program.run(words, environment: environment)
    }

    private func server(_ more: [String] = []) throws -> ServeRESTTests.Server {
        let folder = directory + "/served"
        mkdir(folder, 0o700)
        return try ServeRESTTests.Server(["--rest", "--dir", folder, "--manage"] + more)
    }

    @Test func databasesComeAndGo() throws {
        let server = try server()
        let url = server.url + "db"
        let missing = try run(["push", scratch.path, url])
        #expect(missing.exitCode == 1)
        #expect(missing.errors.contains("\(url): there is no such database (404)") && missing.errors.contains("--create-target"))
        let pushed = try run(["push", scratch.path, url, "--create-target", "-vv"])
        #expect(pushed.exitCode == 0 && pushed.errors.contains("Completed 2 docs"), "\(pushed.errors)")
        #expect(pushed.errors.contains("Connected to \(url): CouchDB") && pushed.errors.contains("Pushed a"))
        #expect(try run(["push", scratch.path]).errors.contains("Completed 0 docs"))

        let copy = directory + "/copy.cblite2"
        #expect(try run(["cp", url, copy]).exitCode == 0)
        #expect(try run(["diff", scratch.path, copy]).exitCode == 0)
        #expect(try server.send("PUT", "db/c", #"{"n":3}"#).status == 201)
        #expect(try run(["put", copy, "d", #"{"n":4}"#]).exitCode == 0)
        let synced = try run(["sync", copy, url, "--json"])
        #expect(
            synced.exitCode == 0 && synced.output.contains(#""event":"ended","pushed":1,"pulled":1"#), "\(synced.output) \(synced.errors)")
        #expect(try server.send("GET", "db/d").text.contains("\"n\":4"))
        _ = server.stop()
    }

    @Test func bothBranchesOfAConflictStayUnlessARuleIsGiven() throws {
        let server = try server()
        let url = server.url + "db"
        #expect(try run(["push", scratch.path, url, "--create-target"]).exitCode == 0)
        let revision = try #require(try server.send("GET", "db/a").text.firstMatch(of: /"_rev":"([^"]*)"/)?.output.1)
        #expect(try server.send("PUT", "db/a?rev=\(revision)", #"{"n":"theirs"}"#).status == 201)
        #expect(try run(["put", scratch.path, "a", #"{"n":"ours"}"#]).exitCode == 0)
        for _ in 0..<2 { #expect(try run(["sync", scratch.path, url]).exitCode == 0) }
        #expect(try server.send("GET", "db/a?conflicts=true").text.contains("_conflicts"))
        #expect(try run(["conflicts", scratch.path]).output.contains("a"))
        #expect(try run(["resolve", scratch.path, "a", "--keep", "local"]).errors.contains("name the revision"))
        let revisions = try server.send("GET", "db/a?conflicts=true").text.matches(of: /"(2-[0-9a-f]+)"/).map { String($0.output.1) }
        let ours = try #require(try revisions.first { try server.send("GET", "db/a?rev=\($0)").text.contains("ours") })
        #expect(try run(["resolve", scratch.path, "a", ours]).exitCode == 0)
        #expect(try run(["push", scratch.path, url]).exitCode == 0)
        let ended = try server.send("GET", "db/a?conflicts=true").text
        #expect(ended.contains("ours") && !ended.contains("_conflicts"), "\(ended)")

        #expect(try run(["put", scratch.path, "b", #"{"n":"ours"}"#]).exitCode == 0)
        let other = try #require(try server.send("GET", "db/b").text.firstMatch(of: /"_rev":"([^"]*)"/)?.output.1)
        #expect(try server.send("PUT", "db/b?rev=\(other)", #"{"n":"theirs"}"#).status == 201)
        // What settles it goes there with the same command.
        #expect(try run(["sync", scratch.path, url, "--conflict", "local"]).exitCode == 0)
        let settled = try server.send("GET", "db/b?conflicts=true").text
        #expect(settled.contains("ours") && !settled.contains("_conflicts"), "\(settled)")
        _ = server.stop()
    }

    @Test func namesAndPasswords() throws {
        let server = try server(["--user", "jane:secret"])
        let url = server.url + "db"
        let push = ["push", scratch.path, url, "--create-target"]
        let stranger = try run(push)
        #expect(stranger.exitCode == 1 && stranger.errors.contains("asks for a user name and a password (401)"), "\(stranger.errors)")
        #expect(try run(push + ["--user", "jane:wrong"]).errors.contains("wrong user name or password (401)"))
        #expect(try run(push + ["--user", "jane:wrong", "--login"]).exitCode == 1)
        #expect(try run(push + ["--user", "jane:secret"]).errors.contains("Completed 2 docs"))
        let copy = directory + "/copy.cblite2"
        #expect(
            try run(["pull", url, copy, "--user", "jane", "--login"], environment: ["CBLITE_PASSWORD": "secret"]).errors.contains(
                "Completed 2 docs"))
        let log = server.stop().errors
        #expect(!log.contains("secret"))
    }

    @Test func theServersFilters() throws {
        let server = try server()
        let url = server.url + "db"
        #expect(try run(["push", scratch.path, url, "--create-target"]).exitCode == 0)
        let design = #"{"filters":{"least":"function(doc, req) { return doc.n >= req.query.n; }"}}"#
        #expect(try server.send("PUT", "db/_design/d", design).status == 201)
        let copy = directory + "/copy.cblite2"
        #expect(try run(["pull", url, copy, "--server-filter", "d/least", "--param", "n=2"]).errors.contains("Completed 1 doc "))
        #expect(try run(["ls", copy]).output == "b\n")
        #expect(try run(["pull", url, copy, "--doc-id", "a"]).errors.contains("Completed 1 doc "))
        #expect(try run(["pull", url, copy, "--server-filter", "d/none"]).exitCode == 1)
        _ = server.stop()
    }

    @Test(arguments: [
        (["push", "ws://localhost:1/db", "--create-target"], "--create-target is for servers at http://"),
        (["push", "http://localhost:1/db", "--login"], "--login needs --user"),
        (["pull", "http://localhost:1/db", "--param", "a=b"], "--param is for --server-filter"),
        (["pull", "http://localhost:1/db", "--server-filter", "a/b", "--param", "=b"], "--param needs NAME=VALUE"),
        (["push", "http://localhost:1/db", "--server-filter", "a/b"], "--server-filter is for what is pulled"),
        (["push", "http://localhost:1/"], "the name of the database is missing"),
    ]) func whatCannotBeMeant(words: [String], said: String) throws {
        let result = try run([words[0], scratch.path] + words.dropFirst())
        #expect(result.exitCode == 2 && result.errors.contains(said), "\(result.errors)")
    }

    @Test func goesOnUntilItIsInterrupted() throws {
        let server = try server()
        let url = server.url + "db"
        #expect(try server.send("PUT", "db").status == 201)
        let program = try RunningProgram(["sync", scratch.path, url, "--continuous", "--json"])
        while !program.outputSoFar.contains(#""activity":"idle""#) { program.readOutput(atLeast: program.outputSoFar.utf8.count + 1) }
        #expect(try server.send("PUT", "db/late", "{}").status == 201)
        while !program.outputSoFar.contains("late") { program.readOutput(atLeast: program.outputSoFar.utf8.count + 1) }
        program.send(signal: SIGINT)
        #expect(program.finish().exitCode == 0)
        #expect(try run(["cat", scratch.path, "late"]).exitCode == 0)
        #expect(try server.send("GET", "db/a").status == 200)
        _ = server.stop()
    }
}
