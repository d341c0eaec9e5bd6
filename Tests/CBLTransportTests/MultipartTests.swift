import CBLTestSupport
import Testing

@testable import CBLTransport

@Suite struct MultipartTests {
    /// What was read: parts with their headers, and whether the last one ended.
    private struct Read: Equatable {
        var parts: [(headers: HTTPHeaders, content: [UInt8])] = []
        var isComplete = false

        var texts: [String] { parts.map { String(decoding: $0.content, as: UTF8.self) } }

        static func == (a: Read, b: Read) -> Bool {
            a.isComplete == b.isComplete && a.parts.count == b.parts.count
                && zip(a.parts, b.parts).allSatisfy { $0.headers == $1.headers && $0.content == $1.content }
        }
    }

    private func read(
        _ bytes: [UInt8], boundary: String = "B", piece: Int = .max, limits: MultipartReader.Limits = MultipartReader.Limits()
    ) throws -> Read {
        var reader = try MultipartReader(boundary: boundary, limits: limits)
        var read = Read()
        var isInPart = false
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = Array(rest.prefix(piece))
            rest = rest.dropFirst(part.count)
            try part.withUnsafeBytes { part in
                try reader.read(part) { event in
                    switch event {
                    case .part(let headers):
                        #expect(!isInPart && !read.isComplete)
                        isInPart = true
                        read.parts.append((headers, []))
                    case .content(let content):
                        #expect(isInPart && !content.isEmpty)
                        read.parts[read.parts.count - 1].content.append(contentsOf: content)
                    case .partEnd:
                        #expect(isInPart)
                        isInPart = false
                    case .end:
                        #expect(!isInPart && !read.isComplete)
                        read.isComplete = true
                    }
                }
            }
        }
        try reader.finish()
        return read
    }

    @Test(arguments: [
        ("\r\n--B\r\n\r\none\r\n--B\r\n\r\ntwo\r\n--B--", ["one", "two"]), ("--B\r\n\r\none\r\n--B--", ["one"]),
        ("--B  \t\r\n\r\none\r\n--B \r\n\r\ntwo\r\n--B--", ["one", "two"]), ("--B\r\n\r\none\r\n--B--rubbish\r\n--B\r\n\r\nno", ["one"]),
        ("preamble\r\n--B\r\n\r\none\r\n--B--", ["one"]), ("--B--", []), ("\r\n--B--", []), ("--B\r\n\r\n\r\n--B--", [""]),
        // A part may have headers, and nothing else.
        ("--B\r\nA: b\r\n\r\n--B--", [""]),
        // What only begins like a boundary is content.
        (
            "--B\r\n\r\n\r\r\n\r\n-\r\n--\r\n--A\r\n--Bx\r\n--B-\r\n--B x\r\n--B-x\r\n--B\r\r\n--B--",
            ["\r\r\n\r\n-\r\n--\r\n--A\r\n--Bx\r\n--B-\r\n--B x\r\n--B-x\r\n--B\r"]
        ),
        ("--B\r\n\r\n\n--B\n--B--\r\n--B--", ["\n--B\n--B--"]), ("--B\r\n\r\n\r\n\r\n\r\n--B--", ["\r\n\r\n"]),
        ("--Bx\r\n--B\r\n\r\none\r\n--B--", ["one"]), ("x--B\r\n--B\r\n\r\none\r\n--B--", ["one"]),
    ])
    func partsAreFoundHoweverTheBytesCome(text: String, parts: [String]) throws {
        for piece in 1...text.utf8.count {
            let read = try read(bytes(text), piece: piece)
            #expect(read.isComplete && read.texts == parts, "pieces of \(piece)")
        }
    }

    @Test func headersAreTrimmed() throws {
        let read = try read(bytes("--B\r\n Header : Val ue \r\nfoo:bar\r\nEmpty:\r\n\r\nx\r\n--B--"))
        #expect(read.parts.first?.headers == ["Header": "Val ue", "foo": "bar", "Empty": ""])
    }

    @Test(arguments: ["aaa", "aab", "--", "-", "\"", "0-0-0", "a b"])
    func aBoundaryThatRepeatsItselfIsFound(boundary: String) throws {
        let delimiter = "\r\n--" + boundary
        let contents = (0...boundary.utf8.count + 3).map { String(delimiter.utf8.prefix($0)) ?? "" } + [delimiter + "!", "--" + boundary]
        for content in contents {
            let text = "--\(boundary)\r\n\r\n.\(content)\(delimiter)\r\n\r\n.\(content)\(delimiter)--"
            for piece in [1, 2, 3, 5, .max] {
                #expect(try read(bytes(text), boundary: boundary, piece: piece).texts == ["." + content, "." + content])
            }
        }
    }

    @Test func theTypeNamesTheBoundary() throws {
        for type in ["multipart/related; boundary=\"dog\"", "multipart/related;boundary=dog", "Multipart/Mixed; a=b; Boundary=dog"] {
            let type = try #require(MediaType(type))
            _ = try MultipartReader(type)
        }
        for type in ["multipart/related", "text/plain; boundary=dog", "multipart/related; boundary=\"\""] {
            let type = try #require(MediaType(type))
            #expect(throws: MultipartFailure.self) { try MultipartReader(type) }
        }
        for boundary in ["", " ", "a ", "a\r\n", String(repeating: "x", count: 201)] {
            #expect(throws: MultipartFailure.self) { try MultipartReader(boundary: boundary) }
        }
    }

    @Test(arguments: [
        ("", MultipartFailure.Kind.cutOff), ("--B", .cutOff), ("--B\r\n\r\none", .cutOff), ("--B\r\n\r\none\r\n--B", .cutOff),
        ("--B\r\n\r\none\r\n--B-", .cutOff), ("--B\r\nno colon\r\n\r\n", .malformed), ("--B\r\n: x\r\n\r\n", .malformed),
        ("--B\r\na b: x\r\n\r\n", .malformed), ("--B\r\na: b\rc\r\n\r\n", .malformed), ("--B\r\na: b\n\r\n\r\n", .malformed),
        ("--B\r\na: \0\r\n\r\n", .malformed), ("--B\r\n" + String(repeating: "a: b\r\n", count: 101) + "\r\n", .tooMuch),
        ("--B\r\na: " + String(repeating: "b", count: 16384), .tooMuch), (String(repeating: "x", count: 65537), .tooMuch),
    ])
    func whatIsWrongIsSaid(text: String, kind: MultipartFailure.Kind) {
        for piece in [1, 1000] where text.utf8.count < 10_000 || piece > 1 {
            let error = #expect(throws: MultipartFailure.self) { try read(bytes(text), piece: piece) }
            #expect(error?.kind == kind)
        }
    }

    @Test func partsAreCounted() {
        var limits = MultipartReader.Limits()
        limits.parts = 2
        let error = #expect(throws: MultipartFailure.self) {
            try read(bytes("--B\r\n\r\n\r\n--B\r\n\r\n\r\n--B\r\n\r\n"), limits: limits)
        }
        #expect(error?.kind == .tooMuch)
    }

    @Test func partsMayHaveParts() throws {
        let writer = MultipartWriter("related", boundary: "BB")
        let inner = writer.opening([:]) + bytes("{}") + writer.ending
        let outer = bytes("--B\r\nContent-Type: \(writer.contentType)\r\n\r\n") + inner + bytes("\r\n--B--")
        let part = try #require(try read(outer).parts.first)
        #expect(part.content == inner)
        var reader = try MultipartReader(boundary: "B")
        for _ in 0..<2 { reader = try #require(try reader.nested(in: part.headers)) }
        let error = #expect(throws: MultipartFailure.self) { try reader.nested(in: part.headers) }
        #expect(error?.kind == .tooMuch)
        #expect(try reader.nested(in: ["Content-Type": "text/plain"]) == nil)
    }

    @Test func whatIsWrittenIsRead() throws {
        var random = SeededRandom(12)
        for _ in 0..<50 {
            let writer = MultipartWriter("mixed", using: &random)
            var body: [UInt8] = []
            var parts: [(headers: HTTPHeaders, content: [UInt8])] = []
            for _ in 0..<random.below(5) {
                let content = (0..<random.below(500)).map { _ in UInt8(random.element(of: [13, 10, 45, 45, random.below(256)])) }
                parts.append((["Content-Length": String(content.count), "X": "y"], content))
                body += writer.opening(parts[parts.count - 1].headers) + content
            }
            body += writer.ending
            #expect(writer.length(of: parts.map { ($0.headers, $0.content.count) }) == body.count)
            let boundary = try #require(MediaType(writer.contentType)?.parameters["boundary"])
            #expect(try read(body, boundary: boundary, piece: 1 + random.below(100)) == Read(parts: parts, isComplete: true))
        }
        #expect(MultipartWriter("mixed").length(of: [([:], .max)]) == nil)
        #expect(MultipartWriter("mixed") != MultipartWriter("mixed"))
    }

    @Test func hostileBytesNeverCrashAndSplitsNeverMatter() {
        var random = SeededRandom(61)
        let valid = bytes("\r\n--B\r\nContent-Length: 16\r\n\r\n0123456789abcdef\r\n--B\r\n\r\n\r\n--\r\n--B--")
        var (read, refused) = (0, 0)
        func compare(_ hostile: [UInt8]) {
            let whole = try? self.read(hostile)
            for piece in [1, 2, 1 + random.below(20)] { #expect((try? self.read(hostile, piece: piece)) == whole) }
            if whole == nil { refused += 1 } else { read += 1 }
        }
        Mutation.forEachSmall(of: valid, compare)
        let alphabet = Array("\r\n-B :ab".utf8)
        for _ in 0..<1000 {
            let body = (0..<random.below(60)).map { _ in random.element(of: alphabet) }
            compare(bytes("--B\r\n\r\n") + body + bytes("\r\n--B--"))
        }
        #expect(read > 100 && refused > 100)
    }
}
