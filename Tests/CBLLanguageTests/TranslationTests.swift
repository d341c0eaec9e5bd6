import CBLLanguage
import Testing

/// The SQL of queries, word by word as the vendor's program explains it, but for what it gets wrong.
struct TranslationTests {
    /// A database without documents, with an array index or two.
    struct Schema: QuerySchema {
        let assumed = AssumedSchema()
        var databaseName: String { assumed.databaseName }
        let collectionNames = ["books", "shop.hotels"]

        func collection(scope: String, name: String) -> QueryCollection? {
            name == "_default" || collectionNames.contains(scope == "_default" ? name : "\(scope).\(name)")
                ? assumed.collection(scope: scope, name: name) : nil
        }

        func fullTextTable(index: String, of collection: QueryCollection) -> String? {
            index == "none" ? nil : assumed.fullTextTable(index: index, of: collection)
        }

        func unnestTable(plainName: String) -> String? {
            switch plainName {
            case "kv_default:unnest:contacts": "42e4f661ecc2f3f6375b066daabb494f0461d4bd"
            case "kv_default:unnest:contacts[].\\E\\Mails": "b85f1d88e158021f61481a16388c465aa479cf76"
            default: nil
            }
        }
    }

    private func sql(_ query: String) throws -> String {
        let select = query.hasPrefix("{") || query.hasPrefix("[") ? try Select(json: query) : try Select(sqlpp: query)
        return try Translator(schema: Schema()).translate(select).sql
    }

