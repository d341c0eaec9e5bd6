import CBLLanguage
import Testing

/// A text, what kind of error it is, and what is said about which byte.
struct SyntaxMistake: Sendable, CustomTestStringConvertible {
    let text: String
    let kind: QueryError.Kind
    let messages: [String]
    var testDescription: String { text }

    init(_ text: String, _ kind: QueryError.Kind, _ messages: [String]) {
        self.text = text
        self.kind = kind
        self.messages = messages
    }

    func check(_ parse: (String) throws(QueryError) -> Void) {
        do throws(QueryError) {
            try parse(text)
            Issue.record("no error")
        } catch {
            #expect(error.kind == kind)
            #expect(error.diagnostics.map { "\($0.range.start) \($0.message)" } == messages)
        }
    }
}

/// What is said about the mistakes that people make.
struct SyntaxMistakeTests {
    @Test(arguments: queries) func theMessageHelps(_ mistake: SyntaxMistake) {
        mistake.check { text throws(QueryError) in _ = try Statement(sqlpp: text) }
    }

    static let queries: [SyntaxMistake] = [
        SyntaxMistake("SELECT name FORM airline", .syntax, ["12 \"FORM\" is taken for an alias here. Did you mean FROM?"]),
        SyntaxMistake("SELECT name FORM airline WHERE x = 1", .syntax, ["12 \"FORM\" is taken for an alias here. Did you mean FROM?"]),
        SyntaxMistake("SELCT name FROM airline", .syntax, ["0 no statement begins with \"SELCT\". Did you mean SELECT?"]),
        SyntaxMistake("SELECT name FROM airline WHRE x = 1", .syntax, ["25 \"WHRE\" is taken for an alias here. Did you mean WHERE?"]),
        SyntaxMistake("SELECT name FROM airline ORDR BY x", .syntax, ["25 \"ORDR\" is taken for an alias here. Did you mean ORDER?"]),
        SyntaxMistake("SELECT name FROM airline ORDER x", .syntax, ["31 expected BY, found \"x\""]),
        SyntaxMistake(
            "SELECT name FROM airline WHERE x = 1 ADN y = 2", .syntax,
            [
                "37 expected an operator, GROUP BY, ORDER BY, LIMIT, OFFSET or the end, found \"ADN\". Did you mean AND?"
            ]),
        SyntaxMistake("SELECT name, FROM airline", .syntax, ["13 expected an expression, found \"FROM\""]),
        SyntaxMistake("SELECT name AS 'x' FROM airline", .syntax, ["15 a name stands without quotes, or in backquotes: `x`"]),
        SyntaxMistake("SELECT name FROM 'airline'", .syntax, ["17 a name stands without quotes, or in backquotes: `airline`"]),
        SyntaxMistake("SELECT name FROM a.b.c", .syntax, ["20 the name of a collection has two parts at most: scope.collection"]),
        SyntaxMistake("SELECT name FROM a, b", .unsupported, ["18 a join by comma is not part of SQL++ for Mobile: use JOIN … ON …"]),
        SyntaxMistake(
            "SELECT name FROM a JOIN b ON KEYS a.x", .unsupported,
            [
                "29 JOIN … ON KEYS is not part of SQL++ for Mobile: write ON a.x = META(b).id"
            ]),
        SyntaxMistake(
            "SELECT name FROM a RIGHT JOIN b ON a.x = b.x", .unsupported,
            [
                "19 RIGHT JOIN is not part of SQL++ for Mobile: swap the sources and use LEFT JOIN"
            ]),
        SyntaxMistake("SELECT name FROM a FULL OUTER JOIN b ON a.x = b.x", .unsupported, ["19 FULL JOIN is not part of SQL++ for Mobile"]),
        SyntaxMistake(
            "SELECT name FROM a WHERE x IN arr.list[0] AND y = 1", .syntax,
            [
                "30 IN takes a list in ( ) or [ ]: to search an array, write array_contains(arr.list[0], value) or ANY v IN arr.list[0] SATISFIES v = value END"
            ]),
        SyntaxMistake(
            "SELECT name FROM a WHERE x IN $ids", .syntax,
            [
                "30 IN takes a list in ( ) or [ ]: to search an array, write array_contains($ids, value) or ANY v IN $ids SATISFIES v = value END"
            ]),
        SyntaxMistake(
            "SELECT name FROM a WHERE x IN (SELECT y FROM b)", .unsupported,
            [
                "30 IN (SELECT …) is not part of SQL++ for Mobile: use JOIN, or EXISTS (SELECT …)"
            ]),
        SyntaxMistake(
            "SELECT name FROM a WHERE x NOT IN (SELECT y FROM b)", .unsupported,
            [
                "34 IN (SELECT …) is not part of SQL++ for Mobile: use JOIN, or EXISTS (SELECT …)"
            ]),
        SyntaxMistake(
            "SELECT name FROM a ORDER BY x DESC NULLS LAST", .unsupported,
            [
                "35 NULLS LAST is not part of SQL++ for Mobile: order by x IS VALUED before x"
            ]),
        SyntaxMistake(
            "SELECT name FROM a ORDER BY x NULLS FIRST", .unsupported,
            [
                "30 NULLS FIRST is not part of SQL++ for Mobile: order by x IS VALUED before x"
            ]),
        SyntaxMistake(
            "SELECT name FROM a LIMIT 10, 20", .unsupported, ["27 LIMIT a, b is not part of SQL++ for Mobile: write LIMIT b OFFSET a"]),
        SyntaxMistake(
            "SELECT name FROM a WHERE x LIKE 'a!%' ESCAPE '!'", .unsupported,
            [
                "38 LIKE … ESCAPE is not part of SQL++ for Mobile: the escape character is always \\"
            ]),
        SyntaxMistake("SELECT RAW a.b FROM a", .unsupported, ["7 SELECT RAW is not part of SQL++ for Mobile: each result has a name"]),
        SyntaxMistake(
            "SELECT VALUE {'a':1}.x FROM a", .unsupported, ["7 SELECT VALUE is not part of SQL++ for Mobile: each result has a name"]),
        SyntaxMistake(
            "SELECT ARRAY x.y FOR x IN list END FROM a", .unsupported,
            [
                "7 ARRAY … FOR … END is not part of SQL++ for Mobile: UNNEST makes rows of an array's items"
            ]),
        SyntaxMistake(
            "SELECT FIRST x FOR x IN list WHEN x > 1 END FROM a", .unsupported,
            [
                "7 FIRST … FOR … END is not part of SQL++ for Mobile: UNNEST makes rows of an array's items"
            ]),
        SyntaxMistake(
            "SELECT count(*) OVER (PARTITION BY x) FROM a", .unsupported, ["16 a window function is not part of SQL++ for Mobile"]),
        SyntaxMistake(
            "SELECT ROW_NUMBER() OVER () FROM a", .unsupported,
            [
                "7 Couchbase Server's function ROW_NUMBER() is not part of SQL++ for Mobile"
            ]),
        SyntaxMistake("SELECT a FROM b -- the comment here", .unsupported, ["16 a comment is not part of SQL++ for Mobile"]),
        SyntaxMistake("SELECT a /* comment */ FROM b", .unsupported, ["9 a comment is not part of SQL++ for Mobile"]),
        SyntaxMistake("SELECT lenght(a) FROM b", .syntax, ["7 there is no function lenght(). Did you mean length()?"]),
        SyntaxMistake("SELECT lowr(a) FROM b", .syntax, ["7 there is no function lowr(). Did you mean lower()?"]),
        SyntaxMistake(
            "SELECT array_contians(a, 1), lowr(b) FROM c", .syntax,
            [
                "7 there is no function array_contians(). Did you mean array_contains()?",
                "29 there is no function lowr(). Did you mean lower()?",
            ]),
        SyntaxMistake("SELECT a FROM b WHERE c == 'x' && d = 1", .unsupported, ["31 \"&&\" is not part of SQL++ for Mobile: write AND"]),
        SyntaxMistake("SELECT a FROM b WHERE !c", .unsupported, ["22 \"!\" is not part of SQL++ for Mobile: write NOT"]),
        SyntaxMistake("SELECT “a” FROM b", .syntax, ["7 strings stand in straight quotes: ' or \""]),
        SyntaxMistake("SELECT café FROM b", .syntax, ["7 a name with other letters than a to z stands in backquotes: `café`"]),
        SyntaxMistake("SELECT 'abc FROM b", .syntax, ["7 this string is not closed"]),
        SyntaxMistake("SELECT `abc FROM b", .syntax, ["7 this name in backquotes is not closed"]),
        SyntaxMistake("SELECT (a + b FROM c", .syntax, ["14 expected an operator or \")\", found \"FROM\""]),
        SyntaxMistake(
            "SELECT a + b) FROM c", .syntax,
            [
                "12 expected an operator, \",\", FROM, WHERE, GROUP BY, ORDER BY, LIMIT, OFFSET or the end, found \")\""
            ]),
        SyntaxMistake("SELECT f(a, b FROM c", .syntax, ["7 there is no function f()"]),
        SyntaxMistake(
            "SELECT a FROM b WHERE (x = 1 AND (y = 2) ORDER BY z", .syntax, ["41 expected an operator or \")\", found \"ORDER\""]),
        SyntaxMistake("SELECT CASE x WHEN 1 THEN 'a' FROM b", .syntax, ["30 expected an operator, WHEN, ELSE or END, found \"FROM\""]),
        SyntaxMistake("SELECT ANY x IN y SATISFIES x = 1 FROM b", .syntax, ["34 expected an operator or END, found \"FROM\""]),
        SyntaxMistake(
            "SELECT COUNT(DISTINCT a) FROM b", .unsupported,
            [
                "13 DISTINCT in an aggregate is not part of SQL++ for Mobile: use SELECT DISTINCT"
            ]),
        SyntaxMistake("SELECT a[1:2] FROM b", .unsupported, ["10 an array slice is not part of SQL++ for Mobile"]),
        SyntaxMistake("SELECT a[x] FROM b", .syntax, ["9 a subscript is a whole number"]),
        SyntaxMistake("SELECT a[-1], b[$i] FROM b", .syntax, ["16 a subscript is a whole number"]),
        SyntaxMistake(
            "SELECT $1 FROM b", .unsupported,
            [
                "7 a numbered parameter is not part of SQL++ for Mobile: parameters have names, like $name"
            ]),
        SyntaxMistake(
            "SELECT ? FROM b", .unsupported,
            [
                "7 a nameless parameter is not part of SQL++ for Mobile: parameters have names, like $name"
            ]),
        SyntaxMistake("SELECT a FROM b WHERE c BETWEEN 1 OR 2", .syntax, ["34 expected an operator or AND, found \"OR\""]),
        SyntaxMistake("SELECT a FROM b WHERE c NOT d", .syntax, ["28 expected NULL, IN, LIKE or BETWEEN, found \"d\""]),
        SyntaxMistake("SELECT a FROM b GROUP BY c HAVING", .syntax, ["33 expected an expression, found the end"]),
        SyntaxMistake("SELECT a FROM b HAVING c > 1", .syntax, ["16 HAVING needs a GROUP BY before it"]),
        SyntaxMistake("SELECT a FROM b ORDER BY c WHERE d = 1", .syntax, ["27 WHERE has to stand before ORDER BY"]),
        SyntaxMistake(
            "SELECT a, b c d, e + FROM f WHERE x = = 1 ORDER BY , y LIMIT", .syntax,
            [
                "14 expected \",\", FROM, WHERE, GROUP BY, ORDER BY, LIMIT, OFFSET or the end, found \"d\"",
                "21 expected an expression, found \"FROM\"",
                "38 expected an expression, found \"=\"",
                "51 expected an expression, found \",\"",
                "60 expected an expression, found the end",
            ]),
        SyntaxMistake(
            "SELECT a b c, d FROM e WHERE f g ORDER BY h i", .syntax,
            [
                "11 expected \",\", FROM, WHERE, GROUP BY, ORDER BY, LIMIT, OFFSET or the end, found \"c\"",
                "31 expected an operator, GROUP BY, ORDER BY, LIMIT, OFFSET or the end, found \"g\"",
                "44 expected an operator, ASC, DESC, \",\", LIMIT, OFFSET or the end, found \"i\"",
            ]),
        SyntaxMistake(
            "SELECT upper(a b), lower(c d) FROM x", .syntax,
            [
                "15 expected an operator, \",\" or \")\", found \"b\"",
                "27 expected an operator, \",\" or \")\", found \"d\"",
            ]),
        SyntaxMistake(
            "SELECT a FROM b UNION ALL SELECT c FROM d", .unsupported,
            [
                "16 UNION is not part of SQL++ for Mobile: run the queries one by one"
            ]),
        SyntaxMistake(
            "SELECT a FROM b x UNION SELECT c FROM d", .unsupported,
            [
                "18 UNION is not part of SQL++ for Mobile: run the queries one by one"
            ]),
        SyntaxMistake(
            "SELECT a FROM b USE INDEX (x) WHERE y = 1", .unsupported,
            [
                "16 USE INDEX is not part of SQL++ for Mobile: compare META().id, and indexes are chosen for you"
            ]),
        SyntaxMistake("SELECT META(). id FROM a", .syntax, ["13 no blank is allowed behind this dot"]),
        SyntaxMistake("SELECT a FROM s. c", .syntax, ["15 no blank is allowed behind this dot"]),
        SyntaxMistake("SELECT EXISTS ( SELECT 1 FROM b) FROM c", .syntax, ["14 no blank is allowed between EXISTS ( and SELECT"]),
        SyntaxMistake(
            "SELECT CASE WHEN a IN (1) THEN 2 END", .syntax,
            [
                "24 no blank is allowed behind this list: put the IN with its operands in parentheses"
            ]),
        SyntaxMistake("SELECT a FROM b WHERE MATCH('idx', 'x')", .syntax, ["28 MATCH takes the name of an index first, without quotes"]),
        SyntaxMistake("SELECT a FROM b WHERE MATCH(b.c, )", .syntax, ["33 expected an expression, found \")\""]),
        SyntaxMistake(
            "SELECT a FROM b WHERE c ILIKE 'x'", .unsupported,
            [
                "24 ILIKE is not part of SQL++ for Mobile: use LIKE with lower(), or COLLATE NOCASE"
            ]),
        SyntaxMistake(
            "SELECT a FROM b WHERE EVERY x WITHIN y SATISFIES x = 1 END", .unsupported,
            [
                "30 WITHIN is not part of SQL++ for Mobile: use ANY … SATISFIES … END"
            ]),
        SyntaxMistake(
            "SELECT x.* EXCEPT y FROM b", .unsupported, ["11 EXCEPT is not part of SQL++ for Mobile: run the queries one by one"]),
        SyntaxMistake("EXPLAIN SELECT 1", .unsupported, ["0 EXPLAIN is not part of SQL++ for Mobile"]),
        SyntaxMistake("SELECT a FROM (b)", .syntax, ["14 expected the name of a collection, found \"(\""]),
        SyntaxMistake(
            "SELECT a FROM b WHERE c = (SELECT RAW 1)[0]", .unsupported,
            [
                "26 a subquery as a value is not part of SQL++ for Mobile: a subquery stands only in EXISTS (SELECT …)"
            ]),
        SyntaxMistake("SELECT a.b.* FROM c", .syntax, ["11 \".*\" can only follow a single name"]),
        SyntaxMistake(
            "SELECT a FROM b AS select", .syntax,
            [
                "19 expected a name, found \"select\" (SELECT is a reserved word: as a name it stands in backquotes)"
            ]),
        SyntaxMistake("SELECT {'a' 1} FROM b", .syntax, ["12 expected \":\", found \"1\""]),
        SyntaxMistake(
            "SELECT {a: 1, b: 2} FROM b", .syntax,
            [
                "8 the keys of an object stand in quotes: 'a'",
                "14 the keys of an object stand in quotes: 'b'",
            ]),
        SyntaxMistake("SELECT 'it's' FROM b", .syntax, ["7 a quote within a string is doubled: 'it''s'"]),
        SyntaxMistake("SELECT a FROM b WHERE c = 'it's' AND d = 1", .syntax, ["26 a quote within a string is doubled: 'it''s'"]),
        SyntaxMistake(
            "SELECT a FROM b WHERE c COLLATE NOCASE = 'x'", .syntax,
            [
                "24 COLLATE ends an expression, and applies to all of it: put what it is meant for in parentheses, with the COLLATE"
            ]),
        SyntaxMistake(
            "SELECT a FROM b WHERE c = 'x' COLLATE NOCSE", .syntax,
            [
                "38 expected CASE, NOCASE, DIAC, NODIAC, UNICODE, NOUNICODE or \"(\", found \"NOCSE\". Did you mean NOCASE?"
            ]),
        SyntaxMistake("SELECT a AS FROM b", .syntax, ["12 expected a name, found \"FROM\""]),
        SyntaxMistake("SELECT * FROM _ WHERE a = 1 LIMIT", .syntax, ["33 expected an expression, found the end"]),
        SyntaxMistake("SELECT * FROM _ WHERE", .syntax, ["21 expected an expression, found the end"]),
        SyntaxMistake("SELECT * FROM _ OFFSET 5 LIMIT", .syntax, ["30 expected an expression, found the end"]),
        SyntaxMistake("SELECT a FROM b LIMIT 5 OFFSET 2 WHERE c = 1", .syntax, ["33 WHERE has to stand before LIMIT"]),
        SyntaxMistake(
            "SELECT a FROM b WHERE order = 1", .syntax,
            [
                "22 expected an expression, found \"order\" (ORDER is a reserved word: as a name it stands in backquotes)"
            ]),
        SyntaxMistake(
            "SELECT a.end FROM b", .syntax,
            [
                "9 expected a name, found \"end\" (END is a reserved word: as a name it stands in backquotes)"
            ]),
        SyntaxMistake("SELECT a FROM b; SELECT c FROM d", .syntax, ["17 expected the end, found \"SELECT\""]),
        SyntaxMistake("SELECT a FROM b WHERE c = \"x' AND d = 1", .syntax, ["26 this string is not closed"]),
        SyntaxMistake("hello", .syntax, ["0 no statement begins with \"hello\""]),
        SyntaxMistake("a b c", .syntax, ["0 no statement begins with \"a\""]),
        SyntaxMistake("SELECT a FROM b WHERE c =! 1", .unsupported, ["25 \"!\" is not part of SQL++ for Mobile: write NOT"]),
        SyntaxMistake("SELECT a FROM b WHERE c => 1", .unsupported, ["24 \"=>\" is not part of SQL++ for Mobile: did you mean >=?"]),
        SyntaxMistake("SELECT a FROM b WHERE c ≠ 1", .syntax, ["24 \"≠\" has no meaning outside of strings and backquotes"]),
        SyntaxMistake(
            "SELECT a FROM b WHERE c IN [1,2", .syntax,
            [
                "31 expected an operator, \",\" or \"]\", found the end (the \"[\" before \"1\" is not closed)"
            ]),
        SyntaxMistake(
            "SELECT a FROM b WHERE c IN ())", .syntax,
            [
                "29 expected AND, OR, GROUP BY, ORDER BY, LIMIT, OFFSET or the end, found \")\""
            ]),
        SyntaxMistake(
            "SELECT lower(a IN [1] , 2)", .syntax,
            [
                "20 no blank is allowed behind this list: put the IN with its operands in parentheses"
            ]),
        SyntaxMistake(
            "SELECT a FROM b LIMIT c IN [1] OFFSET 2", .syntax,
            [
                "29 no blank is allowed behind this list: put the IN with its operands in parentheses"
            ]),
        SyntaxMistake("SELECT $ x", .syntax, ["7 no blank is allowed behind $"]),
        SyntaxMistake("SELECT \"a\"b\" FROM c", .syntax, ["7 a quote within a string is doubled: 'it''s'"]),
        SyntaxMistake("SELECT squee()", .syntax, ["7 there is no function squee()"]),
        SyntaxMistake("SELECT from where true", .syntax, ["7 expected an expression, found \"from\""]),
        SyntaxMistake(
            "SELECT x FROM a OUTER JOIN b ON a.id = b.id", .syntax,
            [
                "16 expected JOIN, UNNEST, WHERE, GROUP BY, ORDER BY, LIMIT, OFFSET or the end, found \"OUTER\""
            ]),
        SyntaxMistake("SELECT all.x FROM a", .syntax, ["7 ALL is a keyword behind SELECT: as a name it stands in backquotes"]),
        SyntaxMistake("SELECT x,, y FROM a", .syntax, ["9 expected an expression, found \",\""]),
        SyntaxMistake("SELECT META(a, b).id FROM a", .syntax, ["13 expected \".\" or \")\", found \",\""]),
        SyntaxMistake("SELECT x WHERE a NOT MISSING", .syntax, ["17 write IS NOT MISSING"]),
        SyntaxMistake("SELECT CASE WHEN THEN 1 END", .syntax, ["17 expected an expression, found \"THEN\""]),
        SyntaxMistake("SELECT a..b", .syntax, ["8 expected a name, found \"..\""]),
        SyntaxMistake("SELECT 1a", .syntax, ["7 \"1a\" is not a number"]),
        SyntaxMistake(
            "SELECT [1, 2", .syntax, ["12 expected an operator, \",\" or \"]\", found the end (the \"[\" before \"1\" is not closed)"]),
        SyntaxMistake("SELECT 1.2.3", .syntax, ["7 \"1.2.3\" is not a number"]),
        SyntaxMistake("SELECT a/*c*/", .unsupported, ["8 a comment is not part of SQL++ for Mobile"]),
        SyntaxMistake("SELECT RANK() FROM a", .syntax, ["12 expected a name, found \")\""]),
        SyntaxMistake("SELECT RANK(idx, 1) FROM a", .syntax, ["15 expected \".\" or \")\", found \",\""]),
        SyntaxMistake("SELECT PREDICTION(model) FROM a", .syntax, ["23 expected \",\", found \")\""]),
        SyntaxMistake("SELECT PREDICTION(model, a, b, c) FROM a", .syntax, ["29 expected an operator or \")\", found \",\""]),
        SyntaxMistake("SELECT x COLLATE UNICODE:en-US FROM a", .syntax, ["27 a locale is written with an underscore, like en_US"]),
        SyntaxMistake("SELECT a IN [1] = true", .syntax, ["16 \"=\" cannot follow another comparison: put the first one in parentheses"]),
        SyntaxMistake(
            "SELECT a LIKE 'x' LIKE 'y'", .syntax, ["18 \"LIKE\" cannot follow another comparison: put the first one in parentheses"]),
        SyntaxMistake("SELECT x LIMIT 1 LIMIT 2", .syntax, ["17 there is a LIMIT already"]),
        SyntaxMistake("SELECT x GROUP BY z WHERE y", .syntax, ["20 WHERE has to stand before GROUP BY"]),
        SyntaxMistake(
            "SELECT a COLLATE BINARY", .syntax,
            [
                "17 expected CASE, NOCASE, DIAC, NODIAC, UNICODE, NOUNICODE or \"(\", found \"BINARY\""
            ]),
        SyntaxMistake(
            "SELECT a COLLATE CASE UNICODE", .syntax,
            [
                "17 more than one word behind COLLATE needs parentheses: COLLATE (UNICODE NOCASE)"
            ]),
    ]
}
