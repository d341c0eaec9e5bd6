import CBLFleece
import CBLSQLite
import Testing

@testable import CBLFunctions

/// Functions on one document, whose keys are shared ones.
@Suite struct FunctionTests {
    static let document = """
        {"name": {"first": "Ada", "last": "Ng"}, "age": 36, "big": 18446744073709551615, "pi": 3.25, "yes": true, "no": false, "nil": null,
         "tags": ["red", "blue", 3, 3.5, true, null, {"a": 1}], "k.d": "dotted", "p q.it's": 1, "empty": [], "none": {},
         "wide": [1, 5000, "a", 70000, -3000], "deep": [[[1]]], "text": "Straße", "vector": [1, 2.5, -3],
         "mixed": ["a", ["b", {"k": "c", "m": true}], 1.5, {"z": "d"}, null, "e"]}
        """

    let context = FunctionContext()
    let keys = SharedKeysBuilder()
    let connection: Connection

    init() throws {
        keys.onChange = { [context] in context.sharedKeys = $0 }
        connection = try registeredConnection(context)
        try connection.execute("CREATE TABLE docs (body BLOB)")
        let body = try FunctionTests.encode(FunctionTests.document, keys)
        try connection.withStatement("INSERT INTO docs VALUES (?)") { insert in
            try body.withRoot { _ in try insert.bind(blob: body.bytes, 1) }
            try insert.run()
        }
    }

    static func encode(_ json: String, _ keys: SharedKeysBuilder? = nil) throws -> FleeceData {
        let encoder = FleeceEncoder(sharedKeys: keys)
        try JSONParser.parse(json, into: encoder)
        return try encoder.finish()
    }

    func evaluate(_ expression: String) throws -> String {
        try connection.withStatement("SELECT fl_result(\(expression)) FROM docs") { row in
            try row.step()
            guard row.type(0) == 4, let bytes = row.blob(0) else { return json(row, 0) }
            return Value(root: bytes)?.json(keys: context.sharedKeys, style: .canonical) ?? "damaged"
        }
    }

    static let missing = "{\"$missing\":true}"

