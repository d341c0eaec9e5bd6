import CBLReplication
import CBLStore
import CBLTransport
import Testing

@testable import CBLListener

/// The API of Couchbase Edge Server: documents, properties, lists, feeds.
@Suite struct EdgeRequestTests {
    private let server: EdgeServer

    init() throws { server = try EdgeServer() }

    @Test func theServerSaysWhatItIs() throws {
        let answer = try server.get("/")
        #expect(answer["couchdb"] == "Welcome")
        // Clients read the release up to the bracket, and what is behind the last slash.
        let version = try #require(answer["vendor.version"])
        #expect(version.prefix { $0 != "(" } == "1.2.0 ")
        #expect(answer["version"]?.split(separator: "/").last?.count ?? 0 > 4)
        #expect(try server.send("GET", "/", headers: ["API-Version": "1.0"]).status == 200)
        #expect(try server.send("GET", "/", headers: ["API-Version": "2.0"]).status == 400)
        #expect(try server.get("/_all_dbs").json == #"["db"]"#)
    }

    @Test func whatIsNotOfTheAPIIsNotThere() throws {
        for (method, path) in [
            ("PUT", "/new"), ("GET", "/_uuids"), ("POST", "/db/_purge"), ("POST", "/db/_compact"), ("POST", "/db/_find"),
            ("GET", "/_browse"),
            ("GET", "/_session"), ("GET", "/db/_design/a/_view/b"), ("GET", "/_up"),
        ] {
            #expect(try server.send(method, path, method == "GET" ? nil : "{}").status == 404, "\(method) \(path)")
        }
        #expect(try server.send("DELETE", "/db").status == 405)
    }

