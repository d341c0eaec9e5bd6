import CBLSQLite

/// A row of a collection's table as it lies in the file, with the types that its columns really have.
struct StoredRow {
    let rowid: Int64
    let key: [UInt8]
    let keyType: Statement.ColumnKind
    let sequence: Int64
    let sequenceType: Statement.ColumnKind
    let flags: Int64
    let expirationType: Statement.ColumnKind
    /// Whether `extra` and `expiration` are swapped (see `TombstoneRepair`).
    let isSwapped: Bool
    /// The columns with their right meaning.
    let record: Record

    /// Whether its sequence is one that a change can have got.
    var hasSequence: Bool { sequenceType == .integer && sequence > 0 && sequence <= DocumentRules.highestSequence }

    var id: String { String(decoding: key, as: UTF8.self) }

    private init(_ row: Statement) {
        rowid = row.int64(0)
        key = row.text(1).map(Array.init) ?? []
        keyType = row.kind(1)
        sequenceType = row.kind(2)
        sequence = row.int64(2)
        flags = row.int64(3)
        isSwapped = row.kind(6) == .blob && row.kind(7) != .blob
        let (extra, expiration): (Int32, Int32) = isSwapped ? (6, 7) : (7, 6)
        expirationType = row.kind(expiration)
        record = Record(
            flags: DocumentFlags(rawValue: UInt16(truncatingIfNeeded: flags)), subsequence: Int(flags >> 16),
            sequence: UInt64(bitPattern: max(0, sequence)), version: row.blob(4) ?? UnsafeRawBufferPointer(start: nil, count: 0),
            body: row.blob(5), extra: row.blob(extra),
            expiration: row.kind(expiration) == .integer ? row.int64(expiration) : nil)
    }

    /// Goes through a table, past damaged pages.
    static func forEach(
        of table: KeyTable, on connection: Connection, _ body: (StoredRow) throws -> Void, gap: (ClosedRange<Int64>) throws -> Void
    ) throws {
        let columns =
            "key, sequence, flags, version, body, \(table.hasExpiration ? "expiration" : "NULL"), \(table.hasExtra ? "extra" : "NULL")"
        try RowWalker(connection: connection, table: table.quotedName, columns: columns).forEach({ try body(StoredRow($0)) }, gap: gap)
    }

    /// The ID of a row; nil if there is no such row.
    static func key(ofRow row: Int64, of table: KeyTable, on connection: Connection) throws -> String? {
        try connection.strings("SELECT key FROM \(table.quotedName) WHERE rowid = \(row)").first
    }

    /// The IDs of rows, from the index of IDs: it may be readable where the rows are not.
    static func keys(in range: ClosedRange<Int64>, of table: KeyTable, on connection: Connection) throws -> [String] {
        let index = quoted(identifier: "sqlite_autoindex_\(table.name)_1")
        return try connection.strings(
            """
            SELECT key FROM \(table.quotedName) INDEXED BY \(index) WHERE key >= '' \
            AND +rowid BETWEEN \(range.lowerBound) AND \(range.upperBound)
            """)
    }
}
