import CBLFleece
import CBLTestSupport
import Testing

@testable import CBLViews

@Suite struct ScriptFuzzTests {
    private static let seeds = [
        "function (doc) { emit(doc.type, null); }",
        "function (doc, meta) { for (var i = 0; i < doc.tags.length; i++) emit([doc.tags[i], i], {n: doc.n}); }",
        "function (doc) { var m = /^(a+)(b|c)*$/.exec(doc.text); if (m && m[1] !== 'x') emit(new Date(doc.n), m); else throw {forbidden: doc}; }",
        "function (doc) { try { doc.tags.forEach(function (tag) { emit(tag.toUpperCase(), doc); }); } catch (e) { log(e.message); } finally { x = toJSON(doc); } }",
        "function (doc) { switch (typeof doc.n) { case 'number': return emit(doc.n.toFixed(2), sum([1, 2])); default: with (doc) { emit(text + \"\\u00e9\", this); } } }",
    ]
    /// Those that do not use the document as a whole.
    private static let selective = [
        seeds[0], seeds[1],
        "function (doc) { if (doc.inner && doc.inner.a) emit(doc.inner.a[1].b, doc.text); if (!doc.missing || doc.inner.c) emit(doc.tags); }",
        "function (doc) { x = doc.inner; emit(doc.inner && doc.inner.c, [doc.tags.length, doc['text'].charAt(1), doc.type + doc.n]); for (k in x) emit(k, x[k]); }",
    ]
    private static let document = ##"{"type":"a","n":5,"tags":["x","yü😀"],"text":"aab","inner":{"a":[1,{"b":null}],"c":true}}"##

    private func isHarmless(_ error: any Error) -> Bool {
        (error as? ScriptError).map { $0.kind != .broken && $0.kind != .missingLibrary } ?? false
    }

    /// Texts that were functions once.
    @Test func anyTextIsAFunctionOrAnError() {
        var random = SeededRandom(15)
        let limits = ScriptLimits(time: .milliseconds(20), memory: 8 << 20)
        var functions = 0
        repeatWithin(seconds: 2) {
            let mutated = Mutation.mutated(Array(random.element(of: Self.seeds).utf8), &random)
            do {
                let bench = try ScriptBench(String(decoding: mutated, as: UTF8.self), limits: limits)
                functions += 1
                _ = try bench.rows(Self.document)
                _ = try bench.rows("{}")
            } catch { #expect(isHarmless(error), "\(error)") }
        }
        #expect(functions > 0)
    }

    /// What a function is found to touch is all that it touches: without the rest it does the same.
    @Test func whatIsLeftOutIsNotMissed() {
        var random = SeededRandom(16)
        let limits = ScriptLimits(time: .milliseconds(100), memory: 8 << 20)
        var compared = 0
        repeatWithin(seconds: 2) {
            let source = String(decoding: Mutation.mutated(Array(random.element(of: Self.selective).utf8), &random), as: UTF8.self)
            guard let lazy = try? ScriptBench(source, limits: limits), !lazy.program.touched.isWhole,
                let whole = try? ScriptBench(source, limits: limits, touchesEverything: true)
            else { return }
            func outcome(_ bench: ScriptBench) -> String {
                do { return "\(try bench.rows(Self.document))" } catch { return "\(error)" }
            }
            let outcomes = (outcome(lazy), outcome(whole))
            #expect(outcomes.0 == outcomes.1 || outcomes.0.contains("processor time") || outcomes.1.contains("processor time"), "\(source)")
            compared += 1
        }
        #expect(compared > 0)
    }

    /// Damaged bodies: every truncation, every flipped bit, and worse.
    @Test func anyBodyIsADocumentOrAnError() throws {
        let keys = SharedKeysBuilder()
        let encoder = FleeceEncoder(sharedKeys: keys)
        try JSONParser.parse(Self.document, into: encoder)
        let bytes = try encoder.finish().withBytes { Array($0) }
        let limits = ScriptLimits(time: .seconds(60), memory: 16 << 20)
        let benches = try [
            ScriptBench(mapping("emit(doc.type, doc)"), limits: limits),
            ScriptBench(mapping("emit(doc.inner.a, doc.tags.length)"), limits: limits),
            ScriptBench(mapping("for (var key in doc) emit(key, doc[key])"), limits: limits),
        ]
        func check(_ bytes: [UInt8]) {
            for bench in benches {
                do { _ = try bench.rows(FleeceData(bytes), keys: keys.state) } catch { #expect(isHarmless(error), "\(error)") }
            }
        }
        Mutation.forEachSmall(of: bytes, check)
        var random = SeededRandom(17)
        repeatWithin(seconds: 1) { check(Mutation.mutated(bytes, &random)) }
    }
}
