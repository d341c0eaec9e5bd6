import CBLFleece
import Testing

@testable import CBLViews

@Suite struct ScriptSemanticsTests {
    @Test(arguments: [
        ("emit(doc.type, doc.n)", ##"{"type":"a","n":1}"##, [##""a" → 1"##]),
        ("emit(doc.type)", ##"{"type":"a"}"##, [##""a" → nothing"##]),
        ("emit(null, null)", "{}", ["null → null"]),
        // A key that is not there is no row.
        ("emit(doc.missing, 1); emit(function () {}, 2); emit(1, function () {})", "{}", ["1 → nothing"]),
        ("emit([doc.a, [true, null], 'x'], {b: [1.5]})", ##"{"a":1}"##, [##"[1,[true,null],"x"] → {"b":[1.5]}"##]),
        ("emit([undefined, function () {}, NaN, 1/0], -0)", "{}", ["[null,null,null,null] → 0"]),
        ("emit(9007199254740992, -9007199254740992)", "{}", ["9007199254740992 → -9007199254740992"]),
        ("emit(1e300, 0.1)", "{}", ["1e+300 → 0.1"]),
        ("emit(new Date(0), {d: new Date(86400000)})", "{}", [##""1970-01-01T00:00:00.000Z" → {"d":"1970-01-02T00:00:00.000Z"}"##]),
        ("emit(NaN, 1/0)", "{}", ["null → null"]),
        ("emit(Object(5), [Object('s')])", "{}", [##"5 → ["s"]"##]),
        (
            "for (var key in doc) emit(key, doc[key])", ##"{"b":1,"a":[2]}"##,
            [##""a" → [2]"##, ##""b" → 1"##, ##""_id" → "the-id""##, ##""_rev" → "2-abc""##, ##""_local_seq" → 7"##]
        ),
        ("emit(doc._id, doc._rev + doc._local_seq)", ##"{"_id":"other"}"##, [##""the-id" → "2-abc7""##]),
        ("emit(doc._conflicts === undefined, doc._deleted === undefined)", "{}", ["true → true"]),
        ("emit(sum([1, 2, 3.5]), toJSON({a: [1]}))", "{}", [##"6.5 → "{\"a\":[1]}""##]),
        ("emit(isArray([]), isArray({length: 0}))", "{}", ["true → false"]),
        ("for (i = 0; i < doc.tags.length; i++) emit(doc.tags[i], null)", ##"{"tags":["x","y"]}"##, [##""x" → null"##, ##""y" → null"##]),
        ("doc.tags.forEach(function (tag) { emit(tag); })", ##"{"tags":["x"]}"##, [##""x" → nothing"##]),
        ("emit(doc.a.b.c, doc.a.x)", ##"{"a":{"b":{"c":5,"d":6},"x":7}}"##, ["5 → 7"]),
        ("doc.a = 2; emit(doc.a, doc)", ##"{"a":1}"##, [##"2 → {"_id":"the-id","_local_seq":7,"_rev":"2-abc","a":2}"##]),
        // What the language does at the end of a statement.
        ("emit(1)\nemit(2)", "{}", ["1 → nothing", "2 → nothing"]),
    ])
    func mapsAsTheLanguageSays(statements: String, document: String, rows: [String]) throws {
        #expect(try ScriptBench(mapping(statements)).rows(document) == rows)
        #expect(try ScriptBench(mapping(statements), touchesEverything: true).rows(document) == rows)
        let keys = SharedKeysBuilder()
        let found = try ScriptBench(mapping(statements)).rows(document, keys: keys)
        // Shared keys come in the order of their numbers.
        #expect(Set(found) == Set(rows))
    }

    @Test func tellsOfConflictsAndOfTheDocumentItself() throws {
        let bench = try ScriptBench("function (doc, meta) { emit(doc._conflicts, meta); }")
        #expect(
            try bench.rows("{}", conflicts: ["1-a", "1-b"]) == [##"["1-a","1-b"] → {"id":"the-id","rev":"2-abc","seq":7}"##])
        let encoder = FleeceEncoder()
        encoder.beginDictionary()
        encoder.endDictionary()
        let body = try encoder.finish()
        let other = try ScriptBench(mapping("emit(1, doc); emit(2, [doc]); emit(3, {})"))
        var areDocuments: [Bool] = []
        let empty = UnsafeRawBufferPointer(start: nil, count: 0)
        try body.withRoot { root in
            try other.runner.map(other.function, ScriptDocument(body: root, keys: nil, id: empty, revision: empty)) {
                areDocuments.append($0.isDocument)
            }
        }
        #expect(areDocuments == [true, false, false])
    }

    @Test(arguments: [
        ("throw new Error('no')", "Error: no"),
        ("throw 'text'", "text"),
        ("throw {forbidden: 'why'}", ##"{"forbidden":"why"}"##),
        ("throw null", "null"),
        ("throw undefined", "undefined"),
        ("doc.missing.member", "TypeError: cannot read property 'member' of undefined"),
        ("nowhere()", "ReferenceError: identifier 'nowhere' undefined"),
        ("var a = []; a.push(a); emit(a)", "RangeError: the value is nested too deep"),
        ("var o = {}; o.o = o; emit(o)", "TypeError: cyclic input"),
        ("emit({toJSON: function () { throw new Error('trap'); }})", "Error: trap"),
        ("emit([1, {get a() { throw new Error('trap'); }}])", "Error: trap"),
        ("throw {toString: function () { throw 1; }, toJSON: function () { throw 2; }}", nil),
        ("throw {get message() { throw 1; }}", nil),
    ])
    func dropsTheRowsOfADocumentWhoseFunctionThrows(statements: String, message: String?) throws {
        let bench = try ScriptBench(mapping("emit('before', 1); log('heard'); if (doc.bad) { \(statements) }"))
        let error = try #require(bench.error(##"{"bad":true}"##))
        #expect(error.kind == .thrown)
        #expect(error.function == "test")
        if let message, !statements.contains("a.push(a)") { #expect(error.message == message) }
        #expect(bench.logs == ["test: heard"])
        #expect(try bench.rows(##"{"bad":false}"##) == [##""before" → 1"##])
    }

    @Test func namesTheLineOfAnError() throws {
        let bench = try ScriptBench("function (doc) {\n  var a = 1;\n  return a.b.c;\n}")
        #expect(bench.error()?.line == 3)
        let error = #expect(throws: ScriptError.self) { try ScriptProgram("\n\nfunction (doc) {\n  var = 1;\n}", name: "broken") }
        #expect(error?.kind == .syntax)
        #expect(error?.line == 4)
        #expect(error.map { "\($0)" }?.hasPrefix("broken, line 4: SyntaxError") == true)
    }

    @Test(arguments: [
        "", "   ", "1", "{}", "emit(1)", "function", "function (doc) {", "function (doc) { } }", "(function (doc) {})()",
        "function (doc) {}(1)", "function (doc) {}; function (other) {}", "function (doc) {} + function () {}", "[function (doc) {}]",
        "function (doc) { return }x", "doc => 1", "(function () { return function (doc) {}; }())", "}", "*/", "/**/", "/*/",
        "function (doc) {}\u{0}", "function (doc) { \u{0} }", "x = function (doc) {}", "function (doc) {} // {}",
    ])
    func refusesWhatIsNotOneFunction(source: String) {
        #expect(throws: ScriptError.self) { try ScriptProgram(source, name: "test") }
    }

    @Test(arguments: [
        "function(doc){emit(1)}", " (function (doc) { emit(1); }) ; ", "function named(doc) { emit(1) } /* behind */",
        "// before\nfunction (doc) { emit(1) }\n", "(\nfunction (doc) { emit(1) }/* } */)", "function (doc) { /* } */ emit(1) }",
        "function (doc) { var f = function () { return '}'; }; f(); emit(1) };;", "/* ( */ function () { emit(1) }",
    ])
    func takesAFunctionAsPeopleWriteIt(source: String) throws {
        #expect(try ScriptBench(source).rows("{}") == ["1 → nothing"])
    }

    @Test(arguments: [
        ("true", true), ("1", true), ("'mais oui'", true), ("[]", true), ("{}", true), ("'false'", true), ("false", false), ("0", false),
        ("''", false), ("null", false), ("undefined", false), ("NaN", false), ("-0", false), ("new Boolean(false)", true),
    ])
    func filtersByTruthAsTheLanguageKnowsIt(value: String, isTrue: Bool) throws {
        #expect(try ScriptBench("function (doc, req) { return \(value == "{}" ? "({})" : value); }").accepts("{}") == isTrue)
    }

    @Test func filtersByParameters() throws {
        let bench = try ScriptBench("function (doc, req) { return doc.type == req.type && doc.type == req.query.type; }")
        #expect(try bench.accepts(##"{"type":"a"}"##, parameters: [("type", "a")]))
        #expect(try !bench.accepts(##"{"type":"a"}"##, parameters: [("type", "b")]))
        #expect(try !bench.accepts(##"{"type":"a"}"##))
        let emitting = try ScriptBench("function (doc) { emit(1); return true; }")
        #expect(throws: ScriptError(.thrown, function: "test", message: "TypeError: only map functions may emit", line: 1)) {
            try emitting.accepts("{}")
        }
    }

    @Test func reduces() throws {
        let bench = try ScriptBench("function (keys, values, rereduce) { return rereduce ? -sum(values) : [keys.length, sum(values)]; }")
        #expect(try bench.result(##"["a","b"]"##, "[1,2]", "false") == "[2,3]")
        #expect(try bench.result("null", "[1,2,4]", "true") == "-7")
        #expect(try ScriptBench("function () {}").result() == "nothing")
        #expect(try ScriptBench("function (v) { return v; }").result(##"{"a":[1,{"b":"ü😀"}]}"##) == ##"{"a":[1,{"b":"ü😀"}]}"##)
    }

    @Test func logsWhatItIsGiven() throws {
        let bench = try ScriptBench(mapping("log('a'); log(1); log({b: [2]}); log(undefined); log('ü😀')"))
        _ = try bench.rows("{}")
        #expect(bench.logs == ["test: a", "test: 1", ##"test: {"b":[2]}"##, "test: undefined", "test: ü😀"])
    }
}