    static let statements = [
        (
            "SELECT num, num*num AS sq FROM _ WHERE num > 10",
            "SELECT fl_result(fl_value(_.body, 'num')), fl_value(_.body, 'num') * fl_value(_.body, 'num') AS sq FROM kv_default AS _ WHERE fl_value(_.body, 'num') > 10 AND (_.flags & 1 = 0)"
        ),
        (
            "SELECT a.n FROM _ a JOIN books b ON a.n = b.t OR a.n = 2",
            "SELECT fl_result(fl_value(a.body, 'n')) FROM kv_default AS a INNER JOIN \"kv_.books\" AS b ON fl_value(a.body, 'n') = fl_value(b.body, 't') OR fl_value(a.body, 'n') = 2 WHERE (a.flags & 1 = 0)"
        ),
        ("SELECT META().id FROM _ WHERE META().deleted", "SELECT _.key FROM all_default AS _ WHERE (_.flags & 1 != 0)"),
        (
            "SELECT b.t FROM _ a left outer JOIN _ b ON a.x = b.x OR b.y",
            "SELECT fl_result(fl_value(b.body, 't')) FROM kv_default AS a LEFT OUTER JOIN kv_default AS b ON (fl_value(a.body, 'x') = fl_value(b.body, 'x') OR fl_value(b.body, 'y')) AND (b.flags & 1 = 0) WHERE (a.flags & 1 = 0)"
        ),
        (
            "SELECT hotels.name FROM shop.hotels CROSS JOIN books WHERE shop.hotels.id = books.id",
            "SELECT fl_result(fl_value(\"shop.hotels\".body, 'name')) FROM \"kv_.shop.hotels\" AS \"shop.hotels\" CROSS JOIN \"kv_.books\" AS books WHERE fl_value(\"shop.hotels\".body, 'id') = fl_value(books.body, 'id')"
        ),
        (
            "SELECT DISTINCT a FROM books GROUP BY a, b HAVING count(*) > 1 ORDER BY a DESC, b LIMIT 5 OFFSET $n",
            "SELECT DISTINCT fl_result(fl_value(books.body, 'a')) FROM \"kv_.books\" AS books GROUP BY fl_value(books.body, 'a'), fl_value(books.body, 'b') HAVING count(*) > 1 ORDER BY fl_value(books.body, 'a') DESC, fl_value(books.body, 'b') LIMIT 5 OFFSET max($_n, 0)"
        ),
        (
            "SELECT x FROM books LIMIT -3",
            "SELECT fl_result(fl_value(books.body, 'x')) FROM \"kv_.books\" AS books LIMIT 0"
        ),
        (
            "SELECT x FROM books OFFSET 7",
            "SELECT fl_result(fl_value(books.body, 'x')) FROM \"kv_.books\" AS books LIMIT -1 OFFSET 7"
        ),
        (
            #"["=", [".n"], 1]"#,
            "SELECT _doc.key, _doc.sequence FROM kv_default AS _doc WHERE fl_value(_doc.body, 'n') = 1 AND (_doc.flags & 1 = 0)"
        ),
        (
            "SELECT CASE NULL WHEN x THEN 1 END FROM books",
            "SELECT fl_result(CASE WHEN fl_value(books.body, 'x') THEN 1 ELSE fl_null() END) FROM \"kv_.books\" AS books"
        ),
        // UNNEST
        (
            "SELECT c, c.type, e FROM books b UNNEST b.contacts c UNNEST c.emails AS e",
            "SELECT fl_result(c.value), fl_result(fl_nested_value(c.body, 'type')), fl_result(e.value) FROM \"kv_.books\" AS b JOIN fl_each(b.body, 'contacts') AS c JOIN fl_each(c.value, 'emails') AS e"
        ),
        (
            "SELECT c.type FROM books b UNNEST b.contacts c GROUP BY c.type",
            "SELECT fl_result(fl_nested_value(c.data, 'type')) FROM \"kv_.books\" AS b JOIN fl_each(b.body, 'contacts') AS c GROUP BY fl_nested_value(c.data, 'type')"
        ),
        (
            "SELECT `list`.x, `a.b` FROM books b UNNEST b.list UNNEST b.a.b",
            "SELECT fl_result(fl_nested_value(list.body, 'x')), fl_result(\"a.b\".value) FROM \"kv_.books\" AS b JOIN fl_each(b.body, 'list') AS list JOIN fl_each(b.body, 'a.b') AS \"a.b\""
        ),
        (
            "SELECT c, e.x FROM _ b UNNEST b.contacts c UNNEST c.EMails e",
            "SELECT fl_result(fl_unnested_value(c.body)), fl_result(fl_unnested_value(e.body, 'x')) FROM kv_default AS b JOIN \"42e4f661ecc2f3f6375b066daabb494f0461d4bd\" AS c ON c.docid=b.rowid JOIN b85f1d88e158021f61481a16388c465aa479cf76 AS e ON e.docid=c.rowid WHERE (b.flags & 1 = 0)"
        ),
        // The index has live documents only.
        (
            "SELECT c FROM _ b UNNEST b.contacts c WHERE META(b).deleted",
            "SELECT fl_result(c.value) FROM all_default AS b JOIN fl_each(b.body, 'contacts') AS c WHERE (b.flags & 1 != 0)"
        ),
        // Full text
        (
            "SELECT META().id FROM _ WHERE MATCH(byStreet, $q) ORDER BY RANK(byStreet) DESC",
            "SELECT _.rowid, offsets(\"<idx1>\".\"kv_default::by\\Street\"), _.key FROM kv_default AS _ INNER JOIN \"kv_default::by\\Street\" AS \"<idx1>\" ON \"<idx1>\".docid = _.rowid WHERE \"<idx1>\".\"kv_default::by\\Street\" MATCH $_q AND (_.flags & 1 = 0) ORDER BY rank(matchinfo(\"<idx1>\".\"kv_default::by\\Street\")) DESC"
        ),
        (
            "SELECT count(*) FROM books AS b WHERE MATCH(b.t, 'a') AND (x = 1 AND MATCH(b.u, 'b'))",
            "SELECT count(*) FROM \"kv_.books\" AS b INNER JOIN \"kv_.books::t\" AS \"<idx1>\" ON \"<idx1>\".docid = b.rowid INNER JOIN \"kv_.books::u\" AS \"<idx2>\" ON \"<idx2>\".docid = b.rowid WHERE \"<idx1>\".\"kv_.books::t\" MATCH 'a' AND (fl_value(b.body, 'x') = 1 AND \"<idx2>\".\"kv_.books::u\" MATCH 'b')"
        ),
        // A SELECT in an expression
        (
            "SELECT x FROM books WHERE EXISTS (SELECT 1 FROM _)",
            "SELECT fl_result(fl_value(books.body, 'x')) FROM \"kv_.books\" AS books WHERE EXISTS (SELECT fl_result(1) FROM kv_default AS _ WHERE (_.flags & 1 = 0))"
        ),
        (
            #"{"WHAT": [["array_count()", ["SELECT", {"WHAT": [".x"], "FROM": [{"COLLECTION": "books"}]}]]], "FROM": [{"COLLECTION": "books"}]}"#,
            "SELECT array_count((SELECT fl_result(fl_value(books.body, 'x')) FROM \"kv_.books\" AS books)) FROM \"kv_.books\" AS books"
        ),
        // Aliases that SQLite would take for something else
        (
            "SELECT a AS key, b AS `order` FROM books WHERE key = 1 ORDER BY `order`, key.x",
            "SELECT fl_result(fl_value(books.body, 'a')) AS \"<key>\", fl_result(fl_value(books.body, 'b')) AS \"order\" FROM \"kv_.books\" AS books WHERE \"<key>\" = 1 ORDER BY \"order\", fl_nested_value(\"<key>\", 'x')"
        ),
        ("SELECT `from`.x FROM books AS `from`", "SELECT fl_result(fl_value(\"from\".body, 'x')) FROM \"kv_.books\" AS \"from\""),
    ]

