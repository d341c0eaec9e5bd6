import CBLBase
import Glibc

/// What the kernel says of a file: what it is, who it is, and whether it changed.
struct FileStatus: Hashable, Sendable {
    enum Kind: String, Hashable, Sendable {
        case file = "a file"
        case folder = "a folder"
        case symbolicLink = "a symbolic link"
        case pipe = "a named pipe"
        case socket = "a socket"
        case device = "a device"

        init(_ mode: mode_t) {
            self =
                switch mode & S_IFMT {
                case S_IFREG: .file
                case S_IFDIR: .folder
                case S_IFLNK: .symbolicLink
                case S_IFIFO: .pipe
                case S_IFSOCK: .socket
                default: .device
                }
        }
    }

    let kind: Kind
    let identity: FileIdentity
    let size: Int
    let modified: Int64
    let modifiedNanoseconds: Int64

    /// Of what a path leads to, by whatever links: for what a person names, never for what is inside a bundle.
    /// Nil if there is nothing, or it cannot be reached; `errno` says which.
    init?(following path: String) {
        var facts = stat()
        guard stat(path, &facts) == 0 else { return nil }
        self.init(facts)
    }

    /// Of what stands at a path itself, a link for example.
    init?(_ path: String, in directory: Int32 = AT_FDCWD) {
        var facts = stat()
        guard path.withCString({ fstatat(directory, $0, &facts, AT_SYMLINK_NOFOLLOW) }) == 0 else { return nil }
        self.init(facts)
    }

    init?(descriptor: Int32) {
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else { return nil }
        self.init(facts)
    }

    private init(_ facts: stat) {
        kind = Kind(facts.st_mode)
        identity = FileIdentity(device: UInt64(facts.st_dev), inode: UInt64(facts.st_ino))
        size = max(0, Int(facts.st_size))
        modified = Int64(facts.st_mtim.tv_sec)
        modifiedNanoseconds = Int64(facts.st_mtim.tv_nsec)
    }

    /// The sum of sizes, of which a file with holes may claim any.
    static func total(_ sizes: some Sequence<Int>) -> Int {
        sizes.reduce(0) { $0.addingClamped($1) }
    }

    static func reason(_ code: Int32 = errno) -> String { SystemCall.message(code) }
}
