import CBLFleece
import CBLStore
import CBLTestSupport
import Testing

@testable import CBLReplication

@Suite struct AttachmentTests {
    static let first = "sha1-4g+KpHvrfH9PlL32cWVZJn7Zync="
    static let second = "sha1-c2XTGPrFT86b4bdd8Xo4E/Zpuww="

    private func translated(_ json: String, generation: UInt32 = 3) throws -> String? {
        let encoder = FleeceEncoder()
        let isTranslated = try fleece(json).withRoot { AttachmentEncoding.write($0, keys: nil, generation: generation, into: encoder) }
        return isTranslated ? try encoder.finish().withRoot { $0.json(style: .canonical) } : nil
    }

    private func received(_ json: String) throws -> (String, ReceivedBody) {
        let encoder = FleeceEncoder()
        let body = try fleece(json).withRoot { try ReceivedBody($0, into: encoder) }
        return (try encoder.finish().withRoot { $0.json(style: .canonical) }, body)
    }

    private func canonical(_ json: String) throws -> String { try fleece(json).withRoot { $0.json(style: .canonical) } }

    @Test func blobsGetAttachments() throws {
        let blob = #"{"@type":"blob","digest":"\#(AttachmentTests.first)","length":90,"content_type":"text/plain"}"#
        let stub = #"{"digest":"\#(AttachmentTests.first)","length":90,"content_type":"text/plain","stub":true,"revpos":3}"#
        let text = #"{"photo":\#(blob),"list":[1,{"a/b~":\#(blob)}]}"#
        let expected =
            #"{"photo":\#(blob),"list":[1,{"a/b~":\#(blob)}],"_attachments":{"blob_/photo":\#(stub),"blob_/list/1/a~1b~0":\#(stub)}}"#
        #expect(try translated(text) == canonical(expected))
        let (back, body) = try received(expected)
        #expect(try back == canonical(text))
        #expect(body.blobs == [.init(digest: BlobDigest(AttachmentTests.first)!, length: 90, isCompressible: true)])
        #expect(try translated(#"{"no":"blobs"}"#) == nil)
        // A version has no generation to speak of.
        #expect(try translated(text, generation: 0) == canonical(expected.replacing(#","revpos":3"#, with: "")))
    }

    /// Gateways are sent an empty `_attachments` where the blobs that the peer knows are gone from a document with a vector, and nowhere else.
    @Test(arguments: [false, true]) func whatHadBlobsSaysSo(_ hasVectors: Bool) throws {
        let directory = try TemporaryDirectory()
        let database = try Database(
            path: "\(directory.path)/a.cblite2", options: .init(access: .create, upgrade: hasVectors ? .versionVectors : .none))
        let blob = try Array("blob".utf8).withUnsafeBytes { try database.blobs.write($0) }
        let first = #"{"p":{"@type":"blob","digest":"\#(blob.digest)"}}"#
        func save(_ json: String) throws -> RevisionID {
            try database.write { transaction in
                let saved = try transaction.save("d", body: transaction.encode(json: json))
                return transaction.global(saved.id)
            }
        }
        func sent(_ revision: RevisionID) throws -> String {
            let order = SendOrder(documentID: "d", revision: revision, sequence: RemoteSequence(1), ancestors: [], bodySize: 9)
            let answer = ReplicatedDatabase(database, remote: 1).perform(.loadRevisions([order], SendOptions()))
            guard case .revisions(let list) = answer, case .loaded(let message)? = list.first else { throw MalformedMessage("\(answer)") }
            return String(decoding: message.body, as: UTF8.self)
        }
        let old = try save(first)
        #expect(try sent(old).contains(#""blob_/p""#))
        _ = ReplicatedDatabase(database, remote: 1).perform(.mark([.init(documentID: "d", revision: old)]))
        let new = try save(#"{"x":1}"#)
        #expect(try sent(new) == (hasVectors ? #"{"_attachments":{},"x":1}"# : #"{"x":1}"#))
        let tombstone = try database.write { transaction in
            let saved = try transaction.delete("d")
            return transaction.global(saved.id)
        }
        #expect(try sent(tombstone) == "{}")
    }

    @Test func otherAttachmentsStay() throws {
        let text =
            #"{"_attachments":{"a.png":{"digest":"\#(AttachmentTests.second)","revpos":1,"stub":true,"content_type":"image/png"},"blob_/gone":{"digest":"x"}},"p":{"@type":"blob","digest":"\#(AttachmentTests.first)"}}"#
        let (back, body) = try received(text)
        #expect(back.contains("a.png"))
        // What leads to no blob is somebody's own.
        #expect(back.contains("blob_/gone"))
        #expect(body.badDigest != nil)
        let good =
            #"{"_attachments":{"a.png":{"digest":"\#(AttachmentTests.second)","revpos":1,"stub":true},"blob_/p":{"digest":"\#(AttachmentTests.first)"}},"_id":"x","_rev":"1-a","p":{"@type":"blob","digest":"\#(AttachmentTests.first)"}}"#
        let (kept, clean) = try received(good)
        #expect(clean.badDigest == nil)
        #expect(clean.blobs.count == 2)
        #expect(
            try kept
                == canonical(
                    #"{"_attachments":{"a.png":{"digest":"\#(AttachmentTests.second)","revpos":1,"stub":true}},"p":{"@type":"blob","digest":"\#(AttachmentTests.first)"}}"#
                ))
        #expect(try translated(kept)?.contains("a.png") == true)
    }

