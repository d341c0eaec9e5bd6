import CBLFleece
import CBLLanguage
import CBLSQLite
import CBLStore
import CBLTestSupport
import Testing

@testable import CBLQuery

/// Indexes from SQL++ and JSON: the SQL is the vendor's, and what cannot be one is explained.
@Suite struct IndexDefinitionTests {
    private let directory: TemporaryDirectory
    private let database: Database

    init() throws {
        directory = try TemporaryDirectory()
        database = try Database(path: directory.path + "/new.cblite2", options: .create)
    }

    private static let schema = """
        SELECT name || ': ' || sql FROM sqlite_master WHERE sql NOT NULL AND name NOT LIKE '%_seqs' AND name NOT LIKE 'sqlite_%' \
        AND name NOT LIKE '%_expiration' AND tbl_name NOT IN ('kv__local', 'kv_checkpoints', 'kv_peer\\Checkpoints') ORDER BY 1
        """

    // The vendor made each with options that only the table's text keeps.
    static let options: [String: @Sendable (inout FullTextOptions) -> Void] = [
        "ftsEn": { $0.language = "en" }, "MixFts": { $0.language = "en" }, "ftsPlain": { _ in },
        "FtsTwo": { ($0.language, $0.stopWords, $0.ignoresDiacritics) = ("en", "foo bar", true) },
        "ftsPart": { ($0.language, $0.disablesStemming) = ("fr", true) },
    ]

    static let unnestPaths = ["arrTags": "tags", "arrEmails": "contacts[].emails", "arrContacts": "contacts"]

    private func definition(_ index: StoredIndex) throws -> IndexDefinition {
        let text = index.expression ?? ""
        let isMarked = text.hasPrefix("=")
        let language: IndexDefinition.Language? = isMarked ? (text.hasPrefix("=j") ? .json : .sqlpp) : nil
        var kind = IndexDefinition.Kind.value
        if let path = Self.unnestPaths[index.name] { kind = .array(path: path) }
        if let change = Self.options[index.name] {
            var options = FullTextOptions()
            change(&options)
            kind = .fullText(options)
        }
        return try IndexDefinition(
            name: index.name, in: #require(index.collection), kind, isMarked ? String(text.dropFirst(2)) : text, where: index.condition,
            language: language)
    }

