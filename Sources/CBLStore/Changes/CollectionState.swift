import CBLSQLite

/// What tells of a collection that something was committed to it.
struct CollectionState: Equatable {
    var lastSequence: UInt64 = 0
    var purges = 0
}

extension Snapshot {
    /// The states of all collections, by one statement.
    func collectionStates() throws -> [CollectionName: CollectionState] {
        var counters: [String: CollectionState] = [:]
        if catalog.hasCounters {
            let purges = generation.countsPurges ? "purgeCnt" : "0"
            try connection.withStatement("SELECT name, lastSeq, \(purges) FROM kvmeta") { row in
                while try row.step() {
                    guard let name = row.string(0) else { continue }
                    counters[name] = CollectionState(lastSequence: UInt64(bitPattern: max(0, row.int64(1))), purges: Int(row.int64(2)))
                }
            }
        }
        var states: [CollectionName: CollectionState] = [:]
        for name in catalog.collections.keys {
            var state = counters[name.keyStore] ?? CollectionState()
            state.purges = state.purges.addingClamped(counters[name.keyStoreOfDeleted]?.purges ?? 0)
            states[name] = state
        }
        return states
    }

    /// The documents whose sequences are in a range, in their order; nil if they are too many to be told, or to be looked for without an
    /// index.
    func documentIDs(in name: CollectionName, after previous: UInt64, upTo last: UInt64) throws -> [String]? {
        let tables = try tables(name).all
        guard try tables.allSatisfy({ try catalog.indexNames.contains($0.name + "_seqs") || isSmall($0) }) else { return nil }
        let rows = tables.map { "SELECT key, sequence FROM \($0.quotedName) WHERE sequence > ?1 AND sequence <= ?2" }
        let sql = rows.joined(separator: " UNION ALL ") + " ORDER BY 2 LIMIT \(RemovalLog.mostIDs + 1)"
        return try connection.withStatement(sql) { row in
            try row.bind(Int64(clamping: previous), 1)
            try row.bind(Int64(clamping: last), 2)
            var ids: [String] = []
            while try row.step() { if let id = row.string(0) { ids.append(id) } }
            return ids.count <= RemovalLog.mostIDs ? ids : nil
        }
    }

    /// Whether to look at all rows takes no longer than somebody who waits for changes would.
    private func isSmall(_ table: KeyTable) throws -> Bool {
        try connection.integer("SELECT 1 FROM \(table.quotedName) LIMIT 1 OFFSET 10000") == nil
    }

    /// The sequence of a document, live or deleted; nil if there is none.
    func sequence(of id: String, in name: CollectionName) throws -> UInt64? {
        guard let tables = catalog.collections[name] else { return nil }
        for table in tables.all {
            let sequence: Int64? = try connection.withStatement("SELECT sequence FROM \(table.quotedName) WHERE key=?") { row in
                try row.bind(id, 1)
                return try row.step() ? row.int64(0) : nil
            }
            if let sequence { return UInt64(bitPattern: sequence) }
        }
        return nil
    }
}
