import CBLSQLite
import CBLSystemSQLite

typealias SQLFunction = @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

/// One line of a table of SQL functions. Tables cost nothing until they are registered, and functions share one context.
struct FunctionRow {
    let name: StaticString
    /// How many arguments it takes; -1 for any number, of which it then checks how many.
    let arity: Int32
    let function: SQLFunction

    init(_ name: StaticString, _ arity: Int32, _ function: @escaping SQLFunction) {
        self.name = name
        self.arity = arity
        self.function = function
    }

    // Schemas may name every one of these: indexes want them deterministic, and triggers of an untrusted schema innocuous.
    private static let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS

    static func register(_ rows: [FunctionRow], on connection: Connection, context: FunctionContext) throws {
        let pointer = Unmanaged.passUnretained(context).toOpaque()
        for row in rows {
            let name = UnsafeRawPointer(row.name.utf8Start).assumingMemoryBound(to: CChar.self)
            let code = sqlite3_create_function_v2(
                connection.handle, name, row.arity, flags, pointer, row.function, nil, nil, nil)
            if code != SQLITE_OK { throw connection.error(code) }
        }
    }
}
