import CBLBase
import CBLFleece
import CBLLanguage
import CBLStore
import CBLTestSupport
import Glibc
import Synchronization
import Testing

@testable import CBLQuery

/// Queries that are run in pieces give what SQLite gives for them: the same rows in the same order, equal to the last bit.
@Suite struct ScanTests {
    /// Documents with few different values of every kind, so that many are equal, and some properties missing.
    static func document(_ number: Int, _ random: inout SeededRandom) -> String {
        let scalars = [
            "null", "true", "false", "0", "1", "1.0", "-1", "2.5", "\"\"", "\"a\"", "\"abcdefg\"", "\"abcdefgh\"", "\"abcdefgi\"", "\"é\"",
            "[]",
            "[1]", "{}", #"{"a":1}"#, "9007199254740993", "9007199254740992.0", "18446744073709551615", "-9223372036854775808", "1e300",
        ]
        var members = [#""id": \#(number)"#, #""small": \#(random.below(7))"#, #""word": "w\#(random.below(40))""#]
        if random.below(10) > 0 { members.append(#""mixed": \#(scalars[random.below(scalars.count)])"#) }
        if random.below(10) > 0 { members.append(#""real": \#(Double(random.below(100_000)) / 37)"#) }
        members.append(#""large": \#(Int64(random.below(1000)) * 9_000_000_000_000)"#)
        members.append(#""text": "\#(String(repeating: "x", count: random.below(12)))\#(random.below(50))""#)
        members.append(#""list": [\#(random.below(5)), \#(random.below(5))]"#)
        members.append(#""deep": {"er": \#(random.below(300))}"#)
        return "{" + members.joined(separator: ", ") + "}"
    }

    static func sample(_ count: Int, seed: UInt64) throws -> Sample {
        let sample = try Sample()
        var random = SeededRandom(seed)
        try sample.database.write { transaction in
            for number in 0..<count {
                try transaction.save("d\(number)", body: transaction.encode(json: document(number, &random)))
            }
        }
        // Gaps, and tombstones if the table keeps them.
        try sample.database.write { transaction in
            for _ in 0..<count / 20 {
                let id = "d\(random.below(count))"
                if random.below(2) == 0 { _ = try? transaction.delete(id) } else { _ = try? transaction.purge(id) }
            }
        }
        return sample
    }

    static let conditions = [
        "", "WHERE small = 3", "WHERE word LIKE '%1%'", "WHERE ANY l IN list SATISFIES l = 2 END", "WHERE mixed > 0 OR real < 100",
        "WHERE ANY l IN list SATISFIES l > 3 AND l < 5 END", "WHERE small = 9", "WHERE mixed IS NOT MISSING AND small IN [1, 2]",
        "WHERE small = $small", "WHERE EVERY l IN list SATISFIES l > 0 END",
    ]
    static let properties = ["small", "word", "mixed", "real", "large", "text", "deep.er", "list", "id", "absent", "_id", "_sequence"]

    static func query(_ random: inout SeededRandom) -> String {
        let condition = conditions[random.below(conditions.count)]
        func property() -> String { properties[random.below(properties.count)] }
        func aggregate() -> String {
            switch random.below(6) {
            case 0: "count(*)"
            case 1: "count(\(property()))"
            case 2: "sum(\(["small", "large", "id", "deep.er", property()][random.below(5)]))"
            case 3: "avg(\(["small", "large", "id", "real", property()][random.below(5)]))"
            case 4: "min(\(property()))"
            default: "max(\(property()))"
            }
        }
        let direction = [" DESC", "", " ASC"][random.below(3)]
        let limit = ["", "", " LIMIT 20", " LIMIT 7 OFFSET 3", " LIMIT 1000", " LIMIT 0", " LIMIT 400 OFFSET 100000"][random.below(7)]
        switch random.below(4) {
        case 0: return "SELECT count(*), count(\(property())) FROM _ \(condition)"
        case 1: return "SELECT \(aggregate()), \(aggregate()) FROM _ \(condition)"
        case 2:
            let keys = Array(Set((0...random.below(2)).map { _ in property() })).sorted()
            let order =
                ["", " ORDER BY count(*)\(direction)", " ORDER BY \(keys[0])\(direction)", " ORDER BY n\(direction), \(keys[0])"][
                    random.below(4)]
            let list = keys.joined(separator: ", ")
            return "SELECT \(list), count(*) AS n, \(aggregate()), \(aggregate()) FROM _ \(condition) GROUP BY \(list)\(order)\(limit)"
        default:
            let shown = (0...random.below(3)).map { _ in property() }
            let order = (0...random.below(3)).map { _ in property() + [" DESC", ""][random.below(2)] }
            return "SELECT \(shown.joined(separator: ", ")) FROM _ \(condition) ORDER BY \(order.joined(separator: ", "))\(limit)"
        }
    }

    /// Rows, or what was thrown.
    static func outcome(
        _ text: String, _ snapshot: Snapshot, inPieces pieces: ScanPieces?, readsPages: Bool = true
    ) throws -> (rows: [String], isPiecewise: Bool) {
        try snapshot.registerFunctions()
        var options = QueryOptions()
        options.pieces = pieces
        options.readsPages = readsPages
        let query = try Query(text, on: snapshot)
        let parameters = try QueryParameters(json: text.contains("$small") ? #"{"small": 4}"# : "{}")
        let isPiecewise = try ScanPlan(query, on: snapshot, parameters: parameters, options: options) != nil
        do { return (try query.run(on: snapshot, parameters: parameters, options: options).json(), isPiecewise) } catch {
            return (["\(error)"], isPiecewise)
        }
    }

    /// Small enough to make many pieces of a table that is quickly made.
    static let small = ScanPieces(length: 16, fewestRows: 100)

    @Test(arguments: [(60, 11 as UInt64, 20), (300, 12, 120), (1200, 13, 80)])
    func aScanInPiecesGivesWhatSQLiteGives(count: Int, seed: UInt64, queries: Int) throws {
        let sample = try Self.sample(count, seed: seed)
        var random = SeededRandom(seed)
        var piecewise = 0
        try sample.database.read { snapshot in
            for _ in 0..<queries {
                let text = Self.query(&random)
                let expected = try Self.outcome(text, snapshot, inPieces: nil)
                let found = try Self.outcome(text, snapshot, inPieces: Self.small)
                #expect(found.rows == expected.rows, "\(text)")
                let foundBySQLite = try Self.outcome(text, snapshot, inPieces: Self.small, readsPages: false)
                #expect(foundBySQLite.rows == expected.rows, "\(text)")
                // With room for some rows, or nearly none, before SQLite sorts them.
                for bytes in [200, 3000, 12_000] {
                    let crowded = ScanPieces(length: 16, fewestRows: 100, mostSortedBytes: bytes)
                    let foundSo = try Self.outcome(text, snapshot, inPieces: crowded)
                    #expect(foundSo.rows == expected.rows, "\(text)")
                }
                if found.isPiecewise { piecewise += 1 }
            }
        }
        // Small tables are not worth a thread; of large ones most of these queries are.
        #expect(count < 100 ? piecewise == 0 : piecewise > queries / 2, "\(piecewise)")
    }

    /// What has no place here, or would have another meaning in pieces.
    @Test(arguments: [
        "SELECT count(*) + 1 FROM _", "SELECT DISTINCT small FROM _", "SELECT small FROM _", "SELECT small, id FROM _ GROUP BY small",
        "SELECT small, count(*) FROM _ GROUP BY small HAVING count(*) > 3", "SELECT word AS small FROM _ ORDER BY small",
        "SELECT word AS w, count(*) FROM _ WHERE w = 'w1' GROUP BY small", "SELECT a.id FROM _ a JOIN _ b ON a.id = b.id ORDER BY a.word",
        "SELECT count(*) FROM _ WHERE META().deleted", "SELECT count(*) FROM _ WHERE _id = 'd1'", "SELECT _id FROM _ ORDER BY _id",
        "SELECT id FROM _ ORDER BY word COLLATE NOCASE", "SELECT l, count(1) FROM _ AS d UNNEST d.list AS l GROUP BY l",
    ])
    func otherQueriesAreLeftToSQLite(text: String) throws {
        let sample = try Self.sample(300, seed: 5)
        try sample.database.read { snapshot in
            let isPiecewise = try Self.outcome(text, snapshot, inPieces: Self.small).isPiecewise
            #expect(!isPiecewise)
        }
    }

    /// Whoever only counts need not ask whether documents are deleted, unless the table may hold such.
    @Test func countingReadsNoDocuments() throws {
        let sample = try Self.sample(300, seed: 7)
        try sample.database.write { transaction in
            try transaction.registerFunctions()
            try transaction.connection.execute("CREATE INDEX byWord ON kv_default (fl_value(body, 'word'))")
        }
        let counts = [
            "SELECT count(*) FROM _", "SELECT count(*), count(1) FROM _ WHERE word = 'w1'", "SELECT count(*) FROM _ WHERE word LIKE '%1%'",
            "SELECT count(a.id) FROM _ a JOIN _ b ON a.word = b.word",
        ]
        var live: [[String]] = []
        try sample.database.read { snapshot in
            for text in counts {
                let query = try Query(text, on: snapshot)
                let sql = try #require(CountShortCut.sql(for: query, on: snapshot))
                #expect(query.sql.contains("flags") && !sql.contains("flags"))
                live.append(try query.run(on: snapshot).json())
            }
            for text in [
                "SELECT word FROM _", "SELECT count(*) FROM _ WHERE META().deleted", "SELECT sum(real) FROM _",
                "SELECT count(*), word FROM _",
            ] {
                #expect(CountShortCut.sql(for: try Query(text, on: snapshot), on: snapshot) == nil)
            }
        }
        // A file of 3.0 that the vendor's library is still moving tombstones in.
        try sample.database.write { transaction in
            try transaction.connection.execute("DELETE FROM kv_info WHERE key = 'maxRowidWithDeletedInDefault'")
            try transaction.connection.execute("INSERT INTO kv_default (key, sequence, flags, body) VALUES ('gone', 9999, 1, x'7000')")
        }
        let reopened = try Database(path: sample.database.path)
        try reopened.read { snapshot in
            for (text, expected) in zip(counts, live) {
                let query = try Query(text, on: snapshot)
                #expect(CountShortCut.sql(for: query, on: snapshot) == nil)
                #expect(try query.run(on: snapshot).json() == expected)
            }
        }
    }

    /// An index may find the rows, or has them in the order that is asked for.
    @Test func whatAnIndexServesIsLeftToIt() throws {
        let sample = try Self.sample(300, seed: 6)
        try sample.database.write { transaction in
            try transaction.registerFunctions()
            try transaction.connection.execute("CREATE INDEX byWord ON kv_default (fl_value(body, 'word'))")
        }
        try sample.database.read { snapshot in
            for text in [
                "SELECT count(*) FROM _ WHERE word = 'w1'", "SELECT word FROM _ ORDER BY word",
                "SELECT word, count(*) FROM _ GROUP BY word",
            ] {
                let isPiecewise = try Self.outcome(text, snapshot, inPieces: Self.small).isPiecewise
                #expect(!isPiecewise, "\(text)")
            }
        }
    }

    /// Both threads see one state, whatever is committed meanwhile: each transaction keeps the sum of `n` and the number of documents.
    @Test func concurrentWritesAreNotSeen() throws {
        let sample = try Sample()
        try sample.saveNumbers(400)
        let database = sample.database
        let isOver = Atomic<Bool>(false)
        let writer = WorkerThread {
            var round = 0
            while !isOver.load(ordering: .relaxed) {
                round += 1
                try? database.write { transaction in
                    for (id, number) in [("n\(round % 200)", round % 50), ("n\(399 - round % 200)", 50 - round % 50)] {
                        try transaction.save(id, body: transaction.encode(json: #"{"n": \#(number), "pair": \#(round % 200)}"#))
                    }
                }
            }
        }
        defer {
            isOver.store(true, ordering: .relaxed)
            writer.join()
        }
        for _ in 0..<40 {
            try database.read { snapshot in
                for text in [
                    "SELECT sum(n), count(*) FROM _", "SELECT n, count(*) FROM _ GROUP BY n", "SELECT n, _id FROM _ ORDER BY n, pair",
                ] {
                    let found = try Self.outcome(text, snapshot, inPieces: Self.small).rows
                    let foundBySQLite = try Self.outcome(text, snapshot, inPieces: Self.small, readsPages: false).rows
                    let expected = try Self.outcome(text, snapshot, inPieces: nil).rows
                    #expect(found == expected)
                    #expect(foundBySQLite == expected)
                }
            }
        }
    }

    @Test func cancellingEndsBothThreads() throws {
        let sample = try Sample()
        try sample.saveNumbers(1000)
        // A predicate that takes its time: for each document some ten thousand steps.
        let text = """
            SELECT count(*) FROM _ WHERE ANY a IN list SATISFIES (ANY b IN list SATISFIES (ANY c IN list SATISFIES (ANY d IN list SATISFIES \
            a + b + c + d < 0 END) END) END) END
            """
        try sample.database.read { snapshot in
            try snapshot.registerFunctions()
            let query = try Query(text, on: snapshot)
            let cancellation = QueryCancellation()
            var options = QueryOptions(cancellation: cancellation)
            options.pieces = Self.small
            let isPiecewise = try ScanPlan(query, on: snapshot, parameters: .none, options: options) != nil
            #expect(isPiecewise)
            let thread = WorkerThread {
                usleep(30_000)
                cancellation.cancel()
            }
            let rows = try query.run(on: snapshot, options: options)
            #expect(throws: QueryFailure.cancelled) { _ = try rows.next() }
            thread.join()
            options.cancellation = nil
            options.timeLimit = .milliseconds(30)
            let limited = try query.run(on: snapshot, options: options)
            #expect(throws: QueryFailure.timeLimit(.milliseconds(30))) { _ = try limited.next() }
            // Nothing is left behind that would stop the next query.
            let next = try Self.outcome("SELECT count(*) FROM _ WHERE n < 10", snapshot, inPieces: Self.small)
            #expect(next.rows == ["[10]"] && next.isPiecewise)
        }
    }

    @Test func aFailureOfAnyPieceIsReported() throws {
        let sample = try Sample()
        try sample.saveNumbers(600)
        try sample.database.write { transaction in
            try transaction.save("n577", body: transaction.encode(json: #"{"n": "("}"#))
        }
        try sample.database.read { snapshot in
            let text = "SELECT count(*) FROM _ WHERE regexp_contains('a', tostring(n))"
            let expected = try Self.outcome(text, snapshot, inPieces: nil)
            let found = try Self.outcome(text, snapshot, inPieces: Self.small)
            #expect(found.isPiecewise && found.rows == expected.rows)
        }
    }

    /// Rows that would take too much memory are left to SQLite, which has files for them.
    @Test func largeSortsAreLeftToSQLite() throws {
        let sample = try Sample()
        let filler = String(repeating: "x", count: 50_000)
        try sample.database.write { transaction in
            for number in 0..<400 {
                try transaction.save("n\(number)", body: transaction.encode(json: #"{"n": \#(number * 7 % 400), "filler": "\#(filler)"}"#))
            }
        }
        try sample.database.read { snapshot in
            for text in ["SELECT n, filler FROM _ ORDER BY n", "SELECT filler, n, count(*) FROM _ GROUP BY filler, n"] {
                let expected = try Self.outcome(text, snapshot, inPieces: nil)
                let found = try Self.outcome(text, snapshot, inPieces: Self.small)
                #expect(found.isPiecewise && found.rows == expected.rows)
            }
        }
    }

    /// Prefixes may leave the order of two values open, but never turn it round.
    @Test func prefixesSortAsValuesDo() throws {
        let texts = ["", "a", "a\0", "ab", "abcdefg", "abcdefg\0", "abcdefgh", "abcdefgi", "b", "é", "\u{10FFFF}"].map { Array($0.utf8) }
        let integers: [Int64] = [
            .min, .min + 1, -1 << 53 - 1, -1 << 53, -5, -1, 0, 1, 5, 1 << 53 - 1, 1 << 53, 1 << 53 + 1, .max - 1, .max,
        ]
        let reals = [
            -Double.greatestFiniteMagnitude, -1e19, -0x1p53, -5, -0.5, -0.0, 0.0, .leastNonzeroMagnitude, 0.1, 0.1.nextUp, 1, 5, 0x1p53,
            1e19,
        ]
        var values: [SQLValue] = [.null] + integers.map(SQLValue.integer) + reals.map(SQLValue.real)
        let memory = texts.map { text in
            let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: text.count, alignment: 1)
            copy.copyBytes(from: text)
            return UnsafeRawBufferPointer(copy)
        }
        defer { memory.forEach { $0.deallocate() } }
        values += memory.map(SQLValue.text) + memory.map(SQLValue.blob)
        for one in values {
            for two in values {
                let order = one.order(two)
                #expect(order.signum() == -two.order(one).signum())
                let (first, second) = (SortPrefix(one), SortPrefix(two))
                if first.bits < second.bits { #expect(order < 0, "\(one) \(two)") }
                if first == second, first.isComplete { #expect(order == 0, "\(one) \(two)") }
            }
        }
    }
}
