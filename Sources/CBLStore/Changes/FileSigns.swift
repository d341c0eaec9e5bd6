import CBLBase
import Glibc
import Synchronization

/// Where signs come from that somebody has committed something: the kernel's notices of a bundle's folder, and a bell for those inside the
/// process.
struct FileSigns: Sendable {
    let bell: Bell
    private let notices: Notices?
    private let isToldOfEverything: Bool

    private final class Notices: Sendable {
        let descriptor: Int32
        /// The kernel has no room for what it is to tell of.
        let isRefused = Atomic<Bool>(false)

        init?() {
            descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
            if descriptor < 0 { return nil }
        }

        deinit { close(descriptor) }
    }

    init(_ path: String) throws(StoreError) {
        do { bell = try Bell() } catch {
            throw StoreError(.inputOutput, "cannot wait for changes: \(FileStatus.reason(error.errno))", path: path)
        }
        notices = Notices()
        isToldOfEverything = FileSystem.isLocal(path)
    }

    /// Has the kernel tell when a file of the bundle is written: the log, with each commit of any process of this machine. To ask again
    /// is the same as to ask once.
    func watch(_ path: String) {
        guard let notices else { return }
        let changes = UInt32(IN_MODIFY) | UInt32(IN_CREATE) | UInt32(IN_MOVED_TO) | UInt32(IN_DELETE)
        if inotify_add_watch(notices.descriptor, path, changes) < 0, errno == ENOSPC { notices.isRefused.store(true, ordering: .relaxed) }
    }

    /// A commit of another process can be seen a moment after its last write, which is what the kernel tells of: not before the disk has
    /// it, and that can take seconds. So there are some more looks after a notice. Then nothing happens until the next one.
    static let pauses = [5, 20, 100, 400, 1000, 2000, 4000, 8000].map { Duration.milliseconds($0) }

    /// How long to wait for a sign before looking without one, that often since the kernel's last notice; nil for as long as it takes.
    /// Where the kernel gives no notice, for example of others' writes on a network file system, it is looked at from time to time.
    func pause(_ number: Int, of pauses: [Duration]) -> Duration? {
        guard let notices, !notices.isRefused.load(ordering: .relaxed) else { return .milliseconds(100) }
        if !isToldOfEverything { return .seconds(1) }
        return number < pauses.count ? pauses[number] : nil
    }

    /// Waits for the bell, but no longer than that. What the kernel has to say meanwhile waits.
    func waitForBell(atMost duration: Duration) {
        var awaited = pollfd(fd: bell.descriptor, events: Int16(POLLIN), revents: 0)
        poll(&awaited, 1, FileSigns.milliseconds(duration))
        bell.reset()
    }

    private static func milliseconds(_ duration: Duration) -> Int32 { Int32(min(max(0, (duration / .milliseconds(1)).rounded(.up)), 1e9)) }

    /// Waits for a sign, but no longer than that. Gives whether the kernel gave notice.
    func wait(atMost duration: Duration?) -> Bool {
        let timeout = duration.map(FileSigns.milliseconds) ?? -1
        var awaited = [
            pollfd(fd: bell.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: notices?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
        ]
        poll(&awaited, 2, timeout)
        bell.reset()
        guard let notices else { return false }
        var buffer = [UInt8](repeating: 0, count: 4096)
        var isNoticed = false
        while read(notices.descriptor, &buffer, buffer.count) > 0 { isNoticed = true }
        return isNoticed
    }
}
