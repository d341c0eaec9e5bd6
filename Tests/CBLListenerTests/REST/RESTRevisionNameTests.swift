import CBLReplication
import CBLStore
import Testing

@testable import CBLListener

/// Revisions may have any name in CouchDB's protocol, and a digest in a file.
@Suite struct RESTRevisionNameTests {
    @Test(arguments: [
        ("1-aa", "1-aa"), ("1-foo", "1-ff747874666f6f"), ("2-b", "2-ff74787462"), ("1-AA", "1-ff7478744141"),
        ("9-x-y_z", "9-ff747874782d795f7a"),
        ("1-123", "1-ff747874313233"), ("4294967295-x", "4294967295-ff74787478"),
    ])
    func aNameThatIsNoDigestIsKeptBehindAMark(name: String, text: String) throws {
        let id = try RevisionID(name: name)
        #expect(id.text == text && id.name == name)
        #expect(try RevisionID(name: text).name == name)
    }

    @Test(arguments: [
        "", "1", "1-", "-a", "0-x", "01-x", "x-x", "4294967296-x", "1-a\"", "1-a\\", "1-a b", "1-a\n", "1-ä", "1-a,b",
        "1-" + String(repeating: "x", count: 38),
    ])
    func aNameThatCannotBeKeptIsRefused(name: String) {
        #expect(throws: RevisionError.self) { try RevisionID(name: name) }
    }

    @Test(arguments: ["1-ff747874", "1-ff7478746162", "1-ff747874ff", "1-ff74787420", "1-ff", "1-ff7478"])
    func aDigestThatOnlyBeginsLikeThatIsADigest(text: String) throws {
        #expect(try RevisionID(name: text).name == text)
    }

    @Test func everyRequestHasTheNameThatCame() throws {
        let server = try RESTServer.withDatabase()
        let docs =
            #"[{"_id":"a","_rev":"2-b","n":2,"_revisions":{"start":2,"ids":["b","a"]}},{"_id":"a","_rev":"2-c","n":3,"_revisions":{"start":2,"ids":["c","a"]}}]"#
        let stored = try server.send("POST", "/db/_bulk_docs", "{\"new_edits\":false,\"docs\":\(docs)}")
        #expect(stored.status == 201 && stored.text == "[]")
        let document = try server.get("/db/a?revs=true&conflicts=true&revs_info=true")
        #expect(document["_rev"] == "2-c" && document["_conflicts"] == #"["2-b"]"# && document.tag == "\"2-c\"")
        #expect(document["_revisions"] == #"{"ids":["c","a"],"start":2}"# && document.list("_revs_info", "rev") == ["2-c", "1-a"])
        #expect(try server.get("/db/a?rev=2-b")["n"] == "2")
        #expect(try server.get("/db/_all_docs")["rows.0.value.rev"] == "2-c")
        #expect(try server.get("/db/_changes?style=all_docs").list("results.0.changes", "rev") == ["2-c", "2-b"])
        let open = try server.get("/db/a?open_revs=%5B%222-b%22,%222-x%22%5D", headers: ["Accept": "application/json"])
        #expect(open["0.ok._rev"] == "2-b" && open["1.missing"] == "2-x")
        let bulk = try server.send("POST", "/db/_bulk_get", #"{"docs":[{"id":"a","rev":"2-b"},{"id":"a","rev":"2-x"}]}"#)
        #expect(bulk["results.0.docs.0.ok._rev"] == "2-b" && bulk["results.1.docs.0.error.rev"] == "2-x")
        let difference = try server.send("POST", "/db/_revs_diff", #"{"a":["2-b","3-x"]}"#)
        #expect(difference["a"] == #"{"missing":["3-x"],"possible_ancestors":["2-c","2-b"]}"#)
        // Who reads the file sees digests as they are everywhere.
        #expect(try server.database().read { try $0.document("a")?.revision.text } == "2-ff74787463")
    }

    @Test func aRevisionOfAnyNameIsEditedAndDeleted() throws {
        let server = try RESTServer.withDatabase()
        #expect(try server.send("PUT", "/db/a?new_edits=false", #"{"_rev":"1-first","n":1}"#)["rev"] == "1-first")
        #expect(try server.send("PUT", "/db/a", #"{"_rev":"1-other","n":2}"#).status == 409)
        let second = try server.put("/db/a", #"{"_rev":"1-first","n":2}"#)
        #expect(second.hasPrefix("2-") && second.utf8.count == 34)
        #expect(try server.send("PUT", "/db/a?new_edits=false", #"{"_rev":"1-a\"b"}"#).status == 400)
        #expect(try server.send("POST", "/db/_purge", "{\"a\":[\"\(second)\"]}")["purged.a.0"] == second)
        #expect(try server.send("DELETE", "/db/a?rev=\(second)").status == 404)
    }
}
