import CBLFleece
import Glibc
import Synchronization
import Testing

@testable import CBLViews

/// Whatever a function does, it comes to an end, and the next call goes on as if nothing had been.
@Suite struct ScriptLimitsTests {
    private static let short = ScriptLimits(time: .milliseconds(40), memory: 24 << 20)

    @Test(arguments: [
        "while (true) {}", "for (;;) { try { while (true) {} } catch (e) {} finally { continue; } }", "do { emit; } while (1)",
        "/(x+x+)+y/.exec(new Array(60).join('x'))", "new Array(60).join('a').match(/^(a|a)*$b/)",
        "/(?:a?){40}a{40}/.test(new Array(41).join('a')); while (1);",
        "({get a() { while (true) {} }}).a", "emit({toJSON: function () { while (true) {} }})", "emit([{get a() { while (true) {} }}])",
        "throw {toString: function () { while (true) {} }, toJSON: function () { while (true) {} }}",
        "throw {get message() { while (true) {} }}", "throw {get lineNumber() { while (true) {} }}",
        "log({toJSON: function () { while (true) {} }})", "log({toString: function () { while (true) {} }, toJSON: 1}); while (1) {}",
        "[3, 1, 2].sort(function () { while (true) {} })", "'x'.replace(/x/, function () { while (true) {} })",
        "JSON.parse('[1]', function () { while (true) {} })", "emit(1); while (true) log('')", "while (true) new Date().toLocaleString()",
        "while (true) Date.parse('2020-01-01')", "while (true) new Date(2020, 1, 1).getHours()", "while (true) Math.pow(1.5, 1000)",
        "while (true) eval('1')", "while (true) new Function('return 1')()", "while (true) ({}).x",
        "var s = 'x'; while (true) s = (s + 'y').slice(1)",
        "while (true) [1, 2, 3].concat([4])", "while (true) { try { null.x } catch (e) {} }",
        "var a = new Array(4294967295); a.reverse(); while (1);", "function f() { return f() } while (true) { try { f() } catch (e) {} }",
        "while (true) parseFloat('1.2345678901234567890e300')", "var a = []; while (true) { a.push({}); if (a.length > 5000) a = []; }",
        "while (true) 'ä'.localeCompare('b')", "while (true) 'aB'.toUpperCase()", "while (true) encodeURIComponent('ü')",
    ])
    func whatTakesTooLongIsStopped(statements: String) throws {
        let bench = try ScriptBench(mapping("emit('before'); if (doc.bad) { \(statements) }"), limits: Self.short)
        let good = try ScriptBench(mapping("emit('other')"))
        for _ in 0..<2 {
            let error = try #require(bench.error(##"{"bad":true}"##))
            #expect(error.kind == .time || error.kind == .memory, "\(error)")
            #expect(try bench.rows("{}") == [##""before" → nothing"##])
            #expect(try good.rows("{}") == [##""other" → nothing"##])
        }
    }

    @Test(arguments: [
        "var s = 'x'; while (true) s += s", "'x'.repeat(1e9)", "new Array(1e7).join('xxxxxxxxx')",
        "var a = []; while (true) a.push(a.length)",
        "var a = []; while (true) a.push({a: a})", "var o = {}; for (var i = 0; ; i++) o['k' + i] = i",
        "while (true) emit('0123456789012345678901234567890')",
        "var s = new Array(100000).join('x'); while (true) emit(s)", "var s = new Array(100000).join('x'); while (true) log(s)",
        "var s = new Array(100000).join('x'), a = []; while (true) emit([s], {s: s})",
        "var f = function () {}; while (true) f = f.bind(null, f)",
        "var s = 'x'; while (s.length < 1e6) s += s; RegExp(s + s + s + s)", "JSON.parse('[' + new Array(1e7).join('1,') + '1]')",
        "var a = []; for (var i = 0; i < 1e5; i++) a.push(new Array(1000).join(String(i)))",
        "var s = new Array(1e6).join('a'); s.split(''); while (true) s += s",
        "var s = new Array(1e6).join('%'); escape(s + s + s + s + s + s + s)",
        "var a = new Array(1e6).join('x'); while (true) a = a.replace(/x/g, 'xxxx')",
        "while (true) { try { var s = 'x'; while (true) s += s; } catch (e) { emit('0123456789012345678901234567890'); } }",
    ])
    func whatTakesTooMuchIsStopped(statements: String) throws {
        let limits = ScriptLimits(time: .seconds(1), memory: 4 << 20)
        let bench = try ScriptBench(mapping("emit('before'); if (doc.bad) { \(statements) }"), limits: limits)
        for _ in 0..<2 {
            let error = try #require(bench.error(##"{"bad":true}"##))
            #expect(error.kind == .memory || error.kind == .time || error.message.contains("limit"), "\(error)")
            #expect(try bench.rows("{}") == [##""before" → nothing"##])
        }
    }

