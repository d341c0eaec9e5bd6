import CBLFunctions
import CBLSQLite
import CBLSystemSQLite

/// A connection to an index, with the collations that its keys are in. It belongs to one thread at a time.
final class IndexConnection: @unchecked Sendable {
    // Sendable: whoever has it has it alone, see `IndexFile`.

    let connection: Connection
    /// Empty for a temporary index.
    let path: String
    let orders: [ValueOrder]
    /// For which state of the schema its texts were found to be ours.
    private var checkedSchema: Int64 = -1

    init(_ connection: Connection, path: String) throws {
        self.connection = connection
        self.path = path
        orders = JSONCollation.allCases.map { ValueOrder($0) }
        for order in orders {
            let code = sqlite3_create_collation_v2(
                connection.handle, IndexSchema.collation(order.collation), SQLITE_UTF8, Unmanaged.passUnretained(order).toOpaque(),
                comparePlaces, nil)
            if code != SQLITE_OK { throw connection.error(code) }
        }
        try SQLFunctions.registerTokenizer(on: connection)
        try connection.execute("PRAGMA cell_size_check=ON")
    }

    func order(_ collation: JSONCollation) -> ValueOrder { orders[Int(collation.rawValue)] }

    /// Runs what SQLite may refuse, with errors that say that it was the index.
    @inline(__always)
    func guarded<Result>(_ work: () throws -> Result) throws -> Result {
        do { return try work() } catch let error as SQLiteError {
            throw error.isInterrupted ? ViewError.cancelled : ViewError.index(error, path: path)
        }
    }

    /// Runs `work` in a transaction, which is undone if it throws.
    func transaction<Result>(writing: Bool, _ work: () throws -> Result) throws -> Result {
        try guarded { try connection.execute(writing ? "BEGIN IMMEDIATE" : "BEGIN") }
        do {
            try checkSchema()
            let result = try work()
            try guarded { try connection.execute("COMMIT") }
            return result
        } catch {
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            throw error
        }
    }

    /// Looks whether the schema is the one that we write, if it may have changed. In a transaction.
    func checkSchema() throws {
        try guarded {
            let version = try connection.integer("PRAGMA schema_version") ?? 0
            guard version != checkedSchema else { return }
            try IndexSchema.check(connection)
            checkedSchema = version
        }
    }

    /// The same for changes that were made here.
    func trustSchema() throws { try guarded { checkedSchema = try connection.integer("PRAGMA schema_version") ?? 0 } }
}

private let comparePlaces: @convention(c) (UnsafeMutableRawPointer?, Int32, UnsafeRawPointer?, Int32, UnsafeRawPointer?) -> Int32 = {
    order, count, first, otherCount, second in
    guard let order else { return 0 }
    let result = Unmanaged<ValueOrder>.fromOpaque(order)._withUnsafeGuaranteedRef {
        $0.comparePlaces(
            UnsafeRawBufferPointer(start: first, count: Int(count)), UnsafeRawBufferPointer(start: second, count: Int(otherCount)))
    }
    return result < 0 ? -1 : result > 0 ? 1 : 0
}
