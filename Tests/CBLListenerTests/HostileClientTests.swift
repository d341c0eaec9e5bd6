import CBLBLIP
import CBLBase
import CBLReplication
import CBLReplicationTestSupport
import CBLStore
import CBLTestSupport
import CBLTransport
import FoundationEssentials
import Glibc
import Synchronization
import Testing

@testable import CBLListener

/// Clients that do what no replicator does. Whatever it is, the others go on, and the database is as it was.
@Suite(.timeLimit(.minutes(10))) struct HostileClientTests {
    private let databases: Databases
    private let database: Database
    private let listener: TestListener

    init() throws {
        databases = try Databases()
        database = try databases.create("m", 3)
        listener = try TestListener(database) { settings in
            settings.maximumRequests = 4
        }
    }

    private func connect() async throws -> RawClient { try await RawClient(listener.url()) }

    /// An honest replicator finds everything in order.
    private func othersAreServed(_ expected: Int = 3, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let other = try databases.create("other-\(UUID().uuidString)", 1)
        let outcome = await sync(other, try listener.url(), push: .off)
        #expect(outcome.failure == nil && outcome.errors.isEmpty, "\(outcome)", sourceLocation: sourceLocation)
        #expect(try documents(of: database).count == expected, sourceLocation: sourceLocation)
    }

    @Test func framesThatAreNone() async throws {
        var random = SeededRandom(11)
        for _ in 0..<40 {
            let client = try await connect()
            for _ in 0..<1 + random.below(4) {
                // Often a header that is right, and then anything.
                var frame: [UInt8] = random.below(2) == 0 ? [1, UInt8(random.below(256))] : []
                for _ in 0..<random.below(60) { frame.append(UInt8(random.below(256))) }
                await client.send(raw: frame)
            }
            client.leave()
        }
        try await othersAreServed()
    }

    @Test func aWrongChecksumEndsTheConnection() async throws {
        let client = try await connect()
        await client.send(raw: [1, 0, 0, 1, 2, 3, 4])
        #expect(await client.closing()?.code == .protocolError)
        try await othersAreServed()
    }

    @Test func aMessageThatIsTooLargeEndsTheConnection() async throws {
        let client = try await connect()
        // It compresses to little: what counts is what it becomes.
        await client.send("rev", ["id": "x", "rev": "1-aa"], [UInt8](repeating: 0x20, count: 33 << 20), isCompressed: true)
        #expect(await client.closing()?.code == .tooBig)
        let other = try await connect()
        await other.send(raw: [UInt8](repeating: 0, count: (1 << 20) + 1))
        #expect(await other.closing()?.code == .tooBig)
        try await othersAreServed()
    }

    @Test func whoOpensConnectionsInOrderToSayNothingKeepsNobodyOut() async throws {
        let silent = try (0..<8).map { _ in try PlainClient(port: listener.listener.port) }
        for client in silent { client.write("GET /db/_bl") }
        try await othersAreServed()
        withExtendedLifetime(silent) {}
    }

    @Test func whoConnectsAndAsksNothingHasToLeave() async throws {
        let clock = ManualClock()
        let impatient = try TestListener(database, on: EventLoop(clock: .manual(clock))) { $0.firstMessageTimeout = .seconds(30) }
        let (client, other) = (try await RawClient(impatient.url()), try await RawClient(impatient.url()))
        // Who has asked something may be silent.
        #expect(await other.ask("getCheckpoint", ["client": "x"])?.errorCode == "HTTP 404")
        clock.advance(by: .seconds(31))
        #expect(await client.closing()?.code == .policy)
        #expect(await other.ask("getCheckpoint", ["client": "x"])?.errorCode == "HTTP 404")
    }

    @Test func blobsAreForThoseWhoAreBeingSentTheirDocument() async throws {
        let content = (0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let digest = try database.saveBlob(content, as: "picture")
        let client = try await connect()
        func fetch(_ digest: String) async -> IncomingMessage? {
            await client.ask("getAttachment", ["digest": digest, "docID": "picture"])
        }
        #expect(await fetch("\(digest)")?.errorCode == "HTTP 403")
        #expect(await fetch("sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA=")?.errorCode == "HTTP 403")
        for bad in ["sha1-../../../../../etc/passwd=", "sha1-../AAAAAAAAAAAAAAAAAAAAAAA=", "../db.sqlite3", ""] {
            #expect(await fetch(bad)?.error != nil, "\(bad)")
        }
        let proof = await client.ask("proveAttachment", ["digest": "\(digest)"], [1, 2, 3])
        #expect(proof?.errorCode == "HTTP 403")

        #expect(await client.ask("subChanges", ["since": "3"])?.error == nil)
        await client.answer(await client.request("changes"), Array("[[]]".utf8))
        let revision = await client.request("rev")
        #expect(revision?.string("id") == "picture")
        #expect(await fetch("\(digest)")?.body.elementsEqual(content) == true)
        #expect(await client.ask("proveAttachment", ["digest": "\(digest)"], [1, 2, 3])?.error == nil)
        await client.answer(revision)
        // The answer and the next question go the same way, one behind the other.
        #expect(await fetch("\(digest)")?.errorCode == "HTTP 403")
        try await othersAreServed(4)
    }

    @Test func subscriptionsDoNotAddUp() async throws {
        let client = try await connect()
        #expect(await client.ask("subChanges", ["continuous": "true"])?.error == nil)
        #expect(await client.ask("subChanges", ["continuous": "true"])?.errorCode == "LiteCore 501")
        #expect(await client.ask("subChanges", ["since": "{"])?.error != nil)
        for _ in 0..<20 {
            #expect(await client.ask("unsubChanges")?.error == nil)
            #expect(await client.ask("subChanges", ["since": "0"])?.error == nil)
        }
        let changes = await client.request("changes")
        #expect(changes?.text.contains("doc-0") == true)
        try await othersAreServed()
    }

    @Test func whoDoesNotReadTheAnswersHasToLeave() async throws {
        let client = try await connect()
        let body = Array(#"{"x":"\#(String(repeating: "y", count: 900_000))"}"#.utf8)
        #expect(await client.ask("setCheckpoint", ["client": "c"], body)?.error == nil)
        await client.stopReading()
        for _ in 0..<150 { await client.send("getCheckpoint", ["client": "c"]) }
        try await othersAreServed()
        // The listener keeps no more of what nobody reads than its limits: that of one connection, or that of all together.
        var isGone = false
        for _ in 0..<Int(50 * Patience.seconds) where !isGone {
            isGone = listener.events.contains { event in
                guard case .ended(let client, _, let failure) = event else { return false }
                return client.number == 1 && [1009, 503].contains(failure?.error.code)
            }
            if !isGone { try await Task.sleep(for: .milliseconds(20)) }
        }
        #expect(isGone)
        client.leave()
    }

    @Test func whoKeepsMemoryThatOthersNeedHasToLeave() async throws {
        let clock = ManualClock()
        let small = try TestListener(database, on: EventLoop(clock: .manual(clock))) { $0.memory = 192 << 10 }
        var clients: [RawClient] = []
        for _ in 0..<2 {
            let client = try await RawClient(small.url())
            #expect(await client.ask("getCheckpoint", ["client": "x"])?.errorCode == "HTTP 404")
            // Without acknowledgements no more than the beginning of a message is sent.
            await client.stopReading()
            await client.send("rev", ["id": "x", "rev": "1-aa"], [UInt8](repeating: 0x20, count: 1 << 20))
            clients.append(client)
        }
        func ended() -> [Int] {
            small.events.compactMap { if case .ended(_, _, let failure) = $0 { failure?.error.code } else { nil } }
        }
        for _ in 0..<2000 where ended().isEmpty {
            clock.advance(by: .seconds(1))
            try await Task.sleep(for: .milliseconds(5))
        }
        // There is room enough for the other one.
        #expect(ended() == [503])
        let other = try databases.create("other")
        #expect(await sync(other, try small.url(), push: .off).isFine(pulled: 3))
        for client in clients { client.leave() }
    }

    /// Hundreds leave messages incomplete that are hardly anything on their way, and much when they are here.
    @Test func messagesThatAreNeverFinishedKeepNobodyOut() async throws {
        let clock = ManualClock()
        let small = try TestListener(database, on: EventLoop(clock: .manual(clock))) { $0.memory = 1 << 20 }
        var clients: [RawClient] = []
        for _ in 0..<30 {
            let client = try await RawClient(small.url())
            try await client.sendHalf("rev", [("id", "x"), ("rev", "1-aa")], [UInt8](repeating: 0x20, count: 400 << 10))
            clients.append(client)
        }
        // Nobody has to be sent away first.
        let other = try databases.create("other")
        #expect(await sync(other, try small.url(), push: .off).isFine(pulled: 3))
        // Those who found no room are gone already; then go those who say nothing, until there is room.
        for _ in 0..<3 {
            try await Task.sleep(for: .milliseconds(20))
            clock.advance(by: .seconds(1))
        }
        func ended() -> [Int] {
            small.events.compactMap { if case .ended(_, _, let failure?) = $0 { failure.error.code } else { nil } }
        }
        for _ in 0..<Int(50 * Patience.seconds) where ended().count < 28 { try await Task.sleep(for: .milliseconds(20)) }
        #expect(ended().count >= 28 && ended().allSatisfy { $0 == 503 }, "\(ended())")
        for client in clients { client.leave() }
    }

    @Test func oneThatStopsReadingDoesNotKeepTheOthersWaiting() async throws {
        try database.write { transaction in
            let text = String(repeating: "long ", count: 400)
            for number in 0..<500 { try transaction.save("big-\(number)", body: transaction.encode(json: #"{"t":"\#(text)"}"#)) }
        }
        let client = try await connect()
        _ = await client.ask("subChanges")
        await client.answer(await client.request("changes"), Array("[\(repeatElement("[]", count: 200).joined(separator: ","))]".utf8))
        await client.stopReading()
        try await othersAreServed(503)
        client.leave()
    }

    @Test func whoReadsDoesNotWaitForWhatIsToBeStored() async throws {
        let (reading, writing) = (try await connect(), try await connect())
        let gate = Mutex(false)
        let database = database
        let (entered, enters) = AsyncStream<Void>.makeStream()
        let holder = WorkerThread {
            _ = try? database.write { _ in
                enters.finish()
                while !gate.withLock({ $0 }) { usleep(1000) }
            }
        }
        for await _ in entered {}
        // Nobody can write now.
        await writing.send("setCheckpoint", ["client": "x"], Array("{}".utf8))
        #expect(await writing.ask("getCheckpoint", ["client": "x"])?.errorCode == "HTTP 404")
        #expect(await reading.ask("subChanges")?.error == nil)
        #expect(await reading.request("changes")?.text.contains("doc-0") == true)
        gate.withLock { $0 = true }
        holder.join()
        try await othersAreServed()
    }

    @Test func revisionsThatCannotBe() async throws {
        let client = try await connect()
        func push(_ id: String, _ revision: String, _ json: String, _ more: [String: String] = [:]) async -> String? {
            var properties = more
            properties["id"] = id
            properties["rev"] = revision
            return await client.ask("rev", properties, Array(json.utf8))?.errorCode
        }
        let digest = "aabbccddeeff00112233445566778899aabbccdd"
        let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
        let cases: [(String, String, String)] = [
            (String(repeating: "i", count: 256), "1-\(digest)", "{}"), ("", "1-\(digest)", "{}"), ("_design/x", "1-\(digest)", "{}"),
            ("a", "", "{}"), ("a", "0-\(digest)", "{}"), ("a", "-1-\(digest)", "{}"), ("a", "1", "{}"), ("a", "1-", "{}"),
            ("a", "99999999999999999999-\(digest)", "{}"), ("a", "1-xyz", "{}"), ("a", "1@*", "{}"),
            ("a", "1-\(digest)", #"{"x":"# + deep + "}"),
            ("a", "1-\(digest)", "{"), ("a", "1-\(digest)", "[]"), ("a", "1-\(digest)", "\u{0}"), ("a", "1-\(digest)", #"{"x":1,"x""#),
            ("a", "1-\(digest)", #"{"x":{"@type":"blob","digest":"sha1-nonsense","length":1}}"#),
        ]
        for (id, revision, json) in cases {
            #expect(await push(id, revision, json) != nil, "\(id.prefix(20)) \(revision) \(json.prefix(40))")
        }
        // Histories that go up, repeat themselves, or never end.
        for history in ["2-\(digest)", "1-\(digest)", "1-\(digest),1-\(digest)", "x", ",", String(repeating: "1-aa,", count: 9000)] {
            #expect(
                await push("a", "2-\(digest)", "{}", ["history": history]) != nil || history.hasPrefix("1-aabb"), "\(history.prefix(60))")
        }
        #expect(await push("b", "2-\(digest)", "{}", ["deltaSrc": "1-\(digest)"]) == "HTTP 422")
        // The connection is still of use.
        #expect(await push("good", "1-\(digest)", #"{"x":1}"#) == nil)
        #expect(try documents(of: database)["good"] != nil)
    }

    @Test func blobsThatAreNotWhatTheyShouldBe() async throws {
        let client = try await connect()
        let honest = try databases.create("h")
        let digest = try honest.saveBlob([1, 2, 3, 4], as: "x")
        for (number, content) in [[1, 2, 3], [1, 2, 3, 5], [1, 2, 3, 4, 5], [], [UInt8](repeating: 1, count: 300_000)].enumerated() {
            let json = #"{"file":{"@type":"blob","digest":"\#(digest)","length":4}}"#
            await client.send("rev", ["id": "liar-\(number)", "rev": "1-aabbccddeeff00112233445566778899aabbccdd"], Array(json.utf8))
            await client.answer(await client.request("getAttachment"), content)
        }
        // What comes behind them waits for them, as one thread writes blobs and another one documents: each is refused.
        let last = await client.ask("getCheckpoint", ["client": "x"])
        #expect(last?.errorCode == "HTTP 404")
        client.leave()
        await listener.stop()
        #expect(try documents(of: database).count == 3 && !database.blobs.exists(digest))
        // Where nothing has come, there may be no folder.
        let folder = database.path + "/Attachments"
        #expect(
            try !FileManager.default.fileExists(atPath: folder) || FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
    }

    @Test func collectionsAndCheckpointsHaveLimits() async throws {
        func open(_ paths: [String]) async throws -> (RawClient, IncomingMessage?) {
            let client = try await connect()
            let list = paths.map { "\"\($0)\"" }.joined(separator: ",")
            return (client, await client.ask("getCollections", [:], Array(#"{"checkpoint_ids":[\#(list)],"collections":[\#(list)]}"#.utf8)))
        }
        #expect(try await open((0..<1001).map { "c\($0)" }).1?.errorCode == "BLIP 400")
        let (client, reply) = try await open(["nope.nope", "not a name!", "_default", "../x"])
        #expect(reply?.text == "[null,null,{},null]")
        for number in ["0", "1", "3", "4", "-1", "x", "99999999999999999999"] {
            #expect(await client.ask("subChanges", ["collection": number])?.error != nil, "\(number)")
        }
        #expect(await client.ask("subChanges", ["collection": "2"])?.error == nil)
        #expect(await client.ask("getCheckpoint", ["client": "x"])?.error != nil)
        let large = [UInt8](repeating: 0x20, count: (1 << 20) + 1)
        #expect(await client.ask("setCheckpoint", ["client": "x", "collection": "2"], large)?.errorCode == "HTTP 413")
        #expect(await client.ask("nonsense", ["collection": "2"])?.errorCode == "BLIP 404")
        try await othersAreServed()
    }

    @Test func readOnlyIsNotAMatterOfTheClientsGoodWill() async throws {
        let readOnly = try TestListener([Share("db", database, collections: [.default], access: .readOnly)])
        let client = try await RawClient(readOnly.url())
        let revision = "1-aabbccddeeff00112233445566778899aabbccdd"
        #expect(await client.ask("proposeChanges", [:], Array(#"[["x","\#(revision)"]]"#.utf8))?.errorCode == "HTTP 403")
        #expect(await client.ask("rev", ["id": "x", "rev": revision], Array("{}".utf8))?.errorCode == "HTTP 403")
        await client.send("rev", ["id": "x", "rev": revision], Array("{}".utf8), isNoReply: true)
        #expect(await client.ask("getCheckpoint", ["client": "x"])?.errorCode == "HTTP 404")
        #expect(try documents(of: database).count == 3)
    }

    @Test func requestsThatNobodyReadsTheAnswersOfAreBounded() async throws {
        let client = try await connect()
        for _ in 0..<3000 { await client.send("getCheckpoint", ["client": "x"]) }
        for _ in 0..<300 { await client.send("getAttachment", ["digest": "sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA="]) }
        try await othersAreServed()
        #expect(await client.ask("getCheckpoint", ["client": "x"])?.errorCode == "HTTP 404")
    }
}
