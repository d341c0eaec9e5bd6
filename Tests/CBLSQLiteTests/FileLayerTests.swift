import CBLSystemSQLite
import CBLTestSupport
import FoundationEssentials
import Glibc
import Testing

@testable import CBLSQLite

/// What the layer below SQLite opens, asks for and deletes.
@Suite struct FileLayerTests {
    private let directory: TemporaryDirectory
    private let main: String

    init() throws {
        directory = try TemporaryDirectory()
        main = directory.path + "/db"
        try Connection(path: main, mode: .create).execute("CREATE TABLE t (x)")
    }

    private var layer: UnsafeMutablePointer<sqlite3_vfs> {
        get throws { try #require(sqlite3_vfs_find(FileLayer.name)) }
    }

    private func delete(_ path: String) throws -> Int32 { try layer.pointee.xDelete(layer, path, 0) }

    private func isThere(_ path: String) throws -> (code: Int32, answer: Bool) {
        var answer: Int32 = 0
        let code = try layer.pointee.xAccess(layer, path, SQLITE_ACCESS_EXISTS, &answer)
        return (code, answer != 0)
    }

    /// Opens a file as SQLite does, and closes it.
    private func open(_ path: String, _ flags: Int32) throws -> Int32 {
        let file = UnsafeMutableRawPointer.allocate(byteCount: Int(try layer.pointee.szOsFile), alignment: 16)
        defer { file.deallocate() }
        memset(file, 0, Int(try layer.pointee.szOsFile))
        let handle = file.assumingMemoryBound(to: sqlite3_file.self)
        // A name of SQLite's own making, with the parameters of its URI behind it.
        let name = sqlite3_create_filename(path, "", "", 0, nil)
        defer { sqlite3_free_filename(name) }
        let code = try layer.pointee.xOpen(layer, name, handle, flags, nil)
        if let methods = handle.pointee.pMethods { #expect(methods.pointee.xClose(handle) == SQLITE_OK) }
        return code
    }

    private func write(_ name: String, _ text: String = "precious") throws -> String {
        let path = directory.path + "/" + name
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        return path
    }

    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    @Test func nothingButJournalsOfOpenFilesIsDeleted() throws {
        let strangers = try ["victim", "other-journal", "other-wal", "db-wal-journal", "db-shm", "xdb-journal"].map { try write($0) }
        let connection = try Connection(path: main, mode: .readWrite)
        for path in strangers + [main, directory.path, "/etc/hostname", ""] {
            #expect(try delete(path) == SQLITE_IOERR | 10 << 8, "\(path)")
        }
        for path in strangers + [main] { #expect(exists(path)) }
        for name in ["db-journal", "db-wal"] {
            let path = try write(name)
            #expect(try delete(path) == SQLITE_OK && !exists(path))
        }
        withExtendedLifetime(connection) {}
    }

    @Test func whatIsClosedIsNoLongerKnown() throws {
        let journal = main + "-journal"
        #expect(try delete(journal) != SQLITE_OK && isThere(main).code != SQLITE_OK)
        var first: Connection? = try Connection(path: main, mode: .readOnly)
        var second: Connection? = try Connection(path: main, mode: .readWrite)
        #expect(try isThere(main) == (SQLITE_OK, true) && isThere(journal) == (SQLITE_OK, false))
        // As long as one of them is open.
        first = nil
        #expect(try isThere(main) == (SQLITE_OK, true) && isThere(journal) == (SQLITE_OK, false))
        second = nil
        #expect(try isThere(main).code == SQLITE_IOERR | 13 << 8 && isThere(journal).code == SQLITE_IOERR | 13 << 8)
        #expect(first == nil && second == nil)
    }

    @Test func whetherAnotherFileIsThereIsNotSaid() throws {
        let victim = try write("victim")
        let connection = try Connection(path: main, mode: .readWrite)
        for path in [victim, directory.path, "/etc/hostname", main + "-shm", main + "-other"] {
            #expect(try isThere(path).code == SQLITE_IOERR | 13 << 8, "\(path)")
        }
        withExtendedLifetime(connection) {}
    }

    @Test func onlyJournalsOfOpenFilesAreOpened() throws {
        let victim = try write("victim")
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        let connection = try Connection(path: main, mode: .readWrite)
        for path in [victim, victim + "-journal", directory.path + "/other-wal"] {
            for kind in [SQLITE_OPEN_MAIN_JOURNAL, SQLITE_OPEN_SUPER_JOURNAL, SQLITE_OPEN_WAL, SQLITE_OPEN_TEMP_DB, SQLITE_OPEN_SUBJOURNAL]
            {
                #expect(try open(path, flags | kind) == SQLITE_CANTOPEN, "\(path) \(kind)")
            }
        }
        #expect(!exists(victim + "-journal") && !exists(directory.path + "/other-wal"))
        // SQLite itself opens that of its file.
        try connection.execute("PRAGMA journal_mode=PERSIST")
        try connection.execute("CREATE TABLE other (a)")
        #expect(exists(main + "-journal"))
    }

    /// What lies in the place of a journal is opened only if it is a file: a pipe would be waited for, and a link leads elsewhere.
    @Test(arguments: ["-journal", "-wal"]) func onlyFilesAreJournals(_ ending: String) throws {
        let connection = try Connection(path: main, mode: .readWrite)
        let kind = ending == "-wal" ? SQLITE_OPEN_WAL : SQLITE_OPEN_MAIN_JOURNAL
        let path = main + ending
        #expect(mkfifo(path, 0o600) == 0)
        for flags in [SQLITE_OPEN_READONLY, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE] {
            #expect(try open(path, flags | kind) == SQLITE_CANTOPEN)
        }
        unlink(path)
        let victim = try write("victim")
        #expect(symlink(victim, path) == 0)
        for flags in [SQLITE_OPEN_READONLY, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE] {
            #expect(try open(path, flags | kind) == SQLITE_CANTOPEN)
        }
        // Deleting it deletes the link.
        #expect(try delete(path) == SQLITE_OK && exists(victim))
        #expect(mkdir(path, 0o700) == 0)
        #expect(try open(path, SQLITE_OPEN_READWRITE | kind) == SQLITE_CANTOPEN)
        withExtendedLifetime(connection) {}
    }

    @Test(.timeLimit(.minutes(5)), arguments: ["-journal", "-wal"]) func aPipeBesideTheFileIsNotWaitedFor(_ ending: String) throws {
        #expect(mkfifo(main + ending, 0o600) == 0)
        for mode in [Connection.Mode.readOnly, .readWrite] {
            #expect(throws: SQLiteError.self) { try Connection(path: main, mode: mode).strings("SELECT x FROM t") }
        }
    }

    @Test func noLibraryIsLoaded() throws {
        #expect(try layer.pointee.xDlOpen(layer, "libc.so.6") == nil)
        let connection = try Connection(path: ":memory:", mode: .create)
        #expect(throws: SQLiteError.self) { try connection.strings("SELECT load_extension('libc.so.6')") }
    }

    @Test func theLayerIsNotTheOneOfOthers() throws {
        #expect(try sqlite3_vfs_find(nil) != layer)
        #expect(String(cString: try layer.pointee.zName) == "cblite")
    }

    /// What has no name is SQLite's own, and gone when it is closed.
    @Test func sortingHasItsTemporaryFiles() throws {
        let connection = try Connection(path: main, mode: .readWrite)
        try connection.execute("PRAGMA temp_store=FILE")
        try connection.setCacheSize(kibibytes: 64)
        let rows = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 20000) SELECT hex(randomblob(50)) AS r FROM n"
        try connection.execute("CREATE TEMP TABLE many AS \(rows)")
        #expect(try connection.integer("SELECT count(*) FROM (SELECT r FROM many ORDER BY r DESC LIMIT 15000)") == 15_000)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["db"])
    }
}
