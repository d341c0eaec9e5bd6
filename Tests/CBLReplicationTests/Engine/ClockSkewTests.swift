import CBLReplicationTestSupport
import CBLStore
import CBLTestSupport
import Testing

@testable import CBLReplication

/// Databases whose clocks are hours apart. A version from the future is not taken, and not forgotten either: it comes when the clocks are right.
@Suite struct ClockSkewTests {
    private let directory: TemporaryDirectory
    private let clock = AdjustableClock()

    init() throws { directory = try TemporaryDirectory() }

    private func create(_ name: String, _ clock: AdjustableClock) throws -> Database {
        var options = Database.Options(access: .create, upgrade: .versionVectors)
        options.wallClock = { clock.now }
        return try Database(path: "\(directory.path)/\(name).cblite2", options: options)
    }

    private func save(_ ids: [String], in database: Database) throws {
        try database.write { transaction in
            for id in ids { _ = try transaction.save(id, body: transaction.encode(json: "{}")) }
        }
    }

    /// The one that goes to the other is ahead, or the other one, as one that has just been switched on and is in 1970, is behind.
    @Test(arguments: [true, false], [10, 20 * AdjustableClock.hoursOfAYear])
    func whatIsFromTheFutureComesLater(isPushed: Bool, hours: Double) async throws {
        let other = AdjustableClock()
        let (sender, receiver) = (try create("sender", clock), try create("receiver", other))
        try save(["right", "changed"], in: sender)
        func sync() async throws -> SyncOutcome {
            let (active, passive) = isPushed ? (sender, receiver) : (receiver, sender)
            let server = try TestServer(passive)
            let mode = (push: isPushed ? ActiveSession.Mode.once : .off, pull: isPushed ? ActiveSession.Mode.off : .once)
            return await synchronize(active, try server.settings([.init(push: mode.push, pull: mode.pull)]))
        }
        #expect(try await sync().isFine())
        clock.jump(hours: hours)
        try save(["future", "changed"], in: sender)
        for _ in 0..<2 {
            let early = try await sync()
            #expect(Set(early.errors.map(\.documentID)) == ["future", "changed"], "\(early)")
            #expect(early.errors.allSatisfy { $0.isTransient && $0.error?.code == 503 }, "\(early.errors)")
            #expect(try documents(of: receiver).keys.sorted() == ["changed", "right"])
        }
        other.jump(hours: hours)
        #expect(try await sync().isFine())
        #expect(try documents(of: receiver).keys.sorted() == ["changed", "future", "right"])
    }

    /// Its own versions of before are no hindrance, and what others have made then is.
    @Test func aClockThatIsSetBackKeepsNobodyFromChangingWhatIsHere() async throws {
        let other = AdjustableClock()
        let (first, second) = (try create("first", clock), try create("second", other))
        let server = try TestServer(second)
        let settings = try server.settings([.init(push: .once, pull: .once)])
        try save(["mine"], in: first)
        try save(["theirs"], in: second)
        #expect(await synchronize(first, settings).isFine(pushed: 1, pulled: 1))
        clock.jump(hours: -AdjustableClock.hoursOfAYear)
        try save(["mine", "theirs", "new"], in: first)
        let outcome = await synchronize(first, settings)
        #expect(outcome.isFine(pushed: 3, pulled: 0), "\(outcome)")
        #expect(try documents(of: first) == documents(of: second))
        clock.set(other.now)
        try save(["mine", "theirs", "new"], in: second)
        #expect(await synchronize(first, settings).isFine(pushed: 0, pulled: 3))
    }
}
