import Testing

@testable import CBLListener

/// Several queries in one request, and lists of what is beside the documents.
@Suite struct RESTSeveralTests {
    private func withView() throws -> RESTServer {
        let server = try RESTServer.withDatabase()
        for (id, n) in [("a", 1), ("b", 2), ("c", 3)] { try server.put("/db/\(id)", "{\"n\":\(n)}") }
        try server.put("/db/_design/d", #"{"views":{"v":{"map":"function(doc){emit(doc.n, null);}","reduce":"_count"}}}"#)
        return server
    }

    @Test(arguments: ["/db/_design/d/_view/v", "/db/_design/d/_view/v/queries"])
    func aViewAnswersSeveralQueries(path: String) throws {
        let server = try withView()
        let queries = #"{"queries":[{"reduce":false,"startkey":2},{},{"keys":[3,1],"reduce":false,"include_docs":true}]}"#
        let answer = try server.send("POST", path, queries)
        #expect(answer.list("results.0.rows", "key") == ["2", "3"] && answer["results.1.rows.0.value"] == "3", "\(answer.text)")
        #expect(answer.list("results.2.rows", "doc.n") == ["3", "1"] && answer["results.2.total_rows"] == "3")
        #expect(try server.send("POST", path, #"{"queries":{}}"#).status == 400)
        #expect(try server.send("POST", path, #"{"queries":[{"stale":"x"}]}"#).status == 400)
    }

    @Test func optionsMayBePosted() throws {
        let server = try withView()
        let rows = try server.send("POST", "/db/_design/d/_view/v", #"{"reduce":false,"startkey":2,"descending":true}"#)
        #expect(rows.list("rows", "key") == ["2", "1"])
        let list = try server.send("POST", "/db/_all_docs", #"{"startkey":"b","limit":1,"include_docs":true}"#)
        #expect(list.list("rows", "doc.n") == ["2"] && list["total_rows"] == "4", "\(list.text)")
    }

    @Test func allDocumentsAreListedInSeveralWaysAtOnce() throws {
        let answer = try withView().send(
            "POST", "/db/_all_docs/queries", #"{"queries":[{"keys":["b","x"]},{"startkey":"b","endkey":"b"}]}"#)
        #expect(answer.list("results.0.rows", "key") == ["b", "x"] && answer.list("results.1.rows", "id") == ["b"], "\(answer.text)")
    }

    @Test func designDocumentsAndLocalOnesHaveListsOfTheirOwn() throws {
        let server = try withView()
        try server.put("/db/_local/x", #"{"n":7}"#)
        try server.put("/db/_local/y", "{}")
        let designs = try server.get("/db/_design_docs?include_docs=true")
        #expect(designs.list("rows", "id") == ["_design/d"] && designs["rows.0.doc.views.v.reduce"] == "_count")
        #expect(designs["total_rows"] == "1")
        #expect(try server.get("/db/_local_docs").list("rows", "key") == ["_local/x", "_local/y"])
        #expect(try server.send("POST", "/db/_local_docs", #"{"limit":1,"include_docs":true}"#).list("rows", "doc.n") == ["7"])
        #expect(try server.get("/db/_local_docs?keys=%5B%22_local/y%22%5D").list("rows", "id") == ["_local/y"])
    }

    @Test func theServerTellsOfSeveralDatabases() throws {
        let server = try withView()
        let some = try server.send("POST", "/_dbs_info", #"{"keys":["db","nothing"]}"#)
        #expect(some["0.key"] == "db" && some["0.info.doc_count"] == "4" && some["1"] == #"{"error":"not_found","key":"nothing"}"#)
        #expect(try server.get("/_dbs_info")["0.info.db_name"] == "db")
        #expect(try server.send("POST", "/_dbs_info", "{}").status == 400)
        #expect(try server.get("/_membership")["cluster_nodes.0"] != nil)
    }
}
