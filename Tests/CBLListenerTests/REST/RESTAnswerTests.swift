import CBLBase
import CBLTransport
import Testing

@testable import CBLListener

/// How answers go out: packed for those who take that, and never as if they were whole when they are not.
@Suite struct RESTAnswerTests {
    private func withDocuments(_ count: Int) throws -> RESTServer {
        let server = try RESTServer.withDatabase()
        let docs = (0..<count).map { "{\"_id\":\"document-\($0)\",\"text\":\"again and again and again\"}" }
        #expect(try server.send("POST", "/db/_bulk_docs", "{\"docs\":[\(docs.joined(separator: ","))]}").status == 201)
        return server
    }

    private func unpacked(_ answer: RESTAnswer) throws -> String {
        let decompressor = try Decompressor(.gzip, mostBytes: 1 << 24, mostRatio: Decompressor.usualRatio)
        var bytes: [UInt8] = []
        try answer.answer.body.withUnsafeBytes { try decompressor.decode($0) { bytes.append(contentsOf: $0) } }
        try decompressor.finish()
        return String(decoding: bytes, as: UTF8.self)
    }

    // The first is sent whole, the second in pieces.
    @Test(arguments: [40, 4000]) func longAnswersArePackedForWhoTakesThat(count: Int) throws {
        let server = try withDocuments(count)
        let plain = try server.get("/db/_all_docs")
        #expect(plain.answer.headers["Content-Encoding"] == nil && plain.answer.headers["Vary"] == "Accept-Encoding")
        let packed = try server.get("/db/_all_docs", headers: ["Accept-Encoding": "br, gzip"])
        #expect(packed.answer.headers["Content-Encoding"] == "gzip")
        #expect(packed.answer.length == (count == 40 ? packed.answer.body.count : nil))
        #expect(packed.answer.body.count < plain.answer.body.count / 2)
        #expect(try unpacked(packed) == plain.text)
        #expect(packed.tag == plain.tag)
    }

    @Test func otherAnswersStayAsTheyAre() throws {
        let server = try withDocuments(40)
        let headers: HTTPHeaders = ["Accept-Encoding": "gzip"]
        #expect(try server.get("/db", headers: headers).answer.headers["Content-Encoding"] == nil)
        #expect(try server.send("HEAD", "/db/_all_docs", headers: headers).answer.headers["Content-Encoding"] == nil)
        #expect(try server.get("/db/_all_docs", headers: ["Accept-Encoding": "gzip;q=0"]).answer.headers["Content-Encoding"] == nil)
    }

    @Test func anAnswerThatCannotBeCompletedDoesNotEndAsIfItWere() throws {
        let server = try withDocuments(4000)
        // The second query is none, and the rows of the first are on their way.
        let answer = try server.send("POST", "/db/_all_docs/queries", #"{"queries":[{},7]}"#)
        #expect(answer.status == 200 && answer.answer.isBroken)
        let short = try server.send("POST", "/db/_all_docs/queries", #"{"queries":[{"limit":1},7]}"#)
        #expect(short.status == 400 && !short.answer.isBroken)
    }
}
