import CSQLite
import FoundationEssentials
import Glibc
import SQLite

extension Database {
    /// Copies the database, as it is at this moment, to a new bundle with an identity of its own. The copy appears when it is complete.
    /// `progress` may throw to stop the work, which then leaves nothing.
    public func copy(to target: String, progress: (_ done: Int, _ total: Int) throws -> Void = { _, _ in }) throws {
        try checkNoTransaction("a database cannot be copied")
        let target = Bundle(path: target)
        guard FileStatus(target.path) == nil else {
            throw StoreError(.exists, "there is something of that name already", path: target.path)
        }
        let unfinished = Bundle(path: target.path + "_TEMP")
        if FileStatus(unfinished.path) != nil { try? FileManager.default.removeItem(atPath: unfinished.path) }
        guard mkdir(unfinished.path, 0o700) == 0 else { throw DatabaseCreation.cannotMakeDirectory(target.path) }
        do {
            try copyContents(to: unfinished, progress)
            guard rename(unfinished.path, target.path) == 0 else { throw FileCopy.failure("cannot create", target.path) }
        } catch {
            try? FileManager.default.removeItem(atPath: unfinished.path)
            let isAboutTarget = (error as? SQLiteError)?.isDiskFull == true
            throw StoreError.translating(error, path: isAboutTarget ? target.path : path)
        }
    }

    private func copyContents(to target: Bundle, _ progress: (Int, Int) throws -> Void) throws {
        try readers.read { source in
            let copy = try Connection(path: target.databaseFile, mode: .create)
            try copy.execute("PRAGMA synchronous=off")
            try Database.backUp(source.connection, to: copy, progress)
            // What is written next must not run what the file brings along.
            try SchemaCleaning.run(on: copy)
            try SchemaInspection.trust(copy)
            let info = InfoStore(connection: copy, generation: source.catalog.generation)
            try copy.execute("BEGIN")
            try info.set(StoredInfo.Key.publicUUID, UUID())
            if let original = source.info.privateUUID { try info.set(StoredInfo.Key.previousPrivateUUID, original) }
            try info.set(StoredInfo.Key.privateUUID, UUID())
            try copy.execute("COMMIT")
        }
        let names = try blobs.fileNames().filter { BlobDigest(fileName: $0) != nil }
        guard !names.isEmpty else { return }
        guard mkdir(target.attachments, 0o700) == 0 else { throw FileCopy.failure("cannot create", target.attachments) }
        for (index, name) in names.enumerated() {
            try progress(index, names.count)
            let file = target.attachments + "/" + name
            let original = bundle.attachments + "/" + name
            // What a compaction has taken meanwhile, nothing in the copy refers to.
            guard FileStatus(original) != nil else { continue }
            try FileCopy.copy(original, to: file)
            chmod(file, 0o400)
        }
    }

    static func backUp(_ source: Connection, to target: Connection, _ progress: (Int, Int) throws -> Void = { _, _ in }) throws {
        guard let backup = sqlite3_backup_init(target.handle, "main", source.handle, "main") else {
            throw target.error(sqlite3_errcode(target.handle))
        }
        var code = SQLITE_OK
        repeat {
            code = sqlite3_backup_step(backup, 1000)
            let total = Int(sqlite3_backup_pagecount(backup))
            do { try progress(total - Int(sqlite3_backup_remaining(backup)), total) } catch {
                sqlite3_backup_finish(backup)
                throw error
            }
            if code == SQLITE_BUSY || code == SQLITE_LOCKED { usleep(10_000) }
        } while code == SQLITE_OK || code == SQLITE_BUSY || code == SQLITE_LOCKED
        let end = sqlite3_backup_finish(backup)
        guard code == SQLITE_DONE else { throw target.error(end == SQLITE_OK ? code : end) }
    }
}
