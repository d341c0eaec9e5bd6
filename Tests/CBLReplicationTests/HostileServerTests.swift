import CBLBLIP
import CBLBase
import CBLFleece
import CBLReplicationTestSupport
import CBLStore
import CBLTestSupport
import Glibc
import Synchronization
import Testing

@testable import CBLReplication
@testable import CBLTransport

/// Servers that a replicator was told to go to, and that are not its friends.
@Suite(.timeLimit(.minutes(10))) struct HostileServerTests {
    private let directory: TemporaryDirectory
    private let database: Database

    init() throws {
        directory = try TemporaryDirectory()
        database = try Database(path: directory.path + "/own.cblite2", options: .init(access: .create))
    }

    private func sync(
        _ server: ScriptedServer, push: ActiveSession.Mode = .off, pull: ActiveSession.Mode = .off, on loop: EventLoop = EngineLoops.client,
        patience: Duration? = nil
    ) async throws -> SyncOutcome {
        var client = ReplicatorSettings.server(try PeerURL(server.url))
        client.connectTimeout = Patience.duration
        client.limits.heartbeat = nil
        var settings = ReplicatorSettings(.server(client), collections: [.init(push: push, pull: pull)])
        settings.retry = RetryPolicy(maxRetries: 0)
        settings.patience = patience
        return await synchronize(database, settings, on: loop)
    }

    /// What was never to be sent to it.
    private func secretBlob() throws -> BlobDigest {
        let content = Array("a secret".utf8)
        let blob = try content.withUnsafeBytes { try database.blobs.write($0) }
        let json = #"{"file":{"@type":"blob","digest":"\#(blob.digest)","length":\#(blob.length)}}"#
        try database.write { try $0.save("private", body: $0.encode(json: json)) }
        return blob.digest
    }

    @Test(arguments: ["getAttachment", "proveAttachment"])
    func aServerThatIsPulledFromGetsNoBlob(profile: String) async throws {
        let digest = "\(try secretBlob())"
        let server = try ScriptedServer { request in
            request.profile == "subChanges"
                ? [.answer(), .ask(profile, ["digest": digest, "docID": "private"], "nonce"), .ask("changes", [:], "[]")] : [.answer()]
        }
        #expect(try await sync(server, pull: .once).isFine(pulled: 0))
        #expect(server.answers.first == "HTTP 403")
    }

    /// It is given what belongs to the documents that it is sent, as long as it is.
    @Test func aServerThatIsPushedToGetsTheBlobsOfWhatItIsSent() async throws {
        let digest = "\(try secretBlob())"
        let other = try Array("another".utf8).withUnsafeBytes { try database.blobs.write($0).digest }
        let server = try ScriptedServer { request in
            switch request.profile {
            case "proposeChanges": [.answer([:], "[0]"), .ask("getAttachment", ["digest": digest])]
            case "rev":
                [
                    .ask("getAttachment", ["digest": digest]), .ask("getAttachment", ["digest": "\(other)"]), .answer(),
                ]
            default: [.answer()]
            }
        }
        #expect(try await sync(server, push: .once).isFine(pushed: 1))
        // Before it is sent, with it, and what is no part of it.
        #expect(server.answers.sorted() == ["HTTP 403", "HTTP 403", "a secret"], "\(server.answers)")
    }

    /// It answers pings, and nothing else.
    @Test(arguments: [(true, ""), (false, ""), (false, "subChanges"), (false, "setCheckpoint")])
    func aServerThatOwesAnAnswerForEverIsLeft(pushes: Bool, silentAt: String) async throws {
        try database.write { try $0.save("a", body: $0.encode(json: "{}")) }
        let server = try ScriptedServer { request in
            if silentAt.isEmpty || request.profile == silentAt { return [] }
            if request.profile == "subChanges" {
                return [.answer(), .ask("changes", [:], #"[[1,"b","1-aa"]]"#), .ask("changes", [:], "[]")]
            }
            return request.profile == "getCheckpoint" ? [.refuse("HTTP", 404, "")] : [.answer()]
        }
        let clock = ManualClock()
        let loop = EventLoop(clock: .manual(clock))
        defer { loop.stop() }
        let isDone = Mutex(false)
        let ticking = WorkerThread {
            while !isDone.withLock({ $0 }) {
                clock.advance(by: .seconds(10))
                usleep(5000)
            }
        }
        let outcome = try await sync(
            server, push: pushes ? .once : .off, pull: pushes ? .off : .once, on: loop, patience: .seconds(600))
        isDone.withLock { $0 = true }
        ticking.join()
        let error = try #require(outcome.failure?.error)
        #expect(error.message.contains("has sent nothing for 600 seconds") && error.severity == .permanent, "\(error)")
    }

    /// Its own sequences are given back to it, and kept until then.
    @Test(arguments: [
        "\"" + String(repeating: "9", count: 5000) + "\"", String(repeating: "[", count: 90) + String(repeating: "]", count: 90),
        "[" + (0..<5000).map(String.init).joined(separator: ",") + "]", "null", "1e400",
        "{\"a\":\"" + String(repeating: "x", count: 100_000) + "\"}",
    ])
    func sequencesAreShort(json: String) throws {
        let message = WireRequest(profile: "changes", body: Array("[[\(json),\"a\",\"1-aa\"]]".utf8))
        #expect((RemoteSequence(json: json)?.json.utf8.count ?? 0) <= RemoteSequence.longest)
        // What cannot be read is refused as a whole.
        do {
            let sequence = try #require(try ChangesMessage(message).entries.first?.sequence)
            #expect(sequence.json.utf8.count <= RemoteSequence.longest)
        } catch is MalformedMessage {
            #expect(json.utf8.count > RemoteSequence.longest || RemoteSequence(json: json) == nil)
        }
    }

    @Test func namesOfDocumentsAreShort() {
        let id = String(repeating: "x", count: 256)
        #expect(throws: MalformedMessage.self) {
            try ChangesMessage(WireRequest(profile: "changes", body: Array("[[1,\"\(id)\",\"1-aa\"]]".utf8)))
        }
        #expect(throws: MalformedMessage.self) { try NoRevisionMessage(WireRequest(profile: "norev", properties: ["id": id])) }
        #expect(throws: MalformedMessage.self) {
            try RevisionMessage(WireRequest(profile: "rev", properties: ["id": id, "rev": "1-aa"]))
        }
    }

    @Test func whatAPeerSaysIsOneLine() {
        let text = "no\ncblite: Completed 3 docs\u{1B}[2J\u{202E}"
        let errors = [
            SyncError(WireReply(isError: true, properties: ["Error-Domain": "HTTP", "Error-Code": "403"], body: Array(text.utf8))),
            SyncError(WireReply(isError: true, properties: ["Error-Domain": text, "Error-Code": "x"], body: Array(text.utf8))),
            SyncError.http(500, text), SyncError(TransportError(.http(500), text)),
        ]
        for error in errors {
            #expect(error.message.hasSuffix("no cblite: Completed 3 docs [2J"), "\(error)")
        }
        #expect(SyncError.http(500, String(repeating: "x\n", count: 100_000)).message.unicodeScalars.count < 1100)
    }

    @Test func subscriptionsAreNotWithoutEnd() throws {
        var session = PassiveSession(PassiveSession.Configuration())
        func answer(_ ids: [String]) -> WireReply? {
            let body = Array("{\"docIDs\":[\(ids.map { "\"\($0)\"" }.joined(separator: ","))]}".utf8)
            let request = WireRequest(profile: "subChanges", body: body)
            for case .reply(let reply, to: _) in session.handle(.received(request, IncomingID(1)), time: 0) { return reply }
            return nil
        }
        #expect(answer((0..<10_001).map { "\($0)" })?.isError == true)
        #expect(answer([String(repeating: "x", count: 2 << 20)])?.isError == true)
        #expect(answer((0..<10_000).map { "\($0)" })?.isError == false)
    }
}