    @Test func aReplacedAttachmentReplacesTheBlob() throws {
        let text =
            #"{"a":[{"p":{"@type":"blob","digest":"\#(AttachmentTests.first)","length":1,"x":2}}],"_attachments":{"blob_/a/0/p":{"digest":"\#(AttachmentTests.second)","length":5,"content_type":"a/b"}}}"#
        let (back, body) = try received(text)
        #expect(
            try back
                == canonical(#"{"a":[{"p":{"@type":"blob","digest":"\#(AttachmentTests.second)","length":5,"content_type":"a/b","x":2}}]}"#)
        )
        #expect(body.blobs.map(\.digest.description) == [AttachmentTests.second])
        #expect(body.badDigest == nil)
    }

    @Test func removalsAndDanglingBlobsAreSeen() throws {
        #expect(try received(#"{"_removed":true}"#).1.isRemoved)
        #expect(
            try received(#"{"p":{"@type":"blob","digest":"\#(AttachmentTests.first)"},"_attachments":{}}"#).1.badDigest
                == AttachmentTests.first)
        #expect(try received(#"{"p":{"@type":"blob","digest":"sha1-../x"}}"#).1.badDigest == "sha1-../x")
        #expect(throws: MalformedMessage.self) { try received("[1]") }
    }

    @Test func plainBodiesAreKnownByTheirBytes() {
        func isPlain(_ text: String) -> Bool { Array(text.utf8).withUnsafeBytes { ReceivedBody.isPlain(json: $0) } }
        #expect(isPlain(#"{"a":1}"#))
        #expect(!isPlain(#"{"_id":1}"#))
        #expect(!isPlain(#"{"a":{"digest":1}}"#))
        #expect(!isPlain(#"{"\u005fid":1}"#))
    }

    @Test(
        arguments: [
            ("text/plain", nil, true), (nil, nil, false), ("image/svg", nil, false), ("application/zip", nil, false),
            ("Video/x", nil, false),
            ("text/x", "gzip", false), ("application/x-rar", nil, false),
        ] as [(String?, String?, Bool)])
    func compressibleContent(_ type: String?, _ encoding: String?, _ expected: Bool) {
        #expect(ReceivedBody.isCompressible(type: type, encoding: encoding) == expected)
    }

    /// Random documents with blobs at random places come back from a gateway as they went there.
    @Test func thereAndBackAgain() throws {
        var random = SeededRandom(5)
        let keys = ["a", "b/c", "d~e", "~1", "", "f g", "0", "ключ"]
        func value(_ depth: Int) -> String {
            switch random.below(depth > 3 ? 3 : 6) {
            case 0: return "\(random.below(100))"
            case 1: return #""text""#
            case 2:
                return
                    #"{"@type":"blob","digest":"\#(random.below(2) == 0 ? AttachmentTests.first : AttachmentTests.second)","length":\#(random.below(9))}"#
            case 3: return "[" + (0..<random.below(4)).map { _ in value(depth + 1) }.joined(separator: ",") + "]"
            default: return object(depth + 1)
            }
        }
        func object(_ depth: Int) -> String {
            let members = keys.filter { (depth > 0 || !$0.isEmpty) && random.below(3) == 0 }
            return "{" + members.map { "\(JSONWriter.quoted($0)):\(value(depth))" }.joined(separator: ",") + "}"
        }
        for _ in 0..<400 {
            let text = object(0)
            guard let sent = try translated(text) else { continue }
            let (back, body) = try received(sent)
            #expect(try back == canonical(text))
            #expect(body.badDigest == nil)
        }
    }
}
