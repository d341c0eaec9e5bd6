import CBLSQLite

/// The SQL of a scan. One statement, so that SQLite's own merge joins live and deleted documents in order.
struct ScanQuery {
    private(set) var sql = ""
    /// The tables that are read, each with the SQL of a single row of it, by its rowid as parameter 4.
    private(set) var rows: [(table: KeyTable, sql: String)] = []
    private let options: ScanOptions
    private let prefix: String
    /// Whether bodies can be whole revision trees. The vendor's migration moves them from the main table to the deleted twin as they are.
    private let mayHoldTrees: Bool

    init(_ tables: CollectionTables, _ options: ScanOptions, mayHoldTombstones: Bool) {
        self.options = options
        prefix = options.fixedPrefix
        mayHoldTrees = tables.all.contains(where: \.mayHoldTreesInBodies)
        var parts: [String] = []
        if !options.onlyDeleted || mayHoldTombstones {
            var conditions: [String] = []
            if options.onlyDeleted {
                conditions.append("(flags & 1) != 0")
            } else if !options.includesDeleted && mayHoldTombstones {
                conditions.append("(flags & 1) = 0")
            }
            parts.append(select(tables.live, conditions))
            rows.append((tables.live, select(tables.live, conditions + ["rowid = ?4"])))
        }
        if options.onlyDeleted || options.includesDeleted, let deleted = tables.deleted {
            parts.append(select(deleted, []))
            rows.append((deleted, select(deleted, ["rowid = ?4"])))
        }
        sql = parts.joined(separator: " UNION ALL ")
        switch options.order {
        case .id: sql += " ORDER BY 1"
        case .sequence: sql += " ORDER BY 2"
        case .stored: break
        }
        if options.isDescending && options.order != .stored { sql += " DESC" }
        if options.limit != nil || options.offset > 0 { sql += " LIMIT \(options.limit ?? -1) OFFSET \(options.offset)" }
    }

    func bind(to statement: Statement) throws(SQLiteError) {
        if let pattern = options.idPattern { try statement.bind(ScanOptions.glob(pattern), 1) }
        if let since = options.since { try statement.bind(Int64(clamping: since), 5) }
        if let last = options.upTo { try statement.bind(Int64(clamping: last), 6) }
        if let first = options.firstID { try statement.bind(first.id, 7) }
        if let last = options.lastID { try statement.bind(last.id, 8) }
        guard !prefix.isEmpty else { return }
        try statement.bind(prefix, 2)
        var end = ScanOptions.end(ofPrefix: prefix) ?? []
        let result = end.withUnsafeMutableBytes { bytes in
            Result { () throws(SQLiteError) in try statement.bind(text: UnsafeRawBufferPointer(bytes), 3) }
        }
        try result.get()
    }

    private func select(_ table: KeyTable, _ conditions: [String]) -> String {
        var conditions = conditions
        if options.onlyConflicts { conditions.append("(flags & 2) != 0") }
        if options.onlyWithAttachments { conditions.append("(flags & 4) != 0") }
        if let rows = options.rows { conditions.append("rowid BETWEEN \(rows.lowerBound) AND \(rows.upperBound)") }
        if options.since != nil { conditions.append("sequence > ?5") }
        if options.upTo != nil { conditions.append("sequence <= ?6") }
        if let first = options.firstID { conditions.append(first.isIncluded ? "key >= ?7" : "key > ?7") }
        if let last = options.lastID { conditions.append(last.isIncluded ? "key <= ?8" : "key < ?8") }
        if options.idPattern != nil { conditions.append("key GLOB ?1") }
        if !prefix.isEmpty { conditions.append("key >= ?2 AND key < ?3") }
        // Of the tables behind a view, the one with the keys is to be gone through, in their order.
        if table.isView && options.order == .id && prefix.isEmpty { conditions.append("key >= ''") }
        let condition = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
        return "SELECT \(columns(table)) FROM \(table.quotedName)\(condition)"
    }

    private func columns(_ table: KeyTable) -> String {
        // A list of IDs can be had from the index of the primary key alone.
        if options.content == .id { return options.order == .sequence ? "key, sequence" : "key" }
        let start = "key, sequence, flags, version, \(table.expiration)"
        switch options.content {
        case .id: return start
        // What is before the body and not asked for is passed over, what is behind it is not even looked for.
        case .idAndBody: return "key, \(options.order == .sequence ? "sequence" : "0"), 0, NULL, NULL, body"
        // Where nothing is in `extra`, the body can be a tree of bodies, and its length is not the current one's.
        case .metadata where !mayHoldTrees: return "\(start), length(body)"
        case .metadata: return "\(start), CASE WHEN \(table.lacksExtra) AND substr(version, 1, 1) != x'00' THEN body ELSE length(body) END"
        case .body: return "\(start), body"
        case .everything: return "\(start), body, \(table.extra)"
        }
    }
}