    @Test(arguments: [
        ("fl_value(body, 'name.first')", "\"Ada\""), ("fl_value(body, 'age')", "36"), ("fl_value(body, 'big')", "18446744073709551615"),
        ("fl_value(body, 'pi')", "3.25"), ("fl_value(body, 'yes')", "true"), ("fl_value(body, 'nil')", "null"),
        ("fl_value(body, 'tags[0]')", "\"red\""), ("fl_value(body, 'tags[-1].a')", "1"), ("fl_value(body, 'tags[7]')", missing),
        ("fl_value(body, 'k\\.d')", "\"dotted\""), ("fl_value(body, 'p q\\.it''s')", "1"), ("fl_value(body, 'name.first.x')", missing),
        ("fl_value(body, 'name')", "{\"first\":\"Ada\",\"last\":\"Ng\"}"), ("fl_value(body, 'wide')", "[1,5000,\"a\",70000,-3000]"),
        ("fl_value(NULL, 'x')", missing), ("fl_value(NULL, NULL)", "{}"), ("fl_value('text', 'x')", missing),
        ("fl_nested_value(fl_value(body, 'name'), 'last')", "\"Ng\""), ("fl_nested_value(fl_value(body, 'tags'), '[1]')", "\"blue\""),
        ("fl_nested_value(fl_value(body, 'age'), 'x')", missing), ("fl_nested_value(fl_root(body), '.age')", "36"),
        ("fl_unnested_value(7)", "7"), ("fl_unnested_value('t')", "\"t\""), ("fl_unnested_value(7, 'x')", missing),
        ("fl_unnested_value(fl_value(body, 'name'), 'last')", "\"Ng\""), ("fl_unnested_value(NULL)", missing),
        ("fl_exists(body, 'nil')", "true"), ("fl_exists(body, 'nix')", "false"), ("fl_count(body, 'tags')", "6"),
        ("fl_count(body, 'name')", "2"), ("fl_count(body, 'age')", missing), ("fl_count(body, 'empty')", "0"),
        ("fl_contains(body, 'tags', 'blue')", "true"), ("fl_contains(body, 'tags', 3)", "true"), ("fl_contains(body, 'tags', 3.0)", "true"),
        ("fl_contains(body, 'tags', 3.5)", "true"), ("fl_contains(body, 'tags', 4)", "false"),
        ("fl_contains(body, 'tags', fl_bool(1))", "true"),
        ("fl_contains(body, 'name', 'Ng')", "true"), ("fl_contains(body, 'age', 36)", "null"), ("fl_contains(body, 'nix', 36)", "null"),
        ("fl_contains(body, 'tags', fl_null())", "null"), ("fl_contains(body, 'tags', NULL)", missing),
        ("fl_contains(fl_value(body, 'tags'), NULL, 'red')", "true"), ("fl_null()", "null"), ("fl_bool(1)", "true"),
        ("fl_bool(0)", "false"),
        ("fl_boolean_result('')", "false"), ("fl_boolean_result('0')", "true"), ("fl_boolean_result(fl_null())", "null"),
        ("fl_boolean_result(NULL)", missing), ("fl_boolean_result(array_of())", "false"), ("fl_version(x'0102')", missing),
        ("fl_blob(body, 'name')", missing), ("array_of(1, fl_null(), NULL, 'a', fl_bool(0), 2.5)", "[1,null,\"a\",false,2.5]"),
        ("dict_of('b', 1, 'a', NULL, 'c', fl_value(body, 'tags[6]'))", "{\"b\":1,\"c\":{\"a\":1}}"), ("dict_of()", "{}"),
        ("array_of(fl_value(body, 'big'))", "[18446744073709551615]"),
        ("array_max(array_of(-3, -2))", "-2.0"), ("array_min(array_of())", "null"), ("array_avg(array_of(1, 2))", "1.5"),
        ("array_contains(fl_value(body, 'tags'), 3)", "true"), ("array_contains(array_of(3.5), 3)", "false"),
        ("toarray(fl_value(body, 'age'))", "[36]"), ("toarray(5000000000)", "[5000000000]"), ("tostring(1e15)", "\"1000000000000000.0\""),
        (
            "concat(fl_value(body, 'yes'), fl_value(body, 'nil'), fl_value(body, 'name'), 1.0)",
            "\"truenull{\\\"first\\\":\\\"Ada\\\",\\\"last\\\":\\\"Ng\\\"}1.0\""
        ),
        ("N1QL_upper(fl_value(body, 'text'))", "\"STRASSE\""), ("N1QL_lower('ΑΣ ABC')", "\"ας abc\""), ("N1QL_upper('ŉ')", "\"ʼN\""),
        ("N1QL_upper('abc')", "\"ABC\""), ("N1QL_trim(char(0x2003) || ' x y ' || char(0x3000))", "\"x y\""), ("N1QL_ltrim('  ')", "\"\""),
        ("contains('aab', 'ab')", "true"), ("contains('Été', 'éTÉ', 'LCUnicode_C__')", "true"),
        ("contains('Ete', 'éte', 'LCUnicode_CD_')", "true"),
        ("contains('abc', '')", "true"), ("contains('abc', 'd')", "false"), ("contains('aéb', 'eb')", "false"),
        ("fl_like('Hello', 'h%O', 'LCUnicode_C__')", "true"), ("fl_like('Hello', 'h%', 'BINARY')", "false"),
        ("fl_like('été', 'e_e', 'LCUnicode_CD_')", "true"),
        ("fl_like('a%c', 'a\\%c', 'LCUnicode____')", "true"), ("fl_like('abc', 'a\\%c', 'LCUnicode____')", "false"),
        ("fl_like('', '%', 'BINARY')", "true"),
        ("fl_like('aXbXc', '%X%c%', 'BINARY')", "true"), ("fl_like(fl_null(), '%', 'LCUnicode____')", "null"),
        ("regexp_like('über', 'b')", "true"), ("regexp_position('über', 'b')", "2"), ("regexp_like('a', '^.$')", "true"),
        ("regexp_like('é', '^.$')", "false"), ("regexp_like('', '')", "true"), ("regexp_like('', 'a')", "false"),
        ("regexp_position('a', '')", "0"), ("regexp_replace('ab', '', '-')", "\"-a-b-\""), ("regexp_replace('', '^$', 'x')", "\"x\""),
        ("regexp_like('é', '^\\W\\W$')", "true"), ("regexp_like('x]', '[]x]')", "false"), ("regexp_like('x-', '^[a-z-]+$')", "true"),
        ("regexp_like('aa', '^(a)\\1$')", "true"), ("regexp_like('a[&&b', '^[a\\[&b]+$')", "true"),
        ("regexp_replace('abab', 'a(b)', '<$1$&$$>')", "\"<bab$><bab$>\""),
        ("regexp_replace('aaa', 'a', 'b', 2)", "\"bba\""), ("regexp_replace('aaa', 'a', 'b', 0)", "\"aaa\""),
        ("regexp_replace('xaya', 'a', '[$`]')", "\"x[x]y[y]\""),
        ("regexp_replace('ab', 'x*', '-')", "\"-a-b-\""),
        ("regexp_like('5', '[[:digit:]]')", "true"), ("sign(NULL)", missing), ("sign('x')", "null"), ("idiv(7, -2)", "-3"),
        ("idiv(1, 0.5)", "null"),
        ("idiv(-9223372036854775807 - 1, -1)", "-9223372036854775808"), ("round(0.5)", "1.0"), ("round(12345.678, -2)", "12300.0"),
        ("euclidean_distance(array_of(1, 2), array_of(4, 6))", "5.0"), ("euclidean_distance(array_of(1, 2), array_of(4, 6), 2)", "25.0"),
        ("cosine_distance(array_of(1, 0), array_of(0, 1))", "1.0"), ("euclidean_distance(array_of(1), array_of())", missing),
        ("hex(fl_vector_to_index(body, 'vector', 3))", "\"0000803F00002040000040C0\""), ("fl_vector_to_index(body, 'vector', 4)", missing),
        ("fl_vector_to_index(body, 'tags', 7)", missing), ("hex(encode_vector('AACAPwAAIEA='))", "\"0000803F00002040\""),
        ("typeof(fl_value(body, 'nil')) || length(fl_value(body, 'nil'))", "\"blob0\""), ("isvalued(fl_value(body, 'nil'))", "0"),
        ("str_to_utc('2018-01-01T24:00:00Z')", "\"2018-01-02T00:00:00Z\""), ("str_to_millis('2018-01-01T00:00:00.9999Z')", "1514764801000"),
        ("date_add_millis(0, 9223372036854775807, 'week')", missing), ("date_add_millis(1, 1, 5)", "-1"),
        ("date_add_millis(1, 1, NULL)", "-1"),
        ("date_add_str('2018-10-23 18:33:01+0200', 1, 'fortnight')", "\"1970-01-01T01:59:59.999+0200\""),
        ("millis_to_utc(1500, '%F%T%z')", "\"1970-01-01T00:00:01.500Z\""), ("millis_to_utc(1500, '%FT')", "\"1970-01-01T00:00:01.500Z\""),
        ("millis_to_utc(1500, '%FT%T')", "\"1970-01-01\""), ("millis_to_utc(1500, '%F %H:%M:%S%.s')", "\"1970-01-01 00:00:01.500\""),
        ("millis_to_utc(1500, '%T%zx')", "\"1970-01-01T00:00:01.500Z\""), ("millis_to_utc(1500, '%H:%M:%S%Ez')", "\"00:00:01Z\""),
        ("millis_to_tz(1500, 60, '11:11:11+xxxx')", "\"01:00:01+0100\""), ("millis_to_str(-9223372036854775808, 'x')", "null"),
        ("date_add_str('2018-01-31', 1, 'MONTH')", "\"2018-03-03T00:00:00Z\""),
        ("millis_to_utc(9223372036854775807)", "null"), ("millis_to_tz(0, -90)", "\"1969-12-31T22:30:00-0130\""),
        ("date_diff_str('2018-01-01T00:00:00Z', '2017-12-31T00:00:00Z', 'fortnight')", missing),
    ])
    func functionsGiveWhatTheyShould(_ expression: String, _ expected: String) throws {
        #expect(try evaluate(expression) == expected, "\(expression)")
    }

