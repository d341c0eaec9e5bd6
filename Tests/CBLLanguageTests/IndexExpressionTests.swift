import CBLFleece
import CBLLanguage
import CBLSQLite
import CBLStore
import CBLTestSupport
import Testing

/// The texts of indexes, which the vendor's library compares byte by byte: those that it wrote itself are what ours must be.
struct IndexExpressionTests {
    let translator = Translator(schema: AssumedSchema())

    static let databases = [
        "v2.x/upgrade_2.8_index.cblite2", "v3.x/words_db.cblite2", "v4.x/revtrees_4.1.cblite2", "v4.x/vectors_4.1.cblite2",
        "v4.x/upgraded_2.8_index_by_4.1.cblite2",
    ]

    @Test(.enabled(if: Fixtures.arePresent, "the folder ../shared/fixtures is not there"), arguments: databases)
    func expressionsAreWrittenAsTheVendorsLibraryDoes(_ name: String) throws {
        let database = try Database(path: Fixtures.path(name))
        try database.read { snapshot in
            let hasConditions = try snapshot.connection.strings("SELECT name FROM pragma_table_info('indexes')").contains("whereClause")
            let columns = "name, type, expression, " + (hasConditions ? "whereClause" : "NULL")
            var checked = 0
            try snapshot.connection.withStatement("SELECT \(columns) FROM indexes ORDER BY name") { row in
                while try row.step() {
                    let (name, expression) = (row.string(0) ?? "", row.string(2) ?? "")
                    let sql = try snapshot.connection.strings("SELECT sql FROM sqlite_master WHERE name='\(name)'").first
                    guard let sql, row.int64(1) != 1 else { continue }
                    let isArray = row.int64(1) == 2
                    #expect(try sql.hasSuffix(suffix(expression, condition: row.string(3), isArray: isArray)), "\(sql)")
                    checked += 1
                }
            }
            #expect(checked > 0)
        }
    }

    /// What stands at the end of the definition of an index.
    private func suffix(_ definition: String, condition: String?, isArray: Bool) throws -> String {
        let isJSON = definition.hasPrefix("=j") || definition.hasPrefix("[")
        let text = definition.hasPrefix("=") ? String(definition.dropFirst(2)) : definition
        var expressions: [QueryExpression] = []
        if isJSON {
            expressions = try QueryExpression.list(json: text)
        } else if !text.isEmpty {
            expressions = try Select(sqlpp: text).results.map(\.expression)
        }
        var list = try expressions.map {
            isArray ? try translator.arrayIndexExpression($0) : try translator.indexExpression($0, column: "")
        }
        if list.isEmpty { list = [try translator.arrayIndexExpression(nil)] }
        var suffix = " (" + list.joined(separator: ", ") + ")"
        if let condition {
            let expression = isJSON ? try QueryExpression(json: condition) : try Select(sqlpp: condition).results[0].expression
            suffix += " WHERE " + (try translator.indexExpression(expression, column: ""))
        }
        return suffix
    }

    @Test func columnsOfTriggersAreThoseOfTheRow() throws {
        let condition = try Select(sqlpp: "type = 'person' AND META().id != 'x' AND NOT META().deleted").results[0].expression
        #expect(
            try translator.indexExpression(condition, column: "new.")
                == "(fl_value(new.body, 'type') = 'person' AND new.key != 'x') AND fl_nested_value(NOT \(metaObject("new.")), '.deleted')")
        #expect(try translator.eachExpression(QueryExpression(json: #"[".contacts"]"#), column: "old.") == "fl_each(old.body, 'contacts')")
    }

    private func metaObject(_ prefix: String) -> String {
        "dict_of('id', \(prefix)key, 'sequence', \(prefix)sequence, 'deleted', (\(prefix)flags & 1 != 0), 'expiration', "
            + "\(prefix)expiration, 'revisionID', fl_version(\(prefix)version))"
    }

    @Test func onlyPropertiesAreFullTextColumns() throws {
        #expect(try translator.fullTextColumn(QueryExpression(json: #"[".contact.address[0]"]"#)) == "contact.address[0]")
        #expect(try translator.fullTextColumn(QueryExpression(json: #"[".","a.b","$c"]"#)) == #"a\.b.$c"#)
        for json in [#"["."]"#, #"["._id"]"#, #"["length()",[".a"]]"#, #""a""#] {
            #expect(throws: QueryError.self) { try translator.fullTextColumn(QueryExpression(json: json)) }
        }
    }

    static let unfit = [
        #"["$p"]"#, #"["count()"]"#, #"["RANK()","x"]"#, #"["MATCH()","x","y"]"#, #"["EXISTS",["SELECT",{}]]"#, #"["?v"]"#,
        #"["nosuch()",1]"#,
    ]

    @Test(arguments: unfit) func whatDependsOnMoreThanTheDocumentIsRefused(_ json: String) throws {
        let expression = try QueryExpression(json: json)
        #expect(throws: QueryError.self) { try translator.indexExpression(expression, column: "") }
    }

    @Test func stringsInAListAreOperations() throws {
        #expect(
            try QueryExpression.list(json: #"[".a", [".b"]]"#) == [QueryExpression(json: #"[".a"]"#), QueryExpression(json: #"[".b"]"#)])
        #expect(throws: QueryError.self) { try QueryExpression.list(json: #"["a"]"#) }
        #expect(throws: QueryError.self) { try QueryExpression.list(json: "{}") }
    }
}
