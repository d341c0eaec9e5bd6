import CBLBase
import CBLSystemFiles
import Glibc

/// A folder that is open, and the one way to the files in it.
///
/// A bundle may come from a stranger. So everything is done relative to the open folder and to one name in it; no verb follows a link, waits
/// for a pipe, or opens what is no regular file. What is removed is what stands there itself, never what it leads to.
final class Folder: Sendable {
    let path: String
    private let descriptor: Int32

    /// Opens what a person named, by whatever links the path leads there.
    init(following path: String) throws(StoreError) {
        descriptor = open(path, cblite_open_path | O_DIRECTORY | O_CLOEXEC)
        self.path = path
        guard descriptor >= 0 else { throw FileCopy.failure("cannot open", path) }
    }

    /// Opens a folder inside; nil if there is nothing of that name. `path` may name the folder from the root: its last part is no link.
    private init?(_ name: String, in directory: Int32, path: String) throws(StoreError) {
        descriptor = openat(directory, name, cblite_open_path | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        self.path = path
        guard descriptor >= 0 else {
            let code = errno
            if code == ENOENT { return nil }
            if let status = FileStatus(name, in: directory), status.kind != .folder {
                throw StoreError(.corrupt, "\(path) is \(status.kind.rawValue), not a folder")
            }
            throw FileCopy.failure("cannot open", path, code)
        }
    }

    /// Opens a folder whose own name is no link, whatever leads to it; nil if there is nothing of that name.
    convenience init?(_ path: String) throws(StoreError) { try self.init(path, in: AT_FDCWD, path: path) }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func path(of name: String) -> String { "\(path)/\(name)" }

    /// What it is itself.
    var status: FileStatus? { FileStatus(descriptor: descriptor) }

    /// What stands under a name; nil if nothing does.
    func status(_ name: String) -> FileStatus? { FileStatus(name, in: descriptor) }

    /// Everything in it, in the order of the files' numbers: as they were made, most often, and lie on the disk. Who reads many small files so does not
    /// wait for each, as in the order that the folder has.
    func names() throws(StoreError) -> [String] {
        let listing = try listing()
        var found: [(number: UInt64, name: String)] = []
        while let name = listing.next() { found.append((listing.number, name)) }
        found.sort { $0.number < $1.number }
        return found.map(\.name)
    }

    /// The same for who does not want to have all at once, in no particular order.
    func listing() throws(StoreError) -> FolderListing {
        guard let listing = FolderListing(openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) else {
            throw FileCopy.failure("cannot list", path)
        }
        return listing
    }

    func folder(_ name: String) throws(StoreError) -> Folder? { try Folder(name, in: descriptor, path: path(of: name)) }

    /// Makes a folder inside, for its owner alone, unless it is there.
    func makeFolder(_ name: String) throws(StoreError) -> Folder {
        if mkdirat(descriptor, name, 0o700) != 0 && errno != EEXIST { throw FileCopy.failure("cannot create", path(of: name)) }
        guard let folder = try folder(name) else { throw FileCopy.failure("cannot open", path(of: name), ENOENT) }
        return folder
    }

    /// Opens a file for reading; nil if there is none. Not the main file of a database that this process has open: closing it would drop SQLite's
    /// locks (see `OpenFiles`), and another name may be one for the same file.
    ///
    /// `found` is what was seen there just now, if somebody has looked.
    func openFile(_ name: String, _ found: FileStatus? = nil) throws(StoreError) -> RegularFile? {
        guard let found = found ?? status(name) else {
            if errno == ENOENT { return nil }
            throw FileCopy.failure("cannot open", path(of: name))
        }
        if OpenFiles.contains(found) { throw StoreError(.corrupt, "\(path(of: name)) is another name of a database's main file") }
        return try RegularFile(name, found, in: descriptor, folder: path)
    }

    /// Makes a file that was not there, open for writing.
    func makeFile(_ name: String, permissions: mode_t = 0o600) throws(StoreError) -> RegularFile {
        let file = try RegularFile(
            name, in: descriptor, folder: path, flags: O_RDWR | O_CREAT | O_EXCL, permissions: permissions)
        guard let file else { throw FileCopy.failure("cannot create", path(of: name), ENOENT) }
        return file
    }

    /// Makes a file that nobody can find, for its owner to read, before it has got a name with `link`. Where that cannot be, it is called
    /// `temporary` until then.
    func makeFile(temporarily temporary: () -> String, namelessly: Bool = true) throws(StoreError) -> UnnamedFile {
        if namelessly, let file = RegularFile(namelessIn: descriptor, path: path, permissions: 0o400) {
            return UnnamedFile(file: file, temporary: nil)
        }
        let name = temporary()
        return UnnamedFile(file: try makeFile(name, permissions: 0o400), temporary: name)
    }

    struct UnnamedFile {
        let file: RegularFile
        /// What it is called; nil for nothing.
        let temporary: String?
    }

    /// Gives a file without a name one that nothing has. False also where the file system makes such files and cannot name them.
    func link(_ unnamed: UnnamedFile, as name: String) -> Bool {
        linkat(AT_FDCWD, "/proc/self/fd/\(unnamed.file.descriptor)", descriptor, name, AT_SYMLINK_FOLLOW) == 0
    }

    /// Gives another name to a file, in place of what has it.
    func rename(_ name: String, to target: String) -> Bool { renameat(descriptor, name, descriptor, target) == 0 }

    /// Makes the same file appear in another folder, too; false where the file system cannot.
    func link(_ name: String, into folder: Folder) -> Bool {
        guard status(name)?.kind == .file else { return false }
        return linkat(descriptor, name, folder.descriptor, name, 0) == 0
    }

    /// Waits until the disk has the names that are in it. Not every file system can be asked for that.
    func synchronize() throws(StoreError) {
        guard let descriptor = openForSynchronizing() else { throw FileCopy.failure("cannot open", path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw FileCopy.failure("cannot write", path) }
    }

    /// A descriptor that the disk can be waited for with, as with that of the folder itself it cannot; nil if there is none.
    func openForSynchronizing() -> Int32? {
        let descriptor = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        return descriptor >= 0 ? descriptor : nil
    }

    /// Waits until the disk has these files and their names. What is no file any more is passed over.
    func synchronize(_ names: [String]) throws(StoreError) {
        for name in names { try synchronizeContent(of: name) }
        try synchronize()
    }

    /// Waits until the disk has all files and their names. `fileSystem` was there before them.
    func synchronizeAll(by fileSystem: FileSystemSync?) throws(StoreError) {
        if let fileSystem, try listing().prefix(FileSystemSync.fewest).reduce(0, { count, _ in count + 1 }) == FileSystemSync.fewest,
            fileSystem.synchronize()
        {
            return try synchronize()
        }
        try synchronize(names())
    }

    /// Waits until the disk has what is in these files. `fileSystem` was there before they were written.
    func synchronizeContent(of names: [String], by fileSystem: FileSystemSync?) throws(StoreError) {
        if names.count >= FileSystemSync.fewest, let fileSystem, fileSystem.synchronize() { return }
        for name in names { try synchronizeContent(of: name) }
    }

    /// Waits until the disk has what is in a file, if there is one.
    private func synchronizeContent(of name: String) throws(StoreError) {
        guard let found = status(name), found.kind == .file, let file = try openFile(name, found) else { return }
        guard file.synchronize() else { throw FileCopy.failure("cannot write", path(of: name)) }
    }

    /// Sets the time of the last change to now.
    func touch(_ name: String) { utimensat(descriptor, name, nil, AT_SYMLINK_NOFOLLOW) }

    /// Removes a file, or a link itself.
    @discardableResult
    func remove(_ name: String) -> Bool { unlinkat(descriptor, name, 0) == 0 }

    /// Removes a folder that has nothing in it.
    @discardableResult
    func removeEmptyFolder(_ name: String) -> Bool { unlinkat(descriptor, name, AT_REMOVEDIR) == 0 }

    /// Keeps others from locking it; nil if another holds it, in this process or elsewhere, or the file system has no locks.
    func lock(waits: Bool = false) -> FolderLock? {
        let descriptor = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        let lock = FolderLock(descriptor)
        return flock(descriptor, waits ? LOCK_EX : LOCK_EX | LOCK_NB) == 0 ? lock : nil
    }

    /// The bytes of all files in it and in the folders below it; a link counts as itself. So deep no release goes.
    func size(deepest: Int = 8) -> Int {
        guard let listing = try? listing() else { return 0 }
        return FileStatus.total(
            listing.lazy.map { [self] name in
                guard let status = status(name) else { return 0 }
                guard status.kind == .folder else { return status.size }
                return deepest > 0 ? (try? folder(name))??.size(deepest: deepest - 1) ?? 0 : 0
            })
    }
}

/// A lock on a folder, which ends with this object and with the process.
final class FolderLock: Sendable {
    private let descriptor: Int32
    fileprivate init(_ descriptor: Int32) { self.descriptor = descriptor }
    deinit { close(descriptor) }
}
