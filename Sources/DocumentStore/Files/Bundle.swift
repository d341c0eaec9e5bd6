import Glibc

/// Where the parts of a `.cblite2` directory are, and what can be told about its main file without SQLite.
struct Bundle: Sendable {
    let path: String

    var databaseFile: String { path + "/db.sqlite3" }
    var log: String { path + "/db.sqlite3-wal" }
    var sharedMemory: String { path + "/db.sqlite3-shm" }
    var rollbackJournal: String { path + "/db.sqlite3-journal" }
    var attachments: String { path + "/Attachments" }

    init(path: String) {
        var path = path
        while path.utf8.count > 1 && path.hasSuffix("/") { path.removeLast() }
        self.path = path
    }

    /// Refuses what is not a bundle, with a word on what it is instead.
    func checkExistence() throws(StoreError) {
        guard let directory = FileStatus(path) else {
            throw StoreError(.notFound, errno == ENOENT ? "no such database" : FileStatus.reason(), path: path.isEmpty ? "\"\"" : path)
        }
        guard directory.isDirectory else { throw Bundle.isFile(path) }
        guard let file = FileStatus(databaseFile), !file.isDirectory else {
            let reason = errno == EACCES ? FileStatus.reason() : "not a database: the directory holds no file db.sqlite3"
            throw StoreError(errno == EACCES ? .inputOutput : .notADatabase, reason, path: path)
        }
    }

    /// Looks at the header of the main file, before SQLite does, for what SQLite would only call "not a database".
    /// The caller makes sure that this process has no connection to it: closing a descriptor drops all locks of the process.
    /// A file that is cut off may be read as far as it goes, but not written.
    func checkHeader(forWriting: Bool = true) throws(StoreError) {
        let descriptor = open(databaseFile, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StoreError(.inputOutput, "cannot open db.sqlite3: \(FileStatus.reason())", path: path) }
        defer { close(descriptor) }
        var header = [UInt8](repeating: 0, count: 100)
        let count = header.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        guard count >= 0 else { throw StoreError(.inputOutput, "cannot read db.sqlite3: \(FileStatus.reason())", path: path) }
        guard count > 0 else { throw StoreError(.notADatabase, "not a database: the file db.sqlite3 is empty", path: path) }
        guard count == 100 else { throw StoreError(.corrupt, "the file db.sqlite3 is cut off after \(count) bytes", path: path) }

        guard header.starts(with: Bundle.magic) else {
            // The vendor's encryption leaves these eight bytes of the header as they are.
            let isPlausible =
                (header[18] == 1 || header[18] == 2) && (header[19] == 1 || header[19] == 2) && header[20] <= 32
                && header[21...23].elementsEqual([64, 32, 32]) && (header[16], header[17]) == (0x10, 0)
            if isPlausible {
                throw StoreError(.encrypted, "the database is encrypted, and this program cannot decrypt it", path: path)
            }
            throw StoreError(.notADatabase, "the file db.sqlite3 is not an SQLite database, or its header is damaged", path: path)
        }
        let version = Bundle.bigEndian(header, at: 60)
        if (100...149).contains(version) { throw Bundle.isVersion1(version, path: path) }

        // Where the header's page count can be trusted, the file must be that long, unless the rest is in the log.
        let pageSize = max(1, (Int(header[16]) << 8 | Int(header[17])) == 1 ? 65536 : Int(header[16]) << 8 | Int(header[17]))
        let pages = Bundle.bigEndian(header, at: 28)
        let isCurrent = Bundle.bigEndian(header, at: 24) == Bundle.bigEndian(header, at: 92)
        let size = FileStatus(databaseFile)?.size ?? 0
        if forWriting && isCurrent && size < pages * pageSize && (FileStatus(log)?.size ?? 0) == 0 {
            throw StoreError(.corrupt, "the file db.sqlite3 is cut off: \(size) of \(pages * pageSize) bytes are there", path: path)
        }
    }

    /// The error for a file where a directory belongs. People drop the file from within it, too.
    static func isFile(_ path: String) -> StoreError {
        let reason = path.hasSuffix("/db.sqlite3") ? "the directory that this file is in" : "a directory, and this is a file"
        return StoreError(.notADatabase, "not a database: a .cblite2 database is \(reason)", path: path)
    }

    /// The error for a database of 1.x, by its `user_version`.
    static func isVersion1(_ version: Int, path: String) -> StoreError {
        let release = SchemaGeneration(rawValue: version).releases
        return StoreError(
            .version1, "a Couchbase Lite 1.x database (format \(version), made by \(release)); it must be converted before it can be used",
            path: path)
    }

    private static let magic = Array("SQLite format 3\0".utf8)

    private static func bigEndian(_ bytes: [UInt8], at offset: Int) -> Int {
        bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
    }
}
