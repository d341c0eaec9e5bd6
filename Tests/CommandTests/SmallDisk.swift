import CBLTestSupport
import Glibc
import Testing

/// A small file system, mounted as long as this object lives.
final class SmallDisk {
    private struct NotMounted: Error { let code: Int32 }

    /// Only root can mount one, and not in every container.
    static let isAllowed = geteuid() == 0 && (try? SmallDisk(kilobytes: 64)) != nil
    static let absence = "a small file system cannot be mounted here"

    private let directory: TemporaryDirectory
    var path: String { directory.path }

    init(kilobytes: Int) throws {
        directory = try TemporaryDirectory()
        guard mount("tmpfs", directory.path, "tmpfs", 0, "size=\(kilobytes)k") == 0 else { throw NotMounted(code: errno) }
    }

    deinit { umount2(path, Int32(MNT_DETACH)) }

    /// Leaves so many bytes free.
    func fill(leaving rest: Int) throws {
        var facts = statvfs()
        try #require(statvfs(path, &facts) == 0)
        let free = Int(facts.f_bavail) * Int(facts.f_frsize)
        let descriptor = open(path + "/filler", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        if free > rest { #expect(posix_fallocate(descriptor, 0, free - rest) == 0) }
    }

    /// Cut before it is removed: a program that another test starts just now may hold a descriptor of the file for a moment longer,
    /// and a removed file gives its room back only after the last of them.
    func empty() {
        truncate(path + "/filler", 0)
        unlink(path + "/filler")
    }
}
