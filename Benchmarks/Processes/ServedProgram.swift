import Glibc

/// The program as a server of a directory over HTTP, for as long as this object lives.
package final class ServedProgram {
    /// With a slash at its end.
    package let url: String
    private let pid: pid_t

    package init(_ program: String, directory: String) throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw Failure(text: "no pipe") }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addclose(&actions, ends[0])
        let words: [String] = [program, "serve", "--rest", "--manage", "--port", "0", directory]
        var argv = words.map { strdup($0) } + [nil]
        defer { argv.forEach { free($0) } }
        var pid = pid_t()
        let code = posix_spawnp(&pid, program, &actions, nil, &argv, environ)
        close(ends[1])
        guard code == 0, let output = fdopen(ends[0], "r") else { throw Failure(text: "\(program): \(String(cString: strerror(code)))") }
        defer { fclose(output) }
        self.pid = pid
        // The first line that it prints.
        var line = [CChar](repeating: 0, count: 256)
        let text = fgets(&line, Int32(line.count), output).map { String(cString: $0) } ?? ""
        url = String(text.prefix { !$0.isNewline })
        guard url.hasPrefix("http://") else { throw Failure(text: "\(program) does not serve \(directory)") }
    }

    deinit {
        kill(pid, SIGTERM)
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
    }

    /// Of all its threads, so far.
    package var processorMilliseconds: Double {
        var clock = clockid_t()
        var time = timespec()
        guard clock_getcpuclockid(pid, &clock) == 0, clock_gettime(clock, &time) == 0 else { return .nan }
        return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
    }

    /// The most memory that it has held so far.
    package var peakMiB: Double { (ProcessFacts.status(of: "\(pid)")["VmHWM"] ?? 0) / 1024 }
}
