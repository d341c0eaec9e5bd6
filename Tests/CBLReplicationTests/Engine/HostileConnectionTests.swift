import CBLBLIP
import CBLFleece
import CBLReplicationTestSupport
import CBLStore
import CBLTestSupport
import CBLTransport
import FoundationEssentials
import Testing

@testable import CBLReplication

/// Whole connections with peers that say what they like. Every request is answered or the connection ended, and the database is as good as before.
/// `CBLITE_FUZZ_SECONDS` goes on with further seeds for that long; `CBLITE_FUZZ_SEED` is the first one.
@Suite struct HostileConnectionTests {
    enum Victim: CaseIterable {
        case active, passive
    }

    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test(arguments: Victim.allCases, [false, true]) func nothingBreaks(_ victim: Victim, _ vectors: Bool) async throws {
        var seed = HostileConnectionTests.firstSeed
        let seconds = HostileConnectionTests.seconds
        let start = ContinuousClock.now
        repeat {
            try await run(victim, vectors, seed: seed)
            seed += 1
        } while seed < HostileConnectionTests.firstSeed + 12 || seconds.map { ContinuousClock.now - start < .seconds($0) } ?? false
    }

    private static let firstSeed = ProcessInfo.processInfo.environment["CBLITE_FUZZ_SEED"].flatMap { UInt64($0) } ?? 1
    private static let seconds = ProcessInfo.processInfo.environment["CBLITE_FUZZ_SECONDS"].flatMap { Double($0) }