    /// Recursions, of which some multiply.
    static let recursions = [
        "function f() { f(); } f()", "function f() { [1].forEach(f); } f()", "function f() { 'x'.replace(/x/, f); } f()",
        "function f() { [2, 1].sort(f); } f()", "var o = {get x() { return this.x; }}; o.x",
        "var o = {toString: function () { return '' + o; }}; '' + o",
        "var o = {toJSON: function () { return JSON.stringify(o); }}; JSON.stringify(o)",
        "var f = function () { return JSON.stringify(a); }, a = {toJSON: f}; for (var i = 0; i < 900; i++) a = [a]; f()",
        "var a = {toJSON: function () { return JSON.stringify(a); }}; for (var i = 0; i < 80; i++) a = {a: a}; emit(a)",
        "var s = '1'; for (var i = 0; i < 900; i++) s = '[' + s + ']'; function f(k, v) { if (v === 1) JSON.parse(s, f); return v; } f('', 1)",
        "var s = ''; for (var i = 0; i < 9990; i++) s += '(?:'; function f() { try { RegExp(s); } catch (e) {} JSON.stringify(a); } var a = {toJSON: f}; for (i = 0; i < 900; i++) a = [a]; f()",
        "function f() { eval('f()'); } f()", "function f() { new f(); } f()", "function f() { f.apply(null, arguments); } f(1, 2)",
        "function f() { f.call.call(f); } f()", "function f() { try { f(); } finally { f(); } } f()",
        "var a = []; a[0] = a; '' + a + toJSON(a)",
        "var s = new Array(20000).join('('); Function(s)", "var s = new Array(20000).join('[{a:'); Function('return ' + s)",
        "var s = new Array(20000).join('-'); Function('return ' + s + '1')",
        "var s = new Array(5000).join('function(){'); Function('return ' + s)",
        "RegExp(new Array(20000).join('(?:'))", "/(?:x|y)*z/.exec(new Array(20000).join('x'))",
        "RegExp(new Array(3000).join('(?:') + 'x' + new Array(3000).join(')*')).exec('xx')",
        "var o = {}; for (var i = 0; i < 100000; i++) o = {a: o}; emit(o)",
        "var a = []; for (var i = 0; i < 100000; i++) a = [a]; JSON.stringify(a)",
        "JSON.parse(new Array(50000).join('['))", "var o = {}; for (var i = 0; i < 200000; i++) o = Object.create(o); o.x",
        "function f() { throw {get message() { f(); }}; } f()",
        "var o = {valueOf: function () { return o + o; }}; o + 1",
        "var a = []; for (var i = 0; i < 50000; i++) a = [a]; a = null; emit(1); f()",
        "var d = {}; Object.defineProperty(d, 'x', {get: function () { return JSON.stringify([d]); }, enumerable: true}); JSON.stringify(d)",
    ]

    /// Threads of an app may have small stacks: scripts have their own.
    @Test(arguments: recursions)
    func deepRecursionIsAnErrorOnAnyThread(statements: String) throws {
        let outcome = Mutex<Result<ScriptError?, any Error>>(.success(nil))
        onThread(stackSize: 64 << 10) {
            let result = Result {
                let bench = try ScriptBench(
                    mapping("if (doc.bad) { \(statements) } else emit('fine')"),
                    limits: ScriptLimits(time: .milliseconds(300), memory: 32 << 20))
                let error = bench.error(##"{"bad":true}"##)
                #expect(try bench.rows("{}") == [##""fine" → nothing"##])
                let stack = bench.runner.stack
                // What is left is more than any one recursion takes.
                #expect(stack.size - stack.used > 2 << 20, "\(stack.used) of \(stack.size) bytes")
                return error
            }
            outcome.withLock { $0 = result }
        }
        #expect(try outcome.withLock { $0 }.get() != nil)
    }

    private func onThread(stackSize: Int, _ body: @escaping () -> Void) {
        let box = Unmanaged.passRetained(Body(body))
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setstacksize(&attributes, stackSize)
        var thread = pthread_t()
        let status = pthread_create(
            &thread, &attributes,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, box.toOpaque())
        pthread_attr_destroy(&attributes)
        if status == 0 { pthread_join(thread, nil) } else { box.release() }
        #expect(status == 0)
    }

    private final class Body {
        let run: () -> Void
        init(_ run: @escaping () -> Void) { self.run = run }
    }

    @Test func aSmallHeapIsAnError() {
        for memory in [-1, 0, 1, 1000, 100_000, 300_000, 600_000] {
            #expect(throws: ScriptError.self) { try ScriptBench(mapping("emit(1)"), limits: ScriptLimits(memory: memory)).rows("{}") }
        }
    }

    @Test func aRunnerOutlivesManyHeaps() throws {
        let bench = try ScriptBench(
            mapping("if (doc.n % 3 == 0) while (true) {} emit(doc.n)"), limits: ScriptLimits(time: .milliseconds(30), memory: 8 << 20))
        for number in 1...15 {
            if number % 3 == 0 {
                #expect(bench.error("{\"n\":\(number)}")?.kind == .time)
            } else {
                #expect(try bench.rows("{\"n\":\(number)}") == ["\(number) → nothing"])
            }
        }
    }
}
