import CBLSQLite

/// A document that a scan had to pass over.
package struct DamagedDocument: Hashable, Sendable {
    package let collection: CollectionName
    /// Nil if not even that can be read.
    package let id: String?
    package let reason: String

    package init(collection: CollectionName, id: String?, reason: String) {
        self.collection = collection
        self.id = id
        self.reason = reason
    }

    package var description: String {
        guard let id else { return "some documents of collection \"\(collection)\" are damaged: \(reason)" }
        return "document \"\(id)\" is damaged: \(reason)"
    }
}

/// What is left of a scan after it met a damaged page: all rows that can be read one by one, in the order that was asked for.
struct DamagedScan {
    private struct Row {
        let part: Int
        let rowid: Int64
        let key: [UInt8]
        let sequence: Int64
    }

    private let statements: [Statement]
    private var rows: [Row] = []
    private var place = 0

    /// Documents with the IDs `given` have been given before. `lost` is told of those that cannot be read at all.
    init(
        _ query: ScanQuery, _ options: ScanOptions, without given: Set<[UInt8]>, _ connection: Connection,
        lost: (String?, String) -> Void
    ) throws(SQLiteError) {
        var statements: [Statement] = []
        for part in query.rows {
            let statement = try connection.prepare(part.sql)
            try query.bind(to: statement)
            statements.append(statement)
        }
        self.statements = statements
        for (part, row) in query.rows.enumerated() { try collect(part, row.table, options, connection, lost) }
        if options.order != .stored {
            rows.sort { left, right in
                let (first, second) = options.isDescending ? (right, left) : (left, right)
                if options.order == .sequence { return first.sequence < second.sequence }
                return first.key.lexicographicallyPrecedes(second.key)
            }
        }
        if options.offset > 0 { rows = Array(rows.dropFirst(options.offset)) }
        if let limit = options.limit { rows = Array(rows.prefix(limit)) }
        rows.removeAll { given.contains($0.key) }
    }

    /// The statement with the next row; nil if there is none.
    mutating func next() throws(SQLiteError) -> Statement? {
        while place < rows.count {
            let row = rows[place]
            place += 1
            if try step(row.part, row.rowid) { return statements[row.part] }
        }
        return nil
    }

    private func step(_ part: Int, _ rowid: Int64) throws(SQLiteError) -> Bool {
        statements[part].reset()
        try statements[part].bind(rowid, 4)
        return try statements[part].step()
    }

    private mutating func collect(
        _ part: Int, _ table: KeyTable, _ options: ScanOptions, _ connection: Connection, _ lost: (String?, String) -> Void
    ) throws(SQLiteError) {
        var found: [Row] = []
        let walker = RowWalker(connection: connection, table: table.quotedName, columns: "key, sequence")
        do {
            try walker.forEach(in: options.rows ?? Int64.min...Int64.max) { row in
                let key = row.text(1).map(Array.init) ?? []
                do {
                    // Also whether it is one that was asked for.
                    guard try step(part, row.int64(0)) else { return }
                    found.append(Row(part: part, rowid: row.int64(0), key: key, sequence: row.int64(2)))
                } catch let error as SQLiteError where error.isDamage {
                    lost(String(decoding: key, as: UTF8.self), "it cannot be read")
                }
            } gap: { range in
                let names = (try? StoredRow.keys(in: range, of: table, on: connection)) ?? []
                for name in names { lost(name, "it cannot be read") }
                if names.isEmpty { lost(nil, "a part of the table \(table.name) cannot be read") }
            }
        } catch let error as SQLiteError {
            throw error
        } catch {
            preconditionFailure("only SQLite throws here")
        }
        statements[part].reset()
        rows += found
    }
}
