import CBLFleece
import CBLSQLite

/// Mends the rows of one collection.
struct RowRepair {
    private let transaction: Transaction
    private let tables: CollectionTables
    private let options: Database.RepairOptions
    private let advance: (Int) throws -> Void
    private let rules: RecordRules
    private var connection: Connection { transaction.connection }

    init(
        _ transaction: Transaction, _ tables: CollectionTables, _ options: Database.RepairOptions, _ advance: @escaping (Int) throws -> Void
    ) {
        self.transaction = transaction
        self.tables = tables
        self.options = options
        self.advance = advance
        rules = RecordRules(versioning: transaction.versioning, keys: transaction.sharedKeys)
    }

    /// What is to become of one row.
    private struct Change {
        let table: KeyTable
        let rowid: Int64
        let id: String
        var isDropped = false
        var columns: [(name: String, value: Value)] = []
        var getsSequence = false
        var target: KeyTable

        enum Value { case integer(Int64?), blob([UInt8]?) }
    }

    func run(_ summary: inout Database.RepairSummary) throws {
        var changes: [Change] = []
        var sequences: Set<Int64> = []
        var highest: Int64 = 0
        for table in tables.all {
            try StoredRow.forEach(of: table, on: connection) { row in
                try advance(1)
                var change = Change(table: table, rowid: row.rowid, id: row.id, target: table)
                try plan(row, &change)
                // Those who pulled could not have it before.
                if change.columns.contains(where: { $0.name == "version" }) { change.getsSequence = true }
                if row.hasSequence {
                    if !sequences.insert(row.sequence).inserted { change.getsSequence = true }
                    highest = max(highest, row.sequence)
                } else {
                    change.getsSequence = true
                }
                let isMoved = change.target.name != table.name
                if change.isDropped || change.getsSequence || isMoved || !change.columns.isEmpty { changes.append(change) }
            } gap: { _ in
            }
        }
        let last = try transaction.metadata(tables.live.keyStore).lastSequence
        if last < UInt64(highest) || last > DocumentRules.highestSequence {
            try transaction.setLastSequence(UInt64(highest), tables)
            summary.other += 1
        }
        for change in changes { try apply(change, &summary) }
        try resolveDuplicates(&summary)
    }

    private func plan(_ row: StoredRow, _ change: inout Change) throws {
        let check = RecordCheck(row.record, rules)
        let hasBadID = row.keyType != .text || row.key.withUnsafeBytes { DocumentRules.problem(withID: $0) != nil }
        if !check.isDecodable || hasBadID {
            change.isDropped = options.dropsDamaged
            // Of what cannot be decoded nothing else is changed either.
            if !check.isDecodable { return }
        }
        let table = change.table
        if row.isSwapped {
            change.columns.append(("extra", .blob(row.record.withColumns { $2.map(Array.init) })))
            change.columns.append(("expiration", .integer(row.record.expiration)))
        } else if table.hasExpiration, row.expirationType != .null, row.expirationType != .integer {
            change.columns.append(("expiration", .integer(nil)))
        }
        var flags = (check.expectedFlags ?? row.record.flags).union(row.record.flags.intersection(.synced))
        if check.problems.contains(where: { $0.kind == .revisions && $0.repair == .automatic }),
            let outcome = try rearranged(row.record)
        {
            change.columns.append(("version", .blob(outcome.version)))
            if let body = outcome.body { change.columns.append(("body", .blob(body.withBytes { Array($0) }))) }
            if table.hasExtra, let extra = outcome.extra {
                change.columns.removeAll { $0.name == "extra" }
                change.columns.append(("extra", .blob(extra)))
            }
            flags = outcome.flags.union(flags.intersection(.hasAttachments))
        }
        let subsequence = row.flags >= 0 && row.flags >> 16 <= Int64(Int32.max) ? row.flags >> 16 : 0
        let stored = Int64(flags.rawValue) | subsequence << 16
        if stored != row.flags { change.columns.append(("flags", .integer(stored))) }
        guard let deleted = tables.deleted else { return }
        let belongs = flags.contains(.deleted) ? deleted : tables.live
        if belongs.name == deleted.name && change.table.name == tables.live.name && transaction.mayHoldTombstones(tables) { return }
        change.target = belongs
    }

