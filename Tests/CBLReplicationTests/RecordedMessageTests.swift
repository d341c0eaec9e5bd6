import CBLBLIP
import CBLFleece
import CBLTestSupport
import FoundationEssentials
import Testing

@testable import CBLReplication

private enum Recordings {
    static let names = ((try? FileManager.default.contentsOfDirectory(atPath: Fixtures.vectors("blip"))) ?? [])
        .filter { $0.hasSuffix(".jsonl") }.sorted()
}

/// What the vendor's program and its gateway said to each other is understood, and said again in the same words.
@Suite(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)"))
struct RecordedMessageTests {
    private struct Line: Decodable { let from, op, hex: String? }

    /// A message with what it answers, if it is an answer.
    enum Message {
        case request(WireRequest, fromClient: Bool)
        case reply(WireReply, to: String)
    }

    /// Two connections play the conversation, since a frame can only be read after all before it.
    static func messages(_ name: String) throws -> [Message] {
        final class Player {
            let connection = BLIPConnection()
            var requests: [UInt64: ReceivedRequest] = [:]
            var profiles: [SentMessage: String] = [:]
        }
        let (client, server) = (Player(), Player())
        var messages: [Message] = []
        for line in try String(contentsOfFile: Fixtures.vectors("blip/" + name), encoding: .utf8).split(separator: "\n") {
            let line = try JSONDecoder().decode(Line.self, from: Data(line.utf8))
            guard line.op == "binary", let hex = line.hex else { continue }
            let frame = bytes(hex)
            let fromClient = line.from == "client"
            let (sender, receiver) = fromClient ? (client, server) : (server, client)
            guard case .received(let message)? = try receiver.connection.receive(frame) else { continue }
            let properties = Properties(message.allProperties.filter { $0.name != "Profile" })
            var copy = OutgoingMessage(body: .bytes(Array(message.body)), isCompressed: message.isCompressed)
            for (name, value) in message.allProperties { copy.properties.append(name, value) }
            switch message.origin {
            case .request(let request):
                receiver.requests[request.number] = request
                copy.isUrgent = request.isUrgent
                copy.isNoReply = !request.wantsResponse
                sender.profiles[try sender.connection.send(copy)] = message.profile
                messages.append(
                    .request(
                        WireRequest(
                            profile: message.profile ?? "", properties: properties, body: Array(message.body), isUrgent: request.isUrgent,
                            isCompressed: message.isCompressed, isNoReply: !request.wantsResponse), fromClient: fromClient))
            case .response(let question):
                var number: UInt64 = 0
                for (place, byte) in frame.enumerated() {
                    number |= UInt64(byte & 0x7F) << UInt64(7 * place)
                    if byte < 0x80 { break }
                }
                let request = try #require(sender.requests[number])
                if let error = message.error {
                    _ = try sender.connection.respond(to: request, error: error)
                } else {
                    _ = try sender.connection.respond(to: request, copy)
                }
                messages.append(
                    .reply(
                        WireReply(
                            isError: message.isError, properties: properties, body: Array(message.body), isUrgent: request.isUrgent,
                            isCompressed: message.isCompressed), to: receiver.profiles[question] ?? ""))
            }
            while try sender.connection.nextFrame() != nil {}
        }
        return messages
    }

    private static func bytes(_ hex: String) -> [UInt8] {
        let digits = Array(hex.utf8).map { UInt8($0 < 0x3A ? $0 - 0x30 : ($0 | 0x20) - 0x57) }
        return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    @Test func thereAreConversations() { #expect(Recordings.names.count >= 20) }

    @Test(arguments: Recordings.names) func everythingSaidIsUnderstood(_ name: String) throws {
        let messages = try RecordedMessageTests.messages(name)
        #expect(!messages.isEmpty || name.contains("failure"))
        for message in messages {
            switch message {
            case .request(let wire, _):
                let request = try SyncRequest(wire)
                if case .unknown = request.content { Issue.record("\(wire.profile) is unknown") }
                if case .changes(let changes) = request.content { #expect(changes.entries.allSatisfy { $0.revision != nil }) }
                if case .proposeChanges(let proposals) = request.content { #expect(proposals.entries.allSatisfy { $0.revision != nil }) }
            case .reply(let reply, let profile) where reply.isError:
                #expect(SyncError(reply).domain == .http, "\(profile)")
            case .reply(let reply, let profile):
                switch profile {
                case "getCollections": #expect(try CollectionsReply(reply).items.count > 0)
                case "getCheckpoint": #expect(!CheckpointReply(reply).body.isEmpty)
                case "setCheckpoint": #expect(reply.properties["rev"] != nil)
                case "changes": _ = try ChangesReply(reply)
                case "proposeChanges": _ = try ProposalReply(reply)
                default: break
                }
            }
        }
    }

    /// Our requests have the properties of the vendor's, with the same values but where ours are those that more gateways take.
    @Test(arguments: Recordings.names) func weSayItInTheSameWords(_ name: String) throws {
        for case .request(let wire, true) in try RecordedMessageTests.messages(name) {
            let again = try SyncRequest(wire).wire
            let differing: Set<String> = ["sendReplacementRevs", "noconflicts", "deleted", "conflictIncludesRev"]
            func comparable(_ properties: Properties) -> [String: String] {
                Dictionary(uniqueKeysWithValues: properties.items.map { ($0.name, differing.contains($0.name) ? "yes" : $0.value) })
            }
            var (ours, theirs) = (comparable(again.properties), comparable(wire.properties))
            // Blanks between the IDs of a history are free.
            for key in ["history"] {
                ours[key] = ours[key]?.split(separator: " ").joined()
                theirs[key] = theirs[key]?.split(separator: " ").joined()
            }
            #expect(ours == theirs, "\(wire.profile)")
            #expect(again.isUrgent == wire.isUrgent && again.isNoReply == wire.isNoReply, "\(wire.profile)")
            guard !wire.body.isEmpty, wire.profile != "rev" else { continue }
            let (mine, others) = (String(decoding: again.body, as: UTF8.self), String(decoding: wire.body, as: UTF8.self))
            #expect(try fleece(mine).withRoot { $0.json() } == fleece(others).withRoot { $0.json() }, "\(wire.profile)")
        }
    }

    /// The checkpoints that the vendor's program saved are read, and written with the same bytes.
    @Test func checkpointsAreTheVendors() throws {
        var count = 0
        for name in Recordings.names {
            for case .request(let wire, true) in try RecordedMessageTests.messages(name) where wire.profile == "setCheckpoint" {
                let text = String(decoding: wire.body, as: UTF8.self)
                let time = try #require(try fleece(text).withRoot { $0.dictionary?.value(forKey: "time", nil)?.integer })
                #expect(String(decoding: Checkpoint(json: wire.body).body(time: time), as: UTF8.self) == text)
                count += 1
            }
        }
        #expect(count > 5)
    }
}
