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

    private func rows(_ path: String) async throws -> [String] {
        let answer = try await send("GET", path)
        #expect(answer.status == 200, "\(path)")
        return await answer.body.text().split(separator: "\n").dropFirst().dropLast().map { String($0.hasSuffix(",") ? $0.dropLast() : $0) }
    }

    private func definePlaces() throws {
        let places = database.collection.view("places/near")
        places.setMap(version: "1") { document, emit in
            emit(text: document["about"], document["stars"])
            emit(geoJSON: document["where"])
            emit(document["stars"])
        }
        try database.save(
            "a", ["about": "Ünter 🐈 cats: a cat, two cats", "stars": 4, "where": ["type": "Point", "coordinates": [2, 41.5]]])
        try database.save("b", ["about": "No pets", "where": ["type": "Point", "coordinates": [-3, 40]]])
    }

    @Test func aViewOfTheProgramIsAskedByItsName() async throws {
        try definePlaces()
        #expect(try await rows("/_design/places/_view/near?key=4") == [#"{"id":"a","key":4}"#])
        #expect(try await send("GET", "/_design/places/_view/far").status == 404)
        // It comes before that of a design document.
        let design = #"{"views":{"near":{"map":"function(doc) { emit('script'); }"},"all":{"map":"function(doc) { emit(1); }"}}}"#
        #expect(try await send("PUT", "/_design/places", design).status == 201)
        #expect(try await rows("/_design/places/_view/near?key=4") == [#"{"id":"a","key":4}"#])
        #expect(try await rows("/_design/places/_view/all").count == 2)
    }

    @Test func textsAreFound() async throws {
        try definePlaces()
        // Ranges are in UTF-16: the first letter is one unit and two bytes, the animal two and four.
        let found = try await rows("/_design/places/_view/near?full_text=cats&snippets=true")
        let places = #"{"term":0,"range":[9,4]},{"term":0,"range":[26,4]}"#
        #expect(found == [#"{"id":"a","snippet":"Ünter 🐈 [cats]: a cat, two [cats]","matches":[\#(places)],"value":4}"#])
        let withDocument = try await rows("/_design/places/_view/near?full_text=pets&ranking=false&include_docs=true")
        #expect(withDocument.count == 1 && withDocument[0].hasPrefix(#"{"id":"b","matches":[{"term":0,"range":[3,4]}],"doc":{"_id":"b""#))
        #expect(try await rows("/_design/places/_view/near?full_text=dogs").isEmpty)
        #expect(try await send("GET", "/_design/places/_view/near?full_text=%22cats%20OR").status == 400)
        #expect(try await send("GET", "/_design/places/_view/near?full_text=cats&key=1").status == 400)
    }

    @Test func shapesAreFound() async throws {
        try definePlaces()
        let found = try await rows("/_design/places/_view/near?bbox=0,40,10,50")
        #expect(found == [#"{"id":"a","geometry":{"coordinates":[2.0,41.5],"type":"Point"},"bbox":[2.0,41.5,2.0,41.5]}"#])
        #expect(try await rows("/_design/places/_view/near?bbox=-10,0,10,90&limit=1").count == 1)
        for bad in ["1,2,3", "1,2,3,x", "1,2,3,4,5", "", "5,0,1,1", "nan,0,1,1"] {
            #expect(try await send("GET", "/_design/places/_view/near?bbox=\(bad)").status == 400, "\(bad)")
        }
    }
}
