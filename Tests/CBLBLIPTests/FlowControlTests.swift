import CBLTestSupport
import Testing

@testable import CBLBLIP

/// Acknowledgements, and messages that wait for them.
struct FlowControlTests {
    /// Payload and checksum of a frame with a number and flags of one byte each.
    func counted(_ frames: [[UInt8]]) -> Int { frames.reduce(0) { $0 + $1.count - 2 } }

    @Test(arguments: [false, true]) func aLongMessageWaitsForAcknowledgements(_ isResponse: Bool) throws {
        let sender = BLIPConnection()
        let receiver = BLIPConnection()
        var random = SeededRandom(2)
        let long = OutgoingMessage(body: .bytes(randomBytes(1 << 20, &random)), isCompressed: true)
        let id: SentMessage
        if isResponse {
            try receiver.send(OutgoingMessage(profile: "getAttachment"))
            let request = try #require(try sender.receiveNext(of: receiver)?.request)
            id = try #require(try sender.respond(to: request, long))
        } else {
            id = try sender.send(long)
        }

        var sent: [[UInt8]] = []
        var acknowledged = 0
        var pauses = 0
        var complete: IncomingMessage?
        while complete == nil {
            let burst = try sender.frames()
            #expect(!burst.isEmpty)
            #expect(!sender.hasFrames && sender.queuedMessages == 0)
            sent += burst
            if counted(sent) - acknowledged >= 128_000 {
                pauses += 1
                // The last frame alone crossed the line.
                #expect(counted(Array(sent.dropLast())) - acknowledged < 128_000)
            }
            var received = counted(sent) - counted(burst)
            for frame in burst {
                let before = received
                received += frame.count - 2
                if let message = try receiver.receive(frame)?.message { complete = message }
                let answers = try receiver.frames()
                // At least when 50,000 bytes came since the last time, and for what came until then, checksums included.
                #expect(answers.isEmpty == (received - acknowledged < 50_000 || complete != nil), "\(before) \(acknowledged)")
                guard let answer = answers.first else { continue }
                #expect(answer == acknowledgement(1, isResponse ? 0x35 : 0x34, UInt64(received)))
                acknowledged = received
                guard case .acknowledged(id, let bytes)? = try sender.receive(answer) else {
                    Issue.record("an acknowledgement is no news")
                    return
                }
                #expect(bytes == received)
            }
        }
        #expect(pauses >= 3)
        #expect(complete?.body.count == 1 << 20)
        #expect(sender.unfinishedRequests.isEmpty && sender.unfinishedResponses.isEmpty)
        #expect(receiver.incompleteBytes == 0)
    }

    @Test func othersGoOnWhileOneWaits() throws {
        let sender = BLIPConnection()
        try sender.send(OutgoingMessage(profile: "long", body: .bytes([UInt8](repeating: 1, count: 300_000)), isNoReply: true))
        _ = try sender.frames()
        let lost = try sender.send(OutgoingMessage(profile: "short"))
        #expect(try sender.frames().map { $0[0] } == [2])
        // What says nothing new, nothing true or nothing legible does not help; neither is it an error.
        for frame in [
            acknowledgement(1, 0x34, 0), acknowledgement(1, 0x34, 1 << 40), acknowledgement(1, 0x34, .max),
            acknowledgement(1, 0x35, 120_000),
            acknowledgement(2, 0x34, 5), acknowledgement(77, 0x34, 120_000), [1, 0x34], [1, 0x34, 0xFF],
            [1, 0x34] + [UInt8](repeating: 0xFF, count: 12),
        ] {
            #expect(try sender.receive(frame) == nil)
            #expect(!sender.hasFrames)
        }
        // Not enough: just as much as may be under way is left.
        let underWay = try #require(sender.unfinishedRequests[1]).sentBytes
        #expect(try sender.receive(acknowledgement(1, 0x34, underWay - 128_000)) != nil)
        #expect(!sender.hasFrames)
        #expect(try sender.receive(acknowledgement(1, 0x34, underWay - 127_999)) != nil)
        #expect(try sender.frames().count == 1)
        // An older one that comes late takes nothing back.
        #expect(try sender.receive(acknowledgement(1, 0x34, 10)) == nil)
        #expect(sender.close() == [lost])
    }

    @Test func acknowledgementsGoFirstAndAreNotRepeated() throws {
        let receiver = BLIPConnection()
        var forge = Forge()
        try receiver.send(OutgoingMessage(profile: "urgent", isUrgent: true))
        _ = try receiver.receive(forge.frame(1, 0x40, encoded()))
        for _ in 0..<6 { _ = try receiver.receive(forge.frame(1, 0x40, [UInt8](repeating: 0, count: 20_000))) }
        let frames = try receiver.frames()
        #expect(frames.count == 2)
        #expect(frames[0] == acknowledgement(1, 0x34, 5 + 6 * 20_004))
        // One that became needless before it was sent is not sent.
        for _ in 0..<6 { _ = try receiver.receive(forge.frame(1, 0x40, [UInt8](repeating: 0, count: 20_000))) }
        #expect(try receiver.receive(forge.frame(1, 0, [])) != nil)
        #expect(try receiver.frames().isEmpty)
    }
}
