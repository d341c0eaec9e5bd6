import CBLTestSupport
import CBLTransport
import FoundationEssentials
import Glibc
import Testing

/// `serve --config`: a file for Couchbase Edge Server, at a terminal.
@Suite(.timeLimit(.minutes(10))) struct ServeEdgeTests {
    private let scratch: Scratch
    private var directory: String { scratch.directory.path }

    init() throws { scratch = try Scratch(["a": #"{"n":1}"#]) }

    private func write(_ text: String, _ name: String = "edge.json") throws -> String {
        let path = directory + "/" + name
        try text.replacing("DIR", with: directory).write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    private let open = #""interface": "127.0.0.1:59840", "enable_anonymous_users": true"#
    private let database =
        #""databases": {"db": {"path": "DIR/scratch.cblite2", "enable_client_writes": true, "enable_client_sync": true}}"#

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP]) func aFileIsServedUntilASignalComes(signal: Int32) throws {
        let path = try write(#"{\#(open), \#(database), "logging": {"file": {"dir": "DIR", "format": "text"}}}"#)
        let server = try ServeRESTTests.Server(["--config", path])
        #expect(try server.send("GET", "db/a/n").text == "1")
        #expect(try server.send("PUT", "db/b", #"{"n":2}"#).status == 201)
        let pulled = try Program.run(["pull", "ws" + server.url.dropFirst("http".count) + "db", directory + "/other.cblite2"])
        #expect(pulled.errors.hasPrefix("Completed 2 docs"), "\(pulled.errors)")
        server.client.close()
        server.program.send(signal: signal)
        let result = server.program.finish()
        #expect(result.exitCode == 0 && result.errors.contains("PUT /db/b -> 201 Created"), "\(result.errors)")
        let logs = try FileManager.default.contentsOfDirectory(atPath: directory).filter { $0.hasPrefix("cbl_info_") }
        let text = try String(contentsOfFile: directory + "/" + (try #require(logs.first)), encoding: .utf8)
        #expect(text.contains("REST Info 127.0.0.1 PUT /db/b -> 201 Created") && text.contains("---- END ----"))
    }

    @Test func encryptedDatabasesAreMadeAndServed() throws {
        func config(_ password: String) throws -> String {
            let database = #"{"path": "DIR/secret.cblite2", "create": true, "enable_client_writes": true, "password": "\#(password)"}"#
            return try write(#"{\#(open), "databases": {"db": \#(database)}}"#)
        }
        for (method, status) in [("PUT", 201), ("GET", 200)] {
            let server = try ServeRESTTests.Server(["--config", try config("letmein")])
            #expect(try server.send(method, "db/a", method == "PUT" ? #"{"text":"MARKER"}"# : nil).status == status)
            #expect(server.stop().exitCode == 0)
        }
        for name in try FileManager.default.contentsOfDirectory(atPath: directory + "/secret.cblite2") {
            let bytes = try Data(contentsOf: URL(filePath: directory + "/secret.cblite2/" + name))
            #expect(bytes.firstRange(of: Data("MARKER".utf8)) == nil, "\(name)")
        }
        let wrong = try Program.run(["serve", "--config", try config("other")])
        #expect(wrong.exitCode == 3 && wrong.errors.contains("not the key") && !wrong.errors.contains("other\""), "\(wrong.errors)")
        #expect(
            try Program.run(["decrypt", "--password=:@" + write("letmein\n", "password"), directory + "/secret.cblite2"]).exitCode == 0)
        let needless = try Program.run(["serve", "--config", try config("letmein")])
        #expect(needless.exitCode == 1 && needless.errors.contains("databases.db.password"), "\(needless.errors)")
    }

    @Test func usersAreAddedWithHashesOfTheirPasswords() throws {
        let path = try write(#"{"interface": "127.0.0.1", \#(database), "users": "DIR/users.json"}"#)
        let added = try Program.run(["serve", "--config", path, "--add-user", "ada:secret", "--role", "admin"])
        #expect(added.exitCode == 0, "\(added.errors)")
        let file = directory + "/users.json"
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.contains("$2b$12$") && !text.contains("secret"))
        var status = stat()
        #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o600)
        let server = try ServeRESTTests.Server(["--config", path])
        #expect(try server.send("GET", "db/a").status == 401)
        #expect(try server.send("GET", "_active_tasks", user: Credentials(user: "ada", password: "secret")).status == 200)
        #expect(try server.send("GET", "db/a", user: Credentials(user: "ada", password: "wrong")).status == 401)
        #expect(server.stop().exitCode == 0)
    }

    @Test(
        arguments: [
            (#"{OPEN, "databases": {"db": {"path": "DIR/scratch.cblite2", "enable_client_wirtes": true}}}"#, 1, "enable_client_writes\"?"),
            (#"{OPEN, "databases": {"db": {"path": "DIR/none.cblite2"}}}"#, 1, "databases.db.path: there is no database"),
            (#"{OPEN, "databases": {"db": {"path": "DIR/scratch.cblite2", "collections": ["none"]}}}"#, 1, "has no collection \"none\""),
            (#"{OPEN, DB, "users": "DIR/none.json"}"#, 1, "none.json"),
            (#"{OPEN, DB, "https": {"tls_cert_path": "DIR/none.pem", "tls_key_path": "DIR/none.pem"}}"#, 1, "none.pem"),
            (#"{OPEN, DB, "logging": {"file": {"dir": "DIR/none"}}}"#, 1, "there is no directory"),
            (#"{OPEN, DB, "logging": {"audit": {"file": "DIR/none/audit"}}}"#, 1, "none/audit"),
            (
                #"{OPEN, DB, "replications": [{"source": "ws://127.0.0.1:1/x", "target": "db", "collections": ["none"]}]}"#, 1,
                "no collection \"none\""
            ),
            (#"{OPEN, DB"#, 1, "line 1"),
        ]) func whatTheFileDoesNotSayRightIsExplained(text: String, exitCode: Int32, message: String) throws
    {
        let path = try write(text.replacing("OPEN", with: open).replacing("DB", with: database))
        let result = try Program.run(["serve", "--config", path, "--port", "0"])
        #expect(result.exitCode == exitCode && result.errors.contains(message), "\(result.exitCode): \(result.errors)")
        #expect(access(directory + "/none.cblite2", F_OK) != 0)
    }

    @Test func flagsThatSayTheSameAreRefused() throws {
        let path = try write(#"{\#(open), \#(database)}"#)
        for words in [["--user", "ada:x"], ["--rest"], ["--read-only"], ["--tls"], [scratch.path]] {
            #expect(try Program.run(["serve", "--config", path] + words).exitCode == 2, "\(words)")
        }
        #expect(try Program.run(["serve", scratch.path, "--add-user", "ada:x"]).exitCode == 2)
        #expect(try Program.run(["serve", "--config", path, "--add-user", "ada:x"]).errors.contains("names no file with users"))
        #expect(try Program.run(["serve", "--config", directory + "/none.json"]).exitCode == 1)
    }
}
