import CBLBase
import CBLSystemFiles
import Glibc

/// A regular file that is open: not a link to one, nor anything that one could wait at, or read without end.
final class RegularFile: Sendable {
    let descriptor: Int32
    let status: FileStatus
    private let name: String
    private let folder: String?
    /// For messages.
    var path: String { RegularFile.path(of: name, in: folder) }

    private static func path(of name: String, in folder: String?) -> String { folder.map { "\($0)/\(name)" } ?? name }

    /// Opens what is at a path; nil if nothing is. `name` is relative to the directory, which messages call `folder`.
    ///
    /// It is looked at before it is opened, since a device may act on that, unless somebody has just done so, and again afterwards.
    init?(
        _ name: String, _ found: FileStatus? = nil, in directory: Int32 = AT_FDCWD, folder: String? = nil, flags: Int32 = O_RDONLY,
        permissions: mode_t = 0
    ) throws(StoreError) {
        func path() -> String { RegularFile.path(of: name, in: folder) }
        if flags & O_CREAT == 0 {
            guard let found = found ?? FileStatus(name, in: directory) else {
                let code = errno
                if code == ENOENT { return nil }
                throw FileCopy.failure("cannot open", path(), code)
            }
            guard found.kind == .file else { throw StoreError(.corrupt, "\(path()) is \(found.kind.rawValue), not a file") }
        }
        // Lent as it is: passed as a `String`, it would be copied into an array first.
        let descriptor = name.withCString {
            openat(directory, $0, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, permissions)
        }
        guard descriptor >= 0 else {
            let code = errno
            if code == ENOENT && flags & O_CREAT == 0 { return nil }
            throw FileCopy.failure(flags & O_CREAT == 0 ? "cannot open" : "cannot create", path(), code)
        }
        guard let status = FileStatus(descriptor: descriptor), status.kind == .file else {
            close(descriptor)
            throw StoreError(.corrupt, "\(path()) is not a file any more")
        }
        self.descriptor = descriptor
        self.status = status
        self.name = name
        self.folder = folder
    }

    /// Makes a file without a name in a folder, open for writing; nil where the system or the file system cannot. It is gone with its descriptor,
    /// unless it gets a name.
    init?(namelessIn directory: Int32, path: String, permissions: mode_t) {
        guard RegularFile.canNameDescriptors else { return nil }
        let descriptor = openat(directory, ".", cblite_open_nameless | O_RDWR | O_CLOEXEC, permissions)
        guard descriptor >= 0 else { return nil }
        guard let status = FileStatus(descriptor: descriptor) else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        self.status = status
        name = path
        folder = nil
    }

    private static let canNameDescriptors = access("/proc/self/fd", X_OK) == 0

    deinit { close(descriptor) }

    /// Reads from a position on into the beginning of the buffer, and says how many bytes; 0 at the end.
    func read(at position: Int, into buffer: UnsafeMutableRawBufferPointer) throws(StoreError) -> Int {
        let count = SystemCall.retrying { pread(descriptor, buffer.baseAddress, buffer.count, off_t(position)) }
        guard count >= 0 else { throw FileCopy.failure("cannot read", path) }
        return count
    }

    /// The same into an array, as far as it goes.
    func read(at position: Int, into bytes: inout [UInt8]) throws(StoreError) -> Int {
        let result = bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(StoreError) in try read(at: position, into: buffer) }
        }
        return try result.get()
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(StoreError) { try RegularFile.write(bytes, to: descriptor, path) }

    /// Writes at a position; where the file ends does not matter.
    func write(_ bytes: [UInt8], at position: Int) -> Bool {
        bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(position)) } == bytes.count
    }

    /// Waits until the disk has what was written.
    func synchronize() -> Bool { fsync(descriptor) == 0 }

    /// Writes all of it to any descriptor, which messages call `path`.
    static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, _ path: String) throws(StoreError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = UnsafeRawBufferPointer(rebasing: rest)
            let count = SystemCall.retrying { Glibc.write(descriptor, piece.baseAddress, piece.count) }
            guard count >= 0 else { throw FileCopy.failure("cannot write", path) }
            rest = rest.dropFirst(count)
        }
    }

    /// Whether another process has locked a byte; nil if the system does not tell.
    func isLocked(at byte: Int) -> Bool? {
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = off_t(byte)
        lock.l_len = 1
        guard fcntl(descriptor, F_GETLK, &lock) == 0 else { return nil }
        return lock.l_type != Int16(F_UNLCK)
    }
}
