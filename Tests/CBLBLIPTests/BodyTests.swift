import CBLTestSupport
import Glibc
import Testing

@testable import CBLBLIP

/// Bodies that are read, and delivered, in pieces.
struct BodyTests {
    /// Bytes that are their own position; less of them than it says, or in small pieces, or none at all.
    struct Pattern: BodySource {
        struct Unreadable: Error, CustomStringConvertible { let description = "input/output error" }

        let count: UInt64
        var piece = Int.max
        var end = UInt64.max
        var failsFrom = UInt64.max

        func read(at position: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
            if position >= failsFrom { throw Unreadable() }
            let length = min(buffer.count, piece, Int(clamping: min(end, failsFrom) - min(position, end)))
            var done = 0
            while done < length {
                let place = position + UInt64(done)
                // A page of the same bytes at once.
                let run = min(length - done, 4096 - Int(place % 4096))
                memset(buffer.baseAddress! + done, Int32(truncatingIfNeeded: place / 4096 % 251), run)
                done += run
            }
            return length
        }

        static func isPattern(_ bytes: [UInt8], at position: UInt64) -> Bool {
            stride(from: 0, to: bytes.count, by: 509).allSatisfy { bytes[$0] == UInt8((position + UInt64($0)) / 4096 % 251) }
        }
    }

    /// Asks for an attachment, and gives the two ends and the request as the second one got it.
    func asked() throws -> (asker: BLIPConnection, owner: BLIPConnection, id: SentMessage, request: ReceivedRequest) {
        let asker = BLIPConnection()
        let owner = BLIPConnection()
        let id = try asker.send(OutgoingMessage(profile: "getAttachment"))
        let request = try #require(try owner.receiveNext(of: asker)?.request)
        return (asker, owner, id, request)
    }

    /// Neither end ever holds more than a frame of it.
    @Test(arguments: [false, true]) func aLargeBlobIsPassedOnPieceByPiece(_ isCompressed: Bool) throws {
        let (asker, owner, id, request) = try asked()
        let size: UInt64 = 100 << 20
        try owner.respond(
            to: request, OutgoingMessage(properties: ["x": "y"], body: .source(Pattern(count: size)), isCompressed: isCompressed))
        var position: UInt64 = 0
        var isComplete = false
        while !isComplete {
            let frame = try #require(try owner.nextFrame())
            var piece: [UInt8] = []
            switch try asker.receive(frame) {
            case .began(let message):
                #expect(message.answered == id && message.string("x") == "y" && position == 0)
                piece = try #require(asker.streamBody(of: message))
                #expect(asker.streamBody(of: message) == nil)
            case .body(.response(to: id), let bytes, let isLast):
                piece = bytes
                isComplete = isLast
            default: Issue.record("an event of another kind")
            }
            #expect(piece.count <= FrameSize.maximum && Pattern.isPattern(piece, at: position))
            #expect(asker.incompleteBytes == 0)
            position += UInt64(piece.count)
            while let acknowledgement = try asker.nextFrame() { _ = try owner.receive(acknowledgement) }
        }
        #expect(position == size)
        #expect(asker.awaitedResponses == 0 && owner.unfinishedResponses.isEmpty)
    }

    @Test func aSourceMayReadInSmallPieces() throws {
        let (asker, owner, _, request) = try asked()
        try owner.respond(to: request, OutgoingMessage(body: .source(Pattern(count: 40_001, piece: 333))))
        let body = try #require(try asker.receive(all: owner.frames()).last?.message).withBody { Array($0) }
        #expect(body.count == 40_001 && Pattern.isPattern(body, at: 0))
    }

    @Test func anEmptySourceIsNotRead() throws {
        let (asker, owner, _, request) = try asked()
        try owner.respond(to: request, OutgoingMessage(body: .source(Pattern(count: 0, failsFrom: 0))))
        #expect(try asker.receive(all: owner.frames()).last?.message?.body.isEmpty == true)
    }

    @Test(arguments: [false, true]) func anUnreadableBlobIsAnErrorResponse(_ isCompressed: Bool) throws {
        let (asker, owner, id, request) = try asked()
        let answer = OutgoingMessage(
            properties: ["a": "b"], body: .source(Pattern(count: 1 << 20, piece: 500, failsFrom: 1000)), isCompressed: isCompressed)
        try owner.respond(to: request, answer)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: FrameSize.maximum, alignment: 1)
        defer { buffer.deallocate() }
        let frame = try #require(try owner.nextFrame(into: buffer))
        #expect(frame.isLast)
        #expect(frame.sourceFailure == "the content of a message could not be read: input/output error")
        let message = try #require(try asker.receive(UnsafeRawBufferPointer(rebasing: buffer[..<frame.count]))?.message)
        #expect(message.answered == id)
        #expect(message.error == .blip(.handlerFailed, "the content could not be read"))
        // Both ends still understand each other.
        try owner.send(OutgoingMessage(profile: "next", isCompressed: true))
        #expect(try asker.receive(all: owner.frames()).last?.message?.profile == "next")
    }

    @Test func aBlobThatBecomesUnreadableEndsTheConnection() throws {
        let (_, owner, _, request) = try asked()
        try owner.respond(to: request, OutgoingMessage(body: .source(Pattern(count: 100_000, end: 50_000))))
        let error = #expect(throws: BLIPError.self) { try owner.frames() }
        #expect(error == .bodyUnreadable("it is shorter than it was") && error?.closeCode == 1011)
        #expect(owner.failure == error)
        #expect(throws: BLIPError.self) { try owner.send(OutgoingMessage(profile: "x")) }
    }

    /// A request has no error to become.
    @Test(arguments: [0, 50_000]) func anUnreadableRequestEndsTheConnection(_ end: UInt64) throws {
        let sender = BLIPConnection()
        let first = try sender.send(
            OutgoingMessage(profile: "a", body: .source(Pattern(count: 60_000, failsFrom: end)), isCompressed: true))
        let second = try sender.send(OutgoingMessage(profile: "b", body: .bytes([UInt8](repeating: 0, count: 100_000))))
        #expect(throws: BLIPError.bodyUnreadable("input/output error")) { try sender.frames() }
        #expect(sender.close() == [first, second])
    }

    /// Streaming may begin at any time before the last frame.
    @Test func streamingMayBeginLate() throws {
        let receiver = BLIPConnection()
        var forge = Forge()
        guard case .began(let begun)? = try receiver.receive(forge.frame(1, 0x40, encoded(body: [1]))) else {
            Issue.record("it did not begin")
            return
        }
        #expect(try receiver.receive(forge.frame(1, 0x40, [2])) == nil)
        #expect(receiver.streamBody(of: begun) == [1, 2])
        #expect(try receiver.receive(forge.frame(1, 0x40, [])) == nil)
        guard case .body(_, [3], isLast: true)? = try receiver.receive(forge.frame(1, 0, [3])) else {
            Issue.record("the last piece is missing")
            return
        }
        #expect(receiver.streamBody(of: begun) == nil)
    }
}
