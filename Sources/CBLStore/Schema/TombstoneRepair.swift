import CBLSQLite

/// Mends what the vendor's migration damaged: it moved the tombstones of the default collection with `SELECT *` between tables whose last
/// two columns stood in different orders, so that revision trees lie in `expiration` and expirations in `extra`.
enum TombstoneRepair {
    /// Whether it has happened. What it left is above all numbers in the index of expirations, so that one look there tells.
    static func isNeeded(_ file: FileConnection) throws -> Bool {
        guard let table = damaged(in: file) else { return false }
        return try file.connection.integer("SELECT 1 FROM \(table.quotedName) WHERE expiration >= x'' LIMIT 1") != nil
    }

    static func run(on file: FileConnection) throws {
        guard let table = damaged(in: file) else { return }
        try file.connection.execute("UPDATE \(table.quotedName) SET extra=expiration, expiration=extra WHERE expiration >= x''")
    }

    /// The table in which it can have happened, as its columns stand.
    private static func damaged(in file: FileConnection) -> KeyTable? {
        file.catalog.collections[.default]?.deleted.flatMap { $0.mayBeSwapped ? $0 : nil }
    }
}
