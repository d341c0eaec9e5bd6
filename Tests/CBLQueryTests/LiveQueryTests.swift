import CBLBase
import CBLFleece
import CBLLanguage
import CBLTestSupport
import Glibc
import Synchronization
import Testing

@testable import CBLQuery
@testable import CBLStore

/// What a live query has told so far.
private final class EventLog: Sendable {
    private let events = Mutex<[String]>([])

    func handle(_ event: LiveQuery.Event) {
        switch event {
        case .result(let result):
            let rows = (0..<result.rows.count).map { row in
                var buffer = ByteBuffer()
                result.rows.appendArray(row, to: &buffer)
                return buffer.string
            }
            let difference = result.difference
            append(rows.joined(separator: " ") + " +\(difference.added.count) -\(difference.removed.count) ~\(difference.changed.count)")
        case .failure(let error): append("failure: \(error)")
        }
    }

    func append(_ text: String) { events.withLock { $0.append(text) } }
    var all: [String] { events.withLock { $0 } }

    /// Waits for a number of events; what has not come when patience ends does not come.
    func wait(for count: Int) -> [String] {
        let end = Instant.now + Patience.duration
        while all.count < count, .now < end { usleep(1000) }
        return all
    }
}

@Suite struct LiveScheduleTests {
    let start = Instant.now

    private func at(_ milliseconds: Int) -> Instant { start + .milliseconds(milliseconds) }

    @Test func anIsolatedChangeIsAnsweredAtOnce() {
        var schedule = LiveSchedule(start: start)
        #expect(schedule.due == nil)
        schedule.change(at: at(251))
        #expect(schedule.due == at(251))
        schedule.run()
        #expect(schedule.due == nil)
    }

    @Test func aBurstIsAnsweredOnceInHalfASecond() {
        var schedule = LiveSchedule(start: start)
        schedule.change(at: at(1000))
        schedule.run()
        for time in stride(from: 1010, to: 1500, by: 10) { schedule.change(at: at(time)) }
        #expect(schedule.due == at(1510))
        schedule.run()
        // The last change was a moment ago: this one waits too.
        schedule.change(at: at(1520))
        #expect(schedule.due == at(2020))
    }

    @Test func aChangeSoonAfterTheStartWaits() {
        var schedule = LiveSchedule(start: start)
        schedule.change(at: at(250))
        #expect(schedule.due == at(750))
    }

    @Test func burstsNeverCauseMoreThanTwoRunsASecond() {
        var random = SeededRandom(7)
        for _ in 0..<200 {
            var schedule = LiveSchedule(start: start)
            var (time, runs) = (0, [Int]())
            while time < 20_000 {
                let step = 1 + random.below(250)
                // Whatever falls due before the next change is run then.
                if let due = schedule.due, due <= at(time + step) {
                    runs.append(Int((due - start) / .milliseconds(1)))
                    schedule.run()
                }
                time += step
                schedule.change(at: at(time))
                // A change is never forgotten, and never waits for more than half a second.
                #expect(schedule.due.map { $0 <= at(time + 500) } == true)
            }
            #expect(runs.count > 10 && zip(runs, runs.dropFirst()).allSatisfy { $1 - $0 >= 500 })
        }
    }
}

@Suite struct RowDifferenceTests {
    private func record(_ rows: [String]) throws -> RecordedRows {
        let sample = try Sample(["a": "{}"])
        return try sample.database.read { snapshot in
            guard !rows.isEmpty else { return RecordedRows(titles: ["k", "v"]) }
            let values = rows.map { row in "(" + row.map { "'\($0)'" }.joined(separator: ", ") + ")" }.joined(separator: ", ")
            return try RecordedRows(Query(Sample.translation("VALUES \(values)", ["k", "v"]), on: snapshot).run(on: snapshot))
        }
    }

    @Test(
        arguments: [
            (["a1", "b1"], ["a1", "b1"], [], [], []), (["a1", "b1"], ["a1", "b2"], [], [], [1]), ([], ["a1"], [0], [], []),
            (["a1"], [], [], [0], []),
            (["a1", "b1", "c1"], ["a1", "c1"], [], [1], []), (["a1", "c1"], ["a1", "b1", "c1"], [1], [], []),
            (["a1", "b1"], ["b1", "a1"], [], [], []),
            (["a1", "b1", "c1"], ["c2", "d1", "a1"], [1], [1], [0]),
            // Two rows of the same first column are told apart by nothing.
            (["a1", "a2"], ["a3", "a4"], [0, 1], [0, 1], []), (["a1", "a1"], ["a1", "a1", "a1"], [2], [], []),
        ] as [([String], [String], [Int], [Int], [Int])])
    func rowsArePairedByTheirFirstColumn(old: [String], new: [String], added: [Int], removed: [Int], changed: [Int]) throws {
        let difference = RowDifference(from: try record(old), to: try record(new))
        #expect(difference.added == added)
        #expect(difference.removed == removed)
        #expect(difference.changed.map(\.new) == changed)
        try #expect((record(old) == record(new)) == (old == new))
    }
}

