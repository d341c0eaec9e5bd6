import CBLBase
import CBLFleece
import CBLStore
import CBLTestSupport
import CBLTransport
import FoundationEssentials
import Synchronization
import Testing

@testable import CBLListener

/// Whatever is asked for, there is an answer with a status, and what was stored stays readable.
@Suite struct RESTHostileTests {
    private struct Requests {
        var random: SeededRandom

        private static let names = [
            "db", "db.", "db.x", "_all_dbs", "_uuids", "_design", "_local", "doc", "doc2", "a/b", "_all_docs", "_bulk_docs", "_bulk_get",
            "_changes",
            "_revs_diff", "_purge", "_compact", "_revs_limit", "", "\u{1}", "é", String(repeating: "x", count: 300), "_design/d", "_view",
            "..", "nowhere", "_find", "_index", "_explain", "_query", "_session", "_browse", "_temp_view",
        ]
        private static let methods = ["GET", "GET", "HEAD", "PUT", "PUT", "POST", "POST", "DELETE", "COPY", "OPTIONS", "BREW"]
        private static let parameters = [
            "rev", "revs", "revs_info", "conflicts", "local_seq", "attachments", "atts_since", "open_revs", "latest", "since", "limit",
            "skip",
            "descending", "feed", "style", "filter", "key", "keys", "startkey", "endkey", "include_docs", "new_edits", "pretty", "count",
            "heartbeat",
            "timeout", "doc_ids", "only_conflicts", "include_deleted", "query", "parameters", "explain", "selector", "view", "batch",
        ]
        private static let values = [
            "", "true", "false", "0", "-1", "99999999999999999999", "all", "1-aa", "2-bbbb", "1-", "-", "@", "1@*", "[]", "[\"1-aa\"]",
            "{}", "\"a\"",
            "normal", "longpoll", "continuous", "eventsource", "all_docs", "now", "_doc_ids", "null", "[[[[", "\u{0}", "1@1@1",
            "_selector", "_view", "d/f", "SELECT * FROM _", "SELECT a FROM _ WHERE a > $x", "{\"a\":{\"$gt\":1}}", "a.b", "$.", "ok",
        ]
        private static let members = [
            "_id", "_rev", "_deleted", "_attachments", "_revisions", "_exp", "_x", "a", "docs", "new_edits", "keys", "all_or_nothing",
            "doc", "start", "ids",
            "selector", "fields", "sort", "bookmark", "index", "name", "query", "parameters", "$and", "$not", "$in", "$elemMatch", "$mod",
            "a.b",
            "data", "stub", "follows", "length", "digest", "content_type", "revpos", "encoding", "@type",
        ]

        mutating func next() -> (HTTPRequest, [UInt8]) {
            var path = random.below(10) == 0 ? [] : ["db"]
            for _ in 0..<random.below(4) { path.append(random.element(of: Requests.names)) }
            var query = HTTPQuery()
            for _ in 0..<random.below(4) { query.add(random.element(of: Requests.parameters), random.element(of: Requests.values)) }
            var headers = HTTPHeaders()
            let choices: [(String, String)] = [
                ("Accept", "application/json"), ("Accept", "multipart/mixed"), ("If-Match", "\"1-aa\""), ("Range", "bytes=1-"),
                ("Destination", "doc2"),
                ("Content-Type", "multipart/related; boundary=B"), ("Content-Type", "text/plain"), ("Content-Encoding", "gzip"),
                ("Last-Event-ID", "x"),
            ]
            for _ in 0..<random.below(3) {
                let (name, value) = random.element(of: choices)
                headers.add(name, value)
            }
            let body: [UInt8] =
                random.below(8) == 0 ? (0..<random.below(40)).map { _ in UInt8(random.below(256)) } : Array(json(depth: 0).utf8)
            return (HTTPRequest(random.element(of: Requests.methods), path: path, query: query, headers: headers), body)
        }

        private mutating func json(depth: Int) -> String {
            switch depth > 4 ? random.below(5) : random.below(8) {
            case 0: return "\(Int64(bitPattern: random.next()) >> Int64(random.below(60)))"
            case 1: return random.element(of: ["true", "false", "null", "1e300", "0.5"])
            case 2, 3, 4: return JSONWriter.quoted(random.element(of: Requests.values + Requests.names))
            case 5: return "[" + (0..<random.below(4)).map { _ in json(depth: depth + 1) }.joined(separator: ",") + "]"
            default:
                let items = (0..<random.below(6)).map { _ in
                    "\(JSONWriter.quoted(random.element(of: Requests.members))):\(json(depth: depth + 1))"
                }
                return "{" + items.joined(separator: ",") + "}"
            }
        }
    }

