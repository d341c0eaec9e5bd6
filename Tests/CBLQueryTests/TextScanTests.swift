import CBLFleece
import CBLLanguage
import CBLSQLite
import CBLStore
import CBLTestSupport
import Testing

@testable import CBLQuery

/// Documents that a full-text index finds are read from their pages, and what a query makes of them is what SQLite makes of them.
@Suite struct TextScanTests {
    /// As those of `ScanTests`, with some words more in each, over many pages.
    private static func sample(_ count: Int, seed: UInt64, key: EncryptionKey? = nil) throws -> (TemporaryDirectory, Database) {
        let directory = try TemporaryDirectory()
        var options = Database.Options.create
        options.key = key
        let database = try Database(path: directory.path + "/sample.cblite2", options: options)
        var random = SeededRandom(seed)
        try database.write { transaction in
            for number in 0..<count {
                let words = (0..<random.below(6)).map { _ in ["red", "green", "blue", "black", "white", "pink"][random.below(6)] }
                let document = ScanTests.document(number, &random).dropLast()
                let filler = String(repeating: "y", count: random.below(8) == 0 ? 6000 : 400)
                let json = #"\#(document), "colors": "\#(words.joined(separator: " "))", "filler": "\#(filler)"}"#
                try transaction.save("d\(number)", body: transaction.encode(json: json))
            }
            for _ in 0..<count / 10 { _ = try? transaction.purge("d\(random.below(count))") }
        }
        try makeIndex(database)
        try database.write { transaction in
            for _ in 0..<count / 10 { _ = try? transaction.delete("d\(random.below(count))") }
        }
        return (directory, database)
    }

    private static func makeIndex(_ database: Database) throws {
        try database.write { transaction in
            let specification = IndexSpecification(
                name: "colors", collection: .default,
                form: .fullText(properties: ["colors"], tokenizer: FullTextOptions().tokenizer, condition: nil),
                source: .init(.sqlpp, "colors", condition: nil, unnest: nil, in: transaction.generation))
            _ = try transaction.createIndex(specification)
        }
    }

