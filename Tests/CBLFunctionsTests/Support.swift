import CBLFleece
import CBLFunctions
import CBLSQLite

/// A database in memory with everything registered.
func registeredConnection(_ context: FunctionContext = FunctionContext()) throws -> Connection {
    let connection = try Connection(path: ":memory:", mode: .create)
    try SQLFunctions.register(on: connection, context: context)
    return connection
}

/// A result column as JSON text.
func json(_ row: Statement, _ column: Int32) -> String {
    switch row.type(column) {
    case 1: return String(row.int64(column))
    case 2:
        var buffer = ByteBuffer()
        JSONWriter.write(double: row.double(column), to: &buffer)
        return buffer.string
    case 3:
        var buffer = ByteBuffer()
        JSONWriter.write(string: row.string(column) ?? "", to: &buffer)
        return buffer.string
    case 4:
        guard let bytes = row.blob(column), !bytes.isEmpty else { return "null" }
        return Value(root: bytes)?.json() ?? "damaged"
    default: return "{\"$missing\":true}"
    }
}
