import CBLTestSupport
import Testing

@testable import CBLBLIP

/// Conversations between the vendor's program and its gateway are spoken again: one connection plays each part, reads what the other part said
/// and sends what its own part sent.
@Suite(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)"))
struct ConversationTests {
    /// One part. It learns what to say from what the other one understood.
    final class Player {
        let connection = BLIPConnection()
        var requests: [UInt64: ReceivedRequest] = [:]

        /// Sends a message as it was sent, and gives the frame.
        func send(_ message: IncomingMessage, _ header: FrameHeader) throws -> [UInt8] {
            var copy = OutgoingMessage(body: .bytes(Array(message.body)), isCompressed: message.isCompressed)
            for (name, value) in message.allProperties { copy.properties.append(name, value) }
            switch message.origin {
            case .request:
                copy.isUrgent = header.flags.contains(.urgent)
                copy.isNoReply = header.flags.contains(.noReply)
                try connection.send(copy)
            case .response:
                let request = try #require(requests[header.number])
                // Not as an error is usually sent: the gateway gives its properties in any order.
                try connection.respond(to: request, copy, as: message.isError ? .error : .response)
            }
            let frame = try #require(try connection.nextFrame())
            #expect(!connection.hasFrames)
            return frame
        }
    }

    @Test func thereAreConversations() { #expect(RecordedConversation.names.count >= 20) }

    @Test(arguments: RecordedConversation.names) func everyFrameIsReadAndWritten(_ name: String) throws {
        let conversation = try RecordedConversation(name)
        let client = Player()
        let server = Player()
        for (index, frame) in conversation.frames.enumerated() {
            let (sender, receiver) = frame.isFromClient ? (client, server) : (server, client)
            let header = try #require(frame.bytes.withUnsafeBytes { FrameHeader($0) })
            let message = try #require(try receiver.connection.receive(frame.bytes)?.message, "frame \(index)")
            if let request = message.request { receiver.requests[request.number] = request }
            let copy = try sender.send(message, header)

            if !message.isCompressed {
                #expect(hex(copy) == hex(frame.bytes), "frame \(index)")
            } else {
                // The gateway compresses with another library, so its data differs. The header and the checksum, which is of all that went
                // before, do not.
                #expect(copy.prefix(header.length) == frame.bytes.prefix(header.length))
                #expect(copy.suffix(4) == frame.bytes.suffix(4), "frame \(index)")
                // The vendor's program compresses as we do, but flushes once more where a body is streamed: between it and the properties.
                if frame.isFromClient, message.request != nil || message.body.first == UInt8(ascii: "[") {
                    #expect(hex(copy) == hex(frame.bytes), "frame \(index)")
                }
            }
        }
        // Nothing is left over but what the client did not wait for when it closed.
        #expect(server.connection.awaitedResponses <= 1)
        #expect(client.connection.awaitedResponses == 0)
    }

    /// What the conversations are about is in them: not one frame was skipped.
    @Test func messagesMeanSomething() throws {
        var profiles: [String: Int] = [:]
        for conversation in try RecordedConversation.all() {
            let ends = [BLIPConnection(), BLIPConnection()]
            var waiting: [[SentMessage]] = [[], []]
            for frame in conversation.frames {
                let (sender, receiver) = frame.isFromClient ? (0, 1) : (1, 0)
                let header = try #require(frame.bytes.withUnsafeBytes { FrameHeader($0) })
                if header.flags.type == .request {
                    // So that an answer is expected.
                    waiting[sender].append(
                        try ends[sender].send(OutgoingMessage(profile: "x", isNoReply: header.flags.contains(.noReply))))
                    _ = try ends[sender].frames()
                }
                let message = try #require(try ends[receiver].receive(frame.bytes)?.message)
                if let request = message.request {
                    #expect(request.number == header.number)
                    profiles[message.profile ?? "", default: 0] += 1
                    let text = String(decoding: message.body, as: UTF8.self)
                    if !text.isEmpty { #expect("[{n".contains(text.prefix(1)) || message.profile == "proveAttachment") }
                } else {
                    #expect(message.answered == waiting[receiver][Int(header.number) - 1])
                }
            }
        }
        for profile in ["getCollections", "setCheckpoint", "proposeChanges", "rev", "subChanges", "changes", "getAttachment"] {
            #expect(profiles[profile, default: 0] > 0, "\(profile) of \(profiles)")
        }
    }
}