    @Test(arguments: [
        ("/db.", 400), ("/db..c", 400), ("/nodb", 404), ("/db.none/x", 404), ("/db.s.none/x", 404), ("/db._default._default", 200),
    ])
    func keyspacesAreNamedWithPoints(path: String, status: Int) throws { #expect(try server.get(path).status == status) }

    @Test func aCollectionThatIsNotListedIsNotThere() throws {
        let text = """
            {"databases": {"db": {"path": "PATH/db.cblite2", "create": true, "collections": ["c"], "enable_client_writes": true,
             "enable_adhoc_queries": true}}}
            """
        let server = try EdgeServer(text)
        try server.database().write { _ = try $0.createCollection(CollectionName(name: "hidden")) }
        #expect(try server.get("/db")["collections"] == #"{"_default.c":{"doc_count":0,"update_seq":0}}"#)
        #expect(try server.get("/db.c")["collection_name"] == "c")
        for path in ["/db/x", "/db.hidden/x", "/db.hidden", "/db/_all_docs", "/db/_changes"] { #expect(try server.get(path).status == 404) }
        #expect(try server.send("POST", "/db/_query", #"{"query":"SELECT 1"}"#).status == 404)
        #expect(try server.send("POST", "/db.c/_query", #"{"query":"SELECT * FROM hidden"}"#).status == 404)
        #expect(try server.send("POST", "/db.c/_query", #"{"query":"SELECT * FROM c"}"#).json == "[]")
    }

    @Test func documentsAreMadeChangedAndDeleted() throws {
        let made = try server.send("POST", "/db/", #"{"a":1,"id":"data","ttl":9}"#)
        #expect(made.status == 201 && made["id"]?.hasPrefix("~") == true && made["id"]?.count == 23)
        let id = try #require(made["id"])
        let first = try #require(made["rev"])
        #expect(try server.get("/db/\(id)")["id"] == "data")
        #expect(try server.send("PUT", "/db/\(id)", #"{"a":2}"#).status == 409)
        let conflict = try server.send("PUT", "/db/\(id)?rev=1-00", #"{"a":2}"#)
        #expect(conflict.status == 409 && conflict["status"] == "409")
        // Clients say it twice.
        let second = try server.send("PUT", "/db/\(id)?rev=\(first)", #"{"a":2,"_rev":"\#(first)"}"#)
        #expect(second.status == 201 && second["rev"]?.hasPrefix("2-") == true)
        #expect(try server.send("PUT", "/db/\(id)?rev=\(first)", #"{"_rev":"2-00"}"#).status == 400)
        let third = try server.send("PUT", "/db/\(id)", "{}", headers: ["If-Match": "\"\(second["rev"] ?? "")\""])
        #expect(third.status == 201)
        #expect(try server.send("DELETE", "/db/\(id)").status == 400)
        #expect(try server.send("DELETE", "/db/\(id)?rev=\(third["rev"] ?? "")").status == 200)
        #expect(try server.get("/db/\(id)").status == 404)
        // Again without a revision.
        #expect(try server.send("PUT", "/db/\(id)", "{}").status == 201)
        #expect(try server.send("PUT", "/db/none?rev=1-00", "{}").status == 404)
        #expect(try server.send("PUT", "/db", #"{"b":1}"#).status == 201)
    }

    @Test func aDocumentIsJSON() throws {
        #expect(try server.send("PUT", "/db/a", "{}", type: "text/plain").status == 415)
        #expect(try server.send("PUT", "/db/a", "[1]").status == 400)
        #expect(try server.send("PUT", "/db/_a", "{}").status == 404)
        #expect(try server.send("PUT", "/db/" + String(repeating: "a", count: 251), "{}").status == 400)
        #expect(try server.send("PUT", "/db/a", "{}", type: "application/json; charset=utf-8").status == 201)
    }

    @Test func whereWritingIsOffItIsRefused() throws {
        let server = try EdgeServer(#"{"databases": {"db": {"path": "PATH/db.cblite2", "create": true}}}"#)
        for (method, path) in [
            ("POST", "/db"), ("PUT", "/db/a"), ("DELETE", "/db/a?rev=1-aa"), ("POST", "/db/_bulk_docs"), ("PUT", "/db/a/b"),
            ("PUT", "/db/_local/a"),
        ] {
            #expect(try server.send(method, path, "{}").status == 403, "\(method) \(path)")
        }
        #expect(try server.send("POST", "/db/_all_docs", "{}").status == 200)
        #expect(try server.send("POST", "/db/_changes", "{}").status == 200)
    }

    // Times to live

    @Test func documentsEndWhenTheirTimeHasCome() throws {
        #expect(try server.send("PUT", "/db/a?ttl=100&expires=1", "{}").status == 201)
        // The earlier time counts, and that is long past: gone, whoever looks, and however.
        #expect(try server.get("/db/a").status == 404)
        #expect(try server.get("/db/_all_docs")["total_rows"] == "0")
        #expect(try server.send("POST", "/db/_query", #"{"query":"SELECT META().id FROM _"}"#).json == "[]")
        let kept = try server.send("PUT", "/db/b?ttl=100", "{}")
        let end = try #require(try server.database().read { try $0.document("b") }?.expiration)
        #expect(kept["expires"] == "\(end / 1000)")
        // What comes later takes its place; what says nothing leaves it.
        let rev = try #require(kept["rev"])
        let next = try server.send("PUT", "/db/b?ttl=500&rev=\(rev)", "{}")
        let later = try #require(try server.database().read { try $0.document("b") }?.expiration)
        #expect(later > end)
        #expect(try server.send("PUT", "/db/b?rev=\(next["rev"] ?? "")", #"{"c":1}"#).status == 201)
        #expect(try server.database().read { try $0.document("b") }?.expiration == later)
        for bad in ["ttl=0", "ttl=-1", "ttl=x", "expires=1e9", "ttl=99999999999999999999"] {
            #expect(try server.send("PUT", "/db/c?\(bad)", "{}").status == 400, "\(bad)")
        }
    }

    // Properties

    @Test func aPropertyIsReadAndChangedAlone() throws {
        let rev = try server.put("/db/a", #"{"name":"text","n":5,"list":[1,{"x":null}],"no":null}"#)
        for (name, json) in [("name", #""text""#), ("n", "5"), ("list", #"[1,{"x":null}]"#), ("no", "null")] {
            let answer = try server.get("/db/a/\(name)")
            #expect(answer.status == 200 && answer.text == json && answer.answer.headers["Content-Type"] == "application/json")
        }
        #expect(try server.get("/db/a/none").status == 404)
        #expect(try server.get("/db/none/n").status == 404)
        #expect(try server.send("PUT", "/db/a/n", "6").status == 409)
        let next = try server.send("PUT", "/db/a/n?rev=\(rev)", #"{"six":6}"#)
        #expect(next.status == 201 && next["rev"]?.hasPrefix("2-") == true)
        #expect(try server.get("/db/a/n").text == #"{"six":6}"#)
        #expect(try server.get("/db/a/name").text == #""text""#)
        #expect(try server.send("DELETE", "/db/a/n?rev=\(rev)").status == 409)
        #expect(try server.send("DELETE", "/db/a/n?rev=\(next["rev"] ?? "")").status == 200)
        #expect(try server.get("/db/a/n").status == 404)
        #expect(try server.send("DELETE", "/db/a/n?rev=\(try server.get("/db/a")["_rev"] ?? "")").status == 404)
        // A document that is not there begins with the property.
        #expect(try server.send("PUT", "/db/new/p", "true").status == 201)
        #expect(try server.get("/db/new")["p"] == "true")
        #expect(try server.send("PUT", "/db/other/p?rev=1-aa", "true").status == 404)
        #expect(try server.send("PUT", "/db/new/_p?rev=1-aa", "true").status == 400)
    }

    @Test func aPropertyOfAnotherTypeIsABlob() throws {
        let rev = try server.put("/db/a", #"{"n":5}"#)
        let answer = try server.send("PUT", "/db/a/pic?rev=\(rev)", "not really", type: "image/png")
        #expect(answer.status == 201)
        let document = try server.get("/db/a")
        #expect(document["pic.@type"] == "blob" && document["pic.length"] == "10" && document["pic.content_type"] == "image/png")
        let content = try server.get("/db/a/pic")
        #expect(content.text == "not really" && content.answer.headers["Content-Type"] == "image/png")
        #expect(content.answer.headers["Content-Disposition"] == nil)
        #expect(try server.database().read { try $0.document("a") }?.flags.contains(.hasAttachments) == true)
        let part = try server.send("GET", "/db/a/pic", headers: ["Range": "bytes=4-9"])
        #expect(part.status == 206 && part.text == "really")
        // What a browser would run is something to be kept.
        let page = try server.send("PUT", "/db/p/page", "<script>", type: "text/html")
        #expect(page.status == 201)
        #expect(try server.get("/db/p/page").answer.headers["Content-Disposition"] == "attachment")
        #expect(try server.send("PUT", "/db/e/empty", "", type: "application/octet-stream").status == 201)
        #expect(try server.get("/db/e/empty").text == "")
        #expect(try server.get("/db/a/none").status == 404)
    }

    @Test func aBlobThatIsTooLargeIsRefused() throws {
        let server = try EdgeServer { $0.longestBlob = 100 }
        #expect(try server.send("PUT", "/db/a/b", String(repeating: "x", count: 101), type: "image/png").status == 413)
        #expect(try server.get("/db/a").status == 404)
        #expect(try server.send("PUT", "/db/a/b", String(repeating: "x", count: 100), type: "image/png").status == 201)
    }

    // Lists

    @Test func aListHasALiveDocumentInEachRow() throws {
        for id in ["a", "b", "c", "d"] { try server.put("/db/\(id)", #"{"x":1}"#) }
        let rev = try #require(try server.get("/db/b")["_rev"])
        try server.send("DELETE", "/db/b?rev=\(rev)")
        let all = try server.get("/db/_all_docs")
        #expect(
            all.list("rows", "id") == ["a", "c", "d"] && all["total_rows"] == "3" && all["update_seq"] == "5" && all["rows.0.doc"] == nil)
        let keys = try server.get("/db/_all_docs?keys=%5B%22d%22,%22b%22,%22x%22,%22a%22%5D")
        #expect(keys.list("rows", "id") == ["d", "a"] && keys["total_rows"] == "2")
        let posted = try server.send("POST", "/db/_all_docs", #"{"keys":["a"]}"#)
        #expect(posted["rows.0.doc.x"] == "1")
        #expect(try server.send("POST", "/db/_all_docs", #"{"keys":["a"],"include_docs":false}"#)["rows.0.doc"] == nil)
        for query in ["startkey=c", "startkey=%22c%22", "skip=1", "descending=true&limit=2"] {
            #expect(try server.get("/db/_all_docs?\(query)").list("rows", "id").sorted() == ["c", "d"], "\(query)")
        }
        #expect(try server.get("/db/_all_docs?endkey=a").list("rows", "id") == ["a"])
        #expect(try server.get("/db/_all_docs?limit=0").list("rows", "id") == ["a"])
    }

    @Test func failuresOfManyAreItems() throws {
        try server.put("/db/a", "{}")
        let answer = try server.send("POST", "/db/_bulk_docs", #"{"docs":[{"_id":"a","x":1},{"_id":"b"},{"x":2}]}"#)
        #expect(answer.status == 201)
        #expect(answer["0.id"] == "a" && answer["0.status"] == "409" && answer["0.error"] == "conflict")
        #expect(answer["1.rev"]?.hasPrefix("1-") == true && answer["2.id"]?.hasPrefix("~") == true)
        #expect(try server.send("POST", "/db/_bulk_docs", #"{"docs":1}"#).status == 400)
        let odd = try server.send("POST", "/db/_bulk_docs", #"{"docs":[{"_id":"_bad"},{"_id":"good"}]}"#)
        #expect(odd.status == 201 && odd["0.status"] == "400" && odd["1.rev"] != nil)
        #expect(try server.get("/db/b").status == 200)
    }

    // Feeds

    @Test func changesOfTheLivingHaveTheirPlace() throws {
        for id in ["a", "b"] { try server.put("/db/\(id)", "{}") }
        let rev = try #require(try server.get("/db/a")["_rev"])
        try server.send("DELETE", "/db/a?rev=\(rev)")
        let changes = try server.get("/db/_changes?active_only=true")
        #expect(changes.list("results", "id") == ["b"] && changes["last_seq"] == "3")
        for number in 0..<5 { try server.put("/db/n\(number)", "{}") }
        #expect(try server.get("/db/_changes?active_only=true&since=3").list("results", "id").count == 5)
        for ids in ["%5B%22b%22%5D", "b", "x,b"] {
            for filter in ["_doc_ids", "doc_ids"] {
                #expect(try server.get("/db/_changes?filter=\(filter)&doc_ids=\(ids)").list("results", "id") == ["b"], "\(filter) \(ids)")
            }
        }
        #expect(
            try server.send("POST", "/db/_changes", #"{"since":3,"limit":1,"include_docs":true,"descending":false}"#).list("results", "id")
                == ["n0"])
        #expect(try server.get("/db/_changes?filter=sync_gateway/bychannel").status == 404)
    }

    @Test func aFeedIsATaskWhileItLasts() throws {
        let feed = try server.feed("/db/_changes?feed=continuous&heartbeat=600&since=now&filter=doc_ids&doc_ids=x&include_docs=true")
        _ = try feed.feed.proceed(feed.exchange)
        #expect(server.service.feeds.all.map(\.keyspace) == ["db"])
        try server.put("/db/x", #"{"a":1}"#)
        try server.put("/db/y", "{}")
        _ = try feed.feed.proceed(feed.exchange)
        #expect(feed.lines.filter { $0.hasPrefix("{") }.count == 1 && feed.text.contains(#""a":1"#))
        feed.feed.stop()
        #expect(server.service.feeds.all.isEmpty)
    }

    @Test func anEventStreamHasTwoNames() throws {
        let feed = try server.feed("/db/_changes?feed=sse")
        _ = try feed.feed.proceed(feed.exchange)
        #expect(feed.exchange.answer.headers["Content-Type"]?.hasPrefix("text/event-stream") == true)
        feed.feed.stop()
    }

    // Replicators of CouchDB's kind

    @Test func replicatorsOfCouchDBFindWhatTheyNeed() throws {
        let rev = try server.put("/db/a", "{}")
        #expect(try server.send("POST", "/db/_revs_diff", #"{"a":["\#(rev)","2-00"]}"#)["a.missing"] == #"["2-00"]"#)
        #expect(try server.send("POST", "/db/_bulk_get", #"{"docs":[{"id":"a"}]}"#)["results.0.docs.0.ok._rev"] == rev)
        #expect(try server.send("PUT", "/db/_local/c", "{}").status == 201)
        #expect(try server.get("/db/_local/c").status == 200)
    }
}
