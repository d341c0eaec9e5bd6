import CBLBase
import CBLSQLite
import CBLSystemSQLite
import Glibc

extension Database {
    /// What key a copy has.
    package enum CopyKey: Sendable {
        case same
        /// Nil for none.
        case other(EncryptionKey?)
    }

    /// Opens a copy for reading that was made with this key.
    package func opened(copy path: String, _ key: CopyKey) throws(StoreError) -> Database {
        var options = Options.readOnly
        options.key = resolved(key)
        return try Database(path: path, options: options)
    }

    /// What a copy is encrypted with; nil if it is not.
    package func resolved(_ key: CopyKey) -> EncryptionKey? {
        switch key {
        case .same: files.key
        case .other(let key): key
        }
    }

    /// Copies the database, as it is at this moment, to a new bundle with an identity of its own. The copy appears when it is complete.
    /// `progress` may throw to stop the work, which then leaves nothing. Gives an error for each blob that had to be left out, because it is
    /// not what its name says, or no file at all.
    @discardableResult
    package func copy(
        to target: String, key: CopyKey = .same, progress: @escaping (_ done: Int, _ total: Int) throws -> Void = { _, _ in }
    ) throws -> [StoreError] {
        try checkNoTransaction("a database cannot be copied")
        let target = DatabaseBundle(path: target)
        do {
            return try NewBundle.make(at: target.path) { try fill($0, key, progress) }
        } catch {
            let isAboutTarget = (error as? SQLiteError)?.isDiskFull == true
            throw StoreError.translating(error, path: isAboutTarget ? target.path : path)
        }
    }

    /// Puts a copy of the database, with an identity of its own, in the place of another one, which this process must not have open. Until the copy is
    /// complete nothing has changed. Without a database at the place it is an ordinary copy.
    @discardableResult
    package func replace(_ target: String) throws -> [StoreError] {
        try checkNoTransaction("a database cannot be copied")
        let target = DatabaseBundle(path: target)
        guard FileStatus(target.path) != nil else { return try copy(to: target.path) }
        try target.checkExistence()
        let isOpen = StoreError(.busy, "the database is open in this program, and cannot be replaced", path: target.path)
        guard SharedFile.openCount(of: target) == 0 else { throw isOpen }
        let own = target.status(.main)?.identity
        guard own == nil || own != bundle.status(.main)?.identity else {
            throw StoreError(.exists, "a database cannot replace itself", path: target.path)
        }
        do {
            return try NewBundle.replace(at: target.path, keepingOldAt: nil) { unfinished in
                let omitted = try fill(unfinished, .same) { _, _ in }
                guard SharedFile.openCount(of: target) == 0 else { throw isOpen }
                return omitted
            }
        } catch {
            throw StoreError.translating(error, path: path)
        }
    }

    private func fill(
        _ unfinished: DatabaseBundle, _ key: CopyKey, _ progress: @escaping (_ done: Int, _ total: Int) throws -> Void
    ) throws -> [StoreError] {
        let copy = files.rewritten(to: unfinished, key: resolved(key))
        if try isVersion1 { return try Version1Conversion(of: self, to: copy, keepsIdentity: false, progress: progress).run() }
        try copyDocuments(to: copy, progress)
        return try copyBlobs(to: copy, progress)
    }

    /// Whether it is a database of 1.x, which can only be read.
    package var isVersion1: Bool { get throws { try isReadOnly && read { $0.generation.isVersion1 } } }

    private func copyDocuments(to target: FileAccess, _ progress: (Int, Int) throws -> Void) throws {
        let copy = try readers.readWithoutTransaction { try files.copyPages($0.connection, to: target, progress) }
        try readers.read { source in
            // What is written next must not run what the file brings along.
            let removed = try SchemaCleaning.run(on: copy)
            try SchemaInspection(reading: copy).trust(on: copy)
            if !removed.isEmpty {
                let functions = try FileConnection.registerFunctions(on: copy, blobs: blobs)
                try SchemaCleaning.reclaimPages(FileConnection(copy, functions: functions, isWriter: true).connection)
            }
            let info = InfoTable(connection: copy, generation: source.catalog.generation)
            try copy.execute("BEGIN")
            try info.set(StoredInfo.Key.publicUUID, UniqueID())
            if let original = source.info.privateUUID { try info.set(StoredInfo.Key.previousPrivateUUID, original) }
            try info.set(StoredInfo.Key.privateUUID, UniqueID())
            try copy.execute("COMMIT")
        }
    }

