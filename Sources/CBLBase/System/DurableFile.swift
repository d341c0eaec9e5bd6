import Glibc

/// Files that are still there after a loss of power: what is in them, and their names.
package enum DurableFile {
    /// Gives a file that was written under another name its own, in place of what has it: once the disk has what is in it, and until the disk has the
    /// name. False if that cannot be, and `errno` says why.
    package static func rename(_ descriptor: Int32, _ partial: String, to target: String) -> Bool {
        synchronize(descriptor) && Glibc.rename(partial, target) == 0 && synchronizeFolder(of: target)
    }

    /// The same for a file that has its name already.
    package static func synchronize(_ descriptor: Int32, named path: String) -> Bool {
        synchronize(descriptor) && synchronizeFolder(of: path)
    }

    /// Waits until the disk has the names that are beside a path.
    package static func synchronizeFolder(of path: String) -> Bool {
        let folder = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(decoding: path.utf8[...$0], as: UTF8.self) } ?? "."
        let descriptor = Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        let isDone = synchronize(descriptor)
        let code = errno
        close(descriptor)
        errno = code
        return isDone
    }

    // Not every file system, and no pipe, can be asked for that.
    private static func synchronize(_ descriptor: Int32) -> Bool { fsync(descriptor) == 0 || errno == EINVAL }
}
