import CBLFleece
import CBLSQLite

// Rows of collections: inserted, changed, moved between the tables of live documents and tombstones, deleted.
extension Transaction {
    /// Writes what a save came to. `old` is the row that is there, as it was read: if it has changed since, that is a conflict.
    func put(_ id: UnsafeRawBufferPointer, _ tables: CollectionTables, replacing old: Record?, _ outcome: SaveOutcome) throws -> UInt64 {
        let isNew = outcome.needsNewSequence || old == nil
        let sequence = isNew ? try nextSequence(tables) : old?.sequence ?? 0
        let subsequence = isNew ? 0 : old?.nextSubsequence ?? 1
        let flags = Int64(outcome.flags.rawValue) | Int64(subsequence) << 16
        do {
            try outcome.withColumns { version, body, extra in
                let row = Row(
                    id: id, version: version, body: body, extra: extra, flags: flags, sequence: sequence, expiration: old?.expiration)
                try put(row, tables, replacing: old, isDeleted: outcome.flags.contains(.deleted))
            }
        } catch let error as StoreError where error.code == .conflict {
            if isNew { try giveBack(sequence, tables) }
            throw error
        }
        if isNew { noteSaved(id, sequence, tables) }
        return sequence
    }

    /// The values of a row. A NULL body is nil, an empty one is not.
    struct Row {
        let id: UnsafeRawBufferPointer
        let version: UnsafeRawBufferPointer
        let body: UnsafeRawBufferPointer?
        let extra: UnsafeRawBufferPointer?
        let flags: Int64
        var sequence: UInt64
        let expiration: Int64?
    }

    private func put(_ row: Row, _ tables: CollectionTables, replacing old: Record?, isDeleted: Bool) throws {
        let target = isDeleted ? tables.deleted ?? tables.live : tables.live
        guard let old else { return try insert(row, target, tables) }
        let source = old.isInDeletedTable ? tables.deleted ?? tables.live : tables.live
        if source.name == target.name {
            guard try update(row, target, old) else { throw Transaction.changed(row.id) }
        } else {
            try delete(row.id, source, old)
            try insert(row, target, tables)
        }
    }

    private func insert(_ row: Row, _ table: KeyTable, _ tables: CollectionTables) throws {
        if try tryInsert(row, table) { return }
        guard try record(row.id, in: tables) == nil else { throw Transaction.changed(row.id) }
        // The unique index of sequences refused it: `kvmeta` lags behind what is in the tables. Count on from there.
        var highest: Int64 = 0
        for table in tables.all { highest = max(highest, try connection.integer("SELECT max(sequence) FROM \(table.quotedName)") ?? 0) }
        var row = row
        row.sequence = UInt64(highest) + 1
        try checkSequence(row.sequence, tables)
        try setLastSequence(row.sequence, tables)
        guard try tryInsert(row, table) else { throw Transaction.changed(row.id) }
    }

    private func tryInsert(_ row: Row, _ table: KeyTable) throws -> Bool {
        guard let expiration = row.expiration, table.hasExpiration else {
            return try connection.withStatement(table.statements.insert) { statement in
                try bind(row, statement, table)
                try statement.run()
                return connection.changes > 0
            }
        }
        noteExpiration(expiration)
        let columns = table.hasExtra ? "version, body, flags, sequence, key, extra" : "version, body, flags, sequence, key"
        let values = table.hasExtra ? "?1, ?2, ?3, ?4, ?5, ?6" : "?1, ?2, ?3, ?4, ?5"
        let sql = "INSERT OR IGNORE INTO \(table.quotedName) (\(columns), expiration) VALUES (\(values), ?7)"
        return try connection.withStatement(sql) { statement in
            try bind(row, statement, table)
            try statement.bind(expiration, 7)
            try statement.run()
            return connection.changes > 0
        }
    }

    private func update(_ row: Row, _ table: KeyTable, _ old: Record) throws -> Bool {
        try connection.withStatement(table.statements.update) { statement in
            try bind(row, statement, table)
            try statement.bind(Int64(bitPattern: old.sequence), 7)
            try statement.bind(Int64(old.subsequence), 8)
            try statement.run()
            return connection.changes > 0
        }
    }

    private func bind(_ row: Row, _ statement: Statement, _ table: KeyTable) throws {
        // All of it outlasts the statement.
        try statement.bind(blob: row.version, 1, staysInPlace: true)
        try statement.bind(blob: row.body, 2, staysInPlace: true)
        try statement.bind(row.flags, 3)
        try statement.bind(Int64(bitPattern: row.sequence), 4)
        try statement.bind(text: row.id, 5, staysInPlace: true)
        if table.hasExtra { try statement.bind(blob: row.extra, 6, staysInPlace: true) }
    }

    /// Removes a row as it was read.
    func delete(_ id: UnsafeRawBufferPointer, _ table: KeyTable, _ old: Record) throws {
        try connection.withStatement(table.statements.delete) { statement in
            try statement.bind(text: id, 1, staysInPlace: true)
            try statement.bind(Int64(bitPattern: old.sequence), 2)
            try statement.bind(Int64(old.subsequence), 3)
            try statement.run()
            guard connection.changes > 0 else { throw Transaction.changed(id) }
        }
        try countPurges(1, in: table.keyStore, areKnown: true)
    }

    /// Inserts a row that was another collection's, or had another key.
    func insertMoved(_ id: UnsafeRawBufferPointer, _ tables: CollectionTables, _ record: Record) throws {
        let target = record.flags.contains(.deleted) ? tables.deleted ?? tables.live : tables.live
        try record.withColumns { version, body, extra in
            let row = Row(
                id: id, version: version, body: body, extra: extra, flags: record.storedFlags,
                sequence: record.sequence, expiration: record.expiration)
            try insert(row, target, tables)
        }
    }

    static func changed(_ id: UnsafeRawBufferPointer) -> StoreError {
        StoreError(.conflict, "document \"\(String(decoding: id, as: UTF8.self))\" was changed by somebody else meanwhile")
    }
}
