import CBLReplication
import CBLStore
import Testing

@testable import CBLListener

@Suite struct EdgeQueryTests {
    private static let text = """
        {"databases": {
            "db": {"path": "PATH/db.cblite2", "create": true, "enable_client_writes": true, "enable_adhoc_queries": true,
                   "queries": {"above": "SELECT META().id, n FROM _default WHERE n > $least ORDER BY n", "all": "SELECT META().id FROM _"}},
            "closed": {"path": "PATH/closed.cblite2", "create": true, "queries": {"one": "SELECT COUNT(*) AS n FROM _"}},
            "none": {"path": "PATH/none.cblite2", "create": true}}}
        """
    private let server: EdgeServer

    init() throws {
        server = try EdgeServer(EdgeQueryTests.text)
        for number in 1...3 { try server.put("/db/d\(number)", #"{"n":\#(number),"s":"\#(number)"}"#) }
        try server.put("/db/e", #"{"other":true}"#)
    }

    private func ask(_ query: String, _ more: String = "") throws -> RESTAnswer {
        try server.send("POST", "/db/_query", #"{"query":"\#(query)"\#(more)}"#)
    }

    @Test func aQueryHasAnArrayOfRows() throws {
        #expect(try ask("SELECT META().id, n FROM _ WHERE n >= 2 ORDER BY n").json == #"[{"id":"d2","n":2},{"id":"d3","n":3}]"#)
        // What is missing has no member.
        #expect(try ask("SELECT n, other FROM _ WHERE other").json == #"[{"other":true}]"#)
        #expect(try ask("SELECT * FROM _ WHERE n = 1").json == #"[{"_":{"n":1,"s":"1"}}]"#)
        #expect(try ask("SELECT n FROM _ WHERE n = 99").json == "[]")
    }

    @Test func parametersHaveTwoNames() throws {
        for member in ["parameters", "params"] {
            #expect(
                try ask("SELECT n FROM _ WHERE s = $x", #","\#(member):{"x":"2"}"#.replacing(",\"\(member):", with: ",\"\(member)\":")).json
                    == #"[{"n":2}]"#)
        }
        let missing = try ask("SELECT n FROM _ WHERE s = $x")
        #expect(missing.status == 400 && missing.text.contains("missing"))
        #expect(try ask("SELECT n FROM _", #","parameters":[1]"#).status == 400)
        #expect(try server.send("POST", "/db/_query", "{}").status == 400)
        #expect(try ask("SELECT n FORM _").status == 400)
        #expect(try ask("DELETE FROM _").status == 400)
    }

    @Test func aQueryWithANameIsAskedByURLOrBody() throws {
        #expect(try server.get("/db/_query/above?least=1").json == #"[{"id":"d2","n":2},{"id":"d3","n":3}]"#)
        #expect(try server.get("/db/_query/above?$least=2").json == #"[{"id":"d3","n":3}]"#)
        #expect(try server.send("POST", "/db/_query/above", #"{"least":2}"#).json == #"[{"id":"d3","n":3}]"#)
        #expect(try server.send("POST", "/db/_query/all", "{}").list("", "id").count == 4)
        #expect(try server.get("/db/_query/above").status == 400)
        #expect(try server.get("/db/_query/above?least=1&lst=2").status == 400)
        #expect(try server.get("/db/_query/nothing").status == 404)
        #expect(try server.get("/none/_query/nothing").status == 403)
        #expect(try server.get("/nodb/_query/nothing").status == 404)
    }

    @Test func onlyWhereItIsAllowedClientsAskWhatTheyLike() throws {
        #expect(try server.send("POST", "/closed/_query", #"{"query":"SELECT 1"}"#).status == 403)
        #expect(try server.get("/closed/_query/one").json == #"[{"n":0}]"#)
    }
}