    @Test(
        .enabled(if: Fixtures.arePresent, "\(Fixtures.absence)"),
        arguments: ["v4.x/revtrees_4.1", "v4.x/vectors_4.1", "v3.x/words_db", "v2.x/upgrade_2.8_index"])
    func allIndexesOfTheVendorsComeOutByteForByteFromTheirOwnRows(fixture: String) throws {
        let path = try Fixtures.copy(fixture + ".cblite2", to: directory)
        let database = try Database(path: path, options: .readWrite)
        try database.write { transaction in
            let indexes = try transaction.indexes()
            let before = try transaction.connection.strings(Self.schema)
            let rows = "SELECT name || type || keyStore || expression || ifnull(indexTableName, '') FROM indexes ORDER BY 1"
            let registered = try transaction.connection.strings(rows)
            for index in indexes { #expect(try transaction.createIndex(definition(index)) == .unchanged, "\(index.name)") }
            for index in indexes { #expect(try transaction.dropIndex(index.name)) }
            for index in indexes { #expect(try transaction.createIndex(definition(index)) == .created) }
            #expect(try transaction.connection.strings(Self.schema) == before)
            #expect(try transaction.connection.strings(rows) == registered)
            #expect(try transaction.indexes().map(\.condition) == indexes.map(\.condition))
        }
        try #expect(database.read { try $0.integrityProblems() }.isEmpty)
    }

    /// Releases differ in what a row of the table of indexes may say, and each must understand what is written.
    @Test(
        .enabled(if: Fixtures.arePresent, "\(Fixtures.absence)"),
        arguments: [
            (
                "v2.x/upgrade_2.8_index", #"{"WHAT":[[".age"],["lower()",[".name"]]],"WHERE":["=",[".type"],"x"]}"#,
                #"[[".contacts"],[".kind"]]"#
            ),
            ("v3.x/db_3_0_0_names_100_with_deleted", "SELECT age, lower(name) WHERE type = 'x'", "contacts, kind"),
            ("v3.x/words_db", "SELECT age, lower(name) WHERE type = 'x'", "contacts, kind"),
            ("v4.x/revtrees_4.1", "=nage, lower(name)", "=nkind"),
        ])
    func rowsAreWrittenAsEachGenerationReadsThem(fixture: String, value: String, array: String) throws {
        let database = try Database(path: Fixtures.copy(fixture + ".cblite2", to: directory), options: .readWrite)
        try database.write { transaction in
            for definition in [
                try IndexDefinition(name: "new value", .value, "age, lower(name) WHERE type = 'x'"),
                try IndexDefinition(name: "new array", .array(path: "contacts"), "kind"),
            ] {
                #expect(try transaction.createIndex(definition) == .created)
                #expect(try transaction.createIndex(definition) == .unchanged)
            }
            let rows = try transaction.indexes()
            #expect(rows.first { $0.name == "new value" }?.expression == value)
            #expect(rows.first { $0.name == "new array" }?.expression == array)
            let hasConditions = transaction.generation >= .newest
            #expect(rows.first { $0.name == "new value" }?.condition == (hasConditions ? "type = 'x'" : nil))
        }
        try #expect(database.read { try $0.integrityProblems() }.isEmpty)
    }

    static let samples: [(String, String?, String)] = [
        ("two", nil, "CREATE INDEX i ON kv_default (fl_value(body, 'two'))"),
        ("gender, birthday", nil, "CREATE INDEX i ON kv_default (fl_value(body, 'gender'), fl_value(body, 'birthday'))"),
        (
            "length(name.first) WHERE gender = 'female'", nil,
            "CREATE INDEX i ON kv_default (N1QL_length(fl_value(body, 'name.first'))) WHERE fl_value(body, 'gender') = 'female'"
        ),
        ("name.last COLLATE UNICODE:NOCASE", nil, "CREATE INDEX i ON kv_default (fl_value(body, 'name.last') COLLATE LCUnicode____NOCASE)"),
        ("META().id, META().sequence", nil, "CREATE INDEX i ON kv_default (key, sequence)"),
        ("[[\".gender\"],[\".birthday\"]]", nil, "CREATE INDEX i ON kv_default (fl_value(body, 'gender'), fl_value(body, 'birthday'))"),
        ("[\".gender\"]", nil, "CREATE INDEX i ON kv_default (fl_value(body, 'gender'))"),
        (
            "{\"WHAT\": [[\".age\"]], \"WHERE\": [\"=\", [\".type\"], \"person\"]}", nil,
            "CREATE INDEX i ON kv_default (fl_value(body, 'age')) WHERE fl_value(body, 'type') = 'person'"
        ),
        ("age", "active = true", "CREATE INDEX i ON kv_default (fl_value(body, 'age')) WHERE fl_value(body, 'active') = fl_bool(1)"),
        ("SELECT age WHERE active", nil, "CREATE INDEX i ON kv_default (fl_value(body, 'age')) WHERE fl_value(body, 'active')"),
        (
            "`where`, a.`where` where `x where y`", nil,
            "CREATE INDEX i ON kv_default (fl_value(body, 'where'), fl_value(body, 'a.where')) WHERE fl_value(body, 'x where y')"
        ),
        ("[a, 1]", nil, "CREATE INDEX i ON kv_default (array_of(fl_value(body, 'a'), 1))"),
        ("x || ' where '", nil, "CREATE INDEX i ON kv_default (concat(fl_value(body, 'x'), ' where '))"),
        ("ANY v IN tags SATISFIES v = 1 END", nil, "CREATE INDEX i ON kv_default (fl_contains(body, 'tags', 1))"),
    ]

    @Test(arguments: samples) func theSQLOfAValueIndex(_ sample: (text: String, condition: String?, sql: String)) throws {
        try database.write { transaction in
            _ = try transaction.createIndex(IndexDefinition(name: "i", .value, sample.text, where: sample.condition))
            let made = try #require(transaction.indexes().first)
            #expect(try transaction.indexSQL(made) == sample.sql)
            // What the row keeps gives the same index again.
            #expect(try transaction.createIndex(definition(made)) == .unchanged)
        }
    }

    static let mistakes: [(IndexDefinition.Kind, String, String?, String)] = [
        (.value, "", nil, "an index needs an expression"), (.value, "[]", nil, "an index needs an expression"),
        (.value, "count(*)", nil, "aggregate"), (.value, "$x", nil, "parameters"), (.value, "a LIKE 'x%'", nil, "LIKE cannot be part"),
        (.value, "(SELECT 1)", nil, ""), (.value, "age FROM _", nil, "an index has no FROM"),
        (.value, "age ORDER BY age", nil, "of nothing else"), (.value, "age AS a", nil, "no alias"), (.value, "age WHERE a", "b", "twice"),
        (.value, "age", "b GROUP BY c", "of nothing else"), (.value, "ANY v IN tags SATISFIES v > 1 END", nil, "ANY or EVERY"),
        (.value, "age,", nil, ""), (.value, "nosuch(age)", nil, ""), (.value, "[\"age\"]", nil, ""),
        (.value, "[1", nil, "list of expressions"),
        (.value, "{\"WHAT\":[[\".a\"]]}", "[\".b\"]", "has its condition in it"),
        (.fullText(FullTextOptions()), "lower(a)", nil, "propert"),
        (.fullText(FullTextOptions()), "_id", nil, "propert"), (.array(path: "contacts[]"), "", nil, "ends with a property"),
        (.array(path: ""), "", nil, "not the path of an array"), (.array(path: "a + b"), "", nil, "not the path of an array"),
        (.array(path: "a, b"), "", nil, "not the path of an array"), (.array(path: "a"), "b WHERE c", nil, "cannot have a condition"),
        (.value, "[\".a\"]", "true", "must be an array"), (.value, "a", "MATCH(x, 'y')", "MATCH"), (.value, "rank(x)", nil, "RANK"),
    ]

    @Test(arguments: mistakes) func whatCannotBeAnIndexIsExplained(
        _ mistake: (kind: IndexDefinition.Kind, text: String, condition: String?, message: String)
    ) throws {
        try database.write { transaction in
            let error = try #require(throws: QueryError.self) {
                try transaction.createIndex(IndexDefinition(name: "i", mistake.kind, mistake.text, where: mistake.condition))
            }
            let message = error.diagnostics.map(\.message).joined(separator: "\n")
            #expect(message.lowercased().contains(mistake.message.lowercased()))
            let isInText = error.diagnostics.allSatisfy {
                $0.range.isNone || $0.range.end <= mistake.text.utf8.count + (mistake.condition.map { $0.utf8.count + 7 } ?? 0)
            }
            #expect(isInText)
            #expect(try transaction.indexes().isEmpty)
        }
    }

    @Test func whereIsFoundOnlyWhereItIsAWordOfItsOwn() {
        func split(_ text: String) -> Int? { IndexText.condition(of: text)?.keyword }
        #expect(split("age WHERE a") == 4)
        #expect(split("age\nwhere(a)") == 4)
        #expect(split("nowhere, wherever, a.where, $where") == nil)
        #expect(split("'it''s where', \"a where\", `b where`, f(x WHERE y)") == nil)
        #expect(split("'a'' where '") == nil)
        // A backslash is a character like others in a string, and no blank is needed behind a quote.
        #expect(split("'\\' where a") == 4)
        #expect(split("`a`where b") == 3)
        #expect(split("'open where") == nil)
        #expect(split("where a") == 0)
    }

    /// After any changes, a query through an index gives what the same query without it gives.
    @Test(arguments: 1...3) func indexedQueriesGiveWhatOthersGive(_ seed: UInt64) throws {
        var random = SeededRandom(seed)
        let plain = try Database(path: directory.path + "/plain.cblite2", options: .create)
        let definitions = [
            try IndexDefinition(name: "byAge", .value, "age, name.last WHERE type = 'person'"),
            try IndexDefinition(name: "byName", .value, "name.last COLLATE UNICODE:NOCASE"),
            try IndexDefinition(name: "words", .fullText(FullTextOptions()), "bio, name.last"),
            try IndexDefinition(name: "tags", .array(path: "tags"), ""),
            try IndexDefinition(name: "phones", .array(path: "contacts[].phones"), "kind"),
        ]
        for round in 0..<6 {
            if round == 2 {
                try database.write { transaction in for definition in definitions { _ = try transaction.createIndex(definition) } }
            }
            var generator = random
            for target in [database, plain] {
                generator = random
                try target.write { try change($0, &generator) }
            }
            random = generator
            for query in queries {
                #expect(
                    try rows(query.sql, plain, unindexed: true) == rows(query.sql, database), "seed \(seed), round \(round): \(query.sql)")
                guard round >= 2 else { continue }
                let steps = try database.read { try plan(query.sql, $0) }
                #expect(steps.contains(query.index), "\(query.sql): \(steps)")
            }
        }
        try #expect(database.read { try $0.integrityProblems() }.isEmpty)
    }

    private var queries: [(sql: String, index: String)] {
        [
            ("SELECT META().id FROM _ WHERE type = 'person' AND age = 3", "byAge"),
            ("SELECT META().id FROM _ WHERE type = 'person' AND age > 2 AND age < 6", "byAge"),
            ("SELECT META().id FROM _ WHERE name.last = 'NG' COLLATE UNICODE:NOCASE", "byName"),
            ("SELECT META(d).id, t FROM _ AS d UNNEST d.tags AS t WHERE t = 'red'", "tags"),
            ("SELECT META(d).id, p.n FROM _ AS d UNNEST d.contacts AS c UNNEST c.phones AS p WHERE p.kind = 'home'", "phones"),
        ]
    }

    private func change(_ transaction: Transaction, _ random: inout SeededRandom) throws {
        for _ in 0..<40 {
            let id = "doc\(Int.random(in: 0..<50, using: &random))"
            func pick(_ choices: String...) -> String { choices.randomElement(using: &random) ?? "" }
            let body = """
                {"type": "\(pick("person", "thing"))", "age": \(pick("1", "3", "3.5", "5", "true", "null", "\"3\"")), "name": {"last": \
                "\(pick("ng", "NG", "Ångström"))"}, "bio": "\(pick("red fox", "blue fish", ""))", "tags": \
                \(pick("[]", "[\"red\",1]", "[\"red\",\"red\",null]", "{\"a\":\"red\"}")), "contacts": \
                \(pick("[]", "[{\"phones\":[{\"kind\":\"home\",\"n\":1},{\"kind\":\"work\",\"n\":2}]},{}]", "[{\"phones\":[{\"kind\":\"home\",\"n\":3}]}]"))}
                """
            switch Int.random(in: 0..<6, using: &random) {
            case 0: if try transaction.document(id)?.isDeleted == false { try transaction.delete(id) }
            case 1: _ = try transaction.purge(id)
            default: try transaction.save(id, body: transaction.encode(json: body))
            }
        }
    }

    private func translated(_ text: String, _ snapshot: Snapshot) throws -> TranslatedQuery {
        try Translator(schema: SnapshotSchema(snapshot)).translate(Select(sqlpp: text))
    }

    private func plan(_ text: String, _ snapshot: Snapshot) throws -> String {
        try snapshot.registerFunctions()
        let statement = try snapshot.connection.prepare("EXPLAIN QUERY PLAN " + translated(text, snapshot).sql)
        var plan = ""
        while try statement.step() { plan += (statement.string(3) ?? "") + "\n" }
        return plan
    }

    private func rows(_ text: String, _ database: Database, unindexed: Bool = false) throws -> [String] {
        try database.read { snapshot in
            if unindexed { #expect(try !plan(text, snapshot).contains("USING INDEX by")) }
            try snapshot.registerFunctions()
            let statement = try snapshot.connection.prepare(translated(text, snapshot).sql)
            var rows: [String] = []
            while try statement.step() {
                rows.append((0..<statement.columnCount).map { statement.string($0) ?? "-" }.joined(separator: "|"))
            }
            return rows.sorted()
        }
    }
}
