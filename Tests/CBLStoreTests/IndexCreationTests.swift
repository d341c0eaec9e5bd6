import CBLFleece
import CBLSQLite
import CBLSystemSQLite
import CBLTestSupport
import Testing

@testable import CBLStore

/// Indexes as the vendor's library of each time makes them, and what becomes of those that are there.
@Suite struct IndexCreationTests {
    private let directory: TemporaryDirectory
    private let database: Database

    init() throws {
        directory = try TemporaryDirectory()
        database = try Database(path: directory.path + "/new.cblite2", options: .create)
    }

    static func value(_ name: String, _ expressions: String..., condition: String? = nil, in collection: CollectionName = .default)
        -> IndexSpecification
    {
        IndexSpecification(
            name: name, collection: collection, form: .value(expressions: expressions, condition: condition),
            source: .init(.sqlpp, name, condition: nil, unnest: nil, in: .newest))
    }

    static func fullText(
        _ name: String, _ properties: String..., condition: String? = nil, _ change: (inout FullTextOptions) -> Void = { _ in }
    )
        -> IndexSpecification
    {
        var options = FullTextOptions()
        change(&options)
        return IndexSpecification(
            name: name, collection: .default, form: .fullText(properties: properties, tokenizer: options.tokenizer, condition: condition),
            source: .init(.sqlpp, properties.joined(separator: ", "), condition: nil, unnest: nil, in: .newest))
    }

    static func array(_ name: String, _ levels: String..., of expressions: [String] = []) -> IndexSpecification {
        IndexSpecification(
            name: name, collection: .default, form: .array(levels: levels, expressions: expressions),
            source: .init(.sqlpp, "", condition: nil, unnest: levels.joined(separator: "[]."), in: .newest))
    }

    private func schema(_ snapshot: Snapshot) throws -> Set<String> {
        Set(try snapshot.connection.strings("SELECT sql FROM sqlite_master WHERE sql NOT NULL"))
    }

    static let samples = [
        value("byName", "fl_value(body, 'name.last')", "fl_value(body, 'name.first')"), value("by type", "fl_value(body, 'type')"),
        value("partial", "fl_value(body, 'age')", condition: "fl_value(body, 'type') = 'person'"),
        fullText("ftsEn", "bio") { $0.language = "en" }, fullText("ftsPlain", "bio"),
        fullText("FtsTwo", "bio", "name.last") {
            ($0.language, $0.stopWords, $0.ignoresDiacritics) = ("en", "foo bar", true)
        },
        fullText("ftsPart", "bio", condition: "fl_value(new.body, 'type') = 'person'") {
            ($0.language, $0.disablesStemming) = ("fr", true)
        },
        array("arrTags", "tags"), array("arrEmails", "contacts", "emails"),
        array("arrContacts", "contacts", of: ["fl_unnested_value(body, 'type')"]),
    ]

    @Test(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)"), arguments: samples)
    func theSQLIsTheVendorsByteForByte(specification: IndexSpecification) throws {
        let original = try Database(path: Fixtures.path("v4.x/revtrees_4.1.cblite2"))
        try original.read { original in
            let index = try #require(original.indexes().first { $0.name == specification.name })
            try database.write { transaction in
                let before = try schema(transaction)
                #expect(try transaction.createIndex(specification) == .created)
                let made = try #require(transaction.indexes().first)
                #expect(try transaction.indexDefinitionSQL(made).sorted() == original.indexDefinitionSQL(index).sorted())
                #expect(made.tableName == index.tableName && made.type == index.type && made.keyStore == index.keyStore)
                let registry = "SELECT sql FROM sqlite_master WHERE name='indexes'"
                #expect(try transaction.connection.strings(registry) == original.connection.strings(registry))
                // Once more is nothing, and what is dropped leaves nothing behind.
                #expect(try transaction.createIndex(specification) == .unchanged)
                #expect(try transaction.dropIndex(specification.name))
                #expect(try schema(transaction).subtracting(before) == Set([IndexSQL(generation: .newest).registry]))
            }
        }
    }

