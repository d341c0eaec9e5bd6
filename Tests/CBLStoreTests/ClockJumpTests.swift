import CBLTestSupport
import Testing

@testable import CBLStore

/// The time of day is set by hours and years, forward and back, while a database is open: new versions follow old ones all the same, and none is
/// from a future that the clock has forgotten.
@Suite(.timeLimit(.minutes(5))) struct ClockJumpTests {
    private let directory: TemporaryDirectory
    private let clock = AdjustableClock()

    init() throws { directory = try TemporaryDirectory() }

    private func create(_ name: String = "new", vectors: Bool = true) throws -> Database {
        var options = Database.Options(access: .create, upgrade: vectors ? .versionVectors : .none)
        options.wallClock = { [clock] in clock.now }
        return try Database(path: "\(directory.path)/\(name).cblite2", options: options)
    }

    private func save(_ id: String, in database: Database) throws -> VersionVector {
        try database.write { _ = try $0.save(id, body: $0.encode(json: "{}")) }
        return try vector(of: id, in: database)
    }

    private func vector(of id: String, in database: Database) throws -> VersionVector {
        try #require(try database.read { try $0.document(id)?.record.vectors(source: .local).current?.version.vector })
    }

    static let jumps: [[Double]] = [
        [-1], [1, -1], [24, -48], [10 * AdjustableClock.hoursOfAYear, -10 * AdjustableClock.hoursOfAYear],
        [-20 * AdjustableClock.hoursOfAYear, 20 * AdjustableClock.hoursOfAYear], [-1000 * AdjustableClock.hoursOfAYear],
        [200 * AdjustableClock.hoursOfAYear, -1000 * AdjustableClock.hoursOfAYear, 1],
    ]

    /// Whether the database stays open or not.
    @Test(arguments: jumps, [true, false]) func eachVersionFollowsTheOneBefore(hours: [Double], staysOpen: Bool) throws {
        var database = try create()
        var last = try save("a", in: database)
        for jump in hours {
            clock.jump(hours: jump)
            if !staysOpen {
                database.close()
                database = try create()
            }
            for _ in 0..<3 {
                let next = try save("a", in: database)
                #expect(next.order(relativeTo: last) == .newer, "\(last) and then \(next)")
                last = next
            }
            // What was made by another time does not make others so.
            let other = try #require(try save("other \(jump)", in: database).current)
            let now = max(clock.now, HybridClock.earliest)
            #expect(other.time >= now & ~0xFFFF && other.time - now & ~0xFFFF < HybridClock.tolerance, "\(other) at \(now)")
        }
        try database.write { _ = try $0.delete("a") }
        #expect(try database.read { try $0.document("a")?.isDeleted } == true)
        #expect(try CheckerTests.findings(database.path) == [])
    }

    @Test func whatTheDocumentHasAlreadyIsNoNewsFromTheFuture() throws {
        let database = try create()
        clock.jump(hours: 100)
        let own = try #require(try save("a", in: database).current)
        clock.jump(hours: -100)
        let here = try database.read { $0.sourceID }
        // A peer has changed it since, whose clock was right; another one is ahead.
        let right = Version(time: clock.now, source: try #require(SourceID([UInt8](repeating: 7, count: SourceID.byteCount))))
        let history = try RevisionHistory([RevisionID(right), RevisionID(Version(time: own.time, source: here))])
        #expect(try database.write { try $0.insertExisting("a", history: history, body: .emptyDictionary, remote: 1) } == .current)
        let ahead = Version(time: clock.now + 3600_000_000_000, source: right.source)
        let future = try RevisionHistory([RevisionID(ahead), RevisionID(Version(time: own.time, source: here))])
        do {
            _ = try database.write { try $0.insertExisting("a", history: future, body: .emptyDictionary, remote: 1) }
            Issue.record("it is taken")
        } catch let error as StoreError {
            #expect(error.code == .fromFuture && error.message.contains("is from the future"), "\(error)")
        }
        clock.jump(hours: 1)
        #expect(try database.write { try $0.insertExisting("a", history: future, body: .emptyDictionary, remote: 1) } == .current)
    }

    @Test func aConflictCanBeSettledWhenTheClockWasSetBack() throws {
        let database = try create()
        let peer = try #require(SourceID([UInt8](repeating: 7, count: SourceID.byteCount)))
        _ = try save("a", in: database)
        let theirs = Version(time: clock.now + 5, source: peer)
        let history = try RevisionHistory([RevisionID(theirs)])
        #expect(try database.write { try $0.insertExisting("a", history: history, body: .emptyDictionary, remote: 1) } == .conflict)
        let ours = try #require(try vector(of: "a", in: database).current)
        clock.jump(hours: -AdjustableClock.hoursOfAYear)
        try database.write { transaction in
            let merged = try transaction.encode(json: #"{"merged":true}"#)
            _ = try transaction.resolveConflict("a", winner: RevisionID(theirs), loser: RevisionID(ours), merged: merged)
        }
        let merge = try vector(of: "a", in: database)
        #expect(merge.order(relativeTo: VersionVector(theirs)) == .newer && merge.order(relativeTo: VersionVector(ours)) == .newer)
    }

    /// The clock is looked at again and again, as nobody tells that it was set.
    @Test func documentsExpireWhenTheClockSaysSo() throws {
        let database = try create(vectors: false)
        for id in ["soon", "later", "now"] { try database.write { _ = try $0.save(id, body: $0.encode(json: "{}")) } }
        try database.keepExpirations(longestSleep: .milliseconds(20))
        let start = clock.milliseconds
        try database.write { transaction in
            _ = try transaction.setExpiration("soon", start + 3_600_000)
            _ = try transaction.setExpiration("later", start + 24 * 3_600_000)
        }
        // A clock that goes back lets nothing go too early.
        clock.jump(hours: -AdjustableClock.hoursOfAYear)
        try database.write { [clock] in _ = try $0.setExpiration("now", clock.milliseconds - 1) }
        let watcher = try database.watch(noticingPurges: true)
        func waitUntilGone(_ id: String) throws {
            while try database.read({ try $0.document(id) }) != nil { _ = try watcher.wait(milliseconds: 60_000) }
        }
        try waitUntilGone("now")
        #expect(try database.read { try $0.document("soon") } != nil)
        clock.jump(hours: AdjustableClock.hoursOfAYear + 2)
        try waitUntilGone("soon")
        #expect(try database.read { try $0.document("later") } != nil)
        clock.jump(hours: 1000)
        try waitUntilGone("later")
    }
}