    @Test(arguments: [
        ("fl_fts_value(body, 'mixed')", "\" a  1.5   e d b  c T\""), ("fl_fts_value(body, 'empty')", "\"\""),
        ("fl_fts_value(body, 'nil')", "\"\""),
        ("fl_fts_value(body, 'nix')", missing), ("fl_fts_value(body, 'text')", "\"Straße\""), ("fl_fts_value(body, 'no')", "\"F\""),
        ("fl_fts_value(body, 'age')", "\"36\""), ("fl_fts_value(body, 'pi')", "\"3.25\""),
    ])
    func fullTextIsTheTextOfAllScalars(_ expression: String, _ expected: String) throws {
        #expect(try evaluate(expression) == expected)
    }

    @Test(arguments: [
        ("fl_value(body, 'a..b')", "property name"), ("fl_value(body, 5)", "path"), ("regexp_like('a', '(')", "invalid regular expression"),
        ("regexp_like('a', 'a**')", "nothing to repeat"), ("regexp_like('a', '(?<=a)b')", "group"),
        ("regexp_like('a', '\\p{L}')", "escape"),
        ("regexp_like('a', '[b-a]')", "range"), ("dict_of('a')", "even number"), ("dict_of(1, 2)", "string"),
        ("concat('a')", "two or more"),
        ("N1QL_trim('a', 'b')", "two-parameter"), ("contains('a', 'b', 'NOSUCH')", "no such collation"), ("rank(x'00')", "matchinfo"),
        ("rank(x'ffffffffffffffff')", "matchinfo"), ("encode_vector('x')", "raw vector data length not multiple of 4"),
        ("regexp_like('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab', '^(a|a)*$')", "too long"),
    ])
    func whatCannotBeDoneIsSaid(_ expression: String, _ words: String) throws {
        #expect { try evaluate(expression) } throws: { ($0 as? SQLiteError)?.message.contains(words) == true }
    }

