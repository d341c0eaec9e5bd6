import Glibc
import Synchronization
import Testing

@testable import CBLViews

@Suite struct ScriptThreadsTests {
    private final class Work {
        let run: () -> Void
        init(_ run: @escaping () -> Void) { self.run = run }
    }

    private func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
        var threads: [pthread_t] = []
        for index in 0..<count {
            var thread = pthread_t()
            let work = Unmanaged.passRetained(Work { body(index) })
            let status = pthread_create(
                &thread, nil,
                { argument in
                    guard let argument else { return nil }
                    Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run()
                    return nil
                }, work.toOpaque())
            if status == 0 { threads.append(thread) } else { work.release() }
        }
        #expect(threads.count == count)
        for thread in threads { pthread_join(thread, nil) }
    }

    /// Some run away all the time; the others, on the same processors, are never touched by that.
    @Test func threadsDoNotDisturbEachOther() {
        let failures = Mutex<[String]>([])
        onThreads(8) { index in
            do {
                if index % 2 == 0 {
                    let bench = try ScriptBench(mapping("while (true) {}"), limits: ScriptLimits(time: .milliseconds(3), memory: 8 << 20))
                    for _ in 0..<20 where bench.error()?.kind != .time { failures.withLock { $0.append("not stopped") } }
                } else {
                    let bench = try ScriptBench(mapping("for (var i = 0; i < 200; i++) emit([doc.n, i], {text: 'x' + i})"))
                    for number in 0..<100 {
                        let rows = try bench.rows("{\"n\":\(number)}")
                        if rows.count != 200 || rows[199] != "[\(number),199] → {\"text\":\"x199\"}" {
                            failures.withLock { $0.append("\(rows.count) rows") }
                        }
                    }
                }
            } catch { failures.withLock { $0.append("\(error)") } }
        }
        #expect(failures.withLock { $0 } == [])
    }

    @Test func aRunnerMayMoveFromThreadToThread() throws {
        final class Moved: @unchecked Sendable {
            // One thread after another.
            let bench: ScriptBench
            init(_ bench: ScriptBench) { self.bench = bench }
        }
        let moved = Moved(
            try ScriptBench(mapping("if (doc.bad) while (true) {} emit(doc.n)"), limits: ScriptLimits(time: .milliseconds(50))))
        let failures = Mutex<[String]>([])
        for number in 0..<6 {
            onThreads(1) { _ in
                if moved.bench.error(##"{"bad":true}"##)?.kind != .time { failures.withLock { $0.append("not stopped") } }
                if (try? moved.bench.rows("{\"n\":\(number)}")) != ["\(number) → nothing"] { failures.withLock { $0.append("no row") } }
            }
        }
        #expect(failures.withLock { $0 } == [])
    }

    /// An app's threads may have all signals blocked, and it wants them so afterwards.
    @Test func signalsOfTheAppStayAsTheyAre() throws {
        let failures = Mutex<[String]>([])
        onThreads(1) { _ in
            var all = sigset_t()
            sigfillset(&all)
            pthread_sigmask(SIG_SETMASK, &all, nil)
            do {
                let bench = try ScriptBench(mapping("while (true) {}"), limits: ScriptLimits(time: .milliseconds(5)))
                for _ in 0..<3 where bench.error()?.kind != .time { failures.withLock { $0.append("not stopped") } }
            } catch { failures.withLock { $0.append("\(error)") } }
            var after = sigset_t()
            pthread_sigmask(SIG_SETMASK, nil, &after)
            for signal in [SIGINT, SIGTERM, SIGALRM, SIGUSR1, SIGPROF, SIGSEGV] where sigismember(&after, signal) != 1 {
                failures.withLock { $0.append("\(signal) is not blocked any more") }
            }
        }
        #expect(failures.withLock { $0 } == [])
    }
}
