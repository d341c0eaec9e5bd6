import CBLSQLite
import CBLTestSupport
import Testing

@testable import CBLStore

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
                #""bio", "name.last", tokenize=unicodesn "stopwordlist=a b" "stemmer=en""#, #""a", tokenize=unicodesn"#,
                #""a", tokenize=unicodesn "remove_diacritics=0""#,
            ] + HostileNames.all(seed: 4).map { #""a\#($0)", tokenize=unicodesn "stopwordlist=\#($0)""# }
        var random = SeededRandom(29)
        var passed = 0
        repeatWithin(seconds: 1) {
            let bytes = Mutation.mutated(Array(random.element(of: texts).utf8), &random)
            var text = SchemaText(String(decoding: bytes, as: UTF8.self))
            guard let parts = FullTextModule(&text) else { return }
            passed += 1
            let module = IndexSQL.fullTextModule(parts.columns, tokenizer: parts.tokenizer)
            let count = Self.statements("CREATE VIRTUAL TABLE x USING \(module)", connection)
            #expect(count ?? 1 == 1, "\(module.debugDescription)")
        }
        #expect(passed > 100)
    }

    /// Entries of a schema with indexes of all kinds, each changed in some way: those that still pass are single statements, and none of them
    /// does or evaluates what was put in.
    @Test func whatPassesForAnEntryOfASchemaIsOneStatement() throws {
        let directory = try TemporaryDirectory(inMemory: true)
        let path = directory.path + "/entries.cblite2"
        let database = try Database(path: path, options: .create)
        try database.write { transaction in
            for specification in [
                IndexCreationTests.value("byN", "fl_value(body, 'n')"), IndexCreationTests.fullText("words", "text"),
                IndexCreationTests.array("tags", "tags"),
            ] { _ = try transaction.createIndex(specification) }
        }
        database.close()
        let entries = try SchemaInspection.entries(of: Connection(path: path + "/db.sqlite3", mode: .readOnly))
        #expect(SchemaInspection(entries).foreign.isEmpty)
        let additions = [
            "; DELETE FROM kv_info", " CHECK (randomblob(1))", ", evil AS (randomblob(1))", " DEFAULT (randomblob(1))",
            " REFERENCES kv_info(key)",
            " DELETE FROM kv_info;", ", randomblob(1)", " WHERE randomblob(1)", "/* */", "--", " COLLATE NOCASE", ", content=\"kv_info\"",
        ]
        let connection = try Connection(path: ":memory:", mode: .readWrite)
        var random = SeededRandom(41)
        var passed = 0
        func tryOne() {
            let place = random.below(entries.count)
            guard let sql = entries[place].sql else { return }
            var bytes = Array(sql.utf8)
            // Put in between two words, as a hostile hand would, or anywhere.
            let isPlanned = random.below(2) == 0
            if isPlanned {
                let places = bytes.indices.filter { " (),;".utf8.contains(bytes[$0]) } + [bytes.count]
                bytes.insert(contentsOf: random.element(of: additions).utf8, at: random.element(of: places))
            } else {
                bytes = Mutation.mutated(bytes, &random)
            }
            var changed = entries
            let old = entries[place]
            let text = String(decoding: bytes, as: UTF8.self)
            changed[place] = SchemaEntry(
                rowid: old.rowid, type: old.type, name: old.name, table: old.table, rootPage: old.rootPage, sql: text)
            let known = SchemaInspection(changed).known.first { $0.entry.rowid == old.rowid }
            guard let known, text != sql else { return }
            if case .table(.keyStore(let columns)) = known.kind, columns.hasForeign { return }
            passed += 1
            #expect(Self.statements(text, connection) ?? 1 == 1, "\(text.debugDescription)")
            let bare = Self.withoutQuoted(text)
            #expect(!bare.contains("randomblob") && !bare.contains("DELETE FROM kv_info"), "\(text.debugDescription)")
        }
        repeatWithin(seconds: 1) { tryOne() }
        // On a busy machine a second may be short.
        for _ in 0..<20_000 where passed == 0 { tryOne() }
        #expect(passed > 0)
    }

    private static func withoutQuoted(_ text: String) -> String {
        var quote: UInt8?
        var rest: [UInt8] = []
        for byte in text.utf8 {
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
                quote = byte
            } else {
                rest.append(byte)
            }
        }
        return String(decoding: rest, as: UTF8.self)
    }
}
