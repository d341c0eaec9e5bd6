import CBLStore
import CBLTestSupport
import FoundationEssentials
import Testing

@testable import CBLViews

/// Views as people write them down: files of JavaScript, and design documents.
@Suite struct ScriptFileTests {
    static let map = "function (doc) { emit(doc.a, 1); }"

    @Test(arguments: [
        (map, map, nil), ("// a view\n  \(map) ", map, nil), ("map = \(map)", map, nil),
        ("var map = \(map); var reduce = \"_sum\";", map, "_sum"),
        ("exports.map = \(map)\nmodule.exports.reduce = '_count'", map, "_count"),
        (
            "function map(d) { if (/[/}]\\/}/.test(d.x)) emit(\"}\", '\\'}'); /* } */ }",
            "function map(d) { if (/[/}]\\/}/.test(d.x)) emit(\"}\", '\\'}'); /* } */ }", nil
        ),
        (
            "function map(d) { emit(d.a / d.b, d.c / 2); } // }\nfunction reduce(k, v) { return sum(v) / 2; }",
            "function map(d) { emit(d.a / d.b, d.c / 2); }", "function reduce(k, v) { return sum(v) / 2; }"
        ),
        ("{ map: \(map), reduce: '_stats' }", map, "_stats"),
        ("({ \"map\": \(map),\n \"reduce\": function (k, v, r) { return v.length } })", map, "function (k, v, r) { return v.length }"),
        ("(\(map))", "(\(map))", nil),
    ]) func functionsAreFound(_ text: String, _ map: String, _ reduce: String?) throws {
        let file = try ScriptFile(text)
        #expect(file.map == map)
        #expect(file.reduce == reduce)
    }

    @Test(arguments: [
        ("", "no map function"), ("reduce = '_sum'", "no map function"), ("map = 3", "expected a function"),
        ("helper = \(map)", "it has helper"),
        ("map = function (doc) { emit('", "the end of this string"), ("function map(doc) { emit(", "an end to this bracket"),
        ("map \(map)", "= after map"), ("\(map) x", "the end of the file"),
        ("function map(d) { return /abc\n }", "the end of this regular expression"),
    ]) func whatIsNoViewIsRefusedWithAReason(_ text: String, _ reason: String) {
        #expect { try ScriptFile(text) } throws: { "\($0)".contains(reason) }
    }

    @Test func noTextIsTooStrange() {
        var random = SeededRandom(17)
        let seed = Array("{ map: function (doc) { if (/[a]/.test('}')) emit(doc.a, \"x\\\"\"); /* ) */ }, reduce: '_sum' }".utf8)
        Mutation.forEachSmall(of: seed) { _ = try? ScriptFile(String(decoding: $0, as: UTF8.self)) }
        for _ in 0..<5000 { _ = try? ScriptFile(String(decoding: Mutation.mutated(seed, &random), as: UTF8.self)) }
    }

    @Test func aDesignDocumentIsReadAsItWasWritten() throws {
        var view = ScriptedView("things/byA", map: Self.map, reduce: "_count")
        view.documentType = "thing"
        view.collation = .raw
        view.collection = try CollectionName(scope: "inventory", name: "hotel")
        let plain = ScriptedView("things/plain", map: Self.map)
        let first = try DesignDocumentEdit("things", nil).json("plain", plain)
        let both = try #require(try DesignDocumentEdit("things", first).json("byA", view))
        #expect(try DesignDocument("things", json: both).views == [view, plain])
    }

