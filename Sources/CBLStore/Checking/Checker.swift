import CBLFleece
import CBLSQLite

/// Looks for everything that can be wrong with a database, and tells of each thing it finds. It changes nothing.
///
///     try database.read { snapshot in
///         let summary = try Checker(snapshot) { print($0.message) }.run()
///     }
package final class Checker {
    package struct Options: Sendable {
        /// Leaves out what takes long: the digests of blobs, and the words of full-text indexes.
        package var isQuick = false
        package init(isQuick: Bool = false) { self.isQuick = isQuick }
    }

    /// What was looked at, and how much was found.
    package struct Summary: Hashable, Sendable {
        package var collections = 0
        package var documents = 0
        package var deleted = 0
        package var indexes = 0
        package var blobs = 0
        package var notes = 0
        package var warnings = 0
        package var errors = 0
        /// Findings of more than a note that a repair would mend.
        package var repairable = 0
        /// Whether a part of the main file is missing: then nothing can be mended in place.
        package var isCutOff = false
        /// Notes that it would do away with.
        package var removable = 0
        /// What it would mend only by deleting documents.
        package var droppable = 0
        /// Whether the file has pages that nothing leads to, or will have them once what is foreign is taken out.
        package var hasLostPages = false
        package var problems: Int { warnings + errors }
    }

    let snapshot: Snapshot
    let options: Options
    private let report: (Finding) throws -> Void
    /// Called now and then, with the number of things done since the last call: to show progress, or to stop by throwing.
    let advance: (Int) throws -> Void
    var summary = Summary()
    /// The documents that refer to each blob.
    var blobReferences = BlobReferenceList()
    /// Whether the schema has something that nobody should run.
    private var hasForeignObjects = false
    /// Rows that cannot be decoded: a repair drops them, if told to.
    var undecodable: [(table: KeyTable, rowid: Int64)] = []

    package init(
        _ snapshot: Snapshot, options: Options = Options(), advance: @escaping (Int) throws -> Void = { _ in },
        report: @escaping (Finding) throws -> Void
    ) {
        self.snapshot = snapshot
        self.options = options
        self.advance = advance
        self.report = report
    }

    var connection: Connection { snapshot.connection }
    var catalog: Catalog { snapshot.catalog }
    private var generation: SchemaGeneration { catalog.generation }

    package func run() throws -> Summary {
        try snapshot.registerFunctions()
        try BundleCheck(snapshot.database.bundle, isVersion1: generation.isVersion1).run(found)
        if let version1 = snapshot.file.version1 { return try Version1Check(self, version1).run() }
        try survivingDamage("the schema") { try checkSchema() }
        try survivingDamage("the file's structure") { try checkFile() }
        try survivingDamage("kv_info") { try checkInfo() }
        try survivingDamage("kvmeta") { try checkCounters() }
        for name in snapshot.collections() {
            guard let tables = catalog.collections[name] else { continue }
            summary.collections += 1
            try survivingDamage(name.description, collection: name) { try CollectionCheck(self, tables).run() }
        }
        try checkRawStores()
        try survivingDamage("the indexes") { try IndexCheck(self).run() }
        try BlobCheck(self).run()
        return summary
    }

    func found(_ finding: Finding) throws {
        switch finding.severity {
        case .note: summary.notes += 1
        case .warning: summary.warnings += 1
        case .error: summary.errors += 1
        }
        switch finding.repair {
        case .automatic: if finding.severity == .note { summary.removable += 1 } else { summary.repairable += 1 }
        case .dropping: summary.droppable += 1
        case .none, .salvage: break
        }
        try report(finding)
    }

    /// A damaged page ends one part of the check, not the others.
    func survivingDamage(_ subject: String, collection: CollectionName? = nil, _ part: () throws -> Void) throws {
        // An error in SQL means that a table or a column is not called what it was.
        do { try part() } catch let error as SQLiteError where error.isDamage || error.code == 1 {
            try found(
                Finding(
                    .error, .file, "it cannot be read to its end: \(error.message)", collection: collection, subject: subject,
                    repair: .salvage))
        }
    }
}

extension Checker {
    /// What SQLite would run for whoever writes to the file.
    private func checkSchema() throws {
        for (keyStore, table) in snapshot.catalog.stores.sorted(by: { $0.key < $1.key })
        where (CollectionName.keyStoreWithout(deletedIn: keyStore) ?? keyStore).hasPrefix(".")
            && CollectionName(anyKeyStore: keyStore) == nil
        {
            try found(
                Finding(.note, .schema, "no collection can be called so: what is in it is there for nobody", subject: table.name))
        }
        if let other = snapshot.database.files.fileNamedByJournal {
            let message = "it names another file, \(other), which SQLite would delete"
            try found(Finding(.error, .schema, message, subject: "db.sqlite3-journal", repair: .automatic))
        }
        let foreign = try SchemaInspection(reading: connection).foreign
        let documents = Set(foreign.filter { $0.object.kind == .documents }.map(\.object.name))
        for foreign in foreign {
            let object = foreign.object
            let stays = object.kind == .documents || object.kind == .index && documents.contains(foreign.entry.table)
            hasForeignObjects = true
            summary.hasLostPages = true
            let isInert = object.kind == .table && !foreign.sharesPage
            let message = "no release of Couchbase Lite makes \(object)"
            let collection = Schema.keyStore(ofTable: object.table ?? object.name).flatMap { CollectionName(keyStore: $0) }
            try found(
                Finding(
                    isInert ? .warning : .error, .schema, message, collection: collection, subject: object.name,
                    repair: stays ? .salvage : .automatic))
        }
    }

