import CBLFleece
import CBLSQLite
import CBLTestSupport
import Testing

@testable import CBLStore

/// Indexes from archives that may come from anywhere.
@Suite struct ArchivedIndexTests {
    static let safe = [
        "fl_value(body, 'a')", "fl_value(body, 'a; DROP TABLE kv_default')", "(fl_value(body, 'a') + 1) * 2", "key",
        "N1QL_lower(fl_value(body, 'x'))",
        "fl_value(body, 'd') IN (1, 'x')", "fl_value(body, 'a') COLLATE LCUnicode_C__",
        "NOT fl_value(body, 'b') AND fl_value(body, 'c') IS NULL",
        "CASE fl_value(body, 'g') WHEN 1 THEN 'one' ELSE 'else' END", "fl_value(body, 'it''s')", "1e5", "-fl_value(body, 'f')",
        "(flags & 1 != 0)", #"fl_value(body, 'k\.d') LIKE 'x' ESCAPE '\'"#,
    ]

    static let unsafe = [
        "", "1; DROP TABLE kv_default", "(SELECT 1)", "load_extension('x')", "fl_value(body, 'a') -- ", "1 /* x */", "?1", ":name", "@x",
        "$x", "1)",
        "(1", "'open", "\"open", "kv_info.body", "RAISE(ABORT, 'x')", "writefile('x', 'y')", "EXISTS (SELECT 1)", "randomblob(1000000000)",
        "x'00", "1, 2", "[a]", "`a`", "predict(1)", "fl_value(body, 'a')\u{0}", "é",
    ]

    @Test(arguments: safe) func expressionsOfIndexesPass(text: String) {
        #expect(ExpressionCheck.isSafe(text[...]))
    }

    @Test(arguments: unsafe) func everythingElseIsRefused(text: String) {
        #expect(!ExpressionCheck.isSafe(text[...]))
    }

