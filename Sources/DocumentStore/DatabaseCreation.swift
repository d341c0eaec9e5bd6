import FoundationEssentials
import Glibc
import SQLite

/// A new database of the newest generation.
///
/// All tables come in one transaction, so a creation that was interrupted leaves an empty file at most, which the next one takes over.
enum DatabaseCreation {
    /// Makes the directory and an empty main file, unless they are there.
    static func prepare(_ bundle: Bundle) throws(StoreError) {
        if mkdir(bundle.path, 0o700) != 0 && errno != EEXIST {
            throw cannotMakeDirectory(bundle.path)
        }
        if FileStatus(bundle.path)?.isDirectory == false { throw Bundle.isFile(bundle.path) }
        guard FileStatus(bundle.databaseFile) == nil else { return }
        guard try isEmptyDirectory(bundle.path) else {
            throw StoreError(.notADatabase, "there is something else of that name, which is not a database", path: bundle.path)
        }
        let descriptor = open(bundle.databaseFile, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        if descriptor >= 0 {
            close(descriptor)
        } else if errno != EEXIST {
            throw FileCopy.failure("cannot create", bundle.databaseFile)
        }
    }

    /// The error for a directory that could not be made, for the reason in `errno`.
    static func cannotMakeDirectory(_ path: String) -> StoreError {
        let code: StoreError.Code = errno == ENOENT ? .notFound : errno == ENOSPC ? .diskFull : .inputOutput
        return StoreError(code, "cannot create the directory: \(FileStatus.reason())", path: path)
    }

    /// Has `work` make a database under another name, which then gets its own: it appears when it is complete, or not at all.
    static func appearing<Result>(at path: String, _ work: (_ unfinished: String) throws -> Result) throws -> Result {
        let target = Bundle(path: path)
        guard FileStatus(target.path) == nil else {
            throw StoreError(.exists, "there is something of that name already", path: target.path)
        }
        let unfinished = target.path + "_TEMP"
        if FileStatus(unfinished) != nil { try? FileManager.default.removeItem(atPath: unfinished) }
        do {
            let result = try work(unfinished)
            guard rename(unfinished, target.path) == 0 else { throw FileCopy.failure("cannot create", target.path) }
            return result
        } catch {
            try? FileManager.default.removeItem(atPath: unfinished)
            if let error = error as? StoreError, error.path == unfinished {
                throw StoreError(error.code, error.message, path: target.path, cause: error.cause)
            }
            throw error
        }
    }

    /// Makes tables and info, if the file is empty.
    static func createTables(on connection: Connection) throws {
        try connection.execute("BEGIN IMMEDIATE")
        do {
            if try connection.integer("PRAGMA user_version") == 0, try connection.integer("SELECT 1 FROM sqlite_master LIMIT 1") == nil {
                try connection.execute(Schema.kvmeta)
                try connection.execute("PRAGMA user_version=\(SchemaGeneration.newest.rawValue)")
                for keyStore in ["default", "del_default", "info"] {
                    let table = Schema.table(ofKeyStore: keyStore, in: .newest)
                    for sql in Schema.keyStore(table, isCollection: true, in: .newest) { try connection.execute(sql) }
                }
                let info = InfoStore(connection: connection, generation: .newest)
                try info.set(StoredInfo.Key.publicUUID, UUID())
                try info.set(StoredInfo.Key.privateUUID, UUID())
                try info.set(StoredInfo.Key.versioning, integer: UInt64(Versioning.trees.rawValue))
                try info.set(StoredInfo.Key.maxRowidWithDeleted, integer: 0)
            }
            connection.releaseStatements()
            try connection.execute("COMMIT")
        } catch {
            try? connection.execute("ROLLBACK")
            throw error
        }
    }

    private static func isEmptyDirectory(_ path: String) throws(StoreError) -> Bool {
        guard let directory = opendir(path) else { throw FileCopy.failure("cannot list", path) }
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            // A log of an interrupted creation does not count.
            if name != "." && name != ".." && !name.hasPrefix("db.sqlite3-") { return false }
        }
        return true
    }
}
