import Glibc

/// What `stat` says of a file: who it is, and whether it changed.
struct FileStatus: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64
    let size: Int
    let isDirectory: Bool
    let modified: Int64
    let modifiedNanoseconds: Int64

    /// Nil if there is no such file, or it cannot be reached; `errno` says which.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        size = Int(status.st_size)
        isDirectory = status.st_mode & S_IFMT == S_IFDIR
        modified = Int64(status.st_mtim.tv_sec)
        modifiedNanoseconds = Int64(status.st_mtim.tv_nsec)
    }

    static func reason(_ code: Int32 = errno) -> String { String(cString: strerror(code)) }
}
