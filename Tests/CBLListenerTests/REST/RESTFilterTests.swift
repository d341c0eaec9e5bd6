import Testing

@testable import CBLListener

/// Changes that only some clients want to hear of.
@Suite struct RESTFilterTests {
    private let server: RESTServer

    init() throws {
        server = try RESTServer.withDatabase()
        let filters =
            #""big":"function(doc, req) { return doc.n >= req.query.least; }","same":"function(doc, p) { return doc.kind == p.kind; }","#
            + #""live":"function(doc) { return !doc._deleted; }","throws":"function(doc) { return doc.a.b.c; }","early":"function(doc) { return false; }","#
            + #""broken":"function(","#
            + #""endless":"function(doc) { while (true) {} }""#
        let views =
            #""odd":{"map":"function(doc) { if (doc.n % 2) emit(doc.n, null); }"},"#
            + #""throws":{"map":"function(doc) { if (doc.n != 1) doc.a.b.c; emit(1); }"}"#
        try server.put("/db/_design/d", #"{"filters":{\#(filters)},"views":{\#(views)}}"#)
        for number in 0..<4 { try server.put("/db/d\(number)", #"{"n":\#(number),"kind":"\#(number < 2 ? "small" : "large")"}"#) }
        let rev = try #require(try server.get("/db/d0")["_rev"])
        #expect(try server.send("DELETE", "/db/d0?rev=\(rev)").status == 200)
    }

    private func ids(_ query: String) throws -> [String] {
        let answer = try server.get("/db/_changes?\(query)")
        #expect(answer.status == 200, "\(answer.text)")
        return answer.list("results", "id")
    }

    @Test(arguments: [
        ("filter=d/big&least=2", ["d2", "d3"]), ("filter=d%2Fbig&least=3", ["d3"]), ("filter=d/same&kind=small", ["d1"]),
        ("filter=d/live", ["_design/d", "d1", "d2", "d3"]), ("filter=d/early", []), ("filter=_view&view=d/odd", ["d1", "d3"]),
        ("filter=_design", ["_design/d"]),
        ("filter=_doc_ids&doc_ids=%5B%22d1%22,%22x%22%5D", ["d1"]), ("filter=", ["_design/d", "d1", "d2", "d3", "d0"]),
        ("filter=d/big&least=1&limit=2&include_docs=true", ["d1", "d2"]),
        ("filter=d/live&descending=true", ["d3", "d2", "d1", "_design/d"]),
    ])
    func onlySomeAreTold(query: String, expected: [String]) throws { #expect(try ids(query) == expected) }

    @Test(arguments: [
        ("filter=d/none", 404), ("filter=none/big", 404), ("filter=big", 404), ("filter=_view", 400), ("filter=_view&view=d/none", 404),
        ("filter=d/broken", 500), ("filter=_nothing", 404), ("filter=_doc_ids&doc_ids=1", 400),
    ])
    func whatIsNoFilterIsRefused(query: String, status: Int) throws { #expect(try server.get("/db/_changes?\(query)").status == status) }

    /// Who leaves out what cannot be decided about tells too little, and nobody learns of it.
    @Test func whatAFilterThrowsIsSaid() throws {
        let answer = try server.get("/db/_changes?filter=d/throws")
        #expect(answer.status == 500 && answer["reason"]?.contains("TypeError") == true, "\(answer.text)")
        #expect(try server.get("/db/_changes?filter=d/throws&feed=longpoll").status == 500)
        // A map function emits nothing for such a document.
        #expect(try ids("filter=_view&view=d/throws") == ["d1"])
    }

    @Test func aFilterThatNeverEndsIsEnded() throws {
        #expect(try server.get("/db/_changes?filter=d/endless&limit=1").status == 500)
    }

    @Test func whatIsChangedLaterIsFilteredToo() throws {
        let feed = try server.feed("/db/_changes?feed=continuous&since=now&filter=d/big&least=10")
        #expect(try !feed.proceed())
        try server.put("/db/few", #"{"n":9}"#)
        try server.put("/db/many", #"{"n":10}"#)
        try feed.run { $0.lines.count == 1 }
        #expect(feed.text.contains("many"))
    }

    @Test func theOtherFormOfParametersIsABody() throws {
        let answer = try server.send("POST", "/db/_changes", #"{"filter":"d/big","least":3}"#)
        #expect(answer.list("results", "id") == ["d3"])
    }
}
