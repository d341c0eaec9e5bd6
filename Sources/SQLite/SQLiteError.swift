import CSQLite

/// What SQLite refused: its result code, its message, and the statement it was about.
public struct SQLiteError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The extended result code, for example `SQLITE_CONSTRAINT_UNIQUE`.
    public let extendedCode: Int32
    public let message: String
    public let sql: String?

    public init(extendedCode: Int32, message: String, sql: String? = nil) {
        self.extendedCode = extendedCode
        self.message = message
        self.sql = sql
    }

    /// The primary result code, for example `SQLITE_CONSTRAINT`.
    public var code: Int32 { extendedCode & 0xFF }

    public var isBusy: Bool { code == SQLITE_BUSY || code == SQLITE_LOCKED }
    public var isInterrupted: Bool { code == SQLITE_INTERRUPT }
    /// The second code is what a full disk comes to when the shared memory of a log cannot be made.
    public var isDiskFull: Bool { code == SQLITE_FULL || extendedCode == SQLITE_IOERR | 19 << 8 }
    public var isConstraint: Bool { code == SQLITE_CONSTRAINT }
    public var isReadOnly: Bool { code == SQLITE_READONLY }
    /// The file is damaged, or is no SQLite database at all.
    public var isCorrupt: Bool { code == SQLITE_CORRUPT || code == SQLITE_NOTADB }

    public var description: String {
        guard let sql else { return "SQLite: \(message) (\(extendedCode))" }
        return "SQLite: \(message) (\(extendedCode)) in: \(sql)"
    }
}
