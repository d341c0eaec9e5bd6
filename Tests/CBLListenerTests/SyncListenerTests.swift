import CBLReplication
import CBLReplicationTestSupport
import CBLStore
import CBLTestSupport
import CBLTransport
import Glibc
import Synchronization
import Testing

@testable import CBLListener

/// Replicators of ours at a listener.
@Suite(.timeLimit(.minutes(10))) struct SyncListenerTests {
    private let databases: Databases
    private let flowers: CollectionName

    init() throws {
        databases = try Databases()
        flowers = try CollectionName(parsing: "garden.flowers")
    }

    @Test(arguments: [false, true]) func everythingTravelsThroughIt(_ vectors: Bool) async throws {
        let (first, middle, second) = (
            try databases.create("a", vectors: vectors, 300), try databases.create("m", vectors: vectors),
            try databases.create("b", vectors: vectors)
        )
        for database in [first, middle, second] { try database.fill(database === first ? 20 : 0, in: flowers, prefix: "rose") }
        var random = SeededRandom(5)
        let large = (0..<700_000).map { _ in UInt8(truncatingIfNeeded: random.below(256)) }
        let digest = try first.saveBlob(large, as: "picture", in: flowers)
        try first.write { try $0.delete("doc-7") }
        let listener = try TestListener(middle)
        let both = [CollectionName.default, flowers]
        let pushed = await sync(first, try listener.url(), collections: both)
        #expect(pushed.isFine(pushed: 321, pulled: 0), "\(pushed)")
        let pulled = await sync(second, try listener.url(), collections: both)
        #expect(pulled.isFine(pushed: 0), "\(pulled)")
        for name in both {
            let expected = try documents(of: first, in: name)
            #expect(try documents(of: middle, in: name) == expected)
            #expect(try documents(of: second, in: name).filter { $0.key != "doc-7" } == expected.filter { $0.key != "doc-7" })
        }
        var count = 0
        try second.blobs.read(digest) { count += $0.count }
        #expect(count == large.count)
        // Nothing goes twice.
        #expect(await sync(first, try listener.url(), collections: both).isFine(pushed: 0, pulled: 0))
        // A connection that is still closing is cut off by `stop`, or when that takes too long, and then ends with an error.
        for _ in 0..<Int(50 * Patience.seconds) where listener.listener.connectionCount > 0 { try await Task.sleep(for: .milliseconds(20)) }
        await listener.stop()
        #expect(listener.listener.traffic.documentsIn == 321 && listener.listener.connectionCount == 0)
        #expect(listener.events.count { if case .ended = $0 { true } else { false } } == 3)
    }

    @Test func aConflictIsRefusedUntilItsOwnerHasPulled() async throws {
        let (first, middle) = (try databases.create("a", 2), try databases.create("m"))
        let listener = try TestListener(middle)
        #expect(await sync(first, try listener.url()).isFine(pushed: 2))
        for (database, who) in [(first, "first"), (middle, "middle")] {
            try database.write { try $0.save("doc-0", body: $0.encode(json: #"{"by":"\#(who)"}"#)) }
        }
        let refused = await sync(first, try listener.url(), pull: .off)
        #expect(refused.errors.map(\.documentID) == ["doc-0"] && refused.errors.first?.error?.code == 409)
        #expect(try documents(of: middle)["doc-0"]?.contains("middle") == true)
        for _ in 0..<2 { _ = await sync(first, try listener.url()) }
        #expect(try documents(of: first) == documents(of: middle))
    }

    @Test func continuousReplicatorsHearOfEachOther() async throws {
        let (first, middle, second) = (try databases.create("a", 1), try databases.create("m"), try databases.create("b"))
        let listener = try TestListener(middle)
        let url = try listener.url()
        // The document goes from one to the other, is changed there, and comes back.
        async let there = sync(
            second, url, push: .continuous, pull: .continuous,
            onEvent: { replicator, event in
                guard case .document(let event, _) = event else { return }
                if event.direction == .pull {
                    _ = try? second.write { try $0.save("answer", body: .emptyDictionary) }
                } else {
                    replicator.stop()
                }
            })
        async let here = sync(
            first, url, push: .continuous, pull: .continuous,
            onEvent: { replicator, event in
                if case .document(let event, _) = event, event.documentID == "answer" { replicator.stop() }
            })
        let outcomes = await [here, there]
        #expect(outcomes[0].isFine(pushed: 1, pulled: 1) && outcomes[1].isFine(pushed: 1, pulled: 1), "\(outcomes)")
    }

    @Test func readOnlyMeansNoPush() async throws {
        let (first, middle) = (try databases.create("a", 3), try databases.create("m"))
        try middle.fill(2, prefix: "theirs")
        let listener = try TestListener([Share("db", middle, collections: [.default], access: .readOnly)])
        let outcome = await sync(first, try listener.url(), push: .off)
        #expect(outcome.isFine(pulled: 2))
        let refused = await sync(first, try listener.url(), pull: .off)
        #expect(refused.pushed.isEmpty && (refused.failure?.error.code ?? refused.errors.first?.error?.code) == 403, "\(refused)")
        #expect(try documents(of: middle).count == 2)
    }

    @Test func pushOnlyMeansNoPull() async throws {
        let (first, middle) = (try databases.create("a", 3), try databases.create("m"))
        let listener = try TestListener([Share("db", middle, collections: [.default], access: .writeOnly)])
        #expect(await sync(first, try listener.url(), pull: .off).isFine(pushed: 3))
        #expect(await sync(first, try listener.url(), push: .off).failure?.error.code == 403)
    }

    @Test func eachUserHasRightsOfTheirOwn() async throws {
        let (middle, other) = (try databases.create("m", 2), try databases.create("n", 1))
        var users = UserList()
        users.set("ada", password: "x")
        users.set("bob", password: "x", rights: UserRights(.readOnly))
        users.set("carl", password: "x", rights: UserRights(.writeOnly, databases: ["db"]))
        let collections = [CollectionName.default]
        let shares = [Share("db", middle, collections: collections), Share("shown", other, collections: collections, access: .readOnly)]
        let listener = try TestListener(shares) { $0.users = users }
        func run(_ user: String, _ name: String = "db", push: Bool) async throws -> SyncOutcome {
            let client = try databases.create("\(user)-\(name)-\(push)")
            try client.fill(push ? 1 : 0, prefix: user)
            return await sync(client, try listener.url(name), push: push ? .once : .off, pull: push ? .off : .once) {
                $0.handshake.credentials = Credentials(user: user, password: "x")
            }
        }
        func isRefused(_ outcome: SyncOutcome) -> Bool {
            outcome.pushed.isEmpty && outcome.pulled.isEmpty && (outcome.failure?.error.code ?? outcome.errors.first?.error?.code) == 403
        }
        #expect(try await run("ada", push: true).isFine(pushed: 1))
        #expect(try await run("ada", push: false).isFine(pulled: 3))
        #expect(try await isRefused(run("bob", push: true)))
        #expect(try await run("bob", push: false).isFine(pulled: 3))
        #expect(try await run("carl", push: true).isFine(pushed: 1))
        #expect(try await isRefused(run("carl", push: false)))
        // What a database does not allow is nobody's right.
        #expect(try await isRefused(run("ada", "shown", push: true)))
        #expect(try await run("bob", "shown", push: false).isFine(pulled: 1))
        #expect(try await run("carl", "shown", push: true).failure?.error.code == 404)
        #expect(try documents(of: middle).keys.sorted() == ["ada-0", "carl-0", "doc-0", "doc-1"])
        #expect(try documents(of: other).count == 1)
    }

    @Test func collectionsThatAreNotSharedAreNotThere() async throws {
        let (first, middle) = (try databases.create("a", 1), try databases.create("m"))
        for database in [first, middle] { try database.fill(1, in: flowers) }
        let listener = try TestListener([Share("db", middle, collections: [.default])])
        #expect(await sync(first, try listener.url(), collections: [flowers]).failure?.error.code == 404)
        #expect(await sync(first, try listener.url()).isFine(pushed: 1))
        let named = try TestListener([Share("db", middle, collections: [flowers])])
        #expect(await sync(first, try named.url()).failure != nil)
    }

    @Test func onlyWhoKnowsThePasswordComesIn() async throws {
        let (first, middle) = (try databases.create("a", 1), try databases.create("m"))
        var users = UserList()
        users.set("ada", password: "secret")
        let known = users
        let listener = try TestListener(middle) { $0.users = known }
        func attempt(_ credentials: Credentials?) async throws -> SyncOutcome {
            await sync(first, try listener.url(), { $0.handshake.credentials = credentials })
        }
        #expect(try await attempt(nil).failure?.error.code == 401)
        #expect(try await attempt(Credentials(user: "ada", password: "Secret")).failure?.error.code == 401)
        #expect(try await attempt(Credentials(user: "ada", password: "secret")).isFine(pushed: 1))
        #expect(
            listener.events.contains { event in
                if case .connected(let client) = event { client.user == "ada" && client.database == "db" } else { false }
            })
    }

    @Test func nothingIsToldToWhoIsNotLetIn() throws {
        let middle = try databases.create("m", 1)
        var users = UserList()
        users.set("ada", password: "x")
        let known = users
        let listener = try TestListener([Share("travel", middle, collections: [.default])]) { $0.users = known }
        let port = listener.listener.port
        let paths = ["/", "/travel", "/travel/_blipsync", "/nothing", "/nothing/_blipsync", "/../travel", "/_config", "*"]
        let answers = Set(try paths.dropLast().map { try PlainClient.get($0, port: port) })
        #expect(answers.count == 1 && answers.first?.hasPrefix("HTTP/1.1 401 ") == true && answers.first?.contains("travel") == false)
        let authorization = "Authorization: Basic YWRhOng=\r\n"
        #expect(try PlainClient.get("/", port: port, headers: authorization).contains(#""databases":["travel"]"#))
        #expect(try PlainClient.get("/travel/", port: port, headers: authorization).contains(#""collections":["_default"]"#))
        for path in ["/nothing", "/travel/x", "/%2e%2e/travel", "/travel%2F_blipsync", "/..%2F..%2Fetc%2Fpasswd/_blipsync"] {
            #expect(try PlainClient.get(path, port: port, headers: authorization).hasPrefix("HTTP/1.1 404 "), "\(path)")
        }
        #expect(try PlainClient.get("/", port: port, method: "DELETE", headers: authorization).hasPrefix("HTTP/1.1 405 "))
        #expect(try PlainClient.get("/", port: port, method: "HEAD", headers: authorization).hasSuffix("\r\n\r\n"))
    }

    @Test func tlsWithACertificateOfItsOwnIsPinned() async throws {
        let (first, middle) = (try databases.create("a", 1), try databases.create("m"))
        let now = Int64(time(nil))
        let identity = try TLSIdentity.make(.server, hosts: ["localhost", "127.0.0.1"], from: now - 100, to: now + 10_000)
        let client = try TLSIdentity.make(.client, hosts: ["ada"], from: now - 100, to: now + 10_000)
        let stranger = try TLSIdentity.make(.client, hosts: ["eve"], from: now - 100, to: now + 10_000)
        let listener = try TestListener(middle) { $0.identity = identity }
        let pin = CertificatePin.digest(identity.certificates[0].digest)
        #expect(await sync(first, try listener.url()).failure?.error.domain == .network)
        #expect(await sync(first, try listener.url(), { $0.trust = .pinned([pin]) }).isFine(pushed: 1))
        // A client's certificate may be in the list itself.
        let guarded = try TestListener(middle) { settings in
            settings.identity = identity
            settings.clientCertificates = client.certificates
        }
        for (shown, isLetIn) in [(client, true), (stranger, false), (nil, false)] as [(TLSIdentity?, Bool)] {
            let outcome = await sync(
                first, try guarded.url(),
                { server in
                    server.trust = .pinned([pin])
                    server.identity = shown
                })
            #expect((outcome.failure == nil) == isLetIn)
        }
    }

    @Test func thereAreLimitsForAllAndForEach() async throws {
        let middle = try databases.create("m")
        let listener = try TestListener(middle) { $0.maximumConnectionsPerAddress = 2 }
        let clients = [try await RawClient(listener.url()), try await RawClient(listener.url())]
        await #expect(throws: RawClient.NotOpened.self) { try await RawClient(listener.url()) }
        clients[0].leave()
        _ = await clients[0].closing()
        // Its end is known to the listener a moment later.
        var again: RawClient?
        for _ in 0..<Int(100 * Patience.seconds) where again == nil {
            again = try? await RawClient(listener.url())
            if again == nil { try await Task.sleep(for: .milliseconds(10)) }
        }
        #expect(again != nil)
    }

    @Test func aStopIsToldAndWhatCameIsWritten() async throws {
        let (first, middle) = (try databases.create("a", 2000), try databases.create("m"))
        let listener = try TestListener(middle)
        let client = try await RawClient(listener.url())
        #expect(await client.ask("getCheckpoint", ["client": "x"])?.errorCode == "HTTP 404")
        let stopping = Mutex(false)
        let url = try listener.url()
        async let outcome = sync(
            first, url, pull: .off,
            onEvent: { _, event in
                guard case .document = event else { return }
                let isFirst = stopping.withLock { was in
                    defer { was = true }
                    return !was
                }
                if isFirst { listener.listener.stop {} }
            })
        #expect(await client.closing()?.code == .goingAway)
        let pushed = await outcome
        #expect(pushed.failure?.error.code == 1001, "\(String(describing: pushed.failure))")
        await listener.stop()
        // What was acknowledged is there, and the next listener gets the rest.
        #expect(try documents(of: middle).count >= pushed.pushed.count && documents(of: middle).count < 2000)
        let next = try TestListener(middle)
        #expect(await sync(first, try next.url(), pull: .off).failure == nil)
        #expect(try documents(of: middle) == documents(of: first))
    }

    @Test func manyClientsAtOnceAreAllServed() async throws {
        let middle = try databases.create("m", 50)
        let listener = try TestListener(middle)
        let count = 24
        let clients = try (0..<count).map { number in
            let database = try databases.create("c\(number)")
            try database.fill(20, prefix: "c\(number)")
            return database
        }
        let url = try listener.url()
        let failed = await withTaskGroup(of: SyncOutcome.self) { group in
            for client in clients { group.addTask { await sync(client, url) } }
            return await group.reduce(into: [SyncOutcome]()) { if !$1.isFine(pushed: 20) { $0.append($1) } }
        }
        #expect(failed.isEmpty, "\(failed)")
        #expect(try documents(of: middle).count == 50 + count * 20)
        for client in clients { #expect(await sync(client, url, push: .off).failure == nil) }
        for client in clients { #expect(try documents(of: client) == documents(of: middle)) }
    }
}
