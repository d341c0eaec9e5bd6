import CouchbaseLiteClassic
import Foundation
import Testing

/// The REST API without a socket.
@Suite(.timeLimit(.minutes(5))) struct RESTServerTests {
    private let database: TemporaryDatabase
    private let server: RESTServer
    private var name: String { database.database.name }

    init() throws {
        database = try TemporaryDatabase(keepingFormat: true)
        server = try RESTServer([database.database])
    }

    private func send(_ method: String, _ path: String, _ json: String? = nil) async throws -> RESTResponse {
        let target = "/\(name)" + path
        return try await server.respond(to: json.map { RESTRequest(method, target, json: $0) } ?? RESTRequest(method, target))
    }

    @Test func whatIsAskedIsAnswered() async throws {
        let made = try await send("PUT", "/a", #"{"n":1}"#)
        #expect(made.status == 201 && made.headers["Etag"] != nil)
        #expect(try database.collection.document(id: "a")?.int(forKey: "n") == 1)
        #expect(try await send("GET", "/a").body.text().contains(#""n":1"#))
        #expect(try await send("GET", "/none").status == 404)
        let head = try await send("HEAD", "/a")
        #expect(await head.body.data().isEmpty)
        // What is given stays the program's.
        #expect(try await send("DELETE", "").status == 403)
    }

    @Test func aLongBodyComesInPieces() async throws {
        let content = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let put = RESTRequest("PUT", "/\(name)/a/big", headers: ["Content-Type": "application/octet-stream"], body: content)
        #expect(try await server.respond(to: put).status == 201)
        let answer = try await send("GET", "/a/big")
        var (all, pieces) = (Data(), 0)
        for await piece in answer.body {
            all += piece
            pieces += 1
        }
        #expect(all == content && pieces > 10)
    }

    @Test func aFeedTellsOfWhatHappens() async throws {
        let feed = try await send("GET", "/_changes?feed=continuous&timeout=600000")
        #expect(feed.status == 200)
        var pieces = feed.body.makeAsyncIterator()
        try database.save("a", ["n": 1])
        let first = await pieces.next()
        #expect(String(decoding: first ?? Data(), as: UTF8.self).contains(#""id":"a""#))
    }

    @Test func aTaskThatIsCancelledWaitsForNothing() async throws {
        let feed = try await send("GET", "/_changes?feed=continuous&heartbeat=600000")
        let waiting = Task { await feed.body.data().count }
        waiting.cancel()
        #expect(await waiting.value == 0)
    }

    @Test func aBodyThatNobodyTakesKeepsNobodyWaiting() async throws {
        for _ in 0..<20 {
            let put = RESTRequest(
                "PUT", "/\(name)/d\(UInt32.random(in: 0 ... .max))/big", headers: ["Content-Type": "text/plain"],
                body: Data(count: 1_000_000))
            #expect(try await server.respond(to: put).status == 201)
        }
        for id in try await ids() { _ = try await send("GET", "/\(id)/big") }
        #expect(try await send("GET", "").status == 200)
    }

    private func ids() async throws -> [String] {
        let text = try await send("GET", "/_all_docs").body.data()
        let object = try JSONSerialization.jsonObject(with: text) as? [String: Any]
        return (object?["rows"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }
    }

    @Test func whatIsNoRequestIsAnError() async throws {
        for request in [
            RESTRequest("GET", "no path"), RESTRequest("GET", "/%zz"), RESTRequest("GET", "/db", headers: ["A": "b\r\nC: d"]),
        ] {
            await #expect(throws: (any Error).self) { try await server.respond(to: request) }
        }
    }
}
