import CBLTestSupport
import FoundationEssentials
import Glibc
import Testing

/// Somebody sits at the prompt while the disk fails: what does not work says so, what can be read is read, and when the disk works again so does
/// the same session.
@Suite(.serialized, .timeLimit(.minutes(10)), .enabled(if: PreloadedLibrary.canBeMade, "there is no C compiler"))
struct InteractiveFaultTests {
    private let scratch: Scratch
    private let disk: FailingDisk
    private var directory: String { scratch.directory.path }

    init() throws {
        scratch = try Scratch(["doc-1": #"{"n":1}"#, "doc-2": #"{"n":2}"#, "doc-3": #"{"n":3}"#])
        disk = try FailingDisk(in: scratch.directory.path)
        try Data("{\"_id\":\"imported\"}\n".utf8).write(to: URL(filePath: scratch.directory.path + "/in.jsonl"))
    }

    private func open(_ flags: [String] = ["--writeable"]) throws -> PseudoTerminal {
        var environment = disk.environment
        for (name, folder) in ["XDG_STATE_HOME": "state", "XDG_CONFIG_HOME": "config"] { environment[name] = "\(directory)/\(folder)" }
        environment["HOME"] = directory
        let terminal = try PseudoTerminal(flags + [scratch.path], environment: environment, columns: 250)
        try terminal.waitForLine("scratch>")
        return terminal
    }

    /// What goes to the disk. Each makes something new, so that it can be done again.
    private var writing: [String] {
        [
            "put x {n: 9}", "UPDATE _ SET n = n + 1;", "rm doc-1", "purge doc-2", "mkcoll things", "mkindex byN n",
            "expire doc-3 2100-01-01", "import \(directory)/in.jsonl", "blob put x picture \(directory)/in.jsonl",
            "cp \(directory)/copy.cblite2",
            "export \(directory)/out.jsonl", "ls > \(directory)/list", "ls >> \(directory)/more", "save mine", ".save",
            "generate sample \(directory)/sample.cblite2", "dump \(directory)/all.archive", "undo --yes",
        ]
    }

    private static let reasons: [(code: Int32, words: [String])] = [
        (ENOSPC, ["full", "No space left"]), (EIO, ["disk I/O error", "Input/output error"]),
        (EDQUOT, ["full", "quota", "disk I/O error"]), (EROFS, ["Read-only", "disk I/O error", "cannot be written", "full"]),
    ]

    @Test(arguments: [ENOSPC, EIO, EDQUOT, EROFS]) func whatCannotBeWrittenIsSaidAndDoneLater(code: Int32) throws {
        let words = try #require(Self.reasons.first { $0.code == code }).words
        let terminal = try open()
        func run(_ line: String, prompt: String = "scratch>") throws -> [String] { try terminal.run(line, prompt: prompt) }
        func failed(_ lines: [String]) -> Bool { lines.contains { $0.hasPrefix("cblite: ") } }
        _ = try run("SELECT n FROM _ ORDER BY n;")
        #expect(try !failed(run("put y {}")))
        for line in writing {
            disk.fails(with: code)
            let lines = try run(line)
            #expect(
                lines.contains { line in line.hasPrefix("cblite: ") && words.contains { line.contains($0) } }, "\(line): \(lines)")
            // What is there can be read.
            #expect(try run("cat --raw doc-3").first?.contains("\"n\":") ?? false)
            disk.works()
            let again = try run(line)
            #expect(!failed(again), "\(line), again: \(again)")
            if line.hasPrefix("save ") { _ = try run("SELECT n FROM _ ORDER BY n;") }
        }
        terminal.type("quit\n")
        #expect(try terminal.finish() == 0)
        try scratch.expect(["check"])
        #expect(try scratch.ids() == ["doc-3", "imported", "x", "y"])
        // Nothing unfinished was left behind.
        let left = try FileManager.default.subpathsOfDirectory(atPath: directory).filter { $0.contains("TEMP") || $0.contains("partial") }
        #expect(left == [])
    }

    @Test(arguments: [ENOSPC, EIO]) func aTransactionEndsAsAWhole(code: Int32) throws {
        let terminal = try open()
        try terminal.run("begin", prompt: "scratch*>")
        try terminal.run("put t {}", prompt: "scratch*>")
        disk.fails(with: code)
        let lines = try terminal.run("commit", prompt: "scratch>")
        #expect(lines.contains { $0.hasPrefix("cblite: ") }, "\(lines)")
        #expect(try !terminal.run("ls", prompt: "scratch>").joined().contains("t "))
        disk.works()
        try terminal.run("begin", prompt: "scratch*>")
        try terminal.run("put u {}", prompt: "scratch*>")
        #expect(try terminal.run("commit", prompt: "scratch>") == ["Committed."])
        terminal.type("quit\n")
        #expect(try terminal.finish() == 0)
        #expect(try scratch.ids() == ["doc-1", "doc-2", "doc-3", "u"])
        try scratch.expect(["check"])
    }

    /// The database itself cannot be read for a while, as when its disk is unplugged.
    @Test func whatCannotBeReadIsReadLater() throws {
        let terminal = try open()
        try terminal.run("ls", prompt: "scratch>")
        for code in [EIO, ESTALE, ENODEV] {
            disk.fails(with: code, reading: true)
            for line in ["cat doc-1", "SELECT count(*) AS n FROM _;", "put z {}", "info"] {
                let lines = try terminal.run(line, prompt: "scratch>")
                // What is in memory may be told.
                #expect(
                    !lines.joined().contains("damaged") && (line != "put z {}" || lines.contains { $0.hasPrefix("cblite: ") }),
                    "\(code) \(line): \(lines)")
            }
            disk.works()
            #expect(try terminal.run("cat --raw doc-1", prompt: "scratch>") == [#"{"_id":"doc-1", "n":1}"#])
            #expect(try terminal.run("put z {}", prompt: "scratch>").last?.contains("z") ?? false)
        }
        terminal.type("quit\n")
        #expect(try terminal.finish() == 0)
        try scratch.expect(["check"])
    }

