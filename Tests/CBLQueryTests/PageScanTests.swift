import CBLFleece
import CBLSQLite
import CBLStore
import CBLTestSupport
import Testing

@testable import CBLQuery

/// What is computed from the bytes of rows is what SQLite computes, row by row; `ScanTests` has the rest.
@Suite struct PageScanTests {
    /// What a condition leaves: in the order of the table, for all properties are the same.
    private static func rows(_ condition: String, _ snapshot: Snapshot, readsPages: Bool, _ parameters: String = "{}") throws -> [String]? {
        let query = try Query("SELECT id, count(*) FROM _ WHERE \(condition) GROUP BY id", on: snapshot)
        let parameters = try QueryParameters(json: parameters)
        var options = QueryOptions()
        options.pieces = readsPages ? ScanTests.small : nil
        guard readsPages else { return try query.run(on: snapshot, parameters: parameters, options: options).json() }
        try snapshot.registerFunctions()
        guard let plan = try ScanPlan(query, on: snapshot, parameters: parameters, options: options),
            case .rows(let rows) = try plan.rowsFromPages(on: snapshot)
        else { return nil }
        var found: [String] = []
        while try rows.next() == true {
            guard case .integer(let count) = rows[1] else { return nil }
            switch rows[0] {
            case .integer(let id): found.append("[\(id),\(count)]")
            case .null: found.append("[missing,\(count)]")
            default: return nil
            }
        }
        return found
    }

    private static let values = [
        "three": "3", "half": "2.5", "word": #""w7""#, "yes": "true", "none": "null", "huge": "18446744073709551615",
    ]

