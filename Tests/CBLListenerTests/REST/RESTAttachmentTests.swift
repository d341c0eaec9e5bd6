import CBLBase
import CBLFleece
import CBLStore
import CBLTestSupport
import CBLTransport
import FoundationEssentials
import Testing

@testable import CBLListener

@Suite struct RESTAttachmentTests {
    private let asJSON: HTTPHeaders = ["Accept": "application/json"]

    private func base64(_ text: String) -> String { Array(text.utf8).withUnsafeBytes { Base64.text(of: $0) } }

    private func withAttachment() throws -> (RESTServer, revision: String) {
        let server = try RESTServer.withDatabase()
        let data = base64("This is the body of attach1")
        let json = #"{"_attachments":{"attach":{"content_type":"text/plain","data":"\#(data)"}},"n":1}"#
        return (server, try server.put("/db/doc1", json))
    }

    @Test func contentsComeWithTheDocument() throws {
        let (server, rev) = try withAttachment()
        let shown = try server.get("/db/doc1?attachments=true", headers: asJSON)
        let data = base64("This is the body of attach1")
        let expected = #"""
            {"content_type":"text/plain","data":"\#(data)","digest":"sha1-gOHUOBmIMoDCrMuGyaLWzf1hQTE=","length":27,"revpos":1}
            """#
        #expect(shown["_attachments.attach"] == canonical(expected))
        let stub = try server.get("/db/doc1")["_attachments.attach"]
        #expect(stub?.contains(#""stub":true"#) == true && stub?.contains("data") == false)
        // What is not sent again stays.
        let second = try server.put("/db/doc1?rev=\(rev)", #"{"_attachments":{"attach":{"content_type":"text/plain","stub":true}}}"#)
        let since = try server.get("/db/doc1?attachments=true&atts_since=%5B%22\(rev)%22%5D", headers: asJSON)
        #expect(since["_rev"] == second && since["_attachments.attach"] == #"{"revpos":1,"stub":true}"#)
        #expect(try server.get("/db/doc1/attach").text == "This is the body of attach1")
        let third = try server.put("/db/doc1?rev=\(second)", "{}")
        #expect(try server.get("/db/doc1/attach").json == #"{"error":"Attachment not found","status":404}"#)
        #expect(try server.send("PUT", "/db/doc1?rev=\(third)", #"{"_attachments":{"attach":{"stub":true}}}"#).status == 412)
    }

    @Test(arguments: [
        ("bytes=5-15", 206, "bytes 5-15/27"), ("bytes=12-", 206, "bytes 12-26/27"), ("bytes=12-100", 206, "bytes 12-26/27"),
        ("bytes=-7", 206, "bytes 20-26/27"), ("bytes=0-27", 200, nil), ("bytes=-100", 200, nil), ("bytes=5-3", 200, nil),
        ("bytes=500-100", 200, nil), ("bytes=1-2,4-5", 200, nil), ("lines=1-2", 200, nil), ("bytes=100-", 416, "bytes */27"),
        ("bytes=27-28", 416, "bytes */27"),
    ])
    func parts(range: String, status: Int, part: String?) throws {
        let (server, _) = try withAttachment()
        let answer = try server.get("/db/doc1/attach", headers: ["Range": range])
        #expect(answer.status == status && answer.answer.headers["Content-Range"] == part)
        #expect(answer.answer.length == answer.answer.body.count)
        if status == 206 { #expect("This is the body of attach1".contains(answer.text)) }
    }

    @Test func oneAttachmentByItself() throws {
        let server = try RESTServer.withDatabase()
        let text: HTTPHeaders = ["Content-Type": "text/plain"]
        let made = try server.send("PUT", "/db/doc/path/to/a.txt", "hello", headers: text)
        #expect(made.status == 201 && made.answer.headers["Location"] == "/db/doc/path/to/a.txt")
        let rev = try #require(made["rev"])
        let shown = try server.get("/db/doc/path/to/a.txt")
        #expect(shown.text == "hello" && shown.answer.headers["Content-Type"] == "text/plain" && shown.tag == "\"\(rev)\"")
        #expect(try server.get("/db/doc/path/to/a.txt", headers: ["If-None-Match": "\"\(rev)\""]).status == 304)
        #expect(try server.get("/db/doc/path/to/a.txt", headers: ["Accept": "image/png"]).status == 406)
        #expect(try server.get("/db/doc/path/to/a.txt", headers: ["Accept": "application/json"]).status == 200)
        let head = try server.send("HEAD", "/db/doc/path/to/a.txt")
        #expect(head.answer.length == 5 && head.text.isEmpty)
        #expect(try server.send("PUT", "/db/doc/b", "x", headers: text).status == 409)
        #expect(try server.send("PUT", "/db/doc/b?rev=\(rev)", "x").status == 400)
        #expect(try server.send("PUT", "/db/other/b?rev=\(rev)", "x", headers: text).status == 404)
        let second = try #require(try server.send("PUT", "/db/doc/b?rev=\(rev)", "x", headers: text)["rev"])
        #expect(try server.get("/db/doc")["_attachments.b.revpos"] == "2" && server.get("/db/doc/path/to/a.txt").text == "hello")
        #expect(try server.send("DELETE", "/db/doc/c?rev=\(second)").status == 404)
        #expect(try server.send("DELETE", "/db/doc/b?rev=\(rev)").status == 409)
        let third = try server.send("DELETE", "/db/doc/b", headers: ["If-Match": "\"\(second)\""])
        #expect(try third.status == 200 && server.get("/db/doc/b").status == 404)
        #expect(try server.get("/db/doc/b?rev=\(second)").status == 404)
    }

    /// Databases of 2.x and later have blobs among the properties.
    @Test func blobsAreAttachments() throws {
        let server = try RESTServer.withDatabase()
        let digest = try server.database().saveBlob(Array("content".utf8), as: "doc")
        let shown = try server.get("/db/doc")
        #expect(shown["_attachments.blob_/file.digest"] == digest.description && shown["file.digest"] == digest.description)
        #expect(try server.get("/db/doc/blob_/file").text == "content")
        let rev = try #require(shown["_rev"])
        // As it came: nothing of it is stored twice.
        let body = shown.text.replacing("\"_id\"", with: "\"n\":1,\"_id\"")
        #expect(try server.send("PUT", "/db/doc", body).status == 201)
        let stored = try server.database().read { try #require(try $0.document("doc")).body.withRoot { $0.json(keys: nil) } }
        #expect(!stored.contains("_attachments"))
        #expect(try server.send("DELETE", "/db/doc/blob_/file?rev=\(rev)").status == 409)
        let now = try #require(try server.get("/db/doc")["_rev"])
        #expect(try server.send("DELETE", "/db/doc/blob_/file?rev=\(now)").status == 400)
        try server.put("/db/doc2", #"{"a":1}"#)
        #expect(try server.get("/db/doc2")["_attachments"] == nil)
    }

    @Test func contentsFollowTheDocument() throws {
        let server = try RESTServer.withDatabase()
        let content = "This is the body of an attachment..."
        let json = #"{"_attachments":{"attach":{"content_type":"text/plain","length":36,"follows":true}}}"#
        let body =
            "\r\n--BOUNDARY\r\n\r\n\(json)\r\n--BOUNDARY\r\nContent-Disposition: attachment; filename=attach\r\n\r\n\(content)\r\n--BOUNDARY--"
        let type: HTTPHeaders = ["Content-Type": "multipart/related;boundary=BOUNDARY"]
        #expect(try server.send("PUT", "/db/doc", body, headers: type).status == 201)
        #expect(try server.get("/db/doc/attach").text == content)
        for (bad, with) in [("36", "37"), ("--BOUNDARY--", ""), ("\"follows\":true", "\"stub\":true"), ("attach\":", "other\":")] {
            let answer = try server.send("PUT", "/db/doc2", body.replacing(bad, with: with), headers: type)
            #expect(answer.status == (with.hasPrefix("other") ? 201 : 400), "\(answer.text)")
        }
    }

    @Test func longContentsGoOutInPartsOfTheirOwn() throws {
        let server = try RESTServer.withDatabase()
        let long = String(repeating: "long ", count: 1000)
        let json = #"{"_attachments":{"a":{"data":"\#(base64(long))"},"b":{"data":"\#(base64("short"))"}}}"#
        try server.put("/db/doc", json)
        let answer = try server.get("/db/doc?attachments=true")
        let type = try #require(answer.answer.headers["Content-Type"].flatMap { MediaType($0) })
        #expect(type.isMultipart && answer.answer.length == answer.answer.body.count)
        var reader = try MultipartReader(type)
        var parts: [String] = []
        try answer.answer.body.withUnsafeBytes { bytes in
            try reader.read(bytes) { event in
                switch event {
                case .part: parts.append("")
                case .content(let content): parts[parts.count - 1] += String(decoding: content, as: UTF8.self)
                case .partEnd, .end: break
                }
            }
        }
        try reader.finish()
        #expect(parts.count == 2 && parts[1] == long)
        #expect(parts[0].contains(#""follows":true"#) && parts[0].contains(base64("short")))
        // What came out goes in again.
        let other = try RESTServer.withDatabase()
        let copied = try other.send("PUT", "/db/doc?new_edits=false", headers: answer.answer.headers, body: answer.answer.body)
        #expect(copied.status == 201, "\(copied.text)")
        #expect(try other.get("/db/doc/a").text == long && other.get("/db/doc")["_rev"] == server.get("/db/doc")["_rev"])
    }

    @Test func contentsMayBeLargerThanAPiece() throws {
        let server = try RESTServer.withDatabase { $0.maximumBody = 1000 }
        let content = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7919 >> 8) }
        let made = try server.send("PUT", "/db/doc/big", headers: ["Content-Type": "application/octet-stream"], body: content)
        #expect(made.status == 201)
        #expect(try server.get("/db/doc/big").answer.body == content)
        let part = try server.get("/db/doc/big", headers: ["Range": "bytes=1000000-1999999"])
        #expect(part.answer.body.elementsEqual(content[1_000_000..<2_000_000]))
        #expect(try server.send("PUT", "/db/x", "{\"a\":\"\(String(repeating: "x", count: 2000))\"}").status == 413)
    }

    @Test func damagedContentsAreNotGivenOut() throws {
        let (server, _) = try withAttachment()
        let digest = try #require(BlobDigest("sha1-gOHUOBmIMoDCrMuGyaLWzf1hQTE="))
        let path = "\(server.path)/db.cblite2/Attachments/gOHUOBmIMoDCrMuGyaLWzf1hQTE=.blob"
        try "This is the body of attach2".write(toFile: path, atomically: false, encoding: .utf8)
        #expect(try server.get("/db/doc1/attach")["error"] == "Invalid data in database")
        #expect(try server.database().blobs.exists(digest))
    }

    @Test func openRevisionsComeInParts() throws {
        let (server, rev) = try withAttachment()
        let answer = try server.get("/db/doc1?open_revs=%5B%22\(rev)%22,%229-ffff%22%5D", headers: ["Accept": "multipart/mixed"])
        #expect(answer.answer.headers["Content-Type"]?.hasPrefix("multipart/mixed; boundary=") == true)
        #expect(answer.text.contains("Content-Type: application/json\r\n\r\n{\"_id\":\"doc1\""))
        #expect(answer.text.contains("Content-Type: application/json; error=\"true\"\r\n\r\n{\"missing\":\"9-ffff\"}"))
    }

    @Test func openRevisionsInPartsBringTheirAttachments() throws {
        let server = try RESTServer.withDatabase()
        let large = String(repeating: "a long content ", count: 300)
        let small = try server.send("PUT", "/db/doc/small", "hello", headers: ["Content-Type": "text/plain"])
        try server.send("PUT", "/db/doc/large?rev=\(small["rev"] ?? "")", large, headers: ["Content-Type": "text/plain"])
        // This is how CouchDB's replicator asks.
        let target = "/db/doc?revs=true&open_revs=all&latest=true"
        let answer = try server.get(target, headers: ["Accept": "multipart/mixed"])
        #expect(answer.answer.length == answer.answer.body.count)
        #expect(answer.text.contains("Content-Type: multipart/related; boundary="))
        #expect(answer.text.contains(#""follows":true"#) && answer.text.contains(#""data":"\#(base64("hello"))""#))
        #expect(answer.text.contains("Content-Disposition: attachment; filename=\"large\""))
        #expect(answer.text.contains("\r\n\r\n\(large)\r\n--"))
        let declined = try server.get(target + "&attachments=false", headers: ["Accept": "multipart/mixed"])
        #expect(!declined.text.contains("multipart/related") && declined.text.contains(#""stub":true"#))
    }

    // CouchDB packs texts, and its replicator sends them so.
    @Test func packedAttachmentsOfRevisionsFromElsewhereStayPacked() throws {
        let server = try RESTServer.withDatabase()
        let packed = try #require(Base64.bytes(of: "H4sIAAAAAAACA8tIzcnJBwCGphA2BQAAAA==".utf8))
        let json = #"""
            {"_id":"doc","_rev":"1-abcd","_revisions":{"start":1,"ids":["abcd"]},"_attachments":{"a.txt":{"content_type":"text/plain","revpos":1,\#
            "length":5,"follows":true,"encoding":"gzip","encoded_length":\#(packed.count)}}}
            """#
        var body = Array("--x\r\nContent-Type: application/json\r\n\r\n\(json)\r\n--x\r\n".utf8)
        body += Array("Content-Disposition: attachment; filename=\"a.txt\"\r\nContent-Encoding: gzip\r\n\r\n".utf8)
        body += packed + Array("\r\n--x--".utf8)
        let put = try server.send(
            "PUT", "/db/doc?new_edits=false", headers: ["Content-Type": "multipart/related; boundary=\"x\""], body: body)
        #expect(put.status == 201)
        #expect(try server.get("/db/doc/a.txt").text == "hello")
        let stub = try server.get("/db/doc?att_encoding_info=true").text
        #expect(stub.contains(#""length":5,"#) && stub.contains(#""encoding":"gzip""#))
    }
}
