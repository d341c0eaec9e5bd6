import Glibc

/// The program in which a person edits text: `--with`, `$VISUAL`, `$EDITOR`, or vi. It may have arguments of its own: `code --wait`.
struct Editor {
    let command: String

    init(_ wanted: String?) {
        let candidates = [wanted, Terminal.environment("VISUAL"), Terminal.environment("EDITOR")]
        command = candidates.compactMap { $0 }.first { !$0.isEmpty } ?? "vi"
    }

    /// Opens a file in the editor, and waits until that ends.
    func edit(_ path: String) throws(CommandError) {
        let words = ["sh", "-c", "\(command) \"$@\"", command, path]
        // Ctrl-C is meant for the editor, which shares the terminal.
        var ignoring = sigaction()
        ignoring.__sigaction_handler.sa_handler = SIG_IGN
        var (interrupt, quit) = (sigaction(), sigaction())
        sigaction(SIGINT, &ignoring, &interrupt)
        sigaction(SIGQUIT, &ignoring, &quit)
        defer {
            sigaction(SIGINT, &interrupt, nil)
            sigaction(SIGQUIT, &quit, nil)
        }
        var processID: pid_t = 0
        let code = Editor.spawn(words, &processID)
        guard code == 0 else { throw .failed("cannot start the editor: \(SystemCall.message(code))") }
        var status: Int32 = 0
        while waitpid(processID, &status, 0) < 0 {
            guard errno == EINTR else { throw .failed("cannot wait for the editor: \(SystemCall.message(errno))") }
        }
        let signal = status & 0x7F
        let exitCode = (status >> 8) & 0xFF
        guard signal == 0 else { throw .failed("the editor was ended by signal \(signal)") }
        guard exitCode != 127 else { throw .failed("there is no editor \"\(command)\"", hint: "Set $EDITOR, or name another with --with.") }
        guard exitCode == 0 else { throw .failed("the editor \"\(command)\" ended with exit code \(exitCode)") }
    }

    private static func spawn(_ words: [String], _ processID: inout pid_t) -> Int32 {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var defaults = sigset_t()
        sigemptyset(&defaults)
        for signal in [SIGPIPE, SIGINT, SIGQUIT] { sigaddset(&defaults, signal) }
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        let arguments = words.map { strdup($0) }
        defer { for argument in arguments { free(argument) } }
        return posix_spawn(&processID, "/bin/sh", nil, &attributes, arguments + [nil], environ)
    }
}

/// A file for an editor to work on. It goes when it is not needed any more, unless somebody's work in it would be lost.
final class EditedFile {
    let path: String
    private var isKept = false

    init(_ text: UnsafeRawBufferPointer) throws(CommandError) {
        let directory = Terminal.environment("TMPDIR").flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
        var template = Array("\(directory)/cblite-XXXXXX.json".utf8CString)
        let descriptor = template.withUnsafeMutableBufferPointer { $0.baseAddress.map { mkstemps($0, 5) } ?? -1 }
        guard descriptor >= 0 else { throw .system(directory, errno: errno) }
        defer { close(descriptor) }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        var rest = text
        while let start = rest.baseAddress, !rest.isEmpty {
            let written = SystemCall.retrying { write(descriptor, start, rest.count) }
            guard written > 0 else { throw .system(path, errno: errno) }
            rest = UnsafeRawBufferPointer(rebasing: rest[written...])
        }
    }

    /// Leaves the file where it is.
    func keep() { isKept = true }

    deinit { if !isKept { unlink(path) } }
}
