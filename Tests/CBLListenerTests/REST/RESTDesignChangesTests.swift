import CBLStore
import CBLTransport
import Testing

@testable import CBLListener

/// Design documents are among the changes, so that those who replicate have them too.
@Suite struct RESTDesignChangesTests {
    private static let view = #"{"views":{"v":{"map":"function(doc){emit(doc.n, null);}"}},"n":7}"#

    private func withDocuments() throws -> (server: RESTServer, revision: String) {
        let server = try RESTServer.withDatabase()
        try server.put("/db/a", #"{"n":1}"#)
        let revision = try server.put("/db/_design/d", RESTDesignChangesTests.view)
        try server.put("/db/b", #"{"n":2}"#)
        return (server, revision)
    }

    @Test func theyStandInTheirPlaceAmongTheOthers() throws {
        let (server, revision) = try withDocuments()
        let answer = try server.get("/db/_changes")
        #expect(answer.list("results", "id") == ["a", "_design/d", "b"] && answer.list("results", "seq") == ["1", "2", "3"])
        #expect(answer["results.1.changes.0.rev"] == revision && answer["last_seq"] == "3")
        #expect(try server.get("/db/_changes?descending=true").list("results", "id") == ["b", "_design/d", "a"])
        #expect(try server.get("/db/_changes?since=2").list("results", "id") == ["b"])
        let page = try server.get("/db/_changes?limit=1")
        #expect(page.list("results", "id") == ["a"] && page["pending"] == "2")
        #expect(try server.get("/db/_changes?limit=2")["last_seq"] == "2")
        #expect(try server.get("/db/_changes?since=1&include_docs=true")["results.0.doc.n"] == "7")
        #expect(try server.get("/db")["update_seq"] == "3")
        #expect(try server.get("/db.other/_changes").status == 404)
    }

    @Test(arguments: [
        ("filter=_design", ["_design/d"]), ("filter=_doc_ids&doc_ids=%5B%22_design/d%22,%22b%22%5D", ["_design/d", "b"]),
        ("filter=_selector&selector=%7B%22n%22:%7B%22$gt%22:1%7D%7D", ["_design/d", "b"]),
        ("filter=_view&view=d/v", ["a", "_design/d", "b"]),
    ])
    func filtersSeeThem(query: String, ids: [String]) throws {
        let answer = try withDocuments().server.get("/db/_changes?\(query)")
        #expect(answer.list("results", "id") == ids, "\(answer.text)")
    }

    @Test func whoWantsTheLivingIsToldOfNoneThatIsGone() throws {
        let (server, revision) = try withDocuments()
        #expect(try server.send("DELETE", "/db/_design/d?rev=\(revision)").status == 200)
        #expect(try server.get("/db/_changes").list("results", "id") == ["a", "b", "_design/d"])
        let living = try server.get("/db/_changes?active_only=true")
        #expect(living.list("results", "id") == ["a", "b"] && living["last_seq"] == "4")
    }

    @Test func aFunctionSeesThem() throws {
        let (server, _) = try withDocuments()
        try server.put("/db/_design/e", #"{"filters":{"f":"function(doc){return doc._id[0] == '_' && doc.n > 0;}"}}"#)
        #expect(try server.get("/db/_changes?filter=e/f").list("results", "id") == ["_design/d"])
    }

    @Test func theirDeletionIsAChange() throws {
        let (server, revision) = try withDocuments()
        let deleted = try server.send("DELETE", "/db/_design/d?rev=\(revision)")
        let deletion = try #require(deleted["rev"])
        #expect(deleted.status == 200 && deletion.hasPrefix("2-"))
        let answer = try server.get("/db/_changes?since=3&include_docs=true")
        #expect(answer["results.0.deleted"] == "true" && answer["results.0.doc._deleted"] == "true" && answer["results.0.seq"] == "4")
        #expect(try server.get("/db/_design/d").status == 404 && server.get("/db/_design/d?rev=\(deletion)")["_deleted"] == "true")
        #expect(try server.get("/db/_all_docs").list("rows", "id") == ["a", "b"] && server.get("/db")["doc_count"] == "2")
        #expect(try server.send("POST", "/db/_revs_diff", "{\"_design/d\":[\"\(deletion)\"]}").text == "{}")
        #expect(try server.get("/db/_design/d/_view/v").status == 404)
        // What comes back follows the deletion.
        #expect(try server.put("/db/_design/d", "{}").hasPrefix("3-"))
        #expect(try server.get("/db/_changes?since=4").list("results", "id") == ["_design/d"])
    }

    @Test func theyComeAndGoWithReplicators() throws {
        let (server, revision) = try withDocuments()
        let other = try RESTServer.withDatabase()
        let shown = try server.get("/db/_design/d?revs=true")
        let stored = try other.send("POST", "/db/_bulk_docs", "{\"new_edits\":false,\"docs\":[\(shown.text)]}")
        #expect(stored.text == "[]")
        #expect(try other.get("/db/_changes")["results.0.changes.0.rev"] == revision)
        let gone = #"{"_id":"_design/d","_rev":"2-bb","_deleted":true,"_revisions":{"start":2,"ids":["bb","aa"]}}"#
        #expect(try other.send("POST", "/db/_bulk_docs", "{\"new_edits\":false,\"docs\":[\(gone)]}").text == "[]")
        #expect(try other.get("/db/_changes")["results.0.deleted"] == "true")
        let bulk = try other.send("POST", "/db/_bulk_get", #"{"docs":[{"id":"_design/d","rev":"2-bb"}]}"#)
        #expect(bulk["results.0.docs.0.ok._deleted"] == "true")
    }

    @Test func aFeedIsWokenByThem() throws {
        let (server, _) = try withDocuments()
        let feed = try server.feed("/db/_changes?feed=longpoll&since=3")
        #expect(try !feed.proceed())
        try server.put("/db/_design/e", "{}")
        try feed.run { $0.text.contains("_design/e") }
        #expect(feed.text.contains("\"last_seq\":4"))
    }

    @Test func thoseThatWereStoredWithoutAPlaceGetOne() throws {
        let server = try RESTServer.withDatabase()
        try server.put("/db/a", "{}")
        try server.database().write {
            try $0.putRaw(RawDocument(key: "old", meta: Array("1-aa".utf8), body: Array("{}".utf8)), in: DesignDocuments.keyStore)
        }
        #expect(try server.get("/db/_changes").list("results", "id") == ["a", "_design/old"])
        #expect(try server.get("/db/_changes").list("results", "seq") == ["1", "2"])
    }
}
