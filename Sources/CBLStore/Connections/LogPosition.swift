import CBLSQLite
import CBLSystemSQLite

/// How far the write-ahead log of a database is filled: two connections that begin to read at the same position see the same state.
///
/// SQLite tells it by the header of the log's index, the first 48 bytes of the shared memory, which change with every commit (see "WAL-Index
/// Header" in SQLite's description of the log). Debian's library is made without `sqlite3_snapshot_get`, which would say the same.
struct LogPosition: Equatable, @unchecked Sendable {
    // Sendable: what it points to is only looked at by whom the connection is lent to.

    private static let byteCount = 48
    private let header: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)
    /// Where it was read.
    private let log: UnsafeMutablePointer<sqlite3_file>
    private let index: UnsafeRawPointer

    /// Nil if the log is just being written to, or if the connection does not share its index with anybody.
    init?(of file: FileConnection) {
        guard file.hasLog, let log = LogPosition.file(of: file.connection), let index = LogPosition.index(of: log) else { return nil }
        self.init(log, index)
    }

    private init?(_ log: UnsafeMutablePointer<sqlite3_file>, _ index: UnsafeRawPointer) {
        // The header is there twice, and a writer changes one after the other.
        let first = LogPosition.load(index)
        log.pointee.pMethods?.pointee.xShmBarrier(log)
        let second = LogPosition.load(index + LogPosition.byteCount)
        guard first == second else { return nil }
        header = first
        self.log = log
        self.index = index
    }

    /// How far the log goes, for who reads its pages.
    var extent: PageSource.Log {
        PageSource.Log(frameCount: UInt32(truncatingIfNeeded: header.2), salts: header.4)
    }

    /// Whether nothing was written since. To be asked only while the connection it was read from has a transaction open: until then the memory
    /// stays mapped.
    var isCurrent: Bool { LogPosition(log, index) == self }

    static func == (one: LogPosition, other: LogPosition) -> Bool { one.header == other.header }

    private static func load(_ start: UnsafeRawPointer) -> (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) {
        func word(_ index: Int) -> UInt64 { start.load(fromByteOffset: index * 8, as: UInt64.self) }
        return (word(0), word(1), word(2), word(3), word(4), word(5))
    }

    private static func file(of connection: Connection) -> UnsafeMutablePointer<sqlite3_file>? {
        var file: UnsafeMutablePointer<sqlite3_file>?
        let code = withUnsafeMutablePointer(to: &file) {
            sqlite3_file_control(connection.handle, "main", SQLITE_FCNTL_FILE_POINTER, $0)
        }
        return code == SQLITE_OK ? file : nil
    }

    /// The shared memory that a connection has mapped. A file without a log must not be asked for it: it would be made.
    private static func index(of file: UnsafeMutablePointer<sqlite3_file>) -> UnsafeRawPointer? {
        guard let methods = file.pointee.pMethods, methods.pointee.iVersion >= 2 else { return nil }
        var region: UnsafeMutableRawPointer?
        let regionSize: Int32 = 32768
        let code = methods.pointee.xShmMap(file, 0, regionSize, 0, &region)
        // Where the memory is mapped for reading only, this code says so.
        guard code == SQLITE_OK || code & 0xFF == SQLITE_READONLY else { return nil }
        return region.map { UnsafeRawPointer($0) }
    }
}