    @Test(arguments: [
        (
            "fl_each(d.body, 'tags')",
            ["0|NULL|red|3", "1|NULL|blue|3", "2|NULL|3|2", "3|NULL|3.5|2", "4|NULL|1|1", "5|NULL||0", "6|NULL|{}|6"]
        ),
        ("fl_each(d.body, 'name')", ["0|first|Ada|3", "1|last|Ng|3"]), ("fl_each(d.body, 'age')", ["0|NULL|36|2"]),
        ("fl_each(d.body, 'nil')", ["0|NULL||0"]),
        ("fl_each(d.body, 'nix')", []), ("fl_each(d.body, 'empty')", []), ("fl_each(fl_value(d.body, 'deep'))", ["0|NULL|{}|5"]),
        ("fl_each(NULL)", []), ("fl_each(NULL, 'x')", []), ("fl_each('text')", ["0|NULL|text|3"]), ("fl_each(fl_null())", []),
        ("fl_each(array_of(fl_null()))", ["0|NULL||0"]),
    ])
    func eachGivesARowForEveryItem(_ call: String, _ rows: [String]) throws {
        let sql = """
            SELECT e.rowid || '|' || ifnull(e.key, 'NULL') || '|' || CASE WHEN e.type > 4 THEN '{}' ELSE e.value END || '|' || e.type
              FROM docs AS d JOIN \(call) AS e
            """
        #expect(try connection.strings(sql) == rows)
    }

