import CBLTestSupport
import CBLTransport
import FoundationEssentials
import Glibc
import Testing

/// `serve --rest`, and clients of HTTP.
@Suite(.timeLimit(.minutes(10))) struct ServeRESTTests {
    private let scratch: Scratch
    private var directory: String { scratch.directory.path }

    init() throws { scratch = try Scratch(["a": #"{"n":1}"#, "b": #"{"n":2}"#]) }

    struct Server {
        let program: RunningProgram
        /// `http://localhost:50000/`
        let url: String
        let client = HTTPClient()

        init(_ words: [String]) throws {
            program = try RunningProgram(["serve", "--port", "0"] + words)
            program.readOutput(atLeast: 1)
            while !program.outputSoFar.contains("\n") { program.readOutput(atLeast: program.outputSoFar.utf8.count + 1) }
            url = String(program.outputSoFar.prefix { $0 != "\n" })
        }

        func send(_ method: String, _ path: String, _ json: String? = nil, user: Credentials? = nil) throws -> (status: Int, text: String) {
            var request = HTTPClientRequest(method, try PeerURL(url + path), body: json.map { .bytes(Array($0.utf8)) } ?? .none)
            request.credentials = user
            request.isRepeatable = false
            let answer = try client.send(request)
            return (answer.head.status, String(decoding: try answer.readAll(), as: UTF8.self))
        }

        func stop() -> Program.Result {
            client.close()
            program.send(signal: SIGINT)
            return program.finish()
        }
    }

    private func run(_ words: [String]) throws -> Program.Result { try Program.run(words) }

    @Test func aDatabaseIsThereOverHTTPAndForReplicators() throws {
        let server = try Server(["--rest", "-v", scratch.path])
        #expect(server.url.hasPrefix("http://localhost:"))
        #expect(server.program.outputSoFar.contains("ws://localhost:") && server.program.outputSoFar.contains("/scratch\n"))
        #expect(try server.send("GET", "scratch/a").text.contains("\"n\":1"))
        #expect(try server.send("PUT", "scratch/c", #"{"n":3}"#).status == 201)
        let pulled = try run(["pull", "ws" + server.url.dropFirst("http".count) + "scratch", directory + "/other.cblite2"])
        #expect(pulled.errors.hasPrefix("Completed 3 docs"), "\(pulled.errors)")
        // What is named cannot be made or deleted.
        #expect(try server.send("PUT", "new").status == 403)
        #expect(try server.send("DELETE", "scratch").status == 403)
        let result = server.stop()
        #expect(result.exitCode == 0)
        for line in ["200 GET /scratch/a (127.0.0.1)", "201 PUT /scratch/c", "3 sent, 4 requests answered."] {
            #expect(result.errors.contains(line), "\(result.errors)")
        }
        #expect(try run(["cat", scratch.path, "c"]).output.contains("3"))
    }

    @Test func aDirectoryIsServedAsLiteServDid() throws {
        let server = try Server(["--dir", directory, "--auth", "--cors"])
        #expect(try server.send("GET", "_all_dbs").status == 401)
        let words = try #require(server.stop().errors.split(separator: "\n").first { $0.contains("password of \"cbl\"") })
        #expect(words.split(separator: " ").last?.utf8.count == 17)
    }

    @Test func databasesOfADirectoryAreMadeIfThatIsAllowed() throws {
        for (words, status) in [([], 403), (["--manage"], 201), (["--manage", "--read-only"], 403)] as [([String], Int)] {
            let server = try Server(["--rest", directory] + words)
            #expect(try server.send("GET", "_all_dbs").text == #"["scratch"]"#)
            #expect(try server.send("PUT", "new").status == status, "\(words)")
            if status == 201 {
                #expect(try server.send("PUT", "new/x", "{}").status == 201)
                #expect(try run(["ls", directory + "/new.cblite2"]).output == "x\n")
                #expect(try server.send("DELETE", "new").status == 200)
                #expect(access(directory + "/new.cblite2", F_OK) != 0)
            }
            #expect(server.stop().exitCode == 0)
        }
    }

    @Test func whatRevisionsSaidIsKeptIfThatIsAskedFor() throws {
        for (words, status) in [([scratch.path], 404), ([scratch.path, "--keep-bodies"], 200), ([directory, "--keep-bodies"], 200)] {
            let server = try Server(["--rest"] + words)
            #expect(try server.send("PUT", "scratch/old", #"{"n":1}"#).status == 201)
            let first = try #require(try server.send("GET", "scratch/old").text.split(separator: "\"").first { $0.hasPrefix("1-") })
            #expect(try server.send("PUT", "scratch/old?rev=\(first)", #"{"n":2}"#).status == 201)
            #expect(try server.send("GET", "scratch/old?rev=\(first)").status == status, "\(words)")
            #expect(server.stop().exitCode == 0)
            #expect(try run(["cat", scratch.path, "old", "--revision", String(first)]).exitCode == (status == 200 ? 0 : 1))
            #expect(try run(["compact", scratch.path, "--old-bodies"]).exitCode == 0)
            #expect(try run(["cat", scratch.path, "old", "--revision", String(first)]).exitCode == 1)
            #expect(try run(["purge", scratch.path, "old"]).exitCode == 0)
        }
    }

    @Test func whoLetsInPagesOfAnywhereIsWarned() throws {
        let warning = "every web page that somebody opens on this machine can read and change"
        #expect(try Server(["--rest", scratch.path, "--cors"]).stop().errors.contains(warning))
        #expect(try !Server(["--rest", scratch.path, "--cors", "--auth"]).stop().errors.contains(warning))
        #expect(try !Server(["--rest", scratch.path, "--allow-origin", "https://app.example"]).stop().errors.contains(warning))
    }

    @Test(
        arguments: [
            (["--manage"], 2, "--manage is for the REST API"), (["--keep-bodies"], 2, "--keep-bodies is for the REST API"),
            (["--dir", "/nonexistent"], 1, "there is no such directory"),
            (["--dir", "/tmp", "/var"], 2, "only one directory"),
            (["--dir", "/tmp", "-C", "flowers"], 2, "not for those of a directory"), (["--rest"], 2, "DATABASE is missing"),
        ] as [([String], Int32, String)])
    func mistakesAreExplained(words: [String], exitCode: Int32, message: String) throws {
        let result = try run(["serve", "--port", "0"] + words)
        #expect(result.exitCode == exitCode && result.errors.contains(message), "\(result.exitCode): \(result.errors)")
    }

    /// What a browser makes of the page: it shows documents, and runs nothing that is in them.
    @Test(.enabled(if: Program.isInstalled("chromium"), "no browser is installed")) func aBrowserShowsDocuments() throws {
        let server = try Server(["--rest", scratch.path])
        let text = #"{"text":"<img src=x onerror='document.title=1'>"}"#
        #expect(try server.send("PUT", "scratch/%3Cb%3Ebold", text).status == 201)
        let words = ["--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=\(directory)/profile", "--virtual-time-budget=10000"]
        let place = "_browse#scratch/_default._default/%3Cb%3Ebold"
        let browser = try #require(try Program.run(tool: "chromium", words + ["--dump-dom", server.url + place]))
        let page = browser.output
        #expect(page.contains("<li>a</li><li>b</li>") || page.contains(">a</li>"), "\(browser.errors)")
        #expect(page.contains("3 documents, sequence 3") && page.contains("&lt;b&gt;bold") && page.contains("<title>cblite</title>"))
        #expect(page.contains("id=\"document\"><h1 id=\"title\">"), "the document is shown")
        #expect(server.stop().exitCode == 0)
    }

    /// Whatever was acknowledged is there when the server is killed.
    @Test func acknowledgedDocumentsSurvive() throws {
        var acknowledged: [String] = []
        for round in 0..<3 {
            let server = try Server(["--rest", scratch.path])
            for number in 0..<20 + round * 17 {
                let id = "r\(round)-\(number)"
                let docs = (0..<5).map { #"{"_id":"\#(id)-\#($0)"}"# }.joined(separator: ",")
                guard try server.send("POST", "scratch/_bulk_docs", #"{"docs":[\#(docs)]}"#).status == 201 else { continue }
                acknowledged += (0..<5).map { "\(id)-\($0)" }
            }
            server.program.send(signal: SIGKILL)
            server.client.close()
            _ = server.program.finish()
        }
        #expect(acknowledged.count == 5 * (20 + 37 + 54))
        let present = try run(["ls", scratch.path]).output
        let missing = acknowledged.filter { !present.contains($0) }
        #expect(missing.isEmpty)
        #expect(try run(["check", scratch.path]).exitCode == 0)
    }
}