    /// The tree put into its order, with the columns that follow from it; nil if that would lose the current body.
    private func rearranged(_ record: Record) throws -> SaveOutcome? {
        guard !record.holdsVectors, var tree = try? record.tree() else { return nil }
        tree.sort()
        guard let current = tree.current, current.body != nil || current.isDeleted, (try? tree.checkInvariants()) != nil else { return nil }
        let form: RevisionTree.Form =
            !record.hasExtra ? .withBodies : transaction.generation.readsSeparators ? .current : .withoutSeparator
        return try tree.prepareSave(isNewRecord: false, depth: Int.max, form: form)
    }

    private func apply(_ change: Change, _ summary: inout Database.RepairSummary) throws {
        try advance(0)
        let table = change.table.quotedName
        if change.isDropped {
            try connection.execute("DELETE FROM \(table) WHERE rowid = \(change.rowid)")
            try transaction.countPurges(1, in: change.table.keyStore)
            summary.dropped.append(.init(collection: CollectionName(anyKeyStore: change.table.keyStore), id: change.id))
            return
        }
        summary.documents += 1
        var columns = change.columns
        if change.getsSequence { columns.append(("sequence", .integer(Int64(clamping: try transaction.nextSequence(tables))))) }
        if !columns.isEmpty {
            let assignments = columns.enumerated().map { "\($1.name)=?\($0 + 1)" }.joined(separator: ", ")
            try connection.withStatement("UPDATE \(table) SET \(assignments) WHERE rowid = ?\(columns.count + 1)") { statement in
                for (index, column) in columns.enumerated() {
                    switch column.value {
                    case .integer(let value): try statement.bind(value, Int32(index + 1))
                    case .blob(let value): try statement.bind(blob: value, Int32(index + 1))
                    }
                }
                try statement.bind(change.rowid, Int32(columns.count + 1))
                try statement.run()
            }
        }
        guard change.target.name != change.table.name else { return }
        try move(change)
    }

    /// Into the other table, unless there is a newer row of the same ID.
    private func move(_ change: Change) throws {
        let names = "key, sequence, flags, version, body, expiration, extra"
        let values =
            "key, sequence, flags, version, body, \(change.table.hasExpiration ? "expiration" : "NULL"), \(change.table.hasExtra ? "extra" : "NULL")"
        let (source, target) = (change.table.quotedName, change.target.quotedName)
        let isColumn = change.target.hasExpiration && change.target.hasExtra
        guard isColumn else { return }
        try connection.execute(
            """
            DELETE FROM \(target) WHERE key = (SELECT key FROM \(source) WHERE rowid = \(change.rowid)) \
            AND sequence < (SELECT sequence FROM \(source) WHERE rowid = \(change.rowid))
            """)
        let row = "FROM \(source) WHERE rowid = \(change.rowid)"
        try connection.execute("INSERT OR IGNORE INTO \(target) (\(names)) SELECT \(values) \(row)")
        try connection.execute("DELETE \(row)")
        try transaction.countPurges(1, in: change.table.keyStore)
    }

    /// Of a document that is both live and deleted, the older row goes.
    private func resolveDuplicates(_ summary: inout Database.RepairSummary) throws {
        guard let deleted = tables.deleted else { return }
        for (loser, winner, comparison) in [(tables.live, deleted, "<"), (deleted, tables.live, "<=")] {
            try connection.execute(
                """
                DELETE FROM \(loser.quotedName) WHERE EXISTS (SELECT 1 FROM \(winner.quotedName) AS w \
                WHERE w.key = \(loser.quotedName).key AND \(loser.quotedName).sequence \(comparison) w.sequence)
                """)
            let count = connection.changes
            try transaction.countPurges(count, in: loser.keyStore)
            summary.documents += count
        }
    }
}