    struct Old: Sendable {
        let fixture: String
        let specification: IndexSpecification
        let definition: [String]
    }

    // As the sources of these releases write them.
    static let old = [
        Old(
            fixture: "v2.x/upgrade_2.8_index", specification: value("byAge", "fl_value(body, 'age')"),
            definition: [#"CREATE INDEX "byAge" ON "kv_default" (fl_value(body, 'age'))"#]),
        Old(
            fixture: "v3.x/db_3_0_0_names_100_with_deleted", specification: value("byAge", "fl_value(body, 'age')"),
            definition: ["CREATE INDEX byAge ON kv_default (fl_value(body, 'age'))"]),
        Old(
            fixture: "v2.x/upgrade_2.8_index", specification: fullText("ftsName", "firstName"),
            definition: [
                #"CREATE VIRTUAL TABLE "kv_default::ftsName" USING fts4("firstName", tokenize=unicodesn "remove_diacritics=0")"#,
                #"CREATE TRIGGER "kv_default::ftsName::ins" AFTER INSERT ON kv_default   BEGIN INSERT INTO "kv_default::ftsName" (docid, "firstName") VALUES (new.rowid, fl_fts_value(new.body, 'firstName')); END"#,
                #"CREATE TRIGGER "kv_default::ftsName::del" AFTER DELETE ON kv_default   BEGIN DELETE FROM "kv_default::ftsName" WHERE docid = old.rowid; END"#,
                #"CREATE TRIGGER "kv_default::ftsName::preupdate" BEFORE UPDATE OF body ON kv_default   BEGIN DELETE FROM "kv_default::ftsName" WHERE docid = old.rowid; END"#,
                #"CREATE TRIGGER "kv_default::ftsName::postupdate" AFTER UPDATE OF body ON kv_default   BEGIN INSERT INTO "kv_default::ftsName" (docid, "firstName") VALUES (new.rowid, fl_fts_value(new.body, 'firstName')); END"#,
            ]),
        Old(
            fixture: "v3.x/words_db", specification: array("arr", "Tags"),
            definition: [
                #"CREATE TABLE "kv_default:unnest:\Tags" (docid INTEGER NOT NULL REFERENCES kv_default(rowid),  i INTEGER NOT NULL, body BLOB NOT NULL,  CONSTRAINT pk PRIMARY KEY (docid, i)) WITHOUT ROWID"#,
                #"CREATE TRIGGER "kv_default:unnest:\Tags::ins" AFTER INSERT ON "kv_default" WHEN (new.flags & 1) = 0  BEGIN INSERT INTO "kv_default:unnest:\Tags" (docid, i, body) SELECT new.rowid, _each.rowid, _each.value FROM fl_each(new.body, 'Tags') AS _each ; END"#,
                #"CREATE TRIGGER "kv_default:unnest:\Tags::del" BEFORE DELETE ON "kv_default" WHEN (old.flags & 1) = 0  BEGIN DELETE FROM "kv_default:unnest:\Tags" WHERE docid = old.rowid; END"#,
                #"CREATE TRIGGER "kv_default:unnest:\Tags::preupdate" BEFORE UPDATE OF body, flags ON "kv_default" WHEN (old.flags & 1) = 0  BEGIN DELETE FROM "kv_default:unnest:\Tags" WHERE docid = old.rowid; END"#,
                #"CREATE TRIGGER "kv_default:unnest:\Tags::postupdate" AFTER UPDATE OF body, flags ON "kv_default" WHEN (new.flags & 1 = 0)  BEGIN INSERT INTO "kv_default:unnest:\Tags" (docid, i, body) SELECT new.rowid, _each.rowid, _each.value FROM fl_each(new.body, 'Tags') AS _each ; END"#,
                #"CREATE INDEX arr ON "kv_default:unnest:\Tags" (fl_unnested_value(body))"#,
            ]),
    ]

    @Test(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)"), arguments: old)
    func olderFilesGetWhatTheirReleasesKnow(_ old: Old) throws {
        let database = try Database(path: Fixtures.copy(old.fixture + ".cblite2", to: directory), options: .readWrite)
        try database.write { transaction in
            #expect(try transaction.createIndex(old.specification) == .created)
            let made = try #require(transaction.indexes().first { $0.name == old.specification.name })
            #expect(try transaction.indexDefinitionSQL(made).sorted() == old.definition.sorted())
            let registry = "SELECT sql FROM sqlite_master WHERE name='indexes'"
            let columns = "(name TEXT PRIMARY KEY, type INTEGER NOT NULL, keyStore TEXT NOT NULL, expression TEXT, indexTableName TEXT)"
            #expect(try transaction.connection.strings(registry) == ["CREATE TABLE indexes " + columns])
            #expect(try transaction.createIndex(old.specification) == .unchanged)
        }
        try #expect(database.read { try $0.integrityProblems() }.isEmpty)
    }

    @Test(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)"))
    func releasesWithoutATableOfIndexesFindThemWithout() throws {
        let path = try Fixtures.copy("v2.x/upgrade_2.7.cblite2", to: directory)
        try Connection(path: path + "/db.sqlite3", mode: .readWrite).execute("PRAGMA user_version=201")
        let database = try Database(path: path, options: .readWrite)
        try database.write { transaction in
            _ = try transaction.createIndex(Self.value("byN", "fl_value(body, 'n')"))
            _ = try transaction.createIndex(Self.fullText("words", "even"))
            #expect(throws: StoreError.self) { try transaction.createIndex(Self.array("items", "n")) }
            #expect(transaction.catalog.hasIndexTable == false)
            #expect(try transaction.indexes().map(\.name) == ["byN", "words"])
            #expect(try transaction.dropIndex("byN") && transaction.dropIndex("words"))
        }
    }

    @Test(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)"))
    func functionsThatItsReleasesLackAreRefused() throws {
        let cases = [
            ("v2.x/upgrade_2.8_index", "isvalued(fl_value(body, 'a'))"), ("v3.x/words_db", "date_add_str(fl_value(body, 'a'), 1, 'day')"),
        ]
        for (fixture, expression) in cases {
            let database = try Database(path: Fixtures.copy(fixture + ".cblite2", to: directory), options: .readWrite)
            try database.write { transaction in
                let error = #expect(throws: StoreError.self) { try transaction.createIndex(Self.value("i", expression)) }
                #expect(error?.code == .unsupported)
                let change = try transaction.createIndex(Self.value("i", "fl_value(body, 'isvalued(date_add_str(')"))
                #expect(change == .created)
            }
        }
        #expect(ExpressionCheck.calls(in: "a(b('c('), x) + (d) IN (1) AND \"e\"(2)") == ["a", "b"])
    }

    @Test func anIndexMayBeNamedByAnyWordOfSQL() throws {
        for number in 0..<sqlite3_keyword_count() {
            var word: UnsafePointer<CChar>?
            var length: Int32 = 0
            #expect(sqlite3_keyword_name(number, &word, &length) == SQLITE_OK)
            let bytes = UnsafeRawBufferPointer(start: word, count: Int(length))
            let name = String(decoding: bytes, as: UTF8.self).lowercased()
            try database.write { transaction in
                _ = try transaction.createIndex(IndexCreationTests.value(name, "fl_value(body, 'a')"))
                #expect(try transaction.indexes().map(\.name) == [name])
                try transaction.dropIndex(name)
            }
        }
    }

    @Test func theSourceIsKeptAsEachGenerationWritesIt() {
        typealias Source = IndexSpecification.Source
        func row(_ source: Source) -> [String?] { [source.expression, source.condition] }
        func source(_ language: Source.Language, _ text: String, _ condition: String?, _ path: String?, _ version: Int) -> [String?] {
            row(Source(language, text, condition: condition, unnest: path, in: SchemaGeneration(rawValue: version)))
        }
        #expect(source(.sqlpp, "age", "a = 1", nil, 503) == ["=nage", "a = 1"])
        #expect(source(.json, "[[\".age\"]]", "[\"=\",1,1]", nil, 503) == ["=j[[\".age\"]]", "[\"=\",1,1]"])
        #expect(source(.sqlpp, "age", "a = 1", nil, 502) == ["=nSELECT age WHERE a = 1", nil])
        #expect(source(.json, "[[\".age\"]]", "[\"=\",1,1]", nil, 400) == ["{\"WHAT\":[[\".age\"]],\"WHERE\":[\"=\",1,1]}", nil])
        #expect(source(.sqlpp, "type", nil, "contacts", 503) == ["=ntype", nil])
        #expect(source(.sqlpp, "type", nil, "contacts", 500) == ["contacts, type", nil])
        #expect(source(.json, "[[\".type\"]]", nil, "contacts", 302) == ["[[\".contacts\"],[\".type\"]]", nil])
        #expect(source(.json, "[]", nil, "contacts", 302) == ["[[\".contacts\"]]", nil])
    }

    @Test func anotherDefinitionReplacesTheFirstInWhateverCollection() throws {
        let things = try CollectionName(name: "things")
        try database.write { transaction in
            try transaction.createCollection(things)
            _ = try transaction.createIndex(Self.value("i", "fl_value(body, 'a')"))
            let first = try #require(transaction.indexes().first)
            #expect(try transaction.createIndex(Self.value("i", "fl_value(body, 'b')")) == .replaced(first))
            let second = try #require(transaction.indexes().first)
            #expect(try transaction.createIndex(Self.value("i", "fl_value(body, 'b')", in: things)) == .replaced(second))
            #expect(try transaction.indexes().map(\.collection) == [things])
            _ = try transaction.createIndex(Self.fullText("i", "b"))
            #expect(try transaction.indexes().map(\.kind) == [.fullText])
            #expect(try transaction.connection.strings("SELECT name FROM sqlite_master WHERE name='i'").isEmpty)
        }
    }

    @Test func arraysShareTheirTablesAndTheLastOneTakesThemAlong() throws {
        try database.write { transaction in
            try transaction.save("d", body: transaction.encode(json: #"{"contacts":[{"type":1,"emails":["a","b"]},{"emails":["c"]}]}"#))
            let before = try schema(transaction)
            for specification in Self.samples where specification.kind == .array { _ = try transaction.createIndex(specification) }
            let tables = IndexSQL(generation: .newest).unnestTables(["contacts", "emails"], of: "kv_default").map(\.name)
            let counts = tables.map { "SELECT count(*) FROM \"\($0)\"" }
            #expect(try counts.map { try transaction.connection.integer($0) } == [2, 3])
            // The inner table needs the outer one, whose own index goes.
            #expect(try transaction.dropIndex("arrContacts"))
            #expect(try counts.map { try transaction.connection.integer($0) } == [2, 3])
            #expect(try transaction.dropIndex("arrEmails") && transaction.dropIndex("arrTags"))
            #expect(try schema(transaction).subtracting(before) == Set([IndexSQL(generation: .newest).registry]))
        }
    }

    @Test func whatFailsLeavesNoTrace() throws {
        try database.write { transaction in
            _ = try transaction.createIndex(Self.value("i", "fl_value(body, 'a')"))
            let (before, indexes) = (try schema(transaction), try transaction.indexes())
            let bad = [
                Self.value("i", "fl_value(body, 'a') LIKE 'x'"), Self.value("", "key"), Self.value("a\"b", "key"), Self.value("I", "key"),
                Self.value("sqlite_x", "key"), Self.value("kv_default", "key"), Self.value("kv_default_expiration", "key"),
                Self.fullText("f", "a", condition: "no_such_function(new.body)"), Self.value("j", "(SELECT 1)"),
            ]
            for specification in bad {
                #expect(throws: (any Error).self, "\(specification.name)") { try transaction.createIndex(specification) }
                #expect(try schema(transaction) == before, "\(specification.name)")
                #expect(try transaction.indexes() == indexes, "\(specification.name)")
            }
            try transaction.save("d", body: transaction.encode(json: #"{"a":1}"#))
        }
        try #expect(database.read { try $0.integrityProblems() }.isEmpty)
    }

    /// The quick way to fill a full-text table gives, to the byte, what insertions into it give.
    @Test func fullTextTablesAreFilledAsByInsertions() throws {
        let specification = Self.fullText("words", "a", "it's.b", condition: "fl_value(new.body, 'c') IS NULL") { $0.language = "en" }
        try database.write { transaction in
            for number in 0..<500 {
                let texts = ["", #""a":"running over \#(number)""#, #""a":null,"it's":{"b":"word"}"#, #""a":"x","c":1"#]
                try transaction.save("d\(number)", body: transaction.encode(json: "{\(texts[number % 4])}"))
            }
            _ = try transaction.createIndex(specification)
            let connection = transaction.connection
            try connection.execute(
                """
                CREATE VIRTUAL TABLE reference USING fts4("a", "it's.b", tokenize=unicodesn "stopwords=en" "stemmer=en" "remove_diacritics=0")
                """)
            try connection.execute(
                """
                INSERT INTO reference (docid, "a", "it's.b") SELECT rowid, fl_fts_value(body, 'a'), fl_fts_value(body, 'it''s.b') \
                FROM kv_default WHERE fl_value(body, 'c') IS NULL
                """)
            // What insertions keep in memory is written at the latest with the next savepoint.
            try connection.execute(script: "SAVEPOINT here; RELEASE here")
            for (table, columns) in [
                ("content", "docid, quote(\"c0a\"), quote(\"c1it's.b\")"), ("docsize", "docid, quote(size)"), ("stat", "id, quote(value)"),
            ] {
                func rows(_ name: String) throws -> [String] {
                    try connection.strings(
                        "SELECT concat_text FROM (SELECT \(columns.replacing(", ", with: " || '|' || ")) AS concat_text FROM \"\(name)_\(table)\")"
                    )
                }
                #expect(try rows("kv_default::words") == rows("reference"), "\(table)")
            }
            try connection.execute(
                script:
                    "CREATE VIRTUAL TABLE temp.one USING fts4aux(main, \"kv_default::words\"); CREATE VIRTUAL TABLE temp.two USING fts4aux(main, reference)"
            )
            let terms = ["one", "two"].map { "SELECT term || col || documents || occurrences FROM temp.\($0)" }
            #expect(try connection.strings(terms[0]) == connection.strings(terms[1]))
            #expect(try !connection.strings(terms[0]).isEmpty)
        }
    }

    @Test func whatADeletedCollectionLeftIsNotInTheWay() throws {
        try database.write { transaction in
            _ = try transaction.createIndex(Self.fullText("f", "a"))
            try transaction.connection.execute(
                script:
                    "INSERT INTO indexes (name, type, keyStore) VALUES ('left', 0, '.gone'); UPDATE indexes SET name='other' WHERE name='f'"
            )
            #expect(try transaction.createIndex(Self.value("left", "key")) == .created)
            // Its table is there, but no row knows it.
            try transaction.connection.execute("DELETE FROM indexes WHERE name='other'")
            #expect(try transaction.createIndex(Self.fullText("f", "b")) == .created)
        }
        try #expect(database.read { try $0.integrityProblems() }.isEmpty)
    }
}

extension IndexSpecification: CustomTestStringConvertible {
    public var testDescription: String { name }
}
