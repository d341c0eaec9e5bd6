import CBLFleece
import CBLLanguage
import CBLStore
import Testing

@testable import CBLQuery

@Suite struct QueryPlanTests {
    static let live = "(_.flags & 1 = 0)"

    private func plan(_ sql: String, on sample: Sample, readsDeleted: Bool = false) throws -> QueryPlan {
        try sample.database.read { try Query(Sample.translation(sql, ["x"], readsDeleted: readsDeleted), on: $0).explain(on: $0) }
    }

    @Test func theTextIsTheVendors() throws {
        let sample = try Sample()
        let sql = "SELECT fl_result(fl_value(_.body, 'n')) FROM kv_default AS _ WHERE \(QueryPlanTests.live) ORDER BY fl_value(_.body, 'r')"
        let plan = try plan(sql, on: sample)
        #expect(plan.steps.map(\.detail) == ["SCAN _", "USE TEMP B-TREE FOR ORDER BY"])
        let lines = plan.text.split(separator: "\n", omittingEmptySubsequences: false)
        let step = plan.steps[0]
        #expect(lines.prefix(3) == [Substring(sql), "", "\(step.id)|0|\(step.unused)| SCAN _"])
        #expect(plan.text.hasSuffix("| USE TEMP B-TREE FOR ORDER BY\n\n"))
        #expect(
            plan.reading.map(\.text) == [
                "looks at every document of collection _default (_)", "sorts the rows: no index has them in this order",
            ])
        #expect(plan.scannedCollections == ["_default"])
        var buffer = ByteBuffer()
        plan.append(to: &buffer)
        let encoder = FleeceEncoder()
        try JSONParser.parse(buffer.string, into: encoder)
        try #expect(encoder.finish().withRoot { $0.dictionary?.value(forKey: "plan", nil)?.array?.count } == 2)
    }

    @Test func indexesAreNamedWithTheirTerms() throws {
        let sample = try Sample()
        try sample.database.write {
            try $0.connection.execute(
                "CREATE INDEX byCity ON kv_default (fl_value(body, 'address.city'), fl_value(body, 'age'), N1QL_lower(fl_value(body, 'n, (x')))"
            )
        }
        let found = try plan(
            """
            SELECT fl_result(fl_root(_.body)) FROM kv_default AS _ WHERE fl_value(_.body, 'address.city') = 'x' \
            AND fl_value(_.body, 'age') > 7 AND fl_value(_.body, 'age') < 9 AND \(QueryPlanTests.live)
            """, on: sample)
        #expect(
            found.reading.map(\.text) == [
                "uses index \"byCity\" of collection _default (_) to find address.city = ? and age > ? and age < ?"
            ])
        #expect(found.scannedCollections == [])
        let byID = try plan("SELECT 1 FROM kv_default AS _ WHERE _.key = 'a'", on: sample)
        #expect(byID.reading.map(\.text) == ["finds documents of collection _default (_) by ID, without touching the documents"])
        let ordered = try plan("SELECT _.body FROM kv_default AS _ ORDER BY fl_value(_.body, 'address.city')", on: sample)
        #expect(ordered.reading.map(\.text) == ["goes through all of index \"byCity\" of collection _default (_), in its order"])
    }

    @Test func searchesArraysAndSubqueriesAreTold() throws {
        let sample = try Sample()
        try sample.database.write {
            try $0.connection.execute(#"CREATE VIRTUAL TABLE "kv_default::by\Bio" USING fts4("bio", tokenize=unicodesn)"#)
        }
        let found = try plan(
            """
            SELECT _.rowid, offsets("<idx1>"."kv_default::by\\Bio"), _.key FROM kv_default AS _ \
            INNER JOIN "kv_default::by\\Bio" AS "<idx1>" ON "<idx1>".docid = _.rowid WHERE "<idx1>"."kv_default::by\\Bio" MATCH 'x' \
            AND EXISTS (SELECT 1 FROM fl_each(_.body, 'tags') AS _t WHERE _t.value = 1)
            """, on: sample)
        #expect(found.reading.map(\.depth) == [0, 0, 0, 1])
        #expect(
            found.reading.map(\.text) == [
                "searches full-text index \"byBio\"", "for each, takes the document of collection _default (_) by its row number",
                "for each row, a subquery", "goes through the items of _t",
            ])
    }

    @Test func aRunIsMeasured() throws {
        let sample = try Sample()
        try sample.saveNumbers(50)
        try sample.database.read { snapshot in
            let sql =
                "SELECT fl_value(_.body, 'n') FROM kv_default AS _ WHERE fl_value(_.body, 'r') = 3 ORDER BY fl_value(_.body, 'n') DESC"
            let plan = try Query(Sample.translation(sql, ["n"]), on: snapshot).analyze(on: snapshot)
            let analysis = try #require(plan.analysis)
            #expect(analysis.rows == 5)
            #expect(analysis.scannedRows == 49)
            #expect(analysis.sorts == 1)
            #expect(analysis.machineSteps > 100 && analysis.total > .zero)
            // Counters begin anew.
            try #expect(Query(Sample.translation(sql, ["n"]), on: snapshot).analyze(on: snapshot).analysis?.sorts == 1)
        }
    }
}
