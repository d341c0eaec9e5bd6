import CBLFleece
import CBLReplicationTestSupport
import CBLStore
import CBLTestSupport
import Synchronization
import Testing

@testable import CBLReplication

/// A small change of a large document is little on its way, in both directions.
@Suite struct DeltaTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func create(_ name: String, _ vectors: Bool) throws -> Database {
        try Database(
            path: "\(directory.path)/\(name).cblite2", options: .init(access: .create, upgrade: vectors ? .versionVectors : .none))
    }

    /// A hundred kilobytes that cannot be compressed much.
    private func json(_ number: Int) -> String {
        var random = SeededRandom(3)
        let items = (0..<5000).map { _ in "\(random.next())" }
        return #"{"n":\#(number),"list":[\#(items.joined(separator: ","))]}"#
    }

    private func edit(_ database: Database, _ number: Int) throws {
        try database.write { try $0.save("large", body: $0.encode(json: json(number))) }
    }

    @Test(arguments: [false, true]) func aPushAndAPullOfASmallChange(_ vectors: Bool) async throws {
        let (first, middle, second) = (try create("a", vectors), try create("m", vectors), try create("b", vectors))
        let received = Mutex(0)
        let server = try TestServer(middle, onFrame: { frame in received.withLock { $0 += frame.count } })
        func run(_ database: Database, allowsDeltas: Bool = true) async throws -> (outcome: SyncOutcome, sent: Int) {
            received.withLock { $0 = 0 }
            var settings = try server.settings([.init(push: .once, pull: .once)])
            settings.allowsDeltas = allowsDeltas
            let outcome = await synchronize(database, settings)
            return (outcome, received.withLock { $0 })
        }
        try edit(first, 1)
        #expect(try await run(first).sent > 90_000)
        #expect(try await run(second).outcome.isFine(pulled: 1))
        try edit(second, 2)
        let pushed = try await run(second)
        #expect(pushed.outcome.isFine(pushed: 1) && pushed.sent < 2000, "\(pushed)")
        #expect(try await run(first).outcome.isFine(pulled: 1))
        #expect(try documents(of: first) == documents(of: second) && documents(of: first) == documents(of: middle))
        try edit(second, 3)
        #expect(try await run(second, allowsDeltas: false).sent > 90_000)
    }

    /// What the server sends, looked at where it is made.
    @Test(arguments: [false, true]) func whatASmallChangeIsSentAs(_ vectors: Bool) throws {
        let database = try create("m", vectors)
        var store = ReplicatedDatabase(database, remote: 0)
        store.formerBodies = FormerBodies()
        func current() throws -> RevisionID {
            try database.read { snapshot in try #require(try snapshot.document("large")).revision }
        }
        func send(_ ancestors: [RevisionID], allowsDelta: Bool = true, isWanted: Bool = true) throws -> RevisionMessage {
            let revision = try database.read { try $0.global(current()) }
            var order = SendOrder(documentID: "large", revision: revision, sequence: RemoteSequence(1), ancestors: ancestors)
            order.allowsDelta = allowsDelta
            var options = SendOptions()
            options.acceptsDeltas = isWanted
            guard case .revisions(let list) = store.perform(.loadRevisions([order], options)), case .loaded(let message)? = list.first
            else { throw SyncError.http(500) }
            return message
        }
        try edit(database, 1)
        let first = try database.read { try $0.global(current()) }
        // Somebody gets it, who does not want deltas: then it is not kept.
        #expect(try send([], isWanted: false).body.count > 90_000)
        try edit(database, 2)
        let second = try database.read { try $0.global(current()) }
        #expect(try send([first]).deltaSource == nil)
        try edit(database, 3)
        // The second was sent, and the third can be told by it; who had the first gets all of it.
        let delta = try send([second])
        #expect(delta.deltaSource == second && delta.body.count < 100, "\(delta.body.count)")
        #expect(String(decoding: delta.body, as: UTF8.self) == #"{"n":3}"#)
        #expect(try send([first]).deltaSource == nil && send([first, second]).deltaSource == second)
        // It did not fit.
        let whole = try send([second], allowsDelta: false)
        #expect(whole.deltaSource == nil && whole.body.count > 90_000)
    }

    /// What somebody calls a revision and was not taken is no base for what others are sent.
    @Test(arguments: [false, true]) func aForgedBodyIsNoBase(_ vectors: Bool) throws {
        let database = try create("m", vectors)
        var store = ReplicatedDatabase(database, remote: 0)
        store.formerBodies = FormerBodies()
        func current() throws -> Document { try database.read { try #require(try $0.document("large")) } }
        func push(_ history: RevisionHistory, _ number: Int) throws -> Insertion? {
            let message = RevisionMessage(documentID: "large", history: history, body: Array(json(number).utf8))
            guard case .inserted(let results) = store.perform(.insert([ReceivedRevision(message: message, allowsConflict: false)])) else {
                return nil
            }
            return results.first
        }
        func delta(from base: RevisionID) throws -> RevisionID? {
            let revision = try database.read { $0.global(try #require(try $0.document("large")).revision) }
            let order = SendOrder(documentID: "large", revision: revision, sequence: RemoteSequence(1), ancestors: [base])
            var options = SendOptions()
            options.acceptsDeltas = true
            guard case .revisions(let list) = store.perform(.loadRevisions([order], options)), case .loaded(let message)? = list.first
            else { return nil }
            return message.deltaSource
        }
        try edit(database, 1)
        let history = try database.read { snapshot in
            snapshot.global(try #require(try snapshot.document("large")?.revisions()).historyToSend(limit: 20, knownToReceiver: []))
        }
        let first = try #require(history.revision)
        // Known already, with another body; and no document of it is stored here.
        #expect(try push(history, 7) == .known)
        try edit(database, 2)
        #expect(try delta(from: first) == nil)
        // What was taken is one.
        let follower = try RevisionHistory(parsing: vectors ? "18e9d1d110b00001@AliceAliceAliceAliceAA" : "1-abcd")
        try database.write { try $0.purge("large") }
        #expect(try push(follower, 3) == .inserted(isConflict: false))
        let taken = try #require(follower.revision)
        try edit(database, 4)
        #expect(try delta(from: taken) == taken)
    }

    @Test func whatIsKeptIsBounded() {
        let bodies = FormerBodies(limit: 20_000)
        func key(_ number: Int) -> FormerBodies.Key {
            FormerBodies.Key(collection: .default, documentID: "\(number)", revision: RevisionID(Version(time: 1, source: .local)))
        }
        func body(_ size: Int) -> FleeceData { FleeceData([UInt8](repeating: 0, count: size)) }
        for number in 0..<10 { bodies.add(body(5000), key(number)) }
        #expect(bodies.bytes == 20_000 && bodies[key(5)] == nil && bodies[key(6)] != nil && bodies[key(9)] != nil)
        bodies.add(body(5000), key(9))
        bodies.add(body(FormerBodies.sizes.lowerBound - 1), key(10))
        bodies.add(body(FormerBodies.sizes.upperBound + 1), key(11))
        #expect(bodies.bytes == 20_000 && bodies[key(6)] != nil && bodies[key(10)] == nil && bodies[key(11)] == nil)
    }
}
