import CBLBase
import CBLTestSupport
import Testing

@testable import CBLTransport

@Suite struct ContentTests {
    @Test func mediaTypesAreReadWithTheirParameters() throws {
        let html = try #require(MediaType("Text/HTML; Charset=\"utf-8\";level = 1"))
        #expect(html.essence == "text/html" && html.parameters["charset"] == "utf-8" && html.parameters["LEVEL"] == "1")
        #expect(MediaType("multipart/related;boundary=X")?.parameters["boundary"] == "X")
        #expect(MediaType("multipart/related; boundary=\"a;b\\\"c\"")?.parameters["boundary"] == "a;b\"c")
        #expect(MediaType("text/plain;")?.description == "text/plain")
        #expect(MediaType("text/plain; a=b; c=\"d e\"")?.description == "text/plain; a=b; c=\"d e\"")
        #expect(try #require(MediaType("application/problem+json")).isJSON)
    }

    @Test(arguments: [
        "", "text", "text/", "/plain", "text/plain/x", "te xt/plain", "text/plain; a", "text/plain; =b", "text/plain; a=\"b",
        "text/plain; a=\"b\"c", "text/plain; a=b\"c", "text/plain; a b=c", "text/plain; a=\"b\\",
    ])
    func otherTypesAreNone(text: String) { #expect(MediaType(text) == nil) }

    @Test func theBestTypeIsChosen() {
        func best(_ accept: String, _ types: [MediaType]) -> MediaType? { AcceptedTypes(["Accept": accept]).best(of: types) }
        let html = MediaType("text", "html")
        let mixed = MediaType("multipart", "mixed")
        #expect(best("*/*", [.json, html]) == .json)
        #expect(best("text/html, */*;q=0.5", [.json, html]) == html)
        #expect(best("text/*;q=0.9, text/html;q=0.1, application/json;q=0.5", [.json, html]) == .json)
        #expect(best("text/*, text/html;q=0", [html]) == nil)
        #expect(best("multipart/mixed,application/json", [.json, mixed]) == .json)
        #expect(best("application/json;q=0", [.json]) == nil)
        #expect(best("rubbish", [.json]) == nil)
        #expect(AcceptedTypes([:]).best(of: [.json]) == .json)
        #expect(AcceptedTypes(["Accept": "text/plain;a=\"x,y\", text/html"]).contains(html))
        #expect(AcceptedTypes(["Accept": "*/*"]).names(mixed) == false)
        #expect(AcceptedTypes(["Accept": "multipart/mixed"]).names(mixed))
        #expect(AcceptedTypes(["Accept": "text/html;q=2, text/plain;q=0.1234"]).contains(html) == false)
    }

    @Test(arguments: [
        ("gzip", ContentCoding?.some(.gzip)), ("x-gzip", .gzip), ("GZIP;q=0.5", .gzip), ("deflate, gzip", .gzip),
        ("deflate;q=1, gzip;q=0.9", .deflate),
        ("gzip;q=0", .identity), ("identity", .identity), ("", .identity), ("br", .identity), ("*", .gzip), ("gzip;q=0, *", .deflate),
        ("identity;q=0", nil), ("*;q=0", nil), ("*;q=0, gzip", .gzip), ("gzip;q=0.5, identity", .identity), ("gzip, identity;q=1", .gzip),
    ])
    func codingsAreNegotiated(header: String, coding: ContentCoding?) {
        #expect(ContentCoding.preferred(["Accept-Encoding": header]) == coding)
    }

    @Test func codingsOfABody() {
        #expect(ContentCoding.of([:]) == .identity)
        #expect(ContentCoding.of(["Content-Encoding": "gzip, identity"]) == .gzip)
        #expect(ContentCoding.of(["Content-Encoding": "gzip, gzip"]) == nil)
        #expect(ContentCoding.of(["Content-Encoding": "br"]) == nil)
        #expect(ContentCoding.preferred([:]) == .identity)
    }

    @Test(arguments: [ContentCoding.gzip, .deflate]) func bodiesGoThroughBothWays(_ coding: ContentCoding) throws {
        let bytes = [UInt8](String(repeating: "{\"key\": \"value\"}\n", count: 2000).utf8)
        let compressor = try #require(try coding.compressor())
        var packed: [UInt8] = []
        bytes.withUnsafeBytes { compressor.encode($0, .finish) { packed.append(contentsOf: $0) } }
        #expect(packed.count < bytes.count / 20)
        let decoder = try #require(try coding.decoder(mostBytes: bytes.count))
        var unpacked: [UInt8] = []
        var output = [UInt8](repeating: 0, count: 1000)
        // So few bytes at a time, into so little room.
        for start in stride(from: 0, to: packed.count, by: 7) {
            var rest = Array(packed[start..<min(start + 7, packed.count)])
            var progress: CompressionProgress
            repeat {
                progress = try rest.withUnsafeBytes { rest in try output.withUnsafeMutableBytes { try decoder.decode(rest, into: $0) } }
                unpacked += output[..<progress.produced]
                rest.removeFirst(progress.consumed)
            } while progress.produced == output.count || !rest.isEmpty
        }
        try decoder.finish()
        #expect(unpacked == bytes)
        let empty = try #require(try coding.decoder(mostBytes: 0))
        try empty.finish()
        let cut = try #require(try coding.decoder(mostBytes: bytes.count))
        try packed.dropLast().withUnsafeBytes { try cut.decode($0) { _ in } }
        #expect(throws: Decompressor.Failure.cutOff) { try cut.finish() }
    }

    @Test func partsAreNamed() throws {
        let file = try #require(ContentDisposition("Form-Data; name=\"a\"; filename=\"x \\\"y\\\".txt\""))
        #expect(file.kind == "form-data" && file.name == "a" && file.fileName == "x \"y\".txt")
        #expect(ContentDisposition("attachment; filename=attach")?.fileName == "attach")
        #expect(ContentDisposition("attachment; filename=x; filename*=UTF-8''na%C3%AFve")?.fileName == "naïve")
        #expect(ContentDisposition("attachment; filename=x; filename*=rubbish")?.fileName == "x")
        #expect(ContentDisposition("attachment; filename=\"x") == nil)
        #expect(ContentDisposition("") == nil)
        let name = "a\"b\\c\r\nd/ü"
        #expect(ContentDisposition(ContentDisposition.attachment(name))?.fileName == "a\"b\\c  d/ü")
    }

    @Test func hostileHeadersNeverCrash() {
        var random = SeededRandom(77)
        let alphabet = Array("ab/;=\",\\*q01. \tgzip-W'%".utf8)
        var read = 0
        for _ in 0..<5000 {
            let text = String(decoding: (0..<random.below(40)).map { _ in random.element(of: alphabet) }, as: UTF8.self)
            if let type = MediaType("a/b;" + text) {
                read += 1
                #expect(MediaType(type.description) == type)
            }
            _ = AcceptedTypes(["Accept": text]).best(of: [.json, .text])
            _ = ContentCoding.preferred(["Accept-Encoding": text])
            _ = ContentDisposition("attachment;" + text)?.fileName
            _ = EntityTagList(["If-Match": text], "If-Match")
            _ = HTTPDate(text)
        }
        #expect(read > 100)
    }
}
