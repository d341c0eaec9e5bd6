import CBLBase
import CBLSystemSQLite
import Glibc
import Synchronization

/// What SQLite opens, asks for and deletes files through: its own layer, kept within the databases that the process has opened.
///
/// A file can tell SQLite to touch others. The end of a rollback journal may name a "super-journal", which SQLite reads, and then deletes;
/// releases of Couchbase Lite never make one. Here only a main file and its journals are opened, asked for or deleted, and only where they
/// are regular files: nothing else is, whatever a file says.
enum FileLayer {
    static let name = "cblite"

    /// The main files that are open, by their full paths, with the number of connections to each. A list, for they are few: the first dictionary
    /// of a kind takes a tenth of a millisecond, and each program opens a file.
    private struct OpenFiles {
        private var files: [(path: String, count: Int)] = []

        private func place(of path: String) -> Int? { files.firstIndex { $0.path == path } }
        func contains(_ path: String) -> Bool { place(of: path) != nil }

        mutating func add(_ path: String) {
            if let place = place(of: path) { files[place].count += 1 } else { files.append((path, 1)) }
        }

        mutating func remove(_ path: String) {
            guard let place = place(of: path) else { return }
            files[place].count -= 1
            if files[place].count == 0 { files.remove(at: place) }
        }
    }

    private static let open = Mutex(OpenFiles())

    /// Files that SQLite is about to make, with their ciphers.
    private static let awaited = Mutex<[(path: String, cipher: any WritablePageCipher)]>([])

    /// Has a file that SQLite makes while `work` runs be encrypted from its first page on. `path` has no links in it.
    static func awaiting<Result>(_ path: String, _ cipher: any WritablePageCipher, _ work: () throws -> Result) rethrows -> Result {
        awaited.withLock { $0.append((path, cipher)) }
        defer { awaited.withLock { $0.removeAll { $0.path == path } } }
        return try work()
    }

    private nonisolated(unsafe) static let base: UnsafeMutablePointer<sqlite3_vfs>? = sqlite3_vfs_find(nil)

    /// How much memory SQLite's own files take.
    static var sizeOfFile: Int? { base.map { Int($0.pointee.szOsFile) } }

    /// Makes the layer known to SQLite, once.
    static let register: Void = {
        guard let base = FileLayer.base else { return }
        let layer = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        layer.initialize(to: base.pointee)
        layer.pointee.pNext = nil
        layer.pointee.szOsFile += Int32(LayeredFile.size)
        layer.pointee.zName = UnsafePointer(strdup(name))
        layer.pointee.xOpen = { _, name, file, flags, result in FileLayer.open(name, file, flags, result) }
        layer.pointee.xDelete = { _, name, syncs in
            guard let base = FileLayer.base, let name, FileLayer.isJournal(name) else { return SQLITE_IOERR | 10 << 8 }
            return base.pointee.xDelete(base, name, syncs)
        }
        layer.pointee.xAccess = { _, name, flags, result in
            guard let base = FileLayer.base, let name, FileLayer.isKnown(name) else { return SQLITE_IOERR | 13 << 8 }
            return base.pointee.xAccess(base, name, flags, result)
        }
        layer.pointee.xFullPathname = { _, name, count, result in
            guard let base = FileLayer.base, let name, FileLayer.mayBeOpened(name) else { return SQLITE_CANTOPEN }
            return base.pointee.xFullPathname(base, name, count, result)
        }
        layer.pointee.xGetLastError = { _, count, text in
            let code = errno
            if let known = FileLayer.folderErrors.withLock({ $0.removeValue(forKey: pthread_self()) }) { return known }
            errno = code
            return FileLayer.base.flatMap { $0.pointee.xGetLastError?($0, count, text) } ?? code
        }
        layer.pointee.xDlOpen = { _, _ in nil }
        sqlite3_vfs_register(layer, 0)
    }()

    private static func open(
        _ name: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32, _ result: UnsafeMutablePointer<Int32>?
    ) -> Int32 {
        guard let base, let file else { return SQLITE_CANTOPEN }
        // What has no name is a temporary file, which the layer below removes as it makes it.
        if let name, flags & SQLITE_OPEN_MAIN_DB == 0, !isJournal(name) || !mayBeOpened(name) {
            file.pointee.pMethods = nil
            return SQLITE_CANTOPEN
        }
        let kind: LayeredFile.Kind? =
            if name == nil {
                HiddenFile.isNeeded ? .temporary : nil
            } else if flags & SQLITE_OPEN_MAIN_DB != 0 {
                .main
            } else if flags & SQLITE_OPEN_WAL != 0 {
                .log
            } else {
                .journal
            }
        guard let kind else {
            let code = base.pointee.xOpen(base, name, file, flags, result)
            if code == SQLITE_OK { TemporaryFile.opened(file) }
            return code
        }
        file.pointee.pMethods = nil
        let code = base.pointee.xOpen(base, name, LayeredFile.base(file), flags, result)
        guard code == SQLITE_OK else { return code }
        switch (kind, name) {
        case (.main, let name?):
            let path = String(cString: name)
            LayeredFile.open(file, .main, cipher: awaited.withLock { $0.first { $0.path == path }?.cipher })
            open.withLock { $0.add(path) }
        case (.log, let name?), (.journal, let name?): LayeredFile.open(file, kind, named: name, of: sqlite3_database_file_object(name))
        default:
            TemporaryFile.opened(LayeredFile.base(file))
            LayeredFile.open(file, .temporary)
        }
        return SQLITE_OK
    }

    /// To be called when a connection has been closed.
    static func forget(_ path: String) {
        open.withLock { $0.remove(path) }
    }

    /// Why a folder could not be synchronized, by thread. Until SQLite asks, `errno` has become that of something else.
    private static let folderErrors = Mutex<[pthread_t: Int32]>([:])

    /// Waits until the disk has the name of a file.
    static func synchronizeFolder(of name: UnsafePointer<CChar>) -> Bool {
        let isDone = DurableFile.synchronizeFolder(of: String(cString: name))
        let code = errno
        folderErrors.withLock { $0[pthread_self()] = isDone ? nil : code }
        return isDone
    }

    private static func isKnown(_ name: UnsafePointer<CChar>) -> Bool {
        let path = String(cString: name)
        return open.withLock { $0.contains(path) } || isJournal(name)
    }

    /// Whether it is the rollback journal or the log of a database that is open.
    private static func isJournal(_ name: UnsafePointer<CChar>) -> Bool {
        let path = String(cString: name)
        for ending in ["-journal", "-wal"]
        where path.utf8.count > ending.utf8.count && path.utf8.suffix(ending.utf8.count).elementsEqual(ending.utf8) {
            let main = String(decoding: path.utf8.dropLast(ending.utf8.count), as: UTF8.self)
            if open.withLock({ $0.contains(main) }) { return true }
        }
        return false
    }

    /// A link leads elsewhere, and who opens a pipe waits for whoever is at its other end.
    private static func mayBeOpened(_ name: UnsafePointer<CChar>) -> Bool {
        var status = stat()
        return lstat(name, &status) != 0 || status.st_mode & S_IFMT == S_IFREG
    }
}
