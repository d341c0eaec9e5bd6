import CBLTestSupport
import CBLTransport
import FoundationEssentials
import Glibc
import Synchronization
import Testing

/// `embed`: programs and services of all kinds, good and bad.
@Suite struct EmbedCommandTests {
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch(["a": #"{"t":"one"}"#, "b": #"{"t":"three"}"#, "c": #"{"t":"x"}"#, "d": #"{"other":1}"#])
        try scratch.expect(
            ["mkindex", "near", "t"], "Created index \"near\"\n", flags: ["--vector", "--dimensions", "2", "--centroids", "1", "--lazy"])
    }

    /// Makes a vector of the length of a line, and notes what it was asked.
    private func measuring() throws -> String {
        let path = scratch.directory.path + "/measure.sh"
        let program = """
            while read -r line; do
                printf '%s\\n' "$line" >> "\(scratch.directory.path)/asked"
                if [ "$line" = null ]; then echo null; else printf '[%d, 0]\\n' "${#line}"; fi
            done
            echo ended >> "\(scratch.directory.path)/asked"

            """
        try Data(program.utf8).write(to: URL(filePath: path))
        return "sh '\(path)'"
    }

    /// What the program was asked since the last time.
    private func asked() throws -> [String] {
        let path = scratch.directory.path + "/asked"
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return [] }
        unlink(path)
        return text.split(separator: "\n").map(String.init)
    }

    /// The documents that are found, the nearest to [0,0] first.
    private func found() throws -> [String] {
        let query = "SELECT META().id FROM _ ORDER BY APPROX_VECTOR_DISTANCE(t, [0, 0]) LIMIT 100"
        return try scratch.expect(["query", "--json", query]).lines.map { String($0.dropFirst(7).dropLast(2)) }
    }

    // Programs

