import CBLLanguage
import Testing

/// The statements that change something.
struct StatementParsingTests {
    @Test(arguments: trees) func theTreeIsWhatWasWritten(_ text: String, _ tree: String) throws {
        #expect(try Statement(sqlpp: text).treeDescription() == tree)
    }

    @Test(arguments: mistakes) func theMessageHelps(_ mistake: SyntaxMistake) {
        mistake.check { text throws(QueryError) in _ = try Statement(sqlpp: text) }
    }

    @Test func anIndexKeepsTheTextOfItsExpressions() throws {
        guard
            case .createIndex(let index) = try Statement(
                sqlpp: "create index `i 1` if not exists on s.c ( lower( a.b ) , c+1 )  where d  = 'x' with {\"language\": 'en'} ;")
        else {
            Issue.record("no index")
            return
        }
        #expect(index.name == "i 1" && index.kind == .value && index.ifNotExists)
        #expect(index.collection == Statement.CollectionPath(scope: "s", name: "c"))
        #expect(index.expressionText == "lower( a.b ) , c+1" && index.conditionText == "d  = 'x'")
        #expect(try Select(sqlpp: index.expressionText).results.map(\.expression) == index.expressions)
        #expect(index.options == [QueryExpression.Member("language", QueryExpression(.string("en")))])
    }

    @Test func thePlacesOfAssignmentsAreKnown() throws {
        let text = "UPDATE c SET a . b [0] = 1, d = 2"
        guard case .update(let update) = try Statement(sqlpp: text) else {
            Issue.record("no update")
            return
        }
        #expect(update.assignments.map(\.range) == [SourceRange(13, 22), SourceRange(28, 29)])
    }

    @Test func wordsOfStatementsAreNotReserved() throws {
        for word in ["array", "collection", "index", "insert", "into", "key", "set", "unset", "update", "value", "values", "with"] {
            #expect(try Select(sqlpp: "SELECT \(word) FROM \(word) AS \(word)").results.count == 1)
            _ = try Statement(sqlpp: "UPDATE \(word) SET \(word) = \(word) WHERE \(word) > 1")
            _ = try Statement(sqlpp: "CREATE INDEX \(word) ON \(word) (\(word))")
        }
    }

    // Scripts