    @Test func onlyColumnsOutsideOfQuotesChangeTheirRow() {
        #expect(
            ExpressionCheck.replacing(row: "new", by: "old", in: "fl_value(new.body, 'new.x') = renew.a")
                == "fl_value(old.body, 'new.x') = renew.a")
    }

    static let hostile = [
        #"{"index":"i","type":0,"collection":"_default","sql":["CREATE INDEX i ON kv_info (key)"]}"#,
        #"{"index":"i","type":0,"collection":"_default","sql":["CREATE TRIGGER i AFTER INSERT ON kv_default BEGIN DELETE FROM kv_info; END"]}"#,
        #"{"index":"i","type":0,"collection":"_default","sql":["CREATE INDEX i ON kv_default (key); DELETE FROM kv_info"]}"#,
        #"{"index":"i","type":0,"collection":"_default","sql":["CREATE INDEX i ON kv_default (key) WHERE key IN (SELECT key FROM kv_info)"]}"#,
        #"{"index":"kv_default_expiration","type":0,"collection":"_default","sql":["CREATE INDEX kv_default_expiration ON kv_default (key)"]}"#,
        #"{"index":"i","type":1,"collection":"_default","table":"kv_info","sql":["CREATE VIRTUAL TABLE \"kv_info\" USING fts4(\"a\", tokenize=unicodesn)"]}"#,
        #"{"index":"i","type":1,"collection":"_default","table":"kv_default::i","sql":["CREATE VIRTUAL TABLE \"kv_default::i\" USING fts4(\"a\", content=\"kv_info\", tokenize=unicodesn)"]}"#,
        #"{"index":"i","type":2,"collection":"_default","table":"kv_default:unnest:tags","sql":["CREATE INDEX i ON kv_default (key)"]}"#,
        #"{"index":"i","type":3,"collection":"_default","sql":[]}"#,
        #"{"index":"i","type":3,"collection":"_default","table":"kv_info","sql":["CREATE TRIGGER \"kv_info::ins\" AFTER INSERT ON \"kv_default\" WHEN (new.flags & 1) = 0  BEGIN INSERT INTO \"kv_info\" (docid, body) VALUES (new.rowid, prediction('m', new.body)); END"]}"#,
        #"{"index":"i","type":3,"collection":"_default","table":"kv_default:predict:x","sql":["CREATE TRIGGER \"kv_default:predict:x::ins\" AFTER INSERT ON \"kv_default\" WHEN (new.flags & 1) = 0  BEGIN INSERT INTO \"kv_default:predict:x\" (docid, body) VALUES (new.rowid, (SELECT body FROM kv_info)); END"]}"#,
        #"{"index":"i","type":3,"collection":"_default","table":"kv_default:predict:x","sql":["CREATE TRIGGER \"kv_default:predict:x::ins\" AFTER INSERT ON \"kv_default\" WHEN (new.flags & 1) = 0  BEGIN INSERT INTO \"kv_default:predict:x\" (docid, body) VALUES (new.rowid, 1); DELETE FROM kv_info; END"]}"#,
        #"{"index":"i","type":99,"collection":"_default","sql":[]}"#,
        #"{"index":"","type":0,"collection":"_default","sql":["CREATE INDEX \"\" ON kv_default (key)"]}"#,
    ]

    @Test(arguments: hostile) func foreignStatementsAreNeverRun(line: String) throws {
        let directory = try TemporaryDirectory()
        let database = try Database(path: directory.path + "/a.cblite2", options: .create)
        let schema = "SELECT count(*) FROM sqlite_master"
        let before = try database.read { try $0.connection.integer(schema) }
        let archive = [
            #"{"archive":"cblite","version":1,"versioning":"trees"}"#, #"{"collection":"_default"}"#,
            #"{"doc":"a","revs":[{"rev":"1-ab","body":{"x":1}}]}"#, line, #"{"end":true}"#,
        ]
        let result = try database.restore(Archive.RestoreOptions()) { restorer in
            for line in archive { try Array(line.utf8).withUnsafeBytes { try restorer.accept($0) } }
        }
        #expect(result.warnings.count == 1)
        #expect(result.restored.documents == 1 && result.restored.indexes == 0)
        try #expect(database.read { try $0.connection.integer(schema) } == before)
        try #expect(database.read { try $0.integrityProblems() }.isEmpty)
    }

    @Test(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)"), arguments: ["v4.x/revtrees_4.1.cblite2", "v4.x/vectors_4.1.cblite2"])
    func aTriggerWithOneMoreStatementIsRefused(fixture: String) throws {
        let original = try Database(path: Fixtures.path(fixture))
        let directory = try TemporaryDirectory()
        let copy = try Database(path: directory.path + "/a.cblite2", options: .create)
        var lines: [String] = []
        try original.dump { lines.append(String(decoding: $0.dropLast(), as: UTF8.self)) }
        let result = try copy.restore(Archive.RestoreOptions()) { restorer in
            for line in lines.dropLast() + [#"{"end":true}"#] {
                var line = line
                if line.contains(#"{"index":"ftsEn""#) {
                    let place = try #require(line.firstRange(of: "; END"))
                    line.replaceSubrange(place, with: "; DELETE FROM kv_info; END")
                }
                try Array(line.utf8).withUnsafeBytes { try restorer.accept($0) }
            }
        }
        #expect(result.warnings.count == 1)
        #expect(result.restored.indexes == 19)
    }

    static let schema =
        "SELECT type || ' ' || name || ' ' || sql FROM sqlite_master WHERE sql NOT NULL AND name NOT LIKE 'kv%_seqs' AND name NOT LIKE 'sqlite%' ORDER BY 1"

    @Test(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)"), arguments: ["v4.x/revtrees_4.1.cblite2", "v4.x/vectors_4.1.cblite2"])
    func indexesComeBackWithTheSameTextsAndEntries(fixture: String) throws {
        let original = try Database(path: Fixtures.path(fixture))
        let directory = try TemporaryDirectory()
        let copy = try Database(path: directory.path + "/a.cblite2", options: .create)
        let result = try copy.restore(Archive.RestoreOptions()) { restorer in
            try original.dump { try restorer.accept(UnsafeRawBufferPointer(rebasing: $0.dropLast())) }
        }
        #expect(result.warnings.isEmpty && result.restored.indexes == 20)
        try copy.read { copied in
            try original.read { original in
                try #expect(copied.connection.strings(Self.schema) == original.connection.strings(Self.schema))
                for index in try original.indexes() {
                    try #expect(entries(of: index, copied) == entries(of: index, original), "\(index.name)")
                }
                try #expect(copied.integrityProblems().isEmpty)
            }
        }
    }

    private func entries(of index: StoredIndex, _ snapshot: Snapshot) throws -> [String] {
        guard let entries = try snapshot.entries(of: index) else { return [] }
        var rows: [String] = []
        while try entries.statement.step() {
            rows.append((0..<entries.statement.columnCount).map { entries.statement.string($0) ?? "NULL" }.joined(separator: "|"))
        }
        // Rows of nested arrays depend on how the file was written, and so do encodings of bodies; versions name the source that was `*`.
        switch index.name {
        case "arrEmails": return rows.map { String($0.prefix { $0 != "|" }) }.sorted()
        case "more", "coll": return ["\(rows.count)"]
        default: return rows.sorted()
        }
    }
}
