import CBLSQLite
import Glibc

/// The files that SQLite opens, without SQLite.
extension FileAccess {
    /// Opens a part as it is on the disk; nil if it is not there. To close it drops all locks of this process: see `OpenFiles`.
    func open(_ part: DatabaseBundle.Part, flags: Int32 = O_RDONLY) throws(StoreError) -> RegularFile? {
        try bundle.check([part])
        return try RegularFile(bundle.path(of: part), flags: flags)
    }

    /// The first bytes of the main file. The caller makes sure that this process has no connection to it.
    func header() throws(StoreError) -> DatabaseHeader {
        guard let file = try open(.main) else { throw StoreError(.notFound, "the file db.sqlite3 is gone", path: bundle.path) }
        var bytes = [UInt8](repeating: 0, count: DatabaseHeader.count)
        let count = try file.read(at: 0, into: &bytes)
        return DatabaseHeader(bytes: Array(bytes.prefix(count)), fileSize: file.status.size)
    }

    /// Puts what `change` makes of the first bytes of the main file, in clear, in their place.
    func changeHeader(_ change: (DatabaseHeader) throws(StoreError) -> DatabaseHeader) throws(StoreError) {
        guard let file = try open(.main, flags: O_RDWR) else {
            throw StoreError(.notFound, "the file db.sqlite3 is gone", path: bundle.path)
        }
        if let key, secret.found == nil { _ = try self.header(key) }
        let cipher = secret.found?.cipher as? any WritablePageCipher
        var page = [UInt8](repeating: 0, count: cipher?.pageSize ?? DatabaseHeader.count)
        page.removeSubrange(try file.read(at: 0, into: &page)...)
        if let cipher, page.count == cipher.pageSize { page.withUnsafeMutableBytes { _ = cipher.decrypt($0, number: 1) } }
        let header = DatabaseHeader(bytes: Array(page.prefix(DatabaseHeader.count)), fileSize: file.status.size)
        page.replaceSubrange(..<header.bytes.count, with: try change(header).bytes)
        if let cipher { page.withUnsafeMutableBytes { cipher.encryptFirst($0) } }
        guard file.write(page, at: 0) else { throw FileCopy.failure("cannot write", bundle.databaseFile) }
    }

    /// Looks at the header of the main file, before SQLite does, for what SQLite would only call "not a database", and whether the key is one
    /// for it. `present` says whether this process has a connection to the file already: then nothing may open it, and nothing has to.
    /// A file that is cut off may be read as far as it goes, but not written.
    func check(_ present: OpenFiles.Use? = nil, forWriting: Bool = true) throws(StoreError) {
        // Who connects to it looks whether the key fits.
        guard present == nil else { return }
        let path = bundle.path
        var header = try header()
        guard !header.bytes.isEmpty else { throw StoreError(.notADatabase, "not a database: the file db.sqlite3 is empty", path: path) }
        guard header.isWhole else {
            throw StoreError(.corrupt, "the file db.sqlite3 is cut off after \(header.bytes.count) bytes", path: path)
        }
        if let key {
            guard let clear = try self.header(key) else {
                // Whoever was writing the first page when the power went has it in the log, or as it was in the rollback journal.
                guard forWriting, bundle.size(.log) == 0, bundle.size(.rollbackJournal) == 0 else { return }
                if secret.isOfVersion1 { throw isEncryptedVersion1(nil) }
                throw StoreError(.corrupt, "the first page is damaged, though the key fits", path: path)
            }
            if forWriting, secret.isOfVersion1 { throw isEncryptedVersion1(clear) }
            header = clear
        }
        guard header.isPlain else {
            if header.isEncrypted { throw needsKey }
            throw header.looksEncrypted && !isPlainBehindHeader ? needsKeyOfVersion1 : isNoDatabase
        }
        if forWriting, Version1Schema.userVersions.contains(header.userVersion) {
            throw DatabaseBundle.isVersion1(header.userVersion, path: path)
        }
        // What is missing may be in the log, or come back from the journal.
        if forWriting, let expected = header.expectedSize, header.fileSize < expected,
            bundle.size(.log) == 0, bundle.size(.rollbackJournal) == 0
        {
            throw StoreError(.corrupt, "the file db.sqlite3 is cut off: \(header.fileSize) of \(expected) bytes are there", path: path)
        }
    }

    /// Makes an empty main file in a folder that has none.
    func makeMainFile(in folder: Folder) throws(StoreError) {
        _ = try folder.makeFile(DatabaseBundle.Part.main.rawValue, permissions: 0o644)
    }

    /// Puts a part, as it is on the disk, in the place of that of a copy, which has the same key. Journals that are no files are left out, as
    /// reading in place does without them.
    func copy(_ part: DatabaseBundle.Part, to copy: FileAccess) throws(StoreError) {
        do {
            let folder = try copy.bundle.folder()
            folder.remove(part.rawValue)
            if part != .main, let status = bundle.status(part), status.kind != .file { return }
            guard let file = try open(part) else {
                if part == .main { throw StoreError(.notFound, "the database is gone") }
                return
            }
            try FileCopy.copy(file, into: folder, as: part.rawValue)
        } catch {
            throw error as? StoreError ?? StoreError(.inputOutput, "\(error)")
        }
    }
}
