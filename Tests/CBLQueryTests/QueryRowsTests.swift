import CBLFleece
import CBLLanguage
import CBLStore
import Testing

@testable import CBLQuery

@Suite struct QueryRowsTests {
    @Test func everyKindOfValueIsReadInPlace() throws {
        let sample = try Sample([
            "a":
                #"{"i": -7, "u": 18446744073709551615, "d": 1.5, "t": "text \" \u00e9", "b": false, "z": null, "l": [1, {"k": 2}], "o": {"x": {}}}"#
        ])
        let names = ["i", "u", "d", "t", "b", "z", "l", "o", "nothing"]
        let columns = names.map { "fl_result(fl_value(_.body, '\($0)'))" }.joined(separator: ", ")
        try sample.database.read { snapshot in
            let query = Query(Sample.translation("SELECT \(columns) FROM kv_default AS _", names), on: snapshot)
            let rows = try query.run(on: snapshot)
            try #expect(rows.next())
            guard case .integer(-7) = rows[0], case .unsigned(.max) = rows[1], case .double(1.5) = rows[2], case .boolean(false) = rows[4],
                case .null = rows[5], case .missing = rows[8], case .collection(let list) = rows[6], case .collection = rows[7]
            else {
                Issue.record("\((0..<9).map { rows[$0] })")
                return
            }
            #expect(rows[3].string == "text \" é")
            #expect(list.array?.count == 2)
            var buffer = ByteBuffer()
            rows.appendObject(to: &buffer)
            #expect(
                buffer.string
                    == #"{"i":-7,"u":18446744073709551615,"d":1.5,"t":"text \" é","b":false,"z":null,"l":[1,{"k":2}],"o":{"x":{}}}"#)
            buffer.removeAll()
            rows.appendArray(to: &buffer)
            #expect(buffer.string.hasSuffix(#",{"x":{}},null]"#))
            try #expect(!rows.next() && !rows.next())
            #expect(rows.count == 1)
        }
    }

