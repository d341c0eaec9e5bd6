import CBLStore
import Testing

@testable import CBLListener

/// SQL++ over HTTP.
@Suite struct RESTQueryTests {
    private let server: RESTServer

    init() throws {
        server = try RESTServer.withDatabase()
        for number in 0..<5 { try server.put("/db/d\(number)", #"{"n":\#(number),"name":"it's \#(number)"}"#) }
    }

    @Test func rowsComeAsObjectsAndArrays() throws {
        let answer = try server.send("POST", "/db/_query", #"{"query":"SELECT n, name FROM _ WHERE n > 2 ORDER BY n"}"#)
        #expect(
            answer.json == canonical(#"{"columns":["n","name"],"count":2,"results":[{"n":3,"name":"it's 3"},{"n":4,"name":"it's 4"}]}"#))
        let arrays = try server.get("/db/_query?arrays=true&query=SELECT+n+FROM+_+ORDER+BY+n+LIMIT+2")
        #expect(arrays["results"] == "[[0],[1]]")
    }

    @Test func parametersAreValuesAndNoText() throws {
        let body = #"{"query":"SELECT META().id FROM _ WHERE name = $name","parameters":{"name":"it's 1' OR 1=1 --"}}"#
        #expect(try server.send("POST", "/db/_query", body)["count"] == "0")
        let found = try server.get("/db/_query?query=SELECT+META().id+FROM+_+WHERE+name=$name&parameters=%7B%22name%22:%22it's%201%22%7D")
        #expect(found["results"] == #"[{"id":"d1"}]"#)
    }

    @Test(arguments: [
        ("{}", 400), (#"{"query":"SELEKT"}"#, 400), (#"{"query":""}"#, 400), (#"{"query":"SELECT * FROM nowhere"}"#, 400),
        (#"{"query":"SELECT n FROM _","parameters":[1]}"#, 400), (#"{"query":"SELECT n FROM _","parameters":"{"}"#, 400),
        (#"{"query":"DELETE FROM _"}"#, 400), (#"{"query":"UPDATE _ SET n = 1"}"#, 400), (#"{"query":"PRAGMA user_version"}"#, 400),
        (#"{"query":"SELECT n FROM _; DELETE FROM _"}"#, 400), ("[]", 400), ("", 400),
    ])
    func whatIsNoQueryIsRefused(body: String, status: Int) throws {
        let answer = try server.send("POST", "/db/_query", body)
        #expect(answer.status == status && answer["reason"] != nil, "\(answer.text)")
        #expect(try server.get("/db")["doc_count"] == "5")
    }

    @Test func aPlanIsToldInPlaceOfRows() throws {
        let answer = try server.get("/db/_query?explain=true&query=SELECT+n+FROM+_")
        #expect(answer["sql"]?.hasPrefix("SELECT") == true && answer["plan"] != nil)
    }

    @Test func longAnswersComeInPieces() throws {
        let text = String(repeating: "x", count: 20_000)
        let docs = (0..<1000).map { #"{"_id":"long-\#($0)","text":"\#(text)"}"# }.joined(separator: ",")
        #expect(try server.send("POST", "/db/_bulk_docs", "{\"docs\":[\(docs)]}").status == 201)
        let answer = try server.get("/db/_query?query=SELECT+text+FROM+_+WHERE+text+IS+VALUED")
        #expect(answer["count"] == "1000" && answer.answer.length == nil)
    }

    @Test func collectionsThatAreNotServedCannotBeRead() throws {
        let databases = try Databases()
        let database = try databases.create("m", 1)
        let (shown, hidden) = try (CollectionName(name: "shown"), CollectionName(name: "hidden"))
        try database.fill(1, in: shown)
        try database.fill(1, in: hidden)
        let service = RESTService(ServedDatabases([Share("db", database, collections: [shown])]))
        func status(_ query: String) throws -> Int {
            let exchange = LocalExchange(
                try #require(.init("POST", target: "/db.shown/_query")), body: Array(#"{"query":"\#(query)"}"#.utf8))
            _ = service.respond(to: exchange)
            return exchange.answer.status
        }
        #expect(try status("SELECT * FROM shown") == 200)
        #expect(try status("SELECT * FROM hidden") == 404)
        #expect(try status("SELECT * FROM _") == 404)
        #expect(try status("SELECT shown.n FROM shown JOIN hidden ON shown.n = hidden.n") == 404)
        #expect(try status("SELECT ARRAY x FOR x IN (SELECT * FROM hidden) END FROM shown") != 200)
    }
}
