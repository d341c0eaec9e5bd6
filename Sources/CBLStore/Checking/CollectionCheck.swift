import CBLSQLite

/// The tables of one collection: every row by itself, and what must be true of them together.
struct CollectionCheck {
    private let checker: Checker
    private let tables: CollectionTables
    private let rules: RecordRules

    init(_ checker: Checker, _ tables: CollectionTables) {
        self.checker = checker
        self.tables = tables
        rules = RecordRules(versioning: checker.snapshot.versioning, keys: checker.snapshot.sharedKeys)
    }

    func run() throws {
        // Where that cannot be read, the rows can be looked at all the same.
        let sequences = SequenceCensus(upTo: (try? lastSequence) ?? 0)
        for table in tables.all { try checkRows(of: table, sequences) }
        try check(sequences)
        guard let deleted = tables.deleted else { return }
        let both = "SELECT key FROM \(tables.live.quotedName) WHERE key IN (SELECT key FROM \(deleted.quotedName))"
        for key in try checker.connection.strings(both) {
            try found(.error, .placement, "it is both live and deleted", key, .automatic)
        }
    }

    private func found(
        _ severity: Finding.Severity, _ kind: Finding.Kind, _ message: String, _ document: String?, _ repair: Finding.Repair = .none
    ) throws {
        try checker.found(Finding(severity, kind, message, collection: tables.name, document: document, repair: repair))
    }

    // Rows

    private func checkRows(of table: KeyTable, _ sequences: SequenceCensus) throws {
        let isTwin = table.name == tables.deleted?.name
        let owner = checker.blobReferences.add(
            BlobReferenceList.Owner(collection: tables.name) { [connection = checker.connection] row in
                try StoredRow.key(ofRow: row, of: table, on: connection)
            })
        try StoredRow.forEach(of: table, on: checker.connection) { row in
            try checker.advance(1)
            if isTwin || row.flags & 1 != 0 { checker.summary.deleted += 1 } else { checker.summary.documents += 1 }
            if row.hasSequence { sequences.note(row.sequence) }
            try check(row, table, isTwin: isTwin, owner)
        } gap: { range in
            try unreadable(range, table)
        }
    }

    private func check(_ row: StoredRow, _ table: KeyTable, isTwin: Bool, _ owner: Int32) throws {
        let id = row.id
        if row.keyType != .text {
            try found(.error, .id, "its ID is no text", id, .dropping)
        } else if let problem = row.key.withUnsafeBytes({ DocumentRules.problem(withID: $0) }) {
            try found(.error, .id, "its ID is against the rules: \(problem)", id, .dropping)
        }
        if !row.hasSequence {
            let text = row.sequenceType == .null ? "it has no sequence" : "its sequence is \(row.sequence)"
            try found(.error, .sequence, text, id, .automatic)
        }
        if row.flags < 0 || row.flags >> 16 > Int64(Int32.max) {
            try found(.warning, .sequence, "its subsequence is out of range", id, .automatic)
        }
        if row.isSwapped {
            let message = "a migration swapped its revisions and its expiration, so that other programs cannot read it"
            try found(.error, .swapped, message, id, .automatic)
        } else if row.expirationType != .null && row.expirationType != .integer {
            try found(.warning, .expiration, "its expiration is no time", id, .automatic)
        }
        let isDeleted = row.flags & 1 != 0
        if tables.deleted != nil, isTwin != isDeleted, isTwin || !checker.snapshot.mayHoldTombstones(tables) {
            try found(
                .error, .placement, isTwin ? "it is live, but among the deleted" : "it is deleted, but among the living", id, .automatic)
        }
        let record = RecordCheck(row.record, rules)
        for problem in record.problems { try found(problem.severity, problem.kind, problem.message, id, problem.repair) }
        if !record.isDecodable { checker.undecodable.append((table, row.rowid)) }
        for blob in record.blobs {
            checker.blobReferences.add(blob.digest, length: blob.length, in: owner, row: row.rowid, document: id)
        }
    }

    /// Names the documents in a gap, as far as the index of IDs tells which they are.
    private func unreadable(_ range: ClosedRange<Int64>, _ table: KeyTable) throws {
        let names = (try? StoredRow.keys(in: range, of: table, on: checker.connection)) ?? []
        for name in names { try found(.error, .unreadable, "it cannot be read: its page is damaged", name, .salvage) }
        guard names.isEmpty else { return }
        let message =
            range.upperBound == Int64.max
            ? "the rows of \(table.name) from number \(range.lowerBound) on cannot be read"
            : "the rows \(range.lowerBound) to \(range.upperBound) of \(table.name) cannot be read"
        try found(.error, .unreadable, message, nil, .salvage)
    }

    // Sequences

    private var lastSequence: UInt64 { get throws { try checker.snapshot.metadata(tables.name.keyStore).lastSequence } }

    private func check(_ sequences: SequenceCensus) throws {
        let last = try lastSequence
        if last > DocumentRules.highestSequence {
            try checker.found(
                Finding(
                    .error, .counter, "the last sequence is said to be \(last), which leaves none for a change", collection: tables.name,
                    subject: tables.name.keyStore, repair: .automatic))
        } else if let highest = sequences.highest, highest > Int64(clamping: last) {
            try checker.found(
                Finding(
                    .error, .counter, "the last sequence is said to be \(last), but a document has \(highest)", collection: tables.name,
                    subject: tables.name.keyStore, repair: .automatic))
        }
        for one in sequences.repeated {
            let keys = try tables.all.flatMap { table in
                try checker.connection.strings("SELECT key FROM \(table.quotedName) NOT INDEXED WHERE sequence = \(one)")
            }
            let others = keys.dropFirst().joined(separator: "\", \"")
            try found(.error, .sequence, "it has the same sequence as \"\(others)\": \(one)", keys.first, .automatic)
        }
    }
}
