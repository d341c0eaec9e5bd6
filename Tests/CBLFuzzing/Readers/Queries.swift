import CBLFunctions
import CBLLanguage
import CBLSQLite

extension FuzzedReader {
    static let queries = [
        FuzzedReader("sqlpp", "SQL++", mostBytes: 400, texts: queryTexts, others: otherQueryTexts) { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            require(Statement.split(text).allSatisfy { !$0.text.isEmpty }, "an empty statement")
            require(Comment.blanked(text).utf8.count == text.utf8.count, "comments were not blanked in place")
            do throws(QueryError) {
                _ = try Statement(sqlpp: text).treeDescription()
            } catch {
                check(error, text)
            }
            let select: Select
            do throws(QueryError) { select = try Select(sqlpp: text) } catch {
                check(error, text)
                return false
            }
            guard checkTranslation(select) else { return false }
            // A string as a result is a property in JSON, as the vendor has it; so what was read once is compared.
            if let json = (try? Select(json: select.jsonForm()))?.jsonForm() {
                require((try? Select(json: json))?.jsonForm() == json, "another tree: \(json)")
            } else {
                require(false, "not read again: \(select.jsonForm())")
            }
            return true
        },
        FuzzedReader("json-query", "queries as JSON", mostBytes: 600, texts: jsonTexts, others: otherJSONTexts) { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            let select: Select
            do throws(QueryError) { select = try Select(json: text) } catch {
                require(!error.diagnostics.isEmpty, "an error without words")
                return false
            }
            return checkTranslation(select)
        },
    ]

    private static let queryTexts = [
        "SELECT a.b[0], count(*) AS n FROM _ AS a WHERE a.x LIKE 'y%' AND NOT a.z IS MISSING GROUP BY a.b HAVING n > 1 ORDER BY n DESC LIMIT 5",
        "SELECT upper(a) || b COLLATE (UNICODE NOCASE) FROM _ WHERE match(i, 'x') AND a BETWEEN 1 AND 2 AND b IN (1, 2) ORDER BY rank(i)",
        "SELECT h.a, i.b FROM inventory.hotel AS h LEFT JOIN inventory.air AS i ON h.a = META(i).id",
        "SELECT CASE WHEN x THEN [1, {'a': $p}] ELSE -2.5e3 END FROM _ WHERE ANY v IN list SATISFIES v.w = 1 END LIMIT $a OFFSET 2",
    ]
    private static let otherQueryTexts = [
        "UPDATE a SET b.c = 1 UNSET d WHERE e /* f */ -- g", "INSERT INTO a (KEY, VALUE) VALUES ('x', {'y': 1})",
        "SELECT APPROX_VECTOR_DISTANCE(v, $q) FROM _ ORDER BY APPROX_VECTOR_DISTANCE(v, $q) LIMIT 3",
        "SELECT prediction(m, {'a': b}, 'c') FROM _",
        "SELECT (SELECT y FROM _ WHERE z) FROM _ UNNEST _.l AS u", "CREATE INDEX a ON b (c, d) WHERE e", "DELETE FROM a WHERE b",
    ]
    private static let jsonTexts = [
        #"{"WHAT":[["AS",["+",[".p.a"],1],"x"],[".p.b"]],"FROM":[{"COLLECTION":"_","AS":"p"}],"WHERE":["ANY","v",[".p.l"],["=",["?v"],"z"]]}"#,
        #"["AND",["LIKE",["COLLATE",{"CASE":false},[".a"]],"x%"],["NOT",["IS VALUED",[".b"]]],["IN",[".c"],["[]",1,["$p"]]]]"#,
        #"{"WHAT":["._id",["COUNT()",[".a"]]],"GROUP_BY":[[".a"]],"ORDER_BY":[["DESC",[".a"]]],"LIMIT":["$n"],"DISTINCT":true}"#,
    ]
    private static let otherJSONTexts = [
        #"{"WHAT":[["MATCH()","i","x"],["CASE",null,true,{"k":[".x"]}]],"FROM":[{"AS":"a"},{"AS":"b","JOIN":"LEFT","ON":["=",1,2]}]}"#
    ]

    private static func check(_ error: QueryError, _ text: String) {
        let count = text.utf8.count
        require(!error.diagnostics.isEmpty && error.diagnostics.count <= 10, "\(error.diagnostics.count) diagnostics")
        for diagnostic in error.diagnostics {
            let range = diagnostic.range
            require(range.start >= 0 && range.start <= range.end && range.end <= count, "a diagnostic outside of the text")
        }
        require((0...count).contains(error.errorPosition ?? -1) && !error.report(in: text).isEmpty, "no place")
    }

    /// What it becomes is one statement of SQL, or it is refused. Without tables, SQLite can say nothing but that they are not there.
    private static func checkTranslation(_ select: Select) -> Bool {
        guard let query = try? Translator(schema: AssumedSchema()).translate(select) else { return false }
        require(Set(query.titles).count == query.titles.count, "two columns of one title")
        do {
            let connection = try Connection(path: ":memory:", mode: .readWrite)
            var count = 0
            try connection.forEachStatement(in: query.sql) { _ in count += 1 }
            require(count == 1, "\(count) statements: \(query.sql)")
        } catch {
            let message = "\(error)"
            let isKnown = [
                "no such", "too many", "too large", "parser stack", "tree is too", "wrong number", "no query solution", "unable to use",
                "misuse",
            ].contains { message.contains($0) }
            require(isKnown, "\(message): \(query.sql)")
        }
        return true
    }
}
