import CBLSystemSQLite

extension Connection {
    /// Waits until the disk has all that is in the log.
    package func synchronizeLog() throws(SQLiteError) {
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard sqlite3_file_control(handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file) == SQLITE_OK, let methods = file?.pointee.pMethods
        else {
            return
        }
        let code = methods.pointee.xSync(file, SQLITE_SYNC_NORMAL)
        if code != SQLITE_OK { throw error(code) }
    }

    /// Bytes of the database's main file, as they are there, read by SQLite itself: another descriptor of the process, once closed, would take all
    /// of SQLite's locks with it. Pages that are only in the log so far are not seen. Nil if there are not so many.
    package func readMainFile(count: Int, at offset: Int) throws(SQLiteError) -> [UInt8]? {
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK, let file,
            let read = file.pointee.pMethods?.pointee.xRead
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        let code = read(file, &bytes, Int32(clamping: count), sqlite3_int64(offset))
        guard code != SQLITE_OK else { return bytes }
        guard code == EncryptedPages.shortRead else { throw SQLiteError(extendedCode: code, message: "disk I/O error") }
        return nil
    }

    /// In bytes; pages that are only in the log so far are not counted. 0 if it cannot be told.
    package var mainFileSize: Int64 { LayeredFile.main(of: handle).flatMap { LayeredFile.size(of: $0) } ?? 0 }

    /// Has the main file, its log and its journal read and written through a cipher, before anything else is read. `isNew` says that there is nothing
    /// yet: SQLite then leaves at the end of each page what the cipher needs. Temporary files are hidden from then on.
    package func use(_ cipher: any PageCipher, isNew: Bool = false) throws(SQLiteError) {
        guard LayeredFile.decrypt(handle, with: cipher) else {
            throw SQLiteError(extendedCode: SQLITE_MISUSE, message: "this file cannot be read through a cipher", sql: nil)
        }
        guard isNew, let cipher = cipher as? any WritablePageCipher else { return }
        try execute("PRAGMA page_size=\(cipher.pageSize)")
        try reserve(cipher.reservedSize)
    }

    /// How much SQLite is to leave at the end of each page, when the file is new or is written anew.
    package func reserve(_ count: Int) throws(SQLiteError) {
        var count = Int32(count)
        let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_RESERVE_BYTES, &count)
        if code != SQLITE_OK { throw error(code) }
    }
}