    @Test func wholeDocumentsAreHandedOutAsTheyLie() throws {
        let sample = try Sample(["a": #"{"name": "Ada", "deep": {"er": [1, "two"]}}"#, "b": "{}"])
        try sample.database.read { snapshot in
            let translation = Sample.translation("SELECT fl_result(fl_root(_.body)) FROM kv_default AS _ WHERE (_.flags & 1 = 0)", ["_"])
            let rows = try Query(translation, on: snapshot).run(on: snapshot)
            try #expect(rows.json() == [#"[{"name":"Ada","deep":{"er":[1,"two"]}}]"#, "[{}]"])
        }
    }

    @Test(arguments: [
        ("SELECT fl_result(fl_root(_.body)) FROM kv_default AS _", "SELECT _.body FROM kv_default AS _"),
        (
            #"SELECT fl_result(fl_root("a b".body)), fl_result(fl_root(x.body)) FROM t"#,
            #"SELECT "a b".body, fl_result(fl_root(x.body)) FROM t"#
        ),
        ("SELECT fl_result(fl_root(_.body)) AS doc FROM kv_default AS _", "SELECT _.body AS doc FROM kv_default AS _"),
        ("SELECT fl_result(fl_root(_.value)) FROM t", nil), ("SELECT DISTINCT fl_result(fl_root(_.body)) FROM t", nil),
        ("SELECT 'SELECT fl_result(fl_root(_.body))' FROM t", nil), ("SELECT fl_result(fl_root(", nil),
    ]) func onlyTheFirstColumnIsCutShort(sql: String, expected: String?) {
        #expect(ShortCut.sql(for: sql) == expected)
    }

    @Test func aQueryRunsAgainWithOtherParameters() throws {
        let sample = try Sample()
        try sample.saveNumbers(20)
        try sample.database.read { snapshot in
            let sql =
                "SELECT fl_value(_.body, 'n') FROM kv_default AS _ WHERE fl_value(_.body, 'r') = $_r AND fl_value(_.body, 'n') >= $_opt_from"
            let query = Query(Sample.translation(sql, ["n"], parameters: ["r", "opt_from"]), on: snapshot)
            try #expect(query.run(on: snapshot, parameters: QueryParameters(json: #"{"r": 3, "opt_from": 0}"#)).json() == ["[3]", "[13]"])
            try #expect(query.run(on: snapshot, parameters: QueryParameters(json: #"{"r": 4, "opt_from": 10}"#)).json() == ["[14]"])
            // What was bound before is forgotten.
            let rows = try query.run(on: snapshot)
            #expect(rows.unboundParameters == ["r"])
            try #expect(rows.json() == [])
        }
    }

    @Test(arguments: [
        ("true", "[1.0]"), ("false", "[0.0]"), ("7", "[7]"), ("1.5", "[1.5]"), (#""x""#, #"["x"]"#), ("null", "[missing]"),
        ("[1,true]", "[[1,true]]"), (#"{"a":{"b":1}}"#, #"[{"a":{"b":1}}]"#), ("18446744073709551615", "[1.8446744073709552e+19]"),
    ]) func parametersAreBoundAsTheVendorsAre(json: String, row: String) throws {
        let sample = try Sample(["a": "{}"])
        try sample.database.read { snapshot in
            let query = Query(Sample.translation("SELECT fl_result($_p) FROM kv_default AS _", ["p"], parameters: ["p"]), on: snapshot)
            try #expect(query.run(on: snapshot, parameters: QueryParameters(json: #"{"p": \#(json)}"#)).json() == [row])
        }
    }

    @Test func anUnknownParameterIsRefused() throws {
        let sample = try Sample()
        try sample.database.read { snapshot in
            let query = Query(
                Sample.translation("SELECT $_city FROM kv_default AS _", ["c"], parameters: ["city"]), on: snapshot)
            let error = #expect(throws: QueryError.self) {
                _ = try query.run(on: snapshot, parameters: QueryParameters(json: #"{"ctiy": 1}"#))
            }
            #expect(error?.kind == .unknownParameter)
            #expect(error?.diagnostics.map(\.message) == ["Unknown query property 'ctiy'. Did you mean 'city'?"])
        }
        #expect(throws: QueryFailure.refused("the parameters of a query must be a JSON object")) { _ = try QueryParameters(json: "[1]") }
    }

    @Test func aFailingFunctionIsAnErrorOfTheQuery() throws {
        let sample = try Sample(["a": "{}"])
        try sample.database.read { snapshot in
            let query = Query(Sample.translation("SELECT rank(x'00') FROM kv_default AS _", ["r"]), on: snapshot)
            let rows = try query.run(on: snapshot)
            let error = #expect(throws: QueryFailure.self) { _ = try rows.next() }
            #expect(error?.description == "the query failed: rank() needs the result of matchinfo()")
            try #expect(query.run(on: snapshot).count == 0)
        }
    }

    @Test func deletedDocumentsAreSeenThroughAView() throws {
        let sample = try Sample(["a": #"{"n": 1}"#, "b": #"{"n": 2}"#])
        try sample.database.write { try $0.delete("a") }
        let sql = "SELECT _.key, fl_boolean_result((_.flags & 1 != 0)) FROM all_default AS _ ORDER BY _.key"
        for _ in 0..<2 {
            try sample.database.read { snapshot in
                let query = Query(Sample.translation(sql, ["id", "deleted"], readsDeleted: true), on: snapshot)
                try #expect(query.run(on: snapshot).json() == [#"["a",true]"#, #"["b",false]"#])
            }
        }
        try sample.database.write { transaction in
            let query = Query(Sample.translation(sql, ["id", "deleted"], readsDeleted: true), on: transaction)
            try #expect(query.run(on: transaction).json() == [#"["a",true]"#, #"["b",false]"#])
        }
    }

    @Test func patternsMindCase() throws {
        let sample = try Sample(["a": #"{"t": "Abc"}"#])
        try sample.database.read { snapshot in
            let sql = #"SELECT fl_boolean_result(fl_value(_.body, 't') LIKE 'a%' ESCAPE '\') FROM kv_default AS _"#
            try #expect(Query(Sample.translation(sql, ["x"]), on: snapshot).run(on: snapshot).json() == ["[false]"])
        }
    }
}
