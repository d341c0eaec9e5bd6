import CBLBase
import CBLTransport
import Testing

@testable import CBLListener

/// The page for people: what a browser is let do with it.
@Suite struct RESTBrowseTests {
    private func text(between start: String, and end: String, in text: String) throws -> String {
        let bytes = Array(text.utf8)
        func place(of part: String, from: Int) throws -> Int {
            let part = Array(part.utf8)
            return try #require((from..<bytes.count).first { bytes[$0...].starts(with: part) })
        }
        let first = try place(of: start, from: 0) + start.utf8.count
        return String(decoding: bytes[first..<(try place(of: end, from: first))], as: UTF8.self)
    }

    @Test func aBrowserRunsItsScriptAndNoOther() throws {
        let page = try RESTServer.withDatabase().get("/_browse")
        #expect(page.status == 200 && page.answer.headers["Content-Type"] == "text/html; charset=utf-8")
        let policy = try #require(page.answer.headers["Content-Security-Policy"])
        for (tag, rule) in [("script", "script-src"), ("style", "style-src")] {
            let content = try text(between: "<\(tag)>", and: "</\(tag)>", in: page.text)
            let hash = Array(content.utf8).withUnsafeBytes { SHA256.digest(of: $0) }.withUnsafeBytes { Base64.text(of: $0) }
            #expect(policy.contains("\(rule) 'sha256-\(hash)';"))
        }
        #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"))
    }

    @Test func itNeedsNothingFromElsewhere() throws {
        let page = try RESTServer.withDatabase().get("/_browse").text
        for foreign in ["http:", "https:", "src=\"", "@import", "innerHTML", "outerHTML", "document.write", "eval("] {
            #expect(!page.contains(foreign), "\(foreign)")
        }
    }

    @Test func aPageIsOnlyRead() throws {
        let server = try RESTServer.withDatabase()
        #expect(try server.send("HEAD", "/_browse").answer.length == server.get("/_browse").answer.body.count)
        #expect(try server.send("POST", "/_browse").status == 405)
    }
}
