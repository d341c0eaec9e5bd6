import Testing

@testable import CBLViews

/// A function finds nothing by which it could reach out, and nothing of what one call does reaches the next, the function beside it or the host.
@Suite struct ScriptSandboxTests {
    @Test(arguments: [
        "Duktape", "require", "Buffer", "CBOR", "Proxy", "Reflect", "ArrayBuffer", "Uint8Array", "DataView", "TextDecoder", "TextEncoder",
        "performance",
        "print", "alert", "console", "process", "global", "module", "exports", "window", "setTimeout", "load", "readFile", "Thread",
        "Pointer",
    ])
    func thereIsNo(name: String) throws {
        let bench = try ScriptBench(
            mapping("emit(typeof \(name), typeof this.\(name)); emit(Function('return typeof \(name)')(), eval('typeof \(name)'))"))
        #expect(try bench.rows("{}") == [##""undefined" → "undefined""##, ##""undefined" → "undefined""##])
    }

    /// What is reached by way of constructors and prototypes is the same sandbox.
    @Test func allRoadsLeadToTheSameSandbox() throws {
        let roads = [
            "this", "(function () { return this; })()", "[].constructor.constructor('return this')()",
            "doc.constructor.constructor('return this')()",
            "emit.constructor('return this')()", "(0, eval)('this')", "new Function('return this')()",
            "log.call.constructor('return this')()",
        ]
        let names = try ScriptBench(
            mapping(
                "var seen = []; for (var o = this; o; o = Object.getPrototypeOf(o)) seen = seen.concat(Object.getOwnPropertyNames(o)); emit(seen.sort())"
            ))
        let expected = try names.rows("{}")
        #expect(expected.first?.contains("emit") == true)
        for road in roads {
            let bench = try ScriptBench(
                mapping(
                    "var seen = []; for (var o = \(road); o; o = Object.getPrototypeOf(o)) seen = seen.concat(Object.getOwnPropertyNames(o)); emit(seen.sort())"
                ))
            #expect(try bench.rows("{}") == expected, "\(road)")
        }
    }

