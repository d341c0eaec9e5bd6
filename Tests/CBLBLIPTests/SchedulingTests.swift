import CBLTestSupport
import Testing

@testable import CBLBLIP

/// Which message's frame is next.
struct SchedulingTests {
    func message(_ size: Int, isUrgent: Bool = false) -> OutgoingMessage {
        OutgoingMessage(body: .bytes([UInt8](repeating: 9, count: size)), isUrgent: isUrgent, isNoReply: true)
    }

    @Test func longMessagesTakeTurns() throws {
        let sender = BLIPConnection()
        for _ in 0..<3 { try sender.send(message(40_000)) }
        #expect(try sender.frames().map { $0[0] } == [1, 2, 3, 1, 2, 3, 1, 2, 3])
    }

    @Test func anUrgentMessageOvertakes() throws {
        let sender = BLIPConnection()
        for _ in 0..<3 { try sender.send(message(20_000)) }
        let first = try #require(try sender.nextFrame())
        #expect(first.count == FrameSize.maximum)
        try sender.send(message(40_000, isUrgent: true))
        try sender.send(message(100, isUrgent: true))
        let frames = try sender.frames()
        // The urgent ones are numbered before those that waited longer, and take turns with them.
        #expect(frames.map { $0[0] } == [2, 3, 4, 5, 2, 1, 2, 3, 5])
        #expect(frames[0][0] == 2 && frames[0][1] == 0x70)
        #expect(frames[0].count == FrameSize.maximum, "an urgent message has long frames")
        for (frame, next) in zip(frames, frames.dropFirst()) where frame[1] & 0x10 == 0 && next[1] & 0x10 != 0 {
            #expect(frame.count <= FrameSize.besideUrgent, "an ordinary one beside it has short ones")
        }
    }

    @Test func ordinaryMessagesAreNotStarved() throws {
        let sender = BLIPConnection()
        try sender.send(message(20_000))
        for _ in 0..<50 { try sender.send(message(100, isUrgent: true)) }
        let frames = try sender.frames()
        let ordinary = frames.indices.filter { frames[$0][1] & 0x10 == 0 }
        #expect(ordinary == [1, 3, 5, 7, 9])
        // The last one begins as frame 9 of the outbox; while an urgent one waits it is short.
        #expect(ordinary.allSatisfy { frames[$0].count <= FrameSize.besideUrgent })
    }

    @Test func anAnswerIsAsUrgentAsItsRequest() throws {
        let receiver = BLIPConnection()
        var forge = Forge()
        for (number, flags) in [(1, 0x10), (2, 0x00)] as [(UInt64, UInt8)] {
            let request = try #require(try receiver.receive(forge.frame(number, flags, encoded()))?.request)
            try receiver.respond(to: request, message(1, isUrgent: flags == 0))
            #expect(try receiver.nextFrame()?[1] == flags | 1)
        }
    }

    @Test func thereIsOneAnswerToARequest() throws {
        let receiver = BLIPConnection()
        var forge = Forge()
        let request = try #require(try receiver.receive(forge.frame(1, 0, encoded()))?.request)
        let silent = try #require(try receiver.receive(forge.frame(2, 0x20, encoded()))?.request)
        #expect(receiver.unansweredRequests == 1)
        #expect(try receiver.respond(to: request) != nil)
        #expect(try receiver.respond(to: request) == nil)
        #expect(try receiver.respond(to: request, error: .http(500)) == nil)
        #expect(try receiver.respond(to: silent) == nil)
        #expect(try receiver.frames().count == 1)
        #expect(receiver.unansweredRequests == 0)
    }

    @Test func anAnswerWaitsForTheWholeRequest() throws {
        let receiver = BLIPConnection()
        var forge = Forge()
        guard case .began(let begun)? = try receiver.receive(forge.frame(1, 0x40, encoded([("Profile", "rev")], body: [1]))) else {
            Issue.record("the properties are complete")
            return
        }
        #expect(begun.profile == "rev" && begun.body.isEmpty)
        guard case .request(let request) = begun.origin else {
            Issue.record("it is no request")
            return
        }
        #expect(try receiver.respond(to: request, error: .http(413, "too large")) != nil)
        #expect(try receiver.frames().isEmpty)
        #expect(try receiver.receive(forge.frame(1, 0, [2]))?.message?.body == [1, 2])
        #expect(try receiver.frames().map { $0[1] } == [2])
    }

    /// An answer may come before the peer has all of the question; the rest is sent all the same.
    @Test func anEarlyAnswerIsAccepted() throws {
        let sender = BLIPConnection()
        let id = try sender.send(OutgoingMessage(body: .bytes([UInt8](repeating: 1, count: 100_000))))
        _ = try sender.nextFrame()
        var forge = Forge()
        #expect(try sender.receive(forge.frame(1, 2, encoded([("Error-Domain", "HTTP"), ("Error-Code", "413")])))?.message?.answered == id)
        #expect(try sender.frames().last?[1] == 0)
        #expect(sender.close().isEmpty)
    }

    /// The peer goes on compressing, or not, as it likes: each message says for itself.
    @Test func compressionCanBeGivenUpOnTheWay() throws {
        let (sender, receiver) = (BLIPConnection(), BLIPConnection())
        let body = [UInt8](repeating: 7, count: 500)
        for compresses in [true, false, true] {
            sender.compresses = compresses
            try sender.send(OutgoingMessage(body: .bytes(body), isCompressed: true))
            let frame = try #require(try sender.nextFrame())
            #expect((frame.count < 100) == compresses)
            let message = try #require(try receiver.receive(frame)?.message)
            #expect(message.isCompressed == compresses && message.body.elementsEqual(body))
            receiver.compresses = compresses
            try receiver.respond(to: #require(message.request), OutgoingMessage(body: .bytes(body), isCompressed: true))
            let answer = try #require(try receiver.nextFrame())
            #expect((answer.count < 100) == compresses)
            #expect(try sender.receive(answer)?.message?.body.elementsEqual(body) == true)
        }
    }
}
