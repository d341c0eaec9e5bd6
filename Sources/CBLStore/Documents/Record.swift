import CBLSQLite

/// A row of a collection's table, as it is stored.
struct Record {
    var flags: DocumentFlags
    var subsequence: Int
    var sequence: UInt64
    var version: [UInt8]
    var body: [UInt8]?
    var extra: [UInt8]?
    var expiration: Int64?
    /// The table it was found in.
    var isInDeletedTable = false

    var isVector: Bool { version.first == 0 }
    /// Whether the other revisions, if any, are kept as in a version-vector database, which may name revisions by tree IDs too.
    var holdsVectors: Bool {
        if isVector { return true }
        // With nothing beside it, a tree ID names a tree of 2.x in the body, or a lone revision received in a vector database.
        guard let extra else { return !(body.map { $0.withUnsafeBytes(RecordBody.isTree) } ?? false) }
        return extra.starts(with: VectorRevisions.extraPrefix)
    }
    /// One that is out of all reason, in a damaged file, begins anew.
    var nextSubsequence: Int { (0..<Int(Int32.max)).contains(subsequence) ? subsequence + 1 : 1 }
    var storedFlags: Int64 { Int64(flags.rawValue) | Int64(subsequence) << 16 }
}

extension Snapshot {
    /// The row of a document, from whichever of the two tables has it.
    func record(_ id: String, in tables: CollectionTables) throws -> Record? {
        var id = id
        return try id.withUTF8 { try record(UnsafeRawBufferPointer($0), in: tables) }
    }

    func record(_ id: UnsafeRawBufferPointer, in tables: CollectionTables) throws -> Record? {
        if let record = try record(id, in: tables.live) { return record }
        guard let deleted = tables.deleted, var record = try record(id, in: deleted) else { return nil }
        record.isInDeletedTable = true
        return record
    }

    private func record(_ id: UnsafeRawBufferPointer, in table: KeyTable) throws -> Record? {
        try connection.withStatement(table.statements.select) { row in
            try row.bind(text: id, 1, staysInPlace: true)
            guard try row.step() else { return nil }
            let flags = row.int64(1)
            return Record(
                flags: DocumentFlags(rawValue: UInt16(truncatingIfNeeded: flags)), subsequence: Int(flags >> 16),
                sequence: UInt64(bitPattern: row.int64(0)), version: row.blob(2).map(Array.init) ?? [],
                body: row.blob(3).map(Array.init), extra: row.blob(4).map(Array.init),
                expiration: row.isNull(5) ? nil : row.int64(5))
        }
    }

    /// The document with this ID, live or deleted; nil if there is none.
    package func document(_ id: String, in collection: CollectionName = .default) throws -> Document? {
        let tables = try tables(collection)
        guard let record = try record(id, in: tables) else { return nil }
        return try Document(id, in: collection, record, self)
    }
}