@Suite struct LiveQueryTests {
    private let sample: Sample
    private let log = EventLog()
    private static let sql =
        "SELECT _.key, fl_result(fl_value(_.body, 'n')) FROM kv_default AS _ WHERE fl_value(_.body, 'n') > coalesce($_min, 0) AND (_.flags & 1 = 0)"

    init() throws { sample = try Sample(["a": #"{"n": 1}"#]) }

    private func live(_ timing: LiveQuery.Timing = .init(quiet: .zero, delay: .milliseconds(10))) throws -> LiveQuery {
        let query = try sample.database.read { Query(Sample.translation(LiveQueryTests.sql, ["id", "n"], parameters: ["min"]), on: $0) }
        return try LiveQuery(query, on: sample.database, timing: timing) { [log] in log.handle($0) }
    }

    @Test func itHearsOfATransactionAsAWhole() throws {
        let live = try live()
        #expect(log.wait(for: 1) == [#"["a",1] +1 -0 ~0"#])
        try sample.database.openTransaction()
        try sample.save(["lost": #"{"n": 9}"#])
        try sample.database.rollBackTransaction()
        try sample.database.openTransaction()
        try sample.save(["b": #"{"n": 2}"#])
        try sample.save(["c": #"{"n": 3}"#])
        try sample.database.commitTransaction()
        #expect(log.wait(for: 2) == [#"["a",1] +1 -0 ~0"#, #"["a",1] ["b",2] ["c",3] +2 -0 ~0"#])
        live.stop()
    }

    @Test func itTellsOfEveryDifference() throws {
        let live = try live()
        #expect(log.wait(for: 1) == [#"["a",1] +1 -0 ~0"#])
        try sample.save(["b": #"{"n": 2}"#])
        #expect(log.wait(for: 2).last == #"["a",1] ["b",2] +1 -0 ~0"#)
        // A document that the query does not show, and one that says the same again.
        try sample.save(["c": #"{"n": -1}"#])
        try sample.save(["b": #"{"n": 2, "other": true}"#])
        try sample.save(["a": #"{"n": 3}"#])
        #expect(log.wait(for: 3).last == #"["a",3] ["b",2] +0 -0 ~1"#)
        try sample.database.write { try $0.purge("a") }
        #expect(log.wait(for: 4).last == #"["b",2] +0 -1 ~0"#)
        try sample.database.write { try $0.delete("b") }
        #expect(log.wait(for: 5).last == " +0 -1 ~0")
        live.stop()
        #expect(log.all.count == 5)
    }

    @Test func otherCollectionsDoNotMatter() throws {
        let things = try CollectionName(parsing: "things")
        try sample.database.write { try $0.createCollection(things) }
        let live = try live()
        _ = log.wait(for: 1)
        try sample.save(["x": "{}"], in: things)
        try sample.save(["b": #"{"n": 2}"#])
        #expect(log.wait(for: 2).count == 2)
        live.stop()
    }

    @Test func aCollectionThatIsGoneIsTheEnd() throws {
        let things = try CollectionName(parsing: "things")
        try sample.database.write { try $0.createCollection(things) }
        try sample.save(["x": #"{"n": 1}"#], in: things)
        let query = try sample.database.read { try Query("SELECT META().id, n FROM things", on: $0) }
        let live = try LiveQuery(query, on: sample.database, timing: .init(quiet: .zero, delay: .milliseconds(10))) { [log] in
            log.handle($0)
        }
        #expect(log.wait(for: 1) == [#"["x",1] +1 -0 ~0"#])
        try sample.database.write {
            try $0.deleteCollection(things)
            try $0.createCollection(things)
        }
        #expect(log.wait(for: 2).last == " +0 -1 ~0")
        try sample.database.write { try $0.deleteCollection(things) }
        #expect(log.wait(for: 3).last?.contains("collection \"things\", which the query reads, was deleted") == true)
        // Nothing brings it back.
        try sample.database.write { try $0.createCollection(things) }
        live.setParameters(.none)
        try sample.save(["y": #"{"n": 1}"#], in: things)
        usleep(200_000)
        #expect(log.all.count == 3)
        live.stop()
    }

    @Test func otherProcessesAreHeardOf() throws {
        let live = try live()
        _ = log.wait(for: 1)
        let result = try Program.run(["put", sample.database.path, "z", #"{"n": 9}"#])
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(log.wait(for: 2).last == #"["a",1] ["z",9] +1 -0 ~0"#)
        live.stop()
    }

    @Test func parametersChangeAtOnce() throws {
        let live = try live()
        _ = log.wait(for: 1)
        live.setParameters(try QueryParameters(json: #"{"min": 5}"#))
        #expect(log.wait(for: 2).last == " +0 -0 ~0")
        live.setParameters(try QueryParameters(json: #"{"min": 0.5}"#))
        #expect(log.wait(for: 3).last == #"["a",1] +1 -0 ~0"#)
        live.setParameters(try QueryParameters(json: #"{"max": 0.5}"#))
        #expect(log.wait(for: 4).last?.hasPrefix("failure: ") == true)
        live.stop()
    }

    @Test func afterTheStopNothingIsTold() throws {
        for _ in 0..<20 {
            let own = EventLog()
            let query = try sample.database.read {
                Query(Sample.translation(LiveQueryTests.sql, ["id", "n"], parameters: ["min"]), on: $0)
            }
            let live = try LiveQuery(query, on: sample.database, timing: .init(quiet: .zero, delay: .milliseconds(1))) { own.handle($0) }
            try sample.save(["b": #"{"n": 7}"#])
            live.stop()
            own.append("stopped")
            try sample.save(["b": #"{"n": 8}"#])
            usleep(2000)
            #expect(own.all.last == "stopped")
        }
    }

    @Test func aRunUnderWayIsStopped() throws {
        try sample.saveNumbers(1000)
        let query = try sample.database.read { Query(Sample.translation(CancellationTests.endless[1], ["x"]), on: $0) }
        let live = try LiveQuery(query, on: sample.database) { [log] in log.handle($0) }
        usleep(20_000)
        live.stop()
        #expect(log.all == [])
    }

    @Test func theHandlerMayStopIt() throws {
        let holder = Mutex<LiveQuery?>(nil)
        let query = try sample.database.read { Query(Sample.translation(LiveQueryTests.sql, ["id", "n"], parameters: ["min"]), on: $0) }
        let live = try LiveQuery(query, on: sample.database, timing: .init(quiet: .zero)) { [log] event in
            log.handle(event)
            if log.all.count == 2 { holder.withLock { $0 }?.stop() }
        }
        holder.withLock { $0 = live }
        _ = log.wait(for: 1)
        try sample.save(["b": #"{"n": 7}"#])
        #expect(log.wait(for: 2).count == 2)
        live.stop()
        try sample.save(["b": #"{"n": 8}"#])
        #expect(log.all.count == 2)
    }

    @Test func aFailureIsTold() throws {
        let sql =
            "SELECT fl_result(fl_value(_.body, 'n')), rank(CASE fl_value(_.body, 'n') WHEN 13 THEN x'00' END) FROM kv_default AS _ WHERE _.key = 'a' AND fl_value(_.body, 'n') = $_n"
        let query = try sample.database.read { Query(Sample.translation(sql, ["n", "r"], parameters: ["n"]), on: $0) }
        let live = try LiveQuery(
            query, on: sample.database, parameters: QueryParameters(json: #"{"n": 13}"#), timing: .init(quiet: .zero)
        ) { [log] in log.handle($0) }
        #expect(log.wait(for: 1) == [" +0 -0 ~0"])
        try sample.save(["a": #"{"n": 13}"#])
        #expect(log.wait(for: 2).last == "failure: the query failed: rank() needs the result of matchinfo()")
        live.stop()
    }

    // Together

    private static func query(on database: Database) throws -> Query {
        try database.read { Query(Sample.translation(sql, ["id", "n"], parameters: ["min"]), on: $0) }
    }

    /// Forty of them have one thread that sleeps, when nothing is to be done.
    @Test func nothingHappensWhileNothingChanges() throws {
        sample.database.file.hub.setPauses([.milliseconds(1), .milliseconds(1)])
        let workers = Mutex<Set<ProcessThread>>([])
        let hub = Mutex<ProcessThread?>(nil)
        let query = try Self.query(on: sample.database)
        let queries = try (0..<40).map { _ in
            try LiveQuery(query, on: sample.database, timing: .init(quiet: .zero, delay: .milliseconds(10))) { [log] event in
                log.handle(event)
                workers.withLock { _ = $0.insert(.current) }
            }
        }
        let subscription = try sample.database.subscribe { _ in hub.withLock { $0 = .current } }
        subscription.setAlarm(after: .zero)
        _ = log.wait(for: 40)
        try sample.save(["b": #"{"n": 2}"#])
        #expect(log.wait(for: 80).count == 80)
        #expect(!workers.withLock { threads in threads.contains { hub.withLock { $0 } == $0 } })
        usleep(500_000)
        #expect(workers.withLock { threads in threads.allSatisfy { !$0.isThere } })
        let thread = try #require(hub.withLock { $0 })
        #expect(thread.name == "cblite-changes" && ProcessThread.noticeCount(ofFolder: sample.database.path) == 1)
        let before = try #require(thread.sleeps)
        sleep(1)
        #expect(thread.sleeps == before)
        #expect(workers.withLock { threads in threads.allSatisfy { !$0.isThere } })
        for query in queries { query.stop() }
        subscription.cancel()
    }

    @Test func theyHaveFewThreads() throws {
        let state = Mutex((now: 0, most: 0))
        let query = try Self.query(on: sample.database)
        let queries = try (0..<20).map { _ in
            try LiveQuery(query, on: sample.database) { [log] event in
                state.withLock { state in
                    state.now += 1
                    state.most = max(state.most, state.now)
                }
                usleep(5000)
                state.withLock { $0.now -= 1 }
                log.handle(event)
            }
        }
        #expect(log.wait(for: 20).count == 20)
        #expect((2...4).contains(state.withLock { $0.most }))
        for query in queries { query.stop() }
    }

    @Test func aSlowHandlerDoesNotStopTheOthers() throws {
        let isOver = Mutex(false)
        let query = try Self.query(on: sample.database)
        let slow = try LiveQuery(query, on: sample.database) { _ in while !isOver.withLock({ $0 }) { usleep(1000) } }
        let live = try live()
        #expect(log.wait(for: 1).count == 1)
        try sample.save(["b": #"{"n": 2}"#])
        #expect(log.wait(for: 2).last == #"["a",1] ["b",2] +1 -0 ~0"#)
        isOver.withLock { $0 = true }
        slow.stop()
        live.stop()
    }

    @Test func aHandlerMayStopAnother() throws {
        let query = try Self.query(on: sample.database)
        let other = try LiveQuery(query, on: sample.database, timing: .init(quiet: .zero)) { [log] _ in log.append("other") }
        _ = log.wait(for: 1)
        let live = try LiveQuery(query, on: sample.database, timing: .init(quiet: .zero)) { [log] _ in
            other.stop()
            log.append("stopped")
        }
        _ = log.wait(for: 2)
        try sample.save(["b": #"{"n": 2}"#])
        #expect(log.wait(for: 3) == ["other", "stopped", "stopped"])
        live.stop()
    }

    /// What was changed while the first run was under way is not forgotten.
    @Test func aChangeDuringTheFirstRunIsAnswered() throws {
        for number in 0..<20 {
            let own = EventLog()
            let live = try LiveQuery(
                Self.query(on: sample.database), on: sample.database, timing: .init(quiet: .zero, delay: .milliseconds(1))
            ) { own.handle($0) }
            try sample.save(["b": #"{"n": \#(number + 2)}"#])
            let end = Instant.now + Patience.duration
            while own.all.last?.contains("[\"b\",\(number + 2)]") != true, .now < end { usleep(500) }
            #expect(own.all.last?.contains("[\"b\",\(number + 2)]") == true)
            live.stop()
        }
    }

    @Test func itEndsWithItsDatabase() throws {
        let other = try Database(path: sample.database.path)
        let live = try LiveQuery(Self.query(on: other), on: other, timing: .init(quiet: .zero)) { [log] in log.handle($0) }
        _ = log.wait(for: 1)
        other.close()
        try sample.save(["b": #"{"n": 2}"#])
        let another = try self.live()
        #expect(log.wait(for: 2).count == 2)
        usleep(20_000)
        #expect(log.all.count == 2)
        live.stop()
        another.stop()
    }
}
