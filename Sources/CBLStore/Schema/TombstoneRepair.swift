import CBLSQLite

/// Mends what the vendor's migration damaged: it moved the tombstones of the default collection with `SELECT *` between tables whose last
/// two columns stood in different orders, so that revision trees lie in `expiration` and expirations in `extra`.
enum TombstoneRepair {
    static func run(on file: FileConnection) throws {
        guard let table = file.catalog.collections[.default]?.deleted, table.mayBeSwapped else { return }
        try file.connection.execute(
            "UPDATE \(table.quotedName) SET extra=expiration, expiration=extra WHERE typeof(expiration)='blob'")
    }
}