    @Test func itemsOfEachCanBeLookedInto() throws {
        let sql =
            "SELECT fl_nested_value(e.body, 'a') || fl_nested_value(e.data, 'a') FROM docs AS d, fl_each(d.body, 'tags') AS e WHERE e.type = 6"
        #expect(try connection.strings(sql) == ["11"])
        #expect(
            try connection.strings(
                "SELECT x.value FROM docs AS d, fl_each(d.body, 'deep') AS o, fl_each(o.value) AS i, fl_each(i.body) AS x") == ["1"])
        #expect(try connection.strings("SELECT fl_result(fl_root(e.body)) FROM docs AS d, fl_each(d.body, 'age') AS e").count == 1)
    }

    @Test func aggregatedValuesMakeAnArray() throws {
        #expect(try evaluate("(SELECT array_agg(e.value) FROM fl_each(docs.body, 'wide') AS e)") == "[1,5000,\"a\",70000,-3000]")
        #expect(try evaluate("(SELECT array_agg(x) FROM (SELECT 1 AS x) WHERE 0)") == "[]")
    }

    @Test func rankIsTheShareOfAllHits() throws {
        try connection.execute(
            script: """
                CREATE VIRTUAL TABLE t USING fts4(x, tokenize=unicodesn "stemmer=en");
                INSERT INTO t VALUES ('dogs and a dog'), ('cats'), ('dog')
                """)
        #expect(
            try connection.strings("SELECT round(rank(matchinfo(t)), 6) FROM t WHERE t MATCH 'dog' ORDER BY docid") == [
                "0.666667", "0.333333",
            ])
    }

    @Test func hooksAnswerForTheStore() throws {
        context.revisionText = { "\($0.count) bytes" }
        context.blobContent = { dictionary, keys in dictionary.value(forKey: "first", keys).map { Array(($0.string ?? "").utf8) } }
        #expect(try evaluate("fl_version(x'0102')") == "\"2 bytes\"")
        #expect(try evaluate("CAST(fl_blob(body, 'name') AS TEXT)") == "\"Ada\"")
        context.currentBody = { UnsafeRawBufferPointer(rebasing: $0[..<0]) }
        #expect(try evaluate("fl_value(body, 'age')") == FunctionTests.missing)
    }

    @Test func everyNameOfASchemaIsRegistered() throws {
        let names = """
            fl_value fl_root fl_version fl_nested_value fl_unnested_value fl_fts_value fl_blob fl_exists fl_count fl_contains fl_null fl_bool \
            fl_result fl_boolean_result fl_vector_to_index encode_vector fl_like array_of dict_of rank array_agg array_avg array_contains \
            array_count array_ifnull array_length array_max array_min array_sum ifmissingornull N1QL_ifnull missingif N1QL_nullif N1QL_length \
            N1QL_lower N1QL_upper N1QL_trim N1QL_ltrim N1QL_rtrim concat contains regexp_contains regexp_like regexp_position regexp_replace \
            isarray isatom isboolean isnumber isobject isstring isvalued type toarray toatom toboolean tonumber toobject tostring abs acos asin \
            atan atan2 ceil cos degrees e exp floor ln log pi power radians round round_even sign sin sqrt tan trunc div idiv millis_to_str \
            millis_to_utc millis_to_tz str_to_millis str_to_utc str_to_tz date_add_millis date_add_str date_diff_millis date_diff_str
            """
        for name in names.split(separator: " ") {
            let count = try connection.integer(
                "SELECT count(*) FROM pragma_function_list WHERE name = '\(name)' COLLATE NOCASE AND builtin = 0")
            #expect(count ?? 0 > 0, "\(name)")
        }
    }

    static let readers = [
        "fl_value(body, 'name.first')", "fl_value(body, 'tags')", "fl_value(body, NULL)", "fl_root(body)", "fl_fts_value(body, 'mixed')",
        "fl_fts_value(body, NULL)", "fl_exists(body, 'deep[0][0]')", "fl_count(body, 'tags')", "fl_contains(body, 'tags', 'blue')",
        "fl_nested_value(body, 'wide[3]')", "fl_unnested_value(body)", "concat(body, 'x')", "array_of(body)", "tostring(body)",
        "type(body)",
        "toboolean(body)", "toatom(body)", "array_sum(body)", "euclidean_distance(body, body)", "fl_vector_to_index(body, 'vector', 3)",
        "fl_result(body)", "(SELECT group_concat(e.key || hex(e.value) || hex(e.data)) FROM fl_each(body, NULL) AS e)",
        "(SELECT count(e.value) FROM fl_each(body, 'mixed') AS e)", "rank(body)",
    ]

    @Test func damagedBodiesNeverCrash() throws {
        let document = try FunctionTests.encode(FunctionTests.document, keys)
        let bytes = document.withRoot { _ in Array(document.bytes) }
        var generator = SeededGenerator(seed: 9)
        var bodies = (0..<bytes.count).map { Array(bytes[..<$0]) }
        for _ in 0..<1500 {
            var body = bytes
            for _ in 0...Int.random(in: 0...2, using: &generator) {
                body[Int.random(in: 0..<body.count, using: &generator)] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            }
            bodies.append(body)
        }
        bodies += (0..<200).map { _ in
            (0..<Int.random(in: 0...40, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
        }
        for expression in FunctionTests.readers {
            let statement = try connection.prepare("SELECT \(expression) FROM (SELECT ? AS body)")
            for body in bodies {
                try body.withUnsafeBytes { try statement.bind(blob: $0, 1) }
                do { try statement.step() } catch { #expect(error.code == 1, "\(expression): \(error)") }
                statement.reset()
            }
        }
    }
}
