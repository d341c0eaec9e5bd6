import SQLite
import TestSupport
import Testing

@testable import DocumentStore

/// The texts of indexes in archives and files: what passes for an expression, or for the options of a full-text index, is one, and nothing else
/// stands behind it.
@Suite struct HostileIndexTextTests {
    /// What SQLite makes of a text: the number of its statements; nil if it is not SQL.
    private static func statements(_ sql: String, _ connection: Connection) -> Int? {
        var count = 0
        do { try connection.forEachStatement(in: sql) { _ in count += 1 } } catch { return nil }
        return count
    }

    private func connection() throws -> Connection {
        let connection = try Connection(path: ":memory:", mode: .readWrite)
        try connection.execute("CREATE TABLE t (key, sequence, flags, version, body)")
        return connection
    }

    @Test func whatPassesForAnExpressionIsOneStatement() throws {
        let connection = try connection()
        let texts = ArchivedIndexTests.safe + ArchivedIndexTests.unsafe + HostileNames.all(seed: 3).map { "fl_value(body, 'a\($0)')" }
        var random = SeededRandom(23)
        var passed = 0
        repeatWithin(seconds: 1) {
            let text = String(decoding: Mutation.mutated(Array(random.element(of: texts).utf8), &random), as: UTF8.self)
            guard ExpressionCheck.isSafe(text[...]) else { return }
            passed += 1
            let count = Self.statements("CREATE INDEX i ON t (\(text))", connection)
            #expect(count ?? 1 == 1, "\(text.debugDescription)")
            // What stands before it in a condition is not changed by it either.
            let condition = Self.statements("CREATE INDEX i ON t (key) WHERE \(text)", connection)
            #expect(condition ?? 1 == 1, "\(text.debugDescription)")
        }
        #expect(passed > 100)
    }

    @Test func whatPassesForOptionsOfAFullTextIndexIsOneStatement() throws {
        let connection = try connection()
        let texts =
            [
                #"fts4("bio", "name.last", tokenize=unicodesn "stopwordlist=a b" "stemmer=en")"#, #"fts4("a", tokenize=unicodesn)"#,
                #"fts4("a", tokenize=unicodesn "remove_diacritics=0")"#,
            ] + HostileNames.all(seed: 4).map { #"fts4("a\#($0)", tokenize=unicodesn "stopwordlist=\#($0)")"# }
        var random = SeededRandom(29)
        repeatWithin(seconds: 1) {
            let text = String(decoding: Mutation.mutated(Array(random.element(of: texts).utf8), &random), as: UTF8.self)
            guard case .fullText(let columns, let tokenizer)? = SchemaTable(name: "x", sql: "CREATE VIRTUAL TABLE x USING " + text) else {
                return
            }
            let module = IndexSQL.fullTextModule(columns, tokenizer: tokenizer)
            let count = Self.statements("CREATE VIRTUAL TABLE x USING \(module)", connection)
            #expect(count ?? 1 == 1, "\(text.debugDescription)")
            #expect(!tokenizer.utf8.contains(0))
        }
    }
}
