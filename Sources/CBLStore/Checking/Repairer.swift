import CBLBase
import CBLFleece
import CBLSQLite
import Glibc

/// Mends what a check calls repairable, inside one transaction. What is undecodable stays, unless it is to be dropped.
final class Repairer {
    let transaction: Transaction
    let options: Database.RepairOptions
    let advance: (Int) throws -> Void
    private(set) var summary = Database.RepairSummary()
    private var connection: Connection { transaction.connection }

    init(_ transaction: Transaction, _ options: Database.RepairOptions, _ advance: @escaping (Int) throws -> Void) {
        self.transaction = transaction
        self.options = options
        self.advance = advance
    }

    func run() throws {
        connection.releaseStatements()
        try repairInfo()
        try dropForgottenIndexes()
        let tables = try IndexTable.all(in: transaction)
        // Triggers would carry every change of a row into tables that may be what is damaged; they come back with the tables.
        for table in tables { try dropTriggers(of: table) }
        // Rows are found through these two, so they come first. The index of sequences may forbid what is in the table.
        var hasSequenceIndex: [KeyTable] = []
        for collection in transaction.catalog.collections.values {
            for table in collection.all where transaction.catalog.indexNames.contains(table.name + "_seqs") {
                hasSequenceIndex.append(table)
                try connection.execute("DROP INDEX \(quoted(identifier: table.name + "_seqs"))")
            }
        }
        try reindex()
        for name in transaction.collections() {
            guard let tables = transaction.catalog.collections[name] else { continue }
            try RowRepair(transaction, tables, options, advance).run(&summary)
        }
        for table in hasSequenceIndex { try connection.execute(Schema.sequenceIndex(table.name)) }
        for table in tables { try rebuildIfWrong(table) }
        try repairCounters()
        summary.indexes += try transaction.repairVectorIndexes()
        connection.releaseStatements()
        try transaction.file.reloadSchema()
    }

    /// Runs a part in a savepoint of its own: what damage makes impossible does not undo the rest.
    private func attempt(_ part: () throws -> Void) throws {
        try connection.execute("SAVEPOINT repair")
        do {
            try part()
            try connection.execute("RELEASE repair")
        } catch let error as SQLiteError where error.isDamage || error.isConstraint || error.code == 1 {
            try connection.execute(script: "ROLLBACK TO repair; RELEASE repair")
            summary.failures.append(error.message)
        }
    }

    private func reindex() throws {
        try attempt { try transaction.file.makeIndexes("REINDEX") }
    }

    // Facts about the database itself

    private func repairInfo() throws {
        let info = transaction.file.infoTable
        for key in [StoredInfo.Key.publicUUID, StoredInfo.Key.privateUUID] where try info.get(key)?.count != 16 {
            try info.set(key, UniqueID())
            summary.other += 1
        }
        if transaction.generation.separatesBodies, try info.get(StoredInfo.Key.versioning) == nil {
            try info.set(StoredInfo.Key.versioning, integer: UInt64(transaction.versioning.rawValue))
            summary.other += 1
        }
        try transaction.file.reloadInfo()
    }

    private func repairCounters() throws {
        let columns = transaction.generation.countsPurges ? ["lastSeq", "purgeCnt"] : ["lastSeq"]
        for column in columns {
            try connection.execute(
                "UPDATE kvmeta SET \(column) = max(0, cast(\(column) AS INTEGER)) WHERE typeof(\(column)) != 'integer' OR \(column) < 0")
            try connection.execute("UPDATE kvmeta SET \(column) = 0 WHERE \(column) IS NULL")
            summary.other += connection.changes
        }
    }

    // Indexes