    private static func outcome(_ text: String, _ snapshot: Snapshot, readsPages: Bool) throws -> (rows: [String], isFromPages: Bool) {
        var options = QueryOptions()
        options.pieces = readsPages ? ScanTests.small : nil
        let query = try Query(text, on: snapshot)
        let parameters = try QueryParameters(json: text.contains("$color") ? #"{"color": "red"}"# : "{}")
        try snapshot.registerFunctions()
        let plan = try ScanPlan(query, on: snapshot, parameters: parameters, options: options)
        let isFromPages = if case .rows? = try plan?.rowsFromPages(on: snapshot) { true } else { false }
        return (try query.run(on: snapshot, parameters: parameters, options: options).json(), isFromPages)
    }

    private static let matches = [
        "MATCH(colors, 'red')", "MATCH(colors, $color)", "MATCH(colors, 'red AND gre*') AND small < 4", "MATCH(colors, 'red OR blue')",
        "small = 3 AND MATCH(colors, 'white') AND NOT (word LIKE '%1%')", "MATCH(colors, 'nothing')", "MATCH(colors, '\"red green\"')",
    ]
    private static let results = [
        "count(*)", "count(*), count(mixed)", "_id, word", "small, id", "1", "mixed", "list", "*",
        "small, count(word) # GROUP BY small",
        "small, count(*), sum(id) # GROUP BY small ORDER BY count(*) DESC, small", "word, max(real) # GROUP BY word",
        "word, id # ORDER BY word DESC, id", "id # ORDER BY id LIMIT 5 OFFSET 2",
    ]

    /// Queries of every kind, in every state of the files.
    @Test(arguments: [nil, "secret"]) func rowsAreThoseOfSQLite(password: String?) throws {
        let key = password.map { EncryptionKey(password: $0) }
        let (directory, database) = try Self.sample(900, seed: 31, key: key)
        func check(_ database: Database, isWhole: Bool) throws -> Int {
            var count = 0
            try database.read { snapshot in
                for match in Self.matches {
                    for result in Self.results {
                        let parts = result.split(separator: "#")
                        let text = "SELECT \(parts[0]) FROM _ WHERE \(match) \(parts.count > 1 ? parts[1] : "")"
                        let expected = try Self.outcome(text, snapshot, readsPages: false)
                        let found = try Self.outcome(text, snapshot, readsPages: true)
                        #expect(found.rows == expected.rows, "\(text)")
                        #expect(found.isFromPages || !isWhole, "\(text)")
                        if found.isFromPages { count += 1 }
                    }
                }
            }
            return count
        }
        // Of an encrypted log SQLite has the pages, and as long as everything is in the log, the file is a small one.
        #expect(try check(database, isWhole: false) > 0 || password != nil)
        try database.write { transaction in try transaction.save("new", body: transaction.encode(json: #"{"colors": "red", "small": 3}"#)) }
        #expect(try check(database, isWhole: false) > 0 || password != nil)
        database.close()
        var options = Database.Options.readOnly
        options.key = key
        let closed = try Database(path: directory.path + "/sample.cblite2", options: options)
        #expect(try check(closed, isWhole: true) == Self.matches.count * Self.results.count)
    }

    /// Whatever takes more than one text and the bytes of its rows.
    @Test(arguments: [
        "SELECT rank(colors), word FROM _ WHERE MATCH(colors, 'red')",
        "SELECT word FROM _ WHERE MATCH(colors, 'red') ORDER BY rank(colors)",
        "SELECT word FROM _ WHERE MATCH(colors, 'red') OR small = 3", "SELECT word FROM _ WHERE NOT MATCH(colors, 'red')",
        "SELECT word FROM _ WHERE MATCH(colors, 'red') LIMIT 3", "SELECT upper(word) FROM _ WHERE MATCH(colors, 'red')",
        "SELECT DISTINCT word FROM _ WHERE MATCH(colors, 'red')",
        "SELECT a.word FROM _ a JOIN _ b ON a.id = b.id WHERE MATCH(a.colors, 'red')",
    ])
    func otherQueriesAreLeftToSQLite(text: String) throws {
        let (directory, database) = try Self.sample(300, seed: 32)
        defer { withExtendedLifetime(directory) {} }
        try database.read { snapshot in
            guard let expected = try? Self.outcome(text, snapshot, readsPages: false) else { return }
            let found = try Self.outcome(text, snapshot, readsPages: true)
            #expect(found.rows == expected.rows && !found.isFromPages)
        }
    }

    /// The index may name a row that is not there, as older libraries left some; SQLite passes over it.
    @Test func aRowThatIsGoneIsNone() throws {
        let (directory, database) = try Self.sample(400, seed: 33)
        defer { withExtendedLifetime(directory) {} }
        try database.write { transaction in
            try transaction.registerFunctions()
            for row in [3000, 100_000] {
                try transaction.connection.execute("INSERT INTO \"kv_default::colors\" (docid, colors) VALUES (\(row), 'red')")
            }
        }
        try database.read { snapshot in
            for result in ["count(*)", "_id, small"] {
                let text = "SELECT \(result) FROM _ WHERE MATCH(colors, 'red')"
                let expected = try Self.outcome(text, snapshot, readsPages: false).rows
                #expect(try Self.outcome(text, snapshot, readsPages: true).rows == expected)
                #expect(!expected.isEmpty)
            }
        }
    }

    @Test func whoCancelsNeedNotWait() throws {
        let (directory, database) = try Self.sample(900, seed: 34)
        defer { withExtendedLifetime(directory) {} }
        try database.read { snapshot in
            let cancellation = QueryCancellation()
            let query = try Query("SELECT _id FROM _ WHERE MATCH(colors, 'red OR blue')", on: snapshot)
            var options = QueryOptions(cancellation: cancellation)
            options.pieces = ScanTests.small
            let rows = try query.run(on: snapshot, options: options)
            try #expect(rows.next())
            cancellation.cancel()
            #expect(throws: QueryFailure.cancelled) { while try rows.next() {} }
        }
    }
}