    /// A line of the history is there whole, or not at all; those of before stay.
    @Test(arguments: [0, 3]) func theHistoryStaysWhole(bytes: Int) throws {
        let terminal = try open()
        try terminal.run("ls doc-1", prompt: "scratch>")
        disk.fails(with: ENOSPC, after: bytes)
        try terminal.run("ls doc-2", prompt: "scratch>")
        disk.works()
        // What could not be kept is remembered as long as the session lasts.
        #expect(try terminal.run("history", prompt: "scratch>").contains { $0.hasSuffix("ls doc-2") })
        try terminal.run("ls doc-3", prompt: "scratch>")
        terminal.type("quit\n")
        #expect(try terminal.finish() == 0)
        let lines = try String(contentsOfFile: directory + "/state/cblite/history", encoding: .utf8)
        #expect(lines == "ls doc-1\nhistory\nls doc-3\nquit\n")
    }

    /// Also if there is only room for a part of them.
    @Test func aHistoryThatIsMadeShorterIsNotLost() throws {
        let folder = directory + "/state/cblite"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let lines = (0..<400).map { "ls doc-\($0 % 100)\n" }
        try Data(lines.joined().utf8).write(to: URL(filePath: folder + "/history"))
        disk.fails(with: ENOSPC, after: 0, onlyNewBytes: true)
        let terminal = try open([])
        terminal.type("quit\n")
        #expect(try terminal.finish() == 0)
        let kept = try String(contentsOfFile: folder + "/history", encoding: .utf8).split(separator: "\n")
        for number in 0..<100 { #expect(kept.contains("ls doc-\(number)")) }
    }

    /// What the program keeps for somebody is on the disk when it says so: what is in the file, and its name.
    @Test(arguments: [FailingDisk.Sync.ofFiles, .ofFolders]) func whatIsKeptIsOnTheDisk(sync: FailingDisk.Sync) throws {
        let terminal = try open([])
        try terminal.run("SELECT n FROM _ ORDER BY n;", prompt: "scratch>")
        for line in [".save", "save mine"] {
            disk.fails(with: EIO, sync: sync)
            #expect(try terminal.run(line, prompt: "scratch>").contains { $0.contains("Input/output error") }, "\(line)")
            disk.works()
            #expect(try !terminal.run(line, prompt: "scratch>").contains { $0.hasPrefix("cblite: ") }, "\(line)")
        }
        terminal.type("quit\n")
        #expect(try terminal.finish() == 0)
        disk.fails(with: EIO, sync: sync)
        let identity = directory + "/server.pem"
        let words = ["serve", "--port", "0", "--address", "127.0.0.1", "--identity", identity, "--user", "ada:secret", scratch.path]
        let server = try RunningProgram(words, environment: disk.environment).finish()
        #expect(server.exitCode == 1 && server.errors.contains("\(identity): Input/output error"), "\(server.errors)")
        #expect(!FileManager.default.fileExists(atPath: identity))
        try Data(#"{"interface":"127.0.0.1","databases":{"db":{"path":"\#(scratch.path)"}},"users":"\#(directory)/users.json"}"#.utf8)
            .write(to: URL(filePath: directory + "/edge.json"))
        let adding = ["serve", "--config", directory + "/edge.json", "--add-user", "ada:secret", "--role", "admin"]
        #expect(try RunningProgram(adding, environment: disk.environment).finish().errors.contains("Input/output error"))
    }

    /// Results that go to a file.
    @Test func anOutputThatCannotBeWrittenIsTold() throws {
        let terminal = try open()
        disk.fails(with: ENOSPC)
        #expect(try terminal.run(".output \(directory)/out", prompt: "scratch>").first?.contains("No space left") ?? false)
        disk.works()
        try terminal.run(".output \(directory)/out", prompt: "scratch>")
        disk.fails(with: ENOSPC)
        #expect(try terminal.run("ls", prompt: "scratch>").contains { $0.contains("No space left") })
        disk.works()
        try terminal.run("ls", prompt: "scratch>")
        try terminal.run(".output", prompt: "scratch>")
        #expect(try terminal.run("ls doc-1", prompt: "scratch>") == ["doc-1"])
        terminal.type("quit\n")
        #expect(try terminal.finish() == 0)
        #expect(try String(contentsOfFile: directory + "/out", encoding: .utf8).hasSuffix("doc-3\n"))
    }
}

/// A disk that fails for another process, as long as a test says: all that is written to files, or made.
final class FailingDisk {
    private struct Fault {
        var code: Int32 = 0
        var reads: Int32 = 0
        /// So many bytes of a write still go through.
        var rest: Int32 = 0
        /// What overwrites bytes goes through.
        var onlyNew: Int32 = 0
        var syncs: Int32 = 0
    }

    /// Everything else works.
    enum Sync: Int32 {
        case ofFiles = 1
        case ofFolders = 2
    }

    private let library: PreloadedLibrary
    private let memory: UnsafeMutablePointer<Fault>
    var environment: [String: String] { library.environment }

    init(in directory: String) throws {
        library = try PreloadedLibrary("fault", Self.source, in: directory)
        memory = library.memory.assumingMemoryBound(to: Fault.self)
    }

    func fails(with code: Int32, reading: Bool = false, after bytes: Int = 0, onlyNewBytes: Bool = false) {
        memory.pointee = Fault(code: code, reads: reading ? 1 : 0, rest: Int32(bytes), onlyNew: onlyNewBytes ? 1 : 0)
    }

    func fails(with code: Int32, sync: Sync) { memory.pointee = Fault(code: code, syncs: sync.rawValue) }

    func works() { memory.pointee = Fault() }

    private static let source = #"""
        #define CALL(name, type, ...) static type (*real)(__VA_ARGS__); if (!real) real = dlsym(RTLD_NEXT, #name)

        struct fault { int32_t code, reads, rest, only_new, syncs; };
        #define fault (*(volatile struct fault *)shared)

        static int is_file(int file) {
            struct stat facts;
            int before = errno;
            int result = fstat(file, &facts) == 0 && S_ISREG(facts.st_mode);
            errno = before;
            return result;
        }

        static int fails(int file) {
            if (!shared || !fault.code || fault.syncs || !is_file(file)) return 0;
            errno = fault.code;
            return 1;
        }

        static int fails_to_sync(int file) {
            struct stat facts;
            if (!shared || !fault.code || fault.only_new || fstat(file, &facts) != 0) return 0;
            if (!(S_ISREG(facts.st_mode) ? fault.syncs < 2 : S_ISDIR(facts.st_mode) && fault.syncs == 2)) return 0;
            errno = fault.code;
            return 1;
        }

        static int fails_at(int file, off_t end) {
            struct stat facts;
            if (!shared || !fault.code || fault.syncs || !is_file(file)) return 0;
            if (fault.only_new && fstat(file, &facts) == 0 && end <= facts.st_size) return 0;
            errno = fault.code;
            return 1;
        }

        ssize_t write(int file, const void *bytes, size_t count) {
            CALL(write, ssize_t, int, const void *, size_t);
            int appends = fcntl(file, F_GETFL) & O_APPEND;
            if (!(appends ? fails(file) : fails_at(file, lseek(file, 0, SEEK_CUR) + (off_t)count))) return real(file, bytes, count);
            if (fault.rest > 0 && count > (size_t)fault.rest) return real(file, bytes, fault.rest);
            errno = fault.code;
            return -1;
        }

        ssize_t pwrite(int file, const void *bytes, size_t count, off_t place) {
            CALL(pwrite, ssize_t, int, const void *, size_t, off_t);
            return fails_at(file, place + (off_t)count) ? -1 : real(file, bytes, count, place);
        }

        ssize_t pwrite64(int file, const void *bytes, size_t count, off_t place) { return pwrite(file, bytes, count, place); }

        ssize_t pread(int file, void *bytes, size_t count, off_t place) {
            CALL(pread, ssize_t, int, void *, size_t, off_t);
            return shared && fault.reads && fails(file) ? -1 : real(file, bytes, count, place);
        }

        ssize_t pread64(int file, void *bytes, size_t count, off_t place) { return pread(file, bytes, count, place); }

        int fsync(int file) {
            CALL(fsync, int, int);
            return fails_to_sync(file) ? -1 : real(file);
        }

        int fdatasync(int file) {
            CALL(fdatasync, int, int);
            return fails_to_sync(file) ? -1 : real(file);
        }

        static int makes(int flags) {
            if (!shared || !fault.code || fault.only_new || fault.syncs) return 0;
            return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE;
        }

        int openat(int folder, const char *path, int flags, ...) {
            va_list list;
            va_start(list, flags);
            mode_t mode = flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(list, mode_t) : 0;
            va_end(list);
            CALL(openat, int, int, const char *, int, ...);
            // What is there already is opened.
            if (makes(flags) && (flags & O_EXCL || faccessat(folder, path, F_OK, 0) != 0)) {
                errno = fault.code;
                return -1;
            }
            return real(folder, path, flags, mode);
        }

        int open(const char *path, int flags, ...) {
            va_list list;
            va_start(list, flags);
            mode_t mode = flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(list, mode_t) : 0;
            va_end(list);
            return openat(AT_FDCWD, path, flags, mode);
        }

        int open64(const char *path, int flags, ...) {
            va_list list;
            va_start(list, flags);
            mode_t mode = flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(list, mode_t) : 0;
            va_end(list);
            return openat(AT_FDCWD, path, flags, mode);
        }

        int openat64(int folder, const char *path, int flags, ...) {
            va_list list;
            va_start(list, flags);
            mode_t mode = flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(list, mode_t) : 0;
            va_end(list);
            return openat(folder, path, flags, mode);
        }

        int mkdirat(int folder, const char *path, mode_t mode) {
            CALL(mkdirat, int, int, const char *, mode_t);
            if (shared && fault.code && !fault.syncs && faccessat(folder, path, F_OK, 0) != 0) { errno = fault.code; return -1; }
            return real(folder, path, mode);
        }

        int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

        char *mkdtemp(char *path) {
            CALL(mkdtemp, char *, char *);
            if (shared && fault.code && !fault.syncs) { errno = fault.code; return 0; }
            return real(path);
        }

        """#
}
