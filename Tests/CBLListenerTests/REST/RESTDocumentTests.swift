import CBLStore
import CBLTestSupport
import CBLTransport
import Testing

@testable import CBLListener

/// The vectors come from the vendor's own tests of 1.x.
@Suite struct RESTDocumentTests {
    @Test func revisionsAreNamedAsIn1x() throws {
        let server = try RESTServer.withDatabase()
        let first = try server.send("PUT", "/db/doc1", #"{"message":"hello"}"#)
        #expect(first.json == #"{"id":"doc1","ok":true,"rev":"1-9c7ff8308d0c89a7f1fe0f4b683655c2"}"#)
        #expect(first.tag == #""1-9c7ff8308d0c89a7f1fe0f4b683655c2""#)
        #expect(first.answer.headers["Location"] == "/db/doc1")
        let second = try server.put("/db/doc1", #"{"message":"goodbye","_rev":"1-9c7ff8308d0c89a7f1fe0f4b683655c2"}"#)
        #expect(second == "2-641a9554032af9bcb2351b2780161a4d")
        let third = try server.send("DELETE", "/db/doc1?rev=\(second)")
        #expect(third.status == 200 && third["rev"] == "3-69e1c04b38d144220169834e4a1d6b65")
        #expect(try server.put("/db/doc4", #"{"message":"hi"}"#) == "1-cfdd78e822bbcbc25c91e9deb9537c4b")
        #expect(try server.put("/db/doc5", "{}") == "1-ca9ad22802b66f662ff171f226211d5c")
    }

    @Test func whatIsDeletedIsGoneButForItsTombstone() throws {
        let server = try RESTServer.withDatabase()
        #expect(try server.get("/db/doc1").json == #"{"error":"not_found","reason":"missing","status":404}"#)
        let first = try server.put("/db/doc1", #"{"message":"hello"}"#)
        let deletion = try server.send("DELETE", "/db/doc1", headers: ["If-Match": "\"\(first)\""])
        #expect(deletion.status == 200 && deletion.answer.headers["Location"] == nil)
        #expect(try server.get("/db/doc1").json == #"{"error":"not_found","reason":"deleted","status":404}"#)
        let rev = try #require(deletion["rev"])
        #expect(try server.get("/db/doc1?rev=\(rev)").json == #"{"_deleted":true,"_id":"doc1","_rev":"\#(rev)"}"#)
        #expect(try server.send("DELETE", "/db/doc1?rev=\(rev)").status == 404)
        // It lives again below its tombstone.
        #expect(try server.put("/db/doc1", #"{"message":"again"}"#).hasPrefix("3-"))
    }

    @Test func whoSaysAnotherRevisionIsRefused() throws {
        let server = try RESTServer.withDatabase()
        let first = try server.put("/db/doc1", #"{"n":1}"#)
        let second = try server.put("/db/doc1?rev=\(first)", #"{"n":2}"#)
        #expect(try server.send("PUT", "/db/doc1", #"{"n":3}"#).status == 409)
        #expect(try server.send("PUT", "/db/doc1?rev=\(first)", #"{"n":3}"#).status == 409)
        #expect(try server.send("PUT", "/db/doc1?rev=1-ffff", #"{"n":3}"#)["error"] == "conflict")
        #expect(try server.send("PUT", "/db/doc1?rev=nonsense", #"{"n":3}"#).status == 400)
        #expect(try server.send("PUT", "/db/doc1?rev=\(first)", #"{"n":3,"_rev":"\#(second)"}"#).status == 400)
        #expect(try server.send("PUT", "/db/other?rev=\(first)", #"{"n":3}"#).status == 404)
        #expect(try server.send("DELETE", "/db/doc1").status == 409)
        #expect(try server.send("DELETE", "/db/doc1?rev=\(first)").status == 409)
        #expect(try server.send("DELETE", "/db/nothing").status == 404)
        #expect(try server.send("PUT", "/db/doc1", #"{"n":3}"#, headers: ["If-Match": second]).status == 201)
    }

    @Test(arguments: [
        (#"{"_id":"other"}"#, 400), (#"{"_foo":1}"#, 400), ("[]", 400), ("{", 400), ("", 400), (#"{"_exp":"soon"}"#, 400),
        (#"{"_id":7}"#, 400),
        (#"{"_attachments":7}"#, 400), (#"{"_attachments":{"a":{"stub":true}}}"#, 412), (#"{"_attachments":{"a":{"data":"?"}}}"#, 400),
    ])
    func whatIsNoDocumentIsRefused(json: String, status: Int) throws {
        let server = try RESTServer.withDatabase()
        let answer = try server.send("PUT", "/db/doc", json)
        #expect(answer.status == status, "\(answer.text)")
        #expect(try server.get("/db/doc").status == 404)
    }

    @Test func aPostMakesAnID() throws {
        let server = try RESTServer.withDatabase()
        let answer = try server.send("POST", "/db", #"{"a":1}"#, headers: ["Host": "h"])
        let id = try #require(answer["id"])
        #expect(answer.status == 201 && id.utf8.count == 23 && answer.answer.headers["Location"] == "http://h/db/\(id)")
        #expect(try server.send("POST", "/db", #"{"_id":"mine"}"#)["id"] == "mine")
        #expect(try server.send("POST", "/db", #"{"_deleted":true}"#).status == 400)
        // As in 1.x: CouchDB makes a tombstone of it.
        #expect(try server.send("PUT", "/db/never", #"{"_deleted":true}"#).status == 404)
    }

    @Test func aDocumentTellsWhatIsKnownOfIt() throws {
        let server = try RESTServer.withDatabase()
        let first = try server.put("/db/doc", #"{"n":1}"#)
        let second = try server.put("/db/doc?rev=\(first)", #"{"n":2}"#)
        let answer = try server.get("/db/doc?revs=true&revs_info=true&local_seq=true&conflicts=true&show_exp=true")
        #expect(answer["_revisions.start"] == "2" && answer["_revisions.ids.1"] == String(first.dropFirst(2)))
        #expect(answer.list("_revs_info", "status") == ["available", "missing"])
        #expect(answer.list("_revs_info", "rev") == [second, first])
        #expect(answer["_local_seq"] == "2" && answer["_conflicts"] == nil && answer["_exp"] == nil)
        #expect(try server.get("/db/doc?rev=\(first)").status == 404)
        #expect(try server.get("/db/doc", headers: ["If-None-Match": "\"\(second)\""]).status == 304)
        #expect(try server.get("/db/doc", headers: ["If-None-Match": "\"\(first)\""]).status == 200)
    }

    @Test func timesOfExpirationAreKept() throws {
        let server = try RESTServer.withDatabase()
        let soon = "2116-12-31T21:21:18Z"
        var rev = try server.put("/db/doc", #"{"_exp":"\#(soon)"}"#)
        #expect(try server.get("/db/doc?show_exp=true")["_exp"] == "2116-12-31T21:21:18.000Z")
        #expect(try server.get("/db/doc")["_exp"] == nil)
        rev = try server.put("/db/doc?rev=\(rev)", #"{"n":1}"#)
        #expect(try server.get("/db/doc?show_exp=true")["_exp"] == "2116-12-31T21:21:18.000Z")
        rev = try server.put("/db/doc?rev=\(rev)", #"{"_exp":4638979278}"#)
        #expect(try server.get("/db/doc?show_exp=true")["_exp"] == "2117-01-01T21:21:18.000Z")
        try server.put("/db/doc?rev=\(rev)", #"{"n":2,"_exp":null}"#)
        #expect(try server.get("/db/doc?show_exp=true")["_exp"] == nil)
        #expect(try server.send("PUT", "/db/_local/x", #"{"_exp":1}"#).status == 400)
    }

    @Test func branchesStandBesideEachOther() throws {
        let server = try RESTServer.withDatabase()
        let base = try server.put("/db/doc", #"{"n":1}"#)
        let digest = base.dropFirst(2)
        for (name, number) in [("aaaa", 2), ("bbbb", 3)] {
            let json = #"{"_id":"doc","_rev":"2-\#(name)","_revisions":{"start":2,"ids":["\#(name)","\#(digest)"]},"n":\#(number)}"#
            #expect(try server.send("PUT", "/db/doc?new_edits=false", json).status == 201)
            #expect(try server.send("PUT", "/db/doc?new_edits=false", json).status == 201)
        }
        let answer = try server.get("/db/doc?conflicts=true")
        #expect(answer["_rev"] == "2-bbbb" && answer["n"] == "3" && answer["_conflicts"] == #"["2-aaaa"]"#)
        #expect(try server.get("/db/doc?rev=2-aaaa")["n"] == "2")
        #expect(
            try server.get("/db/doc?open_revs=all", headers: ["Accept": "application/json"]).list("", "ok._rev") == ["2-bbbb", "2-aaaa"])
        let some = try server.get("/db/doc?open_revs=%5B%222-aaaa%22,%22666-deadbeef%22%5D", headers: ["Accept": "application/json"])
        #expect(some["0.ok.n"] == "2" && some["1.missing"] == "666-deadbeef")
        let latest = try server.get("/db/doc?latest=true&open_revs=%5B%22\(base)%22%5D", headers: ["Accept": "application/json"])
        #expect(latest.list("", "ok._rev") == ["2-bbbb", "2-aaaa"])
        #expect(try server.get("/db/_all_docs?include_conflicts=true")["rows.0.value._conflicts"] == #"["2-aaaa"]"#)
        // The one that lives wins.
        #expect(try server.send("DELETE", "/db/doc?rev=2-bbbb").status == 200)
        #expect(try server.get("/db/doc?conflicts=true")["_rev"] == "2-aaaa")
        #expect(try server.send("PUT", "/db/doc?new_edits=false", #"{"_rev":"odd"}"#).status == 400)
        #expect(try server.send("PUT", "/db/doc?new_edits=false", "{}").status == 400)
    }

    @Test func documentsAreCopied() throws {
        let server = try RESTServer.withDatabase()
        try server.put("/db/a", #"{"n":1}"#)
        let copy = try server.send("COPY", "/db/a", headers: ["Destination": "b%20c"])
        #expect(copy.status == 201 && copy["id"] == "b c")
        #expect(try server.get("/db/b%20c")["n"] == "1")
        #expect(try server.send("COPY", "/db/a", headers: ["Destination": "b%20c"]).status == 409)
        try server.put("/db/x", #"{"n":2}"#)
        #expect(try server.send("COPY", "/db/x", headers: ["Destination": "b%20c"]).status == 409)
        #expect(try server.send("COPY", "/db/x", headers: ["Destination": "b%20c?rev=\(copy["rev"] ?? "")"]).status == 201)
        #expect(try server.send("COPY", "/db/a").status == 400)
    }

    @Test func localDocumentsAreInNoList() throws {
        let server = try RESTServer.withDatabase()
        let made = try server.send("PUT", "/db/_local/doc1", #"{"a":1}"#)
        #expect(made.status == 201 && made["rev"] == "1-local" && made["id"] == "_local/doc1")
        #expect(try server.get("/db/_local%2Fdoc1").json == #"{"_id":"_local/doc1","_rev":"1-local","a":1}"#)
        #expect(try server.send("PUT", "/db/_local/doc1", #"{"a":2}"#).status == 409)
        #expect(try server.put("/db/_local/doc1", #"{"a":2,"_rev":"1-local"}"#) == "2-local")
        #expect(try server.get("/db/_changes").json == #"{"last_seq":0,"pending":0,"results":[]}"#)
        #expect(try server.get("/db/_all_docs")["total_rows"] == "0")
        #expect(try server.send("DELETE", "/db/_local/doc1").status == 409)
        #expect(try server.send("DELETE", "/db/_local/doc1?rev=2-local").status == 200)
        #expect(try server.send("DELETE", "/db/_local/doc1?rev=2-local").status == 404)
    }

    @Test func designDocumentsStandAmongTheOthers() throws {
        let server = try RESTServer.withDatabase()
        for id in ["A", "b", "Z", "~"] { try server.put("/db/\(id)", "{}") }
        let rev = try server.put("/db/_design/d", #"{"views":{}}"#)
        #expect(rev.hasPrefix("1-"))
        #expect(try server.get("/db/_design%2Fd")["views"] == "{}")
        #expect(try server.get("/db/_all_docs").list("rows", "id") == ["A", "Z", "_design/d", "b", "~"])
        #expect(try server.get("/db/_all_docs?descending=true").list("rows", "id") == ["~", "b", "_design/d", "Z", "A"])
        #expect(try server.get("/db/_all_docs?startkey=%22_design%22&endkey=%22_design0%22").list("rows", "id") == ["_design/d"])
        #expect(try server.send("PUT", "/db/_design/d", "{}").status == 409)
        #expect(try server.put("/db/_design/d?rev=\(rev)", "{}").hasPrefix("2-"))
        #expect(try server.send("DELETE", "/db/_design/d?rev=\(rev)").status == 409)
    }

    @Test func databasesWithVersionVectorsAreServed() throws {
        let server = try RESTServer()
        _ = try Database(path: "\(server.path)/db.cblite2", options: .init(access: .create, upgrade: .versionVectors))
        let first = try server.put("/db/doc", #"{"n":1}"#)
        #expect(first.contains("@"))
        let path = "/db/doc?rev=" + first.replacing("@", with: "%40").replacing("*", with: "%2A")
        #expect(try server.get(path)["n"] == "1")
        #expect(try server.send("PUT", "/db/doc", #"{"n":2}"#).status == 409)
        let second = try server.put(path, #"{"n":2}"#)
        #expect(second != first)
        let shown = try server.get("/db/doc?revs=true&conflicts=true&revs_info=true")
        #expect(shown["_rev"] == second && shown["_revisions.ids.0"] == second)
        let foreign = try server.send("PUT", "/db/x?new_edits=false", #"{"_rev":"1-aaaa"}"#)
        #expect(foreign.status == 400 && foreign["reason"]?.contains("version vectors") == true)
        #expect(try server.get("/db/_changes?style=all_docs").list("results", "changes.0.rev") == [second])
        let difference = try server.send("POST", "/db/_revs_diff", #"{"doc":["\#(first)","\#(second)","1-aaaa"]}"#)
        #expect(difference["doc.missing"] == #"["1-aaaa"]"#)
    }

    @Test func theSameChangeOfAnOldRevisionIsAConflict() throws {
        let server = try RESTServer.withDatabase()
        let first = try server.put("/db/doc", #"{"a":1}"#)
        let change = #"{"a":2,"_rev":"\#(first)"}"#
        try server.put("/db/doc", change)
        #expect(try server.send("PUT", "/db/doc", change).status == 409)
        let bulk = try server.send("POST", "/db/_bulk_docs", #"{"docs":[{"_id":"doc","a":2,"_rev":"\#(first)"}]}"#)
        #expect(bulk["0.status"] == "409")
    }

    @Test func whoDoesNotWaitIsToldNoRevision() throws {
        let server = try RESTServer.withDatabase()
        let answer = try server.send("PUT", "/db/doc?batch=ok", #"{"a":1}"#)
        #expect(answer.status == 202 && answer["rev"] == nil && answer["id"] == "doc")
        #expect(try server.get("/db/doc")["a"] == "1")
    }
}

/// What is no document, and what clients write into documents besides.
@Suite struct RESTMalformedTests {
    @Test(arguments: [
        #"{"_zing":4}"#, #"{"_id":123}"#, #"{"_id":"_secret"}"#, "7", #"{"_id":"c","_attachments":{"_x":{"data":""}}}"#,
    ])
    func aTextThatIsNoDocumentFailsAlone(document: String) throws {
        let server = try RESTServer.withDatabase()
        let answer = try server.send("POST", "/db/_bulk_docs", "{\"docs\":[{\"_id\":\"b\"},\(document)]}")
        #expect(answer.status == 201 && answer["0.ok"] == "true" && answer["1.status"] == "400", "\(answer.text)")
        // So it is for replicators.
        let edited = document.replacing("{\"", with: #"{"_rev":"1-aa",""#)
        let inserted = try server.send(
            "POST", "/db/_bulk_docs", "{\"new_edits\":false,\"docs\":[{\"_id\":\"a\",\"_rev\":\"1-aa\"},\(edited)]}")
        #expect(inserted.status == 201)
        #expect(try server.get("/db/a").status == 200)
    }

    @Test func whatReplicatorsNoteOfTheirDocumentsStays() throws {
        let server = try RESTServer.withDatabase()
        try server.put("/db/a", #"{"_replication_id":"x","_replication_state":"triggered","_replication_stats":{"n":1}}"#)
        let answer = try server.get("/db/a")
        #expect(answer["_replication_state"] == "triggered" && answer["_replication_stats.n"] == "1")
    }

    @Test func aLocalDocumentHasNoHistoryAndNoRevisionWhenItIsGone() throws {
        let server = try RESTServer.withDatabase()
        let first = try server.put("/db/_local/x", #"{"_revisions":{"start":0,"ids":["1"]}}"#)
        let gone = try server.send("DELETE", "/db/_local/x?rev=\(first)")
        #expect(gone.status == 200 && gone["rev"] == "0-0")
        let again = try server.put("/db/_local/x", "{}")
        #expect(
            try server.send("POST", "/db/_bulk_docs", "{\"docs\":[{\"_id\":\"_local/x\",\"_rev\":\"\(again)\",\"_deleted\":true}]}")[
                "0.rev"] == "0-0")
    }
}
