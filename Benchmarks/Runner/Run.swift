import Glibc

/// A finished run of a program: how long it took, seen from outside, and the most memory it held.
struct Run {
    let milliseconds: Double
    let peakMiB: Double

    /// Runs a program to its end with its output thrown away.
    init(of program: String, _ arguments: [String]) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
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
        peakMiB = Double(usage.ru_maxrss) / 1024
    }

    private init(milliseconds: Double, peakMiB: Double) {
        self.milliseconds = milliseconds
        self.peakMiB = peakMiB
    }

    /// This run and the next one as one.
    func followed(by next: Run) -> Run {
        Run(milliseconds: milliseconds + next.milliseconds, peakMiB: max(peakMiB, next.peakMiB))
    }

    private static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
    }
}

struct Failure: Error { let text: String }