    /// Many large bodies at once would take many times what one may.
    @Test func largeBodiesShareTheirMemory() throws {
        let server = try RESTServer.withDatabase { ($0.maximumBody, $0.maximumBodies) = (1 << 20, 1 << 20) }
        let body = "{\"text\":\"\(String(repeating: "x", count: 600_000))\"}"
        let parts = "--x\r\nContent-Type: application/json\r\n\r\n\(body)\r\n--x--"
        func put(_ id: String, asParts: Bool) throws -> Int {
            let headers: HTTPHeaders = ["Content-Type": asParts ? "multipart/related; boundary=x" : "application/json"]
            return try server.send("PUT", "/db/\(id)", asParts ? parts : body, headers: headers).status
        }
        let others = 800_000
        try server.service.bodies.take(others)
        for asParts in [false, true] {
            #expect(try put("a", asParts: asParts) == 503)
            #expect(try put("a", asParts: asParts) == 503)
        }
        // Small ones are for everybody.
        #expect(try server.send("PUT", "/db/small", "{}").status == 201)
        server.service.bodies.give(back: others)
        for (index, asParts) in [false, true].enumerated() { #expect(try put("b\(index)", asParts: asParts) == 201) }
        // All has come back.
        try server.service.bodies.take(1 << 20)
    }

    @Test(arguments: [1, 2, 3], [false, true])
    func everyRequestHasAnAnswer(seed: UInt64, vectors: Bool) throws {
        let server = try RESTServer(rights: .create)
        _ = try Database(path: "\(server.path)/db.cblite2", options: .init(access: .create, upgrade: vectors ? .versionVectors : .none))
        var requests = Requests(random: SeededRandom(seed))
        try server.put("/db/doc", #"{"_attachments":{"a":{"data":"AAAA"}}}"#)
        repeatWithin(seconds: 1) {
            let (request, body) = requests.next()
            let exchange = LocalExchange(request, body: body)
            if let feed = server.service.respond(to: exchange) {
                feed.start {}
                _ = try? feed.proceed(exchange)
                feed.stop()
            } else {
                let answer = exchange.answer
                #expect(answer.hasEnded && (200..<600).contains(answer.status), "\(request)")
                #expect(answer.status < 500 || answer.status == 501, "\(request) \(String(decoding: answer.body, as: UTF8.self))")
            }
        }
        let all = try server.get("/db/_all_docs?include_docs=true&include_conflicts=true")
        #expect(all.status == 200 && all["rows"] != nil)
        #expect(try server.get("/db/_changes?include_docs=true&style=all_docs")["results"] != nil)
    }

    @Test func namesDoNotLeadOutOfTheDirectory() throws {
        let server = try RESTServer()
        for name in ["..", "%2e%2e%2fx", ".", "a%2f..%2f..%2fx", "..%2f..%2fetc"] {
            for method in ["PUT", "GET", "DELETE"] { #expect(try (400..<500).contains(server.send(method, "/\(name)").status), "\(name)") }
        }
        #expect(try server.get("/_all_dbs").text == "[]")
    }

    @Test func writersAtOnceMakeOneLine() throws {
        let server = try RESTServer.withDatabase()
        try server.put("/db/counter", #"{"n":0}"#)
        let failures = Mutex(0)
        let threads = (0..<4).map { _ in
            WorkerThread {
                var done = 0
                while done < 25 {
                    guard let current = try? server.get("/db/counter"), let rev = current["_rev"],
                        let n = current["n"].flatMap({ Int($0) }),
                        let answer = try? server.send("PUT", "/db/counter?rev=\(rev)", #"{"n":\#(n + 1)}"#)
                    else { return failures.withLock { $0 += 1 } }
                    if answer.status == 201 { done += 1 } else if answer.status != 409 { failures.withLock { $0 += 1 } }
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(failures.withLock { $0 } == 0)
        // The same edit of the same revision is one: some counted together.
        let shown = try server.get("/db/counter?conflicts=true")
        #expect(shown["_conflicts"] == nil && shown["_rev"]?.prefix { $0 != "-" } == shown["n"].flatMap { Int($0) }.map { "\($0 + 1)" })
    }

    @Test(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)"), arguments: ["ios140", "android130", "net130"])
    func databasesOf1xAreRead(platform: String) throws {
        let server = try RESTServer()
        let folder = Fixtures.path("v1.x/\(platform)")
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: folder).first { $0.hasSuffix(".cblite2") })
        try FileManager.default.copyItem(atPath: "\(folder)/\(name)", toPath: "\(server.path)/old.cblite2")
        let all = try server.get("/old/_all_docs?include_docs=true")
        #expect(all.status == 200 && !all.list("rows", "id").isEmpty)
        for id in all.list("rows", "id").prefix(50) {
            let answer = try server.get(
                "/old/\(PercentEncoding.component(id))?revs=true&attachments=true", headers: ["Accept": "application/json"])
            #expect(answer.status == 200 && answer["_id"] == id, "\(answer.text)")
        }
        #expect(try server.get("/old/_changes?style=all_docs").status == 200)
        #expect(try server.send("PUT", "/old/new", "{}").status == 403)
    }
}