    private func run(_ victim: Victim, _ vectors: Bool, seed: UInt64) async throws {
        let path = "\(directory.path)/\(victim)-\(vectors)-\(seed).cblite2"
        let database = try Database(path: path, options: .init(access: .create, upgrade: vectors ? .versionVectors : .none))
        try database.write { transaction in
            for id in ["a", "b"] {
                let text = String(repeating: "word ", count: 60)
                try transaction.save(id, body: transaction.encode(json: #"{"n":0,"text":"\#(text)","list":[1,2]}"#))
            }
        }
        let ended = AsyncStream<String?>.makeStream()
        let version: ReplicationProtocol = vectors ? .v4 : .v3
        let usesCollections = victim == .active ? vectors : seed % 2 == 0
        let messages = HostileMessages(random: SeededRandom(seed), usesVectors: vectors, usesCollections: usesCollections)
        let peer = HostilePeer(messages, opensWithCollections: victim == .passive && usesCollections) {
            ended.continuation.yield($0)
            ended.continuation.finish()
        }
        let worker = EventLoop()
        defer { worker.stop() }
        let hostile: (EventLoop, any WebSocketDelegate & Sendable) = (EngineLoops.server, peer)
        let connection: any WebSocketDelegate & Sendable
        if victim == .active {
            let url = try PeerURL("ws://nowhere.example/db")
            let settings = ReplicatorSettings(
                .server(ReplicatorSettings.server(url)), collections: [.init(push: .continuous, pull: .continuous)])
            let plan = try SessionPlan(settings, database, reset: [])
            let active = SyncConnection(
                ActiveSession(plan.configuration), stores: plan.stores, blobs: database.blobs, worker: worker, on: EngineLoops.client)
            EngineLoops.client.perform { active.start() }
            _ = WebSocketConnection.makePair(subprotocol: version.name, (EngineLoops.client, active), hostile)
            connection = active
        } else {
            var configuration = PassiveSession.Configuration(collections: [.default])
            configuration.usesVectors = vectors
            let passive = SyncConnection(
                PassiveSession(configuration), stores: [.default: ReplicatedDatabase(database, remote: 0)], blobs: database.blobs,
                worker: worker,
                on: EngineLoops.client)
            _ = WebSocketConnection.makePair(subprotocol: version.name, hostile, (EngineLoops.client, passive))
            connection = passive
        }
        // Only somebody who hangs is waited for that long.
        EngineLoops.server.perform { EngineLoops.server.timer(after: Patience.duration) { peer.giveUp() } }
        for await problem in ended.stream { if let problem { Issue.record("seed \(seed), \(victim), vectors \(vectors): \(problem)") } }
        // A WebSocket does not keep its owner alive.
        withExtendedLifetime(connection) {}
        await withCheckedContinuation { done in worker.perform { done.resume() } }
        var findings: [String] = []
        // A blob may have come for a revision that was refused then: that is worth a note, and no damage.
        try database.read { snapshot in _ = try Checker(snapshot) { if $0.severity != .note { findings.append("\($0)") } }.run() }
        #expect(findings.isEmpty, "seed \(seed), \(victim), vectors \(vectors)")
    }
}

/// Sends its messages, answers what it is asked as it likes, and leaves when everything is answered.
final class HostilePeer: WebSocketDelegate, @unchecked Sendable {
    // Sendable: used on its loop only.
    private static let count = 50
    private let blip = BLIPConnection()
    private var messages: HostileMessages
    private let opensWithCollections: Bool
    private var unanswered: Set<SentMessage> = []
    /// What it told of in `changes`.
    private var announced: [SentMessage: [UInt8]] = [:]
    private var onEnd: ((String?) -> Void)?
    private var webSocket: WebSocketConnection?
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: FrameSize.maximum, alignment: 16)
    private var hasSentAll = false
    private var asked = 0

    init(_ messages: HostileMessages, opensWithCollections: Bool, onEnd: @escaping (String?) -> Void) {
        self.messages = messages
        self.opensWithCollections = opensWithCollections
        self.onEnd = onEnd
    }

    deinit { buffer.deallocate() }

    func webSocket(_ connection: WebSocketConnection, didOpen opening: WebSocketOpening) {
        webSocket = connection
        do {
            if opensWithCollections {
                let body = #"{"checkpoint_ids":["cp-0"],"collections":["_default"]}"#
                unanswered.insert(try blip.send(OutgoingMessage(profile: "getCollections", body: .bytes(Array(body.utf8)))))
            }
            for _ in 0..<HostilePeer.count {
                let message = messages.request()
                let sent = try blip.send(message)
                guard !message.isNoReply else { continue }
                unanswered.insert(sent)
                if case .bytes(let body) = message.body { announced[sent] = body }
            }
            hasSentAll = true
        } catch {
            finish("the peer cannot send: \(error)")
        }
        pump()
    }

    func webSocket(_ connection: WebSocketConnection, didReceive message: UnsafeRawBufferPointer) {
        do {
            if case .received(let message)? = try blip.receive(message) { try received(message) }
        } catch {
            finish("what came is no frame: \(error)")
        }
        pump()
    }

    private func received(_ message: IncomingMessage) throws {
        switch message.origin {
        case .response(to: let sent):
            unanswered.remove(sent)
            if let body = announced.removeValue(forKey: sent), !message.isError { try withhold(body, message) }
        case .request(let request):
            asked += 1
            guard request.wantsResponse else { return }
            let isRight = messages.random.below(3) == 0
            if !isRight, messages.random.below(4) == 0 {
                try blip.respond(to: request, error: messages.error())
            } else {
                try blip.respond(to: request, messages.reply(to: message.profile ?? "", isRight: isRight))
            }
        }
    }

    /// It does not send the revisions that it is asked for, and says so. Who says nothing is waited for: nothing later of such a document is looked
    /// at, and the changes that tell of it get no answer.
    private func withhold(_ body: [UInt8], _ answer: IncomingMessage) throws {
        guard let changes = try? ChangesMessage(WireRequest(profile: "changes", body: body)),
            let reply = try? ChangesReply(WireReply(answer))
        else { return }
        for (index, entry) in changes.entries.enumerated() {
            guard case .wanted = reply[index] else { continue }
            let gone = NoRevisionMessage(documentID: entry.documentID, revision: entry.revision, sequence: nil, status: 404)
            _ = try blip.send(SyncRequest(.norev(gone), collection: messages.usesCollections ? 0 : nil).wire.message)
        }
    }

    private func pump() {
        guard let webSocket else { return }
        do {
            while blip.hasFrames, webSocket.wantsMessages, let frame = try blip.nextFrame(into: buffer) {
                webSocket.send(UnsafeRawBufferPointer(rebasing: buffer[..<frame.count]))
            }
        } catch {
            finish("the peer cannot send: \(error)")
        }
        if hasSentAll, unanswered.isEmpty, !blip.hasFrames { webSocket.close() }
    }

    func webSocketIsWritable(_ connection: WebSocketConnection) { pump() }

    /// It has taken too long.
    func giveUp() {
        guard onEnd != nil else { return }
        finish("\(unanswered.count) requests are not answered, after \(asked) of the other side")
        webSocket?.terminate()
    }

    func webSocket(_ connection: WebSocketConnection, didClose closing: WebSocketClosing) { finish(nil) }

    private func finish(_ problem: String?) {
        onEnd?(problem)
        onEnd = nil
    }
}
