import Testing

@testable import CBLBLIP

/// One connection of a client and a gateway, whose bytes were computed by another implementation.
struct ExampleTests {
    static let getCheckpoint = hex(
        """
        01 00 3d 50 72 6f 66 69 6c 65 00 67 65 74 43 68 65 63 6b 70 6f 69 6e 74 00 63 6c 69 65 6e 74 00 63 70 2d 56 48 79 31 4e 34 62 6e 57 62
        46 75 33 6b 41 2f 50 36 64 50 4b 70 5a 57 71 38 6b 3d 00 2e bb 3d c2
        """)
    static let notFound = hex(
        """
        01 02 21 45 72 72 6f 72 2d 44 6f 6d 61 69 6e 00 48 54 54 50 00 45 72 72 6f 72 2d 43 6f 64 65 00 34 30 34 00 4e 6f 74 20 46 6f 75 6e 64
        0f 42 26 78
        """)
    static let proposeChanges = hex(
        """
        02 18 32 08 28 ca 4f cb cc 49 65 28 28 ca 2f c8 2f 4e 75 ce 48 cc 4b 4f 2d 66 48 ce cf 4b cb c9 4c 2e f1 cc 4b ce 29 4d 49 2d 0e 4a 2d
        63 28 29 2a 4d 65 88 8e 56 4a c9 4f 36 54 d2 51 32 d4 4d 4c 4a 56 8a d5 01 0b 18 81 05 52 52 d3 94 62 63 01 00 14 e3 49 86
        """)
    static let accepted = hex("02 19 62 88 8e 05 00 b2 3a ea bb")
    static let firstRevision = hex(
        """
        03 08 32 87 99 59 04 d4 94 99 c2 00 52 0f 66 83 75 30 14 a7 16 96 a6 e6 25 a7 32 18 32 e4 e5 c3 ec 29 06 f2 aa 95 4a 2a 0b 52 95 ac 94
        4a 12 8b b3 81 e6 95 64 96 e4 80 b8 4e a5 95 0a b9 99 39 d9 4a b5 00 00 1b 6a 20 21
        """)
    static let secondRevision = hex("04 08 c2 62 b2 11 d4 64 a0 d5 08 93 8d 48 30 39 a9 28 35 31 45 a9 16 00 08 6d b9 2c")
    static let done = hex("03 01 00 8e 03 bf 63")
    static let getAttachment = hex(
        """
        01 00 4a 50 72 6f 66 69 6c 65 00 67 65 74 41 74 74 61 63 68 6d 65 6e 74 00 64 69 67 65 73 74 00 73 68 61 31 2d 34 67 2b 4b 70 48 76 72
        66 48 39 50 6c 4c 33 32 63 57 56 5a 4a 6e 37 5a 79 6e 63 3d 00 64 6f 63 49 44 00 64 6f 63 33 00 bd f1 5a 0d
        """)
    static let attachment = [
        hex(
            """
            01 41 00 54 68 65 20 71 75 69 63 6b 20 62 72 6f 77 6e 20 66 6f 78 20 6a 75 6d 70 73 20 6f 76 65 72 20 74 68 65 20 6c 61 7a 79
            fd 90 63 60
            """),
        hex(
            """
            01 01 20 64 6f 67 2e 20 54 68 65 20 71 75 69 63 6b 20 62 72 6f 77 6e 20 66 6f 78 20 6a 75 6d 70 73 20 6f 76 65 72 20 74 68 65
            20 6c 61 7a 79 20 64 6f 67 2e 20 68 fd c2 36
            """),
    ]
    static let norev = hex(
        """
        02 20 36 50 72 6f 66 69 6c 65 00 6e 6f 72 65 76 00 69 64 00 64 6f 63 39 00 72 65 76 00 33 2d 63 63 63 00 73 65 71 75 65 6e 63 65 00 35
        37 00 65 72 72 6f 72 00 34 30 34 00 60 d6 f7 b6
        """)
    static let acknowledged = hex("03 34 e5 86 03")
    static let caughtUp = hex(
        """
        03 28 d2 0b 28 ca 4f cb cc 49 65 48 ce 48 cc 4b 4f 2d 66 70 ce cf 2b 49 cd 2b d1 0d a9 2c 48 65 48 2c 28 c8 c9 4c 4e 2c c9 cc cf d3 cf
        2a ce cf 63 c8 2b cd c9 01 00 7e f4 e0 5b
        """)

