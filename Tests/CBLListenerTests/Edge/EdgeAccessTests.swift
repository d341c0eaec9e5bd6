import CBLReplication
import CBLStore
import Testing

@testable import CBLListener

/// Rules for users: what they may, and what they learn of the rest.
@Suite struct EdgeAccessTests {
    private static let text = """
        {"enable_user_access_control": true, "databases": {
            "db": {"path": "PATH/db.cblite2", "create": true, "collections": ["_default", "a", "s.b"], "enable_client_writes": true,
                   "enable_adhoc_queries": true,
                   "queries": {"any": "SELECT META().id FROM s.b", "some": {"statement": "SELECT META().id FROM a", "allow": {"collections": ["s.b"]}}}},
            "open": {"path": "PATH/open.cblite2", "create": true, "enable_client_writes": true, "enable_user_access_control": false},
            "secret": {"path": "PATH/secret.cblite2", "create": true}}}
        """
    private static let users = """
        {ada: {password: "HASH", roles: ["admin"]}, all: {password: "HASH"}, none: {password: "HASH", access: {}},
         rep: {password: "HASH", roles: ["replicate"]},
         eve: {password: "HASH", access: {"db.a": ["read"], "db.s.*": ["write"]}}, joe: {password: "HASH", access: {"db.*": ["read", "write"]}}}
        """.replacing("HASH", with: "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW")
    private let server: EdgeServer

    init() throws { server = try EdgeServer(EdgeAccessTests.text, users: EdgeAccessTests.users) }

    @Test(
        arguments: [
            ("GET", "/db.a/x", "eve", 404), ("PUT", "/db.a/x", "eve", 403), ("PUT", "/db.s.b/x", "eve", 201),
            ("GET", "/db.s.b/x", "eve", 403),
            ("GET", "/db/x", "eve", 403), ("GET", "/db.none/x", "eve", 403), ("GET", "/nodb/x", "eve", 403), ("GET", "/secret", "eve", 403),
            ("GET", "/db/x", "joe", 404), ("PUT", "/db.s.b/y", "joe", 201), ("GET", "/secret/x", "joe", 403),
            ("GET", "/db.none/x", "joe", 403),
            ("GET", "/db/x", "all", 404), ("GET", "/nodb/x", "all", 404), ("GET", "/secret/x", "all", 404),
            ("GET", "/db.none/x", "all", 404),
            ("GET", "/db/x", "none", 403), ("GET", "/db/x", "ada", 404), ("GET", "/nodb/x", "ada", 404), ("GET", "/open/x", "none", 404),
            ("PUT", "/open/x", "eve", 201), ("GET", "/_replicate", "rep", 200), ("GET", "/_replicate", "all", 403),
            ("GET", "/_replicate", "ada", 200),
            ("GET", "/_active_tasks", "ada", 200), ("GET", "/_active_tasks", "rep", 403), ("GET", "/_active_tasks", "all", 403),
            ("GET", "/_replicate/9", "rep", 404), ("DELETE", "/_replicate/9", "rep", 404), ("GET", "/_replicate/x", "rep", 400),
            ("DELETE", "/_replicate/9", "all", 403),
        ]) func rulesDecide(method: String, path: String, user: String, status: Int) throws
    {
        #expect(try server.send(method, path, method == "PUT" ? "{}" : nil, as: user).status == status)
    }

    @Test func nobodyInParticularMayNothingWhereRulesCount() throws {
        #expect(try server.get("/db/x").status == 403)
        #expect(try server.get("/nodb").status == 403)
        #expect(try server.get("/open/x").status == 404)
    }

    @Test(arguments: [
        ("eve", #"["db","open"]"#), ("none", #"["open"]"#), ("all", #"["db","open","secret"]"#), ("ada", #"["db","open","secret"]"#),
    ])
    func theListHasWhatIsThereForSomebody(user: String, json: String) throws { #expect(try server.get("/_all_dbs", as: user).json == json) }

    @Test func aDatabaseShowsTheCollectionsThatOneMayHave() throws {
        #expect(try server.get("/db", as: "eve").list("", "x").isEmpty)
        #expect(
            try server.get("/db", as: "eve")["collections"]
                == #"{"_default.a":{"doc_count":0,"update_seq":0},"s.b":{"doc_count":0,"update_seq":0}}"#)
    }

    @Test func queriesReadWhatTheirAskerMayRead() throws {
        func ask(_ path: String, _ query: String, _ user: String) throws -> Int {
            try server.send("POST", path, #"{"query":"\#(query)"}"#, as: user).status
        }
        #expect(try ask("/db.a/_query", "SELECT * FROM a", "eve") == 200)
        #expect(try ask("/db.a/_query", "SELECT * FROM s.b", "eve") == 403)
        #expect(try ask("/db.a/_query", "SELECT a.x FROM a JOIN s.b AS b ON a.x = b.x", "eve") == 403)
        #expect(try ask("/db.s.b/_query", "SELECT 1", "eve") == 403)
        // Those that have a name are the owner's: to read something of the database, or one of what they name, is enough.
        #expect(try server.get("/db/_query/any", as: "eve").status == 200)
        #expect(try server.get("/db/_query/some", as: "eve").status == 403)
        #expect(try server.get("/db/_query/some", as: "joe").status == 200)
        #expect(try server.get("/db/_query/any", as: "none").status == 403)
    }
}