    @Test func whatElseADesignDocumentHasStays() throws {
        let text = #"{"filters":{"f":"function (doc) {}"},"views":{"lib":{"code":"x"},"v":{"map":"function (d) {}","reduce":"_sum"}}}"#
        let changed = try #require(try DesignDocumentEdit("d", Array(text.utf8)).json("v", ScriptedView("d/v", map: "function (doc) {}")))
        #expect(
            String(decoding: changed, as: UTF8.self)
                == #"{"filters":{"f":"function (doc) {}"},"language":"javascript","views":{"lib":{"code":"x"},"v":{"map":"function (doc) {}"}}}"#
        )
        let without = try #require(try DesignDocumentEdit("d", changed).json("v", nil))
        #expect(
            String(decoding: without, as: UTF8.self)
                == #"{"filters":{"f":"function (doc) {}"},"language":"javascript","views":{"lib":{"code":"x"}}}"#)
        let single = try DesignDocumentEdit("d", nil).json("v", ScriptedView("d/v", map: "function (doc) {}"))
        #expect(try DesignDocumentEdit("d", single).json("v", nil) == nil)
        #expect(throws: ViewError.self) { try DesignDocumentEdit("d", Array("{".utf8)) }
    }

    @Test(arguments: ["", "/", "a/", "/b"]) func aViewHasAName(_ name: String) throws {
        let directory = try TemporaryDirectory()
        let database = try Database(path: directory.path + "/a.cblite2", options: .create)
        #expect(throws: ViewError.self) { try database.write { try $0.define(ScriptedView(ScriptedView.full(name), map: Self.map)) } }
    }

    @Test func whatIs1xsIsUnderstood() throws {
        let text = #"{"views":{"v":{"map":"function(d){}","options":{"collation":"raw"},"documentType":"t"},"w":{"reduce":"_sum"},"x":3}}"#
        let views = try DesignDocument("d", json: Array(text.utf8)).views
        #expect(views.map(\.name) == ["d/v"] && views[0].collation == .raw && views[0].documentType == "t")
        #expect(throws: ViewError.self) { try DesignDocument("d", json: Array(#"{"language":"erlang","views":{}}"#.utf8)) }
        #expect(throws: ViewError.self) { try DesignDocument("d", json: Array("{".utf8)) }
        #expect(try DesignDocument("d", json: Array("[1]".utf8)).views.isEmpty)
    }

    @Test func viewsAreStoredBesideTheCollections() throws {
        let directory = try TemporaryDirectory()
        let database = try Database(path: directory.path + "/a.cblite2", options: .create)
        try database.write { transaction in
            try transaction.save("doc", body: .emptyDictionary)
            try transaction.define(ScriptedView("views/b", map: Self.map))
            try transaction.define(ScriptedView("views/a", map: Self.map, reduce: "_sum"))
            try transaction.define(ScriptedView("other/c", map: Self.map))
        }
        try database.read { snapshot in
            try #expect(snapshot.scriptedViews().map(\.shortName) == ["other/c", "a", "b"])
            try #expect(snapshot.scriptedView("a")?.reduce == "_sum")
            try #expect(snapshot.counts(of: .default).live == 1 && snapshot.collections() == [.default])
        }
        try database.write { transaction in
            try #expect(transaction.removeView("a"))
            try #expect(!transaction.removeView("a"))
            try #expect(transaction.removeView("b"))
        }
        try database.read { try #expect($0.scriptedViews().map(\.name) == ["other/c"] && $0.designDocumentNames() == ["other"]) }
    }

    @Test func aScriptedViewMapsAndReduces() throws {
        let directory = try TemporaryDirectory()
        let database = try Database(path: directory.path + "/a.cblite2", options: .create)
        try database.write { transaction in
            for number in 0..<10 {
                let body = try transaction.encode(json: #"{"n":\#(number),"even":\#(number % 2 == 0)}"#)
                try transaction.save("doc\(number)", body: body)
            }
        }
        let index = ViewIndex(database)
        var view = ScriptedView(
            "views/v", map: "function (doc, meta) { if (doc.n == 7) throw new Error('no'); emit([doc.even, meta.id], doc.n); }",
            reduce: "function (keys, values, again) { return values.length + ':' + sum(values) + keys[0][0]; }")
        var query = ViewQuery()
        query.groupLevel = 1
        let grouped = try index.rows(view.definition(), query)
        #expect((0..<grouped.count).map { grouped.json($0) } == [#"[false] "4:18false""#, #"[true] "5:20true""#])
        view.reduce = "_sum"
        let all = try index.rows(view.definition())
        #expect(all.count == 1 && all.json(0) == "null 38")
        view.reduce = "_nothing"
        #expect(throws: ViewError.self) { try view.definition() }
        view.reduce = "function ("
        #expect(throws: ScriptError.self) { try view.definition() }
    }

    @Test func aReduceFunctionThatCannotFinishIsAnErrorAndNotNull() throws {
        let directory = try TemporaryDirectory()
        let database = try Database(path: directory.path + "/a.cblite2", options: .create)
        try database.write { transaction in try transaction.save("doc", body: .emptyDictionary) }
        let index = ViewIndex(database)
        var view = ScriptedView("views/v", map: "function (doc) { emit(1); }", reduce: "function () { throw 'up'; }")
        #expect(try index.rows(view.definition()).json(0) == "null null")
        let impossible = [
            ("while (true) {}", ScriptLimits(time: .milliseconds(50)), "processor time"),
            ("var a = []; while (true) a.push([1, 2, 3]);", ScriptLimits(memory: 8 << 20), "megabytes"),
        ]
        for (body, limits, reason) in impossible {
            view.reduce = "function (keys, values) { \(body) }"
            #expect {
                try index.rows(view.definition(limits: limits))
            } throws: {
                "\($0)".contains("with 1 rows: reduce: it") && "\($0)".contains(reason)
            }
        }
    }

    @Test func aFunctionThatIsAlwaysTooSlowEndsTheIndexing() throws {
        let directory = try TemporaryDirectory()
        let database = try Database(path: directory.path + "/a.cblite2", options: .create)
        try database.write { transaction in for number in 0..<100 { try transaction.save("doc\(number)", body: .emptyDictionary) } }
        let view = try ScriptedView("views/v", map: "function (doc) { while (true) {} }").definition(
            limits: ScriptLimits(time: .milliseconds(20)))
        let index = ViewIndex(database)
        #expect { try index.update([view]) } throws: { "\($0)".contains("took too long for 3 documents") }
    }
}
