import CBLLanguage
import CBLStore
import CBLTestSupport
import Testing

@testable import CBLQuery

/// Queries in a transaction that is open see what it has written, whichever way they are run.
@Suite struct OpenTransactionQueryTests {
    private static let queries = [
        "SELECT count(*), count(mixed) FROM _", "SELECT count(*) FROM _ WHERE small = 3", "SELECT sum(id), max(real), min(word) FROM _",
        "SELECT small, count(*) AS n, sum(large) FROM _ GROUP BY small ORDER BY n DESC, small",
        "SELECT id, word FROM _ ORDER BY word DESC, id LIMIT 50 OFFSET 20", "SELECT id FROM _ WHERE word = 'w7' ORDER BY id",
        "SELECT a.id FROM _ a JOIN _ b ON a.id = b.deep.er WHERE b.small = 2 ORDER BY a.id",
    ]

    private func rows(_ sample: Sample) throws -> [[String]] {
        try sample.database.read { snapshot in
            try OpenTransactionQueryTests.queries.map { try ScanTests.outcome($0, snapshot, inPieces: ScanTests.small).rows }
        }
    }

    @Test func theyGiveWhatTheyGiveAfterItsEnd() throws {
        let sample = try ScanTests.sample(600, seed: 21)
        let before = try rows(sample)
        try sample.database.openTransaction()
        #expect(try rows(sample) == before)
        var random = SeededRandom(22)
        try sample.database.write { transaction in
            for number in 500..<700 {
                try transaction.save("d\(number)", body: transaction.encode(json: ScanTests.document(number, &random)))
            }
            for number in 0..<40 where number % 3 == 0 { _ = try? transaction.delete("d\(number)") }
        }
        let inside = try rows(sample)
        for (index, query) in OpenTransactionQueryTests.queries.enumerated() { #expect(inside[index] != before[index], "\(query)") }
        try sample.database.commitTransaction()
        #expect(try rows(sample) == inside)
        try sample.database.openTransaction()
        try sample.database.write { _ = try $0.purgeDeleted() }
        try sample.database.write { for number in 100..<400 { _ = try? $0.delete("d\(number)") } }
        #expect(try rows(sample) != inside)
        try sample.database.rollBackTransaction()
        #expect(try rows(sample) == inside)
    }

    @Test func statementsThatWriteAreUndoneAlone() throws {
        let sample = try Sample(["a": #"{"n": 1}"#, "b": #"{"n": 2}"#])
        let run = { (text: String) in
            _ = try sample.database.write { try StatementRunner($0).run(CBLLanguage.Statement(sqlpp: text)) }
        }
        try sample.database.openTransaction()
        try run("UPDATE _ SET n = n + 10")
        #expect(throws: (any Error).self) { try run("INSERT INTO _ (KEY, VALUE) VALUES ('c', {'n': 3}), ('a', {'n': 4})") }
        try run("CREATE INDEX byN ON _ (n)")
        try run("DELETE FROM _ WHERE n = 12")
        let ids = { try sample.database.read { try Query("SELECT _id, n FROM _ ORDER BY n", on: $0).run(on: $0).json() } }
        #expect(try ids() == [#"["a",11]"#])
        try sample.database.rollBackTransaction()
        #expect(try ids() == [#"["a",1]"#, #"["b",2]"#])
        #expect(try sample.database.read { try $0.indexes().isEmpty })
    }
}