    @Test(arguments: [
        ("", []), (" ; ;\n", []), ("a", ["a"]), (" a b ; c;", ["a b", "c"]), ("'a;''b';c", ["'a;''b'", "c"]),
        ("`;` \";\" ';'", ["`;` \";\" ';'"]), ("a;'b;c", ["a", "'b;c"]), ("é ;\t'日本;'", ["é", "'日本;'"]),
    ]) func aScriptIsSplitAtItsSemicolons(_ script: String, _ parts: [String]) {
        let split = Statement.split(script)
        #expect(split.map { String($0.text) } == parts)
        let bytes = Array(script.utf8)
        for part in split { #expect(Array(part.text.utf8) == Array(bytes[part.range.start..<part.range.end])) }
    }

    static let trees: [(String, String)] = [
        (
            "SELECT DISTINCT a AS x, lower(b) FROM s.c AS d LEFT JOIN e ON d.x = e.y UNNEST d.l AS q WHERE a = 1 AND b = 2 AND NOT c GROUP BY x HAVING count(*) > 1 ORDER BY z DESC LIMIT 10 OFFSET $o",
            """
            select distinct
              as "x"
                property .a
              function lower
                property .b
              from "s"."c" as "d"
              left join "e"
                on
                  operator =
                    property .d.x
                    property .e.y
              unnest as "q"
                property .d.l
              where
                operator AND
                  operator =
                    property .a
                    integer 1
                  operator =
                    property .b
                    integer 2
                  operator NOT
                    property .c
              group by
                property .x
              having
                operator >
                  function count
                    property .
                  integer 1
              order by
                desc
                  property .z
              limit
                integer 10
              offset
                parameter $o
            """
        ),
        (
            "INSERT INTO s.c (KEY, VALUE) VALUES (\"k1\", {\"a\": 1}), VALUES (\"k2\", {\"a\": 2}) ;",
            """
            insert into "s"."c"
              key
                string "k1"
              value
                object
                  member "a"
                    integer 1
              key
                string "k2"
              value
                object
                  member "a"
                    integer 2
            """
        ),
        (
            "INSERT INTO c VALUES ('k', {})",
            """
            insert into "c"
              key
                string "k"
              value
                object
            """
        ),
        (
            "UPSERT INTO c (KEY META(d).id, VALUE {'x': d.y}) SELECT d.* FROM d WHERE d.z > 1",
            """
            upsert into "c"
              key
                member .id
                  meta "d"
              value
                object
                  member "x"
                    property .d.y
              select
                property .d.
                from "d"
                where
                  operator >
                    property .d.z
                    integer 1
            """
        ),
        (
            "UPSERT INTO c (KEY k) SELECT k FROM d",
            """
            upsert into "c"
              key
                property .k
              select
                property .k
                from "d"
            """
        ),
        (
            "UPDATE c AS a SET a.x = 1, y.z[0] = a.q + 1 UNSET w, v WHERE META(a).id = 'x' LIMIT 5",
            """
            update "c" as "a"
              set .a.x
                integer 1
              set .y.z[0]
                operator +
                  property .a.q
                  integer 1
              unset .w
              unset .v
              where
                operator =
                  member .id
                    meta "a"
                  string "x"
              limit
                integer 5
            """
        ),
        (
            "UPDATE c SET x = 1",
            """
            update "c"
              set .x
                integer 1
            """
        ),
        (
            "UPDATE c UNSET x WHERE y IN (1) LIMIT 2;",
            """
            update "c"
              unset .x
              where
                operator IN
                  property .y
                  array
                    integer 1
              limit
                integer 2
            """
        ),
        (
            "DELETE FROM c WHERE x = 1 LIMIT 3",
            """
            delete from "c"
              where
                operator =
                  property .x
                  integer 1
              limit
                integer 3
            """
        ),
        (
            "DELETE FROM c AS d",
            """
            delete from "c" as "d"
            """
        ),
        (
            "CREATE INDEX i ON c (a, lower(b)) WHERE t = 'x'",
            """
            create index "i" on "c"
              property .a
              function lower
                property .b
              where
                operator =
                  property .t
                  string "x"
            """
        ),
        (
            "CREATE INDEX IF NOT EXISTS i ON s.c (a)",
            """
            create index "i" on "s"."c" if not exists
              property .a
            """
        ),
        (
            "CREATE FULLTEXT INDEX i ON c (a, b) WITH {\"language\": \"en\", \"stopWords\": [\"a\"]}",
            """
            create full-text index "i" on "c"
              property .a
              property .b
              option "language"
                string "en"
              option "stopWords"
                array
                  string "a"
            """
        ),
        (
            "CREATE INDEX i ON c (city) UNNEST contacts[].phones",
            """
            create array index "i" on "c"
              unnest contacts[].phones
              property .city
            """
        ),
        (
            "CREATE ARRAY INDEX i ON c UNNEST likes",
            """
            create array index "i" on "c"
              unnest likes
            """
        ),
        (
            "DROP INDEX i ON c",
            """
            drop index "i" on "c"
            """
        ),
        (
            "DROP INDEX s.c.i",
            """
            drop index "i" on "s"."c"
            """
        ),
        (
            "DROP INDEX IF EXISTS c.i",
            """
            drop index "i" on "c" if exists
            """
        ),
        (
            "CREATE COLLECTION IF NOT EXISTS s.c",
            """
            create collection "s"."c" if not exists
            """
        ),
        (
            "CREATE COLLECTION c",
            """
            create collection "c"
            """
        ),
        (
            "DROP COLLECTION s.c IF EXISTS",
            """
            drop collection "s"."c" if exists
            """
        ),
        (
            "SELECT CASE x WHEN 1 THEN 'a' ELSE NULL END, ANY v IN l SATISFIES v.x > $p END, EXISTS (SELECT 1 FROM b), a.*, (x).y, [1, 2.0, MISSING] FROM c WHERE MATCH(i, 'w') AND x IS NOT VALUED ORDER BY RANK(i), n COLLATE (UNICODE:se NOCASE)",
            """
            select
              case
                test
                  property .x
                when
                  integer 1
                then
                  string "a"
                else
                  null
              any "v"
                in
                  property .l
                satisfies
                  operator >
                    variable ?v.x
                    parameter $p
              exists
                select
                  integer 1
                  from "b"
              property .a.
              member .y
                property .x
              array
                integer 1
                float 2.0
                missing
              from "c"
              where
                operator AND
                  match "i"
                    string "w"
                  operator NOT
                    operator IS VALUED
                      property .x
              order by
                rank "i"
                collate unicode nocase se
                  property .n
            """
        ),
    ]

    static let mistakes: [SyntaxMistake] = [
        SyntaxMistake("MERGE INTO a", .unsupported, ["0 MERGE is not part of SQL++ for Mobile"]),
        SyntaxMistake("DELETE", .syntax, ["6 expected FROM, found the end"]),
        SyntaxMistake(
            "CREATE INDEX i ON c (DISTINCT ARRAY v.x FOR v IN y END)", .unsupported,
            [
                "21 DISTINCT ARRAY … END is not part of SQL++ for Mobile: an array index is made with UNNEST path"
            ]),
        SyntaxMistake("CREATE INDEX i ON c (a) USING GSI", .unsupported, ["24 USING GSI is not part of SQL++ for Mobile"]),
        SyntaxMistake("CREATE INDEX i ON c (a DESC)", .syntax, ["23 expected an operator, \",\" or \")\", found \"DESC\""]),
        SyntaxMistake(
            "CREATE SCOPE s", .unsupported,
            [
                "7 CREATE SCOPE is not part of SQL++ for Mobile: a scope comes with its first collection"
            ]),
        SyntaxMistake("INSERT INTO c (KEY, VALUE) (\"k\", {})", .syntax, ["27 expected VALUES, found \"(\""]),
        SyntaxMistake("INSERT c VALUES (1,2)", .syntax, ["7 expected INTO, found \"c\""]),
        SyntaxMistake("UPDATE c SET x", .syntax, ["14 expected \".\", \"[\" or \"=\", found the end"]),
        SyntaxMistake("UPDATE c WHERE x = 1", .syntax, ["9 expected \".\", AS, a name, SET or UNSET, found \"WHERE\""]),
        SyntaxMistake(
            "UPDATE c USE KEYS 'x' SET y = 1", .unsupported,
            [
                "9 USE KEYS is not part of SQL++ for Mobile: compare META().id, and indexes are chosen for you"
            ]),
        SyntaxMistake(
            "DELETE FROM c USE KEYS 'x'", .unsupported,
            [
                "14 USE KEYS is not part of SQL++ for Mobile: compare META().id, and indexes are chosen for you"
            ]),
        SyntaxMistake("DELETE c", .syntax, ["7 expected FROM, found \"c\""]),
        SyntaxMistake("DELETE FROM c WHERE", .syntax, ["19 expected an expression, found the end"]),
        SyntaxMistake("DELETE FROM c RETURNING *", .unsupported, ["14 RETURNING is not part of SQL++ for Mobile"]),
        SyntaxMistake("UPDAT c SET x = 1", .syntax, ["0 no statement begins with \"UPDAT\". Did you mean UPDATE?"]),
        SyntaxMistake("DROP TABLE x", .syntax, ["5 expected COLLECTION or INDEX, found \"TABLE\""]),
        SyntaxMistake(
            "CREATE INDX i ON c (a)", .syntax,
            [
                "7 expected COLLECTION, FULLTEXT, ARRAY or INDEX, found \"INDX\". Did you mean INDEX?"
            ]),
        SyntaxMistake("MERGE INTO x", .unsupported, ["0 MERGE is not part of SQL++ for Mobile"]),
        SyntaxMistake("DELETE FROM c WHERE x = 1; DELETE FROM d", .syntax, ["27 expected the end, found \"DELETE\""]),
    ]
}