    private func dropForgottenIndexes() throws {
        let catalog = transaction.catalog
        guard catalog.hasIndexTable else { return }
        let definitions = try IndexCheck.definitions(transaction)
        let forgotten = try definitions.filter { definition in
            let isGone = catalog.stores[definition.keyStore] == nil
            let lacksTable = definition.kind != .value && definition.tableName.flatMap { IndexTable.realName($0, in: catalog) } == nil
            let lacksIndex = definition.needsSQLIndex && !catalog.indexNames.contains(definition.name)
            return try isGone || lacksTable || lacksIndex || isUnclear(definition)
        }
        // Others may share its table.
        let needed = Set(definitions.filter { !forgotten.contains($0) }.compactMap(\.tableName))
        for definition in forgotten {
            // The app that needs the index makes it again when it asks for it.
            try connection.withStatement("DELETE FROM indexes WHERE name=?") { statement in
                try statement.bind(definition.name, 1)
                try statement.run()
            }
            if let table = definition.tableName, !needed.contains(table) { try dropTriggers(ofTable: table) }
            summary.indexes += 1
        }
        connection.releaseStatements()
        for name in try IndexCheck.forgottenTables(transaction) {
            try attempt {
                try dropTriggers(ofTable: name)
                try connection.execute("DROP TABLE \(quoted(identifier: name))")
            }
            summary.indexes += 1
        }
        connection.releaseStatements()
        try transaction.file.reloadSchema()
    }

    /// Whether nothing says any more what a predictive index asks its model.
    private func isUnclear(_ definition: StoredIndex) throws -> Bool {
        guard definition.kind == .predictive, let table = definition.tableName else { return false }
        return try IndexTable.predictiveCall(ofTable: table, on: connection) == nil
    }

    private func dropTriggers(of table: IndexTable) throws { try dropTriggers(ofTable: table.name) }

    private func dropTriggers(ofTable table: String) throws {
        for name in try IndexTable.triggers(of: table, on: connection).keys {
            connection.releaseStatements()
            try connection.execute("DROP TRIGGER \(quoted(identifier: "\(table)::\(name)"))")
        }
    }

    private func rebuildIfWrong(_ table: IndexTable) throws {
        try advance(0)
        connection.releaseStatements()
        let isRight = (try? IndexCheck.isRight(table, connection)) ?? false
        if !isRight {
            summary.indexes += 1
            try attempt { try connection.writingShadowTables { for sql in table.rebuilding { try connection.execute(sql) } } }
        }
        for trigger in table.triggers { try connection.execute(trigger.sql) }
    }
}

extension Database {
    package struct RepairOptions: Sendable {
        /// Deletes documents that cannot be decoded.
        package var dropsDamaged = false
        /// Writes the file anew, without the pages that nothing leads to.
        package var reclaimsLostPages = false
        package init(dropsDamaged: Bool = false, reclaimsLostPages: Bool = false) {
            self.dropsDamaged = dropsDamaged
            self.reclaimsLostPages = reclaimsLostPages
        }
    }

    package struct RepairSummary: Hashable, Sendable {
        package var documents = 0
        package struct Dropped: Hashable, Sendable {
            package let collection: CollectionName?
            package let id: String
        }
        /// Documents that were deleted because nothing could be made of them.
        package var dropped: [Dropped] = []
        package var indexes = 0
        package var leftovers = 0
        package var other = 0
        /// What did not work.
        package var failures: [String] = []
    }

    /// Mends what a check calls repairable. `advance` is called as `Checker`'s is.
    package func repair(_ options: RepairOptions = RepairOptions(), advance: @escaping (Int) throws -> Void = { _ in }) throws
        -> RepairSummary
    {
        try checkNoTransaction("a database cannot be mended")
        // It may number rows anew, by which indexes find them, so it comes before these are compared with their tables.
        if options.reclaimsLostPages, let writer { try writer.exclusively { try SchemaCleaning.reclaimPages($0.connection) } }
        var summary = try write { transaction in
            transaction.connection.heedInterrupts()
            defer { transaction.connection.heedInterrupts(false) }
            let repairer = Repairer(transaction, options, advance)
            try repairer.run()
            return repairer.summary
        }
        summary.leftovers = try removeLeftovers()
        return summary
    }

    private func removeLeftovers() throws -> Int {
        var count = 0
        // A young one may be being written.
        let latest = Int64(time(nil)) - UnusedBlobs.sparedTime
        if let folder = try blobs.folder() {
            for name in try folder.listing().filter({ $0.hasPrefix(BlobFolder.unfinishedPrefix) }) {
                guard let status = folder.status(name), status.kind == .file, status.modified < latest, folder.remove(name) else {
                    continue
                }
                count += 1
            }
        }
        for leftover in Leftover.all(of: bundle) where leftover.isAbandoned || leftover.status.modified < latest {
            if leftover.remove() { count += 1 }
        }
        return count
    }
}
