import Fleece
import FoundationEssentials
import Glibc
import SQLite

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
        var hasSequenceIndex: [StoreTable] = []
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
        connection.releaseStatements()
        try transaction.store.reloadSchema()
    }

    /// Runs a part in a savepoint of its own: what damage makes impossible does not undo the rest.
    private func attempt(_ part: () throws -> Void) throws {
        try connection.execute("SAVEPOINT repair")
        do {
            try part()
            try connection.execute("RELEASE repair")
        } catch let error as SQLiteError where error.isDamage || error.isConstraint || error.code == 1 {
            try connection.execute("ROLLBACK TO repair; RELEASE repair")
            summary.failures.append(error.message)
        }
    }

    private func reindex() throws {
        try attempt { try connection.execute("REINDEX") }
    }

    // Facts about the database itself

    private func repairInfo() throws {
        let info = transaction.store.store
        for key in [StoredInfo.Key.publicUUID, StoredInfo.Key.privateUUID] where try info.get(key)?.count != 16 {
            try info.set(key, UUID())
            summary.other += 1
        }
        if transaction.generation.separatesBodies, try info.get(StoredInfo.Key.versioning) == nil {
            try info.set(StoredInfo.Key.versioning, integer: UInt64(transaction.versioning.rawValue))
            summary.other += 1
        }
        try transaction.store.reloadInfo()
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
        for definition in try IndexCheck.definitions(transaction) {
            let isGone = catalog.stores[definition.keyStore] == nil
            let lacksTable = definition.kind != .value && definition.tableName.flatMap { IndexTable.realName($0, in: catalog) } == nil
            let lacksIndex = (definition.kind == .value || definition.kind == .array) && !catalog.indexNames.contains(definition.name)
            guard isGone || lacksTable || lacksIndex else { continue }
            // The app that needs the index makes it again when it asks for it.
            try connection.withStatement("DELETE FROM indexes WHERE name=?") { statement in
                try statement.bind(definition.name, 1)
                try statement.run()
            }
            if let table = definition.tableName { try dropTriggers(ofTable: table) }
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
        try transaction.store.reloadSchema()
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
    public struct RepairOptions: Sendable {
        /// Deletes documents that cannot be decoded.
        public var dropsDamaged = false
        public init(dropsDamaged: Bool = false) { self.dropsDamaged = dropsDamaged }
    }

    public struct RepairSummary: Hashable, Sendable {
        public var documents = 0
        /// IDs of documents that were deleted because nothing could be made of them.
        public var dropped: [String] = []
        public var indexes = 0
        public var leftovers = 0
        public var other = 0
        /// What did not work.
        public var failures: [String] = []
    }

    /// Mends what a check calls repairable. `advance` is called as `Checker`'s is.
    public func repair(_ options: RepairOptions = RepairOptions(), advance: @escaping (Int) throws -> Void = { _ in }) throws
        -> RepairSummary
    {
        try checkNoTransaction("a database cannot be mended")
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
        for name in try blobs.fileNames() where name.hasPrefix("incoming_") {
            let path = bundle.attachments + "/" + name
            // A young one may be being written.
            guard let status = FileStatus(path), status.modified < Int64(time(nil)) - Maintenance.youth else { continue }
            if unlink(path) == 0 { count += 1 }
        }
        for path in [bundle.path + "_TEMP", bundle.path + "/Attachments_temp"] {
            guard let status = FileStatus(path), status.modified < Int64(time(nil)) - Maintenance.youth else { continue }
            if (try? FileManager.default.removeItem(atPath: path)) != nil { count += 1 }
        }
        return count
    }

    /// Copies the database as it is, damage and identity included, to a bundle that must not exist. Blobs, which never change, are linked
    /// where the file system can.
    public func backUp(to path: String) throws {
        try checkNoTransaction("a database cannot be copied")
        let target = Bundle(path: path)
        guard FileStatus(target.path) == nil else {
            throw StoreError(.exists, "there is something of that name already", path: target.path)
        }
        guard mkdir(target.path, 0o700) == 0 else { throw FileCopy.failure("cannot create", target.path) }
        do {
            try readers.read { source in
                let copy = try Connection(path: target.databaseFile, mode: .create)
                try Database.backUp(source.connection, to: copy)
            }
            for (index, name) in try blobs.fileNames().filter({ BlobDigest(fileName: $0) != nil }).enumerated() {
                if index == 0, mkdir(target.attachments, 0o700) != 0 { throw FileCopy.failure("cannot create", target.attachments) }
                let (old, new) = (bundle.attachments + "/" + name, target.attachments + "/" + name)
                if link(old, new) != 0 { try FileCopy.copy(old, to: new) }
            }
        } catch {
            try? FileManager.default.removeItem(atPath: target.path)
            throw StoreError.translating(error, path: self.path)
        }
    }
}
