import CBLBase
import CBLWorkbench
import Glibc

/// A file that is written beside its place, under a name that nobody can foresee, and gets its own name when it is complete.
///
/// It is always a new file: what lies in wait under a name, be it a link, a pipe or somebody's file, is never opened and never emptied.
struct PartialFile {
    let descriptor: Int32
    private let partial: String
    private let target: String

    private static let attempts = 100

    init(for target: String, mode: mode_t = 0o666) throws(CommandError) {
        let directory = PathText.split(target).directory
        self.target = target
        for _ in 0..<PartialFile.attempts {
            // Short whatever the name of the target is: that may be as long as names can be.
            let partial = "\(directory).cblite-\(String(UInt64.random(in: .min ... .max), radix: 36)).partial"
            let descriptor = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
            if descriptor >= 0 {
                self.partial = partial
                self.descriptor = descriptor
                return
            }
            guard errno == EEXIST else { break }
        }
        throw .system(target, errno: errno)
    }

    /// Puts the file in its place. A link there is replaced, and not what it leads to.
    func complete() throws(CommandError) {
        guard close(descriptor) == 0, rename(partial, target) == 0 else { throw discarded(errno) }
    }

    /// Puts bytes in a file's place, all of them or none: what the program keeps for somebody, which has to be there after a loss of power, too. `mode` is
    /// for who makes files as the process does; `rights`, if given, are what the file has in any case.
    static func keep(_ bytes: [UInt8], at target: String, mode: mode_t, rights: mode_t? = nil) throws(CommandError) {
        let file = try PartialFile(for: target, mode: mode)
        let hasRights = rights.map { fchmod(file.descriptor, $0) == 0 } ?? true
        guard hasRights, bytes.withUnsafeBytes({ SystemCall.writeAll($0, to: file.descriptor) }) else {
            let code = errno
            file.discard()
            throw .system(target, errno: code)
        }
        try file.completeDurably()
    }

    private func completeDurably() throws(CommandError) {
        let isNew = access(target, F_OK) != 0
        let isKept = DurableFile.rename(descriptor, partial, to: target)
        let code = errno
        close(descriptor)
        guard !isKept else { return }
        // It failed, so there is nothing.
        if isNew { unlink(target) }
        throw discarded(code)
    }

    private func discarded(_ code: Int32) -> CommandError {
        unlink(partial)
        return .system(target, errno: code)
    }

    /// Removes it: the work was not finished.
    func discard() {
        close(descriptor)
        unlink(partial)
    }
}
