import CBLFleece
import CBLStore
import CBLTestSupport
import CBLTransport
import Testing

@testable import CBLListener

/// Many documents at once, which are saved in another way than few.
@Suite struct RESTManyDocumentsTests {
    private static let many = 300

    /// Documents of all kinds, for a database that has `old-…` and the tombstones `gone-…`.
    private static func document(_ random: inout SeededRandom, revisions: [String: String]) -> String {
        let number = Int.random(in: 0..<20, using: &random)
        let (old, gone) = ("old-\(number)", "gone-\(number)")
        let revision = { (id: String) in "\"_rev\":\"\(revisions[id] ?? "")\"" }
        return switch Int.random(in: 0..<14, using: &random) {
        case 0: "{\"_id\":\"\(old)\",\"n\":1}"
        case 1: "{\"_id\":\"\(old)\",\(revision(old)),\"n\":2}"
        case 2: "{\"_id\":\"\(old)\",\(revision(old)),\"_deleted\":true}"
        case 3: "{\"_id\":\"\(gone)\",\"n\":3}"
        case 4: "{\"_id\":\"\(gone)\",\"_deleted\":true}"
        case 5: "{\"_id\":\"with-\(number)\",\"_attachments\":{\"a\":{\"data\":\"YQ==\"}}}"
        case 6: "{\"_id\":\"_design/\(number)\",\"views\":{}}"
        case 7: "{\"_id\":\"_bad-\(number)\"}"
        case 8: "{\"_id\":\"\(number)\",\"_strange\":1}"
        case 9: "{\"_id\":\"expires-\(number)\",\"_exp\":4102444800}"
        case 10: "[\(number)]"
        case 11: "{\"_id\":\"twice-\(number)\",\"_rev\":\"1-00\",\"n\":1}"
        case 12: "{\"_id\":\"twice-\(number)\",\"n\":\(number % 3)}"
        default: "{\"_id\":\"new-\(Int.random(in: 0..<400, using: &random))\",\"name\":\"\(number)\",\"list\":[1,2,{\"_id\":3}]}"
        }
    }

    private static func server() throws -> (RESTServer, [String: String]) {
        let server = try RESTServer.withDatabase()
        var revisions: [String: String] = [:]
        for number in 0..<20 {
            revisions["old-\(number)"] = try server.put("/db/old-\(number)", "{}")
            let revision = try server.put("/db/gone-\(number)", "{}")
            try server.send("DELETE", "/db/gone-\(number)?rev=\(revision)")
        }
        return (server, revisions)
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64]) func manyAreSavedAsOneAfterAnother(seed: UInt64) throws {
        let (together, revisions) = try Self.server()
        let (apart, _) = try Self.server()
        var random = SeededRandom(seed)
        let docs = (0..<Self.many).map { _ in Self.document(&random, revisions: revisions) }
        let answer = try together.send("POST", "/db/_bulk_docs", "{\"docs\":[\(docs.joined(separator: ","))]}")
        #expect(answer.status == 201)
        let single = try docs.map { doc in
            let text = try apart.send("POST", "/db/_bulk_docs", "{\"docs\":[\(doc)]}").text
            return String(text.dropFirst().dropLast())
        }
        #expect(answer.json == canonical("[\(single.joined(separator: ","))]"))
        for query in ["include_docs=true&revs=true&attachments=true", "include_docs=true&include_deleted=true", "conflicts=true"] {
            let lists = try [together, apart].map { try $0.get("/db/_all_docs?\(query)") }
            #expect(lists[0].status == 200 && lists[0].json == lists[1].json)
        }
        #expect(try together.get("/db")["doc_count"] == apart.get("/db")["doc_count"])
        #expect(try together.get("/db")["update_seq"] == apart.get("/db")["update_seq"])
    }

    @Test func oneThatCannotBeMeansNoneOfAll() throws {
        let server = try RESTServer.withDatabase()
        let docs = (0..<Self.many).map { "{\"_id\":\"\($0)\"}" } + ["{\"_id\":\"_bad\"}"]
        let body = "{\"all_or_nothing\":true,\"docs\":[\(docs.joined(separator: ","))]}"
        #expect(try server.send("POST", "/db/_bulk_docs", body).status == 400)
        #expect(try server.get("/db")["doc_count"] == "0")
        #expect(try server.put("/db/0", "{}").hasPrefix("1-"))
    }

    @Test func allOfThemAreTold() throws {
        let server = try RESTServer.withDatabase()
        let feed = try server.feed("/db/_changes?feed=continuous")
        let docs = (0..<Self.many).map { "{\"_id\":\"\($0)\"}" }
        try server.send("POST", "/db/_bulk_docs", "{\"docs\":[\(docs.joined(separator: ","))]}")
        try feed.run { $0.lines.count >= Self.many }
        #expect(feed.lines.count == Self.many)
    }

    /// With an index of somebody's own, whose functions look at the keys that are just being added.
    @Test func anIndexHasAllOfThem() throws {
        let server = try RESTServer.withDatabase()
        #expect(try server.send("POST", "/db/_index", #"{"index":{"fields":["key7"]}}"#).status == 200)
        let docs = (0..<Self.many).map { "{\"_id\":\"\($0)\",\"key\($0 % 100)\":\($0)}" }
        try server.send("POST", "/db/_bulk_docs", "{\"docs\":[\(docs.joined(separator: ","))]}")
        let found = try server.send("POST", "/db/_find", #"{"selector":{"key7":{"$gt":0}}}"#)
        #expect(Set(found.list("docs", "_id")) == ["7", "107", "207"])
    }
}
