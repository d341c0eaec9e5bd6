import CBLFleece
import CBLSQLite
import Testing

@testable import CBLFunctions

/// Indexes with the vendor's DDL, filled and kept by its triggers under a load of random changes.
@Suite struct IndexTests {
    let context = FunctionContext()
    let connection: Connection
    let encoder: FleeceEncoder

    init() throws {
        connection = try registeredConnection(context)
        try connection.trustSchema()
        let keys = SharedKeysBuilder()
        keys.onChange = { [context] in context.sharedKeys = $0 }
        encoder = FleeceEncoder(sharedKeys: keys)
        try connection.configure(1010, true)
        try connection.execute(
            """
            CREATE TABLE "kv_default" (  key TEXT PRIMARY KEY,  sequence INTEGER,  flags INTEGER DEFAULT 0,  version BLOB,  body BLOB,  expiration INTEGER,  extra BLOB)
            """)
    }

    static let valueIndexes = [
        "CREATE INDEX byName ON kv_default (fl_value(body, 'name.last'), fl_value(body, 'name.first'))",
        "CREATE INDEX partial ON kv_default (fl_value(body, 'age')) WHERE fl_value(body, 'type') = 'person'",
        """
        CREATE INDEX n1 ON kv_default (key, sequence, fl_value(body, 'name.last'), fl_value(body, 'tags[0]'), fl_value(body, 'odd\\.key'), \
        concat(fl_value(body, 'type'), 'x'), coalesce(fl_value(body, 'age'), 0), (fl_value(body, 'age') + 1) * 2, fl_value(body, 'name.first') COLLATE NOCASE)
        """,
        "CREATE INDEX coll ON kv_default (fl_value(body, 'name.last') COLLATE LCUnicode_CD_, fl_value(body, 'name') COLLATE LCUnicode____sv)",
        """
        CREATE INDEX more ON kv_default (fl_value(body, 'a') > 1 AND NOT fl_value(body, 'b'), isvalued(fl_value(body, 'c')), \
        fl_value(body, 'd') IN (1, 'x'), -fl_value(body, 'f'), CASE fl_value(body, 'age') WHEN 1 THEN 'one' ELSE 'else' END, fl_exists(body, 'h'), \
        array_contains(fl_value(body, 'tags'), 'z'), fl_contains(body, 'tags', 3), (flags & 1 != 0), expiration, fl_version(version), fl_root(body), \
        N1QL_length(fl_value(body, 'bio')), N1QL_upper(fl_value(body, 'bio')), str_to_millis(fl_value(body, 'bio')), fl_value(body, 'tags'), \
        regexp_like(fl_value(body, 'bio'), '[aeiou]{2}'), fl_like(fl_value(body, 'bio'), 'a%', 'LCUnicode_C__'), \
        dict_of('id', key, 'deleted', (flags & 1 != 0), 'age', fl_value(body, 'age')), array_of(1, fl_value(body, 'tags')), fl_count(body, 'tags'))
        """,
    ]

