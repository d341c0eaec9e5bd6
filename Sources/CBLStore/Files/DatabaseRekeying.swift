import CBLSQLite
import CBLSystemSQLite
import Glibc

extension Database {
    /// Writes all of the database and its blobs anew, with another key or with none, and goes on with that. Until all of it is there nothing has
    /// changed; a program that is killed leaves the old database or the new one. `progress` may throw to stop the work, which then leaves the old one.
    ///
    /// Nobody else may have the database open, neither in this program nor in another.
    package func changeKey(
        to key: EncryptionKey?, progress: (_ done: Int, _ total: Int) throws -> Void = { _, _ in }
    ) throws {
        guard let writer else { throw StoreError(.readOnly, "the database was opened for reading only", path: path) }
        try checkNoTransaction("a database cannot be encrypted anew")
        guard !bundle.isLoneFile else { throw StoreError(.version1, "a database of 1.0 cannot be encrypted", path: path) }
        do {
            try blobs.synchronize()
            try writer.replacingFiles(readBy: readers) {
                guard SharedFile.openCount(of: bundle) <= 1 else {
                    throw StoreError(.busy, "the database is open elsewhere in this program, and cannot be encrypted anew", path: path)
                }
                try rewrite(with: key, progress)
                files.secret.replace(with: key)
                file.moved(to: bundle)
                blobs.close()
            }
        } catch {
            throw StoreError.translating(error, path: path)
        }
    }

    private func rewrite(with key: EncryptionKey?, _ progress: (_ done: Int, _ total: Int) throws -> Void) throws {
        let source = try files.opened(.readWrite).connect()
        source.heedInterrupts()
        try lockOut(others: source)
        // Until the old files are gone: who opened them before that would write for nobody.
        defer { withExtendedLifetime(source) {} }
        var status = stat()
        let permissions = stat(path, &status) == 0 ? status.st_mode & 0o777 : 0o700
        try NewBundle.replace(at: path, keepingOldAt: nil) { unfinished in
            let target = files.rewritten(to: unfinished, key: key, durability: .full)
            let copy = try files.copyPages(source, to: target, progress)
            try copy.execute("PRAGMA journal_mode=WAL")
            try rewriteBlobs(to: target, progress)
            chmod(unfinished.path, permissions)
        }
    }

    /// Has a connection be the only one, as long as it is there.
    private func lockOut(others source: Connection) throws {
        try source.configure(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
        source.setBusyTimeout(milliseconds: 1000)
        do {
            try source.execute("PRAGMA locking_mode=EXCLUSIVE")
            try source.execute("BEGIN EXCLUSIVE")
            try source.execute("COMMIT")
        } catch {
            guard error.isBusy else { throw error }
            throw StoreError(.busy, "another program has the database open: it cannot be encrypted anew", path: path, cause: error)
        }
    }

    /// As they are: a damaged one stays what it is.
    private func rewriteBlobs(to target: FileAccess, _ progress: (_ done: Int, _ total: Int) throws -> Void) throws {
        guard let folder = try bundle.attachments() else { return }
        let digests = try folder.digests()
        guard !digests.isEmpty else { return }
        let copies = try target.bundle.folder().makeFolder(DatabaseBundle.attachmentsName)
        for (index, digest) in digests.enumerated() {
            try progress(index, digests.count)
            let name = digest.fileName
            guard let blob = try files.openBlob(name, in: folder) else { continue }
            try files.copyContent(of: blob, to: target, copies, as: name) { try progress(index, digests.count) }
        }
    }
}
