import CBLSQLite
import Glibc

/// Carries what can be read of a damaged database into a new one of the same generation and identity; of one of 1.x, into one of the newest.
///
/// It works on a private copy of the file and takes nothing for granted: tables are walked row by row past damaged pages, columns are known
/// by their place, and indexes are made anew from their texts.
package final class Salvage {
    package struct Summary: Hashable, Sendable {
        package var documents = 0
        package var deleted = 0
        package var blobs = 0
        package var indexes = 0
        /// What is known to be lost, one for each finding that was reported.
        package var lost = 0
    }

    let source: FileAccess
    private let target: DatabaseBundle
    private let options: Database.RepairOptions
    let advance: (Int) throws -> Void
    private let report: (Finding) throws -> Void
    var summary = Summary()

    package init(
        from source: String, to target: String, key: EncryptionKey? = nil, options: Database.RepairOptions = .init(),
        advance: @escaping (Int) throws -> Void = { _ in }, report: @escaping (Finding) throws -> Void
    ) {
        self.source = FileAccess(DatabaseBundle(path: source), key: key)
        self.target = DatabaseBundle(path: target)
        self.options = options
        self.advance = advance
        self.report = report
    }

    /// Makes the new database. It appears under its name when everything is in it.
    package func run() throws -> Summary {
        try source.bundle.checkExistence()
        // Other complaints of the header are what a salvage is for.
        do throws(StoreError) { try source.check() } catch {
            if [.needsKey, .wrongKey].contains(error.code), !source.hasMendableHeader, !source.isPlainBehindHeader { throw error }
        }
        do {
            return try NewBundle.make(at: target.path) { unfinished in
                let hasForeignLog = source.hasForeignLog
                let copy = try TemporaryCopy(of: source, leavesOutLog: hasForeignLog)
                if hasForeignLog {
                    try lost(.bundle, "its write-ahead log cannot be read, and is left out: what was committed last is not there")
                }
                try reportForeignParts()
                try SalvagedHeader.mend(copy.files, original: source.bundle)
                let old = try copy.files.connect()
                old.heedInterrupts()
                // Entries of the schema that cannot be understood are passed over.
                try old.execute("PRAGMA writable_schema=ON")
                let entries = try schema(of: old)
                if Version1Salvage.isMeant(by: entries) {
                    try carryVersion1(entries, old, to: unfinished)
                    return summary
                }
                try carry(entries, old, to: source.rewritten(to: unfinished, key: source.key))
                try carryBlobs(to: unfinished)
                // Flags, counters, and the tables of full-text and array indexes, which are still empty.
                var settings = Database.Options.readWrite
                settings.key = source.key
                let database = try Database(path: unfinished.path, options: settings)
                defer { database.close() }
                let repair = try database.repair(options, advance: advance)
                for document in repair.dropped {
                    try lost(.body, "it could not be decoded", collection: document.collection, document: document.id)
                }
                if !repair.dropped.isEmpty {
                    let left = try database.read { snapshot in try snapshot.collections().map { try snapshot.counts(of: $0) } }
                    summary.documents = left.reduce(0) { $0 + $1.live }
                    summary.deleted = left.reduce(0) { $0 + $1.deleted }
                }
                summary.indexes += repair.indexes
                return summary
            }
        } catch {
            throw StoreError.translating(error, path: source.bundle.path)
        }
    }

    private func reportForeignParts() throws {
        for part in source.bundle.foreignParts { try lost(.bundle, "\(part), and is left out") }
    }

    func lost(
        _ kind: Finding.Kind, _ message: String, collection: CollectionName? = nil, document: String? = nil, subject: String? = nil
    )
        throws
    {
        summary.lost += 1
        try report(Finding(.error, kind, message, collection: collection, document: document, subject: subject))
    }

    private func carry(_ entries: [SchemaEntry], _ old: Connection, to unfinished: FileAccess) throws {
        let schema = SchemaInspection(entries)
        let generation = try self.generation(of: old, entries)
        let new = try unfinished.connect()
        new.heedInterrupts()
        _ = try FileConnection.registerFunctions(on: new, blobs: BlobFolder(unfinished.opened(.readOnly)))
        try new.execute(script: "PRAGMA auto_vacuum=incremental; PRAGMA journal_mode=WAL; BEGIN")
        try new.execute(
            generation.countsPurges ? Schema.kvmeta : "CREATE TABLE kvmeta (name TEXT PRIMARY KEY, lastSeq INTEGER DEFAULT 0) WITHOUT ROWID"
        )
        try new.execute("PRAGMA user_version=\(generation.rawValue)")
        try carryCounters(old, new, generation)
        for (name, keyStore) in stores(entries, generation) { try carryStore(name, keyStore, entries, old, new, generation) }
        try ensureVersioning(new, generation)
        try carryIndexes(schema, old, new)
        try new.execute("COMMIT")
        new.releaseStatements()
    }

    private func schema(of old: Connection) throws -> [SchemaEntry] {
        var entries: [SchemaEntry] = []
        try RowWalker(connection: old, table: "sqlite_master", columns: "type, name, tbl_name, rootpage, sql").forEach { row in
            guard let type = row.string(1), let name = row.string(2) else { return }
            entries.append(
                SchemaEntry(
                    rowid: row.int64(0), type: type, name: name, table: row.string(3) ?? "", rootPage: row.int64(4), sql: row.string(5)))
        } gap: { _ in
            try lost(.file, "a part of the schema cannot be read: tables may be missing", subject: "sqlite_master")
        }
        guard Version1Salvage.isMeant(by: entries) || entries.contains(where: { $0.type == "table" && $0.name.hasPrefix("kv_") }) else {
            throw StoreError(.corrupt, "nothing can be salvaged: its list of tables cannot be read, or it is no Couchbase Lite database")
        }
        return entries
    }

    /// The generation that the file says, or that its tables speak for if it says none that exists.
    private func generation(of old: Connection, _ entries: [SchemaEntry]) throws -> SchemaGeneration {
        let stored = SchemaGeneration(rawValue: Int(try old.integer("PRAGMA user_version") ?? 0))
        let sql = entries.first { $0.name == "kv_default" }?.sql ?? ""
        let hasTwins = entries.contains { $0.name.hasPrefix("kv_del_") }
        let likely = hasTwins ? 503 : sql.contains(" extra BLOB") ? 400 : 302
        let isPossible = stored >= .oldest && stored <= .newest && (stored.hasCollections == hasTwins)
        return isPossible ? stored : SchemaGeneration(rawValue: likely)
    }

    private func stores(_ entries: [SchemaEntry], _ generation: SchemaGeneration) -> [(name: String, keyStore: String)] {
        var names: [String] = []
        for entry in entries where !names.contains(entry.name) && (entry.sql ?? "").hasPrefix("CREATE TABLE") { names.append(entry.name) }
        for keyStore in ["default", "info"] + (generation.hasCollections ? ["del_default"] : []) {
            let table = Schema.table(ofKeyStore: keyStore, in: generation)
            if !names.contains(table) { names.append(table) }
        }
        for name in names where generation.hasCollections {
            guard let collection = Schema.keyStore(ofTable: name).flatMap(CollectionName.init(keyStore:)) else { continue }
            let twin = Schema.table(ofKeyStore: collection.keyStoreOfDeleted, in: generation)
            if !names.contains(twin) { names.append(twin) }
        }
        return names.compactMap { name in Schema.keyStore(ofTable: name).map { (name, $0) } }
    }

    private func carryStore(
        _ name: String, _ keyStore: String, _ entries: [SchemaEntry], _ old: Connection, _ new: Connection, _ generation: SchemaGeneration
    ) throws {
        let isTwin = CollectionName.keyStoreWithout(deletedIn: keyStore) != nil
        let collection = CollectionName(anyKeyStore: keyStore)
        for sql in Schema.keyStore(name, isCollection: collection != nil, in: generation) { try new.execute(sql) }
        // Releases before 3.1 gave a table this column when its first document was to expire.
        let hasExpiration = generation.expiresEverywhere || (generation.hasCollections && collection != nil)
        if !hasExpiration { for sql in Schema.addExpiration(name) { try new.execute(sql) } }
        guard let entry = entries.first(where: { $0.name == name }) else {
            if !isTwin { try lost(.file, "the table \(name) is not in the schema any more", collection: collection, subject: name) }
            return
        }
        // Columns by name, for others may be computed. Where the text is damaged, SQLite cannot read the table either.
        guard case .keyStore(let columns)? = SchemaTable(name: name, sql: entry.sql ?? "") else {
            return try lost(.schema, "the table \(name) is not as Couchbase Lite makes it", collection: collection, subject: name)
        }
        let extra = generation.separatesBodies ? ", extra" : ""
        let insert = try new.prepare(
            "INSERT OR IGNORE INTO \(quoted(identifier: name)) (key, sequence, flags, version, body, expiration\(extra)) VALUES (?1, ?2, ?3, ?4, ?5, ?6\(extra.isEmpty ? "" : ", ?7"))"
        )
        let table = KeyTable(keyStore: keyStore, name: name, sql: "", columns: columns)
        let others = (columns.hasExpiration ? ", expiration" : "") + (columns.hasExtra ? ", extra" : "")
        do {
            let walker = RowWalker(
                connection: old, table: table.quotedName, columns: "key, sequence, flags, version, body" + others)
            try walker.forEach { row in
                try advance(1)
                try carryRow(row, insert, new, collection, hasExtra: !extra.isEmpty)
            } gap: { range in
                let names = (try? StoredRow.keys(in: range, of: table, on: old)) ?? []
                for name in names { try lost(.unreadable, "it cannot be read", collection: collection, document: name) }
                if names.isEmpty { try lost(.unreadable, "some rows cannot be read", collection: collection, subject: name) }
            }
        } catch let error as SQLiteError where error.code == 1 {
            try lost(.file, "the table \(name) cannot be read: \(error.message)", collection: collection, subject: name)
        }
        if collection != nil, !isTwin { try countSequences(name, keyStore, new) }
    }

    /// Of the columns behind the first five, the revisions are bytes, and the expiration is a number: a migration swapped them.
    private func carryRow(_ row: Statement, _ insert: Statement, _ new: Connection, _ collection: CollectionName?, hasExtra: Bool) throws {
        guard row.columnCount >= 6, row.kind(1) == .text, let key = row.text(1) else {
            return try lost(.id, "a row has no ID (number \(row.int64(0)))", collection: collection)
        }
        insert.reset()
        insert.clearBindings()
        try insert.bind(text: key, 1)
        if row.kind(2) == .integer { try insert.bind(row.int64(2), 2) }
        try insert.bind(row.int64(3), 3)
        try insert.bind(blob: row.blob(4), 4)
        try insert.bind(blob: row.blob(5), 5)
        for column in 6..<max(6, row.columnCount) {
            if row.kind(column) == .integer { try insert.bind(row.int64(column), 6) }
            if row.kind(column) == .blob, hasExtra { try insert.bind(blob: row.blob(column), 7) }
        }
        try insert.run()
        let id = String(decoding: key, as: UTF8.self)
        guard new.changes > 0 else { return try lost(.placement, "there was a second row of it", collection: collection, document: id) }
        guard collection != nil else { return }
        if row.int64(3) & 1 != 0 { summary.deleted += 1 } else { summary.documents += 1 }
    }

    private func carryCounters(_ old: Connection, _ new: Connection, _ generation: SchemaGeneration) throws {
        let columns = generation.countsPurges ? "name, lastSeq, purgeCnt" : "name, lastSeq"
        let insert = try new.prepare("INSERT OR IGNORE INTO kvmeta (\(columns)) VALUES (\(generation.countsPurges ? "?, ?, ?" : "?, ?"))")
        do {
            let rows = try old.prepare("SELECT \(columns) FROM kvmeta")
            while try rows.step() {
                guard rows.kind(0) == .text, let name = rows.string(0) else { continue }
                insert.reset()
                try insert.bind(name, 1)
                for column in 1..<rows.columnCount { try insert.bind(max(0, rows.int64(column)), column + 1) }
                try insert.run()
            }
        } catch {
            guard error.isDamage || error.code == 1 else { throw error }
            try lost(.counter, "the counters cannot be read; sequences go on from the highest that is there", subject: "kvmeta")
        }
    }

    private func countSequences(_ table: String, _ keyStore: String, _ new: Connection) throws {
        let highest = try new.integer("SELECT max(sequence) FROM \(quoted(identifier: table))") ?? 0
        guard highest > 0 else { return }
        try new.withStatement(
            "INSERT INTO kvmeta (name, lastSeq) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET lastSeq = max(lastSeq, excluded.lastSeq)"
        ) { statement in
            try statement.bind(keyStore, 1)
            try statement.bind(highest, 2)
            try statement.run()
        }
    }

    private func ensureVersioning(_ new: Connection, _ generation: SchemaGeneration) throws {
        let info = InfoTable(connection: new, generation: generation)
        let stored = try info.get(StoredInfo.Key.versioning)?.withUnsafeBytes { $0.bigEndian } ?? nil
        if stored.flatMap({ Versioning(rawValue: Int(truncatingIfNeeded: $0)) }) == nil {
            let hasVectors = try new.integer("SELECT 1 FROM kv_default WHERE substr(version, 1, 1) = x'00' LIMIT 1") != nil
            let versioning: Versioning = hasVectors ? .vectors : generation.separatesBodies ? .trees : .treesInBody
            try info.set(StoredInfo.Key.versioning, integer: UInt64(versioning.rawValue))
        }
        if try info.get(StoredInfo.Key.sharedKeys) == nil {
            try lost(
                .info, "the table of shared keys is not there: if it was, properties have lost their names",
                subject: StoredInfo.Key.sharedKeys)
        }
    }

    private func carryIndexes(_ schema: SchemaInspection, _ old: Connection, _ new: Connection) throws {
        for foreign in schema.foreign where foreign.object.kind != .documents {
            try lost(.schema, "it is left out: no release of Couchbase Lite makes \(foreign.object)", subject: foreign.object.name)
        }
        for object in schema.known {
            guard case .table(.registry) = object.kind else { continue }
            try attempt(object, new)
            try? carryRegistry(old, new)
        }
        for object in schema.known {
            switch object.kind {
            case .table(.fullText), .table(.items): try attempt(object, new)
            default: continue
            }
        }
        let known = try leavingOutPredictions(schema, new)
        for object in known
        where object.kind == .index(ofKeyStore: false)
            || (object.kind == .index(ofKeyStore: true) && !object.entry.name.hasSuffix("_expiration"))
        {
            if try attempt(object, new) { summary.indexes += 1 }
        }
        for object in known where object.kind == .trigger { try attempt(object, new) }
    }

    /// What is left of a schema without predictive indexes: there is no model to fill them anew.
    private func leavingOutPredictions(_ schema: SchemaInspection, _ new: Connection) throws -> [SchemaInspection.Known] {
        var known = schema.known
        for table in schema.known {
            guard case .table(.predictions) = table.kind else { continue }
            let name = table.entry.name
            try lost(.index, "what a predictive index keeps is left out: whoever has the model can make the index again", subject: name)
            known.removeAll { $0.entry.table == name || $0.entry.name.utf8.starts(with: "\(name)::".utf8) }
            try? new.withStatement("DELETE FROM indexes WHERE indexTableName=?") { statement in
                try statement.bind(name, 1)
                try statement.run()
            }
        }
        return known
    }

    private func carryRegistry(_ old: Connection, _ new: Connection) throws {
        try old.withStatement("SELECT * FROM indexes") { rows in
            let places = (0..<rows.columnCount).map { _ in "?" }.joined(separator: ", ")
            let insert = try new.prepare("INSERT OR IGNORE INTO indexes VALUES (\(places))")
            while try rows.step() {
                insert.reset()
                for column in 0..<rows.columnCount {
                    if rows.kind(column) == .integer {
                        try insert.bind(rows.int64(column), column + 1)
                    } else {
                        try insert.bind(rows.string(column), column + 1)
                    }
                }
                try insert.run()
            }
        }
    }

    /// Makes something anew by its text, which is one of those that releases write.
    @discardableResult
    private func attempt(_ object: SchemaInspection.Known, _ new: Connection) throws -> Bool {
        try new.execute("SAVEPOINT salvage")
        do {
            try new.execute(object.sql)
            try new.execute("RELEASE salvage")
            return true
        } catch {
            try new.execute(script: "ROLLBACK TO salvage; RELEASE salvage")
            try lost(.index, "it cannot be made again: \(error.message)", subject: object.entry.name)
            return false
        }
    }

    /// Blobs go along as they are, damaged ones too, which the check of the new database names: a file of the bundle that is no link is the
    /// sender's own. What is no file is left behind.
    private func carryBlobs(to unfinished: DatabaseBundle) throws {
        let opened: Folder?
        do { opened = try source.bundle.attachments() } catch { if error.code == .corrupt { return } else { throw error } }
        guard let folder = opened else { return }
        let digests = try folder.digests()
        guard !digests.isEmpty else { return }
        let target = try unfinished.folder().makeFolder(DatabaseBundle.attachmentsName)
        for digest in digests {
            let name = digest.fileName
            try advance(0)
            do {
                guard let blob = try source.openBlob(name, in: folder) else { continue }
                try source.copy(blob, into: target, as: name) { try advance(0) }
                summary.blobs += 1
            } catch let error as StoreError where error.code == .corrupt {
                try lost(.blob, "it is not carried along: \(error.message)", subject: digest.description)
            }
        }
    }
}