    /// SQLite's own check, which also compares every index with its table.
    func checkFile() throws {
        let size = snapshot.database.bundle.size(.main)
        // What is missing may be in the log, and where the first page cannot be read it may be there as well.
        let first = snapshot.database.bundle.size(.log) == 0 ? try? connection.readMainFile(count: DatabaseHeader.count, at: 0) : nil
        if let first, let expected = DatabaseHeader(bytes: first, fileSize: size).expectedSize, size < expected {
            summary.isCutOff = true
            let message = "it is cut off: \(size) of \(expected) bytes are there"
            try found(Finding(.error, .file, message, subject: "db.sqlite3", repair: .salvage))
        } else if let pageSize = try connection.integer("PRAGMA page_size"), pageSize > 0, size % Int(pageSize) != 0 {
            try found(Finding(.error, .file, "it ends in the middle of a page", subject: "db.sqlite3", repair: .salvage))
        }
        // The check evaluates conditions and the expressions of indexes, whoever wrote them.
        guard !hasForeignObjects else { return }
        var messages: [String] = []
        if let damage = connection.toleratedDamage {
            try found(Finding(.error, .file, damage, subject: "the schema", repair: .salvage))
        }
        do {
            try connection.withStatement("PRAGMA integrity_check(500)") { row in
                while try row.step() {
                    messages += (row.string(0) ?? "").split(separator: "\n").map(String.init)
                    try advance(0)
                }
            }
        } catch let error as SQLiteError where error.isInterrupted || error.isBusy {
            throw error
        } catch let error as SQLiteError {
            // An index may need a function that is not there; damage can be such that not even this works.
            messages.append(error.message)
        }
        for message in messages where message != "ok" && !message.hasPrefix("*** in database") { try foundInFile(message) }
    }

    private func foundInFile(_ message: String) throws {
        if message.contains("no such function") || message.contains("unknown function") || message.contains("no such module") {
            return try found(Finding(.warning, .index, "an index needs what this program does not have: \(message)"))
        }
        if let index = Checker.index(in: message) {
            let owner = try connection.withStatement("SELECT tbl_name FROM sqlite_master WHERE type='index' AND name=?") { row in
                try row.bind(index, 1)
                return try row.step() ? row.string(0) : nil
            }
            let collection = owner.flatMap { Schema.keyStore(ofTable: $0) }.flatMap { CollectionName(keyStore: $0) }
            return try found(
                Finding(
                    .error, .index, "it disagrees with its table: \(message)", collection: collection, subject: index, repair: .automatic))
        }
        let isHarmless = message.hasPrefix("Freelist") || message.contains("is never used")
        if isHarmless { summary.hasLostPages = true }
        try found(
            Finding(isHarmless ? .warning : .error, .file, message, subject: "db.sqlite3", repair: isHarmless ? .automatic : .salvage))
    }

    /// The index that a message of SQLite's check is about.
    private static func index(in message: String) -> String? {
        for prefix in ["wrong # of entries in index ", "non-unique entry in index "] where message.hasPrefix(prefix) {
            return String(message.dropFirst(prefix.count))
        }
        for phrase in [" missing from index ", " values differ from index "] {
            if let range = message.firstRange(of: phrase) { return String(message[range.upperBound...]) }
        }
        return nil
    }

    private func checkInfo() throws {
        func body(_ key: String) throws -> [UInt8]? { try snapshot.file.infoTable.get(key) }
        for key in [StoredInfo.Key.publicUUID, StoredInfo.Key.privateUUID] {
            guard try body(key)?.count == 16 else {
                try found(Finding(.error, .info, "it is missing, or not 16 bytes long", subject: key, repair: .automatic))
                continue
            }
        }
        for key in [StoredInfo.Key.versioning, StoredInfo.Key.maxRevTreeDepth, StoredInfo.Key.maxRowidWithDeleted] {
            guard let stored = try body(key), stored.count != 8 else { continue }
            try found(Finding(.warning, .info, "it is \(stored.count) bytes long instead of 8", subject: key))
        }
        if try body(StoredInfo.Key.versioning) == nil, snapshot.generation.separatesBodies {
            try found(Finding(.warning, .info, "it is missing", subject: StoredInfo.Key.versioning, repair: .automatic))
        }
        for key in [StoredInfo.Key.sharedKeys, StoredInfo.Key.remotes] {
            guard let stored = try body(key) else { continue }
            do { try stored.withUnsafeBytes { try Validator.validate($0, options: .legacyPointers) } } catch {
                try found(Finding(.error, .info, "it is damaged: \(error)", subject: key))
            }
        }
    }

    private func checkCounters() throws {
        let purges = snapshot.generation.countsPurges ? "purgeCnt" : "0"
        try connection.withStatement("SELECT name, typeof(lastSeq), lastSeq, typeof(\(purges)), \(purges) FROM kvmeta") { row in
            while try row.step() {
                let name = row.string(0) ?? "NULL"
                func check(_ column: Int32, _ title: String) throws {
                    if row.string(column) != "integer" || row.int64(column + 1) < 0 {
                        let text = row.string(column + 1) ?? "NULL"
                        try found(Finding(.error, .counter, "its \(title) is \(text)", subject: name, repair: .automatic))
                    }
                }
                try check(1, "last sequence")
                try check(3, "count of purges")
            }
        }
    }

    private func checkRawStores() throws {
        for name in snapshot.rawStores() + ["info"] {
            guard let table = catalog.stores[name] else { continue }
            let walker = RowWalker(connection: connection, table: table.quotedName, columns: "key, version, body")
            try walker.forEach { _ in
            } gap: { range in
                try found(
                    Finding(
                        .error, .unreadable, "rows \(range.lowerBound) to \(range.upperBound) cannot be read", subject: name,
                        repair: .salvage))
            }
        }
    }
}
