import CBLFleece
import CBLReplicationTestSupport
import CBLStore
import CBLTestSupport
import CBLTransport
import Synchronization
import Testing

@testable import CBLReplication

/// Replicators between real databases, over real sockets or a pipe in memory.
@Suite struct ReplicatorTests {
    enum Way: CaseIterable {
        case memory, socket
    }

    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func create(_ name: String, vectors: Bool = false) throws -> Database {
        try Database(
            path: "\(directory.path)/\(name).cblite2", options: .init(access: .create, upgrade: vectors ? .versionVectors : .none))
    }

    private func fill(_ database: Database, _ count: Int, in collection: CollectionName = .default) throws {
        try database.write { transaction in
            for number in 0..<count {
                try transaction.save("doc-\(number)", in: collection, body: transaction.encode(json: #"{"n":\#(number)}"#))
            }
        }
    }

    private func both(_ mode: ActiveSession.Mode = .once, _ name: CollectionName = .default) -> ReplicatorSettings.Collection {
        ReplicatorSettings.Collection(name, push: mode, pull: mode)
    }

    /// Runs a replicator of each database in turn against the same third one.
    private struct Hub {
        let server: TestServer?
        let database: Database

        init(_ database: Database, _ way: Way, collections: [CollectionName] = [.default]) throws {
            self.database = database
            server = way == .socket ? try TestServer(database, collections: collections) : nil
        }

        func sync(_ other: Database, _ collections: [ReplicatorSettings.Collection]) async throws -> SyncOutcome {
            let settings = try server?.settings(collections) ?? ReplicatorSettings(.database(database), collections: collections)
            return await synchronize(other, settings)
        }
    }

    /// Of a large collection that takes longer than a client waits for the connection.
    @Test func aServerMakesItsIndexesWhenTheFirstPeerAsksForChanges() async throws {
        let large = try create("server")
        try large.write { transaction in
            try transaction.connection.execute("INSERT INTO kv_info (key, body) VALUES ('large', zeroblob(67200000))")
        }
        large.close()
        let (server, client) = (try create("server"), try create("client"))
        let names = [CollectionName.default, try CollectionName(name: "other")]
        for database in [server, client] { try database.write { try $0.createCollections([names[1]]) } }
        for name in names { try fill(server, 10, in: name) }
        func indexed() throws -> [Bool] { try server.read { snapshot in try names.map { try snapshot.hasSequenceIndex(of: $0) } } }
        let hub = try Hub(server, .socket, collections: names)
        let before = try indexed()
        #expect(before == [false, false])
        let outcome = try await hub.sync(client, [both(.once, names[0])])
        #expect(outcome.failure == nil)
        // All that are served, for each by itself would have the schema read anew.
        let after = try indexed()
        #expect(after == [true, true])
        let count = try client.read { try $0.counts(of: .default).live }
        #expect(count == 10)
    }

    private func saveBlob(_ bytes: [UInt8], as id: String, in database: Database, type: String) throws -> BlobDigest {
        let blob = try bytes.withUnsafeBytes { try database.blobs.write($0) }
        let json =
            #"{"file":{"@type":"blob","digest":"\#(blob.digest)","length":\#(blob.length),"content_type":"\#(type)"},"text":"with a file"}"#
        try database.write { try $0.save(id, body: $0.encode(json: json)) }
        return blob.digest
    }

    @Test(arguments: Way.allCases, [false, true]) func documentsAndBlobsTravel(_ way: Way, _ vectors: Bool) async throws {
        let (first, middle, second) = (
            try create("a", vectors: vectors), try create("m", vectors: vectors), try create("b", vectors: vectors)
        )
        try fill(first, 1200)
        // More than the windows and queues on the way hold; one that is compressed, and one that is empty.
        var random = SeededRandom(1)
        let large = (0..<3_000_000).map { _ in UInt8(truncatingIfNeeded: random.below(256)) }
        let text = Array(String(repeating: "compressible ", count: 50_000).utf8)
        let digests = try [
            saveBlob(large, as: "large", in: first, type: "image/png"), saveBlob(text, as: "text", in: first, type: "text/plain"),
            saveBlob([], as: "empty", in: first, type: "text/plain"),
        ]
        try first.write { try $0.delete("doc-7") }

        let hub = try Hub(middle, way)
        #expect(try await hub.sync(first, [both()]).isFine(pushed: 1203, pulled: 0))
        #expect(try documents(of: first) == documents(of: middle))
        let pull = try await hub.sync(second, [both()])
        #expect(pull.isFine(pushed: 0))
        #expect(pull.status.activity == .stopped && pull.connections == 1)
        let expected = try documents(of: first).filter { $0.key != "doc-7" }
        #expect(try documents(of: second).filter { $0.key != "doc-7" } == expected)
        for digest in digests {
            var count = 0
            try second.blobs.read(digest) { count += $0.count }
            #expect(count == first.blobs.size(of: digest))
        }
        // Nothing is sent twice, and what is new is.
        #expect(try await hub.sync(first, [both()]).isFine(pushed: 0, pulled: 0))
        try second.write { try $0.save("doc-1", body: $0.encode(json: #"{"n":"one"}"#)) }
        #expect(try await hub.sync(second, [both()]).isFine(pushed: 1, pulled: 0))
        #expect(try await hub.sync(first, [both()]).isFine(pushed: 0, pulled: 1))
        #expect(try documents(of: first) == documents(of: middle))
    }

    @Test(arguments: Way.allCases, [false, true]) func conflictsAreSettled(_ way: Way, _ vectors: Bool) async throws {
        let (first, middle, second) = (
            try create("a", vectors: vectors), try create("m", vectors: vectors), try create("b", vectors: vectors)
        )
        let hub = try Hub(middle, way)
        try fill(first, 5)
        for database in [first, second] { #expect(try await hub.sync(database, [both()]).isFine()) }
        for (database, name) in [(first, "first"), (second, "second")] {
            try database.write { transaction in
                for number in 0..<3 { try transaction.save("doc-\(number)", body: transaction.encode(json: #"{"by":"\#(name)"}"#)) }
                if name == "first" { try transaction.delete("doc-3") } else { try transaction.save("doc-3", body: .emptyDictionary) }
            }
        }
        for database in [first, second, first, second] { _ = try await hub.sync(database, [both()]) }
        let expected = try documents(of: middle)
        #expect(try documents(of: first) == expected && documents(of: second) == expected)
        #expect(expected["doc-3"]?.contains(" true ") == true && expected["doc-0"]?.contains("by") == true)
    }

    @Test func aConnectionThatIsCutIsTakenUpAgain() async throws {
        let (first, middle) = (try create("a"), try create("m"))
        try fill(first, 900)
        _ = try saveBlob((0..<400_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }, as: "file", in: first, type: "image/png")
        let cuts = [1, 3, 9, 60, 300, 500]
        let server = try TestServer(middle) { $0 <= cuts.count ? cuts[$0 - 1] : nil }
        // Nobody waits for the next attempt: the clock is moved to it.
        let clock = ManualClock()
        let loop = EventLoop(clock: .manual(clock))
        defer { loop.stop() }
        var settings = try server.settings([both()])
        settings.limits.insertionDelay = 0
        let outcome = await synchronize(first, settings, on: loop) { _, event in
            if case .waiting(_, let seconds) = event { loop.perform { clock.advance(by: .seconds(seconds)) } }
        }
        #expect(outcome.isFine())
        #expect(outcome.waits.count == cuts.count && outcome.connections == cuts.count + 1)
        #expect(outcome.waits.first == 2)
        #expect(try documents(of: first) == documents(of: middle))
        // The other way round, with a database that is new.
        let second = try create("b")
        let other = try TestServer(first) { $0 <= cuts.count ? cuts[$0 - 1] : nil }
        settings = try other.settings([both()])
        settings.limits.insertionDelay = 0
        let pull = await synchronize(second, settings, on: loop) { _, event in
            if case .waiting(_, let seconds) = event { loop.perform { clock.advance(by: .seconds(seconds)) } }
        }
        #expect(pull.isFine())
        #expect(try documents(of: first) == documents(of: second))
    }

    /// Between programs of one machine bytes cost nothing, but compressing them takes most of the time.
    @Test func nothingIsCompressedOnTheWayToThisMachine() async throws {
        let (first, middle) = (try create("a"), try create("m"))
        try fill(first, 300)
        let flags = Mutex<[UInt8]>([])
        let server = try TestServer(
            middle,
            onFrame: { frame in
                // Behind the message's number, whose last byte is the first one without a high bit.
                flags.withLock { $0.append(frame.drop { $0 >= 0x80 }.dropFirst().first ?? 0) }
            })
        #expect(try await synchronize(first, server.settings([both()])).isFine(pushed: 300))
        let compressed: UInt8 = 0x08
        #expect(flags.withLock { $0.count > 300 && !$0.contains { $0 & compressed != 0 } })
    }

    /// Whoever only wants it done does not have to keep it.
    @Test func aReplicatorNeedsNoOwner() async throws {
        let (first, middle) = (try create("a"), try create("m"))
        try fill(first, 100)
        let server = try TestServer(middle)
        let (stream, continuation) = AsyncStream<ReplicatorEvent>.makeStream()
        Replicator(first, try server.settings([both()]), on: EngineLoops.client) { event in
            continuation.yield(event)
            if case .ended = event { continuation.finish() }
        }.start()
        var outcome = SyncOutcome()
        var hasEnded = false
        for await event in stream {
            if case .ended = event { hasEnded = true }
            outcome.take(event)
        }
        #expect(hasEnded && outcome.isFine(pushed: 100))
    }

    @Test func aReplicatorThatIsStoppedGoesOnLater() async throws {
        let (first, middle) = (try create("a"), try create("m"))
        try fill(first, 3000)
        let server = try TestServer(middle)
        let stopped = await synchronize(first, try server.settings([both()])) { replicator, event in
            if case .document = event { replicator.stop() }
        }
        #expect(stopped.isFine())
        let rest = await synchronize(first, try server.settings([both()]))
        #expect(rest.isFine())
        // What was acknowledged is not sent again. (What came without our hearing of it is known there already.)
        #expect(Set(stopped.pushed + rest.pushed).count == stopped.pushed.count + rest.pushed.count)
        #expect(try documents(of: first) == documents(of: middle))
    }

    @Test(arguments: Way.allCases) func aContinuousReplicatorFollowsBothSides(_ way: Way) async throws {
        let (first, middle) = (try create("a"), try create("m"))
        try fill(first, 3)
        let server = way == .socket ? try TestServer(middle) : nil
        let settings = try server?.settings([both(.continuous)]) ?? ReplicatorSettings(.database(middle), collections: [both(.continuous)])
        let outcome = await synchronize(first, settings) { replicator, event in
            guard case .document(let event, _) = event else { return }
            do {
                switch event.documentID {
                case "doc-2": try middle.write { try $0.save("theirs", body: $0.encode(json: #"{"by":"them"}"#)) }
                case "theirs": try first.write { try $0.save("ours", body: $0.encode(json: #"{"by":"us"}"#)) }
                case "ours": replicator.stop()
                default: break
                }
            } catch {
                Issue.record(error)
                replicator.stop()
            }
        }
        #expect(outcome.isFine(pushed: 4, pulled: 1))
        #expect(try documents(of: first) == documents(of: middle))
    }

    @Test(arguments: Way.allCases) func collectionsAndFiltersAreKeptApart(_ way: Way) async throws {
        let (first, middle) = (try create("a"), try create("m"))
        let flowers = try CollectionName(scope: "garden", name: "flowers")
        for database in [first, middle] { try database.write { try $0.createCollection(flowers) } }
        try fill(first, 10)
        try fill(first, 20, in: flowers)
        let hub = try Hub(middle, way, collections: [.default, flowers])
        var some = both(.once, flowers)
        some.documentIDs = ["doc-3", "doc-4"]
        #expect(try await hub.sync(first, [both(), some]).isFine(pushed: 12))
        #expect(try documents(of: middle, in: flowers).keys.sorted() == ["doc-3", "doc-4"])
        var even = ReplicatorSettings.Collection(flowers, push: .once, pull: .off)
        even.pushFilter = { $0.documentID.hasSuffix("0") }
        #expect(try await hub.sync(first, [even]).isFine(pushed: 2))
    }

    @Test(arguments: Way.allCases) func whatThePullFilterRejectsIsNeitherStoredNorFetched(_ way: Way) async throws {
        let (first, middle) = (try create("a"), try create("m"))
        try fill(middle, 10)
        let blob = try saveBlob(Array("unwanted".utf8), as: "file", in: middle, type: "text/plain")
        let hub = try Hub(middle, way)
        var pull = ReplicatorSettings.Collection(push: .off, pull: .once)
        pull.pullFilter = { revision in
            revision.properties.withRoot { $0.dictionary?.value(forKey: "n", revision.keys)?.integer.map { $0 >= 7 } ?? revision.isDeleted }
        }
        let outcome = try await hub.sync(first, [pull])
        #expect(outcome.failure == nil && outcome.pulled.sorted() == ["doc-7", "doc-8", "doc-9"])
        #expect(outcome.errors.count == 8 && outcome.errors.allSatisfy { $0.error == .filteredOut && !$0.isTransient })
        #expect(!first.blobs.exists(blob) && middle.blobs.exists(blob))
        // It is done: nobody asks for it again, and the filter is asked about what is new alone.
        try middle.write { try $0.delete("doc-9") }
        let again = try await hub.sync(first, [pull])
        #expect(again.pulled == ["doc-9"] && again.errors.isEmpty)
        #expect(try documents(of: first).count == 3)
        // Under another name everything is looked at anew.
        pull.pullFilter = { _ in true }
        pull.filterName = "all"
        #expect(try await hub.sync(first, [pull]).isFine(pulled: 8))
        #expect(first.blobs.exists(blob))
    }

    @Test(arguments: Way.allCases) func aFilterThatFailsTakesNothing(_ way: Way) async throws {
        struct Broken: Error {}
        let (first, middle) = (try create("a"), try create("m"))
        try fill(middle, 2)
        let hub = try Hub(middle, way)
        var pull = ReplicatorSettings.Collection(push: .off, pull: .once)
        pull.pullFilter = { revision in if revision.documentID == "doc-1" { throw Broken() } else { true } }
        let outcome = try await hub.sync(first, [pull])
        #expect(outcome.pulled == ["doc-0"] && outcome.errors.map(\.documentID) == ["doc-1"])
        #expect(outcome.errors.first?.error?.message == "the filter failed: Broken()")
    }

    @Test func resetsOfferEverythingAgain() async throws {
        let (first, middle) = (try create("a"), try create("m"))
        try fill(first, 5)
        let server = try TestServer(middle)
        var settings = try server.settings([both()])
        #expect(await synchronize(first, settings).isFine(pushed: 5))
        try middle.write { for number in 0..<5 { try $0.purge("doc-\(number)") } }
        #expect(await synchronize(first, settings).isFine(pushed: 0))
        settings.isReset = true
        _ = await synchronize(first, settings)
        #expect(try documents(of: middle).count == 5)
    }

    @Test func whatCannotWorkSaysWhy() async throws {
        let (first, middle) = (try create("a"), try create("m"))
        let server = try TestServer(middle)
        let nope = try CollectionName(name: "nope")
        try first.write { try $0.createCollection(nope) }
        let unknown = await synchronize(first, try server.settings([both(.once, nope)]))
        #expect(unknown.failure?.error.code == 404)
        #expect(unknown.failure?.description.contains("nope") == true)

        let elsewhere = ReplicatorSettings.server(try PeerURL("ws://127.0.0.1:\(server.server.port)/other"))
        let refused = await synchronize(first, ReplicatorSettings(.server(elsewhere), collections: [both()]))
        #expect(refused.failure?.error.code == 404 && refused.waits.isEmpty)

        let vectors = try create("v", vectors: true)
        let mixed = await synchronize(first, ReplicatorSettings(.database(vectors), collections: [both()]))
        #expect(mixed.failure?.description.contains("version vectors") == true)
        let twice = await synchronize(first, try server.settings([both(), both()]))
        #expect(twice.failure?.description.contains("twice") == true)
    }

    @Test func aDatabaseCanBeStoppedBeforeItHasBegun() async throws {
        let (first, middle) = (try create("a"), try create("m"))
        try fill(first, 10)
        for way in Way.allCases {
            let server = way == .socket ? try TestServer(middle) : nil
            let settings = try server?.settings([both()]) ?? ReplicatorSettings(.database(middle), collections: [both()])
            let outcome = await synchronize(first, settings) { replicator, _ in replicator.stop() }
            #expect(outcome.failure == nil)
        }
    }

    @Test(
        .enabled(if: Fixtures.arePresent, "\(Fixtures.absence)"),
        arguments: ["v4.x/revtrees_4.1", "v4.x/vectors_4.1", "v4.x/upgraded_1.3_by_4.1"])
    func databasesOfTheVendorsAreCopied(_ fixture: String) async throws {
        let original = try Database(path: try Fixtures.copy(fixture + ".cblite2", to: directory), options: .readWrite)
        let copy = try create("copy", vectors: try original.read { $0.versioning == .vectors })
        let server = try TestServer(copy)
        let outcome = await synchronize(original, try server.settings([.init(push: .once, pull: .off)]))
        #expect(outcome.isFine())
        #expect(try documents(of: original) == documents(of: copy))
        for digest in try original.blobs.list() { #expect(copy.blobs.exists(digest)) }
    }
}
