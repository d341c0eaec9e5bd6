import CBLBase
import CBLFleece
import CBLLanguage
import CBLStore
import Glibc
import Synchronization
import Testing

@testable import CBLQuery

@Suite struct CancellationTests {
    /// Queries that would run for minutes or longer: a join of the collection with itself, nested loops over arrays, and a sort of all that.
    static let endless = [
        "SELECT count(*) FROM kv_default AS a, kv_default AS b, kv_default AS c WHERE fl_value(a.body, 'n') + fl_value(b.body, 'n') = -1",
        """
        SELECT count(*) FROM kv_default AS a, fl_each(a.body, 'list') AS u, fl_each(a.body, 'list') AS v, fl_each(a.body, 'list') AS w, \
        kv_default AS b, fl_each(b.body, 'list') AS x WHERE x.value = u.value + v.value * 100 + w.value
        """,
        "SELECT a.key || b.key || c.key AS k FROM kv_default AS a, kv_default AS b, kv_default AS c ORDER BY k DESC",
    ]

    @Test(arguments: endless) func aRunningQueryIsEndedFromAnotherThread(sql: String) throws {
        let sample = try Sample()
        try sample.saveNumbers(1000)
        try sample.database.read { snapshot in
            let query = Query(Sample.translation(sql, ["x"]), on: snapshot)
            let cancellation = QueryCancellation()
            let cancelled = Mutex<ContinuousClock.Instant?>(nil)
            let thread = WorkerThread {
                usleep(30_000)
                cancelled.withLock { $0 = .now }
                cancellation.cancel()
            }
            let rows = try query.run(on: snapshot, options: QueryOptions(cancellation: cancellation))
            #expect(throws: QueryFailure.cancelled) { while try rows.next() {} }
            let latency = cancelled.withLock { $0.map { ContinuousClock.now - $0 } }
            thread.join()
            // Fifty milliseconds on a machine that has nothing else to do; here only that it does not run on.
            #expect(latency.map { $0 < .seconds(5) } == true)
            try connectionIsUsable(snapshot)
        }
    }

    @Test func aPolledFlagEndsAQueryToo() throws {
        let sample = try Sample()
        try sample.saveNumbers(1000)
        try sample.database.read { snapshot in
            let start = ContinuousClock.now
            let cancellation = QueryCancellation(polling: { ContinuousClock.now - start > .milliseconds(20) })
            let rows = try Query(Sample.translation(CancellationTests.endless[0], ["x"]), on: snapshot)
                .run(on: snapshot, options: QueryOptions(cancellation: cancellation))
            #expect(throws: QueryFailure.cancelled) { _ = try rows.next() }
            try connectionIsUsable(snapshot)
        }
    }

    private struct Number: ScanRow {
        let number: Int64

        func value(_ column: Int32) -> SQLValue { .integer(number) }
    }

    @Test func aSortInMemoryIsEnded() throws {
        func unsorted() -> SortedRows {
            let rows = SortedRows(keys: [.init(column: 0, isDescending: false)], columnCount: 1, limit: nil, mostBytes: .max)
            for number in 0..<20_000 { _ = rows.add(Number(number: Int64(number * 7919 % 20_000))) }
            return rows
        }
        var asked = 0
        try unsorted().finish { asked += 1 }
        #expect(asked > 20)
        var rest = 5
        #expect(throws: QueryFailure.cancelled) {
            try unsorted().finish {
                rest -= 1
                if rest == 0 { throw QueryFailure.cancelled }
            }
        }
        #expect(rest == 0)
    }

    @Test func aTimeLimitIsKept() throws {
        let sample = try Sample()
        try sample.saveNumbers(1000)
        try sample.database.read { snapshot in
            let query = Query(Sample.translation(CancellationTests.endless[1], ["x"]), on: snapshot)
            let rows = try query.run(on: snapshot, options: QueryOptions(timeLimit: .milliseconds(40)))
            let error = #expect(throws: QueryFailure.self) { _ = try rows.next() }
            #expect(error == .timeLimit(.milliseconds(40)))
            #expect(error?.description == "the query took longer than 40 ms")
            try connectionIsUsable(snapshot)
        }
    }

    @Test func whatIsCancelledBeforeItStartsDoesNotStart() throws {
        let sample = try Sample(["a": "{}"])
        try sample.database.read { snapshot in
            let cancellation = QueryCancellation()
            cancellation.cancel()
            let rows = try Query(Sample.translation("SELECT 1 FROM kv_default AS _", ["x"]), on: snapshot)
                .run(on: snapshot, options: QueryOptions(cancellation: cancellation))
            #expect(throws: QueryFailure.cancelled) { _ = try rows.next() }
        }
    }

    @Test func aQueryThatIsOverIsLeftAlone() throws {
        let sample = try Sample(["a": "{}"])
        try sample.database.read { snapshot in
            let cancellation = QueryCancellation()
            let query = Query(Sample.translation("SELECT 1 FROM kv_default AS _", ["x"]), on: snapshot)
            try #expect(query.run(on: snapshot, options: QueryOptions(cancellation: cancellation)).json() == ["[1]"])
            let other = try query.run(on: snapshot)
            cancellation.cancel()
            try #expect(other.json() == ["[1]"])
        }
    }

    private func connectionIsUsable(_ snapshot: Snapshot) throws {
        try #expect(
            Query(Sample.translation("SELECT count(*) FROM kv_default AS _", ["x"]), on: snapshot).run(on: snapshot).json() == ["[1000]"])
    }
}