    /// Both ends send what the example says, byte for byte, and understand each other.
    @Test func theExampleIsSpokenByteForByte() throws {
        let client = BLIPConnection()
        let server = BLIPConnection()

        func pass(_ sender: BLIPConnection, _ expected: [UInt8], to receiver: BLIPConnection) throws -> IncomingMessage {
            let frame = try #require(try sender.nextFrame())
            #expect(hex(frame) == hex(expected))
            #expect(!sender.hasFrames)
            return try #require(try receiver.receive(frame)?.message)
        }

        let checkpoint = try client.send(
            OutgoingMessage(properties: ["Profile": "getCheckpoint", "client": "cp-VHy1N4bnWbFu3kA/P6dPKpZWq8k="]))
        let asked = try pass(client, Self.getCheckpoint, to: server)
        #expect(asked.profile == "getCheckpoint")
        #expect(asked.string("client") == "cp-VHy1N4bnWbFu3kA/P6dPKpZWq8k=")
        #expect(asked.body.isEmpty && !asked.isError && !asked.isCompressed)
        try server.respond(to: #require(asked.request), error: .http(404, "Not Found"))
        let refused = try pass(server, Self.notFound, to: client)
        #expect(refused.answered == checkpoint)
        #expect(refused.error == .http(404, "Not Found"))

        try client.send(
            OutgoingMessage(
                properties: ["Profile": "proposeChanges", "conflictIncludesRev": "true"],
                body: .bytes(Array(#"[["doc1","1-abc"],["doc2","1-def"]]"#.utf8)), isUrgent: true, isCompressed: true))
        let proposed = try pass(client, Self.proposeChanges, to: server)
        #expect(proposed.bool("conflictIncludesRev") && proposed.isCompressed)
        #expect(String(decoding: proposed.body, as: UTF8.self) == #"[["doc1","1-abc"],["doc2","1-def"]]"#)
        let proposal = try #require(proposed.request)
        #expect(proposal.isUrgent && proposal.wantsResponse && proposal.number == 2)
        try server.respond(to: proposal, OutgoingMessage(body: .bytes(Array("[]".utf8)), isCompressed: true))
        #expect(try pass(server, Self.accepted, to: client).body.elementsEqual("[]".utf8))

        var revisions: [ReceivedRequest] = []
        for (document, revision, sequence, title, frame) in [
            ("doc1", "1-abc", "1", "Buy milk", Self.firstRevision), ("doc2", "1-def", "2", "Buy bread", Self.secondRevision),
        ] {
            try client.send(
                OutgoingMessage(
                    properties: ["Profile": "rev", "id": document, "rev": revision, "sequence": sequence, "noconflicts": "1"],
                    body: .bytes(Array(#"{"type":"task","title":"\#(title)"}"#.utf8)), isCompressed: true))
            let received = try pass(client, frame, to: server)
            #expect(received.integer("sequence") == Int(sequence) && received.isProperty("rev", revision))
            try revisions.append(#require(received.request))
        }
        try server.respond(to: revisions[0])
        let stored = try pass(server, Self.done, to: client)
        #expect(stored.body.isEmpty && stored.allProperties.isEmpty)

        let blob = try server.send(
            OutgoingMessage(
                properties: ["Profile": "getAttachment", "digest": "sha1-4g+KpHvrfH9PlL32cWVZJn7Zync=", "docID": "doc3"]))
        #expect(try pass(server, Self.getAttachment, to: client).request?.number == 1)
        // A real sender would not cut so early: these two are only read.
        #expect(try server.receive(Self.attachment[0])?.message == nil)
        let content = try #require(try server.receive(Self.attachment[1])?.message)
        #expect(content.answered == blob)
        #expect(content.body.elementsEqual(String(repeating: "The quick brown fox jumps over the lazy dog. ", count: 2).utf8))

        try server.send(
            OutgoingMessage(
                properties: ["Profile": "norev", "id": "doc9", "rev": "3-ccc", "sequence": "57", "error": "404"], isNoReply: true))
        #expect(try pass(server, Self.norev, to: client).request?.wantsResponse == false)
        #expect(try client.receive(Self.acknowledged) == nil)
        try server.send(
            OutgoingMessage(
                properties: ["Profile": "changes", "Content-Type": "application/json"], body: .bytes(Array("null".utf8)),
                isCompressed: true, isNoReply: true))
        #expect(try pass(server, Self.caughtUp, to: client).body.elementsEqual("null".utf8))
        #expect(client.awaitedResponses == 1 && server.unansweredRequests == 1)
    }
}
