import CBLFleece
import CBLSQLite
import CBLSystemSQLite

/// One call of an SQL function: its arguments, and the result that it sets. A function that sets none gives NULL, which means MISSING.
package struct Call {
    let context: OpaquePointer
    let count: Int
    private let values: UnsafeMutablePointer<OpaquePointer?>?

    /// What SQLite hands to a function. It never hands out a nil context.
    @inline(__always)
    package init(_ context: OpaquePointer?, _ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>?) {
        self.context = context.unsafelyUnwrapped
        self.count = Int(count)
        self.values = values
    }

    /// An argument. The caller knows that there are so many.
    @inline(__always)
    package subscript(index: Int) -> Argument { Argument(value: values.unsafelyUnwrapped[index].unsafelyUnwrapped) }

    /// What this connection's functions know of its database.
    var database: FunctionContext { unretainedDatabase.takeUnretainedValue() }

    /// The same, for what is called for every row: the connection holds it, so nobody has to count.
    @inline(__always)
    var unretainedDatabase: Unmanaged<FunctionContext> { .fromOpaque(sqlite3_user_data(context).unsafelyUnwrapped) }

    /// Whether the result is settled by arguments that are unknown: the first MISSING makes it MISSING, otherwise any null makes it null.
    /// The result is then set.
    func propagates(_ limit: Int = .max) -> Bool {
        var hasNull = false
        for index in 0..<min(count, limit) {
            if self[index].isMissing { return true }
            if self[index].isNull { hasNull = true }
        }
        if hasNull { setNull() }
        return hasNull
    }

    // The result

    package func setMissing() { sqlite3_result_null(context) }

    func setNull() {
        sqlite3_result_blob64(context, noBytes, 0, nil)
        sqlite3_result_subtype(context, Subtype.null)
    }

    func set(_ boolean: Bool) {
        sqlite3_result_int(context, boolean ? 1 : 0)
        sqlite3_result_subtype(context, Subtype.boolean)
    }

    /// A comparison's outcome, which is a number to those who ask for its type.
    func set(untagged boolean: Bool) { sqlite3_result_int(context, boolean ? 1 : 0) }

    func set(_ integer: Int64) { sqlite3_result_int64(context, integer) }
    func set(_ double: Double) { sqlite3_result_double(context, double) }

    func set(unsigned integer: UInt64) {
        sqlite3_result_int64(context, Int64(bitPattern: integer))
        if integer > UInt64(Int64.max) { sqlite3_result_subtype(context, Subtype.unsigned) }
    }

    package func set(text bytes: UnsafeRawBufferPointer) {
        let start = bytes.baseAddress ?? noBytes
        sqlite3_result_text64(
            context, start.assumingMemoryBound(to: CChar.self), UInt64(bytes.count), cblite_sqlite_transient(), UInt8(SQLITE_UTF8))
    }

    func set(_ text: String) {
        var text = text
        text.withUTF8 { set(text: UnsafeRawBufferPointer($0)) }
    }

    package func set(blob bytes: UnsafeRawBufferPointer) {
        if let start = bytes.baseAddress, bytes.count > 0 {
            sqlite3_result_blob64(context, start, UInt64(bytes.count), cblite_sqlite_transient())
        } else {
            sqlite3_result_blob64(context, noBytes, 0, nil)
        }
    }

    /// Bytes that are themselves the value, no encoding of one.
    func set(data bytes: UnsafeRawBufferPointer) {
        set(blob: bytes)
        sqlite3_result_subtype(context, Subtype.data)
    }

    /// An argument, unchanged.
    func set(_ argument: Argument) { sqlite3_result_value(context, argument.value) }

    /// A number that is not finite has no place in JSON.
    func setFinite(_ double: Double) { double.isFinite ? set(double) : setNull() }

    /// Stops the statement with an error.
    func fail(_ message: String) {
        var message = message
        message.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { sqlite3_result_error(context, $0.baseAddress, Int32($0.count)) }
        }
    }

    /// How large a value the connection allows. SQLite looks at results itself; this is for those who would build more than it takes.
    var byteLimit: Int { Int(sqlite3_limit(sqlite3_context_db_handle(context), SQLITE_LIMIT_LENGTH, -1)) }

    func failTooBig() { sqlite3_result_error_toobig(context) }

    func failTakingTooLong(_ what: String) {
        if Interrupts.isRequested { return sqlite3_result_error_code(context, SQLITE_INTERRUPT) }
        fail("\(what) takes too long")
    }

    package func failOutOfMemory() { sqlite3_result_error_nomem(context) }
}

/// What SQLite's five types cannot tell, beside a value. It does not survive being stored.
enum Subtype {
    static let data: UInt32 = 0x66
    static let null: UInt32 = 0x67
    static let boolean: UInt32 = 0x68
    static let unsigned: UInt32 = 0x69
}

/// The address of nothing, where SQLite would take a nil pointer for NULL.
nonisolated(unsafe) let noBytes: UnsafeRawPointer = UnsafeRawPointer(("\0" as StaticString).utf8Start)
