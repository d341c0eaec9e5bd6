import Glibc

/// A finished run of a program: how long it took, seen from outside, the processor's time, and the most memory it held.
package struct Run {
    package let milliseconds: Double
    package let processorMilliseconds: Double
    package let peakMiB: Double
    package let hasSucceeded: Bool

    /// Runs a program to its end with its output thrown away, put into a file, or, without one, going where ours goes.
    package init(of program: String, _ arguments: [String], input: String = "/dev/null", output: String? = "/dev/null") throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
        if let output { posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o644) }
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)

        var argv = ([program] + arguments).map { strdup($0) } + [nil]
        defer { argv.forEach { free($0) } }
        var pid = pid_t()
        let started = Run.now()
        let code = posix_spawnp(&pid, program, &actions, nil, &argv, environ)
        guard code == 0 else { throw Failure(text: "\(program): \(String(cString: strerror(code)))") }
        var status: Int32 = 0
        var usage = rusage()
        while wait4(pid, &status, 0, &usage) < 0 && errno == EINTR {}
        milliseconds = Run.now() - started
        processorMilliseconds = Run.milliseconds(usage.ru_utime) + Run.milliseconds(usage.ru_stime)
        peakMiB = Double(usage.ru_maxrss) / 1024
        hasSucceeded = status == 0
    }

    private init(_ first: Run, _ second: Run) {
        milliseconds = first.milliseconds + second.milliseconds
        processorMilliseconds = first.processorMilliseconds + second.processorMilliseconds
        peakMiB = max(first.peakMiB, second.peakMiB)
        hasSucceeded = first.hasSucceeded && second.hasSucceeded
    }

    /// This run and the next one as one.
    package func followed(by next: Run) -> Run { Run(self, next) }

    package static func milliseconds(_ time: timeval) -> Double { Double(time.tv_sec) * 1e3 + Double(time.tv_usec) / 1e3 }

    package static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
    }
}

/// Why a measurement is not one.
package struct Failure: Error {
    package let text: String

    package init(text: String) { self.text = text }
}