    private func copyBlobs(to target: FileAccess, _ progress: (Int, Int) throws -> Void) throws -> [StoreError] {
        var omitted: [StoreError] = []
        let digests: [BlobDigest]
        do { digests = try blobs.folder()?.digests() ?? [] } catch {
            guard error.code == .corrupt else { throw error }
            return [error]
        }
        guard !digests.isEmpty else { return [] }
        let folder = try target.bundle.folder().makeFolder(DatabaseBundle.attachmentsName)
        for (index, digest) in digests.enumerated() {
            let progress = { try progress(index, digests.count) }
            do {
                let blob = try UncheckedBlob(blobs, digest).check(progress)
                try files.copyContent(of: blob.file, to: target, folder, as: digest.fileName, progress: progress)
            } catch let error as StoreError where error.code == .corrupt {
                omitted.append(error)
            } catch let error as StoreError where error.code == .notFound {
                // What a compaction has taken meanwhile, nothing in the copy refers to.
            }
        }
        return omitted
    }

    /// Waits for a lock that somebody else has for no longer than `patience`.
    static func backUp(
        _ source: Connection, to target: Connection, patience: Duration = .seconds(10), _ progress: (Int, Int) throws -> Void = { _, _ in }
    ) throws {
        guard let backup = sqlite3_backup_init(target.handle, "main", source.handle, "main") else {
            throw target.error(sqlite3_errcode(target.handle))
        }
        var code = SQLITE_OK
        var lastStep = Instant.now
        repeat {
            code = sqlite3_backup_step(backup, 1000)
            let total = Int(sqlite3_backup_pagecount(backup))
            do { try progress(total - Int(sqlite3_backup_remaining(backup)), total) } catch {
                sqlite3_backup_finish(backup)
                throw error
            }
            if code == SQLITE_OK {
                lastStep = .now
            } else if code == SQLITE_BUSY || code == SQLITE_LOCKED {
                // A file system that gives no locks never will.
                guard Instant.now - lastStep < patience else { break }
                usleep(10_000)
            }
        } while code == SQLITE_OK || code == SQLITE_BUSY || code == SQLITE_LOCKED
        let end = sqlite3_backup_finish(backup)
        guard code == SQLITE_DONE else { throw target.error(end == SQLITE_OK ? code : end) }
    }
}

extension FileAccess {
    /// Copies all pages that a connection sees to files that are still empty, and encrypts them with their key. The connection has no transaction. Gives
    /// one to the copy.
    func copyPages(_ source: Connection, to target: FileAccess, _ progress: (Int, Int) throws -> Void = { _, _ in }) throws -> Connection {
        let header = try source.readMainFile(count: DatabaseHeader.count, at: 0).map { DatabaseHeader(bytes: $0, fileSize: 0) }
        guard target.key != nil, let header, header.reservedSize < CouchbaseCipher.reservedSize else {
            let copy = try target.connect()
            try Database.backUp(source, to: copy, progress)
            return copy
        }
        // Its pages have no room for what an encrypted one has at its end.
        guard let key = target.key, let cipher = CouchbaseCipher(key, pageSize: header.pageSize) else {
            throw StoreError(.wrongKey, "no cipher takes such a key", path: target.bundle.path)
        }
        try SchemaInspection(reading: source).trust(on: source)
        _ = try FileConnection.registerFunctions(on: source, blobs: BlobFolder(opened(.readOnly)))
        try source.vacuum(into: target.bundle.resolvedDatabaseFile, cipher)
        return try target.connect()
    }
}
