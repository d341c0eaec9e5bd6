import CBLStore
import CBLTestSupport
import CBLTransport
import Testing

@testable import CBLListener

@Suite struct RESTChangesTests {
    /// doc1 with two revisions, doc3, doc2, and doc1 deleted: the sequences are 3, 4 and 5.
    private func changed() throws -> RESTServer {
        let server = try RESTServer.withDatabase { $0.shortestHeartbeat = .milliseconds(1) }
        let first = try server.put("/db/doc1", #"{"message":"hello"}"#)
        let second = try server.put("/db/doc1?rev=\(first)", #"{"message":"goodbye"}"#)
        try server.put("/db/doc3", #"{"message":"hello"}"#)
        try server.put("/db/doc2", #"{"message":"hello"}"#)
        try server.send("DELETE", "/db/doc1?rev=\(second)")
        return server
    }

    @Test func changesComeInTheirOrder() throws {
        let server = try changed()
        let answer = try server.get("/db/_changes")
        #expect(answer.list("results", "id") == ["doc3", "doc2", "doc1"] && answer.list("results", "seq") == ["3", "4", "5"])
        #expect(answer["results.2.deleted"] == "true" && answer["results.0.deleted"] == nil && answer["last_seq"] == "5")
        #expect(answer["results.2.changes.0.rev"] == "3-69e1c04b38d144220169834e4a1d6b65" && answer.tag == "\"5\"")
        #expect(try server.get("/db/_changes", headers: ["If-None-Match": "\"5\""]).status == 304)
        #expect(try server.get("/db/_changes?since=5")["results"] == "[]")
        #expect(try server.get("/db/_changes?since=now")["last_seq"] == "5")
        #expect(try server.get("/db/_changes", headers: ["Last-Event-ID": "4"]).list("results", "id") == ["doc1"])
    }

    @Test func documentsComeAlong() throws {
        let server = try changed()
        let query = try server.get("/db/_changes?since=4&include_docs=true&revs=true")
        #expect(query["results.0.doc._revisions.start"] == "3" && query.list("results", "id") == ["doc1"])
        let posted = try server.send("POST", "/db/_changes?include_docs=true", #"{"since":4,"revs":true}"#)
        #expect(posted.json == query.json && posted.tag == nil)
    }

    @Test func limitsAndOrders() throws {
        let server = try changed()
        let backwards = try server.get("/db/_changes?descending=true&limit=2")
        #expect(backwards.list("results", "id") == ["doc1", "doc2"] && backwards["last_seq"] == "4")
        for feed in ["longpoll", "continuous"] { #expect(try server.get("/db/_changes?descending=true&feed=\(feed)").status == 400) }
        let limited = try server.get("/db/_changes?limit=1")
        #expect(limited.list("results", "id") == ["doc3"] && limited["last_seq"] == "3" && limited["pending"] == "2")
        #expect(try server.get("/db/_changes?limit=0&since=3")["pending"] == "2")
        let some = try server.send("POST", "/db/_changes?filter=_doc_ids", #"{"doc_ids":["doc2","doc9"]}"#)
        #expect(some.list("results", "id") == ["doc2"] && some["last_seq"] == "5")
        #expect(try server.get("/db/_changes?filter=unknown").status == 404)
    }

    @Test func allLeavesOfADocumentAreToldTogether() throws {
        let server = try RESTServer.withDatabase()
        let docs = #"{"new_edits":false,"docs":[{"_id":"a","_rev":"1-aaaa"},{"_id":"a","_rev":"1-bbbb"},{"_id":"b","_rev":"1-aaaa"}]}"#
        #expect(try server.send("POST", "/db/_bulk_docs", docs).text == "[]")
        let answer = try server.get("/db/_changes?style=all_docs")
        #expect(answer.list("results.0.changes", "rev") == ["1-bbbb", "1-aaaa"])
        #expect(try server.get("/db/_changes").list("results.0.changes", "rev") == ["1-bbbb"])
    }

    @Test func manyChangesComeInPages() throws {
        let server = try RESTServer.withDatabase()
        try server.database().fill(2500)
        for query in ["", "?descending=true", "?style=all_docs", "?feed=longpoll"] {
            let answer = try server.get("/db/_changes\(query)")
            let sequences = answer.list("results", "seq").compactMap { Int($0) }
            #expect(sequences == (query.contains("desc") ? (1...2500).reversed() : Array(1...2500)), "\(query)")
        }
    }

    @Test(
        arguments: ["longpoll", "continuous"], ["heartbeat=foo", "heartbeat=-1", "heartbeat=-0", "timeout=foo", "timeout=-1", "timeout=-0"])
    func timesAreNumbers(feed: String, parameter: String) throws {
        #expect(try changed().get("/db/_changes?feed=\(feed)&since=9&\(parameter)").status == 400)
    }

    @Test func aLongpollWaitsForTheNextChange() throws {
        let server = try changed()
        #expect(try server.get("/db/_changes?feed=longpoll&since=4").list("results", "id") == ["doc1"])
        let feed = try server.feed("/db/_changes?feed=longpoll&since=5")
        #expect(try !feed.proceed())
        #expect(feed.exchange.answer.status == 200 && feed.text.isEmpty)
        let rev = try server.put("/db/doc4", "{}")
        try feed.run { $0.exchange.answer.hasEnded }
        let expected = #"{"last_seq":6,"pending":0,"results":[{"changes":[{"rev":"\#(rev)"}],"id":"doc4","seq":6}]}"#
        #expect(canonical(feed.text) == expected)
    }

    /// Committed between the answer that there is nothing and the beginning of the wait.
    @Test func aChangeBeforeTheWaitIsNotLost() throws {
        let server = try changed()
        let request = try #require(HTTPRequest("GET", target: "/db/_changes?feed=longpoll&since=5"))
        let exchange = LocalExchange(request)
        let waiting = try #require(server.service.respond(to: exchange))
        try server.put("/db/doc4", "{}")
        let feed = TestFeed(waiting, exchange)
        #expect(try feed.proceed())
        #expect(feed.text.contains("doc4"))
    }

    @Test func aLongpollEndsWhenItsTimeIsOver() throws {
        let server = try changed()
        let feed = try server.feed("/db/_changes?feed=longpoll&timeout=1000&since=5")
        #expect(try !feed.proceed())
        server.clock.advance(.milliseconds(1000))
        #expect(try feed.proceed())
        #expect(canonical(feed.text) == #"{"last_seq":5,"pending":0,"results":[]}"# && feed.exchange.answer.hasEnded)
        let atOnce = try server.feed("/db/_changes?feed=longpoll&timeout=0&since=5")
        #expect(try atOnce.proceed())
    }

    @Test func aContinuousFeedGoesOn() throws {
        let server = try changed()
        let feed = try server.feed("/db/_changes?feed=continuous&timeout=1000")
        try feed.run { $0.lines.count == 3 }
        try server.put("/db/doc4", "{}")
        try feed.run { $0.lines.count == 4 }
        try server.put("/db/doc5", "{}")
        try feed.run { $0.lines.count == 5 }
        #expect(feed.lines[4].contains("doc5"))
        server.clock.advance(.milliseconds(999))
        #expect(try !feed.proceed())
        server.clock.advance(.milliseconds(1))
        #expect(try feed.proceed())
        #expect(feed.lines.last == #"{"last_seq":7}"# && feed.exchange.answer.hasEnded)
    }

    @Test func aLimitEndsAContinuousFeed() throws {
        let server = try changed()
        let feed = try server.feed("/db/_changes?feed=continuous&limit=2")
        #expect(try feed.proceed())
        #expect(feed.lines.count == 3 && feed.lines.last == #"{"last_seq":4}"#)
    }

    @Test func heartbeatsShowThatItIsThere() throws {
        let server = try changed()
        for (kind, beat) in [("continuous", "\r\n"), ("longpoll", "\r\n"), ("eventsource", ":\n\n")] {
            let feed = try server.feed("/db/_changes?feed=\(kind)&since=5&heartbeat=1000")
            for _ in 0..<5 {
                #expect(try !feed.proceed())
                server.clock.advance(.milliseconds(500))
            }
            #expect(feed.text == beat + beat)
        }
    }

    @Test func pagesInABrowserCanReadIt() throws {
        let server = try changed()
        let feed = try server.feed("/db/_changes?feed=eventsource&since=4")
        #expect(try !feed.proceed())
        #expect(feed.exchange.answer.headers["Content-Type"] == "text/event-stream; charset=utf-8")
        #expect(feed.text.hasPrefix("data:{\"seq\":5,") && feed.text.hasSuffix("}\nid: 5\n\n"))
    }

    @Test func aFeedEndsWithItsDatabase() throws {
        let server = try changed()
        let feed = try server.feed("/db/_changes?feed=continuous&since=5")
        #expect(try !feed.proceed())
        #expect(try server.send("DELETE", "/db").status == 200)
        try feed.run { $0.exchange.answer.hasEnded }
    }

    @Test func aClientThatLeavesEndsTheFeed() throws {
        let server = try changed()
        let feed = try server.feed("/db/_changes?feed=continuous&since=5&heartbeat=10")
        #expect(try !feed.proceed())
        feed.exchange.leave()
        server.clock.advance(.seconds(1))
        #expect(throws: HTTPInterruption.self) { try feed.proceed() }
    }
}
