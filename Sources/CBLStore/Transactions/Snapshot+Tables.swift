import CBLSQLite

/// Where a collection's documents are, for those who write SQL.
package struct DocumentTables: Sendable, Hashable {
    /// The table of live documents, in which there can also be tombstones: see `mayHoldTombstones`.
    package let live: String
    /// The table of tombstones; nil in files of a generation that has none.
    package let deleted: String?
    /// Before 3.1 tombstones were kept among the others, and in the default collection of an upgraded file they may still be there.
    package let mayHoldTombstones: Bool
    /// What each of them calls the document's columns `key, sequence, flags, version, body, expiration, extra`, in SQL, joined by commas.
    package let liveColumns: String
    package let deletedColumns: String
}

/// Where the rows of a table lie.
package struct TablePages: Sendable {
    package let source: PageSource
    package let leaves: TableLeaves
}

extension Snapshot {
    /// Changes with every change of the schema, by whomever: what was found out about tables holds as long as it stays.
    package var schemaVersion: Int64 { file.schemaVersion }

    /// What queries may call the default collection: the bundle's name without its extension.
    package var databaseName: String {
        let name = database.path.split(separator: "/").last ?? ""
        let suffix = [".cblite2", DatabaseBundle.fileSuffix].first { name.hasSuffix($0) }
        return String(name.dropLast(suffix?.utf8.count ?? 0))
    }

    /// The pages of a table, for who goes through all of it: as long as the snapshot is there. Nil where only SQLite can read them.
    package func pages(ofTable name: String) throws -> TablePages? {
        guard let position = file.position else { return nil }
        if let known = knownPages[name] { return known }
        guard let source = PageSource(connection, log: position.logExtent),
            let root = try root(of: "table", name), let leaves = TableLeaves(ofTableAt: root, in: source)
        else { return nil }
        let pages = TablePages(source: source, leaves: leaves)
        knownPages[name] = pages
        return pages
    }

    /// Throws if another program has changed the file meanwhile, where nobody is told of that: what looks like damage may be of two states of it.
    package func checkIsUnchanged() throws {
        if let position = file.position { try database.readers.check(position) }
    }

    /// How many rows a table of documents has.
    package func rowCount(ofTable name: String) throws -> Int64 {
        try rowCountFromPages(ofTable: name) ?? connection.integer("SELECT count(*) FROM \(quoted(identifier: name))") ?? 0
    }

    /// The same without SQLite; nil if that cannot be, or is not worth it.
    package func rowCountFromPages(ofTable name: String) throws -> Int64? {
        try rowCountFromPages(ofTable: name) { true }.map { Int64($0.count) }
    }

    /// The same, estimated from when `goesOn` says no.
    func rowCountFromPages(ofTable name: String, while goesOn: () -> Bool) throws -> (count: Int, isExact: Bool)? {
        guard !isSmallFile(below: Snapshot.fewRows), let position = file.position,
            let source = PageSource(connection, log: position.logExtent),
            let root = try root(of: "index", "sqlite_autoindex_\(name)_1")
        else { return nil }
        return EntryCount.entries(ofIndexAt: root, in: source, while: goesOn)
    }

    private static let fewRows: Int64 = 4096

    /// The first page of a table or an index.
    func root(of type: StaticString, _ name: String) throws -> UInt32? {
        try connection.withStatement("SELECT rootpage FROM main.sqlite_master WHERE type='\(type)' AND name=?") { row in
            try row.bind(name, 1)
            return try row.step() ? UInt32(exactly: row.int64(0)) : nil
        }
    }

    /// Whether a table may have so many rows, as far as the numbers of its first and last one tell.
    func mayHave(_ count: Int64, rowsIn table: KeyTable) throws -> Bool {
        guard let first = try connection.integer("SELECT min(rowid) FROM \(table.quotedName)"),
            let last = try connection.integer("SELECT max(rowid) FROM \(table.quotedName)")
        else { return false }
        return last.subtractingReportingOverflow(first).partialValue >= count
    }

    /// Whether the file is so small that there cannot be so many documents of usual size in it.
    package func isSmallFile(below documents: Int64) -> Bool { connection.mainFileSize < documents * Snapshot.leastOfUsualSize }

    private static let leastOfUsualSize: Int64 = 64

    /// Whether a statement that ran now would be interrupted: for who does a statement's work.
    package var isInterrupted: Bool { connection.isInterrupted || database.readers.isClosed }

    /// Prepares for reading pages once, one after another, or again and again in any order.
    package func expect(scan: Bool) throws {
        // Pages that were written to are better not moved in and out of the file.
        guard !file.isWriter else { return }
        try connection.setCacheSize(kibibytes: scan ? FileConnection.scanCacheSize : FileConnection.cacheSize)
    }

    /// The tables of a collection; nil if there is no such collection.
    package func documentTables(of name: CollectionName) -> DocumentTables? {
        guard let tables = catalog.collections[name] else { return nil }
        return DocumentTables(
            live: tables.live.name, deleted: tables.deleted?.name, mayHoldTombstones: mayHoldTombstones(tables),
            liveColumns: tables.live.columnNames, deletedColumns: tables.deleted?.columnNames ?? "")
    }

    /// Whether there can be tombstones among the live documents of a collection; as long as nothing is known of it, there can.
    package func mayHoldTombstones(_ name: CollectionName) -> Bool { catalog.collections[name].map(mayHoldTombstones) ?? true }

    /// The full-text table of an index. Files of before 3.1, and what an upgrade left of them, have capitals as they are.
    package func fullTextTable(index: String, ofTable table: String) -> String? {
        let escaped = table + "::" + Schema.escapingCapitals(index)
        if catalog.indexTables[escaped] != nil { return escaped }
        let plain = table + "::" + index
        return catalog.indexTables[plain] != nil ? plain : nil
    }

    /// The columns of a full-text table; nil if it is none.
    package func fullTextColumns(of table: String) -> [String]? {
        guard case .fullText(let columns, _)? = catalog.indexTables[table] else { return nil }
        return columns
    }

    /// The table of an array index, given the name that `indexes` has for it; up to 3.2.0 it had that name itself.
    package func unnestTable(plainName: String) -> String? {
        // The digest is of more work than the look whether there can be any.
        guard catalog.hasIndexTable else { return nil }
        let hashed = Schema.hashedName(ofIndexTable: plainName)
        if catalog.indexTables[hashed] != nil { return hashed }
        return catalog.indexTables[plainName] != nil ? plainName : nil
    }

    /// The table of a predictive index, given the digest of what it asks its model. Files of before 3.1, and what an upgrade left of them, have
    /// capitals as they are.
    package func predictionTable(digest: String, ofTable table: String) -> String? {
        guard catalog.hasIndexTable else { return nil }
        return [Schema.escapingCapitals(digest), digest].lazy.map { "\(table):predict:\($0)" }.first {
            if case .predictions(table)? = catalog.indexTables[$0] { true } else { false }
        }
    }

    /// Whether bodies can be whole revision trees, which only the SQL functions and `DocumentCursor` see through.
    package var mayHoldTreesInBodies: Bool { catalog.collections.values.contains { $0.all.contains(where: \.mayHoldTreesInBodies) } }
}