    static func fullText(_ name: String, _ columns: [String], options: String, condition: String = "") -> [String] {
        let table = "\"kv_default::\(name)\""
        let list = columns.map { "\"\($0)\"" }.joined(separator: ", ")
        let values = columns.map { "fl_fts_value(new.body, '\($0)')" }.joined(separator: ", ")
        func when(_ row: String) -> String { condition.isEmpty ? " " : "WHEN fl_value(\(row).body, \(condition)" }
        return [
            "CREATE VIRTUAL TABLE \(table) USING fts4(\(list), tokenize=unicodesn \(options))",
            "INSERT INTO \(table) (docid, \(list)) SELECT rowid, \(values) FROM \"kv_default\" AS new \(condition.isEmpty ? "" : "WHERE fl_value(new.body, " + condition)",
            "CREATE TRIGGER \"kv_default::\(name)::ins\" AFTER INSERT ON \"kv_default\" \(when("new"))  BEGIN INSERT INTO \(table) (docid, \(list)) VALUES (new.rowid, \(values)); END",
            "CREATE TRIGGER \"kv_default::\(name)::del\" AFTER DELETE ON \"kv_default\" \(when("old"))  BEGIN DELETE FROM \(table) WHERE docid = old.rowid; END",
            "CREATE TRIGGER \"kv_default::\(name)::preupdate\" BEFORE UPDATE OF body ON \"kv_default\" \(when("old"))  BEGIN DELETE FROM \(table) WHERE docid = old.rowid; END",
            "CREATE TRIGGER \"kv_default::\(name)::postupdate\" AFTER UPDATE OF body ON \"kv_default\" \(when("new"))  BEGIN INSERT INTO \(table) (docid, \(list)) VALUES (new.rowid, \(values)); END",
        ]
    }

    static let contacts = "\"42e4f661ecc2f3f6375b066daabb494f0461d4bd\""
    static let emails = "b85f1d88e158021f61481a16388c465aa479cf76"
    static let tags = "\"6afb5d1c83901d88b1046b400b8a41b1b00b5d70\""

    static func array(_ table: String, _ path: String) -> [String] {
        let fill = "INSERT INTO \(table) (docid, i, body) SELECT new.rowid, _each.rowid, _each.value FROM"
        let name = table.split(separator: "\"").joined()
        return [
            "CREATE TABLE \(table) (docid INTEGER NOT NULL REFERENCES kv_default(rowid),  i INTEGER NOT NULL, body BLOB NOT NULL,  CONSTRAINT pk PRIMARY KEY (docid, i))",
            "\(fill) kv_default as new, fl_each(new.body, '\(path)') AS _each WHERE (new.flags & 1) = 0",
            "CREATE TRIGGER \"\(name)::ins\" AFTER INSERT ON kv_default WHEN (new.flags & 1) = 0  BEGIN \(fill) fl_each(new.body, '\(path)') AS _each ; END",
            "CREATE TRIGGER \"\(name)::del\" BEFORE DELETE ON kv_default WHEN (old.flags & 1) = 0  BEGIN DELETE FROM \(table) WHERE docid = old.rowid; END",
            "CREATE TRIGGER \"\(name)::preupdate\" BEFORE UPDATE OF body, flags ON kv_default WHEN (old.flags & 1) = 0  BEGIN DELETE FROM \(table) WHERE docid = old.rowid; END",
            "CREATE TRIGGER \"\(name)::postupdate\" AFTER UPDATE OF body, flags ON kv_default WHEN (new.flags & 1 = 0)  BEGIN \(fill) fl_each(new.body, '\(path)') AS _each ; END",
        ]
    }

    static let nested = [
        "CREATE TABLE \(emails) (docid INTEGER NOT NULL REFERENCES \(contacts)(rowid),  i INTEGER NOT NULL, body BLOB NOT NULL,  CONSTRAINT pk PRIMARY KEY (docid, i))",
        "INSERT INTO \(emails) (docid, i, body) SELECT new.rowid, _each.rowid, _each.value FROM \(contacts) as new, fl_each(new.body, 'emails') AS _each",
        "CREATE TRIGGER \"\(emails)::ins\" AFTER INSERT ON \(contacts)   BEGIN INSERT INTO \(emails) (docid, i, body) SELECT new.rowid, _each.rowid, _each.value FROM fl_each(new.body, 'emails') AS _each ; END",
        "CREATE TRIGGER \"\(emails)::del\" BEFORE DELETE ON \(contacts)   BEGIN DELETE FROM \(emails) WHERE docid = old.rowid; END",
        "CREATE INDEX arrEmails ON \(emails) (fl_unnested_value(body))",
        "CREATE INDEX arrContacts ON \(contacts) (fl_unnested_value(body, 'type'))",
        "CREATE INDEX arrTags ON \(tags) (fl_unnested_value(body))",
    ]

    static var schema: [String] {
        valueIndexes + fullText("fts\\En", ["bio"], options: "\"stopwords=en\" \"stemmer=en\" \"remove_diacritics=0\"")
            + fullText("\\Fts\\Two", ["bio", "name.last"], options: "\"stopwordlist=foo bar\" \"stemmer=en\"")
            + fullText("fts\\Part", ["bio"], options: "\"stopwords=fr\" \"remove_diacritics=0\"", condition: "'type') = 'person'")
            + array(contacts, "contacts") + array(tags, "tags") + nested
    }

    func body(_ generator: inout SeededGenerator) throws -> FleeceData {
        func pick(_ choices: String...) -> String { choices.randomElement(using: &generator) ?? "" }
        let age = pick("1", "36", "70000", "5000", "-3000", "2.5", "null", "true", "\"x\"", "18446744073709551615")
        let tags = pick(
            "[]", "[\"z\", 3, null, true]", "[5000, 70000, [4096]]", "{\"a\": 1}", "\"red\"", "null", "[1.5, \"\", {\"k\": -3000}]")
        let name = pick("{\"first\": \"Ådne\", \"last\": \"Ng\"}", "{\"last\": \"ng\"}", "\"Einar\"", "[1, 2]", "{\"first\": 5000}")
        let contacts = pick(
            "[]", "[{\"type\": \"home\", \"emails\": [\"a@x\", \"b@y\"]}, {\"type\": 1, \"emails\": []}, 7]", "[{\"emails\": [null, 3]}]")
        let bio = pick(
            "\"The running foxes and été\"", "\"foo Bars, straße\"", "[\"aa\", [\"le chat\"]]", "null", "2018-10-23".debugDescription)
        let optional = pick("", ", \"h\": 1", ", \"odd.key\": [70000]", ", \"a\": 2, \"b\": 0", ", \"c\": null, \"d\": \"x\", \"f\": 1.5")
        try JSONParser.parse(
            """
            {"type": "\(pick("person", "thing"))", "age": \(age), "tags": \(tags), "name": \(name), "contacts": \(contacts), "bio": \(bio)\(optional)}
            """, into: encoder)
        return try encoder.finish()
    }

    func insertOrUpdate(_ key: Int, _ generator: inout SeededGenerator) throws {
        let body = try body(&generator)
        let sql =
            "INSERT INTO kv_default (key, sequence, flags, body) VALUES (?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET sequence = excluded.sequence, flags = excluded.flags, body = excluded.body"
        try connection.withStatement(sql) { statement in
            try statement.bind("doc\(key)", 1)
            try statement.bind(Int64(key), 2)
            try statement.bind(Int64.random(in: 0...7, using: &generator) == 1 ? 1 : 0, 3)
            let isEmpty = Int.random(in: 0..<12, using: &generator) == 0
            try body.withRoot { _ in try statement.bind(blob: isEmpty ? nil : body.bytes, 4) }
            try statement.run()
        }
    }

    /// The rows of an index table without what rebuilding may number anew.
    func content(_ table: String, _ columns: String) throws -> [String] {
        try connection.strings("SELECT \(columns) FROM \(table) ORDER BY 1")
    }

    func indexContents() throws -> [[String]] {
        [
            try content(IndexTests.tags, "docid || ':' || i || ':' || quote(body)"),
            try content(IndexTests.contacts, "docid || ':' || i || ':' || quote(body)"),
            try content(
                "\(IndexTests.emails) AS e JOIN \(IndexTests.contacts) AS c ON e.docid = c.rowid",
                "c.docid || ':' || c.i || ':' || e.i || ':' || quote(e.body)"),
            try content("\"kv_default::fts\\En\"", "docid || ':' || quote(bio)"),
            try content("\"kv_default::fts\\Part\"", "docid || ':' || quote(bio)"),
            try content("\"kv_default::\\Fts\\Two\"", "docid || ':' || quote(bio) || quote(\"name.last\")"),
        ]
    }

    func check() throws {
        #expect(try connection.strings("PRAGMA integrity_check") == ["ok"])
        for name in ["fts\\En", "\\Fts\\Two", "fts\\Part"] {
            try connection.execute("INSERT INTO \"kv_default::\(name)\"(\"kv_default::\(name)\") VALUES ('integrity-check')")
        }
    }

    @Test(arguments: 1...4) func triggersKeepIndexesEqualToRebuiltOnes(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for key in 0..<40 { try insertOrUpdate(key, &generator) }
        // Filled from documents that are there already, then kept by the triggers.
        for sql in IndexTests.schema { try connection.execute(sql) }
        try check()
        for _ in 0..<200 {
            let key = Int.random(in: 0..<60, using: &generator)
            if Int.random(in: 0..<4, using: &generator) == 0 {
                try connection.execute("DELETE FROM kv_default WHERE key = 'doc\(key)'")
            } else {
                try insertOrUpdate(key, &generator)
            }
        }
        try check()
        let kept = try indexContents()
        try connection.execute(script: "BEGIN; UPDATE kv_default SET body = body; COMMIT")
        try check()
        #expect(try indexContents() == kept)
        for name in try connection.strings("SELECT name FROM sqlite_master WHERE type = 'trigger'") {
            try connection.execute("DROP TRIGGER \(quoted(identifier: name))")
        }
        for sql in ["fts\\En", "\\Fts\\Two", "fts\\Part"].map({ "DROP TABLE \"kv_default::\($0)\"" })
            + [IndexTests.emails, IndexTests.contacts, IndexTests.tags].map({ "DROP TABLE \($0)" })
        {
            try connection.execute(sql)
        }
        for sql in IndexTests.schema where !IndexTests.valueIndexes.contains(sql) { try connection.execute(sql) }
        #expect(try indexContents() == kept)
    }

    @Test func anIndexIsUsed() throws {
        for sql in IndexTests.valueIndexes { try connection.execute(sql) }
        let plan = "EXPLAIN QUERY PLAN SELECT key FROM kv_default AS _ WHERE fl_value(_.body, 'name.last') = 'Ng'"
        #expect(try connection.prepare(plan).firstRow(column: 3).contains("USING INDEX byName (<expr>=?)"))
    }
}

extension Statement {
    func firstRow(column: Int32) throws -> String {
        try step()
        return string(column) ?? ""
    }
}
