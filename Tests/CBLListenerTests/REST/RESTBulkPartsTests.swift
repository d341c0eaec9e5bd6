import CBLBase
import CBLTransport
import Testing

@testable import CBLListener

/// `_bulk_get` in parts, as Sync Gateway and CouchDB give it.
@Suite struct RESTBulkPartsTests {
    private struct Part {
        var headers: HTTPHeaders
        var content: [UInt8] = []
        var text: String { String(decoding: content, as: UTF8.self) }
        var type: MediaType? { headers["Content-Type"].flatMap { MediaType($0) } }
    }

    private func parts(_ type: MediaType?, _ body: [UInt8]) throws -> [Part] {
        var reader = try MultipartReader(try #require(type))
        var parts: [Part] = []
        try body.withUnsafeBytes { bytes in
            try reader.read(bytes) { event in
                switch event {
                case .part(let headers): parts.append(Part(headers: headers))
                case .content(let content): parts[parts.count - 1].content += content
                case .partEnd, .end: break
                }
            }
        }
        try reader.finish()
        return parts
    }

    @Test func eachRevisionIsAPartAndHasItsAttachmentsInIt() throws {
        let server = try RESTServer.withDatabase()
        let long = String(repeating: "long ", count: 1000)
        let encoded = Array(long.utf8).withUnsafeBytes { Base64.text(of: $0) }
        let revision = try server.put(
            "/db/a", #"{"_attachments":{"x":{"content_type":"text/plain","data":"\#(encoded)"}}}"#)
        try server.put("/db/b", #"{"n":1}"#)
        try server.put("/db/_design/d", #"{"n":2}"#)
        let order = #"{"docs":[{"id":"a","rev":"\#(revision)"},{"id":"b"},{"id":"b","rev":"7-ff"},{"id":"_design/d"},{"id":"none"}]}"#
        let accept: HTTPHeaders = ["Accept": "multipart/related"]
        let answer = try server.send("POST", "/db/_bulk_get?revs=true&attachments=true", order, headers: accept)
        let all = try parts(MediaType(answer.answer.headers["Content-Type"] ?? ""), answer.answer.body)
        #expect(answer.status == 200 && all.count == 5, "\(answer.text)")
        #expect(all.map { $0.headers["X-Doc-ID"] } == ["a", "b", "b", "_design%2Fd", "none"])
        #expect(all[0].headers["X-Rev-ID"] == revision)
        let inner = try parts(all[0].type, all[0].content)
        #expect(inner.count == 2 && inner[0].text.contains(#""follows":true"#) && inner[1].text == long)
        #expect(inner[1].headers["Content-Disposition"] == "attachment; filename=\"x\"")
        #expect(all[1].text.contains(#""n":1,"_revisions""#) && all[3].text.contains(#""n":2"#))
        #expect(all[2].headers["Content-Type"] == "application/json; error=\"true\"" && all[2].text.contains(#""status":404"#))
        #expect(all[4].text.contains(#""id":"none""#))
    }

    @Test(arguments: ["application/json", "*/*", "multipart/mixed, application/json"])
    func whoTakesJSONGetsJSON(accept: String) throws {
        let server = try RESTServer.withDatabase()
        try server.put("/db/a", "{}")
        let answer = try server.send("POST", "/db/_bulk_get", #"{"docs":[{"id":"a"}]}"#, headers: ["Accept": accept])
        #expect(answer["results.0.docs.0.ok._id"] == "a")
    }
}
