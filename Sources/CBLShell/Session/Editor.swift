import CBLBase
import CBLWorkbench
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
        // Ctrl-C is meant for the editor, which shares the terminal.
        let ending = try ChildProcess.leavingInterruptsToOthers { () throws(CommandError) in
            try ChildProcess(shell: ["-c", "\(command) \"$@\"", command, path]).wait()
        }
        let exitCode: Int32
        switch ending {
        case .signal(let signal): throw .failed("the editor was ended by signal \(signal)")
        case .exit(let code): exitCode = code
        }
        guard exitCode != 127 else { throw .failed("there is no editor \"\(command)\"", hint: "Set $EDITOR, or name another with --with.") }
        guard exitCode == 0 else { throw .failed("the editor \"\(command)\" ended with exit code \(exitCode)") }
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
        guard SystemCall.writeAll(text, to: descriptor) else { throw .system(path, errno: errno) }
    }

    var isThere: Bool { access(path, F_OK) == 0 }

    /// Leaves the file where it is.
    func keep() { isKept = true }

    deinit { if !isKept { unlink(path) } }
}
