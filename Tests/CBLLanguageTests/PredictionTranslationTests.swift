import CBLLanguage
import Testing

/// `PREDICTION()` with and without a predictive index of what it asks.
@Suite struct PredictionTranslationTests {
    /// A database that has a predictive index of `{"number": [".num"]}`.
    private struct Schema: QuerySchema {
        private let assumed = AssumedSchema()
        var databaseName: String { assumed.databaseName }
        var collectionNames: [String] { [] }
        func collection(scope: String, name: String) -> QueryCollection? { assumed.collection(scope: scope, name: name) }
        func fullTextTable(index: String, of collection: QueryCollection) -> String? {
            assumed.fullTextTable(index: index, of: collection)
        }
        func unnestTable(plainName: String) -> String? { nil }
        func predictionTable(digest: String, of collection: QueryCollection) -> String? {
            digest == "0MWKSbbzr0gn4VVVuKsNE9sZE8o=" ? "\(collection.table):predict:t" : nil
        }
    }

    private func sql(_ query: String, _ schema: any QuerySchema = Schema()) throws -> String {
        let select = query.hasPrefix("{") || query.hasPrefix("[") ? try Select(json: query) : try Select(sqlpp: query)
        return try Translator(schema: schema).translate(select).sql
    }

    /// The vendor's documented example.
    @Test func theDigestIsThatOfTheCanonicalTexts() throws {
        for text in [
            #"["PREDICTION()","8ball",{"number":[".num"]}]"#, #"["prediction()","8ball",{"number":[".","num"]},".square"]"#,
            #"["PREDICTION()","8ball",{"number":[".num"]},".square",".even"]"#,
        ] {
            #expect(try PredictionCall(QueryExpression(json: text))?.digest == "0MWKSbbzr0gn4VVVuKsNE9sZE8o=")
        }
        let other = try PredictionCall(QueryExpression(json: #"["PREDICTION()","8ball",{"b":1,"a":[".x"]}]"#))
        let same = try PredictionCall(QueryExpression(json: #"["PREDICTION()","8ball",{"a":[".x"],"b":1}]"#))
        #expect(other?.digest == same?.digest)
        #expect(other?.digest.isEmpty == false && other?.digest != "0MWKSbbzr0gn4VVVuKsNE9sZE8o=")
    }

    @Test(arguments: [#"["UPPER()","x"]"#, #"["PREDICTION()",[".a"],{}]"#, #"["PREDICTION()","m"]"#, #"["PREDICTION()","m",{},[".b"]]"#])
    func whatIsNoSuchCallIsNone(text: String) throws {
        #expect(try PredictionCall(QueryExpression(json: text)) == nil)
    }

    static let withoutIndex = [
        (
            "SELECT PREDICTION(`8ball`, {'n': x}, '.square') FROM _",
            "SELECT fl_result(prediction('8ball', dict_of('n', fl_value(_.body, 'x')), '.square')) FROM kv_default AS _ WHERE (_.flags & 1 = 0)"
        ),
        (
            "SELECT prediction(m, {'n': x}).a.b FROM books",
            "SELECT fl_result(fl_nested_value(prediction('m', dict_of('n', fl_value(books.body, 'x'))), '.a.b')) FROM \"kv_.books\" AS books"
        ),
        (
            "SELECT PREDICTION(m, {'n': x}, vec) FROM books",
            "SELECT fl_result(prediction('m', dict_of('n', fl_value(books.body, 'x')), fl_value(books.body, 'vec'))) FROM \"kv_.books\" AS books"
        ),
    ]

    @Test(arguments: withoutIndex) func theModelIsAskedIfThereIsNoIndex(query: String, expected: String) throws {
        #expect(try sql(query) == expected)
    }

    private static let join = "INNER JOIN \"kv_.books:predict:t\" AS \"<idx1>\" ON \"<idx1>\".docid = books.rowid"

    static let withIndex = [
        (
            "SELECT PREDICTION(`8ball`, {'number': num}, '.square') FROM books",
            "SELECT fl_result(fl_unnested_value(\"<idx1>\".body, 'square')) FROM \"kv_.books\" AS books \(join)"
        ),
        (
            "SELECT PREDICTION(`8ball`, {'number': num}, 'a.b') FROM books",
            "SELECT fl_result(fl_unnested_value(\"<idx1>\".body, 'a.b')) FROM \"kv_.books\" AS books \(join)"
        ),
        (
            "SELECT PREDICTION(`8ball`, {'number': num}) FROM books WHERE prediction(`8ball`, {'number': num}).square > 1",
            "SELECT fl_result(fl_root(\"<idx1>\".body)) FROM \"kv_.books\" AS books \(join) WHERE fl_unnested_value(\"<idx1>\".body, 'square') > 1"
        ),
        (
            // Whatever the source is called.
            "SELECT b.x FROM books AS b WHERE PREDICTION(`8ball`, {'number': b.num}, '.even') = 1",
            "SELECT fl_result(fl_value(b.body, 'x')) FROM \"kv_.books\" AS b INNER JOIN \"kv_.books:predict:t\" AS \"<idx1>\" ON \"<idx1>\".docid = b.rowid WHERE fl_unnested_value(\"<idx1>\".body, 'even') = 1"
        ),
        (
            // Each source has its own.
            "SELECT a.x FROM books AS a JOIN books AS b ON a.x = b.x WHERE PREDICTION(`8ball`, {'number': a.num}, '.even') = PREDICTION(`8ball`, {'number': b.num}, '.even')",
            "SELECT fl_result(fl_value(a.body, 'x')) FROM \"kv_.books\" AS a INNER JOIN \"kv_.books\" AS b ON fl_value(a.body, 'x') = fl_value(b.body, 'x') INNER JOIN \"kv_.books:predict:t\" AS \"<idx1>\" ON \"<idx1>\".docid = a.rowid INNER JOIN \"kv_.books:predict:t\" AS \"<idx2>\" ON \"<idx2>\".docid = b.rowid WHERE fl_unnested_value(\"<idx1>\".body, 'even') = fl_unnested_value(\"<idx2>\".body, 'even')"
        ),
        (
            // Behind the tables of full-text indexes.
            "SELECT PREDICTION(`8ball`, {'number': num}, '.even') FROM books WHERE MATCH(words, 'x')",
            "SELECT books.rowid, offsets(\"<idx1>\".\"kv_.books::words\"), fl_result(fl_unnested_value(\"<idx2>\".body, 'even')) FROM \"kv_.books\" AS books INNER JOIN \"kv_.books::words\" AS \"<idx1>\" ON \"<idx1>\".docid = books.rowid INNER JOIN \"kv_.books:predict:t\" AS \"<idx2>\" ON \"<idx2>\".docid = books.rowid WHERE \"<idx1>\".\"kv_.books::words\" MATCH 'x'"
        ),
        (
            #"{"WHAT":[["PREDICTION()","8ball",{"number":[".num"]},".even"]],"FROM":[{"COLLECTION":"books"}]}"#,
            "SELECT fl_result(fl_unnested_value(\"<idx1>\".body, 'even')) FROM \"kv_.books\" AS books \(join)"
        ),
    ]

    @Test(arguments: withIndex) func anIndexIsReadInstead(query: String, expected: String) throws { #expect(try sql(query) == expected) }

    /// What is run in pieces, on several threads, must know.
    @Test(arguments: [
        "PREDICTION(`8ball`, {'number': num})", "PREDICTION(`8ball`, {'number': num}).even",
        "PREDICTION(`8ball`, {'number': num}, '.even')",
        "PREDICTION(other, {}).a", "PREDICTION(other, {}, '.a')", "upper(PREDICTION(other, {}).a)",
    ])
    func aQueryTellsThatItUsesModels(expression: String) throws {
        for query in [
            "SELECT \(expression) FROM books", "SELECT count(*) FROM books WHERE EXISTS (SELECT 1 FROM books WHERE \(expression) = 1)",
        ] {
            #expect(try Translator(schema: Schema()).translate(Select(sqlpp: query)).usesModels)
        }
        #expect(try !Translator(schema: Schema()).translate(Select(sqlpp: "SELECT even FROM books")).usesModels)
    }

    @Test(arguments: [
        "SELECT PREDICTION(`8ball`, {'number': $n}, '.even') FROM books",
        "SELECT PREDICTION(`8ball`, {'number': num}, even) FROM books",
        "SELECT PREDICTION(other, {'number': num}, '.even') FROM books",
        "SELECT a.x FROM books AS a JOIN books AS b ON PREDICTION(`8ball`, {'number': a.num}, '.even') = 1",
        "SELECT PREDICTION(`8ball`, {'number': a.num + b.num}, '.even') FROM books AS a JOIN books AS b ON a.x = b.x",
        "SELECT x FROM books WHERE ANY v IN l SATISFIES PREDICTION(`8ball`, {'number': v}, '.even') = 1 END",
    ])
    func whatNoIndexCanKnowIsAsked(query: String) throws {
        let sql = try sql(query)
        #expect(sql.contains("prediction(") && !sql.contains("<idx"))
    }

    @Test func aMistakeInTheInputIsOneWithAnIndexToo() throws {
        #expect(throws: QueryError.self) { try sql("SELECT PREDICTION(`8ball`, {'number': num}, '.a', '.b', '.c') FROM books") }
        #expect(throws: QueryError.self) {
            try sql(#"{"WHAT":[["PREDICTION()","8ball",{"number":[".num"]},".a",".b"]],"FROM":[{"COLLECTION":"books"}]}"#)
        }
    }

    @Test func indexesOfOtherKindsAskTheModel() throws {
        let call = try QueryExpression(json: #"["PREDICTION()","8ball",{"number":[".num"]},".sum"]"#)
        #expect(
            try Translator(schema: Schema()).indexExpression(call, column: "new.")
                == "prediction('8ball', dict_of('number', fl_value(new.body, 'num')), '.sum')")
        let member = try QueryExpression(json: #"["_.",["PREDICTION()","8ball",{"number":[".num"]}],".vector"]"#)
        #expect(
            try Translator(schema: Schema()).indexExpression(member, column: "")
                == "fl_nested_value(prediction('8ball', dict_of('number', fl_value(body, 'num'))), '.vector')")
    }
}
