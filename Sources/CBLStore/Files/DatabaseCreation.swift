import CBLBase
import CBLSQLite
import Glibc

/// A new database of the newest generation.
///
/// All tables come in one transaction, so a creation that was interrupted leaves an empty file at most, which the next one takes over.
enum DatabaseCreation {
    /// Makes the directory and an empty main file, unless they are there.
    static func prepare(_ files: FileAccess) throws(StoreError) {
        let bundle = files.bundle
        guard bundle.size(.main) == 0 else { return }
        if mkdir(bundle.path, 0o700) != 0 && errno != EEXIST { throw NewBundle.cannotMakeDirectory(bundle.path) }
        if let status = FileStatus(following: bundle.path), status.kind != .folder { throw DatabaseBundle.isFile(bundle.path) }
        let folder = try bundle.folder()
        try makeMainFile(files, in: folder)
        guard files.durability != nil else { return }
        try folder.synchronize()
        try bundle.synchronizeName()
    }

    private static func makeMainFile(_ files: FileAccess, in folder: Folder) throws(StoreError) {
        guard folder.status(DatabaseBundle.Part.main.rawValue) == nil else { return }
        // A log of an interrupted creation does not count.
        guard try folder.names().allSatisfy({ $0.hasPrefix("db.sqlite3-") }) else {
            throw StoreError(.notADatabase, "there is something else of that name, which is not a database", path: files.bundle.path)
        }
        do { try files.makeMainFile(in: folder) } catch {
            // Another process makes it at the same time.
            if folder.status(DatabaseBundle.Part.main.rawValue) == nil { throw error }
        }
    }

    /// Makes tables and info, if the file is empty.
    static func createTables(on connection: Connection) throws {
        guard try isEmpty(connection) else { return }
        try connection.execute("BEGIN IMMEDIATE")
        do {
            // Another process may have been quicker.
            if try isEmpty(connection) {
                try connection.execute(Schema.kvmeta)
                try connection.execute("PRAGMA user_version=\(SchemaGeneration.newest.rawValue)")
                for keyStore in ["default", "del_default", "info"] {
                    let table = Schema.table(ofKeyStore: keyStore, in: .newest)
                    for sql in Schema.keyStore(table, isCollection: true, in: .newest) { try connection.execute(sql) }
                }
                let info = InfoTable(connection: connection, generation: .newest)
                try info.set(StoredInfo.Key.publicUUID, UniqueID())
                try info.set(StoredInfo.Key.privateUUID, UniqueID())
                try info.set(StoredInfo.Key.versioning, integer: UInt64(Versioning.trees.rawValue))
                try info.set(StoredInfo.Key.maxRowidWithDeleted, integer: 0)
            }
            connection.releaseStatements()
            try connection.execute("COMMIT")
        } catch {
            try? connection.execute("ROLLBACK")
            throw error
        }
    }

    private static func isEmpty(_ connection: Connection) throws -> Bool {
        try connection.integer("PRAGMA user_version") == 0 && connection.integer("SELECT 1 FROM sqlite_master LIMIT 1") == nil
    }
}
