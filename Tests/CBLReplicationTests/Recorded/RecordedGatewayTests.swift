import CBLReplicationTestSupport
import CBLStore
import CBLTestSupport
import CBLTransport
import FoundationEssentials
import Synchronization
import Testing

@testable import CBLReplication

/// Conversations with real gateways, played again where there is none: the gateway says what it said then, frame by frame, and our side has to
/// say what it said then, and to make the same database of it.
@Suite struct RecordedGatewayTests {
    @Test func thereAreRecordings() {
        #expect(Recording.files.count >= RecordedScenario.all.count)
    }

    @Test(arguments: Recording.files) func weSayWhatWeSaidThen(_ file: String) async throws {
        let recording = try Recording(file: file)
        let directory = try TemporaryDirectory()
        let database = try scenario(of: recording).makeDatabase(directory.path + "/a.cblite2")
        for complaint in try await play(recording, on: database) { Issue.record("\(complaint)") }
        #expect(try Self.content(of: database) == recording.database)
    }

    @Test func anythingElseIsNoticed() async throws {
        let recording = try Recording(file: try #require(Recording.files.first { $0.hasPrefix("push") }))
        let directory = try TemporaryDirectory()
        let database = try scenario(of: recording).makeDatabase(directory.path + "/a.cblite2")
        try database.put("unheard-of", "{}")
        let complaints = try await play(recording, on: database)
        #expect(complaints.first?.contains("unexpected: request") == true)
        #expect(try Self.content(of: database) != recording.database)
    }

    private func scenario(of recording: Recording) throws -> RecordedScenario {
        try #require(RecordedScenario.all.first { $0.name == recording.name })
    }

    /// Does again what was done then. Gives what was not as it was.
    private func play(_ recording: Recording, on database: Database) async throws -> [String] {
        var number = 0
        var result: [String] = []
        for step in try scenario(of: recording).steps {
            switch step {
            case .local(let change): try change(database)
            case .gateway: break
            case .session(let collections, _):
                let session = try #require(number < recording.sessions.count ? recording.sessions[number] : nil)
                number += 1
                let (complaints, end) = AsyncStream<[String]>.makeStream()
                let gateway = RecordedGateway(session) { end.yield($0) }
                let outcome = try await replicate(database, collections, version: recording.version) { gateway }
                for await list in complaints.prefix(1) { result += list.map { "session \(number): \($0)" } }
                let failure = outcome.failure?.error.message ?? ""
                if failure != session.failure {
                    result.append("session \(number) ended with \"\(failure)\" instead of \"\(session.failure)\"")
                }
            }
        }
        return result
    }

    /// `CBLITE_RECORD_GATEWAYS="http://127.0.0.1:4984 http://127.0.0.1:5984"` names the public ports; the administrator's are the next ones.
    private static let gateways = (ProcessInfo.processInfo.environment["CBLITE_RECORD_GATEWAYS"] ?? "").split(separator: " ").map(
        String.init)

    @Test(.enabled(if: !gateways.isEmpty, "CBLITE_RECORD_GATEWAYS names no gateway"), arguments: gateways)
    func record(_ url: String) async throws {
        let gateway = try GatewayAdministrator(url)
        let version = try gateway.version
        for scenario in RecordedScenario.all {
            for dialect in scenario.protocols where dialect != .v4 || !version.hasPrefix("3.") {
                var recording = Recording(scenario.name, gateway: version, version: dialect.name)
                try gateway.create(scenario)
                let directory = try TemporaryDirectory()
                let database = try scenario.makeDatabase(directory.path + "/a.cblite2")
                var settings = ReplicatorSettings.server(try PeerURL(gateway.peer))
                settings.handshake.credentials = scenario.user.map { Credentials(user: $0, password: "pass") }
                for step in scenario.steps {
                    switch step {
                    case .local(let change): try change(database)
                    case .gateway(let changes): for change in changes { try gateway.perform(change) }
                    case .session(let collections, let meanwhile):
                        let (heard, end) = AsyncStream<Recording.Session>.makeStream()
                        let waiting = Mutex(meanwhile)
                        let tap = GatewayTap(settings) { end.yield($0) }
                        let outcome = try await replicate(
                            database, collections, version: dialect.name,
                            meanwhile: {
                                let changes = waiting.withLock { list in
                                    defer { list = [] }
                                    return list
                                }
                                do { for change in changes { try gateway.perform(change) } } catch { Issue.record(error) }
                            }
                        ) { tap }
                        for await var session in heard.prefix(1) {
                            session.failure = outcome.failure?.error.message ?? ""
                            recording.sessions.append(session)
                        }
                    }
                }
                recording.database = try Self.content(of: database)
                try recording.write()
            }
        }
    }

    /// Runs a session with whoever is given for the gateway.
    private func replicate(
        _ database: Database, _ collections: [ReplicatorSettings.Collection], version: String,
        meanwhile: @escaping @Sendable () -> Void = {}, _ owner: @escaping @Sendable () -> any WebSocketDelegate
    ) async throws -> SyncOutcome {
        var listening = HTTPServer.Settings()
        listening.address = "127.0.0.1"
        let server = try HTTPServer(listening, on: EngineLoops.server) { _ in
            .webSocket(protocols: [version]) { _, _ in owner() }
        }
        defer { server.stop() }
        var settings = ReplicatorSettings(
            .server(ReplicatorSettings.server(try PeerURL("ws://127.0.0.1:\(server.port)/recorded"))), collections: collections)
        settings.peerID = RecordedScenario.peerID
        settings.retry = RetryPolicy(maxRetries: 0)
        return await synchronize(database, settings) { _, event in
            if case .document = event { meanwhile() }
        }
    }

    /// Documents as lines of an archive. Sequences depend on what came first.
    static func content(of database: Database) throws -> [String] {
        var options = Archive.DumpOptions()
        options.includesBlobs = false
        options.includesIndexes = false
        options.includesRawDocuments = false
        var lines: [String] = []
        try database.dump(options) { bytes in lines.append(String(decoding: bytes, as: UTF8.self)) }
        var result: [String] = []
        var documents: [String] = []
        for line in lines {
            let line = line.filter { $0 != "\n" }.replacing(#/"(seq|sub|lastSequence)":\d+,?/#, with: "").replacing(",}", with: "}")
            if line.hasPrefix(#"{"collection""#) {
                result += documents.sorted() + [line]
                documents = []
            } else if line.hasPrefix(#"{"doc""#) {
                documents.append(line)
            }
        }
        return result + documents.sorted()
    }
}
