import CBLSQLite
import CBLTestSupport
import Glibc
import Testing

@testable import CBLStore

@Suite struct FileAccessTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path + "/a.cblite2" }

    init() throws { directory = try TemporaryDirectory() }

    @Test func whatIsWrittenLastsAsLongAsIsAskedFor() throws {
        for (durability, level) in [(Database.Options.Durability.normal, Int64(1)), (.full, 2)] {
            var options = Database.Options.create
            options.durability = durability
            let database = try Database(path: path, options: options)
            defer { database.close() }
            let writer = try #require(database.writer)
            #expect(try writer.exclusively { try $0.connection.integer("PRAGMA synchronous") } == level)
        }
        let files = FileAccess(DatabaseBundle(path: directory.path), .readWrite)
        #expect(try files.copied(to: files.bundle).connect().integer("PRAGMA synchronous") == 0)
        #expect(try files.copied(to: files.bundle, durability: .full).connect().integer("PRAGMA synchronous") == 2)
    }

    @Test func connectionsWaitAsLongAsIsAskedFor() throws {
        let database = try Database(path: path, options: .create)
        defer { database.close() }
        func timeout(_ files: FileAccess) throws -> Int64? { try files.connect().integer("PRAGMA busy_timeout") }
        #expect(try timeout(FileAccess(database.bundle)) == 10_000)
        let patient = FileAccess(database.bundle, .readWrite, busyTimeout: .milliseconds(70))
        #expect(try timeout(patient) == 70)
        #expect(try timeout(patient.opened(.readOnly)) == 70)
        #expect(try timeout(FileAccess(database.bundle, busyTimeout: .seconds(-1))) == 0)
        #expect(try timeout(FileAccess(database.bundle, busyTimeout: .seconds(1 << 40))) == 1_000_000_000)
    }

    @Test func onlyWhatWritesCanWrite() throws {
        try Database(path: path, options: .create).close()
        let bundle = DatabaseBundle(path: path)
        for mode in [FileAccess.Mode.readOnly, .immutable, .attached, .abandonedLog] {
            let files = FileAccess(bundle, mode)
            #expect(files.isReadOnly && BlobFolder(files).isReadOnly)
            #expect(throws: SQLiteError.self) { try files.connect().execute("CREATE TABLE t (x)") }
            #expect(throws: StoreError.self) { try BlobWriter(BlobFolder(files)) }
        }
        try FileAccess(bundle, .readWrite).connect().execute("CREATE TABLE t (x)")
    }

    /// Every mode looks at what SQLite will open before it does.
    @Test(arguments: [FileAccess.Mode.readOnly, .immutable, .attached, .abandonedLog, .readWrite])
    func linksAreNotFollowed(_ mode: FileAccess.Mode) throws {
        try Database(path: directory.path + "/b.cblite2", options: .create).close()
        try Database(path: path, options: .create).close()
        let main = path + "/db.sqlite3"
        unlink(main)
        #expect(symlink(directory.path + "/b.cblite2/db.sqlite3", main) == 0)
        #expect { try FileAccess(DatabaseBundle(path: path), mode).connect() } throws: { ($0 as? StoreError)?.code == .notADatabase }
    }
}