    @Test func aProgramGivesEachDocumentItsVector() throws {
        let program = try measuring()
        #expect(try found().isEmpty)
        try scratch.expect(["embed", "near"], "3 vectors stored\n", flags: ["--command", program])
        #expect(try asked() == [#""one""#, #""three""#, #""x""#, "ended"])
        #expect(try found() == ["c", "a", "b"])
        // Nothing waits any more, so nobody is asked.
        let again = try scratch.expect(["embed", "near"], "", flags: ["--command", program])
        #expect(again.errors == "No document waits for a vector.\n")
        #expect(try asked().isEmpty)
        // What changes has no vector until it is given one.
        try scratch.expect(["put", "--update", "c", #"{"t":"much longer now"}"#])
        try scratch.expect(["put", "e", #"{"t":null}"#])
        try scratch.expect(["put", "f", #"{"t":{"a":[1]}}"#])
        #expect(try found() == ["a", "b"])
        try scratch.expect(["embed", "_default.near"], "2 vectors stored, 1 without\n", flags: ["--command", program])
        #expect(try asked() == [#""much longer now""#, "null", #"{"a":[1]}"#, "ended"])
        #expect(try found() == ["a", "b", "f", "c"])
        try scratch.expect(["check"])
        // With another model, all of it anew.
        try scratch.expect(["embed", "near"], "5 vectors stored\n", flags: ["--all", "--command", "while read l; do echo '[1,1]'; done"])
        #expect(try found().count == 5)
    }

    @Test func itGoesOnWhereItStopped() throws {
        let program = try measuring()
        let first = try scratch.expect(["embed", "near"], flags: ["--json", "--limit", "2", "--batch", "1", "--command", program])
        #expect(first.output == #"{"collection":"_default","index":"near","vectors":2,"withoutVector":0,"complete":false}"# + "\n")
        #expect(try asked() == [#""one""#, #""three""#, "ended"])
        let second = try scratch.expect(["embed", "near"], "1 vector stored\n", flags: ["--limit", "1", "--command", program])
        #expect(second.errors.isEmpty || second.errors.contains("More documents wait"))
        #expect(try asked() == [#""x""#, "ended"])
        let last = try scratch.expect(["embed", "near"], flags: ["--json", "--command", program])
        #expect(last.output == #"{"collection":"_default","index":"near","vectors":0,"withoutVector":0,"complete":true}"# + "\n")
        try scratch.expect(["put", "e", #"{"t":"more"}"#])
        let part = try scratch.expect(["embed", "near"], flags: ["--limit", "0", "--command", program])
        #expect(part.errors.contains("More documents wait: the next run goes on from here."))
        #expect(try found() == ["c", "a", "b"])
    }

    @Test func blobsArriveWithTheirContent() throws {
        let file = scratch.directory.path + "/picture.txt"
        try Data("socks on Knox".utf8).write(to: URL(filePath: file))
        try scratch.expect(["put", "p", "{}"])
        try scratch.expect(["blob", "put", "p", "t", file])
        try scratch.expect(["embed", "near"], flags: ["--command", try measuring()])
        #expect(try asked().contains { $0.contains(#""data":"c29ja3Mgb24gS25veA==""#) })
    }

    static let bad: [(program: String, message: String)] = [
        ("exit 3", #"document "b": the program gave no answer: "read l; echo '[1,0]'; exit 3" ended with exit status 3"#),
        ("kill -9 $$", "was ended by signal 9"), ("exec >&-; cat >/dev/null", "closed its output"),
        ("while read l; do echo hello; done", #"document "b": the program gave no line of JSON"#),
        ("while read l; do echo; done", "the line is empty"),
        ("while read l; do echo '[1]'; done", #"document "b": the answer has 1 numbers, where the index has 2"#),
        ("while read l; do echo '[1,2,3]'; done", "the answer has 3 numbers, where the index has 2"),
        ("while read l; do echo '[1,\"2\"]'; done", #"document "b": the program answered with an array in which a text is"#),
        ("while read l; do echo '[1,null]'; done", "in which null is"),
        ("while read l; do echo '[1,1e300]'; done", "too large for a vector"),
        ("while read l; do echo '{\"a\":[1,2]}'; done", "answered with an object, not with an array of numbers or null"),
        ("while read l; do echo 7; done", "answered with a number"), ("while read l; do echo '\"AAAA\"'; done", "answered with a text"),
        ("while read l; do printf '[1,2]\\n[1,2]\\n'; done", "answered more than it was asked"),
        ("while read l; do echo '{\"error\":\"out of paper\"}'; done", #"document "b": the program says: out of paper"#),
        ("while read l; do printf '\\033[31m\\n'; done", "gave no line of JSON"), ("read l; printf '[1'; exit 4", "exit status 4"),
    ]

    @Test(arguments: bad) func aBadAnswerIsToldAndWhatWasDoneIsKept(program: String, message: String) throws {
        let result = try scratch.run(["embed", "near"], flags: ["--command", "read l; echo '[1,0]'; " + program])
        #expect(result.exitCode == 1 && result.output.isEmpty && !result.timedOut)
        #expect(result.errors.contains(message) && result.errors.contains(#"document "b""#), "\(result.errors)")
        #expect(result.errors.contains("1 document was looked at before, which is kept: the next run goes on from there."))
        #expect(result.errorBytes.allSatisfy { $0 >= 0x20 || $0 == 0x0A })
        #expect(try found() == ["a"])
        try scratch.expect(["embed", "near"], "2 vectors stored\n", flags: ["--command", try measuring()])
        #expect(try asked() == [#""three""#, #""x""#, "ended"])
        try scratch.expect(["check"])
    }

    @Test func aProgramThatIsNotThereNamesTheFirstDocument() throws {
        try scratch.expectFailure(
            ["embed", "near"], #"document "a": the program gave no answer"#, flags: ["--command", "no-such-program-anywhere"])
        #expect(try found().isEmpty)
    }

    @Test(arguments: [SIGINT, SIGTERM]) func aProgramThatHangsIsEndedWithUs(signal: Int32) throws {
        let sign = scratch.directory.path + "/hangs"
        let program = try RunningProgram([
            "embed", scratch.path, "near", "--batch", "2", "--command",
            "read l; echo '[1,0]'; read l; echo '[2,0]'; read l; echo $$ > '\(sign)'; exec sleep 1000",
        ])
        let deadline = ContinuousClock.now + .seconds(Patience.seconds)
        var processID: pid_t?
        while processID == nil, ContinuousClock.now < deadline {
            let text = (try? String(contentsOfFile: sign, encoding: .utf8)) ?? ""
            processID = text.hasSuffix("\n") ? pid_t(text.dropLast()) : nil
            usleep(10_000)
        }
        let sleeping = try #require(processID)
        kill(program.processID, signal)
        let result = program.finish()
        #expect(result.exitCode == (signal == SIGINT ? 130 : 128 + SIGTERM) && !result.timedOut)
        #expect(result.errors.contains(#"document "c": the program had not answered when it was interrupted"#), "\(result.errors)")
        #expect(kill(sleeping, 0) != 0 && errno == ESRCH)
        #expect(try found() == ["a", "b"])
    }

    // Services

    private static func ollama(_ body: String) -> (Int, String) {
        let count = body.components(separatedBy: "\",\"").count - (body.contains("\"model\"") ? 1 : 0)
        return (200, #"{"model":"m","embeddings":[\#((0..<count).map { "[\($0 + 1),0]" }.joined(separator: ","))]}"#)
    }

    @Test func aServiceLikeOllamasIsAskedInBatches() throws {
        let service = try EmbeddingServer { Self.ollama($0) }
        try scratch.expect(["put", "e", #"{"t":null}"#])
        try scratch.expect(["put", "f", #"{"t":""}"#])
        try scratch.expect(["put", "g", #"{"t":[1,true]}"#])
        try scratch.expect(
            ["embed", "near"], "4 vectors stored, 2 without\n",
            flags: ["--url", service.url, "--model-name", "m \"1\"", "--header", "X-Key: secret", "--batch", "2"])
        #expect(
            service.asked.map(\.body) == [
                #"{"model":"m \"1\"","input":["one","three"]}"#, #"{"model":"m \"1\"","input":["x"]}"#,
                #"{"model":"m \"1\"","input":["[1,true]"]}"#,
            ])
        #expect(service.asked.allSatisfy { $0.key == "secret" && $0.type == "application/json" })
        #expect(try found().sorted() == ["a", "b", "c", "g"])
    }

    @Test func aServiceLikeOpenAIsIsUnderstood() throws {
        // In any order: each says which it is of.
        let service = try EmbeddingServer { _ in
            (200, #"{"object":"list","data":[{"index":2,"embedding":[9,0]},{"index":0,"embedding":[1,0]},{"index":1,"embedding":[4,0]}]}"#)
        }
        try scratch.expect(["embed", "near"], "3 vectors stored\n", flags: ["--url", service.url])
        #expect(service.asked.map(\.body) == [#"{"input":["one","three","x"]}"#])
        #expect(try found() == ["a", "b", "c"])
    }

    @Test func theDocumentIsFoundThatAServiceDoesNotTake() throws {
        let service = try EmbeddingServer { body in
            body.contains("three") ? (400, #"{"error":{"message":"input too long"}}"#) : (200, #"{"embeddings":[[1,0]]}"#)
        }
        let result = try scratch.run(["embed", "near"], flags: ["--url", service.url])
        #expect(result.exitCode == 1)
        #expect(
            result.errors.contains(#"document "b": \#(service.url) answered with status 400 (Bad Request): input too long"#),
            "\(result.errors)")
        #expect(try found() == ["a"])
    }

    static let refusals: [(status: Int, body: String, message: String)] = [
        (500, "", #"document "a": URL answered with status 500 (Internal Server Error)"#),
        (
            404, #"{"error":"model \"m\" not found, try pulling it first"}"#,
            #"URL answered with status 404 (Not Found): model "m" not found, try pulling it first"#
        ),
        (401, "{}", "--header 'Authorization: Bearer …' says who asks."), (200, "hello", "URL answered with no JSON: hello"),
        (200, "", "URL answered with no JSON"), (200, "[]", "the answer has neither data nor embeddings"),
        (200, #"{"embeddings":[[1,0]]}"#, "the answer has 1 embeddings, where 3 were asked for"),
        (200, #"{"embeddings":[[1,0],[1,0],[1,0],[1,0]]}"#, "the answer has 4 embeddings, where 3 were asked for"),
        (200, #"{"data":[{"embedding":[1,0]},{"index":0,"embedding":[1,0]},{"embedding":[1,0]}]}"#, "has not one embedding for each text"),
        (200, #"{"data":[{"index":-1,"embedding":[1,0]},{},[]]}"#, "has not one embedding for each text"),
        (200, #"{"embeddings":[[1,0,0],[1,0],[1,0]]}"#, #"document "a": the answer has 3 numbers, where the index has 2"#),
        (502, "\u{1B}[31m<html>\n\n</html>", "URL answered with status 502 (Bad Gateway):  [31m<html>"),
    ]

    @Test(arguments: refusals) func whatAServiceSaysIsTold(status: Int, body: String, message: String) throws {
        let service = try EmbeddingServer { _ in (status, body) }
        let result = try scratch.run(["embed", "near"], flags: ["--url", service.url])
        #expect(result.exitCode == 1 && !result.timedOut && result.output.isEmpty)
        #expect(result.errors.contains(message.replacing("URL", with: service.url)), "\(result.errors)")
        #expect(result.errorBytes.allSatisfy { $0 >= 0x20 || $0 == 0x0A })
        #expect(try found().isEmpty)
    }

    @Test func aServiceThatIsNotThereIsTold() throws {
        for (url, message) in [("http://127.0.0.1:1/embed", "127.0.0.1"), ("here", "it has no scheme"), ("ftp://h/x", "scheme")] {
            try scratch.expectFailure(["embed", "near"], message, flags: ["--url", url])
        }
    }

    @Test func aServiceThatHangsIsLeftAtCtrlC() throws {
        let bell = scratch.directory.path + "/asked"
        let service = try EmbeddingServer { _ in
            _ = FileManager.default.createFile(atPath: bell, contents: nil)
            while FileManager.default.fileExists(atPath: bell) { usleep(10_000) }
            return (200, "{}")
        }
        defer { unlink(bell) }
        let program = try RunningProgram(["embed", scratch.path, "near", "--url", service.url])
        let deadline = ContinuousClock.now + .seconds(Patience.seconds)
        while !FileManager.default.fileExists(atPath: bell), ContinuousClock.now < deadline { usleep(10_000) }
        program.send(signal: SIGINT)
        let result = program.finish()
        #expect(result.exitCode == 130 && !result.timedOut, "\(result.errors)")
    }

    // The command

    static let mistakes: [([String], Int32, String)] = [
        (["embed", "near"], 2, "who makes the vectors? --command PROGRAM or --url URL"),
        (["embed", "near", "--command", " "], 2, "who makes the vectors?"),
        (["embed", "near", "--command", "cat", "--url", "http://h/"], 2, "two ways"),
        (["embed", "near", "--command", "cat", "--model-name", "m"], 2, "--model-name is for services"),
        (["embed", "near", "--command", "cat", "--header", "a: b"], 2, "--header is for services"),
        (["embed", "near", "--url", "http://127.0.0.1:1/", "--header", "a"], 2, "--header needs a name, a colon and a value"),
        (["embed", "near", "--command", "cat", "--batch", "0"], 2, "--batch"),
        (["embed", "neer", "--command", "cat"], 1, "Did you mean \"near\"?"),
        (["embed", "plain", "--command", "cat"], 1, "index \"plain\" is not a vector index"),
        (["embed", "eager", "--command", "cat"], 1, "index \"eager\" is not lazy: its vectors come from the documents"),
    ]

    @Test(arguments: mistakes) func mistakesAreExplained(words: [String], exitCode: Int32, message: String) throws {
        try scratch.expect(["mkindex", "plain", "t"])
        try scratch.expect(["mkindex", "eager", "v"], flags: ["--vector", "--dimensions", "2", "--centroids", "1"])
        try scratch.expectFailure(words, exitCode: exitCode, message)
    }

    @Test func aScriptCannotNameAProgram() throws {
        let proof = scratch.directory.path + "/proof"
        let result = try Program.run(["--writeable", scratch.path], input: "embed near --command 'touch \(proof); cat'\n")
        #expect(result.exitCode == 2 && result.errors.contains("line 1: a script cannot name a program that makes vectors"))
        #expect(access(proof, F_OK) != 0)
        let service = try EmbeddingServer { Self.ollama($0) }
        let allowed = try Program.run(["--writeable", scratch.path], input: "embed near --url \(service.url)\n")
        #expect(allowed.exitCode == 0 && allowed.output == "3 vectors stored\n", "\(allowed.errors)")
    }

    @Test func namesOfLazyIndexesAreOffered() throws {
        try scratch.expect(["mkindex", "nearby", "t"])
        try scratch.expect(["mkindex", "nearer", "v"], flags: ["--vector", "--dimensions", "2", "--centroids", "1"])
        #expect(try Program.run(["complete", "lazyindex", scratch.path, "ne"]).lines == ["near"])
        #expect(try Program.run(["complete", "index", scratch.path, "ne"]).lines.count == 3)
        let terminal = try PseudoTerminal(["--writeable", scratch.path])
        try terminal.wait(for: "the prompt") { $0.lines.contains { $0.contains("scratch") } }
        terminal.type("embed n\t--command \"while read l; do echo '[1,2]'; done\"\r")
        try terminal.wait(for: "the vectors") { $0.lines.contains { $0.contains("3 vectors stored") } }
        terminal.type("quit\r")
        _ = try terminal.finish()
    }
}

/// A service of this process: it gets the body of each request, and gives a status and a body.
private final class EmbeddingServer {
    struct Asked: Sendable {
        var body: String
        var key: String?
        var type: String?
    }

    private final class Responder: HTTPResponder {
        let asked = Mutex<[Asked]>([])
        let answer: @Sendable (String) -> (Int, String)

        init(_ answer: @escaping @Sendable (String) -> (Int, String)) { self.answer = answer }

        func respond(to exchange: any HTTPExchange) -> (any HTTPFeed)? {
            var bytes: [UInt8] = []
            var space = [UInt8](repeating: 0, count: 65536)
            while let count = try? space.withUnsafeMutableBytes({ try exchange.read(into: $0) }), count > 0 { bytes += space[..<count] }
            let body = String(decoding: bytes, as: UTF8.self)
            let headers = exchange.request.headers
            asked.withLock { $0.append(Asked(body: body, key: headers["X-Key"], type: headers["Content-Type"])) }
            let (status, text) = answer(body)
            try? exchange.begin(HTTPResponseHead(status: status), length: text.utf8.count)
            try? Array(text.utf8).withUnsafeBytes { try exchange.write($0) }
            exchange.end()
            return nil
        }
    }

    private let server: HTTPServer
    private let responder: Responder

    init(_ answer: @escaping @Sendable (String) -> (Int, String)) throws {
        var settings = HTTPServer.Settings()
        settings.address = "127.0.0.1"
        let responder = Responder(answer)
        self.responder = responder
        server = try HTTPServer(settings, on: EventLoop()) { _ in .respond(responder) }
    }

    deinit { server.stop() }

    var url: String { "http://127.0.0.1:\(server.port)/embed" }
    var asked: [Asked] { responder.asked.withLock { $0 } }
}
