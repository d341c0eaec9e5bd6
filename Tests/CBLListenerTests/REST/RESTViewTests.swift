import CBLStore
import CBLTestSupport
import CBLTransport
import Testing

@testable import CBLListener

/// The vectors come from the vendor's own tests of 1.x.
@Suite struct RESTViewTests {
    private func withView(_ map: String = "function(doc){emit(doc.message.length, doc.message);}") throws -> RESTServer {
        let server = try RESTServer.withDatabase()
        for (id, message) in [("doc1", "hello"), ("doc2", "guten tag"), ("doc3", "bonjour")] {
            try server.put("/db/\(id)", #"{"message":"\#(message)"}"#)
        }
        try server.put("/db/_design/design", #"{"views":{"view2":{"map":"\#(map)"},"counted":{"map":"\#(map)","reduce":"_count"}}}"#)
        return server
    }

    @Test func viewsOfDesignDocumentsHaveRows() throws {
        let server = try withView()
        let answer = try server.get("/db/_design/design/_view/view2")
        #expect(answer.list("rows", "key") == ["5", "7", "9"] && answer.list("rows", "value") == ["hello", "bonjour", "guten tag"])
        #expect(answer["total_rows"] == "3" && answer["offset"] == "0" && answer.tag == "\"4\"")
        #expect(try server.get("/db/_design/design/_view/view2", headers: ["If-None-Match": "\"4\""]).status == 304)
        let with = try server.get("/db/_design/design/_view/view2?include_docs=true&limit=1&revs=true")
        #expect(with["rows.0.doc._revisions.start"] == "1" && with["rows.0.doc.message"] == "hello")
        try server.put("/db/doc4", #"{"message":"hi"}"#)
        #expect(try server.get("/db/_design/design/_view/view2", headers: ["If-None-Match": "\"4\""]).status == 200)
    }

    @Test(arguments: [
        ("key=7", ["7"]), ("keys=%5B9,5%5D", ["9", "5"]), ("startkey=6", ["7", "9"]), ("endkey=7&inclusive_end=false", ["5"]),
        ("descending=true&limit=2", ["9", "7"]), ("skip=2", ["9"]),
    ])
    func rangesOfKeys(query: String, keys: [String]) throws {
        let answer = try withView().get("/db/_design/design/_view/view2?\(query)")
        #expect(answer.list("rows", "key") == keys && answer["total_rows"] == "3", "\(answer.text)")
    }

    @Test func rowsAreReduced() throws {
        let server = try withView()
        #expect(try server.get("/db/_design/design/_view/counted")["rows"] == #"[{"key":null,"value":3}]"#)
        #expect(try server.get("/db/_design/design/_view/counted?group=true").list("rows", "key") == ["5", "7", "9"])
        #expect(try server.get("/db/_design/design/_view/counted?reduce=false").list("rows", "id").count == 3)
    }

    @Test func keysMayBePosted() throws {
        let server = try withView()
        #expect(try server.send("POST", "/db/_design/design/_view/view2", #"{"keys":[9,5]}"#).list("rows", "key") == ["9", "5"])
        #expect(try server.send("POST", "/db/_design/design/_view/view2", #"{"keys":9}"#).status == 400)
        #expect(try server.send("POST", "/db/_design/design/_view/view2", "{}").list("rows", "key").count == 3)
    }

    @Test func staleRowsAreTheFormerOnes() throws {
        let server = try withView()
        // One that was never made is made even so.
        #expect(try server.get("/db/_design/design/_view/view2?stale=ok").list("rows", "key").count == 3)
        try server.put("/db/doc4", #"{"message":"hi"}"#)
        #expect(try server.get("/db/_design/design/_view/view2?stale=ok").list("rows", "key").count == 3)
        #expect(try server.get("/db/_design/design/_view/view2?stale=no").status == 400)
        #expect(try server.get("/db/_design/design/_view/view2").list("rows", "key").count == 4)
    }

    @Test func anotherMapMakesOtherRows() throws {
        let server = try withView()
        #expect(try server.get("/db/_design/design/_view/view2")["rows.0.key"] == "5")
        let rev = try #require(try server.get("/db/_design/design")["_rev"])
        try server.put("/db/_design/design?rev=\(rev)", #"{"views":{"view2":{"map":"function(doc){emit(doc.message, null)}"}}}"#)
        #expect(try server.get("/db/_design/design/_view/view2")["rows.0"] == #"{"id":"doc3","key":"bonjour","value":null}"#)
    }

    /// As CouchDB's clients expect it; a program's own function may leave it out.
    @Test func aKeyAloneHasTheValueNull() throws {
        let server = try withView("function(doc){emit(doc.message); emit(doc.message, doc.nothing)}")
        let rows = try server.get("/db/_design/design/_view/view2?key=%22hello%22").list("rows", "value")
        #expect(rows == ["null", "null"])
    }

    @Test func whatCannotBeMappedIsSaid() throws {
        let server = try withView("function(")
        #expect(try server.get("/db/_design/design/_view/view2")["error"] == "Application callback block failed")
        #expect(try server.get("/db/_design/design/_view/none").status == 404)
        #expect(try server.get("/db/_design/none/_view/none").status == 404)
        #expect(try server.get("/db/_design/design/_show/x").status == 404)
        #expect(try server.get("/db/_design/design/_info")["name"] == "design")
    }

    @Test func viewsMayComeWithTheRequest() throws {
        let server = try withView()
        let map = #"{"map":"function(doc){emit(doc.message, 1)}","reduce":"_sum"}"#
        #expect(try server.send("POST", "/db/_temp_view", map).status == 415)
        let json: HTTPHeaders = ["Content-Type": "application/json"]
        #expect(try server.send("POST", "/db/_temp_view", map, headers: json)["rows.0.value"] == "3")
        let rows = try server.send("POST", "/db/_temp_view?reduce=false", map, headers: json)
        #expect(rows.list("rows", "key") == ["bonjour", "guten tag", "hello"])
        #expect(try server.send("POST", "/db/_temp_view", "{}", headers: json).status == 400)
    }

    /// Keys in the order of CouchDB, as its Python client tests it.
    @Test func keysAreInTheOrderOfCouchDB() throws {
        let keys = [
            "null", "false", "true", "1", "2", "3.5", "4", #""a""#, #""A""#, #""aa""#, #""b""#, #""B""#, #""ba""#, #""bb""#, #"["a"]"#,
            #"["b"]"#,
            #"["b","c"]"#, #"["b","c","a"]"#, #"["b","d"]"#, #"["b","d","e"]"#, #"{"a":1}"#, #"{"a":2}"#, #"{"b":1}"#, #"{"b":2}"#,
        ]
        let server = try RESTServer.withDatabase()
        for (place, key) in keys.enumerated().reversed() { try server.put("/db/\(place)", #"{"key":\#(key)}"#) }
        let map = #"{"map":"function(doc){emit(doc.key, null)}"}"#
        let answer = try server.send("POST", "/db/_temp_view", map, headers: ["Content-Type": "application/json"])
        #expect(answer.list("rows", "id") == keys.indices.map { "\($0)" }, "\(answer.list("rows", "key"))")
    }
}
