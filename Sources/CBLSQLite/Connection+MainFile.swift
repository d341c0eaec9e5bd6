import CBLSystemSQLite

extension Connection {
    /// Bytes of the database's main file, as they are there, read by SQLite itself: another descriptor of the process, once closed, would take all
    /// of SQLite's locks with it. Pages that are only in the log so far are not seen. Nil if there are not so many.
    package func readMainFile(count: Int, at offset: Int) -> [UInt8]? {
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK, let file,
            let read = file.pointee.pMethods?.pointee.xRead
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        return read(file, &bytes, Int32(clamping: count), sqlite3_int64(offset)) == SQLITE_OK ? bytes : nil
    }

    /// Has the main file and its log read through a cipher, before anything else is read. What SQLite sorts stays in memory then: a temporary file
    /// would have it in clear.
    package func decrypt(with cipher: any PageCipher) throws(SQLiteError) {
        guard LayeredFile.decrypt(handle, with: cipher) else {
            throw SQLiteError(extendedCode: SQLITE_MISUSE, message: "this file cannot be read through a cipher", sql: nil)
        }
        try execute("PRAGMA temp_store=MEMORY")
    }
}
