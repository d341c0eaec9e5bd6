import CBLStore
import CBLTestSupport
import CBLTransport
import Testing

@testable import CBLListener

@Suite struct RESTListTests {
    /// The setup of the vendor's tests: doc1 with two revisions, doc3, doc2.
    private func threeDocuments() throws -> RESTServer {
        let server = try RESTServer.withDatabase()
        let first = try server.put("/db/doc1", #"{"message":"hello"}"#)
        try server.put("/db/doc1?rev=\(first)", #"{"message":"goodbye"}"#)
        try server.put("/db/doc3", #"{"message":"hello"}"#)
        try server.put("/db/doc2", #"{"message":"hello"}"#)
        return server
    }

    @Test func allDocumentsAreListed() throws {
        let server = try threeDocuments()
        let answer = try server.get("/db/_all_docs")
        let rev = "1-9c7ff8308d0c89a7f1fe0f4b683655c2"
        let expected = #"""
            {"offset":0,"rows":[{"id":"doc1","key":"doc1","value":{"rev":"2-641a9554032af9bcb2351b2780161a4d"}},
            {"id":"doc2","key":"doc2","value":{"rev":"\#(rev)"}},{"id":"doc3","key":"doc3","value":{"rev":"\#(rev)"}}],"total_rows":3}
            """#
        #expect(answer.json == canonical(expected))
        #expect(answer.tag == "\"4\"")
        #expect(try server.get("/db/_all_docs", headers: ["If-None-Match": "\"4\""]).status == 304)
    }

    @Test(arguments: [
        ("", ["a", "b", "c", "d"]), ("descending=true", ["d", "c", "b", "a"]), ("startkey=%22b%22", ["b", "c", "d"]),
        ("start_key=%22b%22&inclusive_start=false", ["c", "d"]), ("endkey=%22c%22", ["a", "b", "c"]),
        ("endkey=%22c%22&inclusive_end=false", ["a", "b"]),
        ("startkey=%22c%22&endkey=%22b%22&descending=true", ["c", "b"]), ("skip=1&limit=2", ["b", "c"]), ("limit=0", []), ("skip=9", []),
        ("startkey=7", ["a", "b", "c", "d"]), ("startkey=%7B%7D", []), ("endkey=null", []), ("endkey=%5B%5D", ["a", "b", "c", "d"]),
        ("key=%22c%22", ["c"]), ("keys=%5B%22d%22,%22a%22%5D", ["d", "a"]), ("keys=%5B%22d%22,%22a%22%5D&skip=1", ["a"]),
    ])
    func rangesOfIDs(query: String, ids: [String]) throws {
        let server = try RESTServer.withDatabase()
        for id in ["d", "b", "a", "c"] { try server.put("/db/\(id)", "{}") }
        let answer = try server.get("/db/_all_docs?\(query)")
        #expect(answer.status == 200 && answer.list("rows", "id") == ids, "\(answer.text)")
        // Of all there are, as CouchDB counts.
        #expect(answer["total_rows"] == "4")
    }

    @Test(arguments: ["keys=7", "key=x", "startkey=x", "keys=%5B"])
    func badOptionsAreRefused(query: String) throws {
        #expect(try threeDocuments().get("/db/_all_docs?\(query)").status == 400)
    }

    @Test func keysHaveARowEach() throws {
        let server = try threeDocuments()
        let rev = try #require(try server.get("/db/doc2")["_rev"])
        try server.send("DELETE", "/db/doc2?rev=\(rev)")
        let answer = try server.send("POST", "/db/_all_docs?include_docs=true", #"{"keys":["doc3","doc2",7,"doc4","doc3"]}"#)
        #expect(answer.list("rows", "key") == ["doc3", "doc2", "7", "doc4", "doc3"])
        #expect(answer["rows.1.value.deleted"] == "true" && answer["rows.1.doc"] == "null")
        #expect(answer["rows.3"] == #"{"error":"not_found","key":"doc4"}"# && answer["rows.2.error"] == "not_found")
        #expect(answer["rows.4.doc.message"] == "hello")
        #expect(try server.send("POST", "/db/_all_docs", "7").status == 400)
        #expect(try server.send("POST", "/db/_all_docs", #"{"keys":7}"#).status == 400)
        #expect(try server.get("/db/_all_docs?include_deleted=true").list("rows", "id") == ["doc1", "doc2", "doc3"])
    }

    @Test func longListsComeInPieces() throws {
        let server = try RESTServer.withDatabase()
        let count = 3000
        try server.database().fill(count)
        let pieces = LockedList<Int>()
        let request = try #require(HTTPRequest("GET", target: "/db/_all_docs?include_docs=true&update_seq=true"))
        let all = LockedList<UInt8>()
        let exchange = LocalExchange(
            request,
            receive: { piece in
                pieces.append(piece.count)
                all.append(contentsOf: piece)
            })
        #expect(server.service.respond(to: exchange) == nil)
        var collected = exchange.answer
        collected.body = all.items
        let answer = RESTAnswer(collected)
        #expect(collected.hasEnded && collected.length == nil && pieces.items.count > 3)
        #expect((pieces.items.max() ?? 0) < 1 << 17)
        #expect(answer["total_rows"] == "\(count)" && answer["update_seq"] == "\(count)")
        #expect(Set(answer.list("rows", "id")).count == count && answer["rows.2999.doc._id"] == answer["rows.2999.id"])
    }

    @Test func aDamagedDocumentIsTheOnlyOneMissing() throws {
        let server = try threeDocuments()
        server.databases.close()
        try RawDatabase("\(server.path)/db.cblite2/db.sqlite3").execute("UPDATE kv_default SET body = x'7FFFFFFF' WHERE key = 'doc2'")
        #expect(try server.get("/db/doc2")["error"] == "Invalid data in database")
        let answer = try server.get("/db/_all_docs?include_docs=true")
        #expect(answer.list("rows", "key") == ["doc1", "doc2", "doc3"])
        #expect(answer["rows.1.error"] == "Invalid data in database" && answer["rows.2.doc.message"] == "hello")
        #expect(try server.get("/db/_changes?include_docs=true").list("results", "id").contains("doc1"))
        #expect(try server.send("PUT", "/db/doc3", "{}").status == 409)
    }
}

@Suite struct RESTBulkTests {
    @Test func eachOfManyHasItsResult() throws {
        let server = try RESTServer.withDatabase()
        let docs = #"{"docs":[{"_id":"a","n":1},{"n":2},{"_id":"_bad","n":3},{"_id":"bob","_rev":"1-eeee"},{"_id":"_local/x","n":4},7]}"#
        let answer = try server.send("POST", "/db/_bulk_docs", docs)
        #expect(answer.status == 201)
        #expect(answer["0.ok"] == "true" && answer["0.id"] == "a" && answer["1.ok"] == "true" && answer["4.rev"] == "1-local")
        #expect(answer["2.status"] == "400" && answer["3.status"] == "404" && answer["3.id"] == "bob" && answer["5.status"] == "400")
        #expect(try server.get("/db")["doc_count"] == "2")
        let again = try server.send("POST", "/db/_bulk_docs", #"{"docs":[{"_id":"a","n":5}]}"#)
        #expect(again["0.error"] == "conflict" && again["0.status"] == "409")
        #expect(try server.send("POST", "/db/_bulk_docs", "{}").status == 400)
    }

    @Test func allOrNothing() throws {
        let server = try RESTServer.withDatabase()
        try server.put("/db/a", #"{"n":1}"#)
        let bad = try server.send("POST", "/db/_bulk_docs", #"{"all_or_nothing":"true","docs":[{"_id":"b"},{"_id":"_bad"}]}"#)
        #expect(bad.status == 400)
        #expect(try server.get("/db/b").status == 404)
        // What conflicts is a branch.
        let answer = try server.send("POST", "/db/_bulk_docs", #"{"all_or_nothing":true,"docs":[{"_id":"a","n":2}]}"#)
        #expect(answer["0.ok"] == "true")
        #expect(try server.get("/db/a?conflicts=true")["_conflicts.0"] != nil)
    }

    @Test func whatIsNotAllowedIsRefused() throws {
        let server = try RESTServer.withDatabase()
        let rev = try server.put("/db/old", "{}")
        try server.database().setRevisionGuard { proposed in
            if proposed.documentID != "fine" { throw StoreError(.refused, "not here") }
        }
        for (method, target) in [("POST", "/db"), ("PUT", "/db/new"), ("DELETE", "/db/old?rev=\(rev)"), ("PUT", "/db/new?new_edits=false")]
        {
            let answer = try server.send(
                method, target, #"{"_rev":"\#(rev)"}"#.replacing("_rev", with: target.contains("edits") ? "_rev" : "n"))
            #expect(answer.json == #"{"error":"forbidden","reason":"not here","status":403}"#, "\(method) \(target)")
        }
        let docs = #""docs":[{"_id":"fine"},{"_id":"a"},{"_id":"b"}]"#
        let answer = try server.send("POST", "/db/_bulk_docs", "{\(docs)}")
        #expect(answer.status == 201 && answer["0.ok"] == "true" && answer["1.status"] == "403" && answer["2.reason"] == "not here")
        #expect(try server.send("POST", "/db/_bulk_docs", "{\(docs),\"all_or_nothing\":\"true\"}").status == 403)
    }

    @Test func whatWasMadeElsewhereIsToldOnlyIfItFails() throws {
        let server = try RESTServer.withDatabase()
        let docs = #"""
            {"new_edits":false,"docs":[{"_id":"a","_rev":"3-cccc","_revisions":{"start":3,"ids":["cccc","bbbb","aaaa"]},"n":3},
            {"_id":"b","_rev":"zz"},{"_id":"c","_rev":"2-dddd","_deleted":true},{"_id":"a","_rev":"3-cccc"},{"n":1}]}
            """#
        let answer = try server.send("POST", "/db/_bulk_docs", docs)
        #expect(answer.status == 201 && answer.list("", "status") == ["400", "400"] && answer["0.id"] == "b")
        #expect(try server.get("/db/a?revs=true")["_revisions.ids"] == #"["cccc","bbbb","aaaa"]"#)
        #expect(try server.get("/db/c")["reason"] == "deleted")
    }

    @Test func manyRevisionsAreFetchedAtOnce() throws {
        let server = try RESTServer.withDatabase()
        let rev = try server.put("/db/a", #"{"n":1}"#)
        let request = #"{"docs":[{"id":"a","rev":"\#(rev)"},{"id":"a","rev":"9-ffff"},{"id":"b"},{"id":"a"},{}]}"#
        let answer = try server.send("POST", "/db/_bulk_get?revs=true&latest=true", request)
        #expect(answer.list("results", "id") == ["a", "a", "b", "a", ""])
        #expect(answer["results.0.docs.0.ok._revisions.start"] == "1" && answer["results.3.docs.0.ok.n"] == "1")
        #expect(answer["results.1.docs.0.error.rev"] == "9-ffff" && answer["results.2.docs.0.error.error"] == "not_found")
        #expect(answer["results.4.docs.0.error.status"] == "400")
    }

    @Test func differencesAreThoseOf1x() throws {
        let server = try RESTServer.withDatabase()
        var revisions: [String] = []
        for (id, count) in [("11111", 3), ("22222", 2), ("33333", 1)] {
            var rev = ""
            for number in 1...count {
                rev = try server.put("/db/\(id)" + (rev.isEmpty ? "" : "?rev=\(rev)"), #"{"n":\#(number)}"#)
                revisions.append(rev)
            }
        }
        let request = #"{"11111":["\#(revisions[1])","3-f000"],"22222":["\#(revisions[3])"],"33333":["10-badbad"],"99999":["6-666666"]}"#
        let answer = try server.send("POST", "/db/_revs_diff", request)
        let expected = #"""
            {"11111":{"missing":["3-f000"],"possible_ancestors":["\#(revisions[1])","\#(revisions[0])"]},
            "33333":{"missing":["10-badbad"],"possible_ancestors":["\#(revisions[5])"]},"99999":{"missing":["6-666666"]}}
            """#
        #expect(answer.json == canonical(expected))
        #expect(try server.send("POST", "/db/_compact").status == 202)
        let later = try server.send("POST", "/db/_revs_diff", #"{"11111":["4-f000"]}"#)
        #expect(later["11111.possible_ancestors"] == #"["\#(revisions[2])"]"#)
        #expect(try server.send("POST", "/db/_revs_diff", "7").status == 400)
        #expect(try server.send("POST", "/db/_revs_diff", #"{"a":7}"#).status == 400)
        #expect(try server.send("POST", "/db/_missing_revs", #"{"11111":["4-f000"]}"#)["missing_revs.11111"] == #"["4-f000"]"#)
    }

    @Test func whatRevisionsSaidIsThereUntilCompactionIfItIsKept() throws {
        for isKept in [false, true] {
            let server = try RESTServer.withDatabase()
            try server.database().keepsReplacedBodies = isKept
            let first = try server.put("/db/a", #"{"n":1,"_attachments":{"x":{"data":"aGVsbG8="}}}"#)
            let second = try server.put("/db/a?rev=\(first)", #"{"n":2}"#)
            let third = try server.put("/db/a?rev=\(second)", #"{"n":3}"#)
            let tag: HTTPHeaders = ["If-None-Match": "\"\(first)\""]
            #expect(try server.get("/db/a?rev=\(first)", headers: tag).status == (isKept ? 304 : 404))
            #expect(try server.get("/db/a/x?rev=\(first)").text == (isKept ? "hello" : server.get("/db/none").text))
            let other = try server.put("/db/b", "{}")
            let copied = try server.send("COPY", "/db/a?rev=\(second)", headers: ["Destination": "b?rev=\(other)"])
            #expect(copied.status == (isKept ? 201 : 404))
            #expect(try server.send("POST", "/db/_compact").status == 202)
            // Who has it already asks whether it is the same.
            #expect(try server.get("/db/a?rev=\(first)", headers: tag)["reason"] == "missing")
            #expect(try server.get("/db/a?rev=\(third)")["n"] == "3")
        }
    }

    @Test func theHistorySaysWhichRevisionItIs() throws {
        let server = try RESTServer.withDatabase()
        let docs =
            #"[{"_id":"a","_rev":"3-cc","n":3,"_revisions":{"start":2,"ids":["cc","aa"]}},{"_id":"b","_rev":"2-aa","_revisions":{"start":1,"ids":["aa"]}}]"#
        #expect(try server.send("POST", "/db/_bulk_docs", #"{"new_edits":false,"docs":\#(docs)}"#).text == "[]")
        #expect(try server.get("/db/a?revs=true")["_revisions"] == canonical(#"{"start":2,"ids":["cc","aa"]}"#))
        #expect(try server.get("/db/b?revs=true")["_revisions"] == canonical(#"{"start":1,"ids":["aa"]}"#))
    }

    @Test func localDocumentsLoseTheirAttachments() throws {
        let server = try RESTServer.withDatabase()
        #expect(try server.send("PUT", "/db/_local/x", #"{"n":1,"_attachments":{"a":{"data":"aGVsbG8="}}}"#).status == 201)
        let stored = try server.get("/db/_local/x?attachments=true")
        #expect(stored["n"] == "1" && stored["_attachments"] == nil, "\(stored.text)")
        #expect(try server.get("/db/_local/x/a").status == 404)
        #expect(try server.send("PUT", "/db/_local/x/a", "hello").status == 400)
        #expect(try server.send("PUT", "/db/_design/x", #"{"_attachments":{"a":{"data":"aGVsbG8="}}}"#).status == 400)
    }

    @Test func whatIsPurgedHasNeverBeen() throws {
        let server = try RESTServer.withDatabase()
        let first = try server.put("/db/doc1", #"{"n":1}"#)
        let second = try server.put("/db/doc1?rev=\(first)", #"{"n":2}"#)
        // What something was made of stays.
        #expect(try server.send("POST", "/db/_purge", #"{"doc1":["\#(first)"],"x":["1-aa"]}"#)["purged"] == "{}")
        let answer = try server.send("POST", "/db/_purge", #"{"doc1":["\#(first)","\#(second)"]}"#)
        #expect(answer["purged.doc1"] == #"["\#(first)","\#(second)"]"# && answer["purge_seq"] == "1")
        #expect(try server.get("/db/doc1")["reason"] == "missing")
        try server.put("/db/doc2", "{}")
        #expect(try server.send("POST", "/db/_purge", #"{"doc2":["*"]}"#)["purged.doc2"] == #"["*"]"#)
        #expect(try server.send("POST", "/db/_purge", #"{"doc2":7}"#).status == 400)
    }

    @Test func theLimitOfRevisionsIsKept() throws {
        let server = try RESTServer.withDatabase()
        #expect(try server.get("/db/_revs_limit").text == "50")
        #expect(try server.send("PUT", "/db/_revs_limit", "3").status == 200)
        #expect(try server.get("/db/_revs_limit").text == "3")
        #expect(try server.send("PUT", "/db/_revs_limit", "-1").status == 400)
        var rev = try server.put("/db/a", "{}")
        for number in 0..<5 { rev = try server.put("/db/a?rev=\(rev)", #"{"n":\#(number)}"#) }
        #expect(try server.get("/db/a?revs_info=true").list("_revs_info", "rev").count == 3)
    }
}
