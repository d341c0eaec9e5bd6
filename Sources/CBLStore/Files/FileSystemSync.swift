import CBLSystemFiles
import Glibc

/// Has the disk take at once what a whole file system holds back: for many files that takes a hundredth of the time that they take one by one.
///
/// Kernels since 5.8 tell whoever has a descriptor of every failure since that was opened. So it is to be opened before anything is written, and is there
/// only on file systems that keep what they have on a disk of this machine: others pass it on to somebody who may hold it back.
final class FileSystemSync: Sendable {
    /// Fewer files are quicker one by one, if others write much as well.
    static let fewest = 8

    private let descriptor: Int32

    /// Nil where it could not be relied on.
    init?(of folder: Folder) {
        guard FileSystemSync.tellsOfFailures, let descriptor = folder.openForSynchronizing() else { return nil }
        self.descriptor = descriptor
        guard FileSystemSync.isLocal(cblite_file_system_of(descriptor)) else { return nil }
    }

    deinit { close(descriptor) }

    /// False if the disk may not have everything; of which files, they tell one by one.
    func synchronize() -> Bool { syncfs(descriptor) == 0 }

    /// ext4 and its forerunners, XFS, Btrfs, F2FS, and memory.
    private static func isLocal(_ kind: UInt32) -> Bool {
        [0xEF53, 0x5846_5342, 0x9123_683E, 0xF2F5_2010, 0x0102_1994].contains(kind)
    }

    private static let tellsOfFailures: Bool = {
        var facts = utsname()
        guard uname(&facts) == 0 else { return false }
        let release = withUnsafeBytes(of: facts.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        return tellsOfFailures(release)
    }()

    /// By the name of a kernel: "6.1.0-13-amd64".
    static func tellsOfFailures(_ release: String) -> Bool {
        let numbers = release.split(separator: ".", maxSplits: 2).prefix(2).map { Int($0.prefix { $0.isASCII && $0.isNumber }) ?? 0 }
        return numbers.count == 2 && (numbers[0], numbers[1]) >= (5, 8)
    }
}