    /// Those that a condition names.
    private static func parameters(for condition: String) -> String {
        let members = values.filter { condition.contains("$" + $0.key) }.map { #""\#($0.key)": \#($0.value)"# }
        return "{" + members.joined(separator: ", ") + "}"
    }

    /// All that is compiled.
    @Test(arguments: [
        "small = 3", "3 = small", "small != 3", "small < 3", "3 < small", "small <= 2.5", "small > 2", "small >= 5 OR word = 'w3'",
        "small BETWEEN 2 AND 4", "word BETWEEN 'w1' AND 'w2'", "NOT (small BETWEEN 2 AND 4)", "small IN [1, 5, 'x']", "small NOT IN [1, 5]",
        "mixed IN [1, NULL]", "word LIKE 'w1%'", "word LIKE '%1'", "word LIKE 'w%1%'", "word LIKE '%w%3%'", "word LIKE 'w12'",
        "word LIKE 'w1%w12'", "NOT (word LIKE '%1%')", "text LIKE 'x%x1%1'", "_id LIKE '%1'", "mixed IS MISSING", "mixed IS NOT MISSING",
        "mixed IS NULL", "mixed IS NOT NULL", "mixed = 1", "mixed = true", "mixed != 1", "mixed > 0", "mixed < 'b'", "mixed >= 'abcdefgh'",
        "mixed = '\u{e9}'", "NOT (mixed = 1)", "mixed = 9007199254740993", "mixed < 9007199254740993", "deep.er < 100", "list[0] = 2",
        "list[-1] >= 2", "absent = 1", "absent IS MISSING", "ANY l IN list SATISFIES l = 2 END",
        "NOT ANY l IN list SATISFIES l = 2 END", "ANY l IN mixed SATISFIES l = 1 END", "ANY l IN absent SATISFIES l = 1 END",
        "ANY l IN deep SATISFIES l = 200 END", "ANY l IN list SATISFIES l = 'x' END", "ANY l IN list SATISFIES l = 2.0 END",
        "small = $three", "small < $half", "word = $word", "mixed = $yes", "mixed = $none", "mixed < $huge", "small = $unknown",
        "ANY l IN list SATISFIES l = $three END", "small = id", "deep.er > id",
        "small = 1 AND word = 'w1' OR NOT (small = 2 AND mixed = 1)",
        "_sequence > 100", "_sequence <= 20 AND small = 1", "real > 2000.5",
    ])
    func conditionsHoldAsInSQLite(condition: String) throws {
        let sample = try ScanTests.sample(500, seed: 21)
        let parameters = Self.parameters(for: condition)
        try sample.database.read { snapshot in
            let expected = try #require(try Self.rows(condition, snapshot, readsPages: false, parameters))
            let found = try #require(try Self.rows(condition, snapshot, readsPages: true, parameters))
            #expect(found == expected)
        }
    }

    /// Row by row, as they are asked for.
    @Test(arguments: [
        "*", "* WHERE small = 3", "word, id", "word, id WHERE NOT (small = 3)", "_id, _sequence, mixed", "absent", "list", "1, 'x', word",
        "deep.er, word WHERE mixed IS NOT MISSING", "*, _id", "mixed, real", "list WHERE id > 450", "deep",
    ])
    func plainRowsAreThoseOfSQLite(text: String) throws {
        let sample = try ScanTests.sample(500, seed: 24)
        sample.database.close()
        try Database(path: sample.database.path, options: .readOnly).read { snapshot in
            let parts = text.split(separator: " WHERE ")
            let query = try Query("SELECT \(parts[0]) FROM _ \(parts.count > 1 ? "WHERE \(parts[1])" : "")", on: snapshot)
            var options = QueryOptions()
            options.pieces = nil
            let expected = try query.run(on: snapshot, options: options).json()
            options.pieces = ScanTests.small
            #expect(try query.run(on: snapshot, options: options).json() == expected)
            let plan = try #require(try ScanPlan(query, on: snapshot, parameters: .none, options: options))
            #expect(try plan.rows(on: snapshot) != nil)
        }
    }

    /// What an index can tell is not asked of the table, and anything else is.
    @Test(arguments: [
        ("count(*)", true), ("count(*) AS n, count(*)", true), ("count(word)", false), ("count(*) WHERE small = 3", false),
        ("count(*), max(id)", false),
        ("count(*) LIMIT 0", false), ("count(*) GROUP BY small", false), ("DISTINCT count(*)", false),
    ])
    func documentsAreCountedByTheirIndex(text: String, isOfIndex: Bool) throws {
        let sample = try ScanTests.sample(6000, seed: 25)
        sample.database.close()
        try Database(path: sample.database.path, options: .readOnly).read { snapshot in
            let words = text.split(separator: " ")
            let end = words.firstIndex { ["WHERE", "LIMIT", "GROUP"].contains($0) } ?? words.count
            let query = try Query(
                "SELECT \(words[..<end].joined(separator: " ")) FROM _ \(words[end...].joined(separator: " "))", on: snapshot)
            var options = QueryOptions()
            options.pieces = nil
            let expected = try query.run(on: snapshot, options: options).json()
            options.pieces = ScanTests.small
            #expect(try query.run(on: snapshot, options: options).json() == expected)
            let sql = CountShortCut.sql(for: query, on: snapshot)
            guard let plan = try ScanPlan(query, running: sql, on: snapshot, parameters: .none, options: options) else {
                #expect(!isOfIndex)
                return
            }
            #expect(plan.countsEntries == isOfIndex)
            if isOfIndex { #expect(try plan.rows(on: snapshot) != nil) }
            options.readsPages = false
            #expect(try query.run(on: snapshot, options: options).json() == expected)
        }
    }

    /// A row in the middle that only SQLite can tell: those before it are not given again.
    @Test func sqliteGoesOnBehindTheRowsThatWereGiven() throws {
        let sample = try Sample()
        try sample.database.write { transaction in
            for number in 0..<500 {
                let value = number == 250 ? "[1, 2]" : "\"v\(number)\""
                try transaction.save("d\(number)", body: transaction.encode(json: #"{"id": \#(number), "v": \#(value)}"#))
            }
        }
        sample.database.close()
        try Database(path: sample.database.path, options: .readOnly).read { snapshot in
            let query = try Query("SELECT id, v FROM _ WHERE id != 7", on: snapshot)
            var options = QueryOptions()
            options.pieces = nil
            let expected = try query.run(on: snapshot, options: options).json()
            options.pieces = ScanTests.small
            #expect(expected.count == 499)
            #expect(try query.run(on: snapshot, options: options).json() == expected)
        }
    }

    /// What an index finds, or gives in another order, is left to SQLite; and so is what changes while rows are read.
    @Test func plainRowsAreReadPastSQLiteOnlyWhereItGoesThroughTheTable() throws {
        let sample = try ScanTests.sample(300, seed: 25)
        var options = QueryOptions()
        options.pieces = ScanTests.small
        try sample.database.read { snapshot in
            for text in ["SELECT word FROM _ WHERE _id = 'd3'", "SELECT word FROM _ LIMIT 3", "SELECT DISTINCT word FROM _"] {
                let query = try Query(text, on: snapshot)
                #expect(try ScanPlan(query, on: snapshot, parameters: .none, options: options) == nil)
            }
        }
    }

    @Test func plainRowsAreThoseOfTheStateThatWasBegunWith() throws {
        let sample = try ScanTests.sample(500, seed: 26)
        let other = try Connection(path: sample.database.path + "/db.sqlite3", mode: .readWrite)
        try other.execute("PRAGMA wal_checkpoint(PASSIVE)")
        var options = QueryOptions()
        try sample.database.read { snapshot in
            let query = try Query("SELECT _id, small FROM _", on: snapshot)
            options.pieces = nil
            let expected = try query.run(on: snapshot, options: options).json()
            options.pieces = ScanTests.small
            let rows = try query.run(on: snapshot, options: options)
            var found: [String] = []
            while try rows.next() {
                var buffer = ByteBuffer()
                rows.appendArray(missing: "missing", to: &buffer)
                found.append(buffer.string)
                if found.count % 50 == 0 {
                    try other.execute("UPDATE kv_default SET body=x'7000', sequence=sequence + 1000 WHERE rowid % 2 = 0")
                    try other.execute("PRAGMA wal_checkpoint(PASSIVE)")
                }
            }
            #expect(found == expected)
        }
    }

    /// What SQLite sees in another way than its bytes say is left to it.
    @Test(arguments: [
        "lower(word) = 'w1'", "word = 'W1' COLLATE NOCASE", "word LIKE 'w_'", "word LIKE '\u{e9}%'", "word LIKE '%'", "small", "_id = 3",
        "mixed = []",
        "small + 1 = 3", "ANY l IN list SATISFIES l > 3 END", "small = $list", "word LIKE $word", "small LIKE '%1%'", "mixed LIKE '%1%'",
        "mixed = list", "small = 1.2345678901234567",
    ])
    func whatBytesDoNotTellIsLeftToSQLite(condition: String) throws {
        let sample = try ScanTests.sample(300, seed: 22)
        try sample.database.read { snapshot in
            let parameters = condition.contains("$list") ? #"{"list": [1]}"# : condition.contains("$word") ? #"{"word": "w1%"}"# : "{}"
            let found = try Self.rows(condition, snapshot, readsPages: true, parameters)
            #expect(found == nil)
        }
    }

    /// Rows that nothing of ours has written.
    @Test(arguments: 0..<6 as Range<UInt64>) func damagedDocumentsAreReadAsSQLiteReadsThem(seed: UInt64) throws {
        let sample = try ScanTests.sample(400, seed: seed)
        var random = SeededRandom(seed)
        try sample.database.write { transaction in
            let keys = try transaction.connection.strings("SELECT key FROM kv_default")
            for key in keys where random.below(3) == 0 {
                let column = ["body", "body", "body", "sequence"][random.below(4)]
                let value =
                    switch random.below(5) {
                    case 0: "NULL"
                    case 1: "x''"
                    case 2: "'text'"
                    case 3: "12.5"
                    default:
                        "x'" + (0..<random.below(30)).map { _ in ["00", "70", "a1", "43", "ff", "80"][random.below(6)] }.joined() + "'"
                    }
                try transaction.connection.execute("UPDATE kv_default SET \(column)=\(value) WHERE key='\(key)'")
            }
        }
        try sample.database.read { snapshot in
            for condition in [
                "small = 3", "mixed IS MISSING", "NOT (word LIKE '%1%')", "ANY l IN list SATISFIES l = 2 END", "deep.er < 100",
                "small != 3",
            ] {
                let expected = try Self.rows(condition, snapshot, readsPages: false)
                let found = try #require(try Self.rows(condition, snapshot, readsPages: true))
                #expect(found == expected, "\(condition)")
            }
        }
    }

    @Test func documentsLargerThanAPageAreRead() throws {
        let sample = try Sample()
        try sample.database.write { transaction in
            for number in 0..<300 {
                let filler = String(repeating: "x", count: number * number)
                let body = #"{"a":"\#(filler)","id":\#(number),"z":"\#(number % 7)"}"#
                try transaction.save("d\(number)", body: transaction.encode(json: body))
            }
        }
        try sample.database.read { snapshot in
            for condition in ["z = '3'", "a LIKE '%xxxx'", "id > 250"] {
                let expected = try Self.rows(condition, snapshot, readsPages: false)
                #expect(try Self.rows(condition, snapshot, readsPages: true) == expected)
            }
        }
    }

    /// The log, the main file, and some of both; and a transaction that writes, whose pages are nowhere yet.
    @Test func everyStateIsReadAsItIs() throws {
        let sample = try ScanTests.sample(600, seed: 23)
        func check(_ database: Database, _ state: String) throws {
            try database.read { snapshot in
                let expected = try Self.rows("small = 3", snapshot, readsPages: false)
                let found = try Self.rows("small = 3", snapshot, readsPages: true)
                #expect(found == expected, "\(state)")
            }
        }
        try check(sample.database, "in the log")
        do {
            let connection = try Connection(path: sample.database.path + "/db.sqlite3", mode: .readWrite)
            for round in 0..<6 {
                if round.isMultiple(of: 2) { try connection.execute("PRAGMA wal_checkpoint(PASSIVE)") }
                try check(sample.database, "\(round) before")
                try sample.save(["d\(round)": #"{"id": \#(round), "small": 3}"#, "new\(round)": #"{"id": \#(1000 + round), "small": 3}"#])
                try check(sample.database, "\(round) after")
            }
        }
        try sample.database.write { transaction in
            try transaction.save("more", body: transaction.encode(json: #"{"id": 2000, "small": 3}"#))
            let found = try Self.rows("small = 3", transaction, readsPages: true)
            #expect(found == nil)
            let rows = try #require(try Self.rows("small = 3", transaction, readsPages: false))
            #expect(rows.contains("[2000,1]"))
        }
        try check(sample.database, "at the end")
        sample.database.close()
        try check(Database(path: sample.database.path, options: .readOnly), "opened by who only reads")
    }
}
