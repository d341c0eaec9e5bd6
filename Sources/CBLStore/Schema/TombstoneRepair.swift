import CBLSQLite

/// Mends what the vendor's migration damaged: it moved the tombstones of the default collection with `SELECT *` between tables whose last
/// two columns stood in different orders, so that revision trees lie in `expiration` and expirations in `extra`.
enum TombstoneRepair {
    /// Whether the columns stand so that it may have happened.
    static func isNeeded(_ file: FileConnection) -> Bool { file.catalog.collections[.default]?.deleted?.mayBeSwapped == true }

    static func run(on file: FileConnection) throws {
        guard isNeeded(file), let table = file.catalog.collections[.default]?.deleted else { return }
        try file.connection.execute(
            "UPDATE \(table.quotedName) SET extra=expiration, expiration=extra WHERE typeof(expiration)='blob'")
    }
}
