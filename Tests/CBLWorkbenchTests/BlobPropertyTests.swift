import CBLFleece
import CBLStore
import CBLTestSupport
import CBLWorkbench
import Testing

@Suite struct BlobPropertyTests {
    @Test func aBlobGoesWhereAPathLeads() throws {
        let directory = try TemporaryDirectory()
        let database = try Database(path: directory.path + "/a.cblite2", options: .create)
        try database.write { transaction in
            try transaction.save("d", body: transaction.encode(json: #"{"name":"d","photos":[1]}"#))
            let document = try #require(try transaction.document("d"))
            func json(_ path: String) throws -> String {
                let body = try document.body(
                    with: nil, type: "image/png", at: try KeyPath(path), transaction.sharedKeys, into: transaction.encoder)
                return body.withRoot { $0.json(keys: transaction.sharedKeys, style: .canonical) }
            }
            let blob = #"{"@type":"blob","content_type":"image/png","digest":"","length":0}"#
            try #expect(json("picture") == "{\"name\":\"d\",\"photos\":[1],\"picture\":\(blob)}")
            try #expect(json("photos[0]") == "{\"name\":\"d\",\"photos\":[\(blob)]}")
            let error = #expect(throws: WorkbenchError.self) { try json("name.first") }
            #expect(error?.description.hasPrefix("document \"d\": ") == true)
        }
    }
}