    @Test(arguments: statements) func statementsAreWrittenInSQL(_ query: String, _ expected: String) throws {
        #expect(try sql(query) == expected)
    }

    static let expressions = [
        ("null", "fl_null()"), ("true", "fl_bool(1)"), ("false", "fl_bool(0)"), (#"["MISSING"]"#, "NULL"), ("1.0", "1.0"),
        ("-0.5e-10", "-5e-11"),
        ("18446744073709551615", "18446744073709551615"), (#""it's""#, "'it''s'"), (#""a\u0000b""#, "CAST(x'610062' AS TEXT)"),
        (#"{"b": 1, "a": ["MISSING"]}"#, "dict_of('a', NULL, 'b', 1)"), (#"["[]", 1, null]"#, "array_of(1, fl_null())"),
        (#"[".a.b[0]"]"#, "fl_value(body, 'a.b[0]')"), (#"[".","a",[-1],"b.c"]"#, #"fl_value(body, 'a[-1].b\.c')"#),
        (#"["."]"#, "fl_root(body)"),
        (#"[".$x"]"#, #"fl_value(body, '\$x')"#), (#"[".a[0"]"#, "fl_value(body, 'a[0]')"),
        (#"["_.", [".x"], "p"]"#, "fl_nested_value(fl_value(body, 'x'), 'p')"),
        (#"["_.p.q", [".x"]]"#, "fl_nested_value(fl_value(body, 'x'), 'p.q')"), (#"["._id"]"#, "key"),
        (#"["_.", ["META()"], ".Sequence"]"#, "sequence"),
        (#"["._DELETED"]"#, "(flags & 1 != 0)"), (#"["._expiration"]"#, "expiration"), (#"["._revisionID"]"#, "fl_version(version)"),
        (#"["._rowid"]"#, "rowid"), (#"["_.id", ["META()"]]"#, "fl_nested_value(\(metaObject), 'id')"), (#"["META()"]"#, metaObject),
        (#"["+", 1, 2, 3]"#, "1 + 2 + 3"), (#"["*", ["+", 1, 2], 3]"#, "(1 + 2) * 3"), (#"["-", ["-", 1, 2], 3]"#, "(1 - 2) - 3"),
        (#"["-", [".x"]]"#, "-fl_value(body, 'x')"), (#"["-", -5]"#, "-(-5)"), (#"["-", ["-", 5]]"#, "-(-5)"),
        (#"["||", "a", 1]"#, "concat('a', 1)"),
        (#"["=", ["NOT", [".a"]], [".b"]]"#, "NOT fl_value(body, 'a') = fl_value(body, 'b')"), (#"["NOT", ["=", 1, 2]]"#, "NOT (1 = 2)"),
        (#"["and", ["or", 1, 2], ["<", 1, 2]]"#, "(1 OR 2) AND 1 < 2"), (#"["IS", [".x"], null]"#, "fl_value(body, 'x') = fl_null()"),
        (#"["IS NOT", [".x"], null]"#, "fl_value(body, 'x') != fl_null()"),
        (#"["IS", [".x"], ["MISSING"]]"#, "fl_value(body, 'x') IS NULL"),
        (#"["IS VALUED", [".x"]]"#, "isvalued(fl_value(body, 'x'))"), (#"["IN", 1, ["[]", 1, 2]]"#, "1 IN (1, 2)"),
        (#"["NOT IN", 1, ["[]"]]"#, "1 NOT IN ()"), (#"["IN", 1, [".l"]]"#, "array_contains(fl_value(body, 'l'), 1)"),
        (#"["NOT IN", 1, [".l"]]"#, "NOT array_contains(fl_value(body, 'l'), 1)"),
        (#"["LIKE", [".x"], "a%"]"#, #"fl_value(body, 'x') LIKE 'a%' ESCAPE '\'"#),
        (#"["COLLATE", {"CASE": false}, ["LIKE", [".x"], "a%"]]"#, "fl_like(fl_value(body, 'x'), 'a%', 'NOCASE')"),
        (#"["BETWEEN", 2, ["+", 1, 1], 3]"#, "2 BETWEEN 1 + 1 AND 3"),
        (#"["CASE", [".x"], 1, "a"]"#, "CASE fl_value(body, 'x') WHEN 1 THEN 'a' ELSE fl_null() END"),
        (#"["CASE", null, [".x"], 1, 2]"#, "CASE WHEN fl_value(body, 'x') THEN 1 ELSE 2 END"),
        (#"["EXISTS", [".p"]]"#, "fl_exists(body, 'p')"),
        (#"["ANY", "v", [".l"], ["=", ["?v"], 1]]"#, "fl_contains(body, 'l', 1)"),
        (#"["ANY", "v", ["[]", 1], ["=", ["?v"], 1]]"#, "fl_contains(array_of(1), NULL, 1)"),
        // What is compared may not depend on the item, and null is another matter.
        (
            #"["ANY", "v", [".l"], ["=", ["?v"], ["?v.x"]]]"#,
            "EXISTS (SELECT 1 FROM fl_each(body, 'l') AS _v WHERE _v.value = fl_nested_value(_v.body, 'x'))"
        ),
        (#"["ANY", "v", [".l"], ["IS", ["?v"], null]]"#, "EXISTS (SELECT 1 FROM fl_each(body, 'l') AS _v WHERE _v.value = fl_null())"),
        (
            #"["ANY", "v", [".l"], ["ANY", "w", ["?v.m"], ["=", ["?v"], ["?w"]]]]"#,
            "EXISTS (SELECT 1 FROM fl_each(body, 'l') AS _v WHERE EXISTS (SELECT 1 FROM fl_each(fl_nested_value(_v.body, 'm')) AS _w WHERE _v.value = _w.value))"
        ),
        (
            #"["EVERY", "v", [".l"], [">", ["?", "v", "x"], 1]]"#,
            "NOT EXISTS (SELECT 1 FROM fl_each(body, 'l') AS _v WHERE NOT (fl_nested_value(_v.body, 'x') > 1))"
        ),
        (
            #"["ANY AND EVERY", "v", [".l"], ["?v"]]"#,
            "(fl_count(body, 'l') > 0 AND NOT EXISTS (SELECT 1 FROM fl_each(body, 'l') AS _v WHERE NOT (_v.value)))"
        ),
        (
            #"["ANY AND EVERY", "v", ["[]", 1], ["?v"]]"#,
            "(EXISTS (SELECT 1 FROM fl_each(array_of(1)) AS _v WHERE _v.type != 0) AND NOT EXISTS (SELECT 1 FROM fl_each(array_of(1)) AS _v WHERE NOT (_v.value)))"
        ),
        (#"["BLOB", ".x"]"#, "fl_blob(body, 'x')"), (#"["array_count()", [".l"]]"#, "fl_count(body, 'l')"),
        (#"["Array_Count()", ["[]"]]"#, "array_count(array_of())"),
        (#"["LENGTH()", "x"]"#, "N1QL_length('x')"), (#"["greatest()", 1, 2]"#, "max(1, 2)"), (#"["ifmissing()", 1, 2]"#, "coalesce(1, 2)"),
        (#"["to_string()", 1]"#, "tostring(1)"), (#"["contains()", "a", "b"]"#, "contains('a', 'b', 'BINARY')"),
        // Collations
        (#"["COLLATE", {"CASE": false}, [".x"]]"#, "fl_value(body, 'x') COLLATE NOCASE"),
        (
            #"["COLLATE", {"unicode": true, "case": false, "diac": false, "locale": "se"}, [".x"]]"#,
            "fl_value(body, 'x') COLLATE LCUnicode_CD_se"
        ),
        (
            #"["COLLATE", {"CASE": false}, ["AND", ["=", [".a"], "x"], ["=", [".b"], "y"]]]"#,
            "fl_value(body, 'a') COLLATE NOCASE = 'x' AND fl_value(body, 'b') = 'y'"
        ),
        (
            #"["COLLATE", {"UNICODE": true, "CASE": false}, ["contains()", [".a"], "b"]]"#,
            "contains(fl_value(body, 'a'), 'b', 'LCUnicode_C__') COLLATE LCUnicode_C__"
        ),
        (
            #"["COLLATE", {"UNICODE": true}, ["=", ["COLLATE", {"CASE": false}, [".a"]], "b"]]"#,
            "(fl_value(body, 'a') COLLATE LCUnicode_C__) COLLATE LCUnicode____ = 'b'"
        ),
    ]

    static let metaObject =
        "dict_of('id', key, 'sequence', sequence, 'deleted', (flags & 1 != 0), 'expiration', expiration, 'revisionID', fl_version(version))"

    @Test(arguments: expressions) func expressionsAreWrittenInSQL(_ json: String, _ expected: String) throws {
        // In an index where that goes, as nothing is around it there.
        let translator = Translator(schema: Schema())
        #expect(try translator.indexExpression(QueryExpression(json: json), column: "") == expected)
    }

    static let columns = [
        ("v, v, v", ["v", "v #2", "v #3"]), ("1+1, v AS `$1`", ["$2", "$1"]), ("*", ["_"]),
        ("META().id, META(), _sequence", ["id", "_", "sequence"]),
        ("a.b[0], a.b, x.y.z", ["$1", "b", "z"]), ("(a).b, $p, 'x' || 'y', count(*)", ["$1", "$2", "$3", "$4"]),
        ("array_count(a.l), array_length(a.l)", ["l", "$1"]), ("v AS `v #2`, v, v", ["v #2", "v", "v #3"]), ("_.x, `_`", ["x", "_"]),
        ("'v', 'a.b', 'x' AS y, ''", ["v", "b", "y", "_"]),
    ]

    @Test func aTextThatIsAllOfAResultOrOfAKeyIsAProperty() throws {
        let query = try Translator(schema: Schema()).translate(Select(sqlpp: "SELECT 'a.b', 'c' AS c FROM _ GROUP BY 'a.b', 'd' || ''"))
        let property = "fl_value(_.body, 'a.b')"
        #expect(query.sql.hasPrefix("SELECT fl_result(\(property)), fl_result('c') AS c FROM "), "\(query.sql)")
        #expect(query.sql.hasSuffix(" GROUP BY \(property), concat('d', '')"), "\(query.sql)")
        #expect(throws: QueryError.self) { try Translator(schema: Schema()).translate(Select(sqlpp: "SELECT 'a[' FROM _")) }
    }

    @Test(arguments: columns) func columnsHaveTitles(_ results: String, _ titles: [String]) throws {
        #expect(try Translator(schema: Schema()).translate(Select(sqlpp: "SELECT \(results) FROM _")).titles == titles)
    }

    @Test func titlesOfNamesakesBearTheScope() throws {
        let select = try Select(
            json: #"{"WHAT": [[".a.c."], [".b.c."]], "FROM": [{"SCOPE": "a", "COLLECTION": "c"}, {"COLLECTION": "b.c", "JOIN": "CROSS"}]}"#)
        #expect(try Translator(schema: AssumedSchema()).translate(select).titles == ["a.c", "c"])
    }

    @Test func whatAQueryReadsAndNeedsIsKnown() throws {
        let select = try Select(
            sqlpp: "SELECT $b FROM _ a JOIN books ON a.x = $a AND EXISTS (SELECT META().deleted FROM shop.hotels WHERE x = $b)")
        let query = try Translator(schema: Schema()).translate(select)
        #expect(query.parameters == ["a", "b"])
        #expect(Set(query.sources.map(\.alias)) == ["a", "books", "shop.hotels"])
        #expect(query.sources.filter(\.readsDeleted).map(\.alias) == ["shop.hotels"])
        #expect(!query.isAggregate)
    }

    /// Where a full-text index found something is not asked for when a query runs, though the vendor's SQL has it.
    @Test func placesOfMatchesAreNotAskedFor() throws {
        func translated(_ text: String) throws -> TranslatedQuery { try Translator(schema: Schema()).translate(Select(sqlpp: text)) }
        let plain = try translated("SELECT x FROM _ WHERE MATCH(i, 'x')")
        #expect(plain.sql.contains("offsets("))
        let running = try #require(plain.runningSQL)
        #expect(running.hasPrefix("SELECT fl_result(") && !running.contains("offsets(") && plain.sql.hasSuffix(running.dropFirst(7)))
        let aggregate = try translated("SELECT max(x) FROM _ WHERE MATCH(i, 'x')")
        #expect(!aggregate.sql.contains("offsets(") && aggregate.runningSQL == nil)
    }
}
