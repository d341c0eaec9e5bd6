import CBLSQLite
import CBLSystemSQLite

/// Answers SQLite when a schema or a statement names a collation that it does not know yet.
enum Collations {
    static func register(on connection: Connection) {
        sqlite3_collation_needed(connection.handle, nil) { _, database, _, name in
            guard let name, let collationName = CollationName(String(cString: name)), collationName.isUnicode else { return }
            let arguments = CollationArguments(UnicodeCollation(collationName), database)
            sqlite3_create_collation_v2(
                database, name, SQLITE_UTF8, Unmanaged.passRetained(arguments).toOpaque(), compare,
                { Unmanaged<CollationArguments>.fromOpaque($0!).release() })
        }
    }
}

private final class CollationArguments {
    let collation: UnicodeCollation
    let database: OpaquePointer?

    init(_ collation: UnicodeCollation, _ database: OpaquePointer?) {
        self.collation = collation
        self.database = database
    }
}

private let compare: @convention(c) (UnsafeMutableRawPointer?, Int32, UnsafeRawPointer?, Int32, UnsafeRawPointer?) -> Int32 = {
    arguments, firstCount, first, secondCount, second in
    guard let arguments else { return 0 }
    let unmanaged = Unmanaged<CollationArguments>.fromOpaque(arguments)
    return unmanaged._withUnsafeGuaranteedRef { arguments in
        let order = arguments.collation.compare(
            UnsafeRawBufferPointer(start: first, count: Int(firstCount)), UnsafeRawBufferPointer(start: second, count: Int(secondCount)))
        // A comparison cannot fail, but it must not put a row in a wrong place of an index either: the statement is stopped.
        if let failure = arguments.collation.failure {
            UntoldFailure.leave(failure.message)
            sqlite3_interrupt(arguments.database)
        }
        return order
    }
}
