import CBLSystemSQLite

/// What SQLite refused: its result code, its message, and the statement it was about.
package struct SQLiteError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The extended result code, for example `SQLITE_CONSTRAINT_UNIQUE`.
    package let extendedCode: Int32
    package let message: String
    package let sql: String?

    package init(extendedCode: Int32, message: String, sql: String? = nil) {
        self.extendedCode = extendedCode
        self.message = message
        self.sql = sql
    }

    /// The primary result code, for example `SQLITE_CONSTRAINT`.
    package var code: Int32 { extendedCode & 0xFF }

    /// What SQLite says of a collation that is not there.
    static let missingLibrary = SQLITE_ERROR | 1 << 8
    /// The disk does not give what is there.
    package static let failedRead = SQLITE_IOERR | 1 << 8

    /// The message is about a library of the system.
    package var isMissingLibrary: Bool { extendedCode == SQLiteError.missingLibrary }

    package var isBusy: Bool { code == SQLITE_BUSY || code == SQLITE_LOCKED }
    package var isInterrupted: Bool { code == SQLITE_INTERRUPT }
    /// See `Connection.holdCommits`.
    package var isHeldCommit: Bool { extendedCode == SQLITE_CONSTRAINT | 2 << 8 }
    /// The second code is what a full disk comes to when the shared memory of a log cannot be made.
    package var isDiskFull: Bool { code == SQLITE_FULL || extendedCode == SQLITE_IOERR | 19 << 8 }
    package var isConstraint: Bool { code == SQLITE_CONSTRAINT && !isHeldCommit }
    package var isReadOnly: Bool { code == SQLITE_READONLY }
    /// The file is damaged, or is no SQLite database at all.
    package var isCorrupt: Bool { code == SQLITE_CORRUPT || code == SQLITE_NOTADB }

    package var description: String {
        guard let sql else { return "SQLite: \(message) (\(extendedCode))" }
        return "SQLite: \(message) (\(extendedCode)) in: \(sql)"
    }
}