/// The first bytes of the main file, without which SQLite does not even look at the rest.
enum SalvagedHeader {
    /// Puts right in the copy what can have only one value.
    static func mend(_ copy: FileAccess, original: DatabaseBundle) throws(StoreError) {
        // Each page of such a file proves itself, the first one as well.
        if copy.secret.isOfVersion1 { return }
        let isPlain = copy.isPlainBehindHeader
        let reserved = copy.likelyReservedSize
        try copy.changeHeader { (file) throws(StoreError) in
            guard file.isWhole else {
                throw StoreError(.corrupt, "nothing can be salvaged: the file is only \(file.bytes.count) bytes long", path: original.path)
            }
            var header = file.bytes
            // An encrypted file, or one that is something else, has hardly any of these bytes.
            let isKnown = copy.secret.found != nil || zip(header, DatabaseHeader.magic).count(where: { $0 == $1 }) >= 8
            guard isKnown || isPlain else {
                throw StoreError(
                    .notADatabase,
                    "nothing can be salvaged: db.sqlite3 is no SQLite file, or it is encrypted, or its first page is damaged",
                    path: original.path)
            }
            // If the bytes behind the first ones are damaged as well, nothing in them counts.
            if isPlain, !file.hasUsualFractions {
                header.replaceSubrange(16..<DatabaseHeader.count, with: [UInt8](repeating: 0, count: DatabaseHeader.count - 16))
                header[20] = reserved
            }
            header.replaceSubrange(0..<16, with: DatabaseHeader.magic)
            let pageSize = Int(header[16]) << 8 | Int(header[17])
            if pageSize != 1 && (pageSize < 512 || pageSize & (pageSize - 1) != 0) { (header[16], header[17]) = (0x10, 0) }
            for place in [18, 19] where header[place] != 1 && header[place] != 2 { header[place] = 2 }
            if let cipher = copy.secret.found?.cipher as? CouchbaseCipher {
                let size = cipher.pageSize == 65536 ? 1 : cipher.pageSize
                (header[16], header[17], header[20]) = (UInt8(size >> 8), UInt8(size & 0xFF), UInt8(cipher.reservedSize))
            }
            header.replaceSubrange(21..<24, with: [64, 32, 32])
            if header[44..<47] != [0, 0, 0] || !(1...4).contains(header[47]) { header.replaceSubrange(44..<48, with: [0, 0, 0, 4]) }
            header.replaceSubrange(56..<60, with: [0, 0, 0, 1])
            // With another "version valid for" SQLite takes the number of pages from the length of the file.
            header[92] ^= 0xFF
            return DatabaseHeader(bytes: header, fileSize: file.fileSize)
        }
    }
}
