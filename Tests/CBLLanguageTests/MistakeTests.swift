import CBLLanguage
import Testing

/// What is wrong with queries that can be parsed.
struct MistakeTests {
    private func mistakes(_ query: String) throws -> QueryError? {
        do {
            let isJSON = query.hasPrefix("{") || query.hasPrefix("[") || query == "1"
            let select = isJSON ? try Select(json: query) : try Select(sqlpp: query)
            _ = try Translator(schema: TranslationTests.Schema()).translate(select)
            return nil
        } catch {
            return error
        }
    }

    static let messages = [
        // Sources
        ("SELECT x FROM nosuch", "no such collection \"nosuch\""), ("SELECT x FROM `a b`", "\"a b\" is not a valid collection name"),
        ("SELECT x FROM shop.nosuch", "no such collection \"shop.nosuch\""),
        ("SELECT x FROM shop._x", "\"shop._x\" is not a valid collection name"),
        ("SELECT x", "N1QL error: missing the FROM clause"), ("a, b", "N1QL error: missing the FROM clause"),
        ("SELECT a.x FROM _ a JOIN books b", "missing ON for JOIN"),
        ("SELECT a.x FROM _ a CROSS JOIN books b ON 1", "CROSS JOIN cannot accept an ON clause"),
        (#"{"FROM": [{"AS": "a"}, {"AS": "b"}]}"#, "multiple non-join FROM items"),
        (#"{"FROM": [{"AS": "a", "UNNEST": [".x"]}]}"#, "first FROM item must be primary source"),
        (#"{"FROM": [{"AS": "a", "JOIN": "CROSS"}]}"#, "first FROM item must be primary source"),
        (#"{"FROM": [{"AS": "a"}, {"AS": "b", "JOIN": "RIGHT", "ON": 1}]}"#, "invalid JOIN type"),
        (#"{"FROM": [{"AS": "a"}, {"AS": "b", "UNNEST": [".a.x"], "ON": 1}]}"#, "UNNEST cannot accept a JOIN or ON clause"),
        (#"{"FROM": [{}]}"#, "missing AS and COLLECTION in FROM item"), (#"{"FROM": 1}"#, "FROM must be an array"),
        (#"{"FROM": [1]}"#, "FROM item must be a dictionary"),
        (#"{"FROM": [{"COLLECTION": ".x"}]}"#, "`.x` is not a valid collection name"),
        (
            "SELECT u FROM _ a UNNEST [1] u",
            "the use of a general expression as the object of UNNEST is not supported; only a property path is allowed."
        ),
        // Names
        ("SELECT x AS a FROM _ a", "duplicate alias 'a'"), ("SELECT x AS y, x AS Y FROM _", "duplicate alias 'Y'"),
        ("SELECT a.x FROM _ a JOIN _ A ON 1", "duplicate alias 'A'"),
        ("SELECT x FROM _ a JOIN _ b ON 1", "property 'x' does not begin with a declared 'AS' alias"),
        ("SELECT META(x).id FROM _ a", "database alias 'x' does not match a declared 'AS' alias"),
        ("SELECT META().foo FROM _", "'foo' is not a valid Meta key"),
        ("SELECT _id.x FROM _", "invalid properties after a meta property"), (#"{"WHAT": [".a[b]"]}"#, "invalid property path '.a[b]'"),
        (#"[".[0]"]"#, "property cannot start with an array index"), (#"["?v"]"#, "no quantifier around it has the variable 'v'"),
        (#"["?1v"]"#, "Invalid variable name '1v'"), (#"["$a-b"]"#, "Invalid query parameter name 'a-b'"),
        (#"["ANY", "a b", [".l"], 1]"#, "invalid variable name in ANY/EVERY"),
        ("SELECT x AS y, y + 1 FROM _", "the result 'y' cannot be used in the list of results"),
        // Operations
        ("SELECT x FROM _ WHERE +x", "Wrong number of arguments to +"), ("SELECT x << 1 FROM _", "Unknown operator '<<'"),
        (#"["==", 1, 1]"#, "Unknown operator '=='"), (#"["BETWEEN", 1, 2]"#, "Wrong number of arguments to BETWEEN"),
        (#"["between", 1, 2]"#, "Wrong number of arguments to BETWEEN"), (#"["_.", [".x"]]"#, "Wrong number of arguments to _."),
        (#"[1, 2]"#, "operation must be a string"), (#"[]"#, "operation is missing"), (#"[""]"#, "operation must be non-empty"),
        (#"["EXISTS", 1]"#, "EXISTS needs a property or a SELECT"), (#"["BLOB", 1]"#, "argument of BLOB() must be a document property"),
        (#"{"WHAT": [["AS", 1]]}"#, "AS must have 2 operands"), (#"{"LIMIT": "x"}"#, "LIMIT must be an integer"),
        (#"{"OFFSET": 1.5}"#, "OFFSET must be an integer"),
        ("1", "SELECT statement is missing"), ("{", "SELECT statement is missing"),
        (#"["SELECT", 1]"#, "argument of SELECT must be a dictionary"),
        // Functions
        ("SELECT length(1, 2) FROM _", "Wrong number of arguments to length()"), (#"["Foo()"]"#, "Unknown function 'Foo'"),
        ("SELECT count(1, 2) FROM _", "Wrong number of arguments to count()"),
        ("SELECT concat(1) FROM _", "Wrong number of arguments to concat()"),
        ("SELECT x FROM _ WHERE count(*) > 1", "the aggregate function count() cannot be used in WHERE"),
        ("SELECT max(sum(x)) FROM _", "the aggregate function sum() cannot be used inside of another one"),
        ("SELECT x FROM _ GROUP BY max(x)", "the aggregate function max() cannot be used in GROUP BY"),
        ("SELECT a.x FROM _ a JOIN _ b ON max(a.x) = 1", "the aggregate function max() cannot be used in ON"),
        ("SELECT count(*) AS n FROM _ WHERE n > 1", "the result 'n' is an aggregate and cannot be used in WHERE"),
        (#"{"HAVING": [".x"]}"#, "HAVING needs a GROUP BY or an aggregate function"),
        // Full text
        ("SELECT MATCH(i, 'x') FROM _", "a MATCH is not allowed outside the WHERE clause"),
        ("SELECT x FROM _ WHERE NOT MATCH(i, 'x')", "MATCH can only appear at top-level, or in a top-level AND"),
        ("SELECT x FROM _ WHERE a OR MATCH(i, 'x')", "MATCH can only appear at top-level, or in a top-level AND"),
        ("SELECT x FROM _ WHERE MATCH(i, 'x') AND MATCH(i, 'y')", "Sorry, multiple MATCHes of the same property are not allowed"),
        ("SELECT RANK(i) FROM _", "RANK() cannot be used without MATCH()"), ("SELECT x FROM _ WHERE MATCH(none, 'x')", "missing FTS index"),
        ("SELECT x FROM _ x WHERE MATCH(x, 'y')", "missing property after collection alias in MATCH()"),
        ("SELECT a.x FROM _ a JOIN books b ON 1 WHERE MATCH(i, 'y')", "property 'i' does not begin with a declared 'AS' alias"),
        ("SELECT a.x FROM _ a UNNEST a.l u WHERE MATCH(u.i, 'y')", "invalid source collection for MATCH()"),
    ]

    @Test(arguments: messages) func mistakesAreNamedAsTheVendorDoes(_ query: String, _ message: String) throws {
        let error = try #require(try mistakes(query))
        #expect(error.diagnostics.map(\.message) == [message])
    }

    static let right = [
        "SELECT count(*) AS n FROM _ GROUP BY x HAVING n > 1 ORDER BY n", "SELECT x AS y FROM _ WHERE y = 1 GROUP BY y ORDER BY y.z",
        "SELECT a.x FROM _ a JOIN _ b ON 1 WHERE MATCH(i, 'y')", "SELECT x AS x FROM _",
        "SELECT max(x), greatest(max(y), 1) FROM _ ORDER BY min(z)",
        "SELECT `_default`.x, `_default`.`_default`.y FROM _", "SELECT x FROM db", "SELECT hotels.x FROM shop.hotels",
        "SELECT x FROM shop.hotels WHERE MATCH(`shop.hotels`.i, 'x')",
        #"{"WHAT": ["x"], "FROM": [{"SCOPE": "shop", "COLLECTION": "hotels"}], "unknown": 1}"#,
        #"["AND", ["MATCH()", "i", "x"], ["MATCH()", "_doc.j", "x"]]"#,
        #"["ANY", "v", [".l"], ["EXISTS", ["SELECT", {"WHERE": ["=", ["?v"], [".x"]]}]]]"#,
    ]

    @Test(arguments: right) func whatIsRightIsAccepted(_ query: String) throws {
        #expect(try mistakes(query)?.diagnostics.map(\.message) == nil)
    }

    @Test func allMistakesAreReportedWithTheirPlaces() throws {
        let text = "SELECT sum(max(y)), META().foo FROM boks AS b WHERE upper() AND count(*) = 1 LIMIT 1.5"
        let error = try #require(try mistakes(text))
        let bytes = Array(text.utf8)
        let found = error.diagnostics.map { String(decoding: bytes[max($0.range.start, 0)..<max($0.range.end, 0)], as: UTF8.self) }
        #expect(
            error.diagnostics.map(\.message) == [
                "no such collection \"boks\"", "the aggregate function max() cannot be used inside of another one",
                "'foo' is not a valid Meta key",
                "Wrong number of arguments to upper()", "the aggregate function count() cannot be used in WHERE",
                "LIMIT must be an integer",
            ])
        #expect(found == ["boks AS b", "max(y)", "META().foo", "upper()", "count(*)", "1.5"])
        #expect(error.diagnostics[0].hint == "Did you mean \"books\"?")
    }

    @Test func mistakesInTheFormAreReportedTogether() throws {
        let error = try #require(try mistakes(#"{"WHAT": [["CASE"], ["$"], ["?"]], "WHERE": ["COLLATE", 1, 2], "ORDER_BY": 1}"#))
        #expect(
            error.diagnostics.map(\.message) == [
                "Wrong number of arguments to CASE", "Wrong number of arguments to $", "Wrong number of arguments to ?",
                "COLLATE dict must be a dictionary",
                "ORDER BY must be an array",
            ])
    }

    static let hints = [
        (#"["lenght()", 1]"#, "Did you mean length()?"), ("SELECT META().ID2 FROM _", "Did you mean id?"),
        ("SELECT x FROM Books", "Did you mean \"books\"?"),
        ("SELECT x FROM hotels", "Did you mean \"shop.hotels\"?"), ("SELECT META(hotel).id FROM _ hotels", "Did you mean \"hotels\"?"),
        ("SELECT x FROM _ WHERE MATCH(none, 'x')", "There is no full-text index \"none\"."),
    ]

    @Test(arguments: hints) func whatWasMeantIsGuessed(_ query: String, _ hint: String) throws {
        #expect(try mistakes(query)?.diagnostics.first?.hint == hint)
    }

    @Test func missingIndexesAreAKindOfTheirOwn() throws {
        #expect(try mistakes("SELECT x FROM _ WHERE MATCH(none, 'x')")?.kind == .missingIndex)
        #expect(try mistakes("SELECT x FROM nosuch")?.kind == .meaning)
    }

    @Test func functionsOfTheEnterpriseEditionCanBeAllowed() throws {
        let select = try Select(sqlpp: "SELECT euclidean_distance([1], [2]) FROM _")
        #expect(throws: QueryError.self) { try Translator(schema: AssumedSchema()).translate(select) }
        var options = Translator.Options()
        options.allowsEnterpriseFunctions = true
        #expect(try Translator(schema: AssumedSchema(), options: options).translate(select).titles == ["$1"])
    }
}
