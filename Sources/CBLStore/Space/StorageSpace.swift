import CBLSQLite

/// How the room that a bundle takes is divided among its tables, indexes and files. All parts together are the size of the bundle.
package struct StorageSpace: Sendable {
    /// A table or an index of SQLite's, with the table that it belongs to.
    struct Part: Sendable {
        let name: String
        let table: String
        var bytes: Int
    }

    package struct Index: Sendable {
        package let index: StoredIndex
        package internal(set) var bytes: Int
    }

    package struct Collection: Sendable {
        package let name: CollectionName
        /// The documents, live and deleted, and what finds them by ID, sequence and so on.
        package internal(set) var documentBytes = 0
        package internal(set) var indexes: [Index] = []
        package var bytes: Int { indexes.reduce(documentBytes) { $0 + $1.bytes } }
    }

    package internal(set) var collections: [Collection] = []
    /// Tables that belong to the database as a whole: the schema, shared keys, checkpoints and so on; and what belongs to nothing known.
    package internal(set) var otherBytes = 0
    package internal(set) var freeBytes = 0
    /// What the log holds besides pages that are counted already.
    package internal(set) var logBytes = 0
    package internal(set) var blobBytes = 0
    package internal(set) var blobCount = 0
    /// Other files in the bundle.
    package internal(set) var fileBytes = 0
    /// The pages in the log are not taken into account.
    package internal(set) var isEstimated = false

    /// The size of all files.
    package var bytes: Int {
        FileStatus.total([otherBytes, freeBytes, logBytes, blobBytes, fileBytes] + collections.map(\.bytes))
    }
}

extension Snapshot {
    // Files up to this size are read as a whole, which is exact. More takes too long for somebody who just looks.
    private static let quicklyRead = 64 << 20

    /// Finds out where the room goes. Of large files only the pointer maps are read; `readsAll` reads every page instead.
    package func storageSpace(readsAll: Bool = false) throws -> StorageSpace {
        var space = StorageSpace()
        let pageSize = Int(try connection.integer("PRAGMA page_size") ?? 4096)
        let pageCount = Int(try connection.integer("PRAGMA page_count") ?? 0)
        space.freeBytes = Int(try connection.integer("PRAGMA freelist_count") ?? 0) * pageSize
        var parts: [StorageSpace.Part]?
        if !readsAll, pageCount * pageSize > Snapshot.quicklyRead {
            parts = try partsByPointerMaps(pageSize: pageSize, pageCount: pageCount)
            if parts != nil { space.isEstimated = database.bundle.size(.log) > 0 }
        }
        try space.take(try parts ?? partsByReading(), self)
        // What is left are pages for SQLite's own use.
        let counted = space.bytes
        space.otherBytes += max(0, pageCount * pageSize - counted)
        try space.takeFiles(of: database, pageBytes: max(counted, pageCount * pageSize))
        return space
    }

    private func partsByReading() throws -> [StorageSpace.Part] {
        var parts: [StorageSpace.Part] = []
        let statement = try connection.prepare(
            """
            SELECT s.name, coalesce(m.tbl_name, s.name), s.size FROM (SELECT name, sum(pgsize) AS size FROM dbstat GROUP BY name) AS s \
            LEFT JOIN sqlite_master AS m ON m.name = s.name
            """)
        while try statement.step() {
            parts.append(
                StorageSpace.Part(name: statement.string(0) ?? "", table: statement.string(1) ?? "", bytes: Int(statement.int64(2))))
        }
        return parts
    }

    /// Nil if the file has no pointer maps, or they cannot be read.
    private func partsByPointerMaps(pageSize: Int, pageCount: Int) throws -> [StorageSpace.Part]? {
        guard try connection.integer("PRAGMA auto_vacuum") ?? 0 != 0,
            let header = try connection.readMainFile(count: 100, at: 0), header[20] < 64
        else { return nil }
        let usable = pageSize - Int(header[20])
        guard
            let owners = PageOwners(
                pageCount: pageCount, usableSize: usable,
                readMap: { try? connection.readMainFile(count: usable, at: ($0 - 1) * pageSize) })
        else { return nil }
        var parts: [StorageSpace.Part] = []
        let statement = try connection.prepare("SELECT name, tbl_name, rootpage FROM sqlite_master WHERE rootpage > 0")
        while try statement.step() {
            let pages = owners.pagesOfRoot[UInt32(truncatingIfNeeded: statement.int64(2))] ?? 0
            parts.append(StorageSpace.Part(name: statement.string(0) ?? "", table: statement.string(1) ?? "", bytes: pages * pageSize))
        }
        return parts
    }
}

extension StorageSpace {
    mutating func take(_ parts: [Part], _ snapshot: Snapshot) throws {
        let names = snapshot.collections()
        collections = names.map { Collection(name: $0) }
        var owners: [String: Int] = [:]
        for (place, name) in names.enumerated() {
            for table in try snapshot.tables(name).all { owners[table.name] = place }
        }
        if snapshot.generation.isVersion1 { for table in Version1Schema.documentTables { owners[table] = 0 } }
        let indexes = try snapshot.indexes()
        var homes: [Int?] = []
        for index in indexes {
            let home = names.firstIndex { $0 == index.collection }
            homes.append(home)
            if let home { collections[home].indexes.append(Index(index: index, bytes: 0)) }
        }
        for part in parts {
            if let number = indexes.firstIndex(where: { snapshot.isPart(part, of: $0) }), let home = homes[number],
                let place = collections[home].indexes.firstIndex(where: { $0.index.name == indexes[number].name })
            {
                collections[home].indexes[place].bytes += part.bytes
            } else if let home = owners[part.table] {
                collections[home].documentBytes += part.bytes
            } else {
                otherBytes += part.bytes
            }
        }
    }

    mutating func takeFiles(of database: Database, pageBytes: Int) throws {
        let bundle = database.bundle
        let (main, log) = (bundle.size(.main), bundle.size(.log))
        // Pages that are only in the log so far are counted as pages; and the file may have an end that is not in use any more.
        logBytes = max(0, log - max(0, pageBytes - main))
        otherBytes += max(0, main - pageBytes)
        let blobs = try database.blobs.totals()
        (blobCount, blobBytes) = (blobs.count, blobs.bytes)
        // What stands beside a file is somebody else's.
        guard !bundle.isLoneFile else { return }
        let all = try bundle.folder().size()
        fileBytes = max(0, all - FileStatus.total([main, log, blobBytes]))
    }
}

extension Snapshot {
    /// Whether a table or index is what an index consists of.
    fileprivate func isPart(_ part: StorageSpace.Part, of index: StoredIndex) -> Bool {
        if part.name == index.name, part.table != part.name { return true }
        guard let plain = index.tableName else { return false }
        switch index.kind {
        case .array: return unnestTable(plainName: plain) == part.table && !indexOwnsName(part.name, besides: index)
        case .predictive: return part.table == plain && !indexOwnsName(part.name, besides: index)
        case .fullText, .vector: return part.table.hasPrefix(plain + "_") || part.table == plain
        default: return part.table == plain
        }
    }

    /// Several array or predictive indexes share a table: what is an index of its own is not part of another.
    private func indexOwnsName(_ name: String, besides index: StoredIndex) -> Bool {
        guard let indexes = try? indexes() else { return false }
        return indexes.contains { $0.name == name && $0.name != index.name }
    }
}
