import FoundationEssentials
import Glibc

/// A place with something to lose. A command runs in `work`, where the hostile bundle lies; everything around it stays as it is, and nothing of
/// it is printed.
///
///     scene/home      the user's folder, with a secret in it
///     scene/victim    a folder, an SQLite file and a database that somebody needs
///     scene/tmp       for temporary files: empty before and after
///     scene/work      where the command runs: the bundle, and what the command is asked to write
package final class HostileScene {
    private let directory: TemporaryDirectory
    package let path: String
    private let before: [String: FileFacts]

    package var work: String { path + "/work" }
    /// What files outside the bundle hold, and no command may print.
    package static let canary = "canary-7d1f-of-the-user"
    /// How a bundle in `work` reaches the victims.
    package static let victimFile = "../victim/precious.db"
    package static let victimText = "../victim/notes/letter.txt"

    package init() throws {
        directory = try TemporaryDirectory(inMemory: true)
        path = directory.path
        let files = FileManager.default
        for name in ["home/.ssh", "victim/notes", "victim/precious.cblite2", "tmp", "work"] {
            try files.createDirectory(atPath: path + "/" + name, withIntermediateDirectories: true)
        }
        let canary = HostileScene.canary
        try Data("\(canary) key".utf8).write(to: URL(filePath: path + "/home/.ssh/id"))
        try Data("\(canary) letter".utf8).write(to: URL(filePath: path + "/victim/notes/letter.txt"))
        // A file that looks like a super-journal: it names another victim, and a pipe on which nobody writes.
        try Data("\(path)/victim/notes/letter.txt\0\(path)/victim/pipe\0".utf8).write(to: URL(filePath: path + "/victim/super"))
        mkfifo(path + "/victim/pipe", 0o600)
        do {
            let precious = try RawDatabase(path + "/victim/precious.db")
            try precious.execute("CREATE TABLE precious (text); INSERT INTO precious VALUES ('\(canary)')")
        }
        try files.copyItem(atPath: path + "/victim/precious.db", toPath: path + "/victim/precious.cblite2/db.sqlite3")
        before = try HostileScene.facts(path)
    }

    /// What was done to what is not the command's business, in words; nil if nothing was.
    package func harm() throws -> String? {
        let after = try HostileScene.facts(path)
        guard after != before else { return nil }
        for (name, facts) in before.sorted(by: { $0.key < $1.key }) where after[name] != facts {
            return after[name] == nil ? "\(name) is gone" : "\(name) was changed"
        }
        return after.keys.filter { before[$0] == nil }.min().map { "\($0) was made" }
    }

    /// Puts everything back, for the next command.
    package func heal() throws {
        let files = FileManager.default
        for name in try files.contentsOfDirectory(atPath: path) where !name.hasPrefix("work") {
            try files.removeItem(atPath: path + "/" + name)
        }
        for (name, facts) in before.sorted(by: { $0.key < $1.key }) {
            let whole = path + "/" + name
            switch facts.mode & S_IFMT {
            case S_IFDIR: try files.createDirectory(atPath: whole, withIntermediateDirectories: true)
            case S_IFIFO: mkfifo(whole, facts.mode & 0o777)
            default: try facts.bytes?.write(to: URL(filePath: whole))
            }
            chmod(whole, facts.mode & 0o777)
        }
    }

    /// Whoever asks for a server is told at once that there is none.
    package var environment: [String: String] {
        var variables = ["HOME": path + "/home", "TMPDIR": path + "/tmp", "EDITOR": "true"]
        for name in ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "no_proxy"] { variables[name] = "" }
        for name in ["http_proxy", "https_proxy", "all_proxy"] { variables[name] = "http://127.0.0.1:1" }
        return variables
    }

    private struct FileFacts: Equatable {
        let mode: UInt32
        let bytes: Data?
    }

    /// All that is in a folder but for `work` and what it was, by relative path. Nothing is opened that could make one wait.
    private static func facts(_ root: String, _ prefix: String = "") throws -> [String: FileFacts] {
        var facts: [String: FileFacts] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: root + "/" + prefix) {
            let relative = prefix + name
            if relative == "work" || relative == "work.pristine" { continue }
            var status = stat()
            guard lstat(root + "/" + relative, &status) == 0 else { continue }
            let kind = status.st_mode & S_IFMT
            facts[relative] = FileFacts(
                mode: status.st_mode, bytes: kind == S_IFREG ? try Data(contentsOf: URL(filePath: root + "/" + relative)) : nil)
            if kind == S_IFDIR { facts.merge(try HostileScene.facts(root, relative + "/")) { first, _ in first } }
        }
        return facts
    }
}

extension HostileScene {
    /// The limits of a command on a hostile file: processor time, so that a slow machine decides nothing; memory, and the size of any file.
    package enum Limit {
        package static let processorSeconds = Int(min(20, seconds))
        /// In kibibytes. A sanitizer needs terabytes of addresses.
        package static let memory = ProcessInfo.processInfo.environment["CBLITE_HOSTILE_MEMORY"] ?? "1200000"
        package static let fileBlocks = 200_000
        /// How long what waits for something is waited for: less, where what fails is to be found quickly.
        package static let seconds =
            ProcessInfo.processInfo.environment["CBLITE_HOSTILE_SECONDS"].flatMap(Double.init) ?? Patience.seconds
    }

    /// Runs the program in `work` within the limits, and says what it did that it must not do.
    package func run(_ words: [String], input: String = "", interruptAfter seconds: Double? = nil) throws -> (
        result: Program.Result, harm: String?
    ) {
        let limits = "ulimit -c 0; ulimit -t \(Limit.processorSeconds); ulimit -v \(Limit.memory); ulimit -f \(Limit.fileBlocks)"
        let process = try RunningProgram(
            ["-c", limits + #"; exec "$@""#, "sh", Program.path] + words, program: "/bin/sh", environment: environment, directory: work)
        if let seconds {
            process.feed(Array(input.utf8), timeout: seconds)
            usleep(UInt32(seconds * 1_000_000))
            process.send(signal: SIGINT)
        }
        let result = process.finish(input: seconds == nil ? Array(input.utf8) : [], timeout: Limit.seconds)
        let harm = try harm(result, wasInterrupted: seconds != nil)
        if harm != nil { try heal() }
        return (result, harm)
    }

    private func harm(_ result: Program.Result, wasInterrupted: Bool) throws -> String? {
        // What is killed leaves its temporary files.
        if result.timedOut { return "did not end" }
        switch result.exitCode {
        case 128 + SIGXCPU, 128 + SIGKILL: return "did not end within \(Limit.processorSeconds) s of the processor's time"
        case 128 + SIGXFSZ: return "wrote a giant file"
        case 128 + SIGINT where wasInterrupted: break
        case 128...: return "was ended by signal \(result.exitCode - 128): \(result.errors.suffix(300))"
        default: break
        }
        if let harm = try harm() { return harm }
        if result.output.contains(HostileScene.canary) || result.errors.contains(HostileScene.canary) { return "printed the canary" }
        if result.errors.contains("out of memory") { return "took too much memory" }
        return nil
    }
}