    /// Statements of the first call, and an expression that must be the same in the second as in a new heap.
    @Test(arguments: [
        ("counter = (typeof counter === 'number' ? counter : 0) + 1", "typeof counter"),
        ("this.counter = 1", "typeof counter"), ("var g = this; (function () { g.x = 1; })()", "typeof x"),
        ("eval('var leaked = 1'); (0, eval)('var leaked2 = 1')", "typeof leaked + typeof leaked2"),
        ("Function('leaked = 1')()", "typeof leaked"), ("Function('function leaked() {}')()", "typeof leaked"),
        ("(0, eval)('function leaked() {}')", "typeof leaked"),
        ("Object.defineProperty(this, 'fixed', {value: 1, configurable: false})", "typeof fixed"),
        ("Object.defineProperty(this, 'fixed', {get: function () { return 1; }, configurable: false})", "typeof fixed"),
        ("this[Symbol('s')] = 1", "Object.getOwnPropertySymbols(this).length"),
        ("try { Object.preventExtensions(this); } catch (e) {}", "(works = 1, typeof works)"),
        ("try { Object.freeze(this); } catch (e) {}", "(works = 1, typeof works)"),
        ("try { Object.seal(this); } catch (e) {}", "(works = 1, typeof works)"),
        ("try { Object.setPrototypeOf(this, {emit: 1, JSON: 2}); } catch (e) {}", "typeof emit + typeof JSON"),
        ("this.__proto__ = {emit: 1}; __proto__ = {emit: 1}", "typeof emit"),
        ("emit = 1; log = 2; JSON = 3; sum = 4", "typeof emit + typeof log + typeof JSON + typeof sum"),
        ("delete this.emit; delete JSON; delete Object", "typeof emit + typeof JSON + typeof Object"),
        ("JSON.stringify = function () { return 'caught'; }", "toJSON([1])"),
        ("JSON.stringify = function () { return 'caught'; }", "JSON.stringify([1])"),
        ("Array.prototype.push = function () {}; [].constructor.prototype.map = 1", "(a = [], a.push(1), a.length) + typeof a.map"),
        ("Array.isArray = function () { return 5; }", "isArray([])"), ("Object.prototype.polluted = 1", "typeof ({}).polluted"),
        ("({}).constructor.prototype.polluted = 1", "typeof ({}).polluted"), ("Function.prototype.call = 1", "typeof emit.call"),
        ("Object.defineProperty(Object.prototype, 'toJSON', {value: function () { return 1; }})", "JSON.stringify({a: 1})"),
        ("Object.defineProperty(Array.prototype, '0', {set: function () {}})", "JSON.stringify([7])"),
        (
            "Object.prototype.__defineGetter__ && Object.prototype.__defineGetter__('polluted', function () { return 1; })",
            "typeof ({}).polluted"
        ),
        ("Object.prototype.toString = function () { return 'caught'; }", "String({})"),
        ("Object.prototype.constructor = 1", "typeof ({}).constructor"),
        ("String.prototype.split = 1; Number.prototype.toFixed = 2", "'a'.split('').length + 1.5.toFixed(1)"),
        ("Math.abs = function () { return 7; }; Math.PI = 3", "Math.abs(-1) + ' ' + Math.PI"),
        ("RegExp.prototype.exec = 1; /x/g.test('x')", "typeof /x/.exec + /x/g.lastIndex"),
        (
            "Error.prototype.message = 'm'; Error.prototype.extra = 1; TypeError.prototype.name = 'n'",
            "String(new Error()) + new Error().extra + new TypeError()"
        ),
        (
            "Date.now = function () { return 1; }; Date.prototype.toJSON = function () { return 1; }",
            "JSON.stringify(new Date(0)) + (Date.now() > 1)"
        ),
        (
            "emit.own = 1; arguments.callee.own = 1; arguments.callee.prototype.own = 1",
            "typeof emit.own + typeof arguments.callee.own + typeof arguments.callee.prototype.own"
        ),
        ("doc.type = 'changed'; doc.list.push(4); doc.inner.x = 2", "doc.type + doc.list.length + doc.inner.x"),
        ("Object.freeze(doc); Object.freeze(doc.list)", "(doc.type = 2, doc.list.push(1))"),
        ("try { null.x } catch (e) { e.constructor.prototype.own = 1; }", "typeof new TypeError().own"),
        ("Object.getPrototypeOf(Object.getPrototypeOf(function () {})).own = 1", "typeof ({}).own"),
        ("for (name in this) delete this[name]", "typeof emit"),
        ("undefined = 1; NaN = 2; Infinity = 3", "typeof undefined + NaN + Infinity"),
        ("Symbol.iterator = 1; Symbol['for']('x').own = 2", "typeof Symbol.iterator + typeof Symbol['for']('x').own"),
    ])
    func nothingOfOneCallReachesTheNext(statements: String, expression: String) throws {
        let document = ##"{"type":"a","list":[1,2,3],"inner":{"x":1}}"##
        let source = mapping("if (doc.isFirst) { try { \(statements) } catch (e) {} } else emit(\(expression));")
        let expected = try ScriptBench(source).rows(document)
        #expect(expected.count == 1)
        let bench = try ScriptBench(source)
        // Another function of the same heap is not reached either.
        let other = try bench.runner.add(
            ScriptProgram("function () { return JSON.stringify([1, {a: String({})}]) + typeof emit + [3, 1, 2].sort(); }", name: "other"))
        for _ in 0..<3 {
            #expect(try bench.rows(##"{"isFirst":true,"type":"a","list":[1,2,3],"inner":{"x":1}}"##) == [])
            #expect(try bench.rows(document) == expected)
        }
        let result = try bench.runner.call(other) { _ in }
        let text = try result.encoded().withRoot { $0.string }
        #expect(text == ##"[1,{"a":"[object Object]"}]function1,2,3"##)
    }

    @Test func objectsOfOnesOwnMayHaveWhatAllInherit() throws {
        let statements = """
            var o = {}; o.toString = function () { return 'own'; }; o.constructor = 5; o.hasOwnProperty = 6;
            var e = new Error(); e.message = 'm'; e.name = 'n';
            function Special() {} Special.prototype = new Error(); Special.prototype.name = 'Special'; Special.prototype.valueOf = function () { return 3; };
            emit([String(o), o.constructor, o.hasOwnProperty, Object.keys(o).length], [String(e), new Special().name, new Special() + 1]);
            """
        #expect(try ScriptBench(mapping(statements)).rows("{}") == [##"["own",5,6,3] → ["n: m","Special",4]"##])
    }

    @Test func whatIsEmittedIsNotLedAstray() throws {
        let traps = [
            "emit({toJSON: function () { emit(5); return 1; }})",
            "try { emit([{toJSON: function () { emit(5); }}]) } catch (e) { emit(e.message) }",
            "emit({toJSON: function () { log('inside'); return 1; }}, {get a() { log('again'); return 2; }})",
            "try { emit([1, 2], {toJSON: function () { throw 1; }}); } catch (e) {} emit('after')",
            "var a = [1, 2]; Object.defineProperty(a, '0', {get: function () { a.length = 0; return 'gone'; }}); emit(a)",
            "var a = [1, 2]; Object.defineProperty(a, '0', {get: function () { a.push(3); return 'more'; }}); emit(a)",
        ]
        let expected: [[String]?] = [
            nil, [##""a value that is emitted may not emit" → nothing"##], [##"1 → {"a":2}"##], [##""after" → nothing"##],
            [##"["gone",null] → nothing"##],
            [##"["more",2] → nothing"##],
        ]
        for (trap, rows) in zip(traps, expected) {
            let bench = try ScriptBench(mapping(trap))
            if let rows { #expect(try bench.rows("{}") == rows, "\(trap)") } else { #expect(bench.error() != nil) }
        }
    }
}
