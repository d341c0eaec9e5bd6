import SQLFunctions
import SQLite

/// A database in memory with everything registered.
func registeredConnection(_ context: FunctionContext = FunctionContext()) throws -> Connection {
    let connection = try Connection(path: ":memory:", mode: .create)
    try SQLFunctions.register(on: connection, context: context)
    return connection
}
