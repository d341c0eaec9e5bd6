import CBLStore
import CBLTestSupport
import CBLTransport
import Testing

@testable import CBLListener

@Suite struct RESTServerTests {
    @Test(arguments: [
        ("GET", "/", 200), ("HEAD", "/", 200), ("PUT", "/", 405), ("POST", "/", 405), ("GET", "/BadName", 400),
        ("GET", "/non-existent", 404),
        ("GET", "/db", 200), ("GET", "/db/", 200), ("GET", "/%64%62", 200), ("GET", "/db/_session", 404), ("POST", "/db/doc1", 405),
        ("GET", "/_nothing", 404), ("GET", "/db/_nothing", 404), ("GET", "/_session", 200), ("GET", "/_up", 200), ("DELETE", "/_up", 405),
        ("GET", "/db/_design", 404), ("GET", "/db/_local", 404), ("GET", "/db/_local/", 404), ("GET", "/db./doc", 400),
        ("GET", "/db..x", 400),
        ("GET", "/db.missing", 404), ("GET", "/other.missing", 404), ("GET", "/db.a.b.c", 400), ("OPTIONS", "/db/doc", 200),
        ("GET", "/db/_security", 200), ("GET", "/db/_compact", 405), ("PUT", "/db", 412), ("PUT", "/Up", 400),
        ("DELETE", "/db?rev=1-aa", 400),
    ])
    func pathsLeadWhereTheyShould(method: String, target: String, status: Int) throws {
        let server = try RESTServer.withDatabase()
        let answer = try server.send(method, target)
        #expect(answer.status == status, "\(answer.text)")
        if status >= 400 { #expect(answer["status"] == "\(status)" && answer["error"] != nil) }
    }

    @Test func theServerTellsWhatItIs() throws {
        let server = try RESTServer { $0.version = "1.2" }
        let answer = try server.get("/")
        #expect(
            answer["couchdb"] == "Welcome" && answer["CouchbaseLite"] == "Welcome" && answer["version"] == "1.2" && answer["uuid"] != nil)
        let session = try server.get("/_session")
        #expect(session["userCtx"] == canonical(#"{"name":null,"roles":["_admin"]}"#) && session["ok"] == "true")
        #expect(try server.get("/_uuids")["uuids.0"]?.utf8.count == 23)

        #expect(try server.get("/_uuids?count=5000")["uuids.999"] != nil)
        #expect(try server.get("/_uuids?count=5000")["uuids.1000"] == nil)
    }

    @Test func databasesComeAndGo() throws {
        let server = try RESTServer()
        #expect(try server.get("/_all_dbs").text == "[]")
        let made = try server.send("PUT", "/database%2Fwith%2Fslashes", headers: ["Host": "here:1"])
        #expect(made.status == 201)
        #expect(made.answer.headers["Location"] == "http://here:1/database%2Fwith%2Fslashes")
        #expect(try server.send("PUT", "/b").status == 201)
        #expect(try server.get("/_all_dbs").json == #"["b","database/with/slashes"]"#)
        #expect(try server.get("/database%2Fwith%2Fslashes")["db_name"] == "database/with/slashes")
        #expect(try server.send("DELETE", "/b").json == #"{"ok":true}"#)
        #expect(try server.get("/b").status == 404)
        #expect(try server.get("/_all_dbs").json == #"["database/with/slashes"]"#)
    }

    @Test func aDatabaseTellsOfItself() throws {
        let server = try RESTServer.withDatabase()
        try server.put("/db/a", "{}")
        let rev = try server.put("/db/b", "{}")
        #expect(try server.send("DELETE", "/db/b?rev=\(rev)").status == 200)
        let answer = try server.get("/db")
        #expect(answer["doc_count"] == "1" && answer["doc_del_count"] == "1" && answer["update_seq"] == "3" && answer["revs_limit"] == "50")
        #expect(answer["db_uuid"]?.utf8.count == 32)
        #expect(answer["instance_start_time"] == (try server.send("POST", "/db/_ensure_full_commit"))["instance_start_time"])
        #expect(answer["scopes._default._default.doc_count"] == "1")
    }

    @Test func collectionsAreDatabasesOfTheirOwn() throws {
        let server = try RESTServer.withDatabase()
        #expect(try server.send("PUT", "/db.inventory.hotel").status == 201)
        #expect(try server.send("PUT", "/db.inventory.hotel").status == 412)
        try server.put("/db.inventory.hotel/a", #"{"x":1}"#)
        #expect(try server.get("/db/a").status == 404)
        #expect(try server.get("/db.inventory.hotel/a")["x"] == "1")
        #expect(try server.get("/db.inventory.hotel/_all_docs").list("rows", "id") == ["a"])
        #expect(try server.get("/db")["scopes.inventory.hotel.doc_count"] == "1")
        #expect(try server.send("DELETE", "/db.inventory.hotel").status == 200)
        #expect(try server.get("/db.inventory.hotel").status == 404)
    }

    @Test func whoMayNotMakesNoDatabases() throws {
        let server = try RESTServer(rights: [])
        #expect(try server.send("PUT", "/db").status == 403)
        _ = try Database(path: "\(server.path)/db.cblite2", options: .create)
        #expect(try server.get("/db").status == 200)
        #expect(try server.send("DELETE", "/db").status == 403)
        #expect(try server.send("PUT", "/db.c").status == 403)
    }

    @Test func aReadOnlyServerTakesNoDocuments() throws {
        let server = try RESTServer(rights: [], access: .readOnly)
        _ = try Database(path: "\(server.path)/db.cblite2", options: .create)
        #expect(try server.send("PUT", "/db/doc", "{}").status == 403)
        #expect(try server.send("POST", "/db/_bulk_docs", #"{"docs":[{}]}"#).status == 403)
        #expect(try server.send("PUT", "/db/_local/x", "{}").status == 201)
        #expect(try server.send("POST", "/db/_all_docs", #"{"keys":[]}"#).status == 200)
        #expect(try server.send("POST", "/db/_revs_diff", "{}").status == 200)
        #expect(try server.get("/db").status == 200)
    }

    @Test func answersAreLaidOutForPeople() throws {
        let server = try RESTServer.withDatabase()
        #expect(try server.get("/db?pretty=true").text.contains("\n  \"db_name\": \"db\""))
        #expect(try server.get("/db/_all_docs?pretty=true").text.contains("\n  \"offset\": 0"))
    }

    @Test func headHasNoBody() throws {
        let server = try RESTServer.withDatabase()
        try server.put("/db/doc", #"{"a":1}"#)
        let head = try server.send("HEAD", "/db/doc")
        #expect(head.status == 200 && head.text.isEmpty && head.tag != nil)
        #expect(head.answer.length == (try server.get("/db/doc")).answer.body.count)
    }
}
