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

    /// Puts the file in its place. A link there is replaced, and not what it leads to. What the program keeps for somebody has to be there after a
    /// loss of power, too.
    func complete(durably: Bool = false) throws(CommandError) {
        guard durably else {
            guard close(descriptor) == 0, rename(partial, target) == 0 else { throw discarded(errno) }
            return
        }
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
